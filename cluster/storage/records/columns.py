"""Many records of a batch at once, their fields compared column by column at the speed of C.

The result is how many records from some position on are valid for certain.  None means nothing: the
caller then reads a record by itself (`record_walk`).  There are two ways:

- Alike records (`alike_run`), the usual form of bulk data: each field is a strided slice.
- Records that differ in size (`differing_run`): from each only its length and its first bytes are
  taken, by one call of `struct`; these heads, one after the other, have columns again.

Rejected: numpy, which costs a broker 16 MiB and a third of the time that it takes to start, and
does not help with the most expensive part of the second way: following lengths from record to
record.
"""

from collections.abc import Sequence
from itertools import compress
from struct import Struct, error, pack
from typing import Final, NamedTuple, TypeAlias

from cluster.formats.record_columns import STEPS

Body: TypeAlias = bytes | bytearray

ASCII: Final = bytes(range(128))
NOT_ASCII: Final = bytes(range(128, 256))
IS_ASCII: Final = b"\1" * 128 + bytes(128)
IS_BYTE: Final = tuple(bytes(byte) + b"\1" + bytes(255 - byte) for byte in range(256))
NOTHING_AS_EMPTY: Final = bytes([0, 0, *range(2, 256)])
"""Of lengths: 1 means -1."""
BYTES: Final = tuple(bytes([byte]) for byte in range(256))
RUN_MAX: Final = 2048
"""Runs are compared in parts whose headers stay in the processor's cache from column to column."""
DELTAS_MAX: Final = 8192
"""How many offset deltas take one or two bytes; runs end there."""
ONE_BYTE_MAX: Final = 64


def encoded_deltas() -> tuple[bytes, bytes]:
    """Return the first and the second byte of every offset delta of two bytes."""
    raw = [2 * delta for delta in range(DELTAS_MAX)]
    return bytes(one & 0x7F | 0x80 for one in raw), bytes(one >> 7 for one in raw)


FIRST_BYTES, SECOND_BYTES = encoded_deltas()
MIDDLE_BYTES: Final = bytes(one | 0x80 for one in SECOND_BYTES)
ONE_BYTE: Final = bytes(2 * delta for delta in range(ONE_BYTE_MAX))

SPARE_SIZE: Final = 16
"""By how many bytes a key may be longer than the first one."""
HEAD_SIZE_MAX: Final = 128
KEY_LENGTHS: Final = frozenset({1, *range(0, 128, 2)})
"""The lengths of keys that take one byte; 1 is that of no key."""
KEY_LENGTHS_MAX: Final = 16
IS_LATER: Final = tuple(bytes(byte + 1) + b"\1" * (255 - byte) for byte in range(256))
ODD: Final = bytes(range(1, 256, 2))
EARLIER: Final = -1
LATER: Final = 2**70
"""Of timestamps: behind every one that a batch can claim."""


class Form(NamedTuple):
    """Where the fields of a record stand, counted from its first byte."""

    size: int
    """All bytes, the length field included."""
    timestamp_at: int
    offset_at: int
    key_at: int
    """The length of the key; `value_at` the length of the value."""
    key_end: int
    value_at: int
    value_end: int
    headers_at: int
    """The number of headers; they end with the record."""
    header_count: int
    fixed: tuple[tuple[int, int], ...]
    """The bytes that encode lengths: the position of each, and its value."""


def deltas_from(number: int, count_max: int) -> tuple[bytes, ...]:
    """Return the columns of the offset deltas from *number* on.

    At most *count_max* of them, and as far as they take the same number of bytes; of three bytes
    the last one stays the same, too.  None at all where they take more than three.
    """
    if number < ONE_BYTE_MAX:
        return (ONE_BYTE[number : number + count_max],)
    low, high = number % DELTAS_MAX, number // DELTAS_MAX
    first = FIRST_BYTES[low : low + count_max]
    if high == 0:
        return first, SECOND_BYTES[low : low + count_max]
    if high >= 0x80:
        return (b"",)
    return first, MIDDLE_BYTES[low : low + count_max], bytes([high]) * len(first)


