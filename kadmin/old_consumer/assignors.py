"""Assignors of old consumers: which of a group's partitions are for which of its threads?

Every member computes the same from the same znodes; there is no leader.

Source: Kafka's PartitionAssignor, 0.8.2.2 to 1.1.1.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from typing import Final, TypeAlias

from cluster.model.consumer import ConsumerThread
from cluster.model.ids import TopicPartition

Partitions: TypeAlias = Mapping[str, Sequence[int]]
"""The partitions of each topic that some member wants."""

Threads: TypeAlias = Mapping[str, Iterable[ConsumerThread]]
"""The threads of all members that want each of these topics."""

Assignment: TypeAlias = dict[TopicPartition, ConsumerThread]


class UnequalSubscriptions(Exception):
    """Members want different topics, or different counts of threads, which roundrobin does not
    share."""


def assign_ranges(partitions: Partitions, threads: Threads) -> Assignment:
    """Give each thread a run of each topic's partitions; the first ones get one more."""
    found: Assignment = {}
    for topic in partitions:
        numbers, sharing = sorted(partitions[topic]), in_order(threads.get(topic, ()))
        if not sharing:
            continue
        size, rest = divmod(len(numbers), len(sharing))
        for index, thread in enumerate(sharing):
            start = size * index + min(index, rest)
            for number in numbers[start : start + size + (index < rest)]:
                found[TopicPartition(topic, number)] = thread
    return found


def assign_in_turn(partitions: Partitions, threads: Threads) -> Assignment:
    """Deal the partitions of all topics, in the order of their hashes, to the threads in turn.

    As up to 0.11; 1.0 and 1.1 hash other texts, so that a group of both is never shared.

    Raises:
        UnequalSubscriptions: the threads of some topic are not those of the others.
    """
    sharing = [in_order(each) for each in threads.values()]
    first = sharing[0] if sharing else []
    if any(each != first for each in sharing):
        raise UnequalSubscriptions
    if not first:
        return {}
    everything = [
        TopicPartition(topic, number)
        for topic in sorted(partitions)
        for number in sorted(partitions[topic])
    ]
    everything.sort(key=lambda one: java_hash(f"[{one.topic},{one.partition}]"))
    return dict(zip(everything, cycle(first), strict=False))


ASSIGNORS: Final[Mapping[str, Callable[[Partitions, Threads], Assignment]]] = {
    "range": assign_ranges,
    "roundrobin": assign_in_turn,
}
"""By the values of `partition.assignment.strategy`."""


def in_order(threads: Iterable[ConsumerThread]) -> list[ConsumerThread]:
    """Sort *threads* as Java compares their names: thread 10 comes before thread 2."""
    return sorted(set(threads), key=lambda thread: str(thread).encode("utf-16-be"))


def java_hash(text: str) -> int:
    """Return what Java's String.hashCode does."""
    value = 0
    units = text.encode("utf-16-be")
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + high * 256 + low) & 0xFFFFFFFF
    return value - 2**32 if value >= 2**31 else value
