"""Samples of a large file's times: which stretches of it may hold lines of a range of time?

Looks at one head line a MiB and reads nothing else, so what lies outside is never read.  A line
that is more than a minute from where its time belongs, because the clock was wrong, may be missed.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from kadmin.jobs.merge.clocks import Clock, TimeRange
from kadmin.jobs.merge.files.reader import Reader
from kadmin.jobs.merge.survey.records import Head, first_head, last_head

STEP_BYTES: Final = 1 << 20

SLACK_MS: Final = 60_000
"""Lines are out of order by milliseconds where threads race, by seconds where a clock is set."""


def stretches(
    reader: Reader, size: int, clock: Clock, times: TimeRange, step_bytes: int = STEP_BYTES
) -> list[tuple[int, int]]:
    """Return the stretches of a file of *size* bytes that may hold *times*, ascending and apart.

    Each begins at a head line or the file's start and ends before one or at the file's end.  A
    file without a head line is one stretch: what it is shows when it is read.
    """
    samples = sample(reader, size, clock, step_bytes)
    last = last_head(reader, size, clock)
    if last is None or not samples:
        return [(0, size)]
    return [
        (
            0 if low == 0 else samples[low].offset,
            samples[high].offset if high < len(samples) else size,
        )
        for low, high in runs(chosen(samples, last.time_ms, times))
    ]


def sample(reader: Reader, size: int, clock: Clock, step_bytes: int) -> list[Head]:
    """Return the first head line of the file and of each *step_bytes* of it."""
    found: list[Head] = []
    offset = 0
    while offset < size:
        head = first_head(reader, offset, size, clock)
        if head is None:
            break
        found.append(head)
        # A record may be longer than a step.
        offset = (head.offset // step_bytes + 1) * step_bytes
    return found


def chosen(samples: Sequence[Head], last_ms: int, times: TimeRange) -> list[bool]:
    """For each sample whether what lies between it and the next one is to be read."""
    bounds = [head.time_ms for head in samples] + [last_ms]
    return [
        times.overlaps(min(one, other) - SLACK_MS, max(one, other) + SLACK_MS)
        for one, other in pairwise(bounds)
    ]


def runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the stretches of true *flags*, as indices from and up to."""
    found: list[tuple[int, int]] = []
    for index, flag in enumerate(flags):
        if flag and found and found[-1][1] == index:
            found[-1] = (found[-1][0], index + 1)
        elif flag:
            found.append((index, index + 1))
    return found
