"""Retention: how many of a log's oldest segments are dropped.

Decides by the segments' sizes and times.  Deletes nothing.

Source: Kafka's UnifiedLog.deleteOldSegments, whose three rules are applied one after the other.
"""

from collections.abc import Callable, Sequence

from cluster.storage.log_config import LogConfig
from cluster.storage.segments.segment import Segment


def expired_count(
    segments: Sequence[Segment],
    config: LogConfig,
    *,
    now_ms: int,
    wall_ms: int,
    log_start_offset: int,
    log_end_offset: int,
    high_watermark: int,
) -> int:
    """Return the number of oldest *segments* that retention expires; all of them, if need be.

    Nothing at or beyond the high watermark is dropped, and the last segment only when it is not
    empty.  Of a log that is only compacted, segments before its start are dropped.
    """
    ends = [segment.base_offset for segment in segments[1:]] + [log_end_offset]
    deletable = sum(end <= high_watermark for end in ends)
    if segments[-1].size == 0:
        deletable = min(deletable, len(segments) - 1)

    def leading(may_go: Callable[[int], bool]) -> int:
        """Return how many segments in a row, from the oldest on, may go."""
        return next((number for number in range(deletable) if not may_go(number)), deletable)

    def is_old(number: int) -> bool:
        return segments[number].age_ms(now_ms, wall_ms) > config.retention_ms

    def is_before_start(number: int) -> bool:
        return number + 1 < len(segments) and ends[number] <= log_start_offset

    if not config.deletes:
        return leading(is_before_start)
    by_time = leading(is_old) if config.retention_ms >= 0 else 0
    by_size = 0
    if config.retention_size >= 0:
        surplus = sum(segment.size for segment in segments) - config.retention_size
        for number in range(deletable):
            surplus -= segments[number].size
            if surplus < 0:
                break
            by_size = number + 1
    return max(by_time, by_size, leading(is_before_start))
