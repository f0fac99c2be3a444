"""What Spark's tasks do to compare replicas: read pieces, and judge partitions.

Each Python that works imports this anew: it knows neither Spark nor Arrow.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from cluster.model.ids import TopicPartition
from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.partition import HowToVerify, VerifiedPartition, verify_partition
from kadmin.jobs.verify.piece_rows import PieceRows, RowsOfPieces, in_parts
from kadmin.jobs.verify.pieces import Share

Found = dict[TopicPartition, tuple[FoundReplica, ...]]


def rows_by_partition(share: Share, rows_max: int) -> Iterator[tuple[TopicPartition, PieceRows]]:
    """What is read of each piece, *rows_max* batches at a time."""
    for piece in share:
        for some in in_parts(piece, rows_max):
            yield piece.partition, some


def judged(
    rows: Iterable[tuple[TopicPartition, PieceRows]], found: Found, how: HowToVerify
) -> Iterator[VerifiedPartition]:
    """The verdicts on the partitions of which there are *rows*, in any order."""
    read: dict[TopicPartition, list[PieceRows]] = defaultdict(list)
    for partition, of_piece in rows:
        read[partition].append(of_piece)
    for partition in list(read):
        of_partition = RowsOfPieces(read.pop(partition))
        yield verify_partition(partition, found[partition], how, of_partition.read)
