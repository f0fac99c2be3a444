"""The log of a replica as values: its segments' files, its batches as rows, what is wrong with it.

Rows are columns of numpy, so that replicas of millions of batches are compared at the speed of C.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from cluster.formats import batch_walk


class Source(batch_walk.Source, Protocol):
    """An open file of *size* bytes; it knows neither disks nor archives."""

    @property
    def size(self) -> int: ...


ROW: Final = np.dtype(
    [
        ("base_offset", "i8"),
        ("last_offset", "i8"),
        ("leader_epoch", "i4"),
        ("crc", "u4"),
        ("record_count", "i4"),
        ("size", "i4"),
        ("magic", "i1"),
        ("max_timestamp", "i8"),
        ("segment", "i4"),
        ("position", "i8"),
        ("is_valid", "?"),
        ("producer_id", "i8"),
        ("transaction", "i1"),
    ]
)
"""One row per batch: `segment` counts the segments of the replica, `position` is the byte in it,
`transaction` is an InTransaction."""

ALL_CLEANED: Final = 2**63 - 1
"""Of a log of which any offset may be missing."""

CHUNK_ROWS: Final = 16384
"""So many rows are gathered as tuples, which take ten times the room."""

Rows = npt.NDArray[np.void]


class DamageKind(StrEnum):
    """What can be wrong with a replica, whatever the others have."""

    WRONG_CHECKSUM = "wrong_checksum"
    OFFSET_GAP = "offset_gap"
    OUT_OF_ORDER = "out_of_order"
    TORN_TAIL = "torn_tail"
    NO_BATCH = "no_batch"
    UNREADABLE_RECORDS = "unreadable_records"
    ENDS_BEFORE_HIGH_WATERMARK = "ends_before_high_watermark"
    INDEX_MISMATCH = "index_lies"
    TIME_INDEX_MISMATCH = "time_index_lies"
    TXN_INDEX_MISMATCH = "txn_index_lies"
    CORRUPT_CHECKPOINT = "corrupt_checkpoint"
    LATEST_RECORD_MISSING = "latest_record_missing"
    """Of a key in a compacted log, as another replica shows."""


class Damage(NamedTuple):
    """Something wrong with a replica, and where."""

    kind: DamageKind
    file: str
    position: int
    """The byte in the file; 0 where it is about the whole file."""
    offset: int
    reason: str


class FirstOffset(NamedTuple):
    """Where a log begins, by a file beside its segments."""

    offset: int
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentFiles:
    """The open files of one segment."""

    base_offset: int
    name: str
    """Of the log file, with `.swap` behind it where a swap was interrupted."""
    log: Source
    index: Source | None = None
    time_index: Source | None = None
    txn_index: Source | None = None

    @property
    def has_indexes(self) -> bool:
        """Whether a transaction index would be there if there were one: what was collected over
        the wire has none."""
        return self.index is not None or self.txn_index is not None
