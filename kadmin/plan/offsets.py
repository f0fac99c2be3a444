"""Offsets of partitions: which ones are asked for, and how many lie between two of them?

Knows no broker: whoever asks one hands over what was told.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from cluster.model.ids import TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.errors import KadminError, UnreachableError, UsageError
from kadmin.plan.times import parse_time
from kadmin.plan.wording import counted_partitions, listed

LATEST: Final = -1
EARLIEST: Final = -2
MAX_TIMESTAMP: Final = -3
"""What Kafka's protocol has in the place of a time in ms since 1970."""

PLACES: Final = {"latest": LATEST, "earliest": EARLIEST, "max-timestamp": MAX_TIMESTAMP}
TIME_MAX_MS: Final = 2**63 - 1

SHOWN_MAX: Final = 5
"""A hint names no more topics than that."""


class Order(StrEnum):
    """Which partitions come first; among equals, the order of names."""

    NAME = "name"
    OFFSET = "offset"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class FoundOffset:
    """The first record that is not older than what was asked for.

    Both are None where there is none, the time also for an end of the log, which has no record.
    """

    offset: int | None
    timestamp_ms: int | None


@dataclass(frozen=True, slots=True)
class PartitionOffset:
    """What is shown of a partition; *end* is the end of its log where offsets are counted."""

    partition: TopicPartition
    found: FoundOffset
    end: int | None = None

    @property
    def count(self) -> int | None:
        """How many offsets lie between *found* and *end*; None where they are not counted.

        At most so many are records: compaction leaves gaps, and transactions have marks.
        """
        if self.end is None:
            return None
        # Records may come and go between the two questions.
        return 0 if self.found.offset is None else max(0, self.end - self.found.offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetReport:
    """The offsets at *time*, which is ms since 1970 or one of the special numbers.

    *untold* has the partitions of which nobody told one, each with the reason.
    """

    time: int
    offsets: tuple[PartitionOffset, ...]
    untold: Mapping[TopicPartition, str] = field(default_factory=dict)
    is_counted: bool = False
    hidden: tuple[PartitionOffset, ...] = ()
    """Those that are not shown, since no more rows were asked for."""

    @property
    def total(self) -> int | None:
        """How many offsets were counted in all; None where they were not."""
        counted = (each.count or 0 for each in (*self.offsets, *self.hidden))
        return sum(counted) if self.is_counted else None


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


class UntoldOffsets(UnreachableError):
    """Nobody told what there is to tell of some partitions."""

    def __init__(self, untold: Mapping[TopicPartition, str]) -> None:
        partitions = sorted(untold)
        topics = ",".join(sorted({each.topic for each in partitions})[:SHOWN_MAX])
        super().__init__(
            f"no broker returned the offsets of {counted_partitions(partitions)}",
            hint=f"kadmin topics --describe --unavailable-partitions --topic {topics}",
        )
        self.partitions = tuple(partitions)


def parse_moment(text: str, now_ms: int) -> int:
    """Understand `latest`, `earliest`, `max-timestamp`, ms since 1970, a time, or one of Kafka's
    numbers for the first three.

    A time may be relative to *now_ms* (`-2h`), or as `parse_time` has it.

    Raises:
        UsageError: none of these.
    """
    word = text.strip()
    if word in PLACES:
        return PLACES[word]
    if re.fullmatch(r"-?\d{1,19}", word):
        number = int(word)
        if number in PLACES.values() or 0 <= number <= TIME_MAX_MS:
            return number
    try:
        return max(0, parse_time(word, now_ms))
    except UsageError as error:
        raise UsageError(
            f"'{text}' is no time, and no place in a log",
            hint="latest, earliest, max-timestamp, '2026-11-20 03:12', -2h, or ms since 1970",
        ) from error


def moment_text(time: int) -> str:
    """*time* as an operator may give it."""
    names = {number: name for name, number in PLACES.items()}
    return names.get(time, str(time))


def parse_numbers(text: str) -> frozenset[int]:
    """The numbers of partitions in *text*, `0,1,7`.

    Raises:
        UsageError: anything else.
    """
    words = [word.strip() for word in text.split(",")]
    if not all(re.fullmatch(r"\d{1,10}", word) for word in words):
        raise UsageError(f"'{text}' are no numbers of partitions", hint="--partitions 0,1,7")
    return frozenset(map(int, words))


def partitions_of(
    snapshot: ClusterSnapshot,
    names: Iterable[str],
    numbers: frozenset[int] | None,
    named: Collection[str] = (),
) -> list[TopicPartition]:
    """The partitions of the topics *names*, in order; only those of *numbers*, None for all.

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


def report_of(
    time: int,
    found: Mapping[TopicPartition, FoundOffset],
    untold: Mapping[TopicPartition, str],
    ends: Mapping[TopicPartition, FoundOffset] | None,
) -> OffsetReport:
    """What was found at *time*, in order of partition; counted up to *ends*, unless None."""
    told = (
        PartitionOffset(each, found[each], None if ends is None else ends[each].offset)
        for each in sorted(found)
        if ends is None or each in ends
    )
    return OffsetReport(
        time=time,
        offsets=tuple(told),
        untold=dict(sorted(untold.items())),
        is_counted=ends is not None,
    )


def ranked(report: OffsetReport, order: Order, limit: int | None) -> OffsetReport:
    """*report* with the partitions in *order*, no more than *limit* of them; None for all.

    What has no offset, as no record is so young, comes last.
    """
    rows = sorted(report.offsets, key=lambda each: -rank(each, order))
    return replace(
        report, offsets=tuple(rows[:limit]), hidden=() if limit is None else tuple(rows[limit:])
    )


def rank(each: PartitionOffset, order: Order) -> int:
    match order:
        case Order.NAME:
            return 0
        case Order.OFFSET:
            return -1 if each.found.offset is None else each.found.offset
        case Order.COUNT:
            return each.count or 0
