"""Record batches.

The fields of a batch's header, whether the batch is whole, and how it is stamped.

Knows the bytes of a batch and nothing of its records, of files or of connections.  Batches of
magic 2 are read and stamped; the messages of the older formats (magic 0 and 1) are recognised and
measured, since old logs hold them, but never stamped.
"""

import zlib
from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple, TypeAlias

from crc32c import crc32c

from cluster.model.error_codes import ErrorCode
from cluster.model.errors import ClusterError

Buffer = bytes | bytearray | memoryview
"""A buffer with a batch.  Stamping needs a writable one."""

PREFIX_SIZE: Final = 12
"""Bytes of base offset and length, which the length itself does not count."""
HEADER_SIZE: Final = 61
CURRENT_MAGIC: Final = 2
NO_PRODUCER_ID: Final = -1
NO_TIMESTAMP: Final = -1
NO_LEADER_EPOCH: Final = -1
SEQUENCE_MAX: Final = 2**31 - 1
"""The highest sequence number; the next one is 0."""

OFFSET_MAX: Final = 2**63 - 1
"""The largest end offset of a log: the wire and the files have 64 bits for an offset."""

HEADER_LAYOUT: Final = Struct(">qiibIhiqqqhii")
"""The fields of `BatchHeader`, in their order."""
STAMP_LAYOUT: Final = Struct(">qii")
"""What a leader fills in: base offset, length, leader epoch."""
_LENGTH: Final = Struct(">i")
_CRC: Final = Struct(">I")
_ATTRIBUTES: Final = Struct(">h")
_MAX_TIMESTAMP: Final = Struct(">q")
LEGACY: Final = Struct(">qiIbb")
"""Offset, length, checksum, magic and attributes of a message of magic 0 or 1."""
_LEGACY_TIMESTAMP: Final = Struct(">q")

MAGIC_AT: Final = 16
_CRC_AT: Final = 17
SEALED_AT: Final = 21
"""Where the bytes begin that the CRC of a batch covers: offset and leader epoch stand before it."""
CODEC_AT: Final = 22
"""Of a batch of magic 2: the byte with its codec, in the lowest three bits."""
_MAX_TIMESTAMP_AT: Final = 35
LEGACY_SEALED_AT: Final = 16
_LEGACY_TIMESTAMP_AT: Final = 18
LEGACY_SIZE_MIN: Final = {0: 26, 1: 34}

CODEC_MASK: Final = 0x07
LOG_APPEND_TIME: Final = 0x08
TRANSACTIONAL: Final = 0x10
_CONTROL: Final = 0x20
DELETE_HORIZON: Final = 0x40

# Makes a header as `_make` does, in half the time: the fields need not be counted.
_new: Final = tuple.__new__

assert HEADER_LAYOUT.size == HEADER_SIZE


class CorruptBatchError(ClusterError):
    """Bytes that are no record batch, or a batch whose checksum is wrong."""

    error_code = ErrorCode.CORRUPT_MESSAGE

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"batch at byte {position}: {reason}")
        self.position = position
        self.reason = reason


