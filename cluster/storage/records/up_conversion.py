"""Messages of magic 0 and 1 as producers before 0.11 send them, made a batch of magic 2.

Logs take no others.  The codec stays, and so do keys, values and timestamps; what is compressed
has to be one message that wraps all others.

Source: Kafka's UnifiedLog.analyzeAndValidateRecords and LogValidator.
"""

from cluster.formats.batch_building import build_compressed_batch
from cluster.formats.compression import Codec, UnpackedTooLarge
from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    NO_TIMESTAMP,
    Buffer,
    CorruptBatchError,
    checksum_matches,
    parse_header,
    whole_batches,
)
from cluster.formats.records import Record, records_of
from cluster.storage.errors import (
    InvalidRecord,
    InvalidTimestamp,
    MessageTooLarge,
    RecordsWithoutKey,
)
from cluster.storage.log_config import LogConfig
from cluster.storage.records.validation import (
    TimeRange,
    check_size,
    unpacked_size_max,
    with_right_times,
)


def up_converted(content: Buffer, config: LogConfig, wall_ms: int) -> bytearray:
    """Return the one batch of all messages in *content*, but for one that its end cuts off.

    On whatever thread.

    Raises:
        CorruptBatchError: a checksum is wrong, or no whole message is there.
        InvalidRecord: they are not as a producer may send them, or lack keys that the log needs.
        MessageTooLarge, RecordListTooLarge, InvalidTimestamp
    """
    codec, records = records_in(content, config)
    if config.compacts:
        without_key = [number for number, record in enumerate(records) if record.key is None]
        if without_key:
            raise RecordsWithoutKey(without_key)
    earliest = min(record.timestamp for record in records)
    if earliest < NO_TIMESTAMP:
        raise InvalidTimestamp(earliest, "it is before 1970")
    batch = build_compressed_batch(
        ((record.timestamp, record.key, record.value) for record in records), codec
    )
    header = parse_header(batch)
    times = (record.timestamp for record in records if record.timestamp != NO_TIMESTAMP)
    range_of_times = TimeRange(min(times, default=NO_TIMESTAMP), header.max_timestamp)
    with_right_times(batch, header, range_of_times, config, wall_ms)
    return batch


def records_in(content: Buffer, config: LogConfig) -> tuple[int, list[Record]]:
    """Return the codec of the messages in *content*, and their records."""
    messages = tuple(whole_batches(content))
    if not messages:
        raise CorruptBatchError(0, "no whole message is there")
    magic = messages[0].header.magic
    codec = max(header.codec for _, header in messages)
    if codec != Codec.NONE and len(messages) > 1:
        raise InvalidRecord("a compressed message is not alone")
    if codec > Codec.LZ4:
        raise InvalidRecord(f"messages of magic {magic} know no compression codec {codec}")
    size_max = unpacked_size_max(config)
    records: list[Record] = []
    for position, header in messages:
        check_size(header.size, config)
        if header.magic != magic or magic == CURRENT_MAGIC:
            raise InvalidRecord(f"a message of magic {header.magic} follows one of magic {magic}")
        if not checksum_matches(content, header, position):
            raise CorruptBatchError(position, "its checksum is wrong")
        if header.is_log_append_time and (
            config.uses_log_append_time or header.max_timestamp == NO_TIMESTAMP
        ):
            raise InvalidTimestamp(header.max_timestamp, "only a broker says when it appended")
        message = bytes(memoryview(content)[position : position + header.size])
        try:
            records += records_of(message, header, size_max)
        except UnpackedTooLarge:
            # Producers answer this error by sending smaller batches.
            raise MessageTooLarge(size_max + 1, size_max) from None
        except CorruptBatchError as error:
            # By its checksum, these are the bytes that the producer sent.
            raise InvalidRecord(error.reason) from error
    if not all(record.is_valid for record in records):
        raise CorruptBatchError(0, "the checksum of a message in it is wrong")
    return codec, records
