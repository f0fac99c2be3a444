"""The pieces that files of a log directory are made of, and what can be wrong about them.

Values only.
"""

from enum import StrEnum
from typing import NamedTuple

from cluster.formats.batch_walk import WalkedBatch
from cluster.formats.checkpoints import EpochEntry
from cluster.formats.coordinator_records import CoordinatorRecord, UnknownRecord
from cluster.formats.indexes import AbortedTxn
from cluster.formats.message_fields import UndecodableRecord
from cluster.formats.metadata_records import ControlRecord, MetadataRecord, UndecodableMetadata
from cluster.formats.producer_snapshot import Producer
from cluster.formats.records import Marker, Record

Decoded = (
    CoordinatorRecord | UnknownRecord | UndecodableRecord | MetadataRecord | UndecodableMetadata
)


class SegmentStart(NamedTuple):
    """The beginning of a segment, with the offset in its name."""

    base_offset: int


class SnapshotStart(NamedTuple):
    """The beginning of a snapshot of the metadata log, with the end that its name has."""

    end_offset: int
    epoch: int


class BootstrapStart(NamedTuple):
    """The beginning of the snapshot with which a quorum is formatted."""


class BatchRecord(NamedTuple):
    """A record of a batch."""

    batch: WalkedBatch
    record: Record
    control: Marker | ControlRecord | None
    """What it is in a control batch, such as the end of a transaction."""
    decoded: Decoded | None = None
    """Its contents in the topic of a coordinator or in the metadata log; None where they are not
    wanted."""


class InvalidBytes(NamedTuple):
    """Bytes at the end of a segment that are no batch."""

    position: int
    size: int
    reason: str


class OffsetEntry(NamedTuple):
    """An entry of an offset index."""

    offset: int
    position: int


class TimeEntry(NamedTuple):
    """An entry of a time index."""

    timestamp: int
    offset: int


class EmptyIndex(NamedTuple):
    """An offset index without entries."""


class SaneIndex(NamedTuple):
    """An index that a broker would not make anew at its start."""


class OffsetOfPartition(NamedTuple):
    """A row of a checkpoint that names partitions."""

    topic: str
    partition: int
    offset: int


class Flaw(StrEnum):
    """What can be wrong; Kafka's tool finds all but the last four, of which it dies."""

    INDEX_MISMATCH = "index_mismatch"
    TIMESTAMP_MISMATCH = "timestamp_mismatch"
    TIMESTAMP_OUT_OF_ORDER = "timestamp_out_of_order"
    INDEXED_OFFSET_NOT_FOUND = "indexed_offset_not_found"
    INDEXED_OFFSET_WITHIN_BATCH = "indexed_offset_within_batch"
    NOT_CONSECUTIVE = "not_consecutive"
    WRONG_CHECKSUM = "wrong_checksum"
    INVALID_BYTES = "invalid_bytes"
    UNREADABLE_RECORDS = "unreadable_records"
    NO_BATCH_AT_POSITION = "no_batch_at_position"
    CORRUPT_FILE = "corrupt_file"
    UNKNOWN_FILE = "unknown_file"

    @property
    def is_damage(self) -> bool:
        """Whether there is something wrong indeed.

        Compaction leaves offsets that are not consecutive; and the time indexes of older
        releases name offsets within batches.
        """
        return self not in (
            Flaw.NOT_CONSECUTIVE,
            Flaw.INDEXED_OFFSET_WITHIN_BATCH,
            Flaw.UNKNOWN_FILE,
        )


class Finding(NamedTuple):
    """Something wrong in a file."""

    flaw: Flaw
    said: int = -1
    """The offset in the index, or the offset before; of a segment the position."""
    found: int = -1
    """What is there instead; -1 where nothing is."""
    reason: str = ""


Piece = (
    SegmentStart
    | SnapshotStart
    | BootstrapStart
    | WalkedBatch
    | BatchRecord
    | InvalidBytes
    | OffsetEntry
    | TimeEntry
    | EmptyIndex
    | SaneIndex
    | Producer
    | AbortedTxn
    | EpochEntry
    | OffsetOfPartition
    | Finding
)
