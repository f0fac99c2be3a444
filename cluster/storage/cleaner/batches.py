"""Batches that lose records: what remains of one when some of its records are dropped.

Offsets, sequences and the leader epoch of a batch stay.  The caller decides which records are
dropped.

Source: Kafka's MemoryRecords.filterTo and DefaultRecordBatch.writeEmptyHeader.
"""

import struct
import zlib
from collections.abc import Sequence
from operator import ge
from struct import Struct
from typing import Final, NamedTuple

from cluster.formats.compression import (
    UNPACKED_SIZE_MAX,
    Codec,
    pack,
    unpack,
    with_right_checksum,
)
from cluster.formats.record_batch import (
    CODEC_MASK,
    DELETE_HORIZON,
    HEADER_LAYOUT,
    HEADER_SIZE,
    LEGACY,
    LEGACY_SEALED_AT,
    NO_TIMESTAMP,
    PREFIX_SIZE,
    BatchHeader,
    CorruptBatchError,
    in_64_bits,
    seal,
)
from cluster.formats.record_columns import RecordColumns
from cluster.formats.records import LEGACY_KEY_AT, LEGACY_TIMESTAMP, LENGTH, timestamp_of, varint
from cluster.wire.varint import encode

_OFFSET: Final = Struct(">q")
_CRC: Final = Struct(">I")
_CRC_AT: Final = PREFIX_SIZE


def batch_of(
    header: BatchHeader,
    body: bytes,
    columns: RecordColumns,
    kept: Sequence[int],
    delete_horizon_ms: int | None,
) -> bytes:
    """Return the batch of *header* with only the records *kept*, by their numbers, of its unpacked
    *body*.

    With *delete_horizon_ms*, which the batch does not have yet, its header gets it: the time up to
    which its tombstones are needed.
    """
    base_ms, attributes = header.base_timestamp, header.attributes
    ends = columns.ends
    starts = [0, *ends]
    records = [body[starts[number] : ends[number]] for number in kept]
    latest_ms = header.max_timestamp
    if not header.is_log_append_time:
        latest_ms = max(timestamp_of(header, time_delta_of(record).value) for record in records)
    if delete_horizon_ms is not None:
        # The horizon stands where the time did from which records count theirs.
        shift_ms = base_ms - delete_horizon_ms
        records = [rebased(record, shift_ms) for record in records]
        base_ms, attributes = delete_horizon_ms, attributes | DELETE_HORIZON
    return sealed(
        header._replace(
            attributes=attributes,
            base_timestamp=base_ms,
            max_timestamp=latest_ms,
            record_count=len(kept),
        ),
        pack(b"".join(records), header.codec),
    )


class TimeDelta(NamedTuple):
    """The timestamp delta of a record, where it begins, and where it ends."""

    value: int
    start: int
    end: int


def time_delta_of(record: bytes) -> TimeDelta:
    _, attributes_at = varint(record, 0)
    start = attributes_at + 1
    value, end = varint(record, start)
    return TimeDelta(value, start, end)


def rebased(record: bytes, shift_ms: int) -> bytes:
    """Return the record with a timestamp delta that is *shift_ms* larger."""
    value, start, end = time_delta_of(record)
    delta = in_64_bits(value + shift_ms)
    content = record[start - 1 : start] + encode((delta << 1) ^ (delta >> 63)) + record[end:]
    return encode(2 * len(content)) + content


def empty_batch(header: BatchHeader) -> bytes:
    """Return the batch of *header* without records: it still has its offsets and its producer's
    state.
    """
    attributes = header.attributes & ~(CODEC_MASK | DELETE_HORIZON)
    return sealed(
        header._replace(attributes=attributes, base_timestamp=NO_TIMESTAMP, record_count=0), b""
    )


def sealed(header: BatchHeader, content: bytes) -> bytes:
    length = HEADER_SIZE - PREFIX_SIZE + len(content)
    batch = bytearray(HEADER_LAYOUT.pack(*header._replace(length=length)) + content)
    seal(batch, 0, len(batch))
    return bytes(batch)


