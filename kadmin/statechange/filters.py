"""Filters of lines by what they say.

Works on the columns of `typed.SCHEMA`.  Knows neither times nor files.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kadmin.statechange.kinds import Kind, Level
from kadmin.statechange.lines import Mask

LEVELS: Final = tuple(Level)
"""From the least grave on."""

PARTITION_LIKE: Final = re.compile(
    r"(?<![\w.-])(?P<dashed>[\w.-]+)-(?P<n>[0-9]{1,9})(?![\w-])"
    r"|\[(?P<topic>[\w.-]+), *(?P<p>[0-9]{1,9})\]"
)
"""Both spellings that a partition has ever had, in any text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFilter:
    """The conditions on a wanted line; it must meet all that are given.

    A line that names several partitions fits when any of them does: one of *topics* or a topic that
    *topic_regex* matches as a whole, and one of *partitions*.  In a line that was not understood,
    everything that looks like a partition counts as one.  *brokers* wrote the line.  *level* is the
    least grave one; a line whose level is unknown fits.  Empty and None are no condition.
    """

    topics: tuple[str, ...] = ()
    topic_regex: str | None = None
    partitions: tuple[int, ...] = ()
    brokers: tuple[int, ...] = ()
    controller_epochs: tuple[int, ...] = ()
    kinds: tuple[Kind, ...] = ()
    level: Level | None = None
    only_partitioned: bool = False

    @property
    def needs_partition(self) -> bool:
        """Whether only lines that name a partition can fit."""
        named = (self.topics, self.topic_regex is not None, self.partitions, self.only_partitioned)
        return any(named)

    @property
    def is_open(self) -> bool:
        """Whether every line fits."""
        return self == LineFilter()


ONE_OF: Final = {"brokers": "broker", "controller_epochs": "controller_epoch", "kinds": "kind"}
"""Fields of a filter that list what a column may say, and their columns."""


def fits(batch: pa.RecordBatch, wanted: LineFilter) -> Mask:
    """Return which rows of *batch*, which has the columns of SCHEMA, are *wanted*."""
    mask = np.ones(batch.num_rows, np.bool_)
    for field, name in ONE_OF.items():
        if values := getattr(wanted, field):
            mask &= value_in(batch.column(name), values)
    if wanted.level is not None:
        # A line without a level may be as grave as any.
        levels = batch.column("level")
        mask &= word_in(levels, LEVELS[LEVELS.index(wanted.level) :]) | numpy_mask(levels.is_null())
    if wanted.needs_partition:
        mask &= partition_fits(batch.column("partitions"), wanted) | guess_fits(batch, wanted)
    return mask


def value_in(column: pa.Array, values: Iterable[Any]) -> Mask:
    """Return which members of *column*, of integers or words, are one of *values*."""
    if pa.types.is_dictionary(column.type):
        return word_in(column, values)
    return integer_in(column, values)


def integer_in(column: pa.Int64Array, numbers: Iterable[int]) -> Mask:
    return numpy_mask(pc.is_in(column, value_set=pa.array(numbers, pa.int64())))


def word_in(column: pa.DictionaryArray, words: Iterable[str]) -> Mask:
    is_meant = pc.is_in(column.dictionary, value_set=pa.array(map(str, words), pa.string()))
    return numpy_mask(is_meant.take(column.indices).fill_null(False))


def partition_fits(lists: pa.ListArray, wanted: LineFilter) -> Mask:
    """Return which lists have a member that fits; with nothing to fit, which have a member at
    all."""
    members = lists.flatten()
    good = np.ones(len(members), np.bool_)
    if wanted.topics or wanted.topic_regex is not None:
        good &= topic_fits(members.field("topic"), wanted)
    if wanted.partitions:
        good &= integer_in(members.field("partition"), wanted.partitions)
    owners = np.asarray(pc.list_parent_indices(lists))
    mask = np.zeros(len(lists), np.bool_)
    mask[owners[good]] = True
    return mask


def guess_fits(batch: pa.RecordBatch, wanted: LineFilter) -> Mask:
    """Return which rows that were not understood seem to name a partition that fits."""
    mask = word_in(batch.column("kind"), (Kind.OTHER,))
    rows = np.flatnonzero(mask)
    messages = batch.column("message").take(pa.array(rows)).to_pylist()
    guesses = [
        [
            {"topic": found["dashed"] or found["topic"], "partition": int(found["n"] or found["p"])}
            for found in PARTITION_LIKE.finditer(message)
        ]
        for message in messages
    ]
    mask[rows] = partition_fits(pa.array(guesses, batch.column("partitions").type), wanted)
    return mask


def topic_fits(topics: pa.LargeStringArray, wanted: LineFilter) -> Mask:
    # Few topics stand in many lines: each is judged once, and by Python's regular expressions.
    known = topics.dictionary_encode()
    matches = re.compile(wanted.topic_regex or r"(?!)").fullmatch
    is_meant = [
        name in wanted.topics or bool(matches(name)) for name in known.dictionary.to_pylist()
    ]
    return numpy_mask(pa.array(is_meant, pa.bool_()).take(known.indices))


def numpy_mask(array: pa.BooleanArray) -> Mask:
    mask: Mask = array.to_numpy(zero_copy_only=False)
    return mask
