"""Records of a batch, of every message format and codec, read one by one.

Source: Kafka's DefaultRecordBatch and AbstractLegacyRecordBatch.
"""

import struct
import zlib
from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple, TypeAlias

from cluster.formats.compression import (
    UNPACKED_SIZE_MAX,
    Codec,
    unpack,
    unpacked,
    with_right_checksum,
)
from cluster.formats.record_batch import (
    CODEC_MASK,
    CURRENT_MAGIC,
    HEADER_SIZE,
    LEGACY,
    LEGACY_SEALED_AT,
    NO_TIMESTAMP,
    PREFIX_SIZE,
    BatchHeader,
    Buffer,
    CorruptBatchError,
    in_64_bits,
    sequence_after,
)

RECORD_LENGTH_MIN: Final = 6
"""Bytes after the length of a record: six fields of at least one byte."""
VARLONG_SHIFT_MAX: Final = 63
TIMESTAMP_MAX: Final = 2**63 - 1
NO_SEQUENCE: Final = -1

NULL_LENGTH: Final = 1
"""The varint of -1."""
PLAIN_LENGTH_MAX: Final = 2**14
"""From there on a length, twice as a varint has it, takes three bytes."""

LENGTH: Final = Struct(">i")
LEGACY_KEY_AT: Final = {0: LEGACY.size, 1: LEGACY.size + 8}
LEGACY_TIMESTAMP: Final = Struct(">q")
MARKER_KEY: Final = Struct(">hh")
MARKER_VALUE: Final = Struct(">hi")
ABORT: Final = 0


class Marker(NamedTuple):
    """The end of a transaction."""

    is_abort: bool
    coordinator_epoch: int


KeyAndValue: TypeAlias = tuple[bytes | None, bytes | None]


class RecordTime(NamedTuple):
    offset: int
    timestamp: int


class Record(NamedTuple):
    """One record as a consumer receives it."""

    offset: int
    timestamp: int
    """NO_TIMESTAMP in magic 0."""
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[bytes, bytes | None], ...] = ()
    """Their keys should be UTF-8; brokers do not check that."""
    sequence: int = NO_SEQUENCE
    checksum: int | None = None
    """Of a message of magic 0 or 1, whose records have one each."""
    is_valid: bool = True
    """Whether that checksum is right."""


def records_of(
    batch: bytes, header: BatchHeader, size_max: int = UNPACKED_SIZE_MAX
) -> Iterator[Record]:
    """Yield the records of the whole *batch*, in order; its checksum is not looked at.

    Raises:
        CorruptBatchError: they cannot be read, or would unpack to more than *size_max* bytes.
            Those before were yielded.
    """
    try:
        if header.magic == CURRENT_MAGIC:
            for body in bodies_of(batch, header, size_max):
                yield current_record(body, header)
        else:
            yield from legacy_records(batch, header, size_max)
    except (IndexError, struct.error) as error:
        raise CorruptBatchError(0, f"its records end too early: {error}") from error


def record_times(
    batch: Buffer, header: BatchHeader, size_max: int = UNPACKED_SIZE_MAX
) -> Iterator[RecordTime]:
    """Yield offset and timestamp of each record of a whole batch, in order.

    A batch of LogAppendTime gives its own time to all of them.

    Raises:
        CorruptBatchError: the records cannot be read, or would unpack to more than
            *size_max* bytes.
    """
    try:
        if header.magic != CURRENT_MAGIC:
            for record in legacy_records(bytes(batch), header, size_max):
                yield RecordTime(record.offset, record.timestamp)
            return
        for body in bodies_of(batch, header, size_max):
            delta, at = varint(body, 1)
            offset_delta, _ = varint(body, at)
            yield RecordTime(header.base_offset + offset_delta, timestamp_of(header, delta))
    except (IndexError, struct.error) as error:
        raise CorruptBatchError(0, f"its records end too early: {error}") from error


def bodies_of(batch: Buffer, header: BatchHeader, size_max: int) -> Iterator[memoryview]:
    """Yield the bytes after the length of each record of a batch of magic 2."""
    content = memoryview(unpacked(batch, header.codec, size_max))
    position = 0
    for _ in range(header.record_count):
        body, position = body_at(content, position)
        yield body
    check_end(content, position)


def body_at(content: memoryview, position: int) -> tuple[memoryview, int]:
    """Return what stands behind the length of the record at *position*, and where the next one
    begins.
    """
    length, start = varint(content, position)
    end = start + length
    if length < RECORD_LENGTH_MIN or end > len(content):
        raise CorruptBatchError(0, f"a record of {length} bytes")
    return content[start:end], end


def check_end(content: Buffer, position: int) -> None:
    if position < len(content):
        left = len(content) - position
        raise CorruptBatchError(0, f"{left} bytes are left behind its last record")


def keys_and_values(
    batch: bytes, header: BatchHeader, size_max: int = UNPACKED_SIZE_MAX
) -> Iterator[KeyAndValue]:
    """Yield keys and values of the records of the whole *batch*: `records_of`, where no more is
    needed.

    Raises:
        CorruptBatchError: as `records_of`.
    """
    if header.magic != CURRENT_MAGIC:
        for record in records_of(batch, header, size_max):
            yield record.key, record.value
        return
    content = bytes(unpacked(batch, header.codec, size_max))
    position = 0
    for _ in range(header.record_count):
        plain = plain_record(content, position)
        if plain is not None:
            key, value, position = plain
            yield key, value
            continue
        try:
            body, position = body_at(memoryview(content), position)
            record = current_record(body, header)
        except (IndexError, struct.error) as error:
            raise CorruptBatchError(0, f"its records end too early: {error}") from error
        yield record.key, record.value
    check_end(content, position)