def alike_run(
    body: Body, position: int, number: int, count_max: int, form: Form, claim: int
) -> tuple[int, int]:
    """Count the records from *position* on, at most *count_max*, that have exactly this form.

    All bytes that encode lengths are the same, a timestamp takes as many bytes, and offsets
    increase by one.  The result is a lower bound.  The second value is how late they are: see
    `latest_of`.
    """
    size = form.size
    deltas = deltas_from(number, min(count_max, RUN_MAX, (len(body) - position) // size))
    count = len(deltas[0])
    if len(deltas) != form.key_at - form.offset_at:
        return 0, EARLIER
    for at, byte in form.fixed:
        column = body[position + at : position + count * size : size]
        if column != BYTES[byte] * count:
            count -= len(column.lstrip(BYTES[byte]))
            if count == 0:
                return 0, EARLIER
    times: list[Body] = []
    for at in range(position + form.timestamp_at, position + form.offset_at):
        column = body[at : position + count * size : size]
        count = ending(column, is_last=at == position + form.offset_at - 1)
        if count == 0:
            return 0, EARLIER
        times.append(column)
    for at, column in enumerate(deltas, position + form.offset_at):
        if body[at : position + count * size : size] != column[:count]:
            return 0, EARLIER
    return count, latest_of(times, count, claim)


def differing_run(
    body: Body, position: int, number: int, count_max: int, form: Form, claim: int
) -> tuple[int, int, int]:
    """Count the valid records from *position* on, at most *count_max*, and find where they end.

    They may differ in the sizes of their keys and values, but have no headers, and timestamps of as
    many bytes as in *form*, which is that of the record before them.  The count is a lower bound;
    the result begins with (0, *position*) where one of the examined records is not of this kind.
    The last value is how late they are: see `latest_of`.
    """
    assert position > 0
    unknown = 0, position, EARLIER
    deltas = deltas_from(number, count_max)
    size = min(form.value_end - form.timestamp_at + SPARE_SIZE, HEAD_SIZE_MAX)
    lengths, heads, end = heads_from(body, position, len(deltas[0]), size)
    count = len(lengths)
    timestamp_at = align(heads, lengths)
    joined = b"".join(heads)
    offset_at = timestamp_at + form.offset_at - form.timestamp_at
    times = [joined[at::size] for at in range(timestamp_at, offset_at)]
    for at, column in enumerate(times, timestamp_at):
        if ending(column, is_last=at == offset_at - 1) < count:
            return unknown
    for at, column in enumerate(deltas, offset_at):
        if joined[at::size] != column[:count]:
            return unknown
    key_at = offset_at + len(deltas)
    keys = joined[key_at::size]
    key_lengths = set(keys)
    if not key_lengths <= KEY_LENGTHS or len(key_lengths) > KEY_LENGTHS_MAX:
        return unknown
    for byte in key_lengths:
        value_at = key_at + 1 + (byte >> 1)
        if value_at + 2 > size:
            return unknown
        if len(key_lengths) > 1:
            chosen = keys.translate(IS_BYTE[byte])
            joined = b"".join(compress(heads, chosen))
        # Attributes and what is up to the value, its length, and that there are no headers.
        around = value_at - timestamp_at + 3
        of_key = lengths if len(key_lengths) == 1 else tuple(compress(lengths, chosen))
        if not values_fill(joined[value_at::size], joined[value_at + 1 :: size], of_key, around):
            return unknown
    return count, end, latest_of(times, count, claim)


def latest_of(columns: Sequence[Body], count: int, claim: int) -> int:
    """Return how late the latest of *count* timestamps is, as far as matters to what a batch
    claims.

    Each has a byte in every column, the lowest first, and is as *claim* an unsigned number whose
    lowest bit is set where the timestamp is negative.  *claim* itself if the latest is that,
    EARLIER if it is earlier, and LATER if it is later or may be.
    """
    if claim >> 7 * len(columns) != 0:
        return EARLIER
    last = len(columns) - 1
    if last == 0 and columns[0] == BYTES[claim] * count:
        return claim
    columns = [column[:count] for column in columns]
    for at in range(last, -1, -1):
        byte = claim >> 7 * at & 0x7F | (0 if at == last else 0x80)
        column = columns[at]
        if column == BYTES[byte] * len(column):
            continue
        if has_later(columns, at, byte):
            return LATER
        first = column.find(byte)
        if first < 0:
            return EARLIER
        if at == 0:
            break
        end = column.rfind(byte) + 1
        if column.count(byte, first, end) == end - first:
            columns = [lower[first:end] for lower in columns[:at]]
        else:
            chosen = column.translate(IS_BYTE[byte])
            columns = [bytes(compress(lower, chosen)) for lower in columns[:at]]
    return claim


def has_later(columns: Sequence[Body], at: int, byte: int) -> bool:
    """Return whether one of the numbers that is no negative one has more than *byte* in the column
    there.

    What stands in higher columns is the same.
    """
    later = columns[at].translate(IS_LATER[byte])
    if 1 not in later:
        return False
    return bool(bytes(compress(columns[0], later)).translate(None, ODD))


def heads_from(
    body: Body, position: int, count: int, size: int
) -> tuple[list[int], list[bytes], int]:
    """Return, of up to *count* records from *position* on, the lengths, the *size* bytes after
    each, the end.

    A length is given as the number that a record's first two bytes are, the lower one first.
    Records whose length takes more bytes are left out, and all after them; the result is empty
    where a record has headers.
    """
    unpack = Struct(f"<BH{size}s").unpack_from
    lengths: list[int] = []
    heads: list[bytes] = []
    note_length, note_head, steps = lengths.append, heads.append, STEPS
    at = position - 1
    try:
        for _ in range(count):
            header_count, length, head = unpack(body, at)
            if header_count != 0:
                return [], [], position
            note_length(length)
            note_head(head)
            at += steps[length]
    except error:
        # The body has ended: so near to its end records are read one by one.
        pass
    if at >= len(body):
        heads.pop()
        at -= steps[lengths.pop()]
    return ([], [], position) if body[at] != 0 else (lengths, heads, at + 1)


def align(heads: list[bytes], lengths: Sequence[int]) -> int:
    """Have all *heads* the same fields at the same place, and return where timestamps begin.

    What stands behind a length of two bytes are the attributes, and behind one of one byte not.
    """
    is_short = pack(f"<{len(lengths)}H", *lengths)[::2].translate(IS_ASCII)
    if 0 not in is_short:
        return 0
    for index in compress(range(len(heads)), is_short):
        heads[index] = b"\0" + heads[index][:-1]
    return 1


def ending(column: Body, *, is_last: bool) -> int:
    """Return how many numbers of *column* end with their byte there, or do not where it is not
    *is_last*.

    Counted from the first one on.
    """
    # Stripping is slow where there is much to strip.
    if column.isascii() if is_last else not column.translate(None, NOT_ASCII):
        return len(column)
    return len(column) - len(column.lstrip(ASCII if is_last else NOT_ASCII))


def values_fill(firsts: bytes, seconds: bytes, lengths: Sequence[int], around: int) -> bool:
    """Return whether each record is exactly as long as *around* and its value are together.

    Given the first two bytes of the values' lengths, and those of the records'.  All are computed
    at once, each in its 16 bits of one long number, which none of them exceeds.
    """
    count = len(lengths)
    ones = int.from_bytes(b"\1\0" * count, "little")
    columns = bytearray(2 * count)
    columns[::2] = firsts.translate(NOTHING_AS_EMPTY)
    columns[1::2] = seconds
    sizes = int.from_bytes(columns, "little")
    are_long = sizes >> 7 & ones
    if sizes >> 15 & are_long:
        # Sizes of more than two bytes.  Those below -1 are odd, and so is then the sum.
        return False
    whole = doubled(int.from_bytes(pack(f"<{count}H", *lengths), "little"), ones)
    return whole == doubled(sizes, ones) + 2 * (around * ones + are_long)


def doubled(numbers: int, ones: int) -> int:
    """Return the sizes, times two, that stand as varints of one or two bytes in every 16 bits."""
    are_long = numbers >> 7 & ones
    return (numbers & 0x7F * ones) + ((numbers >> 8 & 0x7F * are_long) << 7)
