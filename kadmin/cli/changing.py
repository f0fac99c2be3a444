"""A change that a command makes: shown, asked about, carried out, reported.  Knows no command."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Protocol, TypeVar

from kadmin.execute.change import Begun, Change, Proposal, carry_out
from kadmin.render.output import can_ask

Plan = TypeVar("Plan")
Shown = TypeVar("Shown", contravariant=True)


class Operator(Protocol):
    """The person who wants the change, sees what is about to happen, and is asked."""

    @property
    def cluster(self) -> str: ...

    def note(self, line: str) -> None: ...

    def tell(self, line: str) -> None: ...

    def warn(self, text: str) -> None: ...

    def ask(self, question: str) -> None: ...

    def flush(self) -> None: ...


class Report(Protocol[Shown]):
    """Shows as the command's result what was written, or in a dry run what would be."""

    def __call__(self, plans: Sequence[Shown], /, *, is_dry_run: bool) -> None: ...


def make(
    change: Change[Plan],
    operator: Operator,
    *,
    lines: Callable[[Plan], Iterable[str]],
    report: Report[Plan],
    is_dry_run: bool = False,
    is_confirmed: bool = False,
    begun: Callable[[], None] = lambda: None,
    nothing: str = "",
) -> None:
    """Make *change*, whose plans look like *lines*; without questions where it *is_confirmed*.

    What was written before a failure is reported.  A dry run reports the plans and writes none.
    *begun* is called when something is left behind from then on; *nothing* is noted where there is
    nothing to do.

    Raises:
        RefusedError: not confirmed, or nothing may be written here.
        ChangedInBetween: the cluster keeps changing.
        OSError: standard output takes no report; a warning reports that the change was made.
    """
    stages = carry_out(change)
    first = next(stages)
    assert isinstance(first, Proposal)
    if nothing and not first.plans:
        operator.note(nothing)
    if is_dry_run:
        show_dry_run(first, operator, report)
        return
    try:
        for stage in chain([first], stages):
            if isinstance(stage, Begun):
                begun()
            else:
                confirm(stage, operator, lines, is_confirmed=is_confirmed, is_first=stage is first)
    finally:
        report_written(change, operator, report)


def report_written(change: Change[Plan], operator: Operator, report: Report[Plan]) -> None:
    try:
        report(change.written, is_dry_run=False)
        operator.flush()
    except OSError:
        if change.written:
            operator.warn("the change was made; only its report is missing")
        raise


def show_dry_run(proposal: Proposal[Plan], operator: Operator, report: Report[Plan]) -> None:
    if proposal.plans:
        operator.note(f"cluster: {operator.cluster}")
    report(proposal.plans, is_dry_run=True)
    for warning in chain.from_iterable(proposal.warnings):
        operator.warn(warning)
    operator.note("dry run: nothing was written")


def confirm(
    proposal: Proposal[Plan],
    operator: Operator,
    lines: Callable[[Plan], Iterable[str]],
    *,
    is_confirmed: bool,
    is_first: bool,
) -> None:
    """Show *proposal*, and ask its question unless it *is_confirmed* or the question can be left
    out."""
    question = None if is_confirmed else proposal.question
    if question is not None and question.is_optional and not can_ask():
        question = None
    # What is to be confirmed is shown, however quiet it is to be.
    say = operator.note if question is None else operator.tell
    if is_first and proposal.plans:
        # The cluster first of all: what is right for one may be the end of another.
        say(f"cluster: {operator.cluster}")
    for plan, warnings in zip(proposal.plans, proposal.warnings, strict=True):
        for line in lines(plan):
            say(line)
        for warning in warnings:
            operator.warn(warning)
    if question is not None:
        operator.ask(f"{operator.cluster}: {question.text}")
