"""Records of a batch: the offset and the time of each.

The only code that looks at records one by one: searching by time and reading a transaction's
marker need it, appending and fetching do not.  Keys and values are passed over, except a marker's.
"""

import struct
import zlib
from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple

from cluster.model.record_batch import (
    CURRENT_MAGIC,
    HEADER_SIZE,
    BatchHeader,
    Buffer,
    CorruptBatchError,
)

GZIP: Final = 1
SNAPPY: Final = 2
LZ4: Final = 3
ZSTD: Final = 4

UNPACKED_SIZE_MAX: Final = 256 * 1024**2
"""How large a batch may become: a few bytes of zeros can claim gigabytes."""

RECORD_LENGTH_MIN: Final = 6
"""What is behind the length of a record: six fields of a byte at least."""
VARLONG_SHIFT_MAX: Final = 63
TIMESTAMP_MAX: Final = 2**63 - 1

XERIAL_HEADER: Final = b"\x82SNAPPY\x00"
XERIAL_HEADER_SIZE: Final = 16
LENGTH: Final = Struct(">i")
MARKER_KEY: Final = Struct(">hh")
MARKER_VALUE: Final = Struct(">hi")
ABORT: Final = 0
NO_ROOM: Final = "whole buffer"
"""What cramjam says when only the room was too small; more of it cures nothing else."""
GZIP_WINDOW: Final = 31
"""zlib's way to say: with a header of gzip."""


class Marker(NamedTuple):
    """The end of a transaction."""

    is_abort: bool
    coordinator_epoch: int


class RecordTime(NamedTuple):
    offset: int
    timestamp: int


def record_times(
    batch: Buffer, header: BatchHeader, size_max: int = UNPACKED_SIZE_MAX
) -> Iterator[RecordTime]:
    """Offset and timestamp of each record of a whole batch, in order.

    A batch of LogAppendTime gives its own time to all of them.  A message of magic 0 or 1 counts
    as one record, also when it wraps others: only its last offset and its greatest time are known.

    Raises:
        CorruptBatchError: the records cannot be read, or would unpack to more than
            *size_max* bytes.
    """
    if header.magic != CURRENT_MAGIC:
        yield RecordTime(header.last_offset, header.max_timestamp)
        return
    try:
        body = memoryview(unpacked(batch, header.codec, size_max))
        position = 0
        for _ in range(header.record_count):
            length, start = varint(body, position)
            if length < RECORD_LENGTH_MIN:
                raise CorruptBatchError(0, f"a record of {length} bytes")
            delta, after = varint(body, start + 1)
            offset_delta, _ = varint(body, after)
            timestamp = (
                header.max_timestamp
                if header.is_log_append_time
                else within_64_bits(header.base_timestamp + delta)
            )
            yield RecordTime(header.base_offset + offset_delta, timestamp)
            position = start + length
    except (IndexError, struct.error) as error:
        raise CorruptBatchError(0, f"its records end too early: {error}") from error


def marker_of(batch: Buffer) -> Marker:
    """The marker in a control batch.

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


def varint(data: memoryview, position: int) -> tuple[int, int]:
    """A zigzag number of variable length, and the position behind it.

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


def within_64_bits(number: int) -> int:
    """What a timestamp is that does not fit, for Kafka."""
    return (number + 2**63) % 2**64 - 2**63


def unpacked(batch: Buffer, codec: int, size_max: int) -> Buffer:
    """The records of a whole batch, decompressed."""
    return unpack(memoryview(batch)[HEADER_SIZE:], codec, size_max)


def unpack(packed: memoryview, codec: int, size_max: int) -> Buffer:
    """What was *packed*, up to *size_max* bytes of it.

    Raises:
        CorruptBatchError: it cannot be unpacked.
        UnpackedTooLarge: it is larger.
    """
    match codec:
        case 0:
            return packed
        case 1:
            return unpack_gzip(packed, size_max)
        case 2:
            return unpack_snappy(packed, size_max)
        case 3 | 4:
            return unpack_frame(packed, codec, size_max)
        case _:
            raise CorruptBatchError(0, f"unknown compression codec {codec}")


def unpack_gzip(packed: memoryview, size_max: int) -> bytes:
    unpacker = zlib.decompressobj(GZIP_WINDOW)
    try:
        content = unpacker.decompress(packed, size_max)
    except zlib.error as error:
        raise CorruptBatchError(0, f"no gzip stream: {error}") from error
    if not unpacker.eof:
        if len(content) >= size_max:
            raise too_large(size_max)
        raise CorruptBatchError(0, "its gzip stream ends too early")
    if unpacker.unused_data:
        raise CorruptBatchError(0, f"{len(unpacker.unused_data)} bytes behind its gzip stream")
    return content


def unpack_snappy(packed: memoryview, size_max: int) -> bytes:
    """Snappy in the frames of the Java client (blocks behind a header of 16 bytes), or bare."""
    if bytes(packed[: len(XERIAL_HEADER)]) != XERIAL_HEADER:
        return unpack_snappy_block(packed, size_max)
    blocks: list[bytes] = []
    left = size_max
    position = XERIAL_HEADER_SIZE
    while position < len(packed):
        (size,) = LENGTH.unpack_from(packed, position)
        position += LENGTH.size
        if not 0 <= size <= len(packed) - position:
            raise CorruptBatchError(0, f"a snappy block of {size} bytes")
        blocks.append(unpack_snappy_block(packed[position : position + max(size, 0)], left))
        left -= len(blocks[-1])
        position += max(size, 0)
    return b"".join(blocks)


def unpack_snappy_block(packed: memoryview, size_max: int) -> bytes:
    # Imported here: most brokers never look into a compressed batch.
    import cramjam

    try:
        if cramjam.snappy.decompress_raw_len(packed) > size_max:
            raise too_large(size_max)
        return bytes(cramjam.snappy.decompress_raw(packed))
    except cramjam.DecompressionError as error:
        raise CorruptBatchError(0, f"no snappy block: {error}") from error


def unpack_frame(packed: memoryview, codec: int, size_max: int) -> bytearray:
    """LZ4 and zstd name no size that could be trusted: room is made until it is enough."""
    import cramjam

    unpack_into = cramjam.lz4.decompress_into if codec == LZ4 else cramjam.zstd.decompress_into
    room = min(max(64 * 1024, 8 * len(packed)), size_max)
    while True:
        content = bytearray(room)
        try:
            del content[unpack_into(packed, content) :]
            return content
        except cramjam.DecompressionError as error:
            if NO_ROOM in str(error) and room == size_max:
                raise too_large(size_max) from error
            if NO_ROOM not in str(error):
                raise CorruptBatchError(0, f"no stream of codec {codec}: {error}") from error
        room = min(8 * room, size_max)


class UnpackedTooLarge(CorruptBatchError):
    """Records that would take more room than they may."""


def too_large(size_max: int) -> UnpackedTooLarge:
    return UnpackedTooLarge(0, f"its records unpack to more than {size_max} bytes")
