"""Segments in pieces: the parts that each task reads.

A large segment is split at batches in its index, small ones are read together.  Reads no batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cluster.model.ids import TopicPartition
from kadmin.jobs.places import joined, name_of, source_at
from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.replica_files import segments_of
from kadmin.segments.index_entries import borders
from kadmin.segments.replica_log import ReadSegment, segment_chunks
from kadmin.segments.values import Rows, SegmentFiles

PIECE_BYTES: Final = 64 << 20
OPENING_BYTES: Final = 256 << 10
"""To open a file takes as long as to read so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """The bytes of a segment's log from *begin* to *end*.

    *is_last* if the segment is the last one of its replica, *is_deep* if all records are to be
    read.
    """

    partition: TopicPartition
    broker: str
    place: str
    base_offset: int
    begin: int
    end: int
    is_last: bool
    is_deep: bool

    @property
    def size(self) -> int:
        return self.end - self.begin

    @property
    def effort(self) -> int:
        """How many bytes take as long to read, together."""
        return self.size + OPENING_BYTES

    @property
    def file(self) -> str:
        """The name of the segment."""
        return name_of(self.place)


Share = tuple[Piece, ...]
"""The pieces that one task reads."""


def chunks_of(piece: Piece) -> Iterator[ReadSegment]:
    """Return the batches of *piece*, some at a time.

    Raises:
        OSError: the file cannot be read.
    """
    segment = SegmentFiles(
        base_offset=piece.base_offset,
        name=piece.file,
        log=source_at(piece.place, piece.end),
    )
    yield from segment_chunks(
        segment, is_last=piece.is_last, is_deep=piece.is_deep, begin=piece.begin, end=piece.end
    )


def is_whole(segment: SegmentFiles, rows: Rows) -> bool:
    """Return whether the *rows* of pieces end where the *segment* does now: a broker may go on
    writing."""
    end = int(rows["position"][-1]) + int(rows["size"][-1]) if len(rows) else 0
    return end == segment.log.size


def pieces_of_all(found: Sequence[FoundReplica], piece_bytes: int, *, is_deep: bool) -> list[Piece]:
    """Return the pieces of all replicas of a partition; deep are those of the first one, if any."""
    return [
        piece
        for replica in found
        for piece in pieces_of(replica, piece_bytes, is_deep=is_deep and replica is found[0])
    ]


def pieces_of(replica: FoundReplica, piece_bytes: int, *, is_deep: bool) -> list[Piece]:
    """Return the pieces of all segments of *replica* that have any batch.

    None where it cannot be read: the judge of its partition reports that.
    """
    try:
        segments = segments_of(replica.directory)
        return [
            piece
            for segment in segments
            for piece in split(
                Piece(
                    partition=replica.partition,
                    broker=replica.broker,
                    place=joined(replica.directory, segment.name),
                    base_offset=segment.base_offset,
                    begin=0,
                    end=segment.log.size,
                    is_last=segment is segments[-1],
                    is_deep=is_deep,
                ),
                borders(segment, piece_bytes),
            )
        ]
    except OSError:
        return []


def split(piece: Piece, places: Iterable[int]) -> Iterator[Piece]:
    """Return the *piece* of a whole segment, split at *places*; none of one that is empty."""
    begin = 0
    for end in (*places, piece.end):
        if end > begin:
            yield replace(piece, begin=begin, end=end)
        begin = end


def shares(pieces: Iterable[Piece], effort: int) -> list[Share]:
    """Return the *pieces* for each task, which has that much *effort* at most, or one piece."""
    found: list[Share] = []
    share: list[Piece] = []
    sum_of_efforts = 0
    for piece in pieces:
        if share and sum_of_efforts + piece.effort > effort:
            found.append(tuple(share))
            share, sum_of_efforts = [], 0
        share.append(piece)
        sum_of_efforts += piece.effort
    return [*found, tuple(share)] if share else found