class LegacyMessage:
    """A message of magic 0 or 1 that holds one record, or wraps several."""

    __slots__ = ("_batch", "_header", "messages", "offsets")

    def __init__(self, batch: bytes, header: BatchHeader) -> None:
        """Raise CorruptBatchError where it wraps no such messages."""
        self._batch = batch
        self._header = header
        self.messages = [batch] if header.codec == Codec.NONE else self._wrapped()
        """The record, or those that are wrapped, each with its own header."""
        offsets = [_OFFSET.unpack_from(message)[0] for message in self.messages]
        # Within magic 1 they count from 0 on, within magic 0 they are those of the log.
        before = header.base_offset - offsets[-1] if header.magic == 1 else 0
        self.offsets = [before + offset for offset in offsets]
        behind = [*self.offsets[1:], header.base_offset + 1]
        if self.offsets[0] < 0 or any(map(ge, self.offsets, behind)):
            # Records that follow would be dropped for one with an offset that it cannot have.
            raise CorruptBatchError(0, f"offsets up to {header.base_offset} are not in order")

    def _value_at(self) -> int:
        at = LEGACY_KEY_AT[self._header.magic]
        key_size: int = LENGTH.unpack_from(self._batch, at)[0]
        return at + LENGTH.size + max(key_size, 0)

    def _wrapped(self) -> list[bytes]:
        header = self._header
        packed = self._batch[self._value_at() + LENGTH.size :]
        if header.codec == Codec.LZ4 and header.magic == 0:
            packed = with_right_checksum(packed)
        body = bytes(unpack(memoryview(packed), header.codec, UNPACKED_SIZE_MAX))
        messages = []
        position = 0
        try:
            while position < len(body):
                _, length, _, magic, _ = LEGACY.unpack_from(body, position)
                end = position + PREFIX_SIZE + length
                if magic != header.magic or end > len(body) or length < LEGACY.size - PREFIX_SIZE:
                    raise CorruptBatchError(0, f"it wraps a message of {length} bytes")
                messages.append(body[position:end])
                position = end
        except struct.error as error:
            raise CorruptBatchError(0, f"its messages end too early: {error}") from error
        if not messages:
            raise CorruptBatchError(0, "a compressed message that wraps none")
        return messages

    def key_and_value(self, number: int) -> tuple[bytes | None, bool]:
        """Return the key of one of the messages, and whether it has a value."""
        message = self.messages[number]
        at = LEGACY_KEY_AT[self._header.magic]
        try:
            (key_size,) = LENGTH.unpack_from(message, at)
            at += LENGTH.size
            key = None if key_size < 0 else message[at : at + key_size]
            (value_size,) = LENGTH.unpack_from(message, at + max(key_size, 0))
        except struct.error as error:
            raise CorruptBatchError(0, f"a message ends too early: {error}") from error
        return key, value_size >= 0

    def with_only(self, kept: Sequence[int]) -> bytes:
        """Return the messages *kept*, by their numbers, in a wrapper as this one."""
        header = self._header
        messages = [self.messages[number] for number in kept]
        offsets = [self.offsets[number] for number in kept]
        before = offsets[0] if header.magic == 1 else 0
        body = b"".join(
            _OFFSET.pack(offset - before) + message[_OFFSET.size :]
            for offset, message in zip(offsets, messages, strict=True)
        )
        packed = pack(body, header.codec, has_wrong_checksum=header.magic == 0)
        start = bytearray(self._batch[: self._value_at()])
        if header.magic == 1 and not header.is_log_append_time:
            times = [LEGACY_TIMESTAMP.unpack_from(message, LEGACY.size)[0] for message in messages]
            LEGACY_TIMESTAMP.pack_into(start, LEGACY.size, max(times))
        batch = start + LENGTH.pack(len(packed)) + packed
        _OFFSET.pack_into(batch, 0, offsets[-1])
        LENGTH.pack_into(batch, _OFFSET.size, len(batch) - PREFIX_SIZE)
        _CRC.pack_into(batch, _CRC_AT, zlib.crc32(memoryview(batch)[LEGACY_SEALED_AT:]))
        return bytes(batch)
