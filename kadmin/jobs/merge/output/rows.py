"""The rows of a slice in order, and what a formatter makes of them.

Knows no columns of state-change lines.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from kadmin.statechange.lines import Int64s, line_ends, texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The kept records of a slice in their order.

    A record is its head line and the lines behind it, each with its newline.  *times* are common
    times in ms; *sources* and *files* index the names; *first_lines* count from 1 in the file.
    """

    records: pa.LargeBinaryArray
    times: Int64s
    sources: Int64s
    files: Int64s
    first_lines: Int64s
    source_names: Sequence[str]
    file_names: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The same line by line: each text without its newline, and the record that it belongs to."""

    texts: pa.LargeBinaryArray
    records: Int64s
    numbers: Int64s
    """Line numbers, from 1 in the file."""
    is_head: np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Formatted:
    """What a formatter makes of a slice: pieces of its result, and counts to be summed up."""

    pieces: tuple[pa.Buffer, ...]
    counts: Mapping[str, int] = field(default_factory=dict)


Formatter = Callable[[Rows], Formatted]


def content(array: pa.LargeBinaryArray) -> pa.Buffer:
    """Return all bytes of *array*, one text behind the other, without a copy."""
    if len(array) == 0:
        return pa.py_buffer(b"")
    bounds = bounds_of(array)
    return array.buffers()[2].slice(int(bounds[0]), int(bounds[-1] - bounds[0]))


def bounds_of(array: pa.LargeBinaryArray) -> Int64s:
    offsets = np.frombuffer(array.buffers()[1], np.int64)
    return offsets[array.offset : array.offset + len(array) + 1]


def split(rows: Rows) -> Lines:
    """Return the lines of *rows*."""
    data = np.frombuffer(content(rows.records), np.uint8)
    ends = line_ends(data)
    starts = np.concatenate([np.zeros(1, np.int64), ends])[: len(ends)]
    bounds = bounds_of(rows.records)
    heads = bounds[:-1] - bounds[0]
    records = np.searchsorted(heads, starts, side="right") - 1
    first = np.searchsorted(starts, heads)
    numbers = np.arange(len(starts)) - first[records] + rows.first_lines[records]
    # Every second stretch is a newline.
    stretches = np.column_stack([starts, ends - 1]).reshape(-1)
    every_second = pa.array(np.arange(0, len(stretches), 2))
    return Lines(
        texts=texts(data, np.append(stretches, len(data))).take(every_second),
        records=records,
        numbers=numbers,
        is_head=np.isin(np.arange(len(starts)), first),
    )
