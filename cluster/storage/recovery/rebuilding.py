"""Rebuilding of a segment: its indexes, the producers and the epochs, from its batches."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from cluster.formats.batch_walk import Flaw, headers
from cluster.formats.indexes import AbortedTxn
from cluster.formats.record_batch import BatchHeader, CorruptBatchError, PlacedBatch
from cluster.storage.log.producer_state import ProducerState
from cluster.storage.recovery.epochs import EpochRecovery
from cluster.storage.segments.segment import Segment


class Rebuilt(NamedTuple):
    """How many batches of a segment were taken."""

    end_offset: int
    """The offset after the last one taken; the segment's size is where it ends."""
    order_flaw: Flaw | None = None
    """Why the next one is not one of its batches, though it is whole."""
    beyond: BatchHeader | None = None
    """The next one, whose offsets are too far from the base for the indexes."""


def rebuild(
    segment: Segment,
    batches: Iterable[PlacedBatch],
    size: int,
    producers: ProducerState,
    now_ms: int,
    epochs: EpochRecovery | None = None,
) -> Rebuilt:
    """Take the *batches* of a file of *size* bytes into an emptied *segment*, in their order.

    Offsets may have gaps, as compaction leaves them, but never decrease: bytes that were truncated
    once, and came back, may be whole and undamaged, as is the file of another segment.  Without
    *epochs* the segment is trusted.

    Raises:
        CorruptBatchError: a transaction's marker is none.
    """
    end_offset = segment.base_offset
    flaw: Flaw | None = None
    beyond: BatchHeader | None = None
    aborted: list[AbortedTxn] = []
    for position, header in batches:
        is_far = not segment.holds(header)
        if header.base_offset < end_offset or (is_far and goes_back(segment, position, size)):
            flaw = Flaw(f"offset {header.base_offset} follows {end_offset - 1}", is_torn=False)
            break
        if is_far:
            beyond = header
            break
        segment.adopt(position, header.size, header.last_offset, header.max_timestamp)
        transaction = producers.note_stored(segment.file, position, header, now_ms)
        if transaction is not None:
            aborted.append(transaction)
        if epochs is not None:
            epochs.note(header)
        end_offset = header.next_offset
    segment.txn_index.replace(aborted)
    return Rebuilt(end_offset, flaw, beyond)


def goes_back(segment: Segment, position: int, size: int) -> bool:
    """Return whether the batch after that at *position* has lower offsets.

    Then this one's base offset is damaged, which no checksum covers.
    """
    try:
        found = list(islice(headers(segment.file, position, size), 2))
    except CorruptBatchError:
        return False
    return len(found) == 2 and found[1].header.base_offset < found[0].header.next_offset
