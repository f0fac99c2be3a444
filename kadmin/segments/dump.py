"""What is in a file of a log directory, piece by piece, and where it is not what it should be.

Knows neither how pieces are shown nor where files are.

Source: Kafka's DumpLogSegments.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from cluster.formats import checkpoints, producer_snapshot
from cluster.formats.batch_walk import Walk, WalkedBatch
from cluster.formats.checkpoints import EpochEntry
from cluster.formats.compression import UNPACKED_SIZE_MAX
from cluster.formats.errors import CorruptFileError
from cluster.formats.indexes import decode_aborted
from cluster.formats.metadata_records import control_of
from cluster.formats.properties import PARTITION_METADATA
from cluster.formats.record_batch import CorruptBatchError
from cluster.formats.records import Record, records_of
from kadmin.segments.indexes import offset_index, sanity, time_index
from kadmin.segments.pieces import (
    BatchRecord,
    BootstrapStart,
    Decoded,
    Finding,
    Flaw,
    InvalidBytes,
    OffsetOfPartition,
    Piece,
    SegmentStart,
    SnapshotStart,
)
from kadmin.segments.values import Source

SMALL_SIZE_MAX: Final = 256 * 1024**2
"""Snapshots and checkpoints are read whole, up to this size."""

OFFSET_CHECKPOINTS: Final = frozenset(
    (
        checkpoints.RECOVERY_POINTS,
        checkpoints.HIGH_WATERMARKS,
        checkpoints.LOG_STARTS,
        "cleaner-offset-checkpoint",
    )
)
NAME: Final = re.compile(
    r"(?P<offset>[0-9]{1,19}|0[0-9]{19})(?P<suffix>\.[a-z]+)"
    r"(?P<state>\.(?:swap|cleaned|deleted))?(?:\.[0-9]+)?(?:\.set-aside-[0-9]+)?"
)
"""Of what belongs to a segment: up to 20 digits, no offset having more than 19; and of what is, or
was, about to take its place or to go."""


QUORUM_SNAPSHOT: Final = re.compile(
    r"(?P<offset>0[0-9]{19})-(?P<epoch>[0-9]{10})\.checkpoint(?:\.(?:part|deleted))?"
)
BOOTSTRAP: Final = "bootstrap.checkpoint"


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpOptions:
    """What is asked of a dump."""

    is_deep: bool = False
    """Whether records are read."""
    only_sanity: bool = False
    """Whether of indexes only that is looked at which a broker looks at when it starts."""
    only_indexes: bool = False
    """Whether it is indexes that are asked for, and other files are there by mistake."""
    message_size_max: int
    """Bytes of the largest batch that an offset index may point to."""
    bytes_max: int | None = None
    """How much of a segment is read; None for all of it."""
    decode: Callable[[Record], Decoded] | None = None
    """Decodes records of a coordinator or of the metadata log; None where none are decoded."""


Opener = Callable[[str], Source | None]
"""Opens the file of a name beside the one that is dumped; None when there is none."""


def dump(name: str, source: Source, opened: Opener, options: DumpOptions) -> Iterator[Piece]:
    """Return the pieces of the file *name*, with what is wrong among them.

    An OSError of a source is let out.
    """
    try:
        yield from pieces_of(name, source, opened, options)
    except CorruptFileError as error:
        yield Finding(Flaw.CORRUPT_FILE, reason=error.reason)


def pieces_of(name: str, source: Source, opened: Opener, options: DumpOptions) -> Iterator[Piece]:
    if name == checkpoints.LEADER_EPOCHS or name in OFFSET_CHECKPOINTS:
        yield from checkpoint_rows(name, whole(source))
        return
    snapshot = QUORUM_SNAPSHOT.fullmatch(name)
    if snapshot is not None or name == BOOTSTRAP:
        yield snapshot_start(snapshot)
        yield from segment_pieces(source, options)
        return
    found = NAME.fullmatch(name)
    if found is None:
        yield unknown(name, options)
        return
    digits, base_offset = found["offset"], int(found["offset"])
    state = found["state"] or ""
    match found["suffix"]:
        case ".log":
            yield SegmentStart(base_offset)
            yield from segment_pieces(source, options)
        case ".index" | ".timeindex" as suffix if options.only_sanity:
            yield from sanity(source, base_offset, is_time=suffix == ".timeindex")
        case ".index":
            size_max = options.message_size_max
            log = opened(f"{digits}.log{state}")
            yield from offset_index(source, log, base_offset, message_size_max=size_max)
        case ".timeindex":
            offsets, log = opened(f"{digits}.index{state}"), opened(f"{digits}.log{state}")
            yield from time_index(source, offsets, log, base_offset)
        case ".txnindex":
            yield from decode_aborted(whole(source), name)
        case ".snapshot":
            yield from producer_snapshot.decode(whole(source), name)
        case _:
            yield unknown(name, options)


def checkpoint_rows(name: str, content: bytes) -> Iterator[EpochEntry | OffsetOfPartition]:
    if name == checkpoints.LEADER_EPOCHS:
        for epoch, start_offset in checkpoints.parse_rows(content, name, width=2):
            yield EpochEntry(int(epoch), int(start_offset))
        return
    for topic, partition, offset in checkpoints.parse_rows(content, name, width=3):
        yield OffsetOfPartition(topic, int(partition), int(offset))


def snapshot_start(name: re.Match[str] | None) -> SnapshotStart | BootstrapStart:
    if name is None:
        return BootstrapStart()
    return SnapshotStart(int(name["offset"]), int(name["epoch"]))


def unknown(name: str, options: DumpOptions) -> Finding:
    """Return the finding of an unknown file; it is damage where the file was taken for an index."""
    if options.only_indexes and name != PARTITION_METADATA:
        return Finding(
            Flaw.CORRUPT_FILE, reason="it is no index: these are named *.index and *.timeindex"
        )
    return Finding(Flaw.UNKNOWN_FILE)


def whole(source: Source) -> bytes:
    """Return the content of a file that is small in every log directory.

    Raises:
        CorruptFileError: it is not.
    """
    if source.size > SMALL_SIZE_MAX:
        raise CorruptFileError("", f"it has {source.size} bytes, which no such file has")
    return source.read(0, source.size)


def segment_pieces(source: Source, options: DumpOptions) -> Iterator[Piece]:
    """Return the batches of a segment, and their records if these are asked for."""
    size, bytes_max = source.size, options.bytes_max
    walk = Walk(source, size if bytes_max is None else min(size, bytes_max))
    offset_before: int | None = None
    for batch in walk:
        yield batch
        if not batch.is_valid:
            yield Finding(Flaw.WRONG_CHECKSUM, batch.position)
        if not options.is_deep:
            continue
        try:
            for piece in record_pieces(walk, batch, options.decode):
                offset = piece.record.offset
                if offset_before is not None and offset != offset_before + 1:
                    yield Finding(Flaw.NOT_CONSECUTIVE, offset_before, offset)
                offset_before = offset
                yield piece
        except CorruptBatchError as error:
            yield Finding(Flaw.UNREADABLE_RECORDS, batch.position, reason=error.reason)
    tail = walk.tail
    if tail.size > 0 and options.bytes_max is None:
        yield InvalidBytes(tail.position, tail.size, tail.reason)
        yield Finding(Flaw.INVALID_BYTES, tail.position, reason=tail.reason)


def record_pieces(
    walk: Walk, batch: WalkedBatch, decode: Callable[[Record], Decoded] | None
) -> Iterator[BatchRecord]:
    if batch.header.size > UNPACKED_SIZE_MAX:
        raise CorruptBatchError(0, f"a batch of {batch.header.size} bytes is not read")
    for record in records_of(walk.content(batch), batch.header):
        if batch.header.is_control:
            yield BatchRecord(batch, record, control_of(record))
        else:
            yield BatchRecord(batch, record, None, None if decode is None else decode(record))
