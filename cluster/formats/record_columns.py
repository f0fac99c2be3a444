"""Records of an uncompressed body as columns: where each ends, with its key, to keep or drop it.

Values and headers are not decoded.  Only magic 2; `records` reads the others.

Up to its key a record takes as many bytes as the one before it, nearly always.  These are read as
one number, of which some bits show whether it is so; records of other forms are read byte by byte,
and so are all that may be damaged.
"""

import struct
from struct import Struct
from typing import Final, NamedTuple

from cluster.formats.record_batch import CorruptBatchError
from cluster.formats.records import RECORD_LENGTH_MIN, varint

BEYOND: Final = 2**40
"""Behind the end of every body."""
HEAD: Final = Struct("<Q")
"""The bytes of a record up to the length of its key, which is the highest one, and before them some
of the record before."""


def steps_by_length() -> tuple[int, ...]:
    """Return how far it is from a record to the next one, by its first two bytes, the lower one
    first.

    BEYOND for what is no length, or one of more bytes.
    """
    steps = [BEYOND] * 65536
    for high in range(256):
        row = 256 * high
        steps[row : row + 128 : 2] = range(1, 65)
        if high < 128:
            steps[row + 128 : row + 256 : 2] = range(2 + 64 * high, 66 + 64 * high)
    return tuple(steps)


STEPS: Final = steps_by_length()


class RecordColumns(NamedTuple):
    """The records of one body; each list but the last two has an element for each."""

    ends: list[int]
    """Where each ends, and the next one begins."""
    offset_deltas: list[int]
    keys: list[bytes]
    keyless: list[int]
    """The numbers of those without a key, which is empty above."""
    tombstones: list[int]
    """The numbers of those without a value."""


class Form(NamedTuple):
    """How many bytes the fields of a record take up to its key, at most 8 together."""

    size: int
    mask: int
    """The bits of a head that show it."""
    expected: int
    """What these bits are."""
    offset_shift: int
    offset_mask: int
    """The bits of the second byte of an offset delta, where it has one."""


def form_of(length_size: int, time_size: int, offset_size: int) -> Form:
    """Return the form of records whose offset deltas and keys have lengths from 0 on."""
    sizes = (length_size, 1, time_size, offset_size, 1)
    size = sum(sizes)
    # That of the attributes is not looked at; each other number ends with its last byte.
    more = [byte < number - 1 for number in sizes for byte in range(number)]
    masks = [0x80] * size
    masks[length_size] = 0
    offset_at = size - 1 - offset_size
    for at in (offset_at, size - 1):
        masks[at] |= 1
    before = HEAD.size - size
    return Form(
        size,
        int.from_bytes(bytes(before) + bytes(masks), "little"),
        int.from_bytes(bytes(before) + bytes(0x80 * is_more for is_more in more), "little"),
        8 * (before + offset_at),
        0x7F00 if offset_size > 1 else 0,
    )


FORMS: Final = {
    (length_size, time_size, offset_size): form_of(length_size, time_size, offset_size)
    for length_size in (1, 2)
    for time_size in (1, 2)
    for offset_size in (1, 2)
}


def record_columns(body: bytes, count: int) -> RecordColumns:
    """Return the *count* records of *body*, in order.

    Raises:
        CorruptBatchError: they are not as they say.
    """
    columns = RecordColumns([], [], [], [], [])
    ends = columns.ends
    try:
        while len(ends) < count:
            form = note_one(columns, body)
            if form is not None:
                note_alike(columns, body, count, form)
    except (IndexError, struct.error) as error:
        raise CorruptBatchError(0, f"its records end too early: {error}") from error
    end = ends[-1] if ends else 0
    if end < len(body):
        raise CorruptBatchError(0, f"{len(body) - end} bytes are left behind its last record")
    return columns


def note_alike(columns: RecordColumns, body: bytes, count: int, form: Form) -> None:
    """Add those of the next records of *body*, up to the number *count*, that have this *form*.

    Ends before one that may be damaged.
    """
    size, mask, expected, offset_shift, offset_mask = form
    ends, offset_deltas, keys, _, tombstones = columns
    note_end, note_offset, note_key = ends.append, offset_deltas.append, keys.append
    unpack, steps, body_size = HEAD.unpack_from, STEPS, len(body)
    before = HEAD.size - size
    length_shift = 8 * before
    position = ends[-1]
    for number in range(len(ends), count):
        if position + size > body_size:
            return
        (head,) = unpack(body, position - before)
        if head & mask != expected:
            return
        key_at = position + size
        key_end = key_at + (head >> 57)
        end = position + steps[head >> length_shift & 0xFFFF]
        if key_end + 1 >= end or end > body_size:
            return
        note_end(end)
        offset = head >> offset_shift
        note_offset((offset & 0x7F | (offset & offset_mask) >> 1) >> 1)
        note_key(body[key_at:key_end])
        if body[key_end] & 1:
            tombstones.append(number)
        position = end


def note_one(  # noqa: C901 - its numbers are read in place, one branch for each size
    columns: RecordColumns, body: bytes
) -> Form | None:
    """Add the next record of *body* to *columns*, and return its form, if it has one.

    Raises:
        CorruptBatchError, IndexError, struct.error: it is damaged.
    """
    ends, offset_deltas, keys, keyless, tombstones = columns
    number = len(ends)
    position = ends[-1] if ends else 0
    # Most numbers take one byte or two: to call for them would cost as much as the rest.
    byte = body[position]
    if byte < 0x80:
        length = (byte >> 1) ^ -(byte & 1)
        start = position + 1
    elif (high := body[position + 1]) < 0x80:
        length = ((byte & 0x7F | high << 7) >> 1) ^ -(byte & 1)
        start = position + 2
    else:
        length, start = varint(body, position)
    end = start + length
    if length < RECORD_LENGTH_MIN or end > len(body):
        raise CorruptBatchError(0, f"record {number} says that it has {length} bytes")
    time_at = start + 1
    if body[time_at] < 0x80:
        offset_at = time_at + 1
    elif body[time_at + 1] < 0x80:
        offset_at = time_at + 2
    else:
        _, offset_at = varint(body, time_at)
    byte = body[offset_at]
    if byte < 0x80:
        delta = (byte >> 1) ^ -(byte & 1)
        key_at = offset_at + 1
    elif (high := body[offset_at + 1]) < 0x80:
        delta = ((byte & 0x7F | high << 7) >> 1) ^ -(byte & 1)
        key_at = offset_at + 2
    else:
        delta, key_at = varint(body, offset_at)
    byte = body[key_at]
    if byte < 0x80:
        key_size = (byte >> 1) ^ -(byte & 1)
        at = key_at + 1
    else:
        key_size, at = varint(body, key_at)
    if key_size < 0:
        keys.append(b"")
        keyless.append(number)
    else:
        keys.append(body[at : at + key_size])
        at += key_size
    if at >= end:
        raise CorruptBatchError(0, f"record {number} has a key of {key_size} bytes")
    # A size below 0 is odd in its lowest byte: that of no value.
    if body[at] & 1:
        tombstones.append(number)
    offset_deltas.append(delta)
    ends.append(end)
    if byte & 0x81:
        return None
    return FORMS.get((start - position, offset_at - time_at, key_at - offset_at))
