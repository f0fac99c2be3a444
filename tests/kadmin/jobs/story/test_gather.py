"""The events of slices on their way to buckets: in files, of this machine or of all."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from kadmin.jobs.merge.files.errors import CannotWrite
from kadmin.jobs.merge.output.slice_output import SliceOutput
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.spark.engine import SparkEngine
from kadmin.jobs.story.bucket import LocalPiece, Piece
from kadmin.jobs.story.gather import Selection, pieces_of
from kadmin.jobs.story.tell import tell
from tests.kadmin.jobs.merge.logs import found_in
from tests.support.checkout import CHECKOUT

INCIDENT = CHECKOUT / "scripts" / "demo-incident"


def test_what_came_back_lies_in_a_file_and_is_sent_as_its_bytes(tmp_path: Path) -> None:
    output = SliceOutput(index=7, size=6, piece_sizes=(1, 0, 3, 2), data=b"abbbcc", path=None)

    pieces = pieces_of(output, tmp_path)
    sent = pickle.loads(pickle.dumps(pieces))

    assert {LocalPiece} == {type(piece) for piece in pieces}
    assert [b"a", b"", b"bbb", b"cc"] == [piece.read() for piece in pieces]
    (tmp_path / "part-00007.events").unlink()
    assert [b"a", b"", b"bbb", b"cc"] == [piece.read() for piece in sent]
    assert [piece.size for piece in pieces] == [piece.size for piece in sent]


def test_what_all_workers_see_is_sent_by_name(tmp_path: Path) -> None:
    path = tmp_path / "part-00000.events"
    path.write_bytes(b"abb")
    output = SliceOutput(index=0, size=3, piece_sizes=(1, 2), data=None, path=str(path))

    sent = pickle.loads(pickle.dumps(pieces_of(output, tmp_path)))

    assert [Piece(str(path), 0, 1), Piece(str(path), 1, 2)] == sent


def test_no_room_for_events_is_said(tmp_path: Path) -> None:
    output = SliceOutput(index=0, size=1, piece_sizes=(1,), data=b"a", path=None)

    with pytest.raises(CannotWrite, match=r"cannot write .*part-00000.events: no such file"):
        pieces_of(output, tmp_path / "gone")


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_spark_tells_what_this_process_tells(spark_engine: SparkEngine) -> None:
    request = MergeRequest(sources=found_in(INCIDENT), master=None, slice_bytes=9_000)

    here = tell(request, Selection())

    assert here.stories
    there = tell(replace(request, master="local[2]"), Selection(), engine=spark_engine)
    assert here == there


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.xdist_group("standalone-spark")
def test_a_cluster_tells_the_same_stories(standalone_spark: str) -> None:
    request = MergeRequest(sources=found_in(INCIDENT), master=None, slice_bytes=9_000)
    conf = {"spark.executor.memory": "500m", "spark.cores.max": "2"}

    here = tell(request, Selection())
    there = tell(replace(request, master=standalone_spark, conf=conf), Selection())

    assert here.stories
    assert here.stories == there.stories
    assert (here.clocks, here.coverage, here.refusals) == (
        there.clocks,
        there.coverage,
        there.refusals,
    )
