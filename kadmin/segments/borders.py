"""Where a segment can be split between two batches, as its index says.

An index may lie: only reading up to such a place shows that a batch ends there.
"""

import numpy as np

from kadmin.segments.index_lies import INDEX_ENTRY, entries_of
from kadmin.segments.values import SegmentFiles


def borders(segment: SegmentFiles, piece_size: int) -> list[int]:
    """Bytes at which batches begin, about *piece_size* bytes apart, rising.

    None in a segment that has no more than twice as many, or no index.
    """
    size = segment.log.size
    if segment.index is None or size <= 2 * piece_size:
        return []
    positions = np.unique(entries_of(segment.index, INDEX_ENTRY)["position"].astype("i8"))
    positions = positions[(positions > 0) & (positions < size)]
    found = np.searchsorted(positions, np.arange(piece_size, size - piece_size, piece_size))
    return [int(each) for each in np.unique(positions[found[found < len(positions)]])]
