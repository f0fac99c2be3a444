"""The record filter that a `LineFilter` means: how a worker picks what is wanted out of a slice.

Types the head lines that may fit.  Knows no options.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from kadmin.jobs.factory import Factory
from kadmin.jobs.merge.slices.record_filter import RecordFilter
from kadmin.statechange.filters import LineFilter, fits
from kadmin.statechange.lines import Mask
from kadmin.statechange.typed import LINES_AT_ONCE, typed_batch


def record_filter(wanted: LineFilter) -> RecordFilter | None:
    """Return the filter by which workers keep the lines that are *wanted*; None where all are."""
    if wanted.is_open:
        return None
    # A pattern may match what no line holds as it stands, so nothing can be searched for.
    substrings = () if wanted.topic_regex is not None else wanted.topics
    factory = Factory("kadmin.jobs.merge.slices.line_filter:predicate", {"wanted": wanted})
    return RecordFilter(predicate=factory, substrings=tuple(topic.encode() for topic in substrings))


def predicate(wanted: LineFilter) -> Callable[[pa.LargeBinaryArray], Mask]:
    """Return a function that decides for each of many head lines whether it is *wanted*."""

    def choose(heads: pa.LargeBinaryArray) -> Mask:
        masks = [
            fits(typed(heads.slice(begin, LINES_AT_ONCE)), wanted)
            for begin in range(0, len(heads), LINES_AT_ONCE)
        ]
        return np.concatenate(masks) if masks else np.empty(0, np.bool_)

    return choose


def typed(heads: pa.LargeBinaryArray) -> pa.RecordBatch:
    """Return the columns of *heads*; their sources do not matter here."""
    zeros = pa.array(np.zeros(len(heads), np.int32))
    nowhere = pa.DictionaryArray.from_arrays(zeros, pa.array([""]))
    return typed_batch(
        heads,
        sources=nowhere,
        files=nowhere,
        line_numbers=pa.array(np.zeros(len(heads), np.int64)),
    )