class BatchHeader(NamedTuple):
    """A batch's header, its fields in the order of the bytes.

    Of a message of magic 0 or 1: `base_offset` is the offset of its *last* record (a compressed one
    holds several, and only decompression would show the first), `record_count` is 1, both
    timestamps are the message's own, and what the old formats lack is -1.
    """

    base_offset: int
    length: int
    """Bytes after this field: `size` counts all."""
    leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    """Milliseconds; with `has_delete_horizon` it is the horizon instead."""
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int
    """As the producer set it: 0 where the cleaner emptied the batch, and never checked here."""

    @property
    def size(self) -> int:
        """Return all bytes of the batch, its header included."""
        return self.length + PREFIX_SIZE

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.last_offset_delta + 1

    @property
    def last_sequence(self) -> int:
        """Return the sequence of the last record; -1 without a producer's sequence."""
        if self.base_sequence < 0:
            return -1
        return sequence_after(self.base_sequence, self.last_offset_delta)

    @property
    def codec(self) -> int:
        """Return 0 for none, 1 gzip, 2 snappy, 3 lz4, 4 zstd; 5 to 7 are free."""
        return self.attributes & CODEC_MASK

    @property
    def is_log_append_time(self) -> bool:
        return self.attributes & LOG_APPEND_TIME != 0 and self.magic > 0

    @property
    def is_transactional(self) -> bool:
        return self.attributes & TRANSACTIONAL != 0 and self.magic == CURRENT_MAGIC

    @property
    def is_control(self) -> bool:
        """Return whether it holds a transaction's marker instead of a client's records."""
        return self.attributes & _CONTROL != 0 and self.magic == CURRENT_MAGIC

    @property
    def has_delete_horizon(self) -> bool:
        return self.attributes & DELETE_HORIZON != 0 and self.magic == CURRENT_MAGIC


HeaderFields: TypeAlias = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]
"""A header, or a plain tuple of its fields: hot paths take that apart in half the time."""


class PlacedBatch(NamedTuple):
    """A batch and the byte at which it begins in its buffer."""

    position: int
    header: BatchHeader


def sequence_after(sequence: int, count: int) -> int:
    """Return the sequence number *count* records later; after SEQUENCE_MAX comes 0."""
    return (sequence + count) & SEQUENCE_MAX


def in_64_bits(number: int) -> int:
    """Return *number* as signed 64 bits have it: times that are too far apart wrap, as in Kafka."""
    return (number + 2**63) % 2**64 - 2**63


def parse_header(buffer: Buffer, position: int = 0) -> BatchHeader:
    """Read the header of the batch that begins at *position*.

    The batch itself may reach beyond the buffer, the header may not: fewer bytes than a header, a
    length that cannot be or an unknown magic are a CorruptBatchError.  The checksum is not looked
    at: `checksum_matches` does.
    """
    if len(buffer) - position < HEADER_SIZE:
        return _parse_short(buffer, position)
    header = _new(BatchHeader, HEADER_LAYOUT.unpack_from(buffer, position))
    if header.magic != CURRENT_MAGIC:
        return _parse_legacy(buffer, position)
    if header.length < HEADER_SIZE - PREFIX_SIZE:
        raise CorruptBatchError(position, f"a length of {header.length} is less than a header")
    if header.last_offset_delta < 0:
        raise CorruptBatchError(position, f"a last offset delta of {header.last_offset_delta}")
    return header


def _parse_short(buffer: Buffer, position: int) -> BatchHeader:
    """Read what is too short for a batch: it can be an old message, of 26 bytes or more."""
    left = len(buffer) - position
    if left <= MAGIC_AT or buffer[position + MAGIC_AT] == CURRENT_MAGIC:
        raise CorruptBatchError(position, f"only {left} bytes are left")
    return _parse_legacy(buffer, position)


def _parse_legacy(buffer: Buffer, position: int) -> BatchHeader:
    magic = buffer[position + MAGIC_AT]
    if magic not in LEGACY_SIZE_MIN:
        raise CorruptBatchError(position, f"unknown magic {magic}")
    left = len(buffer) - position
    if left < LEGACY_SIZE_MIN[magic]:
        raise CorruptBatchError(position, f"only {left} bytes are left")
    offset, length, crc, _, attributes = LEGACY.unpack_from(buffer, position)
    if length + PREFIX_SIZE < LEGACY_SIZE_MIN[magic]:
        raise CorruptBatchError(position, f"a length of {length} is less than a message of it has")
    timestamp = NO_TIMESTAMP
    if magic == 1:
        (timestamp,) = _LEGACY_TIMESTAMP.unpack_from(buffer, position + _LEGACY_TIMESTAMP_AT)
    return BatchHeader(
        base_offset=offset,
        length=length,
        leader_epoch=NO_LEADER_EPOCH,
        magic=magic,
        crc=crc,
        attributes=attributes,
        last_offset_delta=0,
        base_timestamp=timestamp,
        max_timestamp=timestamp,
        producer_id=NO_PRODUCER_ID,
        producer_epoch=-1,
        base_sequence=-1,
        record_count=1,
    )


