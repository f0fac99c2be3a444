"""Validation: whether batches may be appended to a log.

Looks at the header and the checksum, never at single records: of timestamps it checks the first
and the greatest, where Kafka checks each.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from cluster.model.record_batch import (
    CURRENT_MAGIC,
    HEADER_SIZE,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    BatchHeader,
    Buffer,
    CorruptBatchError,
    PlacedBatch,
    checksum_matches,
    parse_header,
    whole_batches,
)
from cluster.storage.errors import (
    InvalidRecord,
    InvalidTimestamp,
    MessageTooLarge,
    RecordListTooLarge,
    UnexpectedAppendOffset,
    UnsupportedForMessageFormat,
)
from cluster.storage.log_config import NO_BOUND, LogConfig
from cluster.storage.records import ZSTD

UNCOMPRESSED: Final = 0
RECORD_SIZE_MIN: Final = 7
"""Bytes of a record without key, value and headers: each of its seven fields takes one."""


def checked_batch(buffer: Buffer, config: LogConfig, now_ms: int) -> BatchHeader:
    """The header of the one batch that a producer sent in *buffer*.

    Raises:
        CorruptBatchError: it is damaged.
        InvalidRecord: it is not one whole batch, or not one that a producer may send.
        UnsupportedForMessageFormat, MessageTooLarge, RecordListTooLarge, InvalidTimestamp
    """
    header = parse_header(buffer)
    if header.magic != CURRENT_MAGIC:
        raise UnsupportedForMessageFormat(header.magic)
    size = header.size
    check_size(size, config)
    if size != len(buffer):
        raise InvalidRecord(f"{len(buffer)} bytes are not the one batch of {size}")
    if not checksum_matches(buffer, header):
        raise CorruptBatchError(0, "its checksum is wrong")
    check_fields(header, size)
    if not config.uses_log_append_time:
        check_times(header, config, now_ms)
    return header


def check_size(size: int, config: LogConfig) -> None:
    if size > config.message_size_max:
        raise MessageTooLarge(size, config.message_size_max)
    if size > config.segment_size_max:
        raise RecordListTooLarge(size, config.segment_size_max)


def check_fields(header: BatchHeader, size: int) -> None:
    """Hold a producer's batch of *size* bytes to what only brokers and coordinators may write."""
    if header.base_offset != 0:
        raise InvalidRecord(f"a producer's batch begins at offset 0, not {header.base_offset}")
    count = header.record_count
    if count < 1 or count != header.last_offset_delta + 1:
        raise InvalidRecord(f"{count} records do not take offsets 0 to {header.last_offset_delta}")
    codec = header.codec
    if codec > ZSTD:
        raise InvalidRecord(f"there is no compression codec {codec}")
    if codec == UNCOMPRESSED and count > (size - HEADER_SIZE) // RECORD_SIZE_MIN:
        # Each claimed record takes an offset, and no consumer gets past one that is not there.
        raise InvalidRecord(f"{count} records do not fit into {size} bytes")
    if header.is_of_transaction:
        raise InvalidRecord("transactions are not supported")
    if header.producer_id != NO_PRODUCER_ID and (
        header.base_sequence < 0 or header.producer_epoch < 0
    ):
        raise InvalidRecord(
            f"producer {header.producer_id} sent epoch {header.producer_epoch}"
            f" and sequence {header.base_sequence}"
        )


def check_times(header: BatchHeader, config: LogConfig, now_ms: int) -> None:
    if header.is_log_append_time:
        raise InvalidTimestamp(header.max_timestamp, "only a broker says when it appended")
    if header.max_timestamp == NO_TIMESTAMP:
        return
    before, after = config.timestamp_before_max_ms, config.timestamp_after_max_ms
    is_dated = header.base_timestamp != NO_TIMESTAMP
    if before != NO_BOUND and is_dated and header.base_timestamp < now_ms - before:
        raise InvalidTimestamp(header.base_timestamp, f"more than {before} ms before now")
    if after != NO_BOUND and header.max_timestamp > now_ms + after:
        raise InvalidTimestamp(header.max_timestamp, f"more than {after} ms after now")


def following_batches(buffer: Buffer, log_end_offset: int) -> tuple[PlacedBatch, ...]:
    """The whole batches of a leader in *buffer*, which continue a log that ends at that offset.

    Raises:
        CorruptBatchError: one of them is damaged.
        UnexpectedAppendOffset: one begins before the end of what is before it.
    """
    expected = log_end_offset
    batches = tuple(whole_batches(buffer))
    for position, header in batches:
        if not checksum_matches(buffer, header, position):
            raise CorruptBatchError(position, "its checksum is wrong")
        if header.base_offset < expected:
            raise UnexpectedAppendOffset(header.base_offset, expected)
        expected = header.next_offset
    return batches


def runs(batches: Sequence[PlacedBatch], size_max: int) -> Iterator[Sequence[PlacedBatch]]:
    """Cut *batches* into runs of at most *size_max* bytes; a larger batch is a run of its own."""
    first = size = 0
    for number, placed in enumerate(batches):
        size += placed.header.size
        if size > size_max and number > first:
            yield batches[first:number]
            first, size = number, placed.header.size
    if first < len(batches):
        yield batches[first:]
