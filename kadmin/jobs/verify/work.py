"""The work of a comparison on an engine: who reads which piece, and who judges?

Partitions are judged by the worker that reads them, small ones some at a time.  Of one that is too
large for that, all workers read pieces, and their rows come here, where it is judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from cluster.model.ids import TopicPartition
from kadmin.jobs.engine import Engine
from kadmin.jobs.places import absolute
from kadmin.jobs.progress import Meter
from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.partition import HowToVerify, VerifiedPartition, verify_partition
from kadmin.jobs.verify.piece_rows import PieceRows, RowsOfPieces, rows_of
from kadmin.jobs.verify.pieces import Piece, Share, shares
from kadmin.jobs.verify.request import VerifyRequest

Pieces = Mapping[TopicPartition, Sequence[Piece]]

PARTITIONS_MAX: Final = 256
"""So many small ones are judged at once."""

ITEMS_PER_WORKER: Final = 4
"""So many pieces of work at least are there for each worker, where there is enough to read."""


class Whole(NamedTuple):
    """Partitions that one worker reads and judges."""

    partitions: tuple[tuple[TopicPartition, Sequence[FoundReplica]], ...]
    how: HowToVerify
    size: int


class Part(NamedTuple):
    """Pieces of one partition that a worker reads."""

    pieces: Share

    @property
    def size(self) -> int:
        return sum(piece.size for piece in self.pieces)


def verdicts(
    engine: Engine, request: VerifyRequest, pieces: Pieces, meter: Meter
) -> Iterator[VerifiedPartition]:
    """Yield verdicts on the partitions of *request*, in their order.

    Raises:
        KadminError: workers were killed again and again, or Spark failed.
    """
    items = list(work_items(request, pieces, engine.workers))
    # Rows take half of what is read at most.
    results = engine.run(work_on, items, result_bytes=max(map(row_bytes, items), default=0))
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


def row_bytes(item: Whole | Part) -> int:
    """Return how many bytes the rows take that an *item* gives, at most."""
    return 0 if isinstance(item, Whole) else item.size // 2


def work_items(request: VerifyRequest, pieces: Pieces, workers: int) -> Iterator[Whole | Part]:
    """Return the work of so many *workers* on all partitions, in their order."""
    sizes = {each: sum(piece.size for piece in pieces[each]) for each in request.partitions}
    even_share = sum(sizes.values()) // (ITEMS_PER_WORKER * workers)
    whole_bytes = max(request.piece_bytes, even_share)
    gathered: list[TopicPartition] = []
    size = 0
    for partition, own in sizes.items():
        if gathered and (size + own > request.piece_bytes or len(gathered) == PARTITIONS_MAX):
            yield together(request, gathered, size)
            gathered, size = [], 0
        if own > whole_bytes:
            found = [replace(each, place=absolute(each.place)) for each in pieces[partition]]
            yield from map(Part, shares(found, request.piece_bytes))
        else:
            gathered.append(partition)
            size += own
    if gathered:
        yield together(request, gathered, size)


def together(request: VerifyRequest, partitions: Sequence[TopicPartition], size: int) -> Whole:
    """Return the work on *partitions* of *request*, as workers with other directories find them."""
    claimed = request.how.claimed
    return Whole(
        tuple(
            (
                each,
                [
                    replace(found, directory=absolute(found.directory))
                    for found in request.partitions[each]
                ],
            )
            for each in partitions
        ),
        replace(
            request.how, claimed={each: claimed[each] for each in partitions if each in claimed}
        ),
        size,
    )


def work_on(item: Whole | Part) -> list[VerifiedPartition] | list[PieceRows]:
    """Return, in a worker, verdicts on whole partitions, or the rows of pieces."""
    match item:
        case Whole(partitions, how, _):
            return [verify_partition(partition, found, how) for partition, found in partitions]
        case Part(pieces):
            return [rows_of(piece) for piece in pieces]
