"""Changes of topics, planned from their current state.

The caller has parsed the topics and the changes that are wanted.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from cluster.model import fault as subjects
from cluster.model.config_entity import topic_entity
from cluster.model.ids import NEVER_READ, TopicPartition
from cluster.model.placement import Layout, Placement
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic_name import collides
from kadmin.admin.ports import Remaining, TopicAdmin
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import InProgressError
from kadmin.execute.change import Change, Notices, Question, Step
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.execute.waiting import wait
from kadmin.plan.config_plan import ConfigPlan, check_deletable, plan_change
from kadmin.plan.config_warnings import ConfigRequest, Surroundings
from kadmin.plan.place import Progress
from kadmin.plan.record_loss import question_of
from kadmin.plan.risks import Risk, as_judged, with_risks
from kadmin.plan.topic_refusals import NoSuchTopic
from kadmin.plan.topics import (
    AddPartitionsPlan,
    CreatePlan,
    CreateRequest,
    DeletePlan,
    TopicPlan,
    check_new_partitions,
    plan_add_partitions,
    plan_create,
    plan_delete,
)

Planner: TypeAlias = Callable[[ClusterSnapshot, str], TopicPlan]
"""Plans one change of the topic of that name, or refuses it by raising."""

NOTE_EVERY_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionsRequest:
    """More partitions for topics; see `plan_add_partitions`."""

    partition_count: int | None
    assignment: Layout | None
    placement: Placement | None
    is_rack_aware: bool
    allow_unknown_brokers: bool
    allow_many_partitions: bool


class TopicCreation(Change[CreatePlan]):
    """The creation of one topic."""

    def __init__(self, admin: TopicAdmin, request: CreateRequest, notices: Notices) -> None:
        super().__init__(admin)
        self.admin = admin
        self.request = request
        self.notices = notices

    def steps(self) -> list[Step[CreatePlan]]:
        self.request = with_default_counts(self.admin, self.request)
        return [Step(plan=self.plan(), replan=self.plan)]

    def plan(self) -> CreatePlan:
        name = self.request.name
        names = self.admin.names().names
        snapshot = read_topics(self.admin, [each for each in names if collides(each, name)])
        refuse_unreadable(snapshot, [subjects.BROKERS, subjects.topic(name)])
        for fault in snapshot.faults:  # A broker, say, that no replica is placed on then.
            self.notices.warn(f"left out: {fault}")
        request = replace(self.request, default_min_isr=self.admin.default_min_isr() or 1)
        return plan_create(snapshot, request, noting(self.notices, name))

    def question(self, plans: Sequence[CreatePlan]) -> Question | None:
        risks = risks_in(plans)
        text = with_risks(f"Create topic {self.request.name}?", risks)
        return Question(text) if risks else None

    @property
    def created(self) -> list[TopicPartition]:
        return [part for plan in self.written for part in partitions_of(plan.name, plan.layout)]


class TopicAlteration(Change[TopicPlan]):
    """Other configs, then more partitions, for the topics *names*; *is_one_name* if the operator
    has named a single topic, and no pattern."""

    def __init__(
        self,
        admin: TopicAdmin,
        names: Sequence[str],
        configs: ConfigRequest,
        partitions: PartitionsRequest | None,
        notices: Notices,
        *,
        is_one_name: bool,
    ) -> None:
        super().__init__(admin)
        self.admin = admin
        self.names = names
        self.configs = configs
        self.partitions = partitions
        self.notices = notices
        self.is_one_name = is_one_name

    def steps(self) -> list[Step[TopicPlan]]:
        """Plan all of it.

        Raises:
            TooManyPartitions: all topics together would get more than one change should add, and
                the request does not allow that.
        """
        planners: list[Planner] = []
        if self.configs.add or self.configs.delete:
            planners.append(partial(plan_configs, request=self.configs))
        if self.partitions is not None:
            planners.append(self.plan_partitions)
        steps = []
        added_count = 0
        for step in topic_steps(self.admin, planners, self.names):
            steps.append(step)
            added_count += len(added_by([step.plan]))
            if self.partitions is not None and not self.partitions.allow_many_partitions:
                check_new_partitions(added_count)
        return steps

    def plan_partitions(self, snapshot: ClusterSnapshot, name: str) -> AddPartitionsPlan:
        refuse_unreadable(snapshot, [subjects.REASSIGNMENT, subjects.BROKERS])
        request = self.partitions
        assert request is not None
        return plan_add_partitions(
            snapshot,
            name,
            request.partition_count,
            request.assignment,
            placement=request.placement,
            is_rack_aware=request.is_rack_aware,
            allow_unknown_brokers=request.allow_unknown_brokers,
            allow_many_partitions=request.allow_many_partitions,
            progress=noting(self.notices, name),
        )

    def question(self, plans: Sequence[TopicPlan]) -> Question | None:
        lossy = {str(plan.entity) for plan in plans if isinstance(plan, ConfigPlan) and plan.losses}
        risks = risks_in(plans)
        if self.is_one_name and not lossy and not risks:
            return None
        text = question_of(count_of(self.names), len(lossy), len(self.names))
        return Question(with_risks(text, risks))

    @property
    def added(self) -> list[TopicPartition]:
        return added_by(self.written)


class TopicDeletion(Change[TopicPlan]):
    """The deletion of the topics *names*."""

    def __init__(self, admin: TopicAdmin, names: Sequence[str]) -> None:
        super().__init__(admin)
        self.admin = admin
        self.names = names

    def steps(self) -> list[Step[TopicPlan]]:
        return list(topic_steps(self.admin, [plan_delete], self.names))

    def question(self, plans: Sequence[TopicPlan]) -> Question:
        whose = "its" if len(self.names) == 1 else "their"
        return Question(f"Delete {count_of(self.names)} and all {whose} records?")


def count_of(names: Sequence[str]) -> str:
    return f"topic {names[0]}" if len(names) == 1 else f"these {len(names)} topics"


def risks_in(plans: Sequence[TopicPlan]) -> list[Risk]:
    return [risk for plan in plans if not isinstance(plan, DeletePlan) for risk in plan.risks]


def added_by(plans: Sequence[TopicPlan]) -> list[TopicPartition]:
    return [
        part
        for plan in plans
        if isinstance(plan, AddPartitionsPlan)
        for part in partitions_of(plan.name, plan.added)
    ]


def partitions_of(topic: str, partitions: Iterable[int]) -> list[TopicPartition]:
    return [TopicPartition(topic, partition) for partition in partitions]


def read_topics(admin: TopicAdmin, names: Sequence[str]) -> ClusterSnapshot:
    """Return a snapshot with the topics *names*, which may be none, without their states.

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
    admin: TopicAdmin, planners: Sequence[Planner], names: Sequence[str]
) -> Iterator[Step[TopicPlan]]:
    """Plan all that *planners* do, one after the other, for every one of *names*."""
    snapshot = read_topics(admin, names)

    def replan(planner: Planner, name: str) -> TopicPlan:
        return planner(read_topics(admin, [name]), name)

    for planner in planners:
        for name in names:
            yield Step(plan=planner(snapshot, name), replan=partial(replan, planner, name))


