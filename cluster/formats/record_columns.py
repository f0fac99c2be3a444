"""Records of an uncompressed body as columns: where each ends, with its key, to keep or drop it.

Values and headers are not decoded.  Only magic 2; `records` reads the others.

Of each record only the beginning is taken, by one call of `struct`.  These heads, one after the
other, have columns as long as the fields of the records take as many bytes.  Records of other forms
are read byte by byte, and so are all that may be damaged.
"""

import struct
from itertools import accumulate, repeat
from struct import Struct
from typing import Final, NamedTuple

from cluster.formats.record_batch import CorruptBatchError
from cluster.formats.records import RECORD_LENGTH_MIN, varint

BEYOND: Final = 2**40
"""Behind the end of every body."""
FEW: Final = 8
"""So many records are read byte by byte sooner than by columns."""
HEADS_MAX: Final = 512
"""As many stay in the cache of the processor from column to column."""
SPARE_SIZE: Final = 16
"""What a head has beside the key of the first record: other fields, and more of longer keys."""
HEAD_SIZE_MAX: Final = 96
ASCII: Final = bytes(range(128))
NOT_ASCII: Final = bytes(range(128, 256))
EVEN: Final = bytes(range(0, 256, 2))
EVEN_ASCII: Final = ASCII[::2]
EVEN_NOT_ASCII: Final = NOT_ASCII[::2]
TIME_AT: Final = 1
"""In a head, which begins with the attributes."""
AROUND_SIZE: Final = 3
"""A record that is at least so much larger than its head up to the value has a length that can
be."""


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


def record_columns(body: bytes, count: int) -> RecordColumns:
    """Return the *count* records of *body*, in order.

    Raises:
        CorruptBatchError: they are not as they say.
    """
    columns = RecordColumns([], [], [], [], [])
    ends = columns.ends
    try:
        note_each(columns, body, count if count <= FEW else 1)
        heads = None
        while len(ends) < count:
            if heads is None or len(ends) >= heads.until:
                heads = Heads(columns, body, count)
            if heads.note_run(columns) <= FEW:
                note_each(columns, body, min(len(ends) + FEW, count))
    except (IndexError, struct.error) as error:
        raise CorruptBatchError(0, f"its records end too early: {error}") from error
    end = ends[-1] if ends else 0
    if end < len(body):
        raise CorruptBatchError(0, f"{len(body) - end} bytes are left behind its last record")
    return columns


class Heads:
    """The beginnings of some records, behind their lengths."""

    __slots__ = ("_ends", "_first", "_heads", "_joined", "_size", "_sizes", "until")

    def __init__(self, columns: RecordColumns, body: bytes, count: int) -> None:
        """Take those that follow *columns*, in which there is one, up to where one has a length of
        more than two bytes, or ends with the body.
        """
        self._first = first = len(columns.ends)
        start = columns.ends[-1]
        self._size = min(len(columns.keys[-1]) + SPARE_SIZE, HEAD_SIZE_MAX)
        unpack = Struct(f"<H{self._size}s").unpack_from
        lengths: list[int] = []
        heads: list[bytes] = []
        note_length, note_head, steps = lengths.append, heads.append, STEPS
        at = start
        try:
            for _ in repeat(None, min(count - first, HEADS_MAX)):
                length, head = unpack(body, at)
                note_length(length)
                note_head(head)
                at += steps[length]
        except struct.error:
            # So near to the end of the body records are read one by one.
            pass
        if at > len(body):
            lengths.pop()
            heads.pop()
        # What stands behind a length of two bytes are the attributes, and behind one of one byte
        # not.
        for number, length in enumerate(lengths):
            if length & 0x80 == 0:
                heads[number] = b"\0" + heads[number][:-1]
        self._heads = heads
        self._joined = b"".join(heads)
        self._sizes = [steps[length] for length in lengths]
        self._ends = list(accumulate(self._sizes, initial=start))
        self.until = first + len(heads)
        """The number of the record behind the last head."""

    def note_run(self, columns: RecordColumns) -> int:
        """Add the records to *columns* that follow in the form of the first one, and return how
        many.
        """
        size = self._size
        first = len(columns.ends) - self._first
        joined = self._joined[first * size :]
        count = len(joined) // size
        at = TIME_AT
        parts = []
        for _ in ("time", "offset"):
            length = 1 if joined[at : at + 1].isascii() else 2
            count = ending(joined[at : count * size : size], is_last=length == 1)
            if length == 2:
                count = ending(joined[at + 1 : count * size : size], is_last=True)
            parts.append((at, length))
            at += length
        offset_at = parts[1][0]
        low = joined[offset_at : count * size : size]
        count = beginning(low, EVEN)
        if at - offset_at == 1:
            deltas = [byte >> 1 for byte in low[:count]]
        else:
            high = joined[offset_at + 1 : count * size : size]
            deltas = [(byte & 0x7F | more << 7) >> 1 for byte, more in zip(low, high, strict=False)]
        key_at = at + 1
        # From there on a key would end with the head, or behind it.
        sizes = joined[at : count * size : size]
        count = beginning(sizes, EVEN_ASCII[: max(size - key_at, 0)])
        end = first + count
        largest = max(sizes[:count], default=0) >> 1
        if count == 0 or min(self._sizes[first:end]) < key_at + largest + AROUND_SIZE:
            return 0
        heads = self._heads[first:end]
        if sizes.count(sizes[0]) == len(sizes):
            key_end = key_at + largest
            keys = [head[key_at:key_end] for head in heads]
            values = joined[key_end : count * size : size]
        else:
            key_ends = [key_at + (byte >> 1) for byte in sizes[:count]]
            keys = [head[key_at:key_end] for head, key_end in zip(heads, key_ends, strict=True)]
            values = bytes([head[key_end] for head, key_end in zip(heads, key_ends, strict=True)])
        before = len(columns.ends)
        columns.ends.extend(self._ends[first + 1 : end + 1])
        columns.offset_deltas.extend(deltas[:count])
        columns.keys.extend(keys)
        if values.translate(None, EVEN):
            columns.tombstones.extend(
                before + number for number, byte in enumerate(values) if byte & 1
            )
        return count


