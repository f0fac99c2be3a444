"""Entries of offset and time indexes as columns, and where they let a segment be split."""

from struct import Struct
from typing import Final

import numpy as np

from cluster.formats.indexes import OFFSET_LAYOUT, TIME_LAYOUT
from kadmin.segments.values import Rows, SegmentFiles, Source

COLUMNS: Final = {
    OFFSET_LAYOUT: np.dtype([("offset", ">i4"), ("position", ">i4")]),
    TIME_LAYOUT: np.dtype([("timestamp", ">i8"), ("offset", ">i4")]),
}
assert all(columns.itemsize == layout.size for layout, columns in COLUMNS.items())


def entries_of(source: Source, layout: Struct) -> Rows:
    """Return the whole entries of an index, OFFSET_LAYOUT or TIME_LAYOUT, its preallocated zeros
    too."""
    content = source.read(0, source.size)
    return np.frombuffer(content, COLUMNS[layout], count=len(content) // layout.size)


def written_entries(source: Source, layout: Struct) -> Rows:
    """Return the entries of an index without the zeros that are preallocated behind them."""
    whole = entries_of(source, layout)
    is_written = np.logical_or.reduce([whole[name] != 0 for name in whole.dtype.names or ()])
    written = np.flatnonzero(is_written)
    return whole[: int(written[-1]) + 1 if len(written) else 0]


def borders(segment: SegmentFiles, piece_size: int) -> list[int]:
    """Return positions at which batches begin, about *piece_size* bytes apart, rising.

    None in a segment that has no more than twice as many, or no index.  An index may be wrong: only
    reading up to such a place shows that a batch ends there.
    """
    size = segment.log.size
    if segment.index is None or size <= 2 * piece_size:
        return []
    positions = np.unique(written_entries(segment.index, OFFSET_LAYOUT)["position"].astype("i8"))
    positions = positions[(positions > 0) & (positions < size)]
    found = np.searchsorted(positions, np.arange(piece_size, size - piece_size, piece_size))
    return [int(each) for each in np.unique(positions[found[found < len(positions)]])]
