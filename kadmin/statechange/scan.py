"""A block of text, searched at many places at once for a given text, an integer, a delimiter.

Works on all places at once with numpy, eight bytes at a time.  Knows nothing of lines' meanings.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

Marks = Callable[[Words], Words]
"""Sets the top bit of the bytes that are looked for, and no other bit."""

BEFORE: Final = 8
"""Bytes of padding before a block: numbers are also read backwards, from their ends."""

AFTER: Final = 4096
"""Bytes of padding behind a block: more than any template's text, so that no place is too near."""

GATHERED_BYTES_MAX: Final = 1 << 20
"""How much a search that goes on looks at in one go at most, of all places together."""

WORDS_AT_ONCE: Final = 4
"""How much of a text a search looks at in one go: most topics are shorter than 32 bytes."""


def repeated(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


TOP_BITS: Final = repeated(0x80)
LOW_BITS: Final = repeated(0x7F)
ZEROS: Final = repeated(ord("0"))
NOT_A_DIGIT: Final = repeated(0x76)
"""Added to the value of a digit, this stays below the top bit; to anything larger, it does not."""

MINUS: Final = ord("-")
COMMA: Final = ord(",")
BLANK: Final = ord(" ")

DIGITS_MAX: Final = 18
"""What any integer of 64 bits can hold."""


class Block:
    """Text between two paddings of zeros; places are positions in `bytes`.

    All text is ASCII: a byte above 127 spoils the numbers behind it.
    """

    __slots__ = ("bytes",)

    def __init__(self, text: Bytes) -> None:
        self.bytes: Bytes = np.zeros(BEFORE + len(text) + AFTER, np.uint8)
        self.bytes[BEFORE : BEFORE + len(text)] = text

    def words(self, at: Ints, count: int) -> Words:
        """Return *count* words of eight bytes from each place on, a row for each."""
        size = 8 * count
        # One gather of a wide item costs as much as one of a single byte.
        wide = np.ndarray((len(self.bytes) - size + 1,), f"V{size}", self.bytes, strides=(1,))
        return wide[at].view("<u8").reshape(-1, count)

    def has(self, at: Ints, text: bytes) -> Mask:
        """Return at which places *text* stands."""
        count = -(-len(text) // 8)
        wanted = np.frombuffer(text.ljust(8 * count, b"\0"), "<u8")
        words = self.words(at, count)
        rest = len(text) % 8
        last = words[:, -1]
        if rest != 0:
            last = last & np.uint64((1 << 8 * rest) - 1)
        found: Mask = last == wanted[-1]
        for index in range(count - 1):
            found &= words[:, index] == wanted[index]
        return found

    def ends_with(self, starts: Ints, ends: Ints, text: bytes) -> Mask:
        """Return which stretches from *starts* to *ends* end with *text*."""
        long_enough = ends - starts >= len(text)
        return long_enough & self.has(np.maximum(ends - len(text), 0), text)

    def integers(self, at: Ints) -> tuple[Ints, Ints, Mask]:
        """Return the integer that begins at each place, the place behind it, and whether there
        is one."""
        values, behind, found = self._digits(at)
        missing = np.flatnonzero(~found)
        if len(missing) > 0:
            negative = missing[self.bytes[at[missing]] == MINUS]
            values[negative], behind[negative], found[negative] = self._digits(at[negative] + 1)
            values[negative] = -values[negative]
        return values, behind, found

    def _digits(self, at: Ints) -> tuple[Ints, Ints, Mask]:
        values, count = leading_number(self.words(at, 1)[:, 0])
        behind = at + count
        # A number that fills one word may go on in the next; three words are too many digits.
        going_on = np.flatnonzero(count == 8)
        for _ in range(2):
            if len(going_on) == 0:
                break
            more, grown = leading_number(self.words(behind[going_on], 1)[:, 0])
            shifted = values[going_on] * 10**grown
            values[going_on] = np.where(grown > 0, shifted + more, shifted)
            behind[going_on] += grown
            going_on = going_on[grown == 8]
        count = behind - at
        return values, behind, (count > 0) & (count <= DIGITS_MAX)

    def find(self, at: Ints, ends: Ints, marks: Marks, count: int = WORDS_AT_ONCE) -> Ints:
        """Return the first marked byte from each place on, or else the place's end.

        *count* words are looked at in one go.
        """
        found: Ints = np.minimum(at + first_marked(marks(self.words(at, count))), ends)
        further = np.flatnonzero((found - at == 8 * count) & (found < ends))
        while len(further) > 0:
            # Few texts are long; a word at a time, one of megabytes would take minutes.
            if 16 * count <= min(AFTER, GATHERED_BYTES_MAX // len(further)):
                count *= 2
            start, end = found[further], ends[further]
            place = np.minimum(start + first_marked(marks(self.words(start, count))), end)
            found[further] = place
            further = further[(place - start == 8 * count) & (place < end)]
        return found

    def numbers_before(self, ends: Ints) -> tuple[Ints, Ints]:
        """Return the digits that end before each place, up to eight: their value and count."""
        words = self.words(ends - 8, 1)[:, 0] ^ ZEROS
        others = ((words + NOT_A_DIGIT) | words) & TOP_BITS
        # Spread the last byte that is no digit over all before it.
        for shift in (8, 16, 32):
            others |= others >> np.uint64(shift)
        kept = ~(others | (others - (others >> np.uint64(7))))
        count = 8 - np.bitwise_count(others).astype(np.int64)
        return number(words & kept), count


def leading_number(words: Words) -> tuple[Ints, Ints]:
    """Return the number that each word's text begins with, and of how many digits."""
    words = words ^ ZEROS
    others = ((words + NOT_A_DIGIT) | words) & TOP_BITS
    count = (np.bitwise_count((others & (~others + np.uint64(1))) - np.uint64(1)) >> 3).astype(
        np.int64
    )
    # Shift what follows the digits out, so that they stand at the end, behind zeros.
    shift = np.minimum(8 * (8 - count), 63).astype(np.uint64)
    return number(words << shift), count


def number(digits: Words) -> Ints:
    """Return the number of eight digits, the values of one byte each, the first one in the
    lowest byte."""
    pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    return ((fours * np.uint64(10_000) + (fours >> np.uint64(32))) & np.uint64(0xFFFFFFFF)).astype(
        np.int64
    )


def one_of(stops: bytes) -> Marks:
    """Mark every byte that is one of *stops*."""

    def marks(words: Words) -> Words:
        found = equal(words, stops[0])
        for stop in stops[1:]:
            found |= equal(words, stop)
        return found

    return marks


def no_number(words: Words) -> Words:
    """Mark every byte that cannot stand in a list of integers: no digit, sign or separator."""
    others: Words = ((words ^ ZEROS) + NOT_A_DIGIT) & TOP_BITS
    return others & ~(equal(words, BLANK) | equal(words, COMMA) | equal(words, MINUS))


def equal(words: Words, byte: int) -> Words:
    """Mark every byte that is *byte*: only a difference of 0 plus 127 stays below the top bit."""
    return ~((words ^ repeated(byte)) + LOW_BITS) & TOP_BITS


def first_marked(words: Words) -> Ints:
    """Return the index of the first marked byte of each row, or a row's length in bytes."""
    width = words.shape[1]
    if width > WORDS_AT_ONCE:
        columns = (words != 0).argmax(axis=1)
        inside = first_marked(words[np.arange(len(words)), columns, None])
        wide: Ints = np.where(inside == 8, 8 * width, 8 * columns + inside)
        return wide
    lowest = words & (~words + np.uint64(1))
    # Of a word without a mark all 64 bits count, which is eight bytes.
    places = (np.bitwise_count(lowest - np.uint64(1)) >> 3).astype(np.int64)
    index: Ints = places[:, -1]
    for column in range(width - 2, -1, -1):
        index = np.where(places[:, column] == 8, index + 8, places[:, column])
    return index
