"""Differences of topics and their partitions between two saved clusters."""

from collections.abc import Iterator, Mapping

from cluster.model import fault as subjects
from cluster.model.config_entity import topic_entity
from cluster.model.ids import NO_LEADER, NO_LEADER_EPOCH, BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import PartitionAssignment, PartitionState
from kadmin.plan.health import members_of, min_isr_of
from kadmin.snapshots.differences import Difference, Kind
from kadmin.snapshots.saved import SavedCluster, Section

DEFAULT_MIN_ISR = 1


def topic_differences(before: SavedCluster, after: SavedCluster) -> Iterator[Difference]:
    """Compare the topics of both; one that only one of them could read is left out."""
    unread = unread_of(before), unread_of(after)
    faults = unread[0] | unread[1]
    defaults = before.cluster.broker_defaults, after.cluster.broker_defaults
    old, new = before.cluster.topics, after.cluster.topics
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            if subjects.TOPICS not in unread[1] and subjects.topic(name) not in faults:
                count = len(old[name].assignment.partitions)
                yield topic_difference(Kind.TOPIC_REMOVED, name, f"{count} partitions", None)
        elif name not in old:
            if subjects.TOPICS not in unread[0] and subjects.topic(name) not in faults:
                count = len(new[name].assignment.partitions)
                yield topic_difference(Kind.TOPIC_ADDED, name, None, f"{count} partitions")
        elif old[name] != new[name] or defaults[0] != defaults[1]:
            yield from same_name_differences(before.cluster, after.cluster, name)
            if subjects.CONFIGS not in faults and (
                subjects.config(topic_entity(name)) not in faults
            ):
                values = old[name].config.values, new[name].config.values
                yield from value_differences(
                    Section.CONFIGS, Kind.CONFIG, str(topic_entity(name)), *values
                )


def unread_of(saved: SavedCluster) -> set[subjects.Subject]:
    return {fault.subject for fault in saved.faults}


def topic_difference(kind: Kind, name: str, before: str | None, after: str | None) -> Difference:
    return Difference(Section.TOPICS, kind, f"topic '{name}'", before, after)


def same_name_differences(
    before: ClusterSnapshot, after: ClusterSnapshot, name: str
) -> Iterator[Difference]:
    old, new = before.topics[name], after.topics[name]
    ids = old.assignment.topic_id, new.assignment.topic_id
    if None not in ids and ids[0] != ids[1]:
        yield topic_difference(Kind.TOPIC_RECREATED, name, f"id {ids[0]}", f"id {ids[1]}")
    if old.is_marked_for_deletion != new.is_marked_for_deletion:
        texts = ["to be deleted" if each.is_marked_for_deletion else None for each in (old, new)]
        yield topic_difference(Kind.DELETION, name, *texts)
    partitions = old.assignment.partitions, new.assignment.partitions
    if partitions[0].keys() != partitions[1].keys():
        is_fewer = bool(partitions[0].keys() - partitions[1].keys())
        kind = Kind.PARTITIONS_REMOVED if is_fewer else Kind.PARTITIONS_ADDED
        yield topic_difference(kind, name, *(f"{len(each)} partitions" for each in partitions))
    min_isrs = (
        min_isr_of(old, before, DEFAULT_MIN_ISR),
        min_isr_of(new, after, DEFAULT_MIN_ISR),
    )
    damaged = {fault.subject for each in (before, after) for fault in each.faults}
    for number in sorted(partitions[0].keys() & partitions[1].keys()):
        partition = TopicPartition(name, number)
        yield from assignment_differences(partition, partitions[0][number], partitions[1][number])
        if subjects.partition_state(partition) not in damaged:
            views = seen(before, old, number), seen(after, new, number)
            yield from state_differences(partition, *views, *min_isrs)


