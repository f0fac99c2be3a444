"""Arrow columns of words, integers, lists and texts, from stretches of a block of text.

Knows no line formats.  Texts of rows that were read one by one, as Python values, stand beside
those that were found in the block.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from kadmin.statechange.lines import texts
from kadmin.statechange.scan import BLANK, COMMA, MINUS, Block, Ints, Mask

UNKNOWN: Final = -1
"""The code of a text that is none of the words looked for."""

OPENING: Final = ord("[")
CLOSING: Final = ord("]")


def word_codes(block: Block, starts: Ints, ends: Ints, words: Sequence[str]) -> Ints:
    """Return which of *words* stands from each start to each end, as an index."""
    codes = np.full(len(starts), UNKNOWN, np.int64)
    lengths = ends - starts
    for code, word in enumerate(words):
        rows = np.flatnonzero(lengths == len(word))
        rows = rows[block.has(starts[rows], word.encode())]
        codes[rows] = code
    return codes


def read_partitions(block: Block, starts: Ints, ends: Ints) -> tuple[Ints, Ints, Ints, Mask]:
    """Return where the topics begin and end, the partitions' numbers, and which texts are
    partitions.

    Reads `[topic,0]` and `topic-0`, with numbers of less than eight digits.
    """
    in_brackets = block.bytes[ends - 1] == CLOSING
    numbers, digits = block.numbers_before(ends - in_brackets)
    separators = ends - in_brackets - digits - 1
    topics = starts + in_brackets
    is_right = np.where(
        in_brackets,
        (block.bytes[starts] == OPENING) & (block.bytes[separators] == COMMA),
        block.bytes[separators] == MINUS,
    )
    is_right &= (digits > 0) & (digits < 8) & (separators > topics)
    return topics, separators, numbers, is_right


def read_lists(block: Block, starts: Ints, ends: Ints) -> tuple[Ints, Ints, Mask]:
    """Return how many integers each text lists, all of them in order, and which texts are such
    lists.

    Reads `1,2` and `1, 2`, with a separator behind them or none.
    """
    counts = np.zeros(len(starts), np.int64)
    members: list[tuple[Ints, Ints]] = []
    at = past_separator(block, starts)
    is_right = np.ones(len(starts), np.bool_)
    rows = np.flatnonzero(at < ends)
    while len(rows) > 0:
        numbers, behind, found = block.integers(at[rows])
        at[rows] = past_separator(block, behind)
        found &= (behind == ends[rows]) | (at[rows] > behind)
        is_right[rows[~found]] = False
        rows, numbers = rows[found], numbers[found]
        members.append((rows, numbers))
        counts[rows] += 1
        rows = rows[at[rows] < ends[rows]]
    counts[~is_right] = 0
    values = np.empty(counts.sum(), np.int64)
    first = np.cumsum(counts) - counts
    for index, (rows, numbers) in enumerate(members):
        kept = counts[rows] > index
        values[first[rows[kept]] + index] = numbers[kept]
    return counts, values, is_right


def past_separator(block: Block, at: Ints) -> Ints:
    """Return the places behind a comma and a blank after it, where these stand."""
    behind: Ints = at + (block.bytes[at] == COMMA)
    behind += (behind > at) & (block.bytes[behind] == BLANK)
    return behind


class Texts:
    """Texts of the rows of a block as a column, with one copy of what is wanted.

    *rows* are where the rows begin, in order.  *others* are texts that do not stand in the block.
    """

    def __init__(self, block: Block, rows: Ints, others: Sequence[bytes]) -> None:
        self.rows = rows
        self.bytes = block.bytes
        first = len(block.bytes)
        lengths = np.array([0, *map(len, others)], np.int64)
        self.other_bounds = first + np.cumsum(lengths)
        if others:
            self.bytes = np.concatenate([block.bytes, np.frombuffer(b"".join(others), np.uint8)])

    def cut(self, starts: Ints, ends: Ints, valid: Mask) -> pa.LargeBinaryArray:
        """Return the text of each row from its start to its end at every second place from 0 on;
        the other texts at the last places."""
        # A row without a text has an empty one at its front, so that all follow one another.
        stretches = [np.where(valid, starts, self.rows), np.where(valid, ends, self.rows)]
        bounds = np.concatenate([np.column_stack(stretches).reshape(-1), self.other_bounds])
        return texts(self.bytes, bounds)


def text_column(cut: pa.LargeBinaryArray, places: Ints, valid: Mask) -> pa.LargeStringArray:
    return cut.take(pa.array(places, mask=~valid)).view(pa.large_string())


def integer_column(values: Ints, valid: Mask) -> pa.Int64Array:
    return pa.array(values, mask=~valid)


def word_column(codes: Ints, words: Sequence[str]) -> pa.DictionaryArray:
    """Return a column of *words*, null where the code is UNKNOWN."""
    indices = pa.array(codes.astype(np.int8), mask=codes == UNKNOWN)
    return pa.DictionaryArray.from_arrays(indices, pa.array(words, pa.string()))


def list_column(counts: Ints, members: pa.Array, valid: Mask) -> pa.ListArray:
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), members, mask=pa.array(~valid))


def merged_lists(
    counts: Ints, members: Ints, other_counts: Ints, other_members: Ints
) -> tuple[Ints, Ints]:
    """Return the lists of both in the order of their rows; no row has members in both."""
    total = counts + other_counts
    is_other = np.repeat(other_counts > 0, total)
    merged = np.empty(len(is_other), np.int64)
    merged[~is_other] = members
    merged[is_other] = other_members
    return total, merged
