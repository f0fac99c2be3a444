"""A change of a cluster as a value: its plans, what has to be confirmed, what was written.

Knows neither what is changed nor how it looks nor who confirms it: a command, a page and a
supervisor drive the same change.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from kadmin.admin.ports import Made, Writer
from kadmin.execute.commit import committing

Plan = TypeVar("Plan")


class Notices(Protocol):
    """The receiver of what is to be known while a change is planned and carried out."""

    def note(self, text: str) -> None:
        """Receive how far it is; may be dropped."""

    def warn(self, text: str) -> None:
        """Receive what an operator should look at."""


@dataclass(frozen=True, slots=True)
class Question:
    """A confirmation to ask for; an *optional* one is only asked at a terminal."""

    text: str
    is_optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal(Generic[Plan]):
    """Plans to be shown, each with its *warnings*, and the question about all of them."""

    plans: tuple[Plan, ...]
    warnings: tuple[tuple[str, ...], ...]
    question: Question | None


@dataclass(frozen=True, slots=True)
class Begun:
    """The point from which a change that ends early leaves something behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[Plan]):
    """A plan that is written at once; *replan* makes it anew if the cluster changed before."""

    plan: Plan
    replan: Callable[[], Plan]


class Change(Generic[Plan]):
    """One change, written by *writer*; each kind of change is a subclass.

    *written* has the plans that were written, in order.
    """

    def __init__(self, writer: Writer[Plan]) -> None:
        self.writer = writer
        self.written: list[Plan] = []

    def steps(self) -> Sequence[Step[Plan]]:
        """Read the cluster and plan all of the change, or raise what cannot be done."""
        raise NotImplementedError

    def warnings(self, plan: Plan) -> Iterable[str]:
        """Return what speaks against *plan*."""
        return ()

    def question(self, plans: Sequence[Plan]) -> Question | None:
        """Return what has to be confirmed before the first of *plans* is written."""
        return None

    def question_again(self, plan: Plan, first: Question | None) -> Question | None:
        """Return what has to be confirmed about *plan*, which replaces one of those before;
        *first* was confirmed about these."""
        return self.question([plan]) if first is None else first

    def prepare(self, plans: Sequence[Plan]) -> Iterable[Begun]:
        """Do what must be done between the confirmation and the first write."""
        return ()

    def settle(self, plan: Plan, made: Made) -> None:
        """Finish *plan*, which was written; wait if the next cannot be written before."""


def carry_out(change: Change[Plan]) -> Iterator[Proposal[Plan] | Begun]:
    """Carry *change* out, one plan after the other.

    Yields what is to be confirmed: first all plans, if any; later each plan that replaces one
    because the cluster changed in between.  Asking for the next item confirms; dropping the
    iterator ends the change.  A dry run takes only the first item.

    Raises:
        RefusedError: nothing may be written here.
        ChangedInBetween: the cluster keeps changing.
    """
    # Where nothing may be written, this refuses before anything is planned and asked.
    fence = change.writer.fence()
    steps = change.steps()
    plans = [step.plan for step in steps]
    question = change.question(plans) if plans else None
    yield proposal(change, plans, question)
    yield from change.prepare(plans)

    def propose(newer: Plan) -> Proposal[Plan]:
        return proposal(change, [newer], change.question_again(newer, question))

    for step in steps:
        plan, made = yield from committing(
            change.writer, fence, step.plan, replan=step.replan, propose=propose
        )
        change.written.append(plan)
        change.settle(plan, made)


def proposal(
    change: Change[Plan], plans: Sequence[Plan], question: Question | None
) -> Proposal[Plan]:
    warnings = tuple(tuple(change.warnings(plan)) for plan in plans)
    return Proposal(plans=tuple(plans), warnings=warnings, question=question)