def assignment_differences(
    partition: TopicPartition, old: PartitionAssignment, new: PartitionAssignment
) -> Iterator[Difference]:
    if old == new:
        return
    subject = str(partition)
    if old.target != new.target or not (old.is_reassigning or new.is_reassigning):
        yield Difference(
            Section.TOPICS,
            Kind.REPLICAS,
            subject,
            replicas_text(old.target),
            replicas_text(new.target),
        )
    if (old.adding, old.removing) != (new.adding, new.removing):
        yield Difference(
            Section.TOPICS, Kind.REASSIGNMENT, subject, moving_text(old), moving_text(new)
        )


class View:
    """A partition's leader, None where it has no live one, and what of its ISR has a replica."""

    __slots__ = ("isr", "leader", "leader_epoch", "members", "replicas")

    def __init__(
        self, cluster: ClusterSnapshot, replicas: PartitionAssignment, state: PartitionState | None
    ) -> None:
        self.leader: BrokerId | None = None
        self.isr: tuple[BrokerId, ...] = ()
        self.leader_epoch = -1
        if state is not None:
            self.isr, self.leader_epoch = state.isr, state.leader_epoch
            if state.leader != NO_LEADER and state.leader in cluster.live:
                self.leader = state.leader
        self.replicas = frozenset(replicas.replicas)
        self.members = members_of(replicas.replicas, self.isr)


def seen(cluster: ClusterSnapshot, topic: TopicSnapshot, number: int) -> View:
    return View(cluster, topic.assignment.partitions[number], topic.states.get(number))


def state_differences(
    partition: TopicPartition, old: View, new: View, old_min_isr: int, new_min_isr: int
) -> Iterator[Difference]:
    """Return the worst difference of two states of *partition*, if there is any."""
    was_short, is_short = len(old.members) < old_min_isr, len(new.members) < new_min_isr
    kind: Kind | None = None
    if old.leader is not None and new.leader is None:
        kind = Kind.OFFLINE
    elif is_short and not was_short:
        kind = Kind.UNDER_MIN_ISR
    elif has_shrunk(old, new):
        kind = Kind.ISR_SHRUNK
    elif (old.leader is None and new.leader is not None) or (was_short and not is_short):
        kind = Kind.ONLINE
    elif old.leader != new.leader:
        kind = Kind.LEADER
    elif new.members - old.members:
        kind = Kind.ISR_GROWN
    elif NO_LEADER_EPOCH not in (old.leader_epoch, new.leader_epoch) and (
        old.leader_epoch != new.leader_epoch
    ):
        kind = Kind.LEADER_EPOCH
    if kind is not None:
        with_epoch = kind is Kind.LEADER_EPOCH
        yield Difference(
            Section.TOPICS,
            kind,
            str(partition),
            state_text(old, with_epoch=with_epoch),
            state_text(new, with_epoch=with_epoch),
        )


def has_shrunk(old: View, new: View) -> bool:
    """Return whether replicas have left the ISR; those that were moved to other brokers have not,
    where as many are in sync there."""
    left = (old.members - new.members) & new.replicas
    return bool(left) or len(new.members) < min(len(old.members), len(new.replicas))


def state_text(view: View, *, with_epoch: bool) -> str:
    leader = "none" if view.leader is None else view.leader
    epoch = f", leader epoch {view.leader_epoch}" if with_epoch else ""
    return f"leader {leader}, ISR {replicas_text(view.isr)}{epoch}"


def replicas_text(brokers: tuple[BrokerId, ...]) -> str:
    return ",".join(map(str, brokers)) or "none"


def moving_text(assignment: PartitionAssignment) -> str | None:
    parts = (("adding", assignment.adding), ("removing", assignment.removing))
    return "; ".join(f"{what} {replicas_text(each)}" for what, each in parts if each) or None


def value_differences(
    section: Section,
    kind: Kind,
    owner: str,
    old: Mapping[str, str],
    new: Mapping[str, str],
) -> Iterator[Difference]:
    """Compare the values of both, key by key."""
    if old == new:
        return
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            yield Difference(section, kind, f"{owner}: {key}", old.get(key), new.get(key))
