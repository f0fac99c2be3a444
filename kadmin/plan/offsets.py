"""Offsets of partitions: which ones are wanted, and how many lie between two of them.

Pure: the caller reads the offsets from brokers.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cluster.model.ids import TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.errors import KadminError, UnreachableError
from kadmin.wording import counted_partitions, listed

LATEST: Final = -1
EARLIEST: Final = -2
MAX_TIMESTAMP: Final = -3
"""What Kafka's protocol has in the place of a time in ms since 1970."""


SHOWN_MAX: Final = 5
"""A hint names no more topics than that."""


@dataclass(frozen=True, slots=True)
class FoundOffset:
    """The first record that is not older than what was asked for.

    Both are None where there is none, the time also for an end of the log, which has no record.
    """

    offset: int | None
    timestamp_ms: int | None


class NoSuchPartition(KadminError):
    """A partition that no topic has of those that are meant."""

    def __init__(self, numbers: Sequence[int], topics: Sequence[str]) -> None:
        noun = "partition" if len(numbers) == 1 else "partitions"
        whose = f"topic '{topics[0]}' has no" if len(topics) == 1 else "none of these topics has"
        super().__init__(
            f"{whose} {noun} {listed(numbers)}",
            hint=f"kadmin topics --describe --topic {','.join(topics[:SHOWN_MAX])}",
        )
        self.numbers = tuple(numbers)


class UnansweredOffsets(UnreachableError):
    """No broker returned the offsets of some partitions."""

    def __init__(self, unanswered: Mapping[TopicPartition, str]) -> None:
        partitions = sorted(unanswered)
        topics = ",".join(sorted({each.topic for each in partitions})[:SHOWN_MAX])
        super().__init__(
            f"no broker returned the offsets of {counted_partitions(partitions)}",
            hint=f"kadmin topics --describe --unavailable-partitions --topic {topics}",
        )
        self.partitions = tuple(partitions)


def partitions_of(
    snapshot: ClusterSnapshot,
    names: Iterable[str],
    numbers: frozenset[int] | None,
    named: Collection[str] = (),
) -> list[TopicPartition]:
    """Return the partitions of the topics *names*, in order; only those of *numbers*, None for all.

    Each of the topics *named* has to have all of *numbers*, of the others one has to.

    Raises:
        NoSuchPartition: one of *numbers* that no topic has, or one that is named has not.
    """
    topics = [snapshot.topics[name] for name in names if name in snapshot.topics]
    for topic in topics:
        lacking = (numbers or frozenset()) - topic.assignment.partitions.keys()
        if lacking and topic.name in named:
            raise NoSuchPartition(sorted(lacking), [topic.name])
    found = [
        TopicPartition(topic.name, number)
        for topic in topics
        for number in sorted(topic.assignment.partitions)
        if numbers is None or number in numbers
    ]
    missing = (numbers or frozenset()) - {each.partition for each in found}
    if missing and topics:
        raise NoSuchPartition(sorted(missing), [topic.name for topic in topics])
    return found
