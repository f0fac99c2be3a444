import io
import json
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kadmin.jobs.factory import Factory
from kadmin.jobs.merge.files.errors import CannotWrite
from kadmin.jobs.merge.merge import Merge, merge
from kadmin.jobs.merge.output.slice_output import COPY_BYTES, PartFiles, SliceOutput
from kadmin.jobs.merge.output.streams import write_parquet, write_stream
from kadmin.jobs.merge.output.whole_files import part_files, whole_file
from kadmin.jobs.merge.request import MergeRequest
from kadmin.statechange.typed import SCHEMA
from tests.kadmin.jobs.merge.logs import head, write_sources
from tests.support.waiting import OUTER_LIMIT_S

LINES = [head(ms, b"INFO [Controller id=1 epoch=7] Mark %d" % ms) for ms in range(5)]


def merging(
    directory: Path, form: str = "plain_text:text", part_files: PartFiles | None = None
) -> AbstractContextManager[Merge]:
    """A merge of five lines in as many slices."""
    found = write_sources(directory / "logs", [[b"\n".join(LINES) + b"\n"]])
    return merge(
        MergeRequest(
            sources=found,
            master=None,
            slice_bytes=1,
            part_bytes=1,
            formatter=Factory(f"kadmin.jobs.merge.output.{form}"),
            part_files=part_files,
        )
    )


