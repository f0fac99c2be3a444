"""The parts of a file: which times lie in which stretch of it, how many lines, is it in order?

A survey decodes the time of every line, so that a plan made from it is never wrong, and cuts the
file into parts of about a MiB, each from one head line to another.  Orders and keeps nothing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from kadmin.jobs.merge.clocks import ALWAYS, Clock, TimeRange
from kadmin.jobs.merge.files.errors import FileChanged
from kadmin.jobs.merge.files.reader import Reader
from kadmin.jobs.merge.survey.records import Records, find_records
from kadmin.statechange.lines import OPENING, Bytes, Int64s

BLOCK_BYTES: Final = 4 << 20

RECORD_BYTES_MAX: Final = 64 << 20
"""A worker holds whole records; one larger than this is no line of a log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of a file from one head line to another; times are common times in ms.

    *wanted_count* is the number of lines in the range of time that was asked for.  In a part that
    *is_plain* every line is a record.
    *step_ms* is how far the clock goes back at most from one record of the part to the next, and
    *step_line* the line in the part (from 0) where it does.  A part that was unpacked lies
    compressed in *stored_size* bytes at *stored_at* of the file's unpacked copy.
    """

    begin: int
    end: int
    line_count: int
    wanted_count: int
    undated_count: int
    first_ms: int
    last_ms: int
    earliest_ms: int
    latest_ms: int
    step_ms: int = 0
    step_line: int = 0
    is_plain: bool = True
    has_returns: bool = False
    stored_at: int = -1
    stored_size: int = 0


class RecordTooLong(Exception):
    """Something in a log, from *offset* on, that has no next head line for tens of megabytes."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.message = f"no dated line for {RECORD_BYTES_MAX >> 20} MiB from byte {offset} on"
        super().__init__(self.message)


Read = Callable[[memoryview], int]
"""Fills the view with the next bytes; fewer only at the end."""

Store = Callable[[memoryview], tuple[int, int]]
"""Stores bytes and returns their position and size."""


def survey_parts(
    read: Read,
    *,
    begin: int,
    part_bytes: int,
    clock: Clock,
    times: TimeRange = ALWAYS,
    store: Store | None = None,
) -> Iterator[Part]:
    """Survey what *read* gives: a stretch of a file from *begin*, a head line or the file's start.

    Parts without a line of *times* are among them.  No parts at all: there is no head line.

    Raises:
        RecordTooLong: what follows a head line does not end.
    """
    buffer = bytearray(BLOCK_BYTES)
    carried = 0
    while True:
        filled = carried + read(memoryview(buffer)[carried:])
        is_last = filled < len(buffer)
        block = np.frombuffer(buffer, np.uint8, filled)
        records = find_records(block, clock, is_last=is_last)
        if len(records.starts) == 0 and is_last:
            return
        # The last record may go on in the next block.
        cut = filled if is_last else int(records.starts[-1]) if len(records.starts) else 0
        if cut > 0:
            yield from cut_parts(block[:cut], records, begin, part_bytes, times, store)
        if is_last:
            return
        carried, begin = filled - cut, begin + cut
        if cut == 0 and len(buffer) >= RECORD_BYTES_MAX:
            # The line that does not end may be a head itself: what is before it is whole then.
            cut = last_start(block, clock) or 0
            if cut > 0:
                before = block[:cut]
                yield from cut_parts(
                    before, find_records(before, clock), begin, part_bytes, times, store
                )
            raise RecordTooLong(begin + cut)
        if cut == 0:
            buffer = buffer.ljust(2 * len(buffer))
        else:
            buffer[:carried] = buffer[cut:filled]


def last_start(block: Bytes, clock: Clock) -> int | None:
    """Return where the last record of *block* starts, also if its head line is not finished; or
    None."""
    starts = find_records(block, clock, is_last=True).starts
    return int(starts[-1]) if len(starts) > 0 else None


def stretch(reader: Reader, path: str, begin: int, end: int) -> Read:
    """Read from *begin* to *end* of the open file *path*, piece by piece.

    What it gives raises FileChanged where the file ends before.
    """
    at = begin

    def read(into: memoryview) -> int:
        nonlocal at
        wanted = into[: max(end - at, 0)]
        if reader.read_at(at, wanted) < len(wanted):
            raise FileChanged(path)
        at += len(wanted)
        return len(wanted)

    return read


def cut_parts(
    block: Bytes,
    records: Records,
    offset: int,
    part_bytes: int,
    wanted: TimeRange,
    store: Store | None,
) -> Iterator[Part]:
    """Cut *block*, whole records from *offset* of the file on, into parts of about *part_bytes*."""
    count = int(np.searchsorted(records.starts, len(block)))
    cuts = np.searchsorted(records.starts[:count], np.arange(0, len(block), part_bytes))
    if records.undated_count > 0:
        # Lines before the first head line get their time from it: they stay together.
        cuts = cuts[cuts != 1]
    bounds = np.append(np.unique(cuts[cuts < count]), count)
    starts = np.append(records.starts[:count], len(block))
    lines = np.append(records.first_lines, records.line_count)
    for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        times = records.times[low:high]
        begin, end = int(starts[low]), int(starts[high])
        step_ms, step_record = largest_step(times)
        stored_at, stored_size = (-1, 0) if store is None else store(block[begin:end].data)
        yield Part(
            begin=offset + begin,
            end=offset + end,
            line_count=int(lines[high] - lines[low]),
            wanted_count=int(np.diff(lines[low : high + 1])[wanted.contains(times)].sum()),
            is_plain=is_plain(block, starts[low:high], int(lines[high] - lines[low])),
            undated_count=records.undated_count if low == 0 else 0,
            first_ms=int(times[0]),
            last_ms=int(times[-1]),
            earliest_ms=int(times.min()),
            latest_ms=int(times.max()),
            step_ms=step_ms,
            step_line=int(lines[low + step_record] - lines[low]),
            has_returns=records.has_returns,
            stored_at=stored_at,
            stored_size=stored_size,
        )


def is_plain(block: Bytes, starts: Int64s, line_count: int) -> bool:
    return line_count == len(starts) and bool((block[starts] == OPENING).all())


def largest_step(times: Int64s) -> tuple[int, int]:
    """Return how far *times* go back at most from one to the next, and the index of that next;
    or 0, 0."""
    if len(times) < 2:
        return 0, 0
    back = times[:-1] - times[1:]
    index = int(back.argmax())
    return (int(back[index]), index + 1) if back[index] > 0 else (0, 0)
