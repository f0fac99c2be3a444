"""What `kadmin topics` does when it changes something: what is meant, and how it is carried out."""

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.ids import TopicPartition
from cluster.model.placement import Placement
from kadmin.admin.ports import TopicAdmin
from kadmin.arguments.configs import parse_names
from kadmin.arguments.replica_assignment import parse_assignment
from kadmin.arguments.topics import TopicSelection
from kadmin.cli.changing import Report, make
from kadmin.cli.session import Session
from kadmin.errors import UsageError
from kadmin.execute.change import Change
from kadmin.execute.topics import (
    PartitionsRequest,
    TopicAlteration,
    TopicCreation,
    TopicDeletion,
    has_counts,
    wait_for_deletion,
    wait_for_leaders,
)
from kadmin.plan.config_plan import check_request
from kadmin.plan.config_warnings import ConfigRequest
from kadmin.plan.topic_refusals import TopicExists, check_topic_name
from kadmin.plan.topics import CreatePlan, CreateRequest, TopicPlan
from kadmin.render.topics.changes import (
    existing_document,
    plan_lines,
    planned_document,
    written_document,
)

Plan = TypeVar("Plan", bound=TopicPlan)

DRAW_MAX: Final = 2**31 - 1

NAME_WARNING: Final = (
    "topics with a period ('.') or underscore ('_') could collide in metric names;"
    " it is best to use either, but not both"
)

TOPIC_ENTITY: Final = ConfigEntity(Entity(EntityKind.TOPICS, "topic"))
"""Any topic, to check configs that are for all of them alike."""


def create(session: Session, selection: TopicSelection, options: Mapping[str, Any]) -> None:
    """Create the one topic that is named."""
    request = create_request(selection, options)
    if not (has_counts(request) or session.asks_brokers):
        raise UsageError(
            "--create needs --partitions and --replication-factor, or --replica-assignment",
            hint=f"kadmin topics --create --topic {request.name}"
            " --partitions 6 --replication-factor 3",
        )
    if {".", "_"} & set(request.name):
        session.output.warn(NAME_WARNING)

    def report(plans: Sequence[CreatePlan], *, is_dry_run: bool) -> None:
        if plans:  # Nothing of one that failed: it is the only change.
            show(session, plans, is_dry_run=is_dry_run)

    with session.topics() as admin:
        change = TopicCreation(admin, request, session)
        try:
            carry_out(session, change, report, options)
        except TopicExists:
            if not options["if_not_exists"]:
                raise
            session.output.note(f"topic '{request.name}' already exists: nothing to do")
            session.output.show(existing_document(request.name, is_dry_run=options["dry_run"]))
            return
        wait(session, admin, options, change.created)


def show(session: Session, plans: Sequence[TopicPlan], *, is_dry_run: bool) -> None:
    session.output.show(planned_document(plans) if is_dry_run else written_document(plans))


def carry_out(
    session: Session, change: Change[Plan], report: Report[Plan], options: Mapping[str, Any]
) -> None:
    make(
        change,
        session.output,
        lines=plan_lines,
        report=report,
        is_dry_run=options["dry_run"],
        is_confirmed=options["yes"] or options["force"],
    )


def wait(
    session: Session,
    admin: TopicAdmin,
    options: Mapping[str, Any],
    partitions: Sequence[TopicPartition],
) -> None:
    """Wait until *partitions* have leaders, unless the options say not to."""
    if options["wait"] is not False:
        wait_for_leaders(admin, partitions, session.settings.timeout_s, session)


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
        allow_many_partitions=options["allow_many_partitions"],
    )


def fixed_placement(options: Mapping[str, Any]) -> Placement | None:
    """Return the placement that `--start-index` and `--start-shift` ask for, None without them."""
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


def alter(session: Session, selection: TopicSelection, options: Mapping[str, Any]) -> None:
    """Change configs of the topics that are meant and add partitions to them."""
    configs = ConfigRequest(
        add=parse_configs(options["config"]), delete=parse_names(options["delete_config"])
    )
    if configs.add or configs.delete:
        check_request(TOPIC_ENTITY, configs)
    assignment = options["replica_assignment"]
    partitions = None
    if options["partitions"] is not None or assignment is not None:
        partitions = PartitionsRequest(
            partition_count=options["partitions"],
            assignment=None if assignment is None else parse_assignment(assignment),
            placement=fixed_placement(options),
            is_rack_aware=not options["disable_rack_aware"],
            allow_unknown_brokers=options["allow_unknown_brokers"],
            allow_many_partitions=options["allow_many_partitions"],
        )
    if not (configs.add or configs.delete or partitions):
        raise UsageError(
            "--alter needs --partitions, --replica-assignment, --config or --delete-config",
            hint="kadmin topics --alter --topic NAME --config KEY=VALUE",
        )
    with session.topics() as admin:
        names = existing(session, admin, selection, options)
        change = TopicAlteration(
            admin, names, configs, partitions, session, is_one_name=selection.is_one_name
        )
        carry_out(session, change, partial(show, session), options)
        wait(session, admin, options, change.added)


def delete(session: Session, selection: TopicSelection, options: Mapping[str, Any]) -> None:
    """Mark the topics that are meant for deletion, after asking."""
    with session.topics() as admin:
        names = existing(session, admin, selection, options)
        carry_out(session, TopicDeletion(admin, names), partial(show, session), options)
        if options["wait"] and not options["dry_run"]:
            wait_for_deletion(admin, names, session.settings.timeout_s, session)


def existing(
    session: Session,
    admin: TopicAdmin,
    selection: TopicSelection,
    options: Mapping[str, Any],
) -> list[str]:
    """Return the names of the topics that are meant; with `--if-exists` there may be none."""
    names = admin.names().names
    if options["if_exists"]:
        for missing in selection.missing(names):
            session.output.note(f"there is no topic '{missing}': nothing to do")
        return selection.select(names)
    return selection.require(names)
