"""The lag of a group: how much of each partition has it still to read, and since when is it there?

Knows no broker: the caller passes what brokers have answered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from cluster.model.ids import TopicPartition
from kadmin.plan.groups.group import Group, Member

CLOCK_ERROR_MS_MAX: Final = 60_000
"""A record that is further in the future has no time of its writing, which producers choose."""


class Condition(StrEnum):
    """What a committed offset is worth, beside the log that it is about."""

    READING = "reading"
    NO_COMMIT = "no_commit"
    """A member has the partition and has committed nothing yet."""
    BEFORE_START = "before_start"
    """Retention was faster: records are gone that the group has never read."""
    BEYOND_END = "beyond_end"
    """The log is shorter than that: it was made anew, or lost records."""
    NO_PARTITION = "no_partition"
    """The topic is gone, or was made anew with fewer partitions."""
    NO_RECORDS = "no_records"
    """What is left of the log holds none: markers of transactions, or what compaction removed."""
    UNKNOWN = "unknown"
    """No leader returned where the log ends."""


class Position(NamedTuple):
    """An offset of a partition, at which a record may be; a tuple, as `TopicPartition` is."""

    partition: TopicPartition
    offset: int


@dataclass(frozen=True, slots=True)
class Logs:
    """The logs of partitions: *starts* and *ends* as far as leaders returned them.

    *gone* does not exist any more; *unknown* has the others without an end, each with the reason.
    """

    ends: Mapping[TopicPartition, int]
    starts: Mapping[TopicPartition, int]
    gone: frozenset[TopicPartition]
    unknown: Mapping[TopicPartition, str]


class PartitionLag(NamedTuple):
    """How far a group has read one partition; a tuple, since there are 100,000 and tuples are
    made and replaced four times as fast.

    *unread_since_ms* is the time of the first record that it has not read, None where there is
    none or its time is not known; with *is_more* some before it are gone, so the group lags more
    than by that.
    """

    partition: TopicPartition
    committed: int | None
    start: int | None = None
    end: int | None = None
    member: Member | None = None
    condition: Condition = Condition.READING
    reason: str = ""
    unread_since_ms: int | None = None

    @property
    def distance(self) -> int | None:
        """The end less the committed offset, below 0 beyond the end; Kafka's tool calls it LAG."""
        if self.end is None or self.committed is None:
            return None
        return self.end - self.committed

    @property
    def lag(self) -> int | None:
        """How many offsets there are to read; None where that is not known."""
        if self.condition is Condition.NO_RECORDS:
            return 0
        if self.end is None or self.committed is None:
            return None
        return max(0, self.end - max(self.committed, self.start or 0))

    @property
    def is_more(self) -> bool:
        return self.condition is Condition.BEFORE_START

    def lag_ms(self, now_ms: int) -> int | None:
        """How long the first record that is not read has been there; 0 where all is read, None
        where no broker returned its time, or one that is still to come."""
        since_ms = self.unread_since_ms
        if since_ms is None:
            return 0 if self.lag == 0 else None
        if since_ms > now_ms + CLOCK_ERROR_MS_MAX:
            return None
        return max(0, now_ms - since_ms)

    @property
    def next_position(self) -> Position | None:
        """The offset at which the first record may be that is not read; None without one."""
        if self.end is None or self.committed is None:
            return None
        offset = max(self.committed, self.start or 0)
        return Position(self.partition, offset) if offset < self.end else None


def lags_of(
    group: Group, committed: Mapping[TopicPartition, int], logs: Logs
) -> list[PartitionLag]:
    """The partitions that members of *group* have or that it has *committed* to, in Kafka's order:
    those of the members with the most partitions first, then those that no member has."""
    rows: list[PartitionLag] = []
    assigned: set[TopicPartition] = set()
    for member in sorted(group.members, key=lambda each: -len(each.assigned or ())):
        own = sorted(member.assigned or ())
        assigned.update(own)
        rows += [lag_of(each, committed.get(each), logs, member) for each in own]
    left = sorted(committed.keys() - assigned)
    rows += [lag_of(each, committed[each], logs, None) for each in left]
    return rows


def lag_of(
    partition: TopicPartition, committed: int | None, logs: Logs, member: Member | None
) -> PartitionLag:
    start, end = logs.starts.get(partition), logs.ends.get(partition)
    reason = logs.unknown.get(partition, "")
    if partition in logs.gone:
        condition = Condition.NO_PARTITION
    elif end is None:
        condition = Condition.UNKNOWN
    elif committed is None:
        condition = Condition.NO_COMMIT
    elif committed > end:
        condition = Condition.BEYOND_END
    elif start is not None and committed < start:
        condition = Condition.BEFORE_START
    else:
        condition = Condition.READING
    return PartitionLag(
        partition=partition,
        committed=committed,
        start=start,
        end=end,
        member=member,
        condition=condition,
        reason=reason,
    )