def whole_batches(buffer: Buffer, position: int = 0) -> Iterator[PlacedBatch]:
    """Yield the batches from *position* on that are there to their last byte.

    Ends before a batch that the buffer cuts off (the first one left is at the last batch's
    `position + header.size`); raises CorruptBatchError at bytes that are no batch.
    """
    end = len(buffer)
    while end - position >= PREFIX_SIZE:
        (length,) = _LENGTH.unpack_from(buffer, position + 8)
        if length > end - position - PREFIX_SIZE:
            return
        if length < LEGACY_SIZE_MIN[0] - PREFIX_SIZE:
            raise CorruptBatchError(position, f"a length of {length} is less than any batch has")
        header = parse_header(buffer, position)
        yield PlacedBatch(position, header)
        position += header.size


def checksum_matches(buffer: Buffer, header: BatchHeader, position: int = 0) -> bool:
    """Return whether the whole batch at *position* has the checksum that its header names.

    A batch that the buffer cuts off does not match.  Copies nothing.
    """
    end = position + header.size
    if end > len(buffer):
        return False
    if header.magic == CURRENT_MAGIC:
        return crc32c(memoryview(buffer)[position + SEALED_AT : end]) == header.crc
    return zlib.crc32(memoryview(buffer)[position + LEGACY_SEALED_AT : end]) == header.crc


def stamp(
    buffer: bytearray | memoryview,
    header: BatchHeader,
    base_offset: int,
    leader_epoch: int,
    position: int = 0,
) -> BatchHeader:
    """Write base offset and leader epoch into the batch at *position*, and return the new header.

    Both stand outside the checksum, so a batch of a hundred megabytes costs as little as a small
    one.  Only for magic 2.
    """
    assert header.magic == CURRENT_MAGIC
    STAMP_LAYOUT.pack_into(buffer, position, base_offset, header.length, leader_epoch)
    return header._replace(base_offset=base_offset, leader_epoch=leader_epoch)


def stamp_log_append_time(
    buffer: bytearray | memoryview, header: BatchHeader, wall_ms: int, position: int = 0
) -> BatchHeader:
    """Stamp the batch at *position* with its append time *wall_ms*, and return the new header.

    The records' own timestamps stay and lose their meaning; the checksum is
    computed anew, over all bytes of the batch.  Only for magic 2.
    """
    attributes = header.attributes | LOG_APPEND_TIME
    _ATTRIBUTES.pack_into(buffer, position + SEALED_AT, attributes)
    return stamp_max_timestamp(buffer, header._replace(attributes=attributes), wall_ms, position)


def stamp_max_timestamp(
    buffer: bytearray | memoryview, header: BatchHeader, timestamp: int, position: int = 0
) -> BatchHeader:
    """Write the greatest timestamp into the whole batch at *position*, and return the new header.

    The checksum is computed anew, over all bytes of the batch.  Only for magic 2.
    """
    assert header.magic == CURRENT_MAGIC
    _MAX_TIMESTAMP.pack_into(buffer, position + _MAX_TIMESTAMP_AT, timestamp)
    crc = seal(buffer, position, header.size)
    return header._replace(max_timestamp=timestamp, crc=crc)


def seal(buffer: bytearray | memoryview, position: int, size: int) -> int:
    """Write the checksum of the batch of *size* bytes at *position*, and return it.

    Only for magic 2.
    """
    with memoryview(buffer) as view:
        crc = crc32c(view[position + SEALED_AT : position + size])
    _CRC.pack_into(buffer, position + _CRC_AT, crc)
    return crc
