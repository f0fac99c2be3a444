"""The time bounds of logs: from when to when they reach, for an error about another range.

Reads the first and the last head line of each file; what the survey knows is passed in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kadmin.jobs.merge.clocks import Clock
from kadmin.jobs.merge.files.gzip_stream import GzipStream
from kadmin.jobs.merge.files.log_file import LogFile
from kadmin.jobs.merge.files.reader import Reader, opened
from kadmin.jobs.merge.survey.parts import Part
from kadmin.jobs.merge.survey.records import (
    WINDOW_BYTES,
    find_records,
    first_head,
    last_head,
    may_be_log,
)
from kadmin.statechange.lines import Int64s


@dataclass(frozen=True, slots=True)
class TimeBounds:
    """Common times in ms; that of the last line may be later unless *is_last_known*."""

    first_ms: int
    last_ms: int
    is_last_known: bool


def time_bounds(
    files: Sequence[LogFile], clocks: Sequence[Clock], parts: Mapping[int, Sequence[Part]]
) -> TimeBounds | None:
    """Return the times that *files* hold together; None where no line has one.

    *parts* are the surveyed ones by the number of their file.  A .gz without any is not unpacked:
    of it only the beginning is known.

    Raises:
        CannotRead: a file is gone, or may not be read.
    """
    found = [
        held
        for number, (file, clock) in enumerate(zip(files, clocks, strict=True))
        if (held := time_bounds_of(file, clock, parts.get(number, ()))) is not None
    ]
    if not found:
        return None
    return TimeBounds(
        min(held.first_ms for held in found),
        max(held.last_ms for held in found),
        all(held.is_last_known for held in found),
    )


def time_bounds_of(file: LogFile, clock: Clock, parts: Sequence[Part]) -> TimeBounds | None:
    if file.is_gzip and parts:
        return TimeBounds(
            min(part.earliest_ms for part in parts), max(part.latest_ms for part in parts), True
        )
    with opened(file.path) as reader:
        if file.is_gzip:
            times = first_times(reader, clock)
            return TimeBounds(int(times.min()), int(times.max()), False) if len(times) > 0 else None
        is_log = may_be_log(reader, 0, file.size, clock)
        first = first_head(reader, 0, file.size, clock) if is_log else None
        last = None if first is None else last_head(reader, file.size, clock)
    if first is None or last is None:
        return None
    return TimeBounds(min(first.time_ms, last.time_ms), max(first.time_ms, last.time_ms), True)


def first_times(reader: Reader, clock: Clock) -> Int64s:
    """Return the common times of the first records of a .gz; none where its front is no log."""
    front = bytearray(WINDOW_BYTES)
    size = GzipStream(reader).read(memoryview(front))
    return find_records(np.frombuffer(front, np.uint8, size), clock, is_last=False).times
