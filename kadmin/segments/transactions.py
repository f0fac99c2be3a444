"""The transactions of a log, by its batches, compared with those in its `.txnindex` files.

Consumers that read committed records leave out what these files list: aborted records of a
transaction that is not in them are read as committed.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Final, NamedTuple

from cluster.formats.indexes import TXN_INDEX_SUFFIX as SUFFIX
from cluster.formats.indexes import TXN_LAYOUT as LAYOUT
from cluster.formats.indexes import AbortedTxn
from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    NO_PRODUCER_ID,
    BatchHeader,
    CorruptBatchError,
)
from cluster.formats.records import marker_of

OF_TRANSACTION: Final = 0x30
"""The attributes of a batch that is of a transaction, or a marker."""


class InTransaction(IntEnum):
    """What a batch is in a transaction."""

    NOTHING = 0
    RECORDS = 1
    COMMIT = 2
    ABORT = 3


class Part(NamedTuple):
    """A batch that is of a transaction, in the segment of that number."""

    transaction: int
    """An InTransaction."""
    producer_id: int
    base_offset: int
    last_offset: int
    segment: int


class IndexMismatch(NamedTuple):
    """What is wrong with the index of a segment, at a byte of it, about an offset."""

    segment: int
    position: int
    offset: int
    reason: str


class Abort(NamedTuple):
    """A transaction that was aborted, by the batches; a field that they lack is None."""

    producer_id: int
    first_offset: int | None
    """At most there it began; exactly there where *is_exact*."""
    last_offset: int
    last_stable_offset: int | None
    is_exact: bool
    segment: int


def is_of_transaction(header: BatchHeader) -> bool:
    return (
        header.attributes & OF_TRANSACTION != 0
        and header.magic == CURRENT_MAGIC
        and header.is_transactional
        and header.producer_id != NO_PRODUCER_ID
    )


def kind_of(header: BatchHeader, content: bytes) -> InTransaction:
    """Return what the batch *content*, which is of a transaction, is in it."""
    if not header.is_control:
        return InTransaction.RECORDS
    try:
        is_abort = header.record_count > 0 and marker_of(content).is_abort
    except CorruptBatchError:
        return InTransaction.NOTHING
    if header.record_count == 0:
        return InTransaction.NOTHING  # The cleaner has taken the marker out.
    return InTransaction.ABORT if is_abort else InTransaction.COMMIT


def index_name(log_name: str) -> str:
    return log_name.replace(".log", SUFFIX)


def aborts(parts: Iterable[Part], *, is_whole: bool, cleaned_offset: int = 0) -> Iterator[Abort]:
    """Return the transactions that were aborted; *is_whole* if the log begins with offset 0.

    Batches before *cleaned_offset* may be gone: then the marker is all that is left.
    """
    opened: dict[int, int] = {}
    known: set[int] = set()
    """Producers of which nothing before can be open."""
    for kind, producer_id, base_offset, last_offset, segment in parts:
        if kind == InTransaction.RECORDS:
            opened.setdefault(producer_id, base_offset)
            continue
        first_offset = opened.pop(producer_id, None)
        is_known = is_whole or producer_id in known
        if last_offset >= cleaned_offset:
            known.add(producer_id)
        # A marker that ends nothing is in no index.
        if kind == InTransaction.ABORT and not (first_offset is None and is_known):
            stable = min(opened.values(), default=last_offset + 1) if is_whole else None
            yield Abort(producer_id, first_offset, last_offset, stable, is_known, segment)


def mismatches(
    found: Iterable[Abort],
    entries: Mapping[int, list[AbortedTxn]],
    *,
    cleaned_offset: int,
    must_have_until: Mapping[int, int],
) -> Iterator[IndexMismatch]:
    """Return what is wrong with the *entries* of segments, given the transactions that were
    aborted.

    Only those that ended at *cleaned_offset* or later are looked at.  An entry that is missing is
    wrong where its marker stands before the offset that *must_have_until* has for its segment.
    """
    expected = {(each.segment, each.last_offset): each for each in found}
    seen: set[tuple[int, int]] = set()
    for segment, rows in entries.items():
        for number, entry in enumerate(rows):
            if entry.last_offset < cleaned_offset:
                continue
            key = segment, entry.last_offset
            reason = mismatch_of(entry, expected.get(key), is_again=key in seen)
            seen.add(key)
            if reason is not None:
                position = number * LAYOUT.size
                yield IndexMismatch(
                    segment, position, entry.last_offset, f"entry {number} {reason}"
                )
    for (segment, last_offset), abort in expected.items():
        is_due = cleaned_offset <= last_offset < must_have_until.get(segment, 0)
        if is_due and abort.first_offset is not None and (segment, last_offset) not in seen:
            position = LAYOUT.size * len(entries.get(segment, ()))
            reason = (
                f"it does not show that producer {abort.producer_id} aborted what it had sent"
                f" from offset {abort.first_offset} to {last_offset}"
            )
            yield IndexMismatch(segment, position, last_offset, reason)


def mismatch_of(entry: AbortedTxn, abort: Abort | None, *, is_again: bool) -> str | None:
    """Return what is wrong with an entry of a transaction index; None where nothing is."""
    if is_again:
        return f"repeats the transaction to offset {entry.last_offset}"
    if abort is None or abort.producer_id != entry.producer_id:
        return (
            f"says that producer {entry.producer_id} aborted at offset {entry.last_offset},"
            " where no such marker is"
        )
    first = abort.first_offset
    if first is not None and (
        entry.first_offset != first if abort.is_exact else entry.first_offset > first
    ):
        return f"says that what was aborted began at offset {entry.first_offset}, not at {first}"
    stable = abort.last_stable_offset
    if stable is not None and entry.last_stable_offset != stable:
        return (
            f"says that all was decided up to offset {entry.last_stable_offset}, not up to {stable}"
        )
    return None
