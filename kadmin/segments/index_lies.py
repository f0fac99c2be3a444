"""What offset, time and transaction indexes say that is not so, given the rows of their log."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from cluster.model.record_batch import CURRENT_MAGIC
from cluster.storage.errors import CorruptFileError
from cluster.storage.offset_index import LAYOUT as OFFSET_LAYOUT
from cluster.storage.time_index import LAYOUT as TIME_LAYOUT
from cluster.storage.txn_index import AbortedTxn, decode
from kadmin.segments.source import Source
from kadmin.segments.transactions import InTransaction, Part, aborts, index_name, lies
from kadmin.segments.values import ALL_CLEANED, CHUNK_ROWS, Damage, DamageKind, Rows, SegmentFiles

INDEX_ENTRY: Final = np.dtype([("offset", ">i4"), ("position", ">i4")])
TIME_ENTRY: Final = np.dtype([("timestamp", ">i8"), ("offset", ">i4")])
assert INDEX_ENTRY.itemsize == OFFSET_LAYOUT.size
assert TIME_ENTRY.itemsize == TIME_LAYOUT.size


def lies_of_indexes(segment: SegmentFiles, rows: Rows) -> Iterator[Damage]:
    """The first entry of each index that is not so, given the *rows* of its segment."""
    base_offset = segment.base_offset
    if segment.index is not None:
        name = segment.name.replace(".log", ".index")
        lies = list(lie_of_index(segment.index, name, base_offset, rows))
        yield from lies or half_entry(segment.index, name, INDEX_ENTRY, DamageKind.INDEX_LIES)
    if segment.time_index is not None:
        name = segment.name.replace(".log", ".timeindex")
        lies = list(lie_of_time_index(segment.time_index, name, base_offset, rows))
        kind = DamageKind.TIME_INDEX_LIES
        yield from lies or half_entry(segment.time_index, name, TIME_ENTRY, kind)


def half_entry(
    index: Source, name: str, layout: "np.dtype[np.void]", kind: DamageKind
) -> Iterator[Damage]:
    """What is left behind the last whole entry of an index, which a broker would make anew."""
    left = index.size % layout.itemsize
    if left:
        reason = f"its size of {index.size} is no multiple of {layout.itemsize}"
        yield Damage(kind, name, index.size - left, int(name.partition(".")[0]), reason)


def lies_of_txn_indexes(
    segments: Sequence[SegmentFiles], rows: Rows, high_watermark: int, cleaned_offset: int
) -> Iterator[Damage]:
    """The first thing that is not so in each transaction index, given all *rows* of a log.

    What the last segment's has to tell ends with the high watermark: while a broker writes, the
    index may have been copied before the log.
    """
    kinds = rows["transaction"]
    has_index = any(segment.txn_index is not None for segment in segments)
    if cleaned_offset == ALL_CLEANED or not (has_index or np.any(kinds == InTransaction.ABORT)):
        return
    entries: dict[int, list[AbortedTxn]] = {}
    for number, segment in enumerate(segments):
        if segment.txn_index is None:
            continue
        name = index_name(segment.name)
        try:
            content = segment.txn_index.read(0, segment.txn_index.size)
            entries[number] = decode(content, name)
        except CorruptFileError as error:
            kind = DamageKind.TXN_INDEX_LIES
            yield Damage(kind, name, 0, segment.base_offset, error.reason)
    unread = {n for n, each in enumerate(segments) if each.txn_index is not None} - set(entries)
    must_have_until = {
        number: ALL_CLEANED if segment is not segments[-1] else high_watermark
        for number, segment in enumerate(segments)
        if segment.has_indexes and number not in unread
    }
    found = aborts(
        parts_of(rows),
        is_whole=segments[0].base_offset == 0 and cleaned_offset == 0,
    )
    told: set[int] = set()
    for number, position, offset, reason in lies(
        found, entries, cleaned_offset=cleaned_offset, must_have_until=must_have_until
    ):
        if number not in told:
            told.add(number)
            name = index_name(segments[number].name)
            yield Damage(DamageKind.TXN_INDEX_LIES, name, position, offset, reason)


def parts_of(rows: Rows) -> Iterator[Part]:
    """The batches among *rows* that are of transactions, not all as tuples at once."""
    for at in range(0, len(rows), CHUNK_ROWS):
        some = rows[at : at + CHUNK_ROWS]
        some = some[some["transaction"] != InTransaction.NOTHING]
        yield from map(
            Part._make, zip(*(some[name].tolist() for name in Part._fields), strict=True)
        )


def entries_of(source: Source, layout: "np.dtype[np.void]") -> Rows:
    """The entries of an index without the zeros that are preallocated behind them."""
    content = source.read(0, source.size)
    whole = np.frombuffer(content, layout, count=len(content) // layout.itemsize)
    written = np.flatnonzero(
        np.logical_or.reduce([whole[name] != 0 for name in layout.names or ()])
    )
    return whole[: int(written[-1]) + 1 if len(written) else 0]


def lie_of_index(index: Source, name: str, base_offset: int, rows: Rows) -> Iterator[Damage]:
    entries = entries_of(index, INDEX_ENTRY)
    if not len(entries) or not len(rows):
        # Of a segment whose batches are all damaged nothing can be said.
        return
    offsets = entries["offset"].astype("i8") + base_offset
    positions = entries["position"].astype("i8")
    at = np.minimum(np.searchsorted(rows["position"], positions), len(rows) - 1)
    # What was appended at once has one entry: where its first batch begins, its last one ends.
    # Before Kafka 2.0 the offset is the first one, that of an old message any of its own.
    last = np.minimum(np.searchsorted(rows["last_offset"], offsets), len(rows) - 1)
    base, magic = rows["base_offset"][at], rows["magic"][at]
    is_of_first = (at == last) & ((base == offsets) | (magic < CURRENT_MAGIC))
    is_so = (rows["position"][at] == positions) & (base <= offsets)
    is_so &= (rows["last_offset"][last] == offsets) | (
        is_of_first & (offsets <= rows["last_offset"][at])
    )
    is_so &= at <= last
    is_so[1:] &= last[:-1] < at[1:]
    for number in np.flatnonzero(~is_so)[:1].tolist():
        position, offset = int(entries["position"][number]), int(offsets[number])
        reason = f"entry {number} says that offset {offset} is in a batch at byte {position}"
        where = number * INDEX_ENTRY.itemsize
        yield Damage(DamageKind.INDEX_LIES, name, where, offset, reason)


def lie_of_time_index(index: Source, name: str, base_offset: int, rows: Rows) -> Iterator[Damage]:
    entries = entries_of(index, TIME_ENTRY)
    if not len(entries) or not len(rows):
        return
    offsets = entries["offset"].astype("i8") + base_offset
    timestamps = entries["timestamp"].astype("i8")
    at = np.minimum(np.searchsorted(rows["last_offset"], offsets), len(rows) - 1)
    # Older releases name any offset of the batch; and of messages without a time some have zero for
    # it, some, as 0.10, when they appended them.
    is_so = (base_offset <= offsets) & (offsets <= rows["last_offset"][at])
    is_so &= (rows["max_timestamp"][at] == timestamps) | (rows["magic"][at] == 0)
    rises = np.concatenate([[True], timestamps[:-1] < timestamps[1:]])
    for number in np.flatnonzero(~(is_so & rises))[:1].tolist():
        timestamp, offset = int(timestamps[number]), int(offsets[number])
        reason = f"entry {number} says that the latest up to offset {offset} is of {timestamp}"
        where = number * TIME_ENTRY.itemsize
        yield Damage(DamageKind.TIME_INDEX_LIES, name, where, offset, reason)
