"""The batches of pieces on their way from those who read to the one who judges the partition."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.pieces import Piece, chunks_of, is_whole
from kadmin.segments.replica_log import ReadSegment, read_segment
from kadmin.segments.values import CHUNK_ROWS, ROW, Rows, SegmentFiles


@dataclass(frozen=True, slots=True)
class PieceRows:
    """The rows of a piece, or of a part of it; None where something is wrong in it."""

    broker: str
    file: str
    begin: int
    rows: Rows | None


def rows_of(piece: Piece) -> PieceRows:
    """Return all rows of *piece*."""
    parts = [part.rows for part in in_parts(piece, CHUNK_ROWS)]
    known = [part for part in parts if part is not None]
    rows = np.concatenate(known) if len(known) == len(parts) else None
    return PieceRows(piece.broker, piece.file, piece.begin, rows)


def in_parts(piece: Piece, rows_max: int) -> Iterator[PieceRows]:
    """Return the rows of *piece*, so many at a time, up to what is wrong."""
    begin = piece.begin
    try:
        for chunk in chunks_of(piece):
            if chunk.damage:
                break
            for at in range(0, max(len(chunk.rows), 1), rows_max):
                rows = chunk.rows[at : at + rows_max]
                begin = int(rows["position"][0]) if len(rows) else begin
                yield PieceRows(piece.broker, piece.file, begin, rows)
        else:
            return
    except OSError:
        pass
    # The judge of the partition reads it again, and reports it.
    yield PieceRows(piece.broker, piece.file, begin, None)


class RowsOfPieces:
    """What was read of all pieces of a partition, by replica and segment."""

    def __init__(self, read: Sequence[PieceRows]) -> None:
        self.pieces: dict[tuple[str, str], list[PieceRows]] = {}
        for each in read:
            self.pieces.setdefault((each.broker, each.file), []).append(each)

    def read(
        self, replica: FoundReplica, segment: SegmentFiles, /, *, is_last: bool, is_deep: bool
    ) -> ReadSegment:
        """Return what was read of a *segment* of *replica*.

        Raises:
            OSError: the file could not be read.
        """
        pieces = self.pieces.get((replica.broker, segment.name), [])
        parts = [each.rows for each in sorted(pieces, key=lambda each: each.begin)]
        known = [part for part in parts if part is not None]
        rows = np.concatenate([np.empty(0, ROW), *known])
        if len(known) < len(parts) or not is_whole(segment, rows):
            # What is damaged is seen whole: a piece does not know what stands around it.
            return read_segment(segment, is_last=is_last, is_deep=is_deep)
        return ReadSegment(rows, [])
