"""How dirty a log is: the offset from which keys may occur twice, and that up to which it may be
cleaned.

Source: Kafka's LogCleanerManager and LogToClean.
"""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log.reading import number_of
from cluster.storage.log_config import NO_BOUND
from cluster.storage.segments.segment import Segment


class DirtyPart(NamedTuple):
    """The part of a log that has not been cleaned yet, and may be."""

    first_dirty_offset: int
    end_offset: int
    """The base offset of the first segment that may not be cleaned."""
    clean_size: int
    dirty_size: int
    is_overdue: bool
    """Whether its oldest record has been there for `max.compaction.lag.ms`."""

    @property
    def ratio(self) -> float:
        """Return the dirty share of what may be cleaned."""
        total = self.clean_size + self.dirty_size
        return self.dirty_size / total if total > 0 else 0.0

    def is_due(self, min_ratio: float) -> bool:
        return self.dirty_size > 0 and (self.is_overdue or self.ratio > min_ratio)


def dirty_part(log: PartitionLog, last_stable_offset: int, now_ms: int, wall_ms: int) -> DirtyPart:
    """Measure *log*, of which what is at *last_stable_offset* or behind may still change.

    Raises:
        CorruptBatchError: a segment begins with what is no batch.
        OSError: the disk failed.
    """
    first = first_dirty_offset(log)
    segments = log.segments
    limits = [segments[-1].base_offset, last_stable_offset, log.recovery_point]
    lag_ms = log.config.min_compaction_lag_ms
    if lag_ms > 0:
        limits += [
            segment.base_offset
            for segment in dirty_segments(segments, first)
            if segment.age_ms(now_ms, wall_ms) < lag_ms
        ][:1]
    # The segment with that offset is not cleaned, as it may only be as a whole.
    end = segments[number_of(segments, max(first, min(limits)))].base_offset
    clean = sum(one.size for one in segments if one.base_offset < min(first, end))
    dirty = sum(one.size for one in dirty_segments(segments, first) if one.base_offset < end)
    return DirtyPart(first, end, clean, dirty, is_overdue(log, first, wall_ms))


def first_dirty_offset(log: PartitionLog) -> int:
    """Return where the dirty part begins; where the log starts if the checkpoint cannot be
    right.
    """
    cleaned = log.cleaned_offset
    if cleaned is None or not log.log_start_offset <= cleaned <= log.log_end_offset:
        return log.log_start_offset
    return cleaned


def dirty_segments(segments: Sequence[Segment], first: int) -> Sequence[Segment]:
    """Return the segments with offsets from *first* on, but for the one that grows."""
    return segments[number_of(segments, first) : -1]


def is_overdue(log: PartitionLog, first: int, wall_ms: int) -> bool:
    """Return whether the dirty part has records that should have been cleaned by now."""
    lag_ms = log.config.max_compaction_lag_ms
    if lag_ms == NO_BOUND:
        return False
    times = [segment.first_timestamp() for segment in dirty_segments(log.segments, first)]
    return any(0 < time < wall_ms - lag_ms for time in times)
