"""What `kadmin topics` does when it changes something: plan, show, confirm, write, wait."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from cluster.model.ids import TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin import topic_writes
from kadmin.admin.connection import Connection
from kadmin.admin.snapshot import read_snapshot, read_topic_names
from kadmin.admin.transaction import Committed, Fence, Outcome
from kadmin.cli.frame import Session
from kadmin.errors import InProgressError, UsageError
from kadmin.execute.changes import carry_out
from kadmin.plan.place import Placement
from kadmin.plan.select import TopicSelection
from kadmin.plan.topics import (
    AddPartitionsPlan,
    CreatePlan,
    CreateRequest,
    DeletePlan,
    TopicExists,
    check_topic_name,
    parse_assignment,
    plan_add_partitions,
    plan_create,
    plan_delete,
)
from kadmin.render.changes import (
    Change,
    add_partitions_lines,
    changes_document,
    create_lines,
    delete_line,
    layout_details,
)

DRAW_MAX: Final = 2**31 - 1

KEY_WARNING: Final = (
    "if partitions are increased for a topic that has a key, the partition logic or ordering of"
    " the messages will be affected"
)
NAME_WARNING: Final = (
    "topics with a period ('.') or underscore ('_') could collide in metric names;"
    " it is best to use either, but not both"
)

Plan = TypeVar("Plan")


def create(session: Session, selection: TopicSelection, options: Mapping[str, Any]) -> None:
    """Create the one topic that is named."""
    request = create_request(selection, options)
    if {".", "_"} & set(request.name):
        session.output.warn(NAME_WARNING)
    review = Review[CreatePlan](session, create_lines)
    with session.connect() as connection:
        try:
            if options["dry_run"]:
                plan = plan_create(read_snapshot(connection, with_states=False), request)
                show_dry_run(session, create_lines(plan, None), [created(plan, "planned")])
                return
            plan = carry_out(
                connection,
                plan=lambda: plan_create(read_snapshot(connection, with_states=False), request),
                review=review,
                write=lambda fence, plan: topic_writes.create_topic(connection, fence, plan),
            )
        except TopicExists:
            if not options["if_not_exists"]:
                raise
            session.output.note(f"topic '{request.name}' already exists: nothing to do")
            change = Change(action="create", topic=request.name, outcome="exists")
            session.output.show(changes_document([change], dry_run=options["dry_run"]))
            return
        session.output.show(changes_document([created(plan, "created")], dry_run=False))
        wait_for_leaders(session, connection, options, partitions_of(plan.name, plan.layout))


def create_request(selection: TopicSelection, options: Mapping[str, Any]) -> CreateRequest:
    if len(selection.wanted) != 1 or selection.is_regex:
        raise UsageError("--create takes the name of one topic")
    name = selection.wanted[0]
    check_topic_name(name)
    assignment = options["replica_assignment"]
    if assignment is None and (
        options["partitions"] is None or options["replication_factor"] is None
    ):
        raise UsageError(
            "--create needs --partitions and --replication-factor, or --replica-assignment",
            hint=f"kadmin topics --create --topic {name} --partitions 6 --replication-factor 3",
        )
    return CreateRequest(
        name=name,
        partition_count=options["partitions"],
        replication_factor=options["replication_factor"],
        assignment=None if assignment is None else parse_assignment(assignment),
        configs=parse_configs(options["config"]),
        is_rack_aware=not options["disable_rack_aware"],
        placement=fixed_placement(options),
        draw=(random.randrange(DRAW_MAX), random.randrange(DRAW_MAX)),
        allow_unknown_brokers=options["allow_unknown_brokers"],
    )


def fixed_placement(options: Mapping[str, Any]) -> Placement | None:
    """The placement that `--start-index` and `--start-shift` ask for, None without them."""
    start, shift = options["start_index"], options["start_shift"]
    if start is None:
        return None
    return Placement(
        start_index=start,
        shift=start if shift is None else shift,
        is_rack_aware=not options["disable_rack_aware"],
    )


def parse_configs(texts: Sequence[str]) -> dict[str, str]:
    """Split `KEY=VALUE` texts and check them against the table of topic configs."""
    return dict(text.split("=", 1) for text in texts)


def created(plan: CreatePlan, outcome: str) -> Change:
    return Change(
        action="create",
        topic=plan.name,
        outcome=outcome,
        line=f"Created topic {plan.name}." if outcome == "created" else "",
        details={
            **layout_details(plan.layout, plan.placement),
            "configs": dict(plan.configs),
        },
    )


def alter(session: Session, selection: TopicSelection, options: Mapping[str, Any]) -> None:
    """Change configs of the topics that are meant, then add partitions to them."""
    assignment_text = options["replica_assignment"]
    assignment = None if assignment_text is None else parse_assignment(assignment_text)
    wants_partitions = options["partitions"] is not None or assignment is not None

    def plan_of(snapshot: ClusterSnapshot, name: str) -> AddPartitionsPlan:
        return plan_add_partitions(
            snapshot,
            name,
            options["partitions"],
            assignment,
            placement=fixed_placement(options),
            is_rack_aware=not options["disable_rack_aware"],
            allow_unknown_brokers=options["allow_unknown_brokers"],
        )

    with session.connect() as connection:
        names = existing(session, connection, selection, options)
        if wants_partitions:
            session.output.warn(KEY_WARNING)
            plans = Changes(
                session=session,
                connection=connection,
                options=options,
                plan_of=plan_of,
                lines_of=add_partitions_lines,
                write=topic_writes.add_partitions,
                change_of=partitions_added,
            ).apply(names, "Add these partitions?" if not selection.is_one_name else None)
            if not options["dry_run"]:
                added = [
                    partition
                    for plan in plans
                    for partition in partitions_of(plan.name, plan.added)
                ]
                wait_for_leaders(session, connection, options, added)


def partitions_added(plan: AddPartitionsPlan, outcome: str) -> Change:
    return Change(
        action="add_partitions",
        topic=plan.name,
        outcome=outcome,
        line="Adding partitions succeeded!" if outcome == "done" else "",
        details=layout_details(plan.added, plan.placement),
    )


def delete(session: Session, selection: TopicSelection, options: Mapping[str, Any]) -> None:
    """Mark the topics that are meant for deletion, after asking."""
    with session.connect() as connection:
        names = existing(session, connection, selection, options)
        plans = Changes(
            session=session,
            connection=connection,
            options=options,
            plan_of=plan_delete,
            lines_of=lambda plan: [delete_line(plan)],
            write=mark_unless_marked,
            change_of=deleted,
        ).apply(names, f"Delete {count_of(names)} and all records in them?")
        if options["wait"] and not options["dry_run"]:
            wait_for_deletion(session, connection, [plan.name for plan in plans])


def count_of(names: Sequence[str]) -> str:
    return f"topic {names[0]}" if len(names) == 1 else f"these {len(names)} topics"


def mark_unless_marked(connection: Connection, fence: Fence, plan: DeletePlan) -> Outcome:
    if plan.is_already_marked:
        return Committed()
    return topic_writes.mark_for_deletion(connection, fence, plan)


def deleted(plan: DeletePlan, outcome: str) -> Change:
    line = ""
    if outcome == "done":
        state = "already marked" if plan.is_already_marked else "marked"
        line = f"Topic {plan.name} is {state} for deletion."
    return Change(action="delete", topic=plan.name, outcome=outcome, line=line)


def existing(
    session: Session,
    connection: Connection,
    selection: TopicSelection,
    options: Mapping[str, Any],
) -> list[str]:
    """The names of the topics that are meant; with `--if-exists` there may be none."""
    names = read_topic_names(connection).names
    if options["if_exists"]:
        for missing in selection.missing(names):
            session.output.note(f"there is no topic '{missing}': nothing to do")
        return selection.select(names)
    return selection.require(names)


class Review(Generic[Plan]):
    """Shows every new plan, and asks *question* about it unless it is None or nobody is to be."""

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
class Changes(Generic[Plan]):
    """The same kind of change for many topics: all planned and approved, then one by one written.

    What cannot be planned is refused before anything is written.
    """

    session: Session
    connection: Connection
    options: Mapping[str, Any]
    plan_of: Callable[[ClusterSnapshot, str], Plan]
    lines_of: Callable[[Plan], Iterable[str]]
    write: Callable[[Connection, Fence, Plan], Outcome]
    change_of: Callable[[Plan, str], Change]

    def apply(self, names: Sequence[str], question: str | None) -> list[Plan]:
        """Carry the change out for every one of *names*; returns the plans that were written.

        A dry run shows the plans as the result and returns them.
        """
        snapshot = self.read(names)
        plans = {name: self.plan_of(snapshot, name) for name in names}
        lines = (line for plan in plans.values() for line in self.lines_of(plan))
        if self.options["dry_run"]:
            changes = [self.change_of(plan, "planned") for plan in plans.values()]
            show_dry_run(self.session, lines, changes)
            return list(plans.values())
        for line in lines:
            self.session.output.note(line)
        if self.options["yes"] or self.options["force"]:
            question = None
        if question is not None and plans:
            self.session.confirm(question, yes=False)
        done: list[Plan] = []
        try:
            for name, plan in plans.items():
                done.append(self.carry_out_one(name, plan, question))
        finally:
            changes = [self.change_of(plan, "done") for plan in done]
            self.session.output.show(changes_document(changes, dry_run=False))
        return done

    def read(self, names: Sequence[str]) -> ClusterSnapshot:
        selection = TopicSelection(wanted=tuple(names))
        return read_snapshot(self.connection, selection, with_states=False)

    def carry_out_one(self, name: str, approved: Plan, question: str | None) -> Plan:
        return carry_out(
            self.connection,
            plan=lambda: self.plan_of(self.read([name]), name),
            review=Review(self.session, self.lines_of, question, approved),
            write=lambda fence, plan: self.write(self.connection, fence, plan),
        )


def show_dry_run(session: Session, lines: Iterable[str], changes: Sequence[Change]) -> None:
    for line in lines:
        session.output.result(line)
    session.output.show(changes_document(changes, dry_run=True))
    session.output.note("dry run: nothing was written")


def partitions_of(topic: str, partitions: Iterable[int]) -> list[TopicPartition]:
    return [TopicPartition(topic, partition) for partition in partitions]


def wait_for_leaders(
    session: Session,
    connection: Connection,
    options: Mapping[str, Any],
    partitions: Sequence[TopicPartition],
) -> None:
    """Wait until *partitions* have leaders, unless told not to.

    Raises:
        InProgressError: some have none when the time is over.
    """
    if options["wait"] is False or not partitions:
        return
    waited = topic_writes.await_leaders(connection, partitions)
    if not waited.left:
        return
    if not waited.has_controller:
        session.output.warn(
            f"no controller is active: {len(partitions)} partitions wait for one to elect leaders"
        )
        return
    topics = sorted({partition.topic for partition in partitions})
    raise InProgressError(
        f"written, but after {session.settings.timeout_s:g} s {len(waited.left)} of"
        f" {len(partitions)} partitions have no leader: {some(waited.left)}",
        hint=f"kadmin topics --describe --unavailable-partitions --topic {','.join(topics)}",
    )


def wait_for_deletion(session: Session, connection: Connection, names: Sequence[str]) -> None:
    waited = topic_writes.await_deletion(connection, names)
    if not waited.left:
        return
    if not waited.has_controller:
        session.output.warn("no controller is active: the topics wait for one to delete them")
        return
    raise InProgressError(
        f"marked, but after {session.settings.timeout_s:g} s not yet gone: {some(waited.left)}",
        hint="replicas on dead brokers and delete.topic.enable=false hold a deletion up;"
        " 'kadmin topics --list' shows when it is done",
    )


def some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
