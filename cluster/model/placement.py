"""Placement of replicas of new partitions on brokers.

Kafka's own algorithm, so that each layout from here is one that Kafka's tools could have made.  The
two numbers that Kafka draws at random are inputs.

Source: kafka.admin.AdminUtils.assignReplicasToBrokers (0.8 … 3.9).
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cluster.model.errors import ClusterError
from cluster.model.ids import BrokerId

Racks: TypeAlias = Mapping[BrokerId, str | None]
"""The brokers that may be used, each with its rack or None."""

Layout: TypeAlias = dict[int, tuple[BrokerId, ...]]
"""Replicas by partition, in order of preference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The inputs that make a layout reproducible: equal brokers and placement give equal layouts.

    *start_index* is the index in the list of brokers at which partition 0 would begin, *shift* the
    distance of its second replica from the first.  *is_rack_aware* may be true without any rack:
    then it makes no difference.
    """

    start_index: int
    shift: int
    is_rack_aware: bool = True


class TooFewBrokers(ClusterError):
    """More replicas are requested than there are brokers."""

    def __init__(self, replication_factor: int, available: Sequence[BrokerId]) -> None:
        shown = ", ".join(map(str, available)) or "none"
        super().__init__(
            f"replication factor {replication_factor} is larger than available brokers:"
            f" {len(available)} ({shown})"
        )
        self.replication_factor = replication_factor
        self.available = tuple(available)


class RacksMissing(ClusterError):
    """Some brokers have a rack and some have none, so racks cannot be respected."""

    def __init__(self, without_rack: Sequence[BrokerId]) -> None:
        shown = ", ".join(map(str, without_rack))
        super().__init__(f"not all brokers have rack information: {shown}")
        self.without_rack = tuple(without_rack)


def place(
    racks: Racks,
    *,
    partition_count: int,
    replication_factor: int,
    placement: Placement,
    first_partition: int = 0,
) -> Layout:
    """Lay out partitions *first_partition* … +*partition_count* - 1.

    Raises:
        TooFewBrokers: fewer brokers than *replication_factor*.
        RacksMissing: rack-aware, and only some brokers have a rack.
    """
    return dict(
        placed(
            racks,
            partition_count=partition_count,
            replication_factor=replication_factor,
            placement=placement,
            first_partition=first_partition,
        )
    )


def placed(
    racks: Racks,
    *,
    partition_count: int,
    replication_factor: int,
    placement: Placement,
    first_partition: int = 0,
) -> Iterator[tuple[int, tuple[BrokerId, ...]]]:
    """The partitions of `place` with their replicas, one after the other; raises as it does."""
    assert partition_count > 0
    assert replication_factor > 0
    if replication_factor > len(racks):
        raise TooFewBrokers(replication_factor, sorted(racks))
    known = {broker: rack for broker, rack in racks.items() if rack is not None}
    if not placement.is_rack_aware or not known:
        brokers = sorted(racks)
        choose = next_by_shift
    elif len(known) < len(racks):
        raise RacksMissing(sorted(racks.keys() - known.keys()))
    else:
        brokers = alternate_racks(known)
        choose = next_by_rack
    shift = placement.shift
    for partition in range(first_partition, first_partition + partition_count):
        if partition > 0 and partition % len(brokers) == 0:
            shift += 1
        first = (partition + placement.start_index) % len(brokers)
        yield partition, choose(brokers, known, first, shift, replication_factor)


def next_by_shift(
    brokers: Sequence[BrokerId],
    racks: Mapping[BrokerId, str],
    first: int,
    shift: int,
    replication_factor: int,
) -> tuple[BrokerId, ...]:
    """The replicas of a partition that begins at index *first*, ignoring racks."""
    followers = (
        brokers[follower_index(first, shift + step, len(brokers))]
        for step in range(replication_factor - 1)
    )
    return (brokers[first], *followers)


def next_by_rack(
    brokers: Sequence[BrokerId],
    racks: Mapping[BrokerId, str],
    first: int,
    shift: int,
    replication_factor: int,
) -> tuple[BrokerId, ...]:
    """The replicas of a partition that begins at index *first* of the alternated list.

    A broker is skipped while its rack has a replica and another rack has none, and while it has a
    replica itself.
    """
    replicas = [brokers[first]]
    used_racks = {racks[brokers[first]]}
    rack_count = len(set(racks.values()))
    step = 0
    while len(replicas) < replication_factor:
        candidate = brokers[follower_index(first, shift * rack_count + step, len(brokers))]
        step += 1
        if racks[candidate] in used_racks and len(used_racks) < rack_count:
            continue
        if candidate in replicas:
            continue
        replicas.append(candidate)
        used_racks.add(racks[candidate])
    return tuple(replicas)


def follower_index(first: int, steps: int, broker_count: int) -> int:
    """The index *steps* further round the list, never *first* itself."""
    if broker_count == 1:
        return first
    return (first + 1 + steps % (broker_count - 1)) % broker_count


def alternate_racks(racks: Mapping[BrokerId, str]) -> list[BrokerId]:
    """The brokers so that neighbours are in different racks where that is possible.

    Racks in order of name, each with its brokers in order of id; one broker from each in turn.
    """
    by_rack: dict[str, list[BrokerId]] = {}
    for broker in sorted(racks):
        by_rack.setdefault(racks[broker], []).append(broker)
    queues = [by_rack[rack] for rack in sorted(by_rack)]
    longest = max(map(len, queues))
    return [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]


def placement_of_more(
    brokers: Iterable[BrokerId], preferred_leader: BrokerId, *, is_rack_aware: bool
) -> Placement:
    """The start of Kafka's placement when it adds partitions to a topic.

    *preferred_leader* is partition 0's; the start is its place, or that of the next higher id,
    among the sorted *brokers*, and 0 when all ids are lower.
    """
    ids = sorted(brokers)
    index = bisect_left(ids, preferred_leader)
    start = index if index < len(ids) else 0
    return Placement(start_index=start, shift=start, is_rack_aware=is_rack_aware)
