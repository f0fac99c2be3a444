"""What is read of a piece, in parts or at once: is it the same, and up to what is wrong?"""

from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from kadmin.jobs.verify.collected import LogDirArgument, by_partition, collect
from kadmin.jobs.verify.piece_rows import in_parts, rows_of
from kadmin.jobs.verify.pieces import Piece, pieces_of_all
from tests.kadmin.jobs.verify.broken import BROKERS, write_brokers


def pieces_in(logs: list[Path]) -> list[Piece]:
    with ExitStack() as opened:
        arguments = [
            LogDirArgument(broker, str(log)) for broker, log in zip(BROKERS, logs, strict=True)
        ]
        partitions = by_partition(collect(arguments, opened).replicas)
    return [
        piece
        for found in partitions.values()
        for piece in pieces_of_all(found, 1 << 20, is_deep=False)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("rows_max", [1, 2, 7])
def test_parts_are_the_piece_unless_something_is_wrong_in_it(tmp_path: Path, rows_max: int) -> None:
    pieces = pieces_in(write_brokers(tmp_path, 5, copies=3))
    wrong = 0
    for piece in pieces:
        whole = rows_of(piece)
        parts = list(in_parts(piece, rows_max))
        known = [part.rows for part in parts if part.rows is not None]
        assert all(len(rows) <= rows_max for rows in known)
        assert sorted(part.begin for part in parts) == [part.begin for part in parts]
        if whole.rows is None:
            assert parts[-1].rows is None
            wrong += 1
        else:
            assert np.array_equal(np.concatenate(known), whole.rows)
    assert 0 < wrong < len(pieces)


def test_of_a_file_that_is_gone_there_is_one_part_without_rows(tmp_path: Path) -> None:
    piece = pieces_in(write_brokers(tmp_path, 5, copies=1))[0]
    Path(piece.place).unlink()

    (part,) = in_parts(piece, 10)

    assert part.rows is None
