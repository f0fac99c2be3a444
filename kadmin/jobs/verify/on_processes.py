"""Replicas compared by processes of this machine: who reads which piece, and who judges?

Small partitions are judged where they are read, some at a time.  Of a large one the pieces are read
by all workers, and their rows come here, where it is judged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from cluster.model.ids import TopicPartition
from kadmin.jobs.processes import ProcessEngine
from kadmin.jobs.progress import Meter
from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.partition import HowToVerify, VerifiedPartition, verify_partition
from kadmin.jobs.verify.pieces import Piece, chunks_of, shares
from kadmin.jobs.verify.request import VerifyRequest
from kadmin.jvm.interrupts import deferring_interrupts
from kadmin.segments.replica_log import ReadSegment, read_segment
from kadmin.segments.values import ROW, Rows, SegmentFiles

Pieces = dict[TopicPartition, list[Piece]]

PARTITIONS_MAX: Final = 256
"""So many small ones are judged at once."""


class Whole(NamedTuple):
    """Partitions that one worker reads and judges."""

    partitions: tuple[tuple[TopicPartition, Sequence[FoundReplica]], ...]
    how: HowToVerify
    size: int


class Part(NamedTuple):
    """Pieces of one partition that a worker reads."""

    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        return sum(piece.size for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class PieceRows:
    """The rows of a piece; None where something is wrong in it."""

    broker: str
    file: str
    begin: int
    rows: Rows | None


def verify_on_processes(
    request: VerifyRequest, pieces: Pieces, meter: Meter
) -> list[VerifiedPartition]:
    """Verdicts on the partitions of *request*, in their order.

    Raises:
        KadminError: workers were killed again and again.
    """
    engine: ProcessEngine | None = None
    is_whole = False
    try:
        with deferring_interrupts():
            engine = ProcessEngine(request.processes)
        verified = list(verdicts(engine, request, pieces, meter))
        is_whole = True
    finally:
        with deferring_interrupts():
            if engine is not None:
                engine.close(is_abandoned=not is_whole)
    return verified


def verdicts(
    engine: ProcessEngine, request: VerifyRequest, pieces: Pieces, meter: Meter
) -> Iterator[VerifiedPartition]:
    items = list(work_items(request, pieces))
    results = engine.run(work_on, items)
    read: list[PieceRows] = []
    for at, (item, result) in enumerate(zip(items, results, strict=True)):
        if isinstance(item, Whole):
            yield from result
        else:
            read += result
            partition = item.pieces[0].partition
            following = items[at + 1] if at + 1 < len(items) else None
            if not (isinstance(following, Part) and following.pieces[0].partition == partition):
                yield verify_partition(
                    partition,
                    request.partitions[partition],
                    request.how,
                    RowsOfPieces(read).read,
                )
                read = []
        meter.add(item.size)


def work_items(request: VerifyRequest, pieces: Pieces) -> Iterator[Whole | Part]:
    """The work on all partitions, in their order."""
    gathered: list[TopicPartition] = []
    size = 0

    def together() -> Whole:
        return Whole(
            tuple((partition, request.partitions[partition]) for partition in gathered),
            replace(
                request.how,
                claimed={
                    each: request.how.claimed[each]
                    for each in gathered
                    if each in request.how.claimed
                },
            ),
            size,
        )

    for partition in request.partitions:
        own = sum(piece.size for piece in pieces[partition])
        is_large = own > request.piece_bytes
        is_full = size + own > request.piece_bytes or len(gathered) == PARTITIONS_MAX
        if gathered and (is_large or is_full):
            yield together()
            gathered, size = [], 0
        if is_large:
            yield from map(Part, shares(pieces[partition], request.piece_bytes))
        else:
            gathered.append(partition)
            size += own
    if gathered:
        yield together()


def work_on(item: Whole | Part) -> list[VerifiedPartition] | list[PieceRows]:
    """In a worker: verdicts on whole partitions, or the rows of pieces."""
    match item:
        case Whole(partitions, how, _):
            return [verify_partition(partition, found, how) for partition, found in partitions]
        case Part(pieces):
            return [rows_of(piece) for piece in pieces]


def rows_of(piece: Piece) -> PieceRows:
    try:
        chunks = list(chunks_of(piece))
    except OSError:
        chunks = []  # Whoever judges the partition reads it again, and tells.
    is_sound = chunks and not any(chunk.damage for chunk in chunks)
    rows = np.concatenate([chunk.rows for chunk in chunks]) if is_sound else None
    return PieceRows(piece.broker, piece.file, piece.begin, rows)


class RowsOfPieces:
    """What was read of all pieces of a partition, by replica and segment."""

    def __init__(self, read: Sequence[PieceRows]) -> None:
        self.pieces: dict[tuple[str, str], list[PieceRows]] = {}
        for each in read:
            self.pieces.setdefault((each.broker, each.file), []).append(each)

    def read(
        self, replica: FoundReplica, segments: Sequence[SegmentFiles], /, *, is_deep: bool
    ) -> list[ReadSegment]:
        """What was read of each of the *segments* of a replica.

        Raises:
            OSError: a file could not be read.
        """
        return [
            self.read_one(replica, segment, is_last=segment is segments[-1], is_deep=is_deep)
            for segment in segments
        ]

    def read_one(
        self, replica: FoundReplica, segment: SegmentFiles, *, is_last: bool, is_deep: bool
    ) -> ReadSegment:
        pieces = self.pieces.get((replica.broker, segment.name), [])
        parts = [each.rows for each in sorted(pieces, key=lambda each: each.begin)]
        known = [part for part in parts if part is not None]
        if segment.log.size > 0 and (not parts or len(known) < len(parts)):
            # What is damaged is seen whole: a piece does not know what stands around it.
            return read_segment(segment, is_last=is_last, is_deep=is_deep)
        return ReadSegment(np.concatenate([np.empty(0, ROW), *known]), [])
