"""The records of a batch, of every message format and codec, read one by one.

Source: Kafka's DefaultRecordBatch, AbstractLegacyRecordBatch and KafkaLZ4BlockInputStream.
"""

import struct
import zlib
from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple

from cluster.model.record_batch import (
    CURRENT_MAGIC,
    NO_TIMESTAMP,
    BatchHeader,
    CorruptBatchError,
    sequence_after,
)
from cluster.storage.records import (
    LZ4,
    RECORD_LENGTH_MIN,
    UNPACKED_SIZE_MAX,
    unpack,
    unpacked,
    varint,
)
from kadmin.segments.lz4_checksum import with_right_checksum

NO_SEQUENCE: Final = -1
MESSAGE: Final = Struct(">qiIbb")
"""Offset, length, checksum, magic and attributes of a message of magic 0 or 1."""
KEY_AT: Final = {0: MESSAGE.size, 1: MESSAGE.size + 8}
TIMESTAMP: Final = Struct(">q")
LENGTH: Final = Struct(">i")
PREFIX_SIZE: Final = 12
SEALED_AT: Final = 16
CODEC_MASK: Final = 0x07


class Record(NamedTuple):
    """One record as a consumer would get it."""

    offset: int
    timestamp: int
    """NO_TIMESTAMP in magic 0."""
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[bytes, bytes | None], ...] = ()
    """Their keys should be UTF-8; brokers do not look."""
    sequence: int = NO_SEQUENCE
    checksum: int | None = None
    """Of a message of magic 0 or 1, whose records have one each."""
    is_valid: bool = True
    """Whether that checksum is right."""


def records_of(
    batch: bytes, header: BatchHeader, size_max: int = UNPACKED_SIZE_MAX
) -> Iterator[Record]:
    """The records of the whole *batch*, in order; its checksum is not looked at.

    Raises:
        CorruptBatchError: they cannot be read, or would unpack to more than *size_max* bytes.
            Those before were yielded.
    """
    try:
        if header.magic == CURRENT_MAGIC:
            yield from current_records(batch, header, size_max)
        else:
            yield from legacy_records(batch, header, size_max)
    except (IndexError, struct.error) as error:
        raise CorruptBatchError(0, f"its records end too early: {error}") from error


def current_records(batch: bytes, header: BatchHeader, size_max: int) -> Iterator[Record]:
    body = memoryview(unpacked(batch, header.codec, size_max))
    position = 0
    for _ in range(header.record_count):
        length, start = varint(body, position)
        position = start + length
        if length < RECORD_LENGTH_MIN or position > len(body):
            raise CorruptBatchError(0, f"a record of {length} bytes")
        yield current_record(body[start:position], header)
    if position < len(body):
        raise CorruptBatchError(0, f"{len(body) - position} bytes are left behind its last record")


def current_record(body: memoryview, header: BatchHeader) -> Record:
    timestamp_delta, at = varint(body, 1)
    offset_delta, at = varint(body, at)
    key, at = bytes_at(body, at)
    value, at = bytes_at(body, at)
    header_count, at = varint(body, at)
    headers = []
    for _ in range(header_count):
        name, at = bytes_at(body, at)
        content, at = bytes_at(body, at)
        headers.append((name or b"", content))
    if at != len(body):
        raise CorruptBatchError(0, f"a record of {len(body)} bytes, whose fields take {at}")
    return Record(
        header.base_offset + offset_delta,
        header.max_timestamp
        if header.is_log_append_time
        else header.base_timestamp + timestamp_delta,
        key,
        value,
        tuple(headers),
        sequence_after(header.base_sequence, offset_delta)
        if header.base_sequence >= 0
        else NO_SEQUENCE,
    )


def bytes_at(body: memoryview, position: int) -> tuple[bytes | None, int]:
    """Bytes behind their length, None where that is below 0, and the position behind them."""
    size, start = varint(body, position)
    if size < 0:
        return None, start
    end = start + size
    if end > len(body):
        raise CorruptBatchError(0, f"a field of {size} bytes")
    return bytes(body[start:end]), end


def legacy_records(batch: bytes, header: BatchHeader, size_max: int) -> Iterator[Record]:
    """The message itself, or those that it wraps."""
    outer = message_at(batch, 0, len(batch))
    if header.codec == 0:
        yield outer
        return
    if outer.value is None:
        raise CorruptBatchError(0, "a compressed message without a value")
    packed = outer.value
    if header.codec == LZ4 and header.magic == 0:
        packed = with_right_checksum(packed)
    body = bytes(unpack(memoryview(packed), header.codec, size_max))
    inner = list(messages_of(body))
    if not inner:
        raise CorruptBatchError(0, "a compressed message that wraps none")
    # Within magic 1 offsets count from 0 on, within magic 0 they are those of the log.
    before = header.base_offset - inner[-1].offset if header.magic == 1 else 0
    for record in inner:
        timestamp = header.max_timestamp if header.is_log_append_time else record.timestamp
        yield record._replace(offset=before + record.offset, timestamp=timestamp)


def messages_of(body: bytes) -> Iterator[Record]:
    position = 0
    while position < len(body):
        _, length, _, magic, attributes = MESSAGE.unpack_from(body, position)
        end = position + PREFIX_SIZE + length
        if magic not in KEY_AT or attributes & CODEC_MASK != 0:
            raise CorruptBatchError(0, "what it wraps is no plain message of magic 0 or 1")
        if end > len(body) or length < KEY_AT[magic] - PREFIX_SIZE:
            raise CorruptBatchError(0, f"it wraps a message of {length} bytes")
        yield message_at(body, position, end)
        position = end


def message_at(body: bytes, position: int, end: int) -> Record:
    """The message of magic 0 or 1 that takes the bytes from *position* to *end*."""
    offset, _, checksum, magic, _ = MESSAGE.unpack_from(body, position)
    timestamp = NO_TIMESTAMP
    if magic == 1:
        (timestamp,) = TIMESTAMP.unpack_from(body, position + MESSAGE.size)
    key, at = legacy_bytes_at(body, position + KEY_AT[magic], end)
    value, at = legacy_bytes_at(body, at, end)
    if at != end:
        raise CorruptBatchError(0, f"{end - at} bytes are left behind the value of a message")
    is_valid = zlib.crc32(memoryview(body)[position + SEALED_AT : end]) == checksum
    return Record(offset, timestamp, key, value, checksum=checksum, is_valid=is_valid)


def legacy_bytes_at(body: bytes, position: int, end: int) -> tuple[bytes | None, int]:
    (size,) = LENGTH.unpack_from(body, position)
    start = position + LENGTH.size
    if size < 0:
        return None, start
    if start + size > end:
        raise CorruptBatchError(0, f"a field of {size} bytes")
    return body[start : start + size], start + size
