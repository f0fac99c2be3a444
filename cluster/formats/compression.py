"""Codecs of batches: records are compressed, and decompressed up to a size.

Source: Kafka's CompressionType and KafkaLZ4BlockInputStream; KAFKA-3160 and KIP-57 for LZ4.
"""

import zlib
from enum import IntEnum
from struct import Struct
from typing import Final

from cluster.formats.record_batch import HEADER_SIZE, Buffer, CorruptBatchError

UNPACKED_SIZE_MAX: Final = 256 * 1024**2
"""How large a batch may unpack: a few bytes can unpack to gigabytes of zeros."""

GZIP_WINDOW: Final = 31
"""The value of zlib for a header of gzip."""
XERIAL_HEADER: Final = b"\x82SNAPPY\x00"
XERIAL_VERSIONS: Final = Struct(">ii").pack(1, 1)
"""The version of the frame, and the oldest one whose readers support it."""
XERIAL_HEADER_SIZE: Final = 16
XERIAL_BLOCK_SIZE: Final = 32 * 1024
LENGTH: Final = Struct(">i")
NO_ROOM: Final = "whole buffer"
"""The message of cramjam when only the room was too small; more room cures no other error."""

LZ4_MAGIC: Final = b"\x04\x22\x4d\x18"
LZ4_DESCRIPTOR_AT: Final = 4
CONTENT_SIZE_FLAG: Final = 0x08
DICTIONARY_FLAG: Final = 0x01
LZ4_START: Final = LZ4_MAGIC + bytes((0x60, 0x40, 0x82))
"""Independent blocks of up to 64 KiB, as Kafka's reader wants them, without checksums."""
LZ4_END: Final = bytes(4)
LZ4_BLOCK_SIZE: Final = 64 * 1024
LZ4_LENGTH: Final = Struct("<I")
LZ4_STORED: Final = 1 << 31

PRIME_1: Final = 2654435761
PRIME_2: Final = 2246822519
PRIME_3: Final = 3266489917
PRIME_4: Final = 668265263
PRIME_5: Final = 374761393
MASK: Final = 2**32 - 1