def plain_record(content: bytes, position: int) -> tuple[bytes, bytes | None, int] | None:
    """Return key and value of the record at *position*, and where it ends; None where it is not
    plain.

    It is, with a key and without headers, if it is up to 8 KiB long, and the difference of its time
    takes one byte and that of its offset two.
    """
    try:
        length, at = content[position], position + 1
        if length >= 0x80:
            length += content[at] - 1 << 7
            at += 1
        end = at + (length >> 1)
        if content[at + 1] >= 0x80:
            return None
        if content[at + 2] < 0x80:
            at += 3
        elif content[at + 3] < 0x80:
            at += 4
        else:
            return None
        key_size, at = content[at], at + 1
        if key_size >= 0x80:
            key_size += content[at] - 1 << 7
            at += 1
        key_end = at + (key_size >> 1)
        key = content[at:key_end]
        size, at = content[key_end], key_end + 1
        if size == NULL_LENGTH:
            value, value_end = None, at
        else:
            if size >= 0x80:
                size += content[at] - 1 << 7
                at += 1
            value_end = at + (size >> 1)
            value = content[at:value_end]
            if size & 1:
                return None
        if (
            value_end + 1 != end
            or content[value_end] != 0
            or (length | key_size) & 1
            or length >= PLAIN_LENGTH_MAX
        ):
            return None
    except IndexError:
        return None
    return key, value, end


def timestamp_of(header: BatchHeader, delta: int) -> int:
    """Return the time of a record; one that does not fit into 64 bits is what it is for Kafka."""
    if header.is_log_append_time:
        return header.max_timestamp
    return in_64_bits(header.base_timestamp + delta)


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
        timestamp_of(header, timestamp_delta),
        key,
        value,
        tuple(headers),
        sequence_after(header.base_sequence, offset_delta)
        if header.base_sequence >= 0
        else NO_SEQUENCE,
    )


def bytes_at(body: memoryview, position: int) -> tuple[bytes | None, int]:
    """Return bytes behind their length, None where that is below 0, and the position behind
    them.
    """
    size, start = varint(body, position)
    if size < 0:
        return None, start
    end = start + size
    if end > len(body):
        raise CorruptBatchError(0, f"a field of {size} bytes")
    return bytes(body[start:end]), end


def legacy_records(batch: bytes, header: BatchHeader, size_max: int) -> Iterator[Record]:
    """Yield the message itself, or those that it wraps."""
    outer = message_at(batch, 0, len(batch))
    if header.codec == 0:
        yield outer
        return
    if outer.value is None:
        raise CorruptBatchError(0, "a compressed message without a value")
    packed = outer.value
    if header.codec == Codec.LZ4 and header.magic == 0:
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
        _, length, _, magic, attributes = LEGACY.unpack_from(body, position)
        end = position + PREFIX_SIZE + length
        if magic not in LEGACY_KEY_AT or attributes & CODEC_MASK != 0:
            raise CorruptBatchError(0, "what it wraps is no plain message of magic 0 or 1")
        if end > len(body) or length < LEGACY_KEY_AT[magic] - PREFIX_SIZE:
            raise CorruptBatchError(0, f"it wraps a message of {length} bytes")
        yield message_at(body, position, end)
        position = end


def message_at(body: bytes, position: int, end: int) -> Record:
    """Return the message of magic 0 or 1 that takes the bytes from *position* to *end*."""
    offset, _, checksum, magic, _ = LEGACY.unpack_from(body, position)
    timestamp = NO_TIMESTAMP
    if magic == 1:
        (timestamp,) = LEGACY_TIMESTAMP.unpack_from(body, position + LEGACY.size)
    key, at = legacy_bytes_at(body, position + LEGACY_KEY_AT[magic], end)
    value, at = legacy_bytes_at(body, at, end)
    if at != end:
        raise CorruptBatchError(0, f"{end - at} bytes are left behind the value of a message")
    is_valid = zlib.crc32(memoryview(body)[position + LEGACY_SEALED_AT : end]) == checksum
    return Record(offset, timestamp, key, value, checksum=checksum, is_valid=is_valid)


def legacy_bytes_at(body: bytes, position: int, end: int) -> tuple[bytes | None, int]:
    (size,) = LENGTH.unpack_from(body, position)
    start = position + LENGTH.size
    if size < 0:
        return None, start
    if start + size > end:
        raise CorruptBatchError(0, f"a field of {size} bytes")
    return body[start : start + size], start + size


def marker_of(batch: Buffer) -> Marker:
    """Return the marker in a control batch.

    Raises:
        CorruptBatchError: there is no such record.
    """
    body = memoryview(batch)[HEADER_SIZE:]
    try:
        _, position = varint(body, 0)
        _, position = varint(body, position + 1)
        _, position = varint(body, position)
        key_size, position = varint(body, position)
        _, kind = MARKER_KEY.unpack_from(body, position)
        _, position = varint(body, position + key_size)
        _, epoch = MARKER_VALUE.unpack_from(body, position)
    except (IndexError, struct.error) as error:
        raise CorruptBatchError(0, f"its marker ends too early: {error}") from error
    return Marker(kind == ABORT, int(epoch))


def varint(data: Buffer, position: int) -> tuple[int, int]:
    """Return a zigzag number of variable length, and the position behind it.

    Of ten bytes the lowest 64 bits count, as for Kafka.
    """
    raw = shift = 0
    while True:
        if shift > VARLONG_SHIFT_MAX:
            raise CorruptBatchError(0, "a number of more than ten bytes")
        byte = data[position]
        position += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            if shift == VARLONG_SHIFT_MAX:
                raw &= 2**64 - 1
            return (raw >> 1) ^ -(raw & 1), position
        shift += 7
