"""Offset and time indexes, read beside the segment that they are of: what do they say, is it so?

Source: Kafka's DumpLogSegments, OffsetIndex.sanityCheck and TimeIndex.sanityCheck.
"""

from bisect import bisect_right
from collections.abc import Iterator
from struct import Struct
from typing import Final

from cluster.storage.errors import CorruptFileError
from cluster.storage.offset_index import LAYOUT as OFFSET_LAYOUT
from cluster.storage.time_index import LAYOUT as TIME_LAYOUT
from kadmin.segments.pieces import (
    EmptyIndex,
    Finding,
    Flaw,
    OffsetEntry,
    Piece,
    SaneIndex,
    TimeEntry,
)
from kadmin.segments.source import Source
from kadmin.segments.walk import first_batch, headers_from

READ_SIZE: Final = 96 * 1024
"""A multiple of the entries' sizes."""


def offset_index(
    index: Source, log: Source | None, base_offset: int, *, message_size_max: int
) -> Iterator[Piece]:
    """The entries of an offset index, each checked against *log*, the segment; None: not at all.

    Without a batch of up to *message_size_max* bytes at its position an entry is wrong.
    """
    yield from half_an_entry(index, OFFSET_LAYOUT)
    if index.size < OFFSET_LAYOUT.size:
        yield EmptyIndex()
        return
    offset_before = base_offset - 1
    for number, entry in enumerate(offset_entries(index, base_offset)):
        if number > 0 and entry.offset == base_offset:
            return  # Zeros: preallocated, and not written.
        if entry.offset <= offset_before:
            # What follows would be as wrong: it is text, or whatever.
            yield no_index(
                f"entry {number} is of offset {entry.offset},"
                + (f" behind {offset_before}" if number > 0 else " before its segment begins")
            )
            return
        offset_before = entry.offset
        if log is not None and not is_unwritten(entry, base_offset):
            header = first_batch(log, entry.position, message_size_max)
            if header is None:
                yield Finding(Flaw.NO_BATCH_AT_POSITION, entry.offset, entry.position)
            elif header.last_offset != entry.offset:
                yield Finding(Flaw.INDEX_MISMATCH, entry.offset, header.last_offset)
        yield entry


def is_unwritten(entry: OffsetEntry, base_offset: int) -> bool:
    """Whether it is the first zeros of an index without entries: none is of the first batch."""
    return entry == OffsetEntry(base_offset, 0)


def time_index(
    index: Source, offsets: Source | None, log: Source | None, base_offset: int
) -> Iterator[Piece]:
    """The entries of a time index, each checked against *log*, found by its index *offsets*."""
    yield from half_an_entry(index, TIME_LAYOUT)
    known = b"" if offsets is None else offsets.read(0, offsets.size)
    timestamp_before = -1
    for number, entry in enumerate(time_entries(index, base_offset)):
        if entry.offset == base_offset and (number > 0 or entry.timestamp == 0):
            if number == 0:
                yield entry
            return  # Zeros: preallocated, and not written.
        if log is not None:
            start = position_before(known, entry.offset - base_offset)
            found = list(time_findings(entry, log, start))
            yield from found
            is_found = not found or found[0].flaw is Flaw.TIMESTAMP_MISMATCH
            if is_found and timestamp_before >= entry.timestamp:
                yield Finding(Flaw.TIMESTAMP_OUT_OF_ORDER, entry.timestamp, timestamp_before)
        yield entry
        timestamp_before = entry.timestamp


def time_findings(entry: TimeEntry, log: Source, position: int) -> Iterator[Finding]:
    for header in headers_from(log, position):
        if header.last_offset < entry.offset:
            continue
        if header.last_offset != entry.offset:
            is_within = header.max_timestamp == entry.timestamp
            flaw = Flaw.INDEXED_OFFSET_WITHIN_BATCH if is_within else Flaw.INDEXED_OFFSET_NOT_FOUND
            yield Finding(flaw, entry.offset, header.last_offset)
        elif header.max_timestamp != entry.timestamp:
            yield Finding(Flaw.TIMESTAMP_MISMATCH, entry.timestamp, header.max_timestamp)
        return
    yield Finding(Flaw.INDEXED_OFFSET_NOT_FOUND, entry.offset)


def position_before(entries: bytes, relative_offset: int) -> int:
    """Where to begin to look for an offset: the last of an offset index's *entries* up to it."""
    # Zeros at the end are preallocated, and not written.
    count = -(-len(entries.rstrip(b"\0")) // OFFSET_LAYOUT.size)

    def offset_of(number: int) -> int:
        return int(OFFSET_LAYOUT.unpack_from(entries, number * OFFSET_LAYOUT.size)[0])

    count = min(count, len(entries) // OFFSET_LAYOUT.size)
    number = bisect_right(range(count), relative_offset, key=offset_of)
    if number == 0:
        return 0
    return int(OFFSET_LAYOUT.unpack_from(entries, (number - 1) * OFFSET_LAYOUT.size)[1])


def sanity(index: Source, base_offset: int, *, is_time: bool) -> Iterator[Piece]:
    """What a broker looks at when it starts: the size of the index, and its last entry.

    Raises:
        CorruptFileError: it would make the index anew.
    """
    layout = TIME_LAYOUT if is_time else OFFSET_LAYOUT
    for finding in half_an_entry(index, layout):
        yield finding
        return
    count = index.size // layout.size
    if count == 0:
        yield SaneIndex() if is_time else EmptyIndex()
        return
    first = layout.unpack(index.read(0, layout.size))
    last = layout.unpack(index.read(index.size - layout.size, layout.size))
    if is_time and last[0] < first[0]:
        raise CorruptFileError("", f"it ends at timestamp {last[0]}, before the first, {first[0]}")
    relative_offset = last[1] if is_time else last[0]
    if relative_offset < 0:
        raise CorruptFileError("", f"it ends {-relative_offset} offsets before its segment begins")
    yield SaneIndex()


def half_an_entry(index: Source, layout: Struct) -> Iterator[Finding]:
    """What is wrong about the size of *index*, if so."""
    if index.size % layout.size != 0:
        yield no_index(f"its size of {index.size} is no multiple of {layout.size}")


def no_index(why: str) -> Finding:
    return Finding(Flaw.CORRUPT_FILE, reason=f"it is no index, or a damaged one: {why}")


def offset_entries(index: Source, base_offset: int) -> Iterator[OffsetEntry]:
    for relative_offset, position in rows(index, OFFSET_LAYOUT):
        yield OffsetEntry(base_offset + relative_offset, position)


def time_entries(index: Source, base_offset: int) -> Iterator[TimeEntry]:
    for timestamp, relative_offset in rows(index, TIME_LAYOUT):
        yield TimeEntry(timestamp, base_offset + relative_offset)


def rows(source: Source, layout: Struct) -> Iterator[tuple[int, ...]]:
    """The whole rows of a file that has rows of one size."""
    end = source.size - source.size % layout.size
    for position in range(0, end, READ_SIZE):
        content = source.read(position, min(READ_SIZE, end - position))
        yield from layout.iter_unpack(content[: len(content) - len(content) % layout.size])
