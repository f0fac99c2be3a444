"""Offset lookup: at which offset a time begins in a log.

Kafka's answers to ListOffsets: the very record, not only its batch.  The indexes name the batch;
its records are looked at one by one, decompressed if need be.
"""

from typing import Final, NamedTuple

from cluster.formats.batch_walk import headers
from cluster.formats.record_batch import (
    NO_TIMESTAMP,
    BatchHeader,
    CorruptBatchError,
    checksum_matches,
)
from cluster.formats.records import RecordTime, record_times
from cluster.formats.segment_names import LOG_SUFFIX
from cluster.storage.errors import DamagedSegment
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.segments.segment import Segment

NO_EPOCH: Final = -1


class FoundOffset(NamedTuple):
    offset: int
    timestamp: int
    """NO_TIMESTAMP for the log's start and end, which are places and not records."""
    leader_epoch: int


class SegmentStart(NamedTuple):
    offset: int
    modified_ms: int


def earliest(log: PartitionLog) -> FoundOffset:
    """Return where the log starts."""
    offset = log.log_start_offset
    return FoundOffset(offset, NO_TIMESTAMP, log.epochs.epoch_at(offset))


def latest(log: PartitionLog, end_offset: int) -> FoundOffset:
    """Return the end for the reader: *end_offset* is the high watermark or the log's end."""
    return FoundOffset(end_offset, NO_TIMESTAMP, log.epochs.latest)


def segment_starts(log: PartitionLog, now_ms: int, wall_ms: int) -> list[SegmentStart]:
    """Return the offsets at which segments begin and at which the log ends, the latest first.

    All that clients knew of a log before they could ask for a record's time.  Each has the time at
    which its segment was changed last, the end has that of now.

    Source: Kafka's UnifiedLog.legacyFetchOffsetsBefore.
    """
    starts = [
        SegmentStart(
            max(segment.base_offset, log.log_start_offset),
            wall_ms - (now_ms - segment.modified_ms),
        )
        for segment in log.segments
    ]
    if log.active.size > 0:
        starts.append(SegmentStart(log.log_end_offset, wall_ms))
    return starts[::-1]


def first_at(log: PartitionLog, timestamp: int, end_offset: int) -> FoundOffset | None:
    """Return the first record before *end_offset* that is no earlier than *timestamp*; None without
    one.

    Raises:
        DamagedSegment: the batch in question cannot be read.
        KafkaStorageError: the directory is or went offline.
    """
    with log.health.guard():
        for segment in log.segments:
            if segment.max_timestamp < timestamp:
                continue
            found = first_in(segment, timestamp, log.log_start_offset)
            if found is not None:
                return found if found.offset < end_offset else None
    return None


def first_in(segment: Segment, timestamp: int, start_offset: int) -> FoundOffset | None:
    """Return the first such record of *segment* at *start_offset* or later."""
    try:
        offset = max(start_offset, segment.offset_before_time(timestamp - 1))
        start = segment.position_of(offset)
        if start is None:
            return None
        for position, header in headers(segment.file, start, segment.size):
            if header.max_timestamp < timestamp:
                continue
            for record in times_at(segment, position, header):
                if record.timestamp >= timestamp and record.offset >= start_offset:
                    return FoundOffset(record.offset, record.timestamp, header.leader_epoch)
    except CorruptBatchError as error:
        path = segment.path(LOG_SUFFIX)
        raise DamagedSegment(path, error.position, error.reason) from error
    return None


def latest_time(log: PartitionLog, end_offset: int) -> FoundOffset | None:
    """Return the first record with the log's greatest timestamp; None when no record has one.

    As Kafka, looks at the whole log, and answers None when that record is not before *end_offset*.

    Raises:
        DamagedSegment: the batch in question cannot be read.
        KafkaStorageError: the directory is or went offline.
    """
    with log.health.guard():
        segment = max(log.segments, key=lambda segment: segment.max_timestamp)
        if segment.max_timestamp == NO_TIMESTAMP:
            return None
        found = first_in(segment, segment.max_timestamp, log.log_start_offset)
    return found if found is not None and found.offset < end_offset else None


def times_at(segment: Segment, position: int, header: BatchHeader) -> tuple[RecordTime, ...]:
    """Return offsets and times of the batch at *position*."""
    batch = segment.file.read(position, header.size)
    if not checksum_matches(batch, header):
        raise CorruptBatchError(position, "its checksum is wrong")
    try:
        return tuple(record_times(batch, header))
    except CorruptBatchError as error:
        raise CorruptBatchError(position, error.reason) from error
