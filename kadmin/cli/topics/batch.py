"""How do changes of one or several kinds go through for one topic or for many?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from cluster.model.snapshot import ClusterSnapshot
from cluster.zk import paths
from kadmin.admin.ports import TopicAdmin
from kadmin.cli.batch import Step, carry_out_steps, show_dry_run
from kadmin.cli.frame import Session
from kadmin.execute.changes import refuse_unreadable
from kadmin.plan.select import TopicSelection
from kadmin.render.changes import Change, changes_document, planned_document

Plan = TypeVar("Plan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Plan]):
    """One kind of change of a topic: how it is planned, shown and reported."""

    plan_of: Callable[[ClusterSnapshot, str], Plan]
    lines_of: Callable[[Plan], Iterable[str]]
    change_of: Callable[[Plan, str], Change]


def change_topics(
    session: Session,
    admin: TopicAdmin,
    options: Mapping[str, Any],
    kinds: Sequence[Kind[Any]],
    names: Sequence[str],
    question: str | None,
) -> list[Any]:
    """Plan every one of *kinds* for every one of *names*, then write them; returns the plans.

    What cannot be planned is refused before anything is written.  A dry run shows the plans as
    the result and returns none.  *question* is asked unless it is None or nobody is to be asked.
    """
    # Where nothing may be written, this refuses before anything is planned and asked.
    fence = admin.fence()
    snapshot = read_topics(admin, names)
    planned = [(kind, name, kind.plan_of(snapshot, name)) for kind in kinds for name in names]
    if options["dry_run"]:
        lines = [line for kind, _, plan in planned for line in kind.lines_of(plan)]
        changes = [kind.change_of(plan, "planned") for kind, _, plan in planned]
        show_dry_run(session, planned_document(lines, changes))
        return []
    if options["yes"] or options["force"]:
        question = None
    # Nobody can answer for a plan that he has not seen, however quiet it is to be.
    say = session.output.note if question is None else session.output.tell
    steps = [
        Step(
            plan=plan,
            replan=partial(replan, admin, kind, name),
            show=partial(show_lines, say, kind.lines_of),
            question=question,
        )
        for kind, name, plan in planned
    ]
    done: list[Any] = []
    try:
        for plan in carry_out_steps(session, admin, steps, question, fence=fence):
            done.append(plan)  # One by one: what was written before a failure is shown.
    finally:
        changes = [
            kind.change_of(plan, "done") for (kind, _, _), plan in zip(planned, done, strict=False)
        ]
        session.output.show(changes_document(changes, dry_run=False))
    return done


def replan(admin: TopicAdmin, kind: Kind[Plan], name: str) -> Plan:
    return kind.plan_of(read_topics(admin, [name]), name)


def read_topics(admin: TopicAdmin, names: Sequence[str]) -> ClusterSnapshot:
    """A snapshot with the topics *names*, which may be none, without their states.

    Raises:
        Unreadable: one of them is damaged.
    """
    snapshot = admin.snapshot(
        TopicSelection(wanted=tuple(names)),
        with_topics=bool(names),
        with_states=False,
    )
    refuse_unreadable(snapshot, [paths.topic(name) for name in names])
    return snapshot


def show_lines(
    say: Callable[[str], None], lines_of: Callable[[Plan], Iterable[str]], plan: Plan
) -> None:
    for line in lines_of(plan):
        say(line)
