"""Short forms of a reassignment: one partition named, or all that a broker has.

Moves as few replicas as it can: every replica that need not go stays in its place.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import PartitionAssignment
from kadmin.errors import RefusedError
from kadmin.plan.reassignment.moves import THERE_HINT
from kadmin.plan.reassignment.status import active_partitions
from kadmin.plan.reassignment.targets import Target, UnfitTargets
from kadmin.plan.topic_refusals import NoSuchTopic
from kadmin.plan.topics import racks_of
from kadmin.wording import counted_partitions, listed

EVACUATION_HINT: Final = "name more brokers to move to, or reduce the replication factor first"


class NothingToMove(RefusedError):
    def __init__(self, broker: BrokerId) -> None:
        super().__init__(
            f"broker {broker} has no replica: there is nothing to move",
            hint="'kadmin brokers --describe' shows how many replicas each broker has",
        )
        self.broker = broker


def partitions_of(snapshot: ClusterSnapshot, topic: str) -> tuple[int, ...]:
    """Return the numbers of the partitions that *topic* has.

    Raises:
        NoSuchTopic: there is none of that name.
    """
    found = snapshot.topics.get(topic)
    if found is None:
        raise NoSuchTopic([topic])
    return tuple(found.assignment.partitions)


def moving_of(
    snapshot: ClusterSnapshot, topic: str, numbers: Collection[int] | None
) -> dict[TopicPartition, Target]:
    """Return the partitions of *topic*, of *numbers* or all, that are being moved, or requested and
    missing.

    Their previous replicas are not known here.

    Raises:
        NoSuchTopic: there is none of that name, and none is requested.
        UnfitTargets: it has no partition of a number.
    """
    stale = {each.partition for each in snapshot.stale_moves if each.topic == topic}
    there = () if stale and topic not in snapshot.topics else partitions_of(snapshot, topic)
    unknown = sorted(set(numbers or ()).difference(there, stale))
    if unknown:
        missing = [TopicPartition(topic, number) for number in unknown]
        raise UnfitTargets([f"non-existent partitions: {listed(missing)}"], THERE_HINT)
    return {
        partition: Target(())
        for partition in sorted({*active_partitions(snapshot), *snapshot.stale_moves})
        if partition.topic == topic and (numbers is None or partition.partition in numbers)
    }


def targets_of_partitions(
    topic: str, partitions: Iterable[int], replicas: Sequence[BrokerId]
) -> dict[TopicPartition, Target]:
    """Return the same *replicas* for each of *partitions*."""
    return {
        TopicPartition(topic, number): Target(tuple(replicas)) for number in sorted(set(partitions))
    }


def evacuation(
    snapshot: ClusterSnapshot, from_broker: BrokerId, to_brokers: Sequence[BrokerId]
) -> dict[TopicPartition, Target]:
    """Give every replica of *from_broker*, which may be dead, to one of *to_brokers*.

    The new replica stands where the old one stood, so that a preferred leader goes to a new one.
    It goes to a rack in which the partition has no other replica, where one of *to_brokers* is in
    such a rack, and of these to the broker that has the fewest replicas by then.  Replicas that are
    being moved from *from_broker* already go on; a live broker that is empty needs nothing.

    Raises:
        NothingToMove: a broker that is not alive has none.
        UnfitTargets: names all of *to_brokers* that are not alive, or the partitions that have a
            replica on each of them already.
    """
    dead = [broker for broker in to_brokers if broker not in snapshot.brokers]
    if dead:
        problem = f"brokers to move to that are not alive: {listed(dead)}"
        raise UnfitTargets([problem], "'kadmin brokers --list' lists the live brokers")
    racks = racks_of(snapshot.brokers)
    load = Counter(
        broker
        for topic in snapshot.topics.values()
        for part in topic.assignment.partitions.values()
        for broker in set(part.target)
    )
    targets = leaving(snapshot, from_broker)
    stuck = []
    for partition, replicas in replicas_on(snapshot, from_broker):
        candidates = [b for b in to_brokers if b not in replicas]
        if not candidates:
            stuck.append(partition)
            continue
        used = {racks.get(b) for b in replicas if b != from_broker} - {None}
        chosen = min(candidates, key=lambda b: (racks.get(b) in used, load[b], b))
        load[chosen] += 1
        targets[partition] = Target(tuple(chosen if b == from_broker else b for b in replicas))
    if stuck:
        problem = f"each broker to move to has a replica already of {counted_partitions(stuck)}"
        raise UnfitTargets([problem], EVACUATION_HINT)
    if not targets and from_broker not in snapshot.brokers:
        raise NothingToMove(from_broker)
    return targets


def leaving(snapshot: ClusterSnapshot, broker: BrokerId) -> dict[TopicPartition, Target]:
    """Return where the partitions are on their way to whose replica *broker* is giving up."""
    return {
        partition: Target(part.target)
        for partition, part in staying_parts(snapshot)
        if broker in part.removing
    }


def replicas_on(
    snapshot: ClusterSnapshot, broker: BrokerId
) -> list[tuple[TopicPartition, tuple[BrokerId, ...]]]:
    """Return the partitions that *broker* has a replica of, once nothing moves, with all
    replicas."""
    return [
        (partition, tuple(dict.fromkeys(part.target)))
        for partition, part in staying_parts(snapshot)
        if broker in part.target
    ]


def staying_parts(
    snapshot: ClusterSnapshot,
) -> Iterator[tuple[TopicPartition, PartitionAssignment]]:
    """Return all partitions but those of topics that are about to go."""
    for topic in snapshot.topics.values():
        if not topic.is_marked_for_deletion:
            for number, part in topic.assignment.partitions.items():
                yield TopicPartition(topic.name, number), part
