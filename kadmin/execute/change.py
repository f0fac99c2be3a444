"""One way for every change of a cluster: plan → show → confirm → write → report.

Knows neither what is changed, nor how it looks, nor which command asked for it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

from kadmin.admin.ports import Made, Writer
from kadmin.execute.commit import commit

Plan = TypeVar("Plan")
Shown = TypeVar("Shown", contravariant=True)


class Operator(Protocol):
    """Whoever wants the change: he hears what is about to happen, and is asked."""

    @property
    def cluster(self) -> str:
        """What he calls the cluster that is changed."""

    def note(self, line: str) -> None:
        """Tell him something that he may have asked to be spared."""

    def tell(self, line: str) -> None:
        """Tell him something in any case."""

    def warn(self, line: str) -> None:
        """Tell him what he should look at."""

    def ask(self, question: str) -> None:
        """Ask whether to go ahead.

        Raises:
            RefusedError: he said no, or nobody can be asked.
        """


class Report(Protocol[Shown]):
    """Shows as the command's result what was written, or in a dry run what would be."""

    def __call__(self, plans: Sequence[Shown], *, is_dry_run: bool) -> None: ...


def no_warnings(_plan: object) -> Iterable[str]:
    return ()


def ready(_plans: object) -> None:
    """How a change is prepared before which nothing has to be done."""


def at_once(_plan: object, _outcome: Made) -> None:
    """How a change is settled after which nothing has to be waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[Plan]):
    """What is written at once; *replan* plans it anew where something moved before it was."""

    plan: Plan
    replan: Callable[[], Plan]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Generic[Plan]):
    """What an operator wants changed.

    *steps* looks at the cluster once and plans all of it, or refuses by raising what cannot be
    done.  *lines* and *warnings* show a plan.  *question* is asked about all plans before the first
    is written; None asks nothing.  Where it is asked, a plan that comes in place of a confirmed one
    is asked about, too, by *question_again*, or by the same question.  *prepare* is called with all
    plans when they are confirmed, for what has to be done before the first is written.  *settle* is
    called with each plan that was written, and its outcome: it waits where the next cannot be
    written before.
    """

    steps: Callable[[], Sequence[Step[Plan]]]
    lines: Callable[[Plan], Iterable[str]]
    report: Report[Plan]
    warnings: Callable[[Plan], Iterable[str]] = no_warnings
    question: Callable[[Sequence[Plan]], str | None] = lambda _: None
    question_again: Callable[[Plan], str] | None = None
    prepare: Callable[[Sequence[Plan]], None] = ready
    settle: Callable[[Plan, Made], None] = at_once


def carry_out(
    change: Change[Plan], writer: Writer[Plan], operator: Operator, *, is_dry_run: bool = False
) -> Sequence[Plan]:
    """Carry *change* out, one plan after the other; returns the plans that were written.

    What cannot be planned is refused before anything is written.  What was written before a
    failure is reported.  A dry run reports the plans and writes none.

    Raises:
        RefusedError: not confirmed, or nothing may be written here.
        ChangedInBetween: the cluster never stood still.
    """
    # Where nothing may be written, this refuses before anything is planned and asked.
    fence = writer.fence()
    steps = change.steps()
    plans = [step.plan for step in steps]
    if is_dry_run:
        if plans:
            operator.note(cluster_line(operator))
        change.report(plans, is_dry_run=True)
        for plan in plans:
            warn(change, operator, plan)
        operator.note("dry run: nothing was written")
        return ()
    question = change.question(plans) if plans else None
    written: list[Plan] = []
    try:
        if plans:
            # First of all: what is right for one cluster may be the end of another.
            (operator.note if question is None else operator.tell)(cluster_line(operator))
        for plan in plans:
            show(change, operator, plan, is_asked=question is not None)
        if question is not None:
            ask(operator, question)
        change.prepare(plans)
        approve = partial(approve_again, change, operator, question)
        for step in steps:
            plan, outcome = commit(writer, fence, step.plan, replan=step.replan, approve=approve)
            written.append(plan)
            change.settle(plan, outcome)
    finally:
        change.report(written, is_dry_run=False)
    return written


def approve_again(
    change: Change[Plan], operator: Operator, question: str | None, plan: Plan
) -> None:
    """Show *plan*, which nobody has seen yet, and ask about it if *question* was asked before, or
    if it asks one that the plan before it did not."""
    new_question = change.question([plan]) if question is None else None
    show(change, operator, plan, is_asked=question is not None or new_question is not None)
    if new_question is not None:
        ask(operator, new_question)
    elif question is not None:
        again = change.question_again
        ask(operator, question if again is None else again(plan))


def cluster_line(operator: Operator) -> str:
    return f"cluster: {operator.cluster}"


def ask(operator: Operator, question: str) -> None:
    operator.ask(f"{operator.cluster}: {question}")


def show(change: Change[Plan], operator: Operator, plan: Plan, *, is_asked: bool) -> None:
    # Nobody can answer for a plan that he has not seen, however quiet it is to be.
    say = operator.tell if is_asked else operator.note
    for line in change.lines(plan):
        say(line)
    warn(change, operator, plan)


def warn(change: Change[Plan], operator: Operator, plan: Plan) -> None:
    for warning in change.warnings(plan):
        operator.warn(warning)
