"""Plans of changes of topics, made from what the cluster says now.

Which topics are meant and what is to become of them has been understood already.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from cluster.model import fault as subjects
from cluster.model.config_entity import topic_entity
from cluster.model.ids import NEVER_READ
from cluster.model.placement import Layout, Placement
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic_name import collides
from kadmin.admin.ports import TopicAdmin
from kadmin.execute.change import Step
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.plan.config_plan import ConfigPlan, check_deletable, plan_change
from kadmin.plan.config_warnings import ConfigRequest, Surroundings
from kadmin.plan.place import Tell
from kadmin.plan.risks import as_judged
from kadmin.plan.select import NoSuchTopic, TopicSelection
from kadmin.plan.topics import (
    AddPartitionsPlan,
    CreatePlan,
    CreateRequest,
    TopicPlan,
    check_new_partitions,
    plan_add_partitions,
    plan_create,
)

Planner: TypeAlias = Callable[[ClusterSnapshot, str], TopicPlan]
"""Plans one change of the topic of that name, or refuses it by raising."""

NOTE_EVERY_S: Final = 1.0


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
    refuse_unreadable(snapshot, [subjects.topic(name) for name in names])
    return snapshot


def topic_steps(
    admin: TopicAdmin,
    planners: Sequence[Planner],
    names: Sequence[str],
    *,
    allow_many_partitions: bool = False,
) -> list[Step[TopicPlan]]:
    """Plan all that *planners* do, one after the other, for every one of *names*.

    Raises:
        TooManyPartitions: all of them together would get more than one change should add, and
            this is not to *allow_many_partitions*.
    """
    snapshot = read_topics(admin, names)
    steps: list[Step[TopicPlan]] = []
    added_count = 0
    for planner in planners:
        for name in names:
            plan = planner(snapshot, name)
            steps.append(Step(plan=plan, replan=partial(plan_one, admin, planner, name)))
            if isinstance(plan, AddPartitionsPlan) and not allow_many_partitions:
                added_count += len(plan.added)
                check_new_partitions(added_count)
    return steps


def plan_one(admin: TopicAdmin, planner: Planner, name: str) -> TopicPlan:
    return planner(read_topics(admin, [name]), name)


def plan_configs(snapshot: ClusterSnapshot, name: str, *, request: ConfigRequest) -> ConfigPlan:
    """Plan *request* for the topic *name*; what is not set need not be deleted, and is told.

    Raises:
        InvalidConfigs: a key to delete that Kafka does not know, and none of the topics has.
        NoSuchTopic, Unreadable.
    """
    entity = topic_entity(name)
    topic = snapshot.topics.get(name)
    if topic is None or topic.config.zk_version == NEVER_READ:  # Else a change can mend it.
        refuse_unreadable(snapshot, [subjects.CONFIGS, subjects.config(entity)])
    if topic is None:
        raise NoSuchTopic([name])
    unset = tuple(key for key in request.delete if key not in topic.config.values)
    check_deletable(unset, (each.config.values for each in snapshot.topics.values()))
    plan = plan_change(
        entity,
        topic.config,
        ConfigRequest(
            add=request.add, delete=tuple(key for key in request.delete if key not in unset)
        ),
        Surroundings(brokers=snapshot.brokers, judged=[as_judged(snapshot, topic)]),
    )
    told = (f"{key} is not set for topic '{name}': nothing to delete" for key in unset)
    return replace(plan, warnings=(*plan.warnings, *told))


def plan_partitions(
    snapshot: ClusterSnapshot,
    name: str,
    *,
    partition_count: int | None,
    assignment: Layout | None,
    placement: Placement | None,
    is_rack_aware: bool,
    allow_unknown_brokers: bool,
    allow_many_partitions: bool,
    note: Callable[[str], None],
) -> AddPartitionsPlan:
    """Plan more partitions for the topic *name*; see `plan_add_partitions`."""
    refuse_unreadable(snapshot, [subjects.REASSIGNMENT, subjects.BROKERS])
    return plan_add_partitions(
        snapshot,
        name,
        partition_count,
        assignment,
        placement=placement,
        is_rack_aware=is_rack_aware,
        allow_unknown_brokers=allow_unknown_brokers,
        allow_many_partitions=allow_many_partitions,
        tell=noting(note, name),
    )


def noting(note: Callable[[str], None], topic: str) -> Tell:
    """Tell by *note*, every second, how far the layout of *topic* is that takes longer."""
    noted_at = time.monotonic()

    def tell(count: int) -> None:
        nonlocal noted_at
        if time.monotonic() - noted_at >= NOTE_EVERY_S:
            noted_at = time.monotonic()
            note(f"planning: {count:,} partitions of '{topic}' have their replicas (Ctrl-C ends)")

    return tell


def creation_steps(
    admin: TopicAdmin,
    request: CreateRequest,
    warn: Callable[[str], None],
    note: Callable[[str], None],
) -> list[Step[CreatePlan]]:
    """Plan to create one topic; *warn* takes what of the cluster had to be left aside."""
    plan = partial(plan_creation, admin, request, warn, note)
    return [Step(plan=plan(), replan=plan)]


def plan_creation(
    admin: TopicAdmin,
    request: CreateRequest,
    warn: Callable[[str], None],
    note: Callable[[str], None],
) -> CreatePlan:
    names = admin.names().names
    snapshot = read_topics(admin, [name for name in names if collides(name, request.name)])
    refuse_unreadable(snapshot, [subjects.BROKERS, subjects.topic(request.name)])
    for fault in snapshot.faults:  # A broker, say, that no replica is placed on then.
        warn(f"left out: {fault}")
    request = replace(request, default_min_isr=admin.default_min_isr() or 1)
    return plan_create(snapshot, request, noting(note, request.name))


def has_counts(request: CreateRequest) -> bool:
    """Whether it says how many partitions and replicas there shall be."""
    if request.assignment is not None:
        return True
    return request.partition_count is not None and request.replication_factor is not None


def with_default_counts(admin: TopicAdmin, request: CreateRequest) -> CreateRequest:
    """*request* with the brokers' defaults for the counts that it does not say."""
    if has_counts(request):
        return request
    default = admin.default_counts()
    assert default is not None  # Only brokers are asked for what a request does not say.
    return replace(
        request,
        partition_count=request.partition_count or default.partition_count,
        replication_factor=request.replication_factor or default.replication_factor,
    )
