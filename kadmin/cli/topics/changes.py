"""What `kadmin topics` does when it changes something: plan, show, confirm, write, wait."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.ids import TopicPartition
from cluster.model.placement import Placement
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic_name import collides
from cluster.zk import paths
from kadmin.admin.ports import TopicAdmin, Writer
from kadmin.cli.batch import Review, show_dry_run
from kadmin.cli.frame import Session
from kadmin.cli.topics.batch import Kind, change_topics, read_topics, show_lines
from kadmin.errors import InProgressError, UsageError
from kadmin.execute.changes import carry_out, refuse_unreadable
from kadmin.execute.waiting import wait
from kadmin.plan.config_arguments import parse_names
from kadmin.plan.config_plan import ConfigPlan, check_request, plan_change
from kadmin.plan.config_warnings import ConfigRequest, Surroundings
from kadmin.plan.select import NoSuchTopic, TopicSelection
from kadmin.plan.topic_refusals import TopicExists
from kadmin.plan.topic_text import check_topic_name, parse_assignment
from kadmin.plan.topics import (
    AddPartitionsPlan,
    CreatePlan,
    CreateRequest,
    DeletePlan,
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
    planned_document,
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

TOPIC_ENTITY: Final = ConfigEntity(Entity(EntityKind.TOPICS, "topic"))
"""Any topic, to check configs that are for all of them alike."""


def create(session: Session, selection: TopicSelection, options: Mapping[str, Any]) -> None:
    """Create the one topic that is named."""
    request = create_request(selection, options)
    if not (is_counted(request) or session.asks_brokers):
        raise UsageError(
            "--create needs --partitions and --replication-factor, or --replica-assignment",
            hint=f"kadmin topics --create --topic {request.name}"
            " --partitions 6 --replication-factor 3",
        )
    if {".", "_"} & set(request.name):
        session.output.warn(NAME_WARNING)
    review = Review[CreatePlan](session, partial(show_lines, session.output.note, create_lines))
    with session.topics() as admin:
        request = counted(admin, request)
        try:
            if options["dry_run"]:
                admin.fence()
                plan = plan_of_creation(session, admin, request)
                lines = list(create_lines(plan, None))
                show_dry_run(session, planned_document(lines, [created(plan, "planned")]))
                return
            writer: Writer[CreatePlan] = admin
            plan = carry_out(
                writer,
                plan=partial(plan_of_creation, session, admin, request),
                review=review,
            )
        except TopicExists:
            if not options["if_not_exists"]:
                raise
            session.output.note(f"topic '{request.name}' already exists: nothing to do")
            change = Change(action="create", topic=request.name, outcome="exists")
            session.output.show(changes_document([change], dry_run=options["dry_run"]))
            return
        session.output.show(changes_document([created(plan, "created")], dry_run=False))
        wait_for_leaders(session, admin, options, partitions_of(plan.name, plan.layout))


def plan_of_creation(session: Session, admin: TopicAdmin, request: CreateRequest) -> CreatePlan:
    names = admin.names().names
    snapshot = read_topics(admin, [name for name in names if collides(name, request.name)])
    refuse_unreadable(snapshot, [paths.topic(request.name)])
    for fault in snapshot.faults:  # A broker, say, that no replica is placed on then.
        session.output.warn(f"left out: {fault}")
    return plan_create(snapshot, request)


def create_request(selection: TopicSelection, options: Mapping[str, Any]) -> CreateRequest:
    if len(selection.wanted) != 1 or selection.is_regex:
        raise UsageError(
            "--create takes the name of one topic",
            hint="kadmin topics --create --topic NAME --partitions 6 --replication-factor 3",
        )
    name = selection.wanted[0]
    check_topic_name(name)
    assignment = options["replica_assignment"]
    configs = parse_configs(options["config"])
    check_request(TOPIC_ENTITY, ConfigRequest(add=configs))
    return CreateRequest(
        name=name,
        partition_count=options["partitions"],
        replication_factor=options["replication_factor"],
        assignment=None if assignment is None else parse_assignment(assignment),
        configs=configs,
        is_rack_aware=not options["disable_rack_aware"],
        placement=fixed_placement(options),
        draw=(random.randrange(DRAW_MAX), random.randrange(DRAW_MAX)),
        allow_unknown_brokers=options["allow_unknown_brokers"],
    )


def is_counted(request: CreateRequest) -> bool:
    """Whether it says how many partitions and replicas there shall be."""
    if request.assignment is not None:
        return True
    return request.partition_count is not None and request.replication_factor is not None


def counted(admin: TopicAdmin, request: CreateRequest) -> CreateRequest:
    """*request* with the brokers' defaults for the counts that it does not say."""
    if is_counted(request):
        return request
    default = admin.default_counts()
    assert default is not None  # Only brokers are asked for what a request does not say.
    return replace(
        request,
        partition_count=request.partition_count or default.partition_count,
        replication_factor=request.replication_factor or default.replication_factor,
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
    """Split `KEY=VALUE` texts; blanks around the sign do not count.

    Raises:
        UsageError: a text without a sign, or with several, as Kafka's tool has it.
    """
    configs = {}
    for text in texts:
        key, *values = (part.strip() for part in text.split("="))
        if len(values) != 1 or not key:
            raise UsageError(
                f"the config '{text}' is not KEY=VALUE",
                hint="write it like --config min.insync.replicas=2; a value that holds a '=' is"
                " taken by 'kadmin configs --alter --topic NAME --add-config KEY=VALUE'",
            )
        configs[key] = values[0]
    return configs


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
    """Change configs of the topics that are meant and add partitions to them."""
    kinds: list[Kind[Any]] = []
    request = ConfigRequest(
        add=parse_configs(options["config"]), delete=parse_names(options["delete_config"])
    )
    if request.add or request.delete:
        check_request(TOPIC_ENTITY, request)
        kinds.append(config_changes(request))
    if options["partitions"] is not None or options["replica_assignment"] is not None:
        kinds.append(more_partitions(options))
    if not kinds:
        raise UsageError(
            "--alter needs --partitions, --replica-assignment, --config or --delete-config",
            hint="kadmin topics --alter --topic NAME --config KEY=VALUE",
        )
    with session.topics() as admin:
        names = existing(session, admin, selection, options)
        question = None if selection.is_one_name else f"Change {count_of(names)}?"
        done = change_topics(session, admin, options, kinds, names, question)
        added = [
            TopicPartition(plan.name, partition)
            for plan in done
            if isinstance(plan, AddPartitionsPlan)
            for partition in plan.added
        ]
        wait_for_leaders(session, admin, options, added)


def config_changes(request: ConfigRequest) -> Kind[ConfigPlan]:
    """A kind of change: *request* for every topic; what is not set need not be deleted."""

    def plan_of(snapshot: ClusterSnapshot, name: str) -> ConfigPlan:
        refuse_unreadable(snapshot, [paths.topic_config(name)])
        topic = snapshot.topics.get(name)
        if topic is None:
            raise NoSuchTopic([name])
        delete = tuple(key for key in request.delete if key in topic.config.values)
        return plan_change(
            ConfigEntity(Entity(EntityKind.TOPICS, name)),
            topic.config,
            ConfigRequest(add=request.add, delete=delete),
            Surroundings(
                brokers=snapshot.brokers, replication_factor=topic.assignment.fewest_replicas
            ),
        )

    return Kind(
        plan_of=plan_of,
        lines_of=config_lines,
        change_of=configs_changed,
    )


def config_lines(plan: ConfigPlan) -> list[str]:
    return [*str(plan).splitlines(), *(f"  warning: {text}" for text in plan.warnings)]


def configs_changed(plan: ConfigPlan, outcome: str) -> Change:
    name = str(plan.entity.root.name)
    return Change(
        action="alter_configs",
        topic=name,
        outcome=outcome if plan.changes else "unchanged",
        line=f"Updated config for topic {name}." if outcome == "done" else "",
        details={
            "configs": [
                {"name": change.name, "before": change.before, "after": change.after}
                for change in plan.changes
            ]
        },
    )


def more_partitions(options: Mapping[str, Any]) -> Kind[AddPartitionsPlan]:
    text = options["replica_assignment"]
    assignment = None if text is None else parse_assignment(text)

    def plan_of(snapshot: ClusterSnapshot, name: str) -> AddPartitionsPlan:
        refuse_unreadable(snapshot, [paths.REASSIGN_PARTITIONS])
        return plan_add_partitions(
            snapshot,
            name,
            options["partitions"],
            assignment,
            placement=fixed_placement(options),
            is_rack_aware=not options["disable_rack_aware"],
            allow_unknown_brokers=options["allow_unknown_brokers"],
        )

    return Kind(
        plan_of=plan_of,
        lines_of=lambda plan: [*add_partitions_lines(plan), f"  warning: {KEY_WARNING}"],
        change_of=partitions_added,
    )


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
    deletion: Kind[DeletePlan] = Kind(
        plan_of=plan_delete,
        lines_of=lambda plan: [delete_line(plan)],
        change_of=deleted,
    )
    with session.topics() as admin:
        names = existing(session, admin, selection, options)
        whose = "its" if len(names) == 1 else "their"
        question = f"Delete {count_of(names)} and all {whose} records?"
        done = change_topics(session, admin, options, [deletion], names, question)
        if options["wait"]:
            wait_for_deletion(session, admin, [plan.name for plan in done])


def count_of(names: Sequence[str]) -> str:
    return f"topic {names[0]}" if len(names) == 1 else f"these {len(names)} topics"


def deleted(plan: DeletePlan, outcome: str) -> Change:
    line = ""
    if outcome == "done":
        state = "already marked" if plan.is_already_marked else "marked"
        line = f"Topic {plan.name} is {state} for deletion."
    return Change(action="delete", topic=plan.name, outcome=outcome, line=line)


def existing(
    session: Session,
    admin: TopicAdmin,
    selection: TopicSelection,
    options: Mapping[str, Any],
) -> list[str]:
    """The names of the topics that are meant; with `--if-exists` there may be none."""
    names = admin.names().names
    if options["if_exists"]:
        for missing in selection.missing(names):
            session.output.note(f"there is no topic '{missing}': nothing to do")
        return selection.select(names)
    return selection.require(names)


def partitions_of(topic: str, partitions: Iterable[int]) -> list[TopicPartition]:
    return [TopicPartition(topic, partition) for partition in partitions]


def wait_for_leaders(
    session: Session,
    admin: TopicAdmin,
    options: Mapping[str, Any],
    partitions: Sequence[TopicPartition],
) -> None:
    """Wait until *partitions* have leaders, unless told not to.

    Raises:
        InProgressError: some have none when the time is over.
    """
    if options["wait"] is False or not partitions:
        return
    waited = wait(
        admin.without_leader,
        partitions,
        timeout_s=session.settings.timeout_s,
        tell=lambda: session.output.note(
            "it is written; waiting until leaders are elected (Ctrl-C undoes nothing)"
        ),
    )
    if not waited.items:
        return
    if not waited.has_controller:
        session.output.warn(
            "no controller is active: the leaders will be elected when there is one"
        )
        return
    topics = sorted({partition.topic for partition in partitions})
    raise InProgressError(
        f"written, but after {session.settings.timeout_s:g} s {len(waited.items)} of"
        f" {len(partitions)} partitions have no leader: {some(waited.items)}",
        hint=f"kadmin topics --describe --unavailable-partitions --topic {','.join(topics)}",
    )


def wait_for_deletion(session: Session, admin: TopicAdmin, names: Sequence[str]) -> None:
    waited = wait(
        admin.not_deleted,
        names,
        timeout_s=session.settings.timeout_s,
        tell=lambda: session.output.note(
            "they are marked; waiting until they are gone (Ctrl-C undoes nothing)"
        ),
    )
    if not waited.items:
        return
    if not waited.has_controller:
        session.output.warn("no controller is active: the topics wait for one to delete them")
        return
    raise InProgressError(
        f"marked, but after {session.settings.timeout_s:g} s not yet gone: {some(waited.items)}",
        hint="replicas on dead brokers and delete.topic.enable=false hold a deletion up;"
        " 'kadmin topics --list' shows when it is done",
    )


def some(items: Sequence[object]) -> str:
    return ", ".join(map(str, items[:5])) + (", …" if len(items) > 5 else "")
