"""Validation: whether batches may be appended to a log.

Checks the header, the checksum, and the form and the times of the records, as Kafka does; a
greatest timestamp that is not that of the records is corrected.  Messages of the formats before
magic 2 are another module's.

Compressed records are unpacked for that, and a batch of a few kilobytes can unpack to any size.
Kafka sets no bound to it; here it is UNPACKED_RATIO_MAX times the largest allowed size of a packed
batch.  The caller may set a lower bound to the work of one call: beyond it is `HeavyBatch`.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from crc32c import crc32c

from cluster.formats.compression import UNPACKED_SIZE_MAX, Codec, UnpackedTooLarge, unpacked
from cluster.formats.indexes import RELATIVE_OFFSET_MAX
from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    HEADER_LAYOUT,
    HEADER_SIZE,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    OFFSET_MAX,
    PREFIX_SIZE,
    SEALED_AT,
    BatchHeader,
    Buffer,
    CorruptBatchError,
    HeaderFields,
    PlacedBatch,
    checksum_matches,
    parse_header,
    stamp_max_timestamp,
    whole_batches,
)
from cluster.formats.record_columns import record_columns
from cluster.formats.records import TIMESTAMP_MAX, record_times
from cluster.storage.errors import (
    HeavyBatch,
    InvalidRecord,
    InvalidTimestamp,
    LegacyMessages,
    MessageTooLarge,
    RecordListTooLarge,
    RecordsWithoutKey,
    UnexpectedAppendOffset,
    UnsupportedTransaction,
)
from cluster.storage.log_config import NO_BOUND, LogConfig
from cluster.storage.records.columns import Body
from cluster.storage.records.record_check import (
    UNLIMITED,
    check_records,
    is_plain_lone_record,
)

UNCOMPRESSED: Final = int(Codec.NONE)
CODEC_MAX: Final = int(Codec.ZSTD)
UNPACKED_RATIO_MAX: Final = 100
UNPACKED_SIZE_MIN: Final = 16 * 1024**2
"""What any batch may unpack to, however small those of the topic have to be."""
RECORDS_AT_ONCE_MAX: Final = 20_000
SIZE_AT_ONCE_MAX: Final = 4 * 1024**2
PACKED_AT_ONCE_MAX: Final = 256 * 1024
READS_AT_ONCE_MAX: Final = 4000
"""Of records that cannot be looked at many at a time."""
UNPACKED_AT_ONCE_MAX: Final = 2 * 1024**2
"""What is looked at without a thread: some milliseconds at most."""


# Makes a named tuple in half the time: its fields need not be counted.
_new: Final = tuple.__new__


class TimeRange(NamedTuple):
    """Of a batch's records, in ms; NO_TIMESTAMP where none of them has a time."""

    earliest: int
    latest: int


def checked_batch(
    buffer: bytearray | memoryview,
    config: LogConfig,
    wall_ms: int,
    has_checked_records: bool = False,
) -> HeaderFields:
    """Return the header of the one batch that a producer sent in *buffer*.

    Its greatest timestamp is that of its records, and is written into *buffer* where it was not.
    With *has_checked_records* all that is about the records was done before.

    Raises:
        HeavyBatch: it is sound as far as was looked, but its records are too much to look at here;
            `check_heavy_batch` is for another thread.
        CorruptBatchError: it is damaged.
        LegacyMessages: it has to be converted there (`cluster.storage.records.up_conversion`).
        InvalidRecord: it is not one whole batch, or not one that a producer may send.
        UnsupportedTransaction, MessageTooLarge, RecordListTooLarge, InvalidTimestamp
    """
    # `parse_header` raises what is wrong with a header; of a valid one it would return no more.
    is_whole = len(buffer) >= HEADER_SIZE
    fields = HEADER_LAYOUT.unpack_from(buffer) if is_whole else parse_header(buffer)
    first, length, _, magic, crc, flags, delta, base_ms, max_ms, pid, epoch, sequence, count = (
        fields
    )
    size = length + PREFIX_SIZE
    if magic != CURRENT_MAGIC or size < HEADER_SIZE or delta < 0:
        parse_header(buffer)
        raise LegacyMessages
    if size > config.message_size_max or size > config.segment_size_max:
        check_size(size, config)
    if size != len(buffer):
        raise InvalidRecord(f"{len(buffer)} bytes are not the one batch of {size}")
    if crc32c(buffer[SEALED_AT:]) != crc:
        raise CorruptBatchError(0, "its checksum is wrong")
    # Most batches have none of what a broker has to look at more closely, and many one record.
    is_plain = flags == 0 and (pid == NO_PRODUCER_ID or (epoch >= 0 and sequence >= 0))
    if not (is_plain and first == 0 and 0 < count == delta + 1):
        check_fields(_new(BatchHeader, fields), size)
    if has_checked_records:
        return fields
    times = None
    if not (
        count == 1
        and flags == 0
        and base_ms == max_ms >= 0
        and not config.compacts
        and config.timestamp_before_max_ms == NO_BOUND
        and is_plain_lone_record(buffer, size)
    ):
        times = check_at_once(buffer, _new(BatchHeader, fields), config)
    if times is None and flags == 0 and config.timestamp_after_max_ms == NO_BOUND:
        return fields
    return with_right_times(buffer, _new(BatchHeader, fields), times, config, wall_ms)


