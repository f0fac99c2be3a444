"""Replicas compared by processes of this machine: who reads which piece, and who judges?

Small partitions are judged where they are read, some at a time.  Of a large one the pieces are read
by all workers, and their rows come here, where it is judged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from cluster.model.ids import TopicPartition
from kadmin.jobs.processes import ProcessEngine
from kadmin.jobs.progress import Meter
from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.partition import HowToVerify, VerifiedPartition, verify_partition
from kadmin.jobs.verify.piece_rows import PieceRows, RowsOfPieces, rows_of
from kadmin.jobs.verify.pieces import Piece, shares
from kadmin.jobs.verify.request import VerifyRequest
from kadmin.jvm.interrupts import deferring_interrupts

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
