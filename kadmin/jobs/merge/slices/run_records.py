"""The records of a loaded run that belong to a slice.

Decodes the time of every line, or where words are searched for, of the lines that have them and of
what follows these.
Reads nothing and orders nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from kadmin.jobs.merge.clocks import TimeRange
from kadmin.jobs.merge.files.errors import FileChanged
from kadmin.jobs.merge.slices.plan import Run
from kadmin.jobs.merge.slices.substring_search import substring_finder
from kadmin.jobs.merge.survey.records import find_records
from kadmin.statechange.lines import UNDATED, Int64s, head_times, read_times

HITS_MIN: Final = 256
BYTES_PER_HIT: Final = 2048
"""Where hits are closer than this, decoding every line costs less than looking at each hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecords:
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


ARRAYS: Final = tuple(each.name for each in fields(RunRecords))


def records_of_run(
    buffer: bytearray,
    begin: int,
    end: int,
    run: Run,
    number: int,
    *,
    times: TimeRange,
    substrings: Sequence[bytes] = (),
) -> RunRecords:
    """Return the records of *run* that belong to the slice and lie in *times*.

    The run is the one of that *number* in its slice and lies from *begin* to *end* in *buffer*.
    With *substrings*, records whose head line has none of them may be left out, and line numbers be
    wrong.
    """
    found = None
    if substrings and run.floor_ms is None:
        found = search_run(buffer, begin, end, run, number, substrings)
    if found is None:
        found = decode_run(buffer, begin, end, run, number)
    mask = (found.keys >= run.low_ms) & (found.keys <= run.high_ms) & times.contains(found.times)
    return take(found, np.flatnonzero(mask))


def decode_run(buffer: bytearray, begin: int, end: int, run: Run, number: int) -> RunRecords:
    """Return all records of *run*."""
    block = np.frombuffer(buffer, np.uint8, end - begin, begin)
    records = find_records(block, run.clock)
    if run.begin > 0 and records.undated_count > 0:
        # It began with a head line when it was surveyed.
        raise FileChanged(run.path)
    keys = records.times
    if run.floor_ms is not None:
        keys = np.maximum.accumulate(np.maximum(keys, run.floor_ms))
    return RunRecords(
        starts=records.starts + begin,
        ends=np.append(records.starts[1:], end - begin) + begin,
        head_ends=records.head_ends + begin,
        times=records.times,
        keys=keys,
        line_counts=np.diff(records.first_lines, append=records.line_count),
        first_lines=records.first_lines + run.first_line,
        runs=np.full(len(keys), number),
    )


def search_run(
    buffer: bytearray, begin: int, end: int, run: Run, number: int, substrings: Sequence[bytes]
) -> RunRecords | None:
    """Return the records of *run* whose head line has one of *substrings*; None where this is no
    gain.

    None also where the first line is no head: what that means is for `decode_run` to say.
    """
    hits = {(begin, line_end(buffer, begin, end))}
    for substring in substrings:
        found = find_lines(buffer, begin, end, substring)
        if found is None:
            return None
        hits.update(found)
    starts, ends = np.array(sorted(hits), np.int64).T
    block = np.frombuffer(buffer, np.uint8, end)
    times, is_utc = read_times(block, starts, ends)
    if times[0] == UNDATED:
        return None
    # A line that is no head belongs to a record whose head line may lack the substring.
    heads = np.flatnonzero(times != UNDATED)
    common = run.clock.apply(times[heads], None if is_utc is None else is_utc[heads])
    starts, head_ends, times = starts[heads], ends[heads], common
    record_ends, line_counts = head_ends.copy(), np.ones(len(heads), np.int64)
    if not run.is_plain:
        extend(record_ends, line_counts, buffer, end)
    return RunRecords(
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
    """Return the position behind the newline of the line at *start*; every line has one."""
    return buffer.find(b"\n", start, end) + 1


def find_lines(
    buffer: bytearray, begin: int, end: int, substring: bytes
) -> set[tuple[int, int]] | None:
    """Start and end of each line with *substring*; None when too many have it for a gain."""
    lines: set[tuple[int, int]] = set()
    find_next = substring_finder(buffer, end, substring)
    at = find_next(begin)
    while at >= 0:
        start = max(buffer.rfind(b"\n", begin, at) + 1, begin)
        behind = line_end(buffer, at, end)
        lines.add((start, behind))
        if len(lines) > HITS_MIN and len(lines) * BYTES_PER_HIT > at - begin:
            return None
        at = find_next(behind)
    return lines


def concatenate(parts: Sequence[RunRecords]) -> RunRecords:
    if len(parts) == 1:
        return parts[0]
    return RunRecords(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS}
    )


def take(found: RunRecords, index: Int64s) -> RunRecords:
    """Return the records of *found* at *index*, in that order; itself where that is all as it
    is."""
    if len(index) == len(found.keys) and bool((index[1:] > index[:-1]).all()):
        return found
    return RunRecords(**{name: getattr(found, name)[index] for name in ARRAYS})