def check_at_once(buffer: Buffer, header: BatchHeader, config: LogConfig) -> TimeRange | None:
    """Check the records, unless that takes longer than other clients should wait.

    Return None when *header* has all that has to be known of their times.
    """
    records_max = READS_AT_ONCE_MAX if config.compacts else RECORDS_AT_ONCE_MAX
    if header.record_count > records_max or header.size > SIZE_AT_ONCE_MAX:
        raise HeavyBatch
    body: Buffer = memoryview(buffer)[HEADER_SIZE:]
    if header.codec != UNCOMPRESSED:
        if header.size > PACKED_AT_ONCE_MAX:
            raise HeavyBatch
        try:
            body = unpacked(buffer, header.codec, UNPACKED_AT_ONCE_MAX)
        except UnpackedTooLarge:
            raise HeavyBatch from None
    if says_its_times(body, header, config, READS_AT_ONCE_MAX):
        return None
    if header.record_count > READS_AT_ONCE_MAX:
        raise HeavyBatch
    return time_range(buffer, header, UNPACKED_AT_ONCE_MAX)


def check_heavy_batch(buffer: bytearray | memoryview, config: LogConfig, wall_ms: int) -> None:
    """Look at the records of a batch that was a HeavyBatch before, on whatever thread.

    Its greatest timestamp is written into *buffer* where it was another.

    Raises:
        CorruptBatchError, InvalidRecord, MessageTooLarge, InvalidTimestamp
    """
    header = parse_header(buffer)
    size_max = unpacked_size_max(config)
    try:
        body = unpacked(buffer, header.codec, size_max)
    except UnpackedTooLarge:
        # Producers answer this error by sending smaller batches.
        raise MessageTooLarge(size_max + 1, size_max) from None
    is_said = says_its_times(body, header, config)
    # Unpacked a second time where it lies: it need not be held twice.
    del body
    times = None if is_said else time_range(buffer, header, size_max)
    with_right_times(buffer, header, times, config, wall_ms)


def says_its_times(
    body: Buffer, header: BatchHeader, config: LogConfig, reads_max: int = UNLIMITED
) -> bool:
    """Return whether the greatest timestamp of *header* is that of its records, and suffices.

    It does not where the log's config bounds how early a record may be.

    Raises:
        InvalidRecord: the records contradict the header, or lack the keys that the log needs.
        HeavyBatch: more than *reads_max* of them have to be read, each by itself.
    """
    span_ms = header.max_timestamp - header.base_timestamp
    body = contiguous(body)
    is_latest = check_records(body, header.record_count, span_ms, reads_max)
    if config.compacts:
        check_keys(body, header.record_count)
    if config.uses_log_append_time:
        return True
    # The header does not have the earliest time.
    is_enough = config.timestamp_before_max_ms == NO_BOUND
    return is_latest and is_enough and header.max_timestamp >= NO_TIMESTAMP


def check_keys(body: Body, count: int) -> None:
    """Raise RecordsWithoutKey unless all *count* records, which are sound, have keys."""
    places = record_columns(bytes(body), count).keyless
    if places:
        raise RecordsWithoutKey(places)


