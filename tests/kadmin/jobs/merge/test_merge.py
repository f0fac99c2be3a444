import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kadmin.errors import UsageError
from kadmin.jobs.engine import InProcessEngine, Work
from kadmin.jobs.factory import Factory
from kadmin.jobs.merge.clocks import Clock, TimeRange
from kadmin.jobs.merge.merge import Merge, merge
from kadmin.jobs.merge.output.rows import Formatted, Formatter, Rows, split
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.merge.slices.plan import Order
from kadmin.jobs.merge.slices.record_filter import RecordFilter
from kadmin.jobs.progress import Phase, Progress
from tests.kadmin.jobs.merge import reference
from tests.kadmin.jobs.merge.logs import START_MS, contents, head, merged, write_sources
from tests.support.examples import example_count

SOURCES = st.lists(st.lists(contents(), min_size=1, max_size=3), min_size=1, max_size=3)
SIZES = st.sampled_from([1, 60, 400, 5000])


@pytest.mark.slow
@settings(max_examples=example_count(80))
@given(sources=SOURCES, slice_bytes=SIZES, part_bytes=SIZES, packed=st.booleans())
@example(sources=[[head(0) + b"\n"] * 3] * 3, slice_bytes=1, part_bytes=1, packed=False)
def test_any_split_into_files_parts_and_slices_merges_to_the_total_order(
    sources: list[list[bytes]], slice_bytes: int, part_bytes: int, packed: bool
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        found = write_sources(Path(directory), sources, packed=packed)
        data, _ = merged(found, slice_bytes=slice_bytes, part_bytes=part_bytes)

    assert reference.merge(sources) == data


class LateWorkers(InProcessEngine):
    """Workers that are there when they were asked for *late* times."""

    def __init__(self, late: int) -> None:
        self.left = late
        self.slice_count = 0

    def is_ready(self) -> bool:
        self.left -= 1
        return self.left < 0

    def run(self, work: Work, arguments: Sequence[Any], *, result_bytes: int = 0) -> Iterator[Any]:
        self.slice_count += len(arguments)
        return super().run(work, arguments)


@pytest.mark.slow
@settings(max_examples=example_count(50))
@given(sources=SOURCES, late=st.integers(0, 12))
@example(sources=[[head(ms) + b"\n" for ms in (2, 4, 6)]] * 2, late=3)
def test_what_is_merged_here_and_what_workers_merge_later_is_the_total_order(
    sources: list[list[bytes]], late: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        found = write_sources(Path(directory), sources)
        request = MergeRequest(sources=found, slice_bytes=1, part_bytes=1)
        engine = LateWorkers(late)
        slices = Merge(request, engine, Path(directory), lambda _: None)
        outputs = [output.read() for output in slices]

    assert reference.merge(sources) == b"".join(outputs)
    assert max(len(outputs) - late, 0) == engine.slice_count
    assert sum(source.kept_lines for source in slices.summary().sources) == sum(
        output.count(b"\n") for output in outputs
    )


@pytest.mark.slow
@settings(max_examples=example_count(60))
@given(sources=SOURCES, slice_bytes=SIZES, part_bytes=SIZES)
def test_order_of_files_is_never_broken_where_that_is_asked_for(
    sources: list[list[bytes]], slice_bytes: int, part_bytes: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        found = write_sources(Path(directory), sources)
        data, _ = merged(found, slice_bytes=slice_bytes, part_bytes=part_bytes, order=Order.FILE)

    assert reference.merge(sources, keeps_file_order=True) == data


@pytest.mark.slow
@settings(max_examples=example_count(50))
@given(sources=SOURCES, slice_bytes=SIZES, offset_ms=st.integers(-4000, 4000))
def test_a_clock_offset_moves_the_lines_of_its_source_alone(
    sources: list[list[bytes]], slice_bytes: int, offset_ms: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        found = write_sources(Path(directory), sources)
        clocks = {"0": Clock(shifts_ms=(offset_ms,))}
        data, _ = merged(found, slice_bytes=slice_bytes, part_bytes=60, clocks=clocks)

    assert reference.merge(sources, offsets_ms={0: offset_ms}) == data


@pytest.mark.slow
@settings(max_examples=example_count(50))
@given(
    sources=SOURCES,
    slice_bytes=SIZES,
    low_ms=st.integers(0, 4000),
    high_ms=st.integers(0, 9000),
    packed=st.booleans(),
)
@example(  # A packed file that begins behind the range, whose clock then goes back into it.
    sources=[[head(3000) + b"\n" + head(1000) + b"\n"]],
    slice_bytes=1,
    low_ms=0,
    high_ms=2000,
    packed=True,
)
def test_a_range_of_time_gives_the_records_of_the_whole_that_lie_in_it(
    sources: list[list[bytes]], slice_bytes: int, low_ms: int, high_ms: int, packed: bool
) -> None:
    start_ms, end_ms = START_MS + low_ms, START_MS + high_ms
    with tempfile.TemporaryDirectory() as directory:
        found = write_sources(Path(directory), sources, packed=packed)
        times = TimeRange(start_ms=start_ms, end_ms=end_ms)
        data, summary = merged(found, slice_bytes=slice_bytes, part_bytes=60, times=times)

    expected = reference.merge(sources, only=lambda each: start_ms <= each.time_ms <= end_ms)
    assert expected == data
    wanted_lines = sum(source.wanted_lines for source in summary.sources)
    assert expected.count(b"\n") == wanted_lines - summary.duplicate_lines


@pytest.mark.slow
@settings(max_examples=example_count(50))
@given(sources=SOURCES, slice_bytes=SIZES, part_bytes=SIZES, substrings=st.booleans())
def test_a_filter_judges_head_lines_and_takes_what_stands_behind_them(
    sources: list[list[bytes]], slice_bytes: int, part_bytes: int, substrings: bool
) -> None:
    record_filter = RecordFilter(
        predicate=Factory(f"{__name__}:containing", {"word": "t-0"}),
        substrings=(b"t-0",) if substrings else (),
    )
    with tempfile.TemporaryDirectory() as directory:
        found = write_sources(Path(directory), sources)
        data, summary = merged(
            found, slice_bytes=slice_bytes, part_bytes=part_bytes, record_filter=record_filter
        )

    expected = reference.merge(sources, only=lambda each: b"t-0" in each.lines[0])
    assert expected == data
    assert expected.count(b"\n") == sum(source.kept_lines for source in summary.sources)


@pytest.mark.slow
@settings(max_examples=example_count(50))
@given(sources=SOURCES, slice_bytes=SIZES, part_bytes=SIZES)
def test_each_line_knows_its_source_its_file_and_its_number(
    sources: list[list[bytes]], slice_bytes: int, part_bytes: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        found = write_sources(Path(directory), sources)
        formatter = Factory(f"{__name__}:places")
        data, _ = merged(
            found,
            slice_bytes=slice_bytes,
            part_bytes=part_bytes,
            formatter=formatter,
            is_numbered=True,
        )
        places = [line.split(b"\t", 3) for line in data.splitlines()]
        contents = {
            name: Path(name).read_bytes() for name in {place[1].decode() for place in places}
        }

    lines = [
        contents[file.decode()].split(b"\n")[int(number) - 1].removesuffix(b"\r")
        for _, file, number, _ in places
    ]
    assert lines == [text for _, _, _, text in places]
    assert all(file.decode().split("broker-")[1][0] == name.decode() for name, file, _, _ in places)


def containing(word: str) -> Callable[[pa.LargeBinaryArray], pa.BooleanArray]:
    """A filter that is found by its dotted name, as workers find one."""
    return lambda heads: pc.match_substring(heads, word)


def places() -> Formatter:
    """A formatter that writes source, file and number before each line."""

    def make(rows: Rows) -> Formatted:
        lines = split(rows)
        texts = [
            b"%s\t%s\t%d\t%s\n"
            % (
                rows.source_names[rows.sources[record]].encode(),
                rows.file_names[rows.files[record]].encode(),
                number,
                text,
            )
            for record, number, text in zip(
                lines.records, lines.numbers, lines.texts.to_pylist(), strict=True
            )
        ]
        return Formatted((pa.py_buffer(b"".join(texts)),))

    return make


def test_files_that_change_places_and_times_that_are_all_the_same_change_nothing(
    tmp_path: Path,
) -> None:
    one = b"".join(head(5, b"INFO %d" % number) + b"\n" for number in range(200))
    two = one.replace(b"INFO", b"WARN")
    found = write_sources(tmp_path, [[one], [two]])

    data, _ = merged(tuple(found), slice_bytes=300, part_bytes=100)

    assert one + two == data


@pytest.mark.slow
@pytest.mark.parametrize(
    "form", ["plain_text:text", *(f"typed:{name}" for name in ("arrow", "parquet", "json", "csv"))]
)
def test_a_result_is_as_long_as_it_says(tmp_path: Path, form: str) -> None:
    found = write_sources(tmp_path, [[b"".join(head(ms) + b"\n" for ms in range(2000))]])
    request = MergeRequest(
        sources=found,
        master=None,
        formatter=Factory(f"kadmin.jobs.merge.output.{form}"),
        is_numbered=True,
    )
    with merge(request) as slices:
        for output in slices:
            assert output.size == len(output.read()) == sum(output.piece_sizes) > 0


def test_a_source_that_there_is_not_cannot_have_a_clock(tmp_path: Path) -> None:
    found = write_sources(tmp_path, [[head(0) + b"\n"]])

    with pytest.raises(UsageError, match=r"there is no source '7' \(there are: 0\)"):
        merged(found, clocks={"7": Clock(shifts_ms=(1,))})


def test_the_largest_step_back_of_a_clock_is_named_with_its_line(tmp_path: Path) -> None:
    lines = [head(ms) for ms in (0, 100, 90, 200, 50, 60)]
    lines.insert(1, b"\tat some.Class")
    found = write_sources(tmp_path, [[b"\n".join(lines) + b"\n"], [head(0) + b"\n"]])

    _, summary = merged(found, slice_bytes=1, part_bytes=1)

    ((step),) = summary.steps
    assert (6, 150) == (step.line, step.step_ms)
    assert step.label.endswith("broker-0/state-change.log")


def test_what_comes_first_is_there_before_later_slices_are_made(tmp_path: Path) -> None:
    first, last = head(0), head(9000)
    (source,) = write_sources(tmp_path, [[first + b"\n" + last + b"\n"]])
    request = MergeRequest(sources=(source,), master=None, slice_bytes=1, part_bytes=1)
    with merge(request) as slices:
        output = next(iter(slices))

        assert first + b"\n" == output.read()
        assert 1 == slices.summary().sources[0].kept_lines


def test_progress_counts_bytes_up_to_all_of_them(tmp_path: Path) -> None:
    found = write_sources(tmp_path, [[head(0) + b"\n" + head(9) + b"\n"]])
    reports: list[Progress] = []
    request = MergeRequest(sources=tuple(found), master=None, slice_bytes=1, part_bytes=1)
    with merge(request, reports.append) as slices:
        for _ in slices:
            pass

    for phase in (Phase.SURVEY, Phase.MERGE):
        counts = [(each.done_bytes, each.total_bytes) for each in reports if each.phase is phase]
        assert sorted(counts) == counts
        assert counts[0][0] == 0
        assert counts[-1][0] == counts[-1][1] > 0


def test_nothing_temporary_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    found = write_sources(tmp_path / "logs", [[head(0) + b"\n"]], packed=True)

    merged(found)

    assert [] == list(temporary.iterdir())
