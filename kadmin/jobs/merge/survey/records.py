"""The records of a block of log: where they begin, when they were written, and on which line.

A record is a head line with the stack trace behind it, and moves as one.  Knows blocks, no files.
"""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from kadmin.jobs.merge.clocks import Clock
from kadmin.jobs.merge.files.reader import Reader
from kadmin.statechange.lines import UNDATED, Bytes, Int64s, line_ends, read_times

WINDOW_BYTES: Final = 1 << 16
HOLE_BYTES: Final = 4 << 20
"""How much of a hole at a file's start is looked at in one go."""

PROBE_BYTES: Final = 1 << 20
"""How much of a file is searched at its front, and at its end, for a head line: one without is no
state-change log."""

RETURN: Final = 13

ANSWERS: Final = (
    (
        re.compile(
            rb'\s*\{\s*"(?:took|_scroll_id|pit_id|timed_out|_shards|hits)"[^\n]*"hits"\s*:\s*\['
        ),
        "an answer of Elasticsearch",
        "jq -c '.hits.hits[]'",
    ),
    (
        re.compile(rb'\s*\{\s*"(?:events|searchedLogStreams|nextToken)"\s*:[^\n]*"message"'),
        "an answer of CloudWatch",
        "jq -c '.events[]'",
    ),
    (
        re.compile(rb'\s*\{\s*"(?:status|data)"\s*:[^\n]*"result"\s*:\s*\['),
        "an answer of Loki",
        "jq -r '.data.result[].values[][1]'",
    ),
    (
        re.compile(rb'\s*\{\s*"data"\s*:\s*\[[^\n]*"attributes"'),
        "an answer of Datadog",
        "jq -c '.data[].attributes'",
    ),
    (
        re.compile(rb'\s*\{\s*"tables"\s*:\s*\[[^\n]*"rows"'),
        "an answer of Azure",
        """jq -r '.tables[].rows[] | join(" ")'""",
    ),
    (re.compile(rb'\s*\[\s*\{\s*"[^\n]*\}\s*,\s*\{'), "an array of JSON", "jq -c '.[]'"),
)
"""How answers of log stores begin, what they are, and what takes their events out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """The records of a block: where each starts, its common time, its first line (from 0).

    *head_ends* are the positions behind the first lines.
    """

    starts: Int64s
    head_ends: Int64s
    times: Int64s
    first_lines: Int64s
    line_count: int
    undated_count: int
    """Lines before the first head: the rest of a record that was cut off at the file's start."""
    has_returns: bool
    """Whether a line may end in a carriage return; False is certain."""


def find_records(block: Bytes, clock: Clock, *, is_last: bool = True) -> Records:
    """Return the records of *block*, which begins with a line.

    Lines before the first head are a record of their own with that head's time; without any head
    there is no record.  An unfinished last line counts only where the block *is_last* of its file.
    """
    ends = line_ends(block)
    if is_last and (len(ends) == 0 or ends[-1] < len(block)) and len(block) > 0:
        ends = np.append(ends, len(block))
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])[: len(ends)]
    times, is_utc = read_times(block, starts, ends)
    heads = np.flatnonzero(times != UNDATED)
    common = clock.apply(times[heads], None if is_utc is None else is_utc[heads])
    undated_count = int(heads[0]) if len(heads) > 0 else len(ends)
    if len(heads) > 0 and undated_count > 0:
        heads = np.concatenate([np.zeros(1, np.int64), heads])
        common = np.concatenate([common[:1], common])
    return Records(
        starts=starts[heads],
        head_ends=ends[heads],
        times=common,
        first_lines=heads,
        line_count=len(ends),
        undated_count=undated_count,
        has_returns=bool((block[ends - 2] == RETURN).any()) or RETURN in block[-1:],
    )


def text_start(reader: Reader, size: int) -> int:
    """Return how many NULs a file of *size* bytes begins with: a writer that goes on at its old
    position in a file that was cut to nothing (copytruncate) leaves a hole in front."""
    at, window = 0, WINDOW_BYTES
    while at < size:
        block = block_at(reader, at, min(window, size - at))
        found = np.flatnonzero(block)
        if len(found) > 0:
            return at + int(found[0])
        if len(block) == 0:
            break
        at += len(block)
        window = HOLE_BYTES
    return size


def has_returns_alone(front: bytes) -> bool:
    """Return whether lines of *front*, the start of a file, end in a carriage return alone."""
    return b"\n" not in front and b"\r[" in front.rstrip(b"\r")


def answer_advice(front: bytes) -> str | None:
    """Return what to do with a file with the start *front* that is the answer of a log store, with
    many events in a line; None for another file."""
    for pattern, name, command in ANSWERS:
        if pattern.match(front):
            return f"it is {name}: take its events out with {command}"
    return None


@dataclass(frozen=True, slots=True)
class Head:
    """A head line: its offset in the file and its common time."""

    offset: int
    time_ms: int


def first_head(reader: Reader, offset: int, size: int, clock: Clock) -> Head | None:
    """Return the first head line that starts at or after *offset* in a file of *size* bytes."""
    # The byte before decides whether a line starts at the very offset.
    at = max(offset - 1, 0)
    knows_line_start = offset == 0
    window = WINDOW_BYTES
    while at < size:
        block = block_at(reader, at, min(window, size - at))
        is_last = at + len(block) >= size
        begin = 0 if knows_line_start else next(iter(line_ends(block)), len(block))
        records = find_records(block[begin:], clock, is_last=is_last)
        if len(records.starts) > 0:
            # A record of lines without a head may stand in front of the first head.
            index = 1 if records.undated_count > 0 else 0
            return Head(at + int(begin + records.starts[index]), int(records.times[index]))
        if is_last:
            return None
        # Go on at the line that this window cut; it is read again from its start.
        whole = line_ends(block)
        if len(whole) > 0:
            at, knows_line_start = at + int(whole[-1]), True
        elif not knows_line_start:
            # The rest of a line that began before: of no use, so it need not be held.
            at += len(block)
        else:
            window *= 2
    return None


def may_be_log(reader: Reader, begin: int, size: int, clock: Clock) -> bool:
    """Return whether a file of *size* bytes has a head line near *begin* or near its end.

    The front alone may be the rest of a long trace, or what a container prints as it starts.
    """
    if size - begin <= 2 * PROBE_BYTES:
        return True
    ends = ((begin, begin + PROBE_BYTES), (size - PROBE_BYTES, size))
    return any(first_head(reader, low, high, clock) is not None for low, high in ends)


def last_head(reader: Reader, size: int, clock: Clock) -> Head | None:
    """Return the last head line of a file of *size* bytes; reads no more of its end than it
    must."""
    window = WINDOW_BYTES
    while True:
        at = max(size - window, 0)
        block = block_at(reader, at, size - at)
        begin = 0 if at == 0 else next(iter(line_ends(block)), len(block))
        records = find_records(block[begin:], clock)
        if len(records.starts) > 0:
            return Head(at + int(begin + records.starts[-1]), int(records.times[-1]))
        if at == 0:
            return None
        window *= 4


def block_at(reader: Reader, offset: int, size: int) -> Bytes:
    buffer = bytearray(size)
    count = reader.read_at(offset, memoryview(buffer))
    return np.frombuffer(buffer, np.uint8, count)
