"""The records of many batches at once: whether they are whole, and whether their offsets rise.

The length of a record leads to the next one: of many batches the lengths of the first records are
read at once, then those of the second ones; of few batches each on its own.  All fields behind them
are looked at as columns of numpy.  What this cannot decide is left to `cluster.formats.records`,
which reads record by record.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from cluster.formats.record_batch import BatchHeader, CorruptBatchError
from cluster.formats.records import RECORD_LENGTH_MIN, varint

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

WORD_SIZE: Final = 8
PADDING: Final = bytes(2 * WORD_SIZE)
"""Behind all bodies, so that a word can be taken at each of their ends."""

BESIDE_MIN: Final = 64
"""Batches beside each other from which on it is faster to read their lengths at once."""

HEADERS_MAX: Final = 16
"""Records with more headers are read on their own."""

HIGH_BITS: Final = np.uint64(0x8080808080808080)
ONE: Final = np.uint64(1)
BYTE: Final = np.uint64(8)
SEVENS: Final = tuple(
    (np.uint64(shift), np.uint64(0x7F << (7 * shift))) for shift in range(WORD_SIZE // 2)
)
"""Of each of the four bytes of a number: how far its seven bits move, and where they end."""


def are_sound(bodies: Sequence[memoryview], headers: Sequence[BatchHeader]) -> list[bool]:
    """Return whether the records of each batch of magic 2 are surely right, given their unpacked
    *bodies*.

    Right are whole records, as many as in the header and nothing behind them, with offsets that
    rise within those of the batch.  False also where a number is large, or the name of a record's
    header is no ASCII: such records have to be read one by one.
    """
    if not bodies:
        return []
    data = np.frombuffer(b"".join([*bodies, PADDING]), np.uint8)
    bases = np.cumsum([0, *map(len, bodies[:-1])])
    counts = [header.record_count for header in headers]
    if sum(counts) >= BESIDE_MIN * max(counts):
        until, counts = ends_beside(data, bases, bodies, counts)
    else:
        until, counts = ends_alone(bases, bodies, counts)
    sound = [count >= 0 for count in counts]
    if not len(until):
        return sound
    batch_of = np.repeat(np.arange(len(bodies)), np.maximum(counts, 0))
    is_first = np.concatenate([[True], batch_of[:-1] != batch_of[1:]])
    begin = np.where(is_first, bases[batch_of], np.concatenate([[0], until[:-1]]))
    is_right, offset_deltas = fields_fit(data, begin, until)
    last_deltas = np.array([header.last_offset - header.base_offset for header in headers])
    is_right &= offset_deltas <= last_deltas[batch_of]
    # All deltas are at least 0: it is enough that they rise from one record of a batch to the next.
    is_right[1:] &= (offset_deltas[:-1] < offset_deltas[1:]) | is_first[1:]
    for number in np.unique(batch_of[~is_right]).tolist():
        sound[number] = False
    return sound


def ends_beside(
    data: npt.NDArray[np.uint8], bases: Numbers, bodies: Sequence[memoryview], counts: Sequence[int]
) -> tuple[Numbers, list[int]]:
    """Return what `ends_alone` does, for bodies that are in *data* from *bases* on."""
    words = words_of(data)
    limits = bases + np.array([*map(len, bodies)])
    wanted = np.array(counts)
    # No more than there is room for: any other number in a header is wrong.
    is_right = (wanted >= 0) & (wanted * (RECORD_LENGTH_MIN + 1) <= limits - bases)
    wanted[~is_right] = 0
    firsts = np.cumsum([0, *wanted[:-1]])
    ends = np.zeros(int(wanted.sum()), np.int64)
    order = np.argsort(-wanted, kind="stable")
    at, until, fits = bases[order], limits[order], is_right[order]
    # Those that have so many records come first.
    widths = np.searchsorted(-wanted[order], -np.arange(int(wanted.max(initial=0))))
    for number, width in enumerate(widths.tolist()):
        raw, size, is_number = numbers(words[at[:width]])
        fits[:width] &= is_number & (raw & 1 == 0)
        at[:width] = clipped(at[:width] + size + (raw >> 1), until[:width], fits[:width])
        ends[firsts[order[:width]] + number] = at[:width]
    is_right[order] = fits & (at == until)
    return ends[np.repeat(is_right, wanted)], np.where(is_right, wanted, -1).tolist()


def ends_alone(
    bases: Numbers, bodies: Sequence[memoryview], wanted: Sequence[int]
) -> tuple[Numbers, list[int]]:
    """Return where the records of each of *bodies* end, by the lengths that they begin with.

    And how many there are in each: -1, and no ends, where they are not as many as *wanted*, or do
    not fill the body.
    """
    ends: list[int] = []
    append = ends.append
    counts: list[int] = []
    for body, number in zip(bodies, wanted, strict=True):
        at, before = 0, len(ends)
        try:
            # The lengths are numbers of zigzag: doubled, and none is below 0.
            for _ in range(number):
                low = body[at]
                if low < 0x80:
                    at += 1 + (low >> 1)
                elif (middle := body[at + 1]) < 0x80:
                    at += 2 + ((low & 0x7F | middle << 7) >> 1)
                else:
                    length, start = varint(body, at)
                    if length < 0:
                        break
                    at = start + length
                append(at)
        except (IndexError, CorruptBatchError):
            at = -1
        count = len(ends) - before
        if at != len(body) or count != number:
            del ends[before:]
            count = -1
        counts.append(count)
    return np.array(ends, np.int64) + np.repeat(bases, np.maximum(counts, 0)), counts


def words_of(data: npt.NDArray[np.uint8]) -> Words:
    """Return the eight bytes from each byte on."""
    return np.ndarray(len(data) - WORD_SIZE + 1, "<u8", data, strides=(1,))


def fields_fit(
    data: npt.NDArray[np.uint8], begins: Numbers, ends: Numbers
) -> tuple[Bools, Numbers]:
    """Return whether the fields of each record take all of it, and the records' offset deltas."""
    words = words_of(data)
    raw, size, is_right = numbers(words[begins])
    at = begins + size
    is_right &= (raw >= RECORD_LENGTH_MIN << 1) & (raw & 1 == 0) & (at + (raw >> 1) == ends)
    # Behind the attributes, which take a byte, is the timestamp's delta, of any value.
    at = clipped(at + 1, ends, is_right)
    size, fits = sizes(words[at])
    is_right &= fits
    at = clipped(at + size, ends, is_right)
    word = words[at]
    deltas, size, fits = numbers(word)
    is_right &= fits & (deltas & 1 == 0)
    at = clipped(at + size, ends, is_right)
    # Four bytes were the most, so that four more are left of the word for the key's size.
    key_sizes, size, fits = numbers(word >> (size.astype(np.uint64) * BYTE))
    is_right &= fits
    at = clipped(at + size + lengths(key_sizes), ends, is_right)
    at = behind_bytes(words, at, ends, is_right)
    header_counts, size, fits = numbers(words[at])
    is_right &= fits & (header_counts & 1 == 0)
    at = clipped(at + size, ends, is_right)
    if bool(np.any(header_counts[is_right] > 0)):
        at = behind_headers(words, at, ends, header_counts >> 1, is_right)
    is_right &= at == ends
    return is_right, deltas >> 1