def ending(column: bytes, *, is_last: bool) -> int:
    """Return how many numbers of *column* end with their byte there, or do not where it is not
    *is_last*.

    Counted from the first one on.
    """
    return beginning(column, ASCII if is_last else NOT_ASCII)


def beginning(column: bytes, expected: bytes) -> int:
    """Return how many bytes *column* begins with that are among *expected*."""
    # To strip is slow where there is much to strip.
    if not column.translate(None, expected):
        return len(column)
    return len(column) - len(column.lstrip(expected))


def note_each(columns: RecordColumns, body: bytes, until: int) -> None:  # noqa: C901 - its numbers are read in place
    """Add the next records of *body* to *columns*, up to that of number *until*.

    Raises:
        CorruptBatchError, IndexError, struct.error: one is damaged.
    """
    ends, offset_deltas, keys, keyless, tombstones = columns
    position = ends[-1] if ends else 0
    size = len(body)
    for number in range(len(ends), until):
        # Most numbers take one byte or two: to call for them would cost as much as the rest.
        byte = body[position]
        if byte < 0x80:
            length = (byte >> 1) ^ -(byte & 1)
            at = position + 2
        elif (high := body[position + 1]) < 0x80:
            length = ((byte & 0x7F | high << 7) >> 1) ^ -(byte & 1)
            at = position + 3
        else:
            length, position = varint(body, position)
            at = position + 1
        position = at - 1 + length
        if length < RECORD_LENGTH_MIN or position > size:
            raise CorruptBatchError(0, f"record {number} says that it has {length} bytes")
        byte = body[at]
        if byte < 0x80:
            at += 1
        elif body[at + 1] < 0x80:
            at += 2
        else:
            _, at = varint(body, at)
        byte = body[at]
        if byte < 0x80:
            delta = (byte >> 1) ^ -(byte & 1)
            at += 1
        elif (high := body[at + 1]) < 0x80:
            delta = ((byte & 0x7F | high << 7) >> 1) ^ -(byte & 1)
            at += 2
        else:
            delta, at = varint(body, at)
        byte = body[at]
        if byte < 0x80:
            key_size = (byte >> 1) ^ -(byte & 1)
            at += 1
        else:
            key_size, at = varint(body, at)
        if key_size < 0:
            keys.append(b"")
            keyless.append(number)
        else:
            keys.append(body[at : at + key_size])
            at += key_size
        if at >= position:
            raise CorruptBatchError(0, f"record {number} has a key of {key_size} bytes")
        # A size below 0 is odd in its lowest byte: that of no value.
        if body[at] & 1:
            tombstones.append(number)
        offset_deltas.append(delta)
        ends.append(position)