def test_a_result_in_a_file_that_is_longer_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "slice"
    content = b"".join(b"%07d\n" % number for number in range(3 * COPY_BYTES // 8 + 5))
    path.write_bytes(content + b"left over from the slice before")

    output = SliceOutput(0, len(content), (len(content),), None, str(path))

    assert content == output.read()


@pytest.fixture(params=["path", "uri"])
def destination(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A place for results, as a path and as a URI."""
    (tmp_path / "out").mkdir()
    place = tmp_path / "out" / "merged"
    yield str(place) if request.param == "path" else place.as_uri()
    assert [] == list((tmp_path / "out").rglob(".*")), "nothing unfinished is left"


def local(destination: str) -> Path:
    return Path(destination.removeprefix("file://"))


def test_a_stream_gets_the_header_and_all_lines(tmp_path: Path) -> None:
    stream = io.BytesIO()

    with merging(tmp_path) as merged:
        write_stream(merged, stream, b"header\n")

    assert [b"header", *LINES] == stream.getvalue().splitlines()


def test_a_file_appears_when_it_is_whole(tmp_path: Path, destination: str) -> None:
    with merging(tmp_path) as merged, whole_file(destination) as stream:
        outputs = iter(merged)
        stream.write(next(outputs).read())
        assert not local(destination).exists()
        write_stream(outputs, stream)

    assert LINES == local(destination).read_bytes().splitlines()


def test_a_merge_that_fails_leaves_the_file_that_was_there(destination: str) -> None:
    local(destination).write_bytes(b"before")

    def write_half() -> None:
        with whole_file(destination) as stream:
            stream.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half()

    assert b"before" == local(destination).read_bytes()


def test_a_file_is_replaced_where_a_link_points_to(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file")

    with whole_file(str(link)) as stream:
        stream.write(b"whole")

    assert link.is_symlink()
    assert b"whole" == (tmp_path / "file").read_bytes()


def test_a_pipe_gets_the_result_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()

    with merging(tmp_path) as merged, whole_file(str(tmp_path / "link")) as stream:
        write_stream(merged, stream)

    reader.join(OUTER_LIMIT_S)
    assert LINES == got[0].splitlines()
    assert pipe.is_fifo()
    assert ["link", "logs", "pipe"] == sorted(path.name for path in tmp_path.iterdir())


def test_a_pipe_whose_reader_leaves_is_named(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def write_on() -> None:
        with whole_file(str(pipe)) as stream:
            os.close(reader)
            stream.write(b"nobody reads this")

    with pytest.raises(CannotWrite, match=r"cannot write .*pipe: broken pipe"):
        write_on()

    assert pipe.is_fifo()


def test_a_file_that_is_replaced_keeps_its_mode_and_owner(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    if os.geteuid() == 0:
        os.chown(path, 12345, 54321)
    path.chmod(0o640)
    before = path.stat()

    with whole_file(str(path)) as stream:
        (unfinished,) = tmp_path.glob(".file.*")
        assert 0o640 == stat.S_IMODE(unfinished.stat().st_mode)
        stream.write(b"whole")

    after = path.stat()
    assert (before.st_mode, before.st_uid, before.st_gid) == (
        after.st_mode,
        after.st_uid,
        after.st_gid,
    )
    assert before.st_ino != after.st_ino
    assert b"whole" == path.read_bytes()


@pytest.mark.parametrize("name", ["x" * 255, "\N{EURO SIGN}" * 85])
def test_a_file_may_have_the_longest_name_that_there_is(tmp_path: Path, name: str) -> None:
    with whole_file(str(tmp_path / name)) as stream:
        stream.write(b"whole")

    assert b"whole" == (tmp_path / name).read_bytes()


def test_a_directory_that_there_is_not_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(CannotWrite, match=r"cannot write .*missing/file: no such file"),
        whole_file(str(tmp_path / "missing" / "file")),
    ):
        pass


@pytest.mark.slow
def test_part_files_appear_when_all_are_whole(tmp_path: Path, destination: str) -> None:
    with (
        part_files(destination, ".json") as parts,
        merging(tmp_path, "typed:json", parts) as merged,
    ):
        outputs = list(merged)
        assert [] == list(local(destination).glob("part-*"))

    assert 5 == len(outputs)
    paths = sorted(local(destination).iterdir())
    assert [f"part-{index:05d}.json" for index in range(5)] == [path.name for path in paths]
    rows = [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]
    assert list(range(1, 6)) == [row["line"] for row in rows]


def test_part_files_of_two_merges_do_not_mix(tmp_path: Path, destination: str) -> None:
    local(destination).mkdir()
    (local(destination) / "part-00000.csv").touch()

    with (
        pytest.raises(CannotWrite, match="it holds part files already"),
        part_files(destination, ".json"),
    ):
        pass


def test_a_merge_that_fails_leaves_no_part_files(destination: str) -> None:
    def write_one() -> None:
        with part_files(destination, ".csv") as parts:
            (local(parts.directory) / "part-00000.csv").touch()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_one()

    assert [] == list(local(destination).iterdir())


def test_parquet_is_one_file_with_the_rows_of_all_slices(tmp_path: Path) -> None:
    path = tmp_path / "merged.parquet"

    with merging(tmp_path, "typed:arrow") as merged, whole_file(str(path)) as stream:
        write_parquet(merged, stream, SCHEMA)

    table = pq.read_table(path)
    assert list(range(1, 6)) == table.column("line").to_pylist()
    assert ["0"] * 5 == table.column("source").cast(pa.string()).to_pylist()
    assert {"level:INFO": 5} == {
        key: count for key, count in merged.summary().counts.items() if key.startswith("level")
    }


def test_parquet_without_a_row_still_has_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "merged.parquet"

    with whole_file(str(path)) as stream:
        write_parquet([], stream, SCHEMA)

    assert SCHEMA.names == pq.read_schema(path).names


def test_lines_are_shown_behind_the_name_of_their_source(tmp_path: Path) -> None:
    trace = b"\tat kafka.X\n"
    found = write_sources(tmp_path, [[LINES[0] + b"\n" + trace], [LINES[1] + b"\n"]])
    formatter = Factory(
        "kadmin.jobs.merge.output.plain_text:text_with_source", {"separator": " | "}
    )

    with merge(MergeRequest(sources=found, master=None, formatter=formatter)) as merged:
        data = b"".join(output.read() for output in merged)

    assert b"0 | " + LINES[0] + b"\n0 | " + trace + b"1 | " + LINES[1] + b"\n" == data


@pytest.mark.slow
@pytest.mark.parametrize("form", ["arrow", "parquet", "csv"])
def test_typed_slices_have_a_row_a_line(tmp_path: Path, form: str) -> None:
    with merging(tmp_path, f"typed:{form}") as merged:
        results = [output.read() for output in merged]

    if form == "csv":
        counts = [len(result.splitlines()) for result in results]
    elif form == "parquet":
        counts = [pq.read_table(pa.BufferReader(result)).num_rows for result in results]
    else:
        counts = [pa.ipc.open_stream(result).read_all().num_rows for result in results]
    assert [1] * 5 == counts
