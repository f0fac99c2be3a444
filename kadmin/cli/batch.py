"""How are planned changes shown, confirmed and written, one of them or many?"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from kadmin.admin.ports import Fence, Writer
from kadmin.cli.frame import Session
from kadmin.execute.changes import carry_out
from kadmin.render.output import Document

Plan = TypeVar("Plan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[Plan]):
    """One change: as it is planned now, and how to plan it anew and show it.

    *question* is asked about a plan that is not the one that was approved; None asks nothing.
    """

    plan: Plan
    replan: Callable[[], Plan]
    show: Callable[[Plan], None]
    question: str | None = None


class Review(Generic[Plan]):
    """Lets the approved plan pass, and shows any other and asks about it before it is approved."""

    def __init__(
        self,
        session: Session,
        show: Callable[[Plan], None],
        question: str | None = None,
        approved: Plan | None = None,
    ) -> None:
        self.session = session
        self.show = show
        self.question = question
        self.approved = approved

    def __call__(self, plan: Plan) -> None:
        if plan == self.approved:
            return
        self.show(plan)
        if self.question is not None:
            self.session.confirm(self.question, yes=False)
        self.approved = plan


def show_dry_run(session: Session, document: Document, warnings: Iterable[str] = ()) -> None:
    """Show as the result what would be done, and its *warnings*."""
    session.output.show(document)
    for warning in warnings:
        session.output.warn(warning)
    session.output.note("dry run: nothing was written")


def carry_out_steps(
    session: Session,
    cluster: Writer[Any],
    steps: Sequence[Step[Any]],
    question: str | None,
    *,
    fence: Fence,
) -> Iterator[Any]:
    """Show all *steps*, ask *question* once unless it is None, then write one after the other.

    *fence* was read before the steps were planned.

    Yields each plan when it is written.  What cannot be planned was refused before, when the steps
    were made, so that nothing is written then.
    """
    for step in steps:
        step.show(step.plan)
    if question is not None and steps:
        session.confirm(question, yes=False)
    for step in steps:
        yield carry_out(
            cluster,
            plan=step.replan,
            review=Review(session, step.show, step.question, approved=step.plan),
            approved=(fence, step.plan),
        )
