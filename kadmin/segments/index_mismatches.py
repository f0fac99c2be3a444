"""Where offset, time and transaction indexes do not match the rows of their log."""

from collections.abc import Iterator, Sequence
from struct import Struct

import numpy as np
import numpy.typing as npt

from cluster.formats.errors import CorruptFileError
from cluster.formats.indexes import (
    OFFSET_LAYOUT,
    TIME_LAYOUT,
    AbortedTxn,
    decode_aborted,
    half_entry,
)
from cluster.formats.record_batch import CURRENT_MAGIC
from kadmin.segments.index_entries import written_entries
from kadmin.segments.transactions import InTransaction, Part, aborts, index_name, mismatches
from kadmin.segments.values import (
    ALL_CLEANED,
    CHUNK_ROWS,
    Damage,
    DamageKind,
    Rows,
    SegmentFiles,
    Source,
)

Numbers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def index_mismatches(segment: SegmentFiles, rows: Rows) -> Iterator[Damage]:
    """Return the first wrong entry of each index, given the *rows* of its segment.

    Or what is left behind the last whole entry, for which a broker would make the index anew.
    """
    for index, layout, suffix, kind in (
        (segment.index, OFFSET_LAYOUT, ".index", DamageKind.INDEX_MISMATCH),
        (segment.time_index, TIME_LAYOUT, ".timeindex", DamageKind.TIME_INDEX_MISMATCH),
    ):
        if index is None:
            continue
        wrong = wrong_entry(index, layout, segment.base_offset, rows)
        reason = half_entry(index.size, layout)
        if wrong is None and reason is not None:
            wrong = index.size - index.size % layout.size, segment.base_offset, reason
        if wrong is not None:
            yield Damage(kind, segment.name.replace(".log", suffix), *wrong)


def wrong_entry(
    index: Source, layout: Struct, base_offset: int, rows: Rows
) -> tuple[int, int, str] | None:
    """Return byte and offset of the first wrong entry of an index, and what the entry contains."""
    entries = written_entries(index, layout)
    if not len(entries) or not len(rows):
        # Of a segment whose batches are all damaged nothing can be said.
        return None
    offsets = entries["offset"].astype("i8") + base_offset
    if layout is OFFSET_LAYOUT:
        positions = entries["position"].astype("i8")
        is_right = are_right_positions(offsets, positions, rows)
    else:
        timestamps = entries["timestamp"].astype("i8")
        is_right = are_right_times(offsets, timestamps, base_offset, rows)
    wrong = np.flatnonzero(~is_right)
    if not len(wrong):
        return None
    number = int(wrong[0])
    offset = int(offsets[number])
    if layout is OFFSET_LAYOUT:
        says = f"that offset {offset} is in a batch at byte {positions[number]}"
    else:
        says = f"that the latest up to offset {offset} is of {timestamps[number]}"
    return number * layout.size, offset, f"entry {number} says {says}"


def are_right_positions(offsets: Numbers, positions: Numbers, rows: Rows) -> Bools:
    at = np.minimum(np.searchsorted(rows["position"], positions), len(rows) - 1)
    # What was appended at once has one entry: where its first batch begins, its last one ends.
    # Before Kafka 2.0 the offset is the first one, that of an old message any of its own.
    last = np.minimum(np.searchsorted(rows["last_offset"], offsets), len(rows) - 1)
    base, magic = rows["base_offset"][at], rows["magic"][at]
    is_of_first = (at == last) & ((base == offsets) | (magic < CURRENT_MAGIC))
    is_right: Bools = (rows["position"][at] == positions) & (base <= offsets)
    is_right &= (rows["last_offset"][last] == offsets) | (
        is_of_first & (offsets <= rows["last_offset"][at])
    )
    is_right &= at <= last
    is_right[1:] &= last[:-1] < at[1:]
    return is_right


def are_right_times(offsets: Numbers, timestamps: Numbers, base_offset: int, rows: Rows) -> Bools:
    at = np.minimum(np.searchsorted(rows["last_offset"], offsets), len(rows) - 1)
    # Older releases name any offset of the batch; and of messages without a time some have zero for
    # it, some, as 0.10, when they appended them.
    is_right: Bools = (base_offset <= offsets) & (offsets <= rows["last_offset"][at])
    is_right &= (rows["max_timestamp"][at] == timestamps) | (rows["magic"][at] == 0)
    is_right[1:] &= timestamps[:-1] < timestamps[1:]
    return is_right


def txn_index_mismatches(
    segments: Sequence[SegmentFiles], rows: Rows, high_watermark: int, cleaned_offset: int
) -> Iterator[Damage]:
    """Return the first mismatch of each transaction index, given all *rows* of a log.

    What the last segment's has to name ends with the high watermark: while a broker writes, the
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
            entries[number] = decode_aborted(content, name)
        except CorruptFileError as error:
            kind = DamageKind.TXN_INDEX_MISMATCH
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
        cleaned_offset=cleaned_offset,
    )
    reported: set[int] = set()
    for number, position, offset, reason in mismatches(
        found, entries, cleaned_offset=cleaned_offset, must_have_until=must_have_until
    ):
        if number not in reported:
            reported.add(number)
            name = index_name(segments[number].name)
            yield Damage(DamageKind.TXN_INDEX_MISMATCH, name, position, offset, reason)


def parts_of(rows: Rows) -> Iterator[Part]:
    """Return the batches among *rows* that are of transactions, not all as tuples at once."""
    for at in range(0, len(rows), CHUNK_ROWS):
        some = rows[at : at + CHUNK_ROWS]
        some = some[some["transaction"] != InTransaction.NOTHING]
        yield from map(
            Part._make, zip(*(some[name].tolist() for name in Part._fields), strict=True)
        )
