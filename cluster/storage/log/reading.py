"""Reading of a log: which bytes of which segment hold the offsets that a client fetches.

Reads the segments of one log, oldest first; changes nothing, and knows neither where the log starts
nor what is committed: those are arguments, or checked before.
"""

from bisect import bisect_right
from collections.abc import Sequence

from cluster.formats.indexes import AbortedTxn
from cluster.formats.record_batch import CorruptBatchError
from cluster.formats.segment_names import LOG_SUFFIX
from cluster.model.file_slice import FileSlice
from cluster.storage.errors import DamagedSegment
from cluster.storage.segments.segment import Segment


def number_of(segments: Sequence[Segment], offset: int) -> int:
    """Return which segment *offset* belongs to, counted from the oldest."""
    number = bisect_right(segments, offset, key=lambda segment: segment.base_offset)
    return max(0, number - 1)


def batches_from(
    segments: Sequence[Segment],
    offset: int,
    size_max: int,
    end_offset: int,
    log_end_offset: int,
    whole_first: bool,
) -> FileSlice:
    """Return the batches from the one that holds *offset* on, as `PartitionLog.read` promises them.

    Raises:
        DamagedSegment: bytes on the way to that batch are none.
        OSError: the disk failed.
    """
    number = number_of(segments, offset)
    while offset < end_offset and number < len(segments):
        segment = segments[number]
        try:
            start = segment.position_of(offset)
            if start is None:
                # All of this segment ends before: compaction left a gap up to the next one.
                number += 1
                continue
            limit = segment.size
            if end_offset < log_end_offset:
                limit = position_before(segment, end_offset)
            end = start
            if start < limit:
                end = segment.end_within(start, min(start + size_max, limit))
                if end <= start and whole_first:
                    end = segment.end_of_batch(start)
        except CorruptBatchError as error:
            path = segment.path(LOG_SUFFIX)
            raise DamagedSegment(path, error.position, error.reason) from error
        return FileSlice(segment.file, start, max(0, end - start))
    return FileSlice(segments[-1].file, 0, 0)


def position_before(segment: Segment, end_offset: int) -> int:
    """Return where in *segment* the first batch begins that is not all before *end_offset*."""
    try:
        position = segment.position_of(end_offset)
    except CorruptBatchError as error:
        # What stands before the damage can be read.
        return error.position
    return segment.size if position is None else position


def aborted_transactions(
    segments: Sequence[Segment], offset: int, found: FileSlice, log_end_offset: int
) -> tuple[AbortedTxn, ...]:
    """Return the aborted transactions that may have records in *found*, which was read for
    *offset*.

    Source: Kafka's LocalLog.addAbortedTransactions, with its bounds.
    """
    number = number_of(segments, offset)
    while segments[number].file is not found.file:
        number += 1
    beyond = segments[number].offset_beyond(found.position + found.size)
    if beyond is None and number + 1 < len(segments):
        beyond = segments[number + 1].base_offset
    upper = log_end_offset if beyond is None else beyond
    aborted: list[AbortedTxn] = []
    # Its marker may stand in any later segment.
    for segment in segments[number:]:
        for entry in segment.txn_index.entries:
            if entry.last_offset >= offset and entry.first_offset < upper:
                aborted.append(entry)
            if entry.last_stable_offset >= upper:
                return tuple(aborted)
    return tuple(aborted)
