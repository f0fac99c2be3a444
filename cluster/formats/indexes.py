"""Entries of the indexes beside a segment: offset, time and transaction index.

An entry of an offset index is the last offset of a batch, relative to the segment's base, and the
byte at which that batch begins.  One of a time index is a timestamp in milliseconds and a relative
offset: up to and with that offset nothing is later.  One of a transaction index is a transaction
that was aborted; it stands in the index of the segment that holds the transaction's marker.

Source: Kafka's OffsetIndex, TimeIndex, TransactionIndex and AbortedTxn.
"""

from struct import Struct
from typing import Final, NamedTuple

from cluster.formats.errors import CorruptFileError

INDEX_SUFFIX: Final = ".index"
TIME_INDEX_SUFFIX: Final = ".timeindex"
TXN_INDEX_SUFFIX: Final = ".txnindex"
OFFSET_LAYOUT: Final = Struct(">ii")
TIME_LAYOUT: Final = Struct(">qi")
TXN_LAYOUT: Final = Struct(">hqqqq")
TXN_VERSION: Final = 0
RELATIVE_OFFSET_MAX: Final = 2**31 - 1


def half_entry(size: int, layout: Struct) -> str | None:
    """Return what is wrong with the *size* of an index; None where all its entries are whole."""
    return f"its size of {size} is no multiple of {layout.size}" if size % layout.size else None


class AbortedTxn(NamedTuple):
    """One transaction that was aborted."""

    producer_id: int
    first_offset: int
    last_offset: int
    """The offset of its marker."""
    last_stable_offset: int
    """The last stable offset when it was aborted."""


def decode_aborted(content: bytes, path: str) -> list[AbortedTxn]:
    """Return the entries of a file.

    Raises:
        CorruptFileError: it is none of such entries.
    """
    reason = half_entry(len(content), TXN_LAYOUT)
    if reason is not None:
        raise CorruptFileError(path, reason)
    rows = list(TXN_LAYOUT.iter_unpack(content))
    if any(version != TXN_VERSION for version, *_ in rows):
        raise CorruptFileError(path, f"an entry is not of version {TXN_VERSION}")
    return [AbortedTxn(*fields) for _, *fields in rows]
