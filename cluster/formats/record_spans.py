"""Records of an uncompressed body as spans of bytes, each with its key: to keep or to drop them.

Values and headers are not decoded.  Only magic 2; `records` reads the others.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from cluster.formats.record_batch import CorruptBatchError
from cluster.formats.records import RECORD_LENGTH_MIN, varint


class RecordSpan(NamedTuple):
    """One record, and where it stands in its body."""

    start: int
    end: int
    time_at: int
    """Where its timestamp delta begins; the offset delta follows."""
    time_delta: int
    offset_at: int
    offset_delta: int
    key: bytes | None
    has_value: bool


def record_spans(  # noqa: C901 - its numbers are read in place, one branch for each size
    body: bytes, count: int
) -> Iterator[RecordSpan]:
    """Yield the *count* records of *body*, in order.

    Raises:
        CorruptBatchError: they are not as they say; those before were yielded.
    """
    position = 0
    size = len(body)
    new = tuple.__new__
    try:
        for number in range(count):
            start = position
            # Most numbers take one byte or two: to call for them would cost as much as the rest.
            byte = body[position]
            if byte < 0x80:
                length = (byte >> 1) ^ -(byte & 1)
                time_at = position + 2
            elif (high := body[position + 1]) < 0x80:
                length = ((byte & 0x7F | high << 7) >> 1) ^ -(byte & 1)
                time_at = position + 3
            else:
                length, position = varint(body, position)
                time_at = position + 1
            position = end = time_at - 1 + length
            if length < RECORD_LENGTH_MIN or end > size:
                raise CorruptBatchError(0, f"record {number} says that it has {length} bytes")
            byte = body[time_at]
            if byte < 0x80:
                time_delta = (byte >> 1) ^ -(byte & 1)
                offset_at = time_at + 1
            elif (high := body[time_at + 1]) < 0x80:
                time_delta = ((byte & 0x7F | high << 7) >> 1) ^ -(byte & 1)
                offset_at = time_at + 2
            else:
                time_delta, offset_at = varint(body, time_at)
            byte = body[offset_at]
            if byte < 0x80:
                offset_delta = (byte >> 1) ^ -(byte & 1)
                at = offset_at + 1
            elif (high := body[offset_at + 1]) < 0x80:
                offset_delta = ((byte & 0x7F | high << 7) >> 1) ^ -(byte & 1)
                at = offset_at + 2
            else:
                offset_delta, at = varint(body, offset_at)
            byte = body[at]
            if byte < 0x80:
                key_size = (byte >> 1) ^ -(byte & 1)
                at += 1
            else:
                key_size, at = varint(body, at)
            if key_size < 0:
                key = None
            else:
                key = body[at : at + key_size]
                at += key_size
            if at >= end:
                raise CorruptBatchError(0, f"record {number} has a key of {key_size} bytes")
            # A size below 0 is odd in its lowest byte: that of no value.
            has_value = body[at] & 1 == 0
            yield new(
                RecordSpan,
                (start, end, time_at, time_delta, offset_at, offset_delta, key, has_value),
            )
    except (IndexError, struct.error) as error:
        raise CorruptBatchError(0, f"its records end too early: {error}") from error
    if position < size:
        raise CorruptBatchError(0, f"{size - position} bytes are left behind its last record")
