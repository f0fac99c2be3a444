"""Replicas that a broker goes on writing while they are read."""

import struct
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pytest

from kadmin.jobs import segment_files
from kadmin.jobs.verify.batch_rows import SCHEMA, RowsOfPartition, batch_rows
from kadmin.jobs.verify.collected import (
    FoundReplica,
    LogDirArgument,
    by_partition,
    collect,
)
from kadmin.jobs.verify.partition import HowToVerify, Read, verify_partition
from kadmin.jobs.verify.piece_rows import RowsOfPieces, rows_of
from kadmin.jobs.verify.pieces import Piece, pieces_of_all
from kadmin.jobs.verify.replica_files import segments_of
from kadmin.segments.compare import Verdict
from kadmin.segments.replica_log import read_replica
from tests.kadmin.segments.replicas import log_of

BATCHES = log_of("magic 2")
ENTRY = struct.Struct(">ii")
NAME = "orders-0"


def write(directory: Path, count: int) -> None:
    """The log with its first *count* batches, and an index that names each of them."""
    directory.mkdir(parents=True, exist_ok=True)
    entries, position = b"", 0
    for batch in BATCHES[:count]:
        base_offset, delta = struct.unpack(">q", batch[:8])[0], struct.unpack(">i", batch[23:27])[0]
        entries += ENTRY.pack(base_offset + delta, position)
        position += len(batch)
    (directory / f"{0:020}.log").write_bytes(b"".join(BATCHES[:count]))
    (directory / f"{0:020}.index").write_bytes(entries)


def found_in(directory: Path) -> list[FoundReplica]:
    with ExitStack() as opened:
        arguments = [LogDirArgument(broker, str(directory / broker)) for broker in ("1", "2")]
        (found,) = by_partition(collect(arguments, opened).replicas).values()
    return list(found)


def as_parts(pieces: list[Piece]) -> Read:
    return RowsOfPieces([rows_of(piece) for piece in pieces]).read


def as_columns(pieces: list[Piece]) -> Read:
    rows = pa.concat_batches([rows for piece in pieces for rows in batch_rows(piece)])
    return RowsOfPartition(dict(zip(SCHEMA.names, rows.columns, strict=True))).read


@pytest.mark.parametrize("read", [as_parts, as_columns])
@pytest.mark.parametrize("before", [0, 3])
def test_pieces_of_a_log_that_has_grown_are_not_all_of_it(
    tmp_path: Path, read: Callable[[list[Piece]], Read], before: int
) -> None:
    for broker in ("1", "2"):
        write(tmp_path / broker / NAME, before)
    found = found_in(tmp_path)
    rows = read(pieces_of_all(found, 100, is_deep=False)) if before else as_parts([])
    for broker in ("1", "2"):
        write(tmp_path / broker / NAME, len(BATCHES))

    verified = verify_partition(found[0].partition, found, HowToVerify(), rows)

    assert Verdict.EQUAL is verified.verdict
    assert verify_partition(found[0].partition, found, HowToVerify()) == verified
    assert {len(BATCHES)} == {each.batch_count for each in verified.replicas}


def test_an_index_that_is_written_while_sizes_are_asked_for_does_not_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, 3)
    asked: list[Path] = []
    size_of = segment_files.size_of

    def size_before_the_broker_writes(path: Path) -> int:
        size = size_of(path)
        asked.append(path)
        write(tmp_path, 3 + len(asked))
        return size

    monkeypatch.setattr(segment_files, "size_of", size_before_the_broker_writes)

    log = read_replica(segments_of(str(tmp_path)))

    assert len(asked) > 1
    assert [] == list(log.damage)
    assert len(log.rows) > 3
