"""What `kadmin topics` does when it changes something: what is meant, and how it is carried out."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.ids import TopicPartition
from cluster.model.placement import Placement
from kadmin.admin.ports import TopicAdmin
from kadmin.cli.session import Session
from kadmin.errors import InProgressError, UsageError
from kadmin.execute.change import Change, carry_out
from kadmin.execute.topics import (
    Planner,
    creation_steps,
    has_counts,
    plan_configs,
    plan_partitions,
    topic_steps,
    with_default_counts,
)
from kadmin.execute.waiting import wait
from kadmin.plan.config_arguments import parse_names
from kadmin.plan.config_plan import ConfigPlan, check_request
from kadmin.plan.config_warnings import ConfigRequest
from kadmin.plan.record_loss import question_of
from kadmin.plan.risks import Risk, with_risks
from kadmin.plan.select import TopicSelection
from kadmin.plan.topic_refusals import TopicExists
from kadmin.plan.topic_text import check_topic_name, parse_assignment
from kadmin.plan.topics import (
    AddPartitionsPlan,
    CreatePlan,
    CreateRequest,
    DeletePlan,
    TopicPlan,
    plan_delete,
)
from kadmin.render.topic_changes import (
    existing_document,
    plan_lines,
    planned_document,
    written_document,
)

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

    def question(plans: Sequence[CreatePlan]) -> str | None:
        risks = risks_in(plans)
        if not risks or options["yes"] or options["force"]:
            return None
        return with_risks(f"Create topic {request.name}?", risks)

    with session.topics() as admin:
        change: Change[CreatePlan] = Change(
            steps=partial(
                creation_steps,
                admin,
                with_default_counts(admin, request),
                session.output.warn,
                session.output.note,
            ),
            lines=plan_lines,
            report=partial(report_creation, session),
            question=question,
        )
        try:
            plans = carry_out(change, admin, session.output, is_dry_run=options["dry_run"])
        except TopicExists:
            if not options["if_not_exists"]:
                raise
            session.output.note(f"topic '{request.name}' already exists: nothing to do")
            session.output.show(existing_document(request.name, is_dry_run=options["dry_run"]))
            return
        created = [part for plan in plans for part in partitions_of(plan.name, plan.layout)]
        wait_for_leaders(session, admin, options, created)


def report_creation(session: Session, plans: Sequence[CreatePlan], *, is_dry_run: bool) -> None:
    """Nothing of one that failed: it is the only change."""
    if plans:
        report(session, plans, is_dry_run=is_dry_run)


def report(session: Session, plans: Sequence[TopicPlan], *, is_dry_run: bool) -> None:
    session.output.show(planned_document(plans) if is_dry_run else written_document(plans))


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


def alter(session: Session, selection: TopicSelection, options: Mapping[str, Any]) -> None:
    """Change configs of the topics that are meant and add partitions to them."""
    planners: list[Planner] = []
    request = ConfigRequest(
        add=parse_configs(options["config"]), delete=parse_names(options["delete_config"])
    )
    if request.add or request.delete:
        check_request(TOPIC_ENTITY, request)
        planners.append(partial(plan_configs, request=request))
    if options["partitions"] is not None or options["replica_assignment"] is not None:
        planners.append(partitions_planner(session, options))
    if not planners:
        raise UsageError(
            "--alter needs --partitions, --replica-assignment, --config or --delete-config",
            hint="kadmin topics --alter --topic NAME --config KEY=VALUE",
        )
    with session.topics() as admin:
        names = existing(session, admin, selection, options)

        def question(plans: Sequence[TopicPlan]) -> str | None:
            lossy = {
                str(plan.entity) for plan in plans if isinstance(plan, ConfigPlan) and plan.losses
            }
            risks = risks_in(plans)
            if selection.is_one_name and not lossy and not risks:
                return None
            return with_risks(question_of(count_of(names), len(lossy), len(names)), risks)

        plans = change_topics(session, admin, options, planners, names, question)
        added = [
            part
            for plan in plans
            if isinstance(plan, AddPartitionsPlan)
            for part in partitions_of(plan.name, plan.added)
        ]
        wait_for_leaders(session, admin, options, added)


def risks_in(plans: Sequence[TopicPlan]) -> list[Risk]:
    return [risk for plan in plans if not isinstance(plan, DeletePlan) for risk in plan.risks]


def partitions_planner(session: Session, options: Mapping[str, Any]) -> Planner:
    text = options["replica_assignment"]
    return partial(
        plan_partitions,
        partition_count=options["partitions"],
        assignment=None if text is None else parse_assignment(text),
        placement=fixed_placement(options),
        is_rack_aware=not options["disable_rack_aware"],
        allow_unknown_brokers=options["allow_unknown_brokers"],
        allow_many_partitions=options["allow_many_partitions"],
        note=session.output.note,
    )


def delete(session: Session, selection: TopicSelection, options: Mapping[str, Any]) -> None:
    """Mark the topics that are meant for deletion, after asking."""
    with session.topics() as admin:
        names = existing(session, admin, selection, options)
        whose = "its" if len(names) == 1 else "their"
        question = f"Delete {count_of(names)} and all {whose} records?"
        change_topics(session, admin, options, [plan_delete], names, lambda _: question)
        if options["wait"] and not options["dry_run"]:
            wait_for_deletion(session, admin, names)


def change_topics(
    session: Session,
    admin: TopicAdmin,
    options: Mapping[str, Any],
    planners: Sequence[Planner],
    names: Sequence[str],
    question: Callable[[Sequence[TopicPlan]], str | None],
) -> Sequence[TopicPlan]:
    """Carry out all that *planners* plan for *names*, after asking *question* about the plans
    unless it has none or nobody is to be asked; returns the plans that were written."""
    is_asked = not (options["yes"] or options["force"])
    change: Change[TopicPlan] = Change(
        steps=partial(
            topic_steps,
            admin,
            planners,
            names,
            allow_many_partitions=options["allow_many_partitions"],
        ),
        lines=plan_lines,
        report=partial(report, session),
        question=question if is_asked else lambda _: None,
    )
    return carry_out(change, admin, session.output, is_dry_run=options["dry_run"])


def count_of(names: Sequence[str]) -> str:
    return f"topic {names[0]}" if len(names) == 1 else f"these {len(names)} topics"


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
