"""Which records of a loaded run belong to a slice?

Decodes the time of every line, or where words are searched for, of the lines that have them and of
what follows these.
Reads nothing and orders nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from kadmin.jobs.merge.clocks import TimeRange
from kadmin.jobs.merge.files import FileChanged
from kadmin.jobs.merge.needles import finder
from kadmin.jobs.merge.records import find_records
from kadmin.jobs.merge.slices import Run
from kadmin.statechange.lines import UNDATED, Int64s, head_times

HITS_MIN: Final = 256
BYTES_PER_HIT: Final = 2048
"""Where hits are closer than this, decoding every line costs less than looking at each hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Records in a load's buffer that are in the slice's range; arrays of equal length.

    From *starts* to *ends*; *head_ends* is behind the newline of each head line.
    """

    starts: Int64s
    ends: Int64s
    head_ends: Int64s
    times: Int64s
    keys: Int64s
    line_counts: Int64s
    first_lines: Int64s
    runs: Int64s


ARRAYS: Final = tuple(each.name for each in fields(Found))


def find(
    buffer: bytearray,
    begin: int,
    end: int,
    run: Run,
    number: int,
    *,
    times: TimeRange,
    needles: Sequence[bytes] = (),
) -> Found:
    """The records of *run* that belong to the slice and lie in *times*.

    The run is the one of that *number* in its slice and lies from *begin* to *end* in *buffer*.
    With *needles*, records whose head line has none of them may be left out, and line numbers be
    wrong.
    """
    found = None
    if needles and run.floor_ms is None:
        found = search(buffer, begin, end, run, number, needles)
    if found is None:
        found = decode(buffer, begin, end, run, number)
    mask = (found.keys >= run.low_ms) & (found.keys <= run.high_ms) & times.holds(found.times)
    return select(found, np.flatnonzero(mask))


def decode(buffer: bytearray, begin: int, end: int, run: Run, number: int) -> Found:
    """All records of *run*."""
    block = np.frombuffer(buffer, np.uint8, end - begin, begin)
    records = find_records(block, run.clock)
    if run.begin > 0 and records.undated_count > 0:
        # It began with a head line when it was surveyed.
        raise FileChanged(run.path)
    keys = records.times
    if run.floor_ms is not None:
        keys = np.maximum.accumulate(np.maximum(keys, run.floor_ms))
    return Found(
        starts=records.starts + begin,
        ends=np.append(records.starts[1:], end - begin) + begin,
        head_ends=records.head_ends + begin,
        times=records.times,
        keys=keys,
        line_counts=np.diff(records.first_lines, append=records.line_count),
        first_lines=records.first_lines + run.first_line,
        runs=np.full(len(keys), number),
    )


def search(
    buffer: bytearray, begin: int, end: int, run: Run, number: int, needles: Sequence[bytes]
) -> Found | None:
    """The records of *run* whose head line contains one of *needles*; None where this is no gain.

    None also where the first line is no head: what that means is for `decode` to say.
    """
    hits = {(begin, line_end(buffer, begin, end))}
    for needle in needles:
        found = find_lines(buffer, begin, end, needle)
        if found is None:
            return None
        hits.update(found)
    starts, ends = np.array(sorted(hits), np.int64).T
    block = np.frombuffer(buffer, np.uint8, end)
    times = head_times(block, starts, ends)
    if times[0] == UNDATED:
        return None
    # A line that is no head belongs to a record whose head line may lack the needle.
    heads = np.flatnonzero(times != UNDATED)
    starts, head_ends, times = starts[heads], ends[heads], run.clock.apply(times[heads])
    record_ends, line_counts = head_ends.copy(), np.ones(len(heads), np.int64)
    if not run.is_plain:
        extend(record_ends, line_counts, buffer, end)
    return Found(
        starts=starts,
        ends=record_ends,
        head_ends=head_ends,
        times=times,
        keys=times,
        line_counts=line_counts,
        first_lines=np.zeros(len(heads), np.int64),
        runs=np.full(len(heads), number),
    )


def extend(record_ends: Int64s, line_counts: Int64s, buffer: bytearray, end: int) -> None:
    """Move the end of each record behind the lines that follow its head line and are no heads."""
    block = np.frombuffer(buffer, np.uint8, end)
    growing = np.flatnonzero(record_ends < end)
    while len(growing) > 0:
        starts = record_ends[growing]
        ends = np.array([line_end(buffer, start, end) for start in starts.tolist()], np.int64)
        more = head_times(block, starts, ends) == UNDATED
        growing = growing[more]
        record_ends[growing] = ends[more]
        line_counts[growing] += 1
        growing = growing[record_ends[growing] < end]


def line_end(buffer: bytearray, start: int, end: int) -> int:
    """The position behind the newline of the line at *start*; every line has one."""
    return buffer.find(b"\n", start, end) + 1


def find_lines(
    buffer: bytearray, begin: int, end: int, needle: bytes
) -> set[tuple[int, int]] | None:
    """Start and end of each line with *needle*; None when so many have it that this is no gain."""
    lines: set[tuple[int, int]] = set()
    find_next = finder(buffer, end, needle)
    at = find_next(begin)
    while at >= 0:
        start = max(buffer.rfind(b"\n", begin, at) + 1, begin)
        behind = line_end(buffer, at, end)
        lines.add((start, behind))
        if len(lines) > HITS_MIN and len(lines) * BYTES_PER_HIT > at - begin:
            return None
        at = find_next(behind)
    return lines


def concatenate(parts: Sequence[Found]) -> Found:
    if len(parts) == 1:
        return parts[0]
    return Found(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS}
    )


def select(found: Found, index: Int64s) -> Found:
    """The records of *found* at *index*, in that order; itself where that is all as it is."""
    if len(index) == len(found.keys) and bool((index[1:] > index[:-1]).all()):
        return found
    return Found(**{name: getattr(found, name)[index] for name in ARRAYS})
