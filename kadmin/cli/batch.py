"""How are planned changes shown, confirmed and written, for one topic or for many?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.connection import Connection
from kadmin.admin.snapshot import read_snapshot
from kadmin.admin.transaction import Fence, Outcome
from kadmin.cli.frame import Session
from kadmin.execute.changes import carry_out
from kadmin.plan.select import TopicSelection
from kadmin.render.changes import Change, changes_document

Plan = TypeVar("Plan")


class Review(Generic[Plan]):
    """Shows every new plan, and asks *question* about it unless it is None."""

    def __init__(
        self,
        session: Session,
        lines_of: Callable[[Plan], Iterable[str]],
        question: str | None = None,
        approved: Plan | None = None,
    ) -> None:
        self.session = session
        self.lines_of = lines_of
        self.question = question
        self.approved = approved

    def __call__(self, plan: Plan) -> None:
        if plan == self.approved:
            return
        for line in self.lines_of(plan):
            self.session.output.note(line)
        if self.question is not None:
            self.session.confirm(self.question, yes=False)
        self.approved = plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Plan]):
    """One kind of change of a topic: how it is planned, shown, written and reported."""

    plan_of: Callable[[ClusterSnapshot, str], Plan]
    lines_of: Callable[[Plan], Iterable[str]]
    write: Callable[[Connection, Fence, Plan], Outcome]
    change_of: Callable[[Plan, str], Change]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Changes of several kinds for several topics: all planned and approved, then one by one
    written.  What cannot be planned is refused before anything is written."""

    session: Session
    connection: Connection
    options: Mapping[str, Any]

    def run(
        self, kinds: Sequence[Kind[Any]], names: Sequence[str], question: str | None
    ) -> list[Any]:
        """Carry the changes out; returns the plans that were written, none after a dry run.

        *question* is asked unless it is None or nobody is to be asked.
        """
        snapshot = self.read(names)
        steps = [(kind, name, kind.plan_of(snapshot, name)) for kind in kinds for name in names]
        lines = (line for kind, _, plan in steps for line in kind.lines_of(plan))
        if self.options["dry_run"]:
            changes = [kind.change_of(plan, "planned") for kind, _, plan in steps]
            show_dry_run(self.session, lines, changes)
            return []
        for line in lines:
            self.session.output.note(line)
        if self.options["yes"] or self.options["force"] or not steps:
            question = None
        if question is not None:
            self.session.confirm(question, yes=False)
        changes = []
        plans = []
        try:
            for kind, name, plan in steps:
                plans.append(self.carry_out_one(kind, name, plan, question))
                changes.append(kind.change_of(plans[-1], "done"))
        finally:
            self.session.output.show(changes_document(changes, dry_run=False))
        return plans

    def read(self, names: Sequence[str]) -> ClusterSnapshot:
        selection = TopicSelection(wanted=tuple(names))
        return read_snapshot(self.connection, selection, with_topics=bool(names), with_states=False)

    def carry_out_one(self, kind: Kind[Any], name: str, approved: Any, question: str | None) -> Any:
        return carry_out(
            self.connection,
            plan=lambda: kind.plan_of(self.read([name]), name),
            review=Review(self.session, kind.lines_of, question, approved),
            write=lambda fence, plan: kind.write(self.connection, fence, plan),
        )


def show_dry_run(session: Session, lines: Iterable[str], changes: Sequence[Change]) -> None:
    for line in lines:
        session.output.result(line)
    session.output.show(changes_document(changes, dry_run=True))
    session.output.note("dry run: nothing was written")