class Codec(IntEnum):
    """How the records of a batch are compressed, as its attributes say."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


class UnpackedTooLarge(CorruptBatchError):
    """Records that would unpack to more bytes than allowed."""


def too_large(size_max: int) -> UnpackedTooLarge:
    return UnpackedTooLarge(0, f"its records unpack to more than {size_max} bytes")


def unpacked(batch: Buffer, codec: int, size_max: int) -> Buffer:
    """Return the records of a whole batch, decompressed."""
    return unpack(memoryview(batch)[HEADER_SIZE:], codec, size_max)


def unpack(packed: memoryview, codec: int, size_max: int) -> Buffer:
    """Return what was *packed*, up to *size_max* bytes of it.

    Raises:
        CorruptBatchError: it cannot be unpacked.
        UnpackedTooLarge: it is larger.
    """
    match codec:
        case Codec.NONE:
            return packed
        case Codec.GZIP:
            return unpack_gzip(packed, size_max)
        case Codec.SNAPPY:
            return unpack_snappy(packed, size_max)
        case Codec.LZ4 | Codec.ZSTD:
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
        if len(packed) - position < LENGTH.size:
            raise CorruptBatchError(0, "its snappy frame ends within the length of a block")
        (size,) = LENGTH.unpack_from(packed, position)
        position += LENGTH.size
        if not 0 <= size <= len(packed) - position:
            raise CorruptBatchError(0, f"a snappy block of {size} bytes")
        blocks.append(unpack_snappy_block(packed[position : position + size], left))
        left -= len(blocks[-1])
        position += size
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

    unpack_into = (
        cramjam.lz4.decompress_into if codec == Codec.LZ4 else cramjam.zstd.decompress_into
    )
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


def pack(content: bytes, codec: int, *, has_wrong_checksum: bool = False) -> bytes:
    """Compress records as Kafka's Java client does; LZ4 for messages of magic 0 has a wrong
    checksum.

    Raises:
        CorruptBatchError: there is no such codec.
    """
    # Imported here: most brokers never look into a compressed batch.
    import cramjam

    match codec:
        case Codec.NONE:
            return content
        case Codec.GZIP:
            packer = zlib.compressobj(wbits=GZIP_WINDOW)
            return packer.compress(content) + packer.flush()
        case Codec.SNAPPY:
            blocks = blocks_of(content, XERIAL_BLOCK_SIZE)
            packed = [bytes(cramjam.snappy.compress_raw(block)) for block in blocks]
            start = XERIAL_HEADER + XERIAL_VERSIONS
            return start + b"".join(LENGTH.pack(len(block)) + block for block in packed)
        case Codec.LZ4:
            blocks = [lz4_block(block) for block in blocks_of(content, LZ4_BLOCK_SIZE)]
            frame = LZ4_START + b"".join(blocks) + LZ4_END
            return with_wrong_checksum(frame) if has_wrong_checksum else frame
        case Codec.ZSTD:
            return bytes(cramjam.zstd.compress(content))
        case _:
            raise CorruptBatchError(0, f"unknown compression codec {codec}")


def blocks_of(content: bytes, size: int) -> list[bytes]:
    return [content[at : at + size] for at in range(0, len(content), size)]


def lz4_block(block: bytes) -> bytes:
    """Compress one block of a frame, behind its length, or store it where that gains nothing."""
    import cramjam

    packed = bytes(cramjam.lz4.compress_block(block, store_size=False))
    if len(packed) < len(block):
        return LZ4_LENGTH.pack(len(packed)) + packed
    return LZ4_LENGTH.pack(len(block) | LZ4_STORED) + block


def with_wrong_checksum(frame: bytes) -> bytes:
    """Return a *frame* with the checksum that Kafka expects in messages of magic 0."""
    checksum = xxh32(frame[: LZ4_DESCRIPTOR_AT + 2]) >> 8 & 0xFF
    return frame[: LZ4_DESCRIPTOR_AT + 2] + bytes((checksum,)) + frame[LZ4_DESCRIPTOR_AT + 3 :]


def with_right_checksum(frame: bytes) -> bytes:
    """Return *frame* with the checksum that its header has to have; anything else as it is.

    Kafka before 0.10 computed it wrongly: in messages of magic 0 it covers the frame's magic number
    as well, and readers of the standard refuse such a frame.
    """
    if len(frame) <= LZ4_DESCRIPTOR_AT or frame[:LZ4_DESCRIPTOR_AT] != LZ4_MAGIC:
        return frame
    flags = frame[LZ4_DESCRIPTOR_AT]
    size = 2 + 8 * (flags & CONTENT_SIZE_FLAG != 0) + 4 * (flags & DICTIONARY_FLAG != 0)
    end = LZ4_DESCRIPTOR_AT + size
    checksum = xxh32(frame[LZ4_DESCRIPTOR_AT:end]) >> 8 & 0xFF
    return frame[:end] + bytes((checksum,)) + frame[end + 1 :]


def xxh32(data: bytes) -> int:
    """Return the hash of up to 15 bytes, with the seed 0."""
    assert len(data) < 16
    value = PRIME_5 + len(data)
    whole = len(data) - len(data) % 4
    for at in range(0, whole, 4):
        value += int.from_bytes(data[at : at + 4], "little") * PRIME_3
        value = rotated(value & MASK, 17) * PRIME_4
    for byte in data[whole:]:
        value = rotated((value + byte * PRIME_5) & MASK, 11) * PRIME_1
    value &= MASK
    value = (value ^ value >> 15) * PRIME_2 & MASK
    value = (value ^ value >> 13) * PRIME_3 & MASK
    return value ^ value >> 16


def rotated(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) & MASK
