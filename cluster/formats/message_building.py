"""Messages of magic 0 and 1, made from records: for consumers that know no batches of magic 2.

Source: Kafka's RecordsUtil.downConvert, MemoryRecordsBuilder and LegacyRecord.
"""

import struct
import zlib
from collections.abc import Sequence
from struct import Struct
from typing import Final

from cluster.formats.compression import Codec, pack
from cluster.formats.record_batch import LOG_APPEND_TIME, BatchHeader, CorruptBatchError
from cluster.formats.records import LENGTH, Record, records_of

CHECKSUM_SIZE: Final = 4
NOTHING: Final = LENGTH.pack(-1)
"""The length of a key or a value that is null."""
_HEAD: Final = Struct(">qiI")
"""Offset, length and checksum of a message."""
_SEALED: Final = {0: Struct(">bb"), 1: Struct(">bbq")}
"""Magic, attributes and, in magic 1, the timestamp: with them begins what the checksum covers."""


class NotConvertible(CorruptBatchError):
    """A batch whose codec no consumer of the older formats knows."""


def down_converted(batch: bytes, header: BatchHeader, magic: int, first_offset: int) -> bytes:
    """Return the whole *batch* as messages of at most *magic*: as it is, where it is none newer.

    Without records before *first_offset*, but for a compressed batch, which stays whole.  Nothing
    is left of a transaction's marker, and of a batch that the cleaner has emptied.

    Raises:
        NotConvertible: it is compressed by zstd.
        CorruptBatchError: its records cannot be read.
    """
    if header.is_control:
        return b""
    if header.codec == Codec.ZSTD:
        raise NotConvertible(0, "zstd is unknown to those who know no batches of magic 2")
    if header.magic <= magic:
        return batch
    is_packed = header.codec != Codec.NONE
    records = [one for one in records_of(batch, header) if is_packed or one.offset >= first_offset]
    if not records:
        return b""
    attributes = LOG_APPEND_TIME if header.is_log_append_time and magic > 0 else 0
    try:
        return build_message_set(records, magic, header.codec, attributes)
    except struct.error as error:
        raise CorruptBatchError(0, f"an offset of it has more than 64 bits: {error}") from error


def build_message_set(
    records: Sequence[Record], magic: int, codec: int = Codec.NONE, attributes: int = 0
) -> bytes:
    """Return the messages of *records*, which have their offsets; compressed, they are wrapped in
    one.

    What *magic* has no room for is left out: headers, and in magic 0 the timestamps.
    """
    # Within a wrapper of magic 1 offsets count from its first record on.
    before = records[0].offset if magic == 1 and codec != Codec.NONE else 0
    messages = b"".join(
        message_of(one.offset - before, magic, attributes, one.timestamp, one.key, one.value)
        for one in records
    )
    if codec == Codec.NONE:
        return messages
    packed = pack(bytes(messages), codec, has_wrong_checksum=magic == 0)
    latest_ms = max(one.timestamp for one in records)
    return message_of(records[-1].offset, magic, attributes | codec, latest_ms, None, packed)


def message_of(
    offset: int, magic: int, attributes: int, timestamp: int, key: bytes | None, value: bytes | None
) -> bytes:
    fields = (attributes, timestamp) if magic == 1 else (attributes,)
    sealed = _SEALED[magic].pack(magic, *fields) + with_length(key) + with_length(value)
    return _HEAD.pack(offset, CHECKSUM_SIZE + len(sealed), zlib.crc32(sealed)) + sealed


def with_length(content: bytes | None) -> bytes:
    return NOTHING if content is None else LENGTH.pack(len(content)) + content