def plan_configs(snapshot: ClusterSnapshot, name: str, *, request: ConfigRequest) -> ConfigPlan:
    """Plan *request* for the topic *name*; a key that is not set is reported and not deleted.

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
    notes = (f"{key} is not set for topic '{name}': nothing to delete" for key in unset)
    return replace(plan, warnings=(*plan.warnings, *notes))


def noting(notices: Notices, topic: str) -> Progress:
    """Note, every second, how far the layout of *topic* is that takes longer."""
    noted_at = time.monotonic()

    def tell(count: int) -> None:
        nonlocal noted_at
        if time.monotonic() - noted_at >= NOTE_EVERY_S:
            noted_at = time.monotonic()
            notices.note(
                f"planning: {count:,} partitions of '{topic}' have their replicas (Ctrl-C ends)"
            )

    return tell


def has_counts(request: CreateRequest) -> bool:
    """Return whether the request has the number of partitions and the replication factor."""
    if request.assignment is not None:
        return True
    return request.partition_count is not None and request.replication_factor is not None


def with_default_counts(admin: TopicAdmin, request: CreateRequest) -> CreateRequest:
    """Return *request* with the brokers' defaults for the counts that it does not say."""
    if has_counts(request):
        return request
    default = admin.default_counts()
    assert default is not None  # Only brokers are asked for what a request does not say.
    return replace(
        request,
        partition_count=request.partition_count or default.partition_count,
        replication_factor=request.replication_factor or default.replication_factor,
    )


def wait_for_leaders(
    admin: TopicAdmin, partitions: Sequence[TopicPartition], timeout_s: float, notices: Notices
) -> None:
    """Wait until *partitions* have leaders.

    Raises:
        InProgressError: some have none when the time is over.
    """
    if not partitions:
        return
    waited = wait(
        admin.without_leader,
        partitions,
        timeout_s=timeout_s,
        tell=lambda: notices.note(
            "it is written; waiting until leaders are elected (to stop waiting undoes nothing)"
        ),
    )
    none_active = "the leaders will be elected when there is one"
    if is_left(waited, notices, none_active):
        topics = sorted({partition.topic for partition in partitions})
        raise InProgressError(
            f"written, but after {timeout_s:g} s {len(waited.items)} of"
            f" {len(partitions)} partitions have no leader: {some(waited.items)}",
            hint=f"kadmin topics --describe --unavailable-partitions --topic {','.join(topics)}",
        )


def wait_for_deletion(
    admin: TopicAdmin, names: Sequence[str], timeout_s: float, notices: Notices
) -> None:
    waited = wait(
        admin.not_deleted,
        names,
        timeout_s=timeout_s,
        tell=lambda: notices.note(
            "they are marked; waiting until they are gone (to stop waiting undoes nothing)"
        ),
    )
    if is_left(waited, notices, "the topics wait for one to delete them"):
        raise InProgressError(
            f"marked, but after {timeout_s:g} s not yet gone: {some(waited.items)}",
            hint="replicas on dead brokers and delete.topic.enable=false hold a deletion up;"
            " 'kadmin topics --list' shows when it is done",
        )


def is_left(waited: Remaining[object], notices: Notices, none_active: str) -> bool:
    """Return whether a controller has not done all; without one, warn that *none_active*."""
    if waited.items and not waited.has_controller:
        notices.warn(f"no controller is active: {none_active}")
    return bool(waited.items) and waited.has_controller


def some(items: Sequence[object]) -> str:
    return ", ".join(map(str, items[:5])) + (", …" if len(items) > 5 else "")
