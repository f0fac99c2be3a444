"""The offsets of partitions that were asked for, and how many lie between two of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from cluster.model.ids import TopicPartition
from kadmin.plan.offsets import FoundOffset


class Order(StrEnum):
    """Which partitions come first; among equals, the order of names."""

    NAME = "name"
    OFFSET = "offset"
    COUNT = "count"


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

    *unanswered* has the partitions without an offset, each with the reason.
    """

    time: int
    offsets: tuple[PartitionOffset, ...]
    unanswered: Mapping[TopicPartition, str] = field(default_factory=dict)
    is_counted: bool = False
    hidden: tuple[PartitionOffset, ...] = ()
    """Those that are not shown, since no more rows were asked for."""

    @property
    def total(self) -> int | None:
        """How many offsets were counted in all; None where they were not."""
        counted = (each.count or 0 for each in (*self.offsets, *self.hidden))
        return sum(counted) if self.is_counted else None


def report_of(
    time: int,
    found: Mapping[TopicPartition, FoundOffset],
    unanswered: Mapping[TopicPartition, str],
    ends: Mapping[TopicPartition, FoundOffset] | None,
) -> OffsetReport:
    """Return what was found at *time*, in order of partition; counted up to *ends*, unless None."""
    offsets = (
        PartitionOffset(each, found[each], None if ends is None else ends[each].offset)
        for each in sorted(found)
        if ends is None or each in ends
    )
    return OffsetReport(
        time=time,
        offsets=tuple(offsets),
        unanswered=dict(sorted(unanswered.items())),
        is_counted=ends is not None,
    )


def ranked(report: OffsetReport, order: Order, limit: int | None) -> OffsetReport:
    """Return *report* with the partitions in *order*, no more than *limit* of them; None for all.

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