def time_range(buffer: Buffer, header: BatchHeader, size_max: int) -> TimeRange:
    """Return the times of all records, which are sound, found by reading each."""
    earliest, latest = TIMESTAMP_MAX, NO_TIMESTAMP
    for _, timestamp in record_times(buffer, header, size_max):
        if timestamp > latest:
            latest = timestamp
        if timestamp < earliest and timestamp != NO_TIMESTAMP:
            earliest = timestamp
    return TimeRange(NO_TIMESTAMP if earliest == TIMESTAMP_MAX else earliest, latest)


def with_right_times(
    buffer: bytearray | memoryview,
    header: BatchHeader,
    times: TimeRange | None,
    config: LogConfig,
    wall_ms: int,
) -> BatchHeader:
    """Return the header with the greatest timestamp that the records have; it is in *buffer* then,
    too.

    Without *times* the header is right.  With LogAppendTime the broker's time will take its place.

    Raises:
        InvalidTimestamp: one of the records has a time that is too far from *wall_ms*.
    """
    if config.uses_log_append_time:
        return header
    if header.is_log_append_time:
        raise InvalidTimestamp(header.max_timestamp, "only a broker says when it appended")
    earliest, latest = times or TimeRange(NO_TIMESTAMP, header.max_timestamp)
    before, after = config.timestamp_before_max_ms, config.timestamp_after_max_ms
    if before != NO_BOUND and earliest != NO_TIMESTAMP and earliest < wall_ms - before:
        raise InvalidTimestamp(earliest, f"more than {before} ms before now")
    if after != NO_BOUND and latest > wall_ms + after:
        raise InvalidTimestamp(latest, f"more than {after} ms after now")
    if latest == header.max_timestamp:
        return header
    return stamp_max_timestamp(buffer, header, latest)


def contiguous(records: Buffer) -> Body:
    """Return the records with the methods of bytes, copied only where they are a part of
    something.
    """
    return bytes(records) if isinstance(records, memoryview) else records


def unpacked_size_max(config: LogConfig) -> int:
    """Return how large the records of a batch may become."""
    return min(
        max(UNPACKED_SIZE_MIN, UNPACKED_RATIO_MAX * config.message_size_max), UNPACKED_SIZE_MAX
    )


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
    if codec > CODEC_MAX:
        raise InvalidRecord(f"there is no compression codec {codec}")
    if header.is_control:
        raise InvalidRecord("clients are not allowed to write control records")
    if header.is_transactional:
        raise UnsupportedTransaction
    if header.producer_id != NO_PRODUCER_ID and (
        header.base_sequence < 0 or header.producer_epoch < 0
    ):
        raise InvalidRecord(
            f"producer {header.producer_id} sent epoch {header.producer_epoch}"
            f" and sequence {header.base_sequence}"
        )


def following_batches(buffer: Buffer, log_end_offset: int) -> tuple[PlacedBatch, ...]:
    """Return the whole batches of a leader in *buffer*, which continue a log that ends at that
    offset.

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
        if header.next_offset > OFFSET_MAX:
            raise CorruptBatchError(position, f"no offset is as high as {header.next_offset}")
        expected = header.next_offset
    return batches


def offset_before_start(buffer: Buffer, start_offset: int) -> int | None:
    """Return the first offset of batches that reach from before *start_offset* beyond it; None if
    they do not.

    A leader sends such a batch for its log start when records were deleted up to within it.

    Raises:
        CorruptBatchError, UnexpectedAppendOffset: as `following_batches`, of a log that ends there.
    """
    first = next(whole_batches(buffer), None)
    if first is None or first.header.base_offset >= start_offset:
        return None
    batches = following_batches(buffer, first.header.base_offset)
    is_before = batches[-1].header.last_offset < start_offset
    return None if is_before else first.header.base_offset


def runs(batches: Sequence[PlacedBatch], size_max: int) -> Iterator[Sequence[PlacedBatch]]:
    """Cut *batches* into runs of at most *size_max* bytes; a larger batch is a run of its own.

    The offsets of a run have room in one segment.
    """
    first = size = 0
    for number, placed in enumerate(batches):
        size += placed.header.size
        span = placed.header.last_offset - batches[first].header.base_offset
        if number > first and (size > size_max or span > RELATIVE_OFFSET_MAX):
            yield batches[first:number]
            first, size = number, placed.header.size
    if first < len(batches):
        yield batches[first:]
