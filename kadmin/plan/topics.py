"""Plans of topics: what would be written to create, enlarge or delete one?

Pure: a snapshot and a request in, a plan or a refusal out.  A plan is what is shown, and exactly
what is executed; it carries the versions that it was made from.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from cluster.model.broker import BrokerRegistration
from cluster.model.config_entity import NO_OVERRIDES, ConfigEntity, Entity, EntityKind
from cluster.model.ids import INTERNAL_TOPICS, BrokerId, TopicPartition
from cluster.model.placement import Layout, Placement, Racks, placement_of_more
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.model.topic_name import by_metric_name, colliding_names
from kadmin.errors import RefusedError
from kadmin.plan.config_plan import ConfigPlan, plan_change
from kadmin.plan.config_warnings import ConfigRequest, Surroundings
from kadmin.plan.place import (
    NEW_PARTITIONS_MAX,
    Progress,
    TooManyPartitions,
    drawn_placement,
    ignore_progress,
    place,
)
from kadmin.plan.risks import Risk, TopicAsJudged, as_judged, by_hand, known_racks, new_risks
from kadmin.plan.topic_refusals import (
    DeletionPending,
    InternalTopic,
    MarkedForDeletion,
    NoSuchTopic,
    NotMorePartitions,
    ReassignmentRunning,
    TopicCollision,
    TopicExists,
    UnfitAssignment,
    UnknownBrokers,
    check_topic_name,
)
from kadmin.wording import counted, first_listed, verb_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultCounts:
    """How many partitions, and replicas of each, a topic gets whose creator does not say."""

    partition_count: int
    replication_factor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateRequest:
    """A topic to be created, either by counts or by *assignment*.

    *default_min_isr* is its min.insync.replicas where it is set nowhere else.  Without *placement*
    the layout begins at *draw*, two random numbers of the caller.  *allow_unknown_brokers* lets
    *assignment* name brokers that are not alive, *allow_many_partitions* the topic have more
    partitions than one change should add.
    """

    name: str
    partition_count: int | None = None
    replication_factor: int | None = None
    assignment: Layout | None = None
    configs: Mapping[str, str] = field(default_factory=dict)
    is_rack_aware: bool = True
    placement: Placement | None = None
    draw: tuple[int, int] = (0, 0)
    default_min_isr: int = 1
    allow_unknown_brokers: bool = False
    allow_many_partitions: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePlan:
    """A topic that does not exist yet; *placement* is None where the replicas were given.

    *warnings* are for the operator, who may go on; *risks* he is asked about.
    """

    name: str
    assignment: TopicAssignment
    configs: Mapping[str, str]
    placement: Placement | None
    warnings: tuple[str, ...] = ()
    risks: tuple[Risk, ...] = ()

    @property
    def layout(self) -> Layout:
        return layout_of(self.assignment)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPartitionsPlan:
    """More partitions for a topic: *before* becomes *after*, if *before* is still what is there.

    *warnings* are for the operator, who may go on; *risks* he is asked about.
    """

    name: str
    before: TopicAssignment
    after: TopicAssignment
    placement: Placement | None
    warnings: tuple[str, ...] = ()
    risks: tuple[Risk, ...] = ()

    @property
    def added(self) -> Layout:
        return {
            partition: replicas
            for partition, replicas in layout_of(self.after).items()
            if partition not in self.before.partitions
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePlan:
    """A topic to be marked for deletion, if *before* is still what is there."""

    name: str
    before: TopicAssignment
    is_already_marked: bool

    @property
    def partition_count(self) -> int:
        return len(self.before.partitions)

    @property
    def replica_count(self) -> int:
        return sum(len(partition.replicas) for partition in self.before.partitions.values())


TopicPlan: TypeAlias = CreatePlan | AddPartitionsPlan | DeletePlan | ConfigPlan
"""All that can be written to a topic."""


def layout_of(assignment: TopicAssignment) -> Layout:
    return {number: part.replicas for number, part in assignment.partitions.items()}


def plan_create(
    snapshot: ClusterSnapshot, request: CreateRequest, progress: Progress = ignore_progress
) -> CreatePlan:
    """Plan a new topic; *progress* is called while it is laid out.

    Raises:
        TopicExists, TopicCollision: the name is taken.
        DeletionPending: a controller would delete it at once.
        TooManyPartitions: it would be too large, and is not allowed to be.
        NotEnoughBrokers, MixedRacks, UnknownBrokers: the replicas have no place.
        InvalidConfigs: its configs exclude each other.
    """
    check_topic_name(request.name)
    existing = snapshot.topics.get(request.name)
    if existing is not None:
        raise TopicExists(request.name, is_marked_for_deletion=existing.is_marked_for_deletion)
    if request.name in snapshot.stale_deletions and snapshot.lacks_controller:
        raise DeletionPending(request.name)
    others = colliding_names(request.name, by_metric_name(snapshot.topics))
    if others:
        raise TopicCollision(request.name, others)
    if not request.allow_many_partitions:
        check_new_partitions(request.partition_count or len(request.assignment or ()))
    if request.assignment is not None:
        layout, placement = request.assignment, None
        if not request.allow_unknown_brokers:
            check_brokers(layout, snapshot.brokers)
    else:
        assert request.partition_count is not None
        assert request.replication_factor is not None
        placement = request.placement or drawn_placement(
            request.draw, len(snapshot.brokers), is_rack_aware=request.is_rack_aware
        )
        layout = place(
            racks_of(snapshot.brokers),
            partition_count=request.partition_count,
            replication_factor=request.replication_factor,
            placement=placement,
            progress=progress,
        )
    surroundings = Surroundings(brokers=snapshot.brokers)
    configs = plan_change(
        ConfigEntity(Entity(EntityKind.TOPICS, request.name)),
        NO_OVERRIDES,
        ConfigRequest(add=request.configs),
        surroundings,
    )
    return CreatePlan(
        name=request.name,
        assignment=TopicAssignment(
            partitions={number: PartitionAssignment(part) for number, part in layout.items()},
            version=assignment_version(snapshot.brokers.values()),
        ),
        configs=configs.after.values,
        placement=placement,
        warnings=configs.warnings,
        risks=(
            *by_hand(request.name),
            *new_risks(
                None,
                TopicAsJudged(
                    name=request.name,
                    layout=layout,
                    configs=configs.after.values,
                    defaults=snapshot.broker_defaults.values,
                    min_isr=request.default_min_isr,
                    brokers=snapshot.brokers,
                ),
                known_racks(snapshot.brokers),
            ),
        ),
    )


def check_new_partitions(count: int) -> None:
    """Raise TooManyPartitions where *count* new ones are more than one change should add."""
    if count > NEW_PARTITIONS_MAX:
        raise TooManyPartitions(count)


def check_brokers(layout: Layout, brokers: Mapping[BrokerId, object]) -> None:
    named = {replica for replicas in layout.values() for replica in replicas}
    unknown = sorted(named - brokers.keys())
    if unknown:
        raise UnknownBrokers(unknown, brokers)


def racks_of(brokers: Mapping[BrokerId, BrokerRegistration]) -> Racks:
    return {broker_id: broker.rack for broker_id, broker in brokers.items()}


def assignment_version(brokers: Iterable[BrokerRegistration]) -> int:
    """Return the format of a new topic's znode: 1 where a broker older than 2.7 may read it, else
    3.

    Every release reads version 1; from 2.8 on the controller itself adds the topic id.  The release
    of future brokers is unknown.
    """
    return 3 if min((broker.version for broker in brokers), default=0) >= 5 else 1


def plan_add_partitions(
    snapshot: ClusterSnapshot,
    name: str,
    partition_count: int | None,
    assignment: Layout | None,
    *,
    placement: Placement | None,
    is_rack_aware: bool,
    allow_unknown_brokers: bool = False,
    allow_many_partitions: bool = False,
    progress: Progress = ignore_progress,
) -> AddPartitionsPlan:
    """Plan more partitions for the topic *name*, *partition_count* in all.

    *assignment*, where given, names all partitions, the present ones as they are.  *placement* None
    is Kafka's own rule, which begins at partition 0's preferred leader.  *progress* is called while
    it is laid out.

    Raises:
        NoSuchTopic, MarkedForDeletion, InternalTopic, ReassignmentRunning, NotMorePartitions,
        TooManyPartitions, UnfitAssignment, UnknownBrokers, NotEnoughBrokers, MixedRacks.
    """
    topic = changeable_topic(snapshot, name)
    before = topic.assignment
    present = len(before.partitions)
    if assignment is not None and partition_count is None:
        partition_count = len(assignment)
    assert partition_count is not None
    if partition_count <= present:
        raise NotMorePartitions(name, present, partition_count)
    if not allow_many_partitions:
        check_new_partitions(partition_count - present)
    if assignment is not None:
        added = fitting_assignment(name, before, partition_count, assignment)
        if not allow_unknown_brokers:
            check_brokers(added, snapshot.brokers)
        placement = None
    else:
        placement = placement or placement_of_more(
            snapshot.brokers, before.partitions[0].preferred_leader, is_rack_aware=is_rack_aware
        )
        added = place(
            racks_of(snapshot.brokers),
            partition_count=partition_count - present,
            replication_factor=len(set(before.partitions[0].replicas)),
            placement=placement,
            first_partition=present,
            progress=progress,
        )
    after = TopicAssignment(
        partitions={
            **before.partitions,
            **{number: PartitionAssignment(replicas) for number, replicas in added.items()},
        },
        version=before.version,
        topic_id=before.topic_id,
        extra=before.extra,
    )
    return AddPartitionsPlan(
        name=name,
        before=before,
        after=after,
        placement=placement,
        warnings=tuple(replica_warnings(before, added)),
        risks=new_risks(
            as_judged(snapshot, topic),
            replace(as_judged(snapshot, topic), layout=layout_of(after)),
            known_racks(snapshot.brokers),
        ),
    )


def replica_warnings(before: TopicAssignment, added: Layout) -> Iterator[str]:
    """Return what is odd about how many replicas the partitions have and the *added* ones get."""
    damaged = [
        number
        for number, part in before.partitions.items()
        if not part.replicas or len(set(part.replicas)) < len(part.replicas)
    ]
    if damaged:
        yield (
            f"{partitions_text(damaged)} {verb_of(damaged, 'has')} no replicas, or"
            " the same broker several times"
        )
    counts = Counter(len(set(part.replicas)) for part in before.partitions.values())
    given = Counter(len(set(replicas)) for replicas in added.values())
    if len(counts) > 1:
        have = ", ".join(f"{count} have {each}" for each, count in sorted(counts.items()))
        yield (
            f"the partitions do not have the same number of replicas ({have}):"
            f" the new {'one gets' if len(added) == 1 else 'ones get'}"
            f" {' or '.join(map(str, sorted(given)))}"
        )
    elif counts.keys() != given.keys():
        yield (
            f"the partitions have {counted(next(iter(counts)), 'replica')} each: the new"
            f" {'one gets' if len(added) == 1 else 'ones get'}"
            f" {' or '.join(map(str, sorted(given)))}"
        )


def partitions_text(numbers: Sequence[int]) -> str:
    return f"partition{'' if len(numbers) == 1 else 's'} {first_listed(numbers)}"


def changeable_topic(snapshot: ClusterSnapshot, name: str) -> TopicSnapshot:
    topic = snapshot.topics.get(name)
    if topic is None:
        raise NoSuchTopic([name])
    if name in INTERNAL_TOPICS:
        raise InternalTopic(name, "its number of partitions cannot be changed")
    if topic.is_marked_for_deletion:
        raise MarkedForDeletion(name)
    moving = moving_partitions(snapshot, topic)
    if moving:
        raise ReassignmentRunning(moving)
    partitions = topic.assignment.partitions
    if sorted(partitions) != list(range(len(partitions))):
        raise RefusedError(
            f"the partitions of '{name}' are not numbered 0, 1, 2, …: {sorted(partitions)}"
        )
    # Partition 0 decides where the new ones begin and how many replicas they get.
    if not partitions or not partitions[0].replicas:
        raise RefusedError(f"topic '{name}' is damaged: it has no partition 0 with replicas")
    return topic


def moving_partitions(snapshot: ClusterSnapshot, topic: TopicSnapshot) -> list[TopicPartition]:
    """Return the partitions of *topic* that are being reassigned, by KIP-455 or as before it."""
    return [
        partition
        for number, part in topic.assignment.partitions.items()
        if (partition := TopicPartition(topic.name, number)) in snapshot.moving
        or part.is_reassigning
    ]


def fitting_assignment(
    name: str, before: TopicAssignment, partition_count: int, assignment: Layout
) -> Layout:
    """Return the new partitions' part of *assignment*, once it is sure that it means this topic."""
    if len(assignment) != partition_count:
        raise UnfitAssignment(
            f"the assignment names {len(assignment)} partitions, {partition_count} are asked for",
            hint="it must name all partitions of the topic, the present ones first",
        )
    present = layout_of(before)
    for partition, replicas in present.items():
        if assignment[partition] != replicas:
            raise UnfitAssignment(
                f"the assignment gives partition {partition} of '{name}' the replicas"
                f" {replicas_text(assignment[partition])}, it has {replicas_text(replicas)}",
                hint="adding partitions moves no replica: begin the assignment with "
                + ",".join(map(replicas_text, present.values())),
            )
    return {number: assignment[number] for number in range(len(present), partition_count)}


def replicas_text(replicas: Sequence[BrokerId]) -> str:
    return ":".join(map(str, replicas))


def plan_delete(snapshot: ClusterSnapshot, name: str) -> DeletePlan:
    """Plan to mark the topic *name* for deletion.

    Raises:
        NoSuchTopic, InternalTopic.
    """
    topic = snapshot.topics.get(name)
    if topic is None:
        raise NoSuchTopic([name])
    if topic.is_internal:
        raise InternalTopic(name, "it is not allowed to be marked for deletion")
    return DeletePlan(
        name=name, before=topic.assignment, is_already_marked=topic.is_marked_for_deletion
    )