def behind_headers(
    words: Words,
    at: Numbers,
    ends: Numbers,
    counts: Numbers,
    is_right: Bools,
) -> Numbers:
    """Return the positions behind the headers of records, of which there are so many."""
    is_right &= counts <= HEADERS_MAX
    for number in range(int(counts[is_right].max(initial=0))):
        some = np.flatnonzero(is_right & (counts > number))
        until, fits = ends[some], np.ones(len(some), np.bool_)
        name_sizes, size, is_number = numbers(words[at[some]])
        name_at = clipped(at[some] + size, until, fits)
        value_at = clipped(name_at + lengths(name_sizes), until, fits)
        fits &= is_number
        at[some] = behind_bytes(words, value_at, until, fits)
        is_right[some] &= fits
    return at


def behind_bytes(words: Words, at: Numbers, ends: Numbers, is_right: Bools) -> Numbers:
    """Return the positions behind bytes that stand behind their size."""
    raw, size, fits = numbers(words[at])
    is_right &= fits
    return clipped(at + size + lengths(raw), ends, is_right)


def clipped(at: Numbers, ends: Numbers, is_right: Bools) -> Numbers:
    """Return *at*, and wrong where it is behind the end of its record, which it is put back to."""
    is_right &= at <= ends
    return np.minimum(at, ends)


def lengths(raw: Numbers) -> Numbers:
    """Return how many bytes there are; 0 where the number is below 0, which means null."""
    return np.where(raw & 1, 0, raw >> 1)


def sizes(word: Words) -> tuple[Numbers, Bools]:
    """Return how many bytes the number takes that each word begins with, and whether it ends in
    it."""
    ends = ~word & HIGH_BITS
    below = (ends & (~ends + ONE)) - ONE
    return (np.bitwise_count(below).astype(np.int64) + 1) >> 3, ends != 0


def numbers(word: Words) -> tuple[Numbers, Numbers, Bools]:
    """Return the number that each word begins with, in zigzag, how many bytes it takes, and
    whether it is one of up to four bytes."""
    ends = ~word & HIGH_BITS
    below = (ends & (~ends + ONE)) - ONE
    size = (np.bitwise_count(below).astype(np.int64) + 1) >> 3
    word = word & below
    value = np.zeros(len(word), np.uint64)
    for shift, place in SEVENS:
        value |= (word >> shift) & place
    return value.astype(np.int64), size, size <= WORD_SIZE // 2
