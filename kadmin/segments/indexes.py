"""Offset and time indexes, read beside the segment that they are of: what do they say, is it so?

Source: Kafka's DumpLogSegments, OffsetIndex.sanityCheck and TimeIndex.sanityCheck.
"""

from collections.abc import Iterator
from contextlib import suppress
from struct import Struct

import numpy as np

from cluster.formats.batch_walk import first_header, headers
from cluster.formats.errors import CorruptFileError
from cluster.formats.indexes import OFFSET_LAYOUT, TIME_LAYOUT, half_entry
from cluster.formats.record_batch import BatchHeader, CorruptBatchError
from kadmin.segments.index_entries import entries_of, written_entries
from kadmin.segments.pieces import (
    EmptyIndex,
    Finding,
    Flaw,
    OffsetEntry,
    Piece,
    SaneIndex,
    TimeEntry,
)
from kadmin.segments.values import Rows, Source


def offset_index(
    index: Source, log: Source | None, base_offset: int, *, message_size_max: int
) -> Iterator[Piece]:
    """Return the entries of an offset index, each checked against *log*, the segment; None: not at
    all.

    Without a batch of up to *message_size_max* bytes at its position an entry is wrong.
    """
    yield from half_entries(index, OFFSET_LAYOUT)
    if index.size < OFFSET_LAYOUT.size:
        yield EmptyIndex()
        return
    offset_before = base_offset - 1
    for number, (relative_offset, position) in enumerate(entries_of(index, OFFSET_LAYOUT).tolist()):
        entry = OffsetEntry(base_offset + relative_offset, position)
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
            end = min(log.size, position + message_size_max)
            header = first_header(log, position, end)
            if header is None:
                yield Finding(Flaw.NO_BATCH_AT_POSITION, entry.offset, entry.position)
            elif header.last_offset != entry.offset:
                yield Finding(Flaw.INDEX_MISMATCH, entry.offset, header.last_offset)
        yield entry


def is_unwritten(entry: OffsetEntry, base_offset: int) -> bool:
    """Return whether it is the first zeros of an index without entries: none is of the first
    batch."""
    return entry == OffsetEntry(base_offset, 0)


def time_index(
    index: Source, offsets: Source | None, log: Source | None, base_offset: int
) -> Iterator[Piece]:
    """Return the entries of a time index, each checked against *log*, found by its index
    *offsets*."""
    yield from half_entries(index, TIME_LAYOUT)
    known = None if offsets is None else written_entries(offsets, OFFSET_LAYOUT)
    timestamp_before = -1
    for number, (timestamp, relative_offset) in enumerate(entries_of(index, TIME_LAYOUT).tolist()):
        entry = TimeEntry(timestamp, base_offset + relative_offset)
        if entry.offset == base_offset and (number > 0 or entry.timestamp == 0):
            if number == 0:
                yield entry
            return  # Zeros: preallocated, and not written.
        if log is not None:
            start = 0 if known is None else position_before(known, relative_offset)
            found = list(time_findings(entry, log, start))
            yield from found
            is_found = not found or found[0].flaw is Flaw.TIMESTAMP_MISMATCH
            if is_found and timestamp_before >= entry.timestamp:
                yield Finding(Flaw.TIMESTAMP_OUT_OF_ORDER, entry.timestamp, timestamp_before)
        yield entry
        timestamp_before = entry.timestamp


def time_findings(entry: TimeEntry, log: Source, position: int) -> Iterator[Finding]:
    for header in readable_headers(log, position):
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


def readable_headers(log: Source, position: int) -> Iterator[BatchHeader]:
    """Return the headers of the batches from *position* on, up to bytes that are none."""
    if position >= 0:
        with suppress(CorruptBatchError):
            for _, header in headers(log, position, log.size):
                yield header


def position_before(entries: Rows, relative_offset: int) -> int:
    """Return where to begin to look for an offset: the last of an offset index's *entries* up to
    it."""
    number = int(np.searchsorted(entries["offset"], relative_offset, side="right"))
    return 0 if number == 0 else int(entries["position"][number - 1])


def sanity(index: Source, base_offset: int, *, is_time: bool) -> Iterator[Piece]:
    """Return what a broker looks at when it starts: the size of the index, and its last entry.

    Raises:
        CorruptFileError: it would make the index anew.
    """
    layout = TIME_LAYOUT if is_time else OFFSET_LAYOUT
    for finding in half_entries(index, layout):
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


def half_entries(index: Source, layout: Struct) -> Iterator[Finding]:
    """Return what is wrong about the size of *index*, if so."""
    reason = half_entry(index.size, layout)
    if reason is not None:
        yield no_index(reason)


def no_index(why: str) -> Finding:
    return Finding(Flaw.CORRUPT_FILE, reason=f"it is no index, or a damaged one: {why}")
