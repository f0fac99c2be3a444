import gzip
import json
import random
from collections.abc import Sequence
from itertools import pairwise, takewhile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.jobs.merge.clocks import ALWAYS, EXACT, TimeRange
from kadmin.jobs.merge.files.log_file import LogFile
from kadmin.jobs.merge.survey import parts as parts_module
from kadmin.jobs.merge.survey.parts import Part
from kadmin.jobs.merge.survey.records import PROBE_BYTES, WINDOW_BYTES
from kadmin.jobs.merge.survey.tasks import SurveyTask, run_survey, survey_tasks
from kadmin.wording import counted
from tests.kadmin.jobs.merge import reference
from tests.kadmin.jobs.merge.logs import START_MS, contents, found_in, head, merged, write_sources


def stretch_of(path: Path, begin: int, end: int, part_bytes: int = 100) -> Sequence[Part]:
    size = path.stat().st_size
    task = SurveyTask(
        number=0,
        file=LogFile(path=str(path), label="log", size=size),
        begin=begin,
        end=end,
        clock=EXACT,
        times=ALWAYS,
        part_bytes=part_bytes,
        store=None,
    )
    return run_survey(task).parts


@pytest.mark.slow
@given(
    content=contents(),
    cuts=st.lists(st.integers(0, 2000), max_size=4),
    part_bytes=st.sampled_from([1, 100, 5000]),
)
def test_parts_adjoin_and_cover_the_file_wherever_the_surveys_are_cut(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, cuts: list[int], part_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("logs") / "log"
    path.write_bytes(content)
    first = 0
    for line in takewhile(lambda each: reference.time_of(each) is None, content.splitlines(True)):
        first += len(line)
    bounds = sorted({0, len(content), *(cut for cut in cuts if first < cut < len(content))})

    parts = [
        part for begin, end in pairwise(bounds) for part in stretch_of(path, begin, end, part_bytes)
    ]

    if not reference.merge([[content]]):
        assert [] == parts
        return
    assert [0, *(part.end for part in parts)] == [*(part.begin for part in parts), len(content)]
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    assert lines == sum(part.line_count for part in parts)


def test_records_larger_than_a_block_are_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts_module, "BLOCK_BYTES", 64)
    content = head(3) + b"\n" + b"\tat x\n" * 100 + head(1) + b"\n"
    path = tmp_path / "log"
    path.write_bytes(content)

    parts = stretch_of(path, 0, len(content), part_bytes=10)

    assert [101, 1] == [part.line_count for part in parts]
    assert [START_MS + 3, START_MS + 1] == [part.first_ms for part in parts]


GOOD = head(1) + b"\n" + head(2) + b"\n"
LATER = head(4) + b"\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "too_long"),
    [
        (GOOD, head(3) + b"\n" + b"garbage\n" * 100),
        (GOOD, head(3, b"x" * 3000) + b"\n"),
        (b"", head(3, b"x" * 3000) + b"\n"),
    ],
    ids=["many lines", "one line", "the first line"],
)
@pytest.mark.parametrize("behind", [b"", LATER])
@pytest.mark.parametrize("packed", [False, True])
def test_a_record_that_is_too_long_is_lost_alone_unless_its_file_is_packed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    before: bytes,
    too_long: bytes,
    behind: bytes,
    packed: bool,
) -> None:
    monkeypatch.setattr(parts_module, "BLOCK_BYTES", 64)
    monkeypatch.setattr(parts_module, "RECORD_BYTES_MAX", 256)
    found = write_sources(tmp_path, [[before + too_long + behind]], packed=packed)

    data, summary = merged(found)

    assert before + (b"" if packed else behind) == data
    (problem,) = summary.damaged
    assert f"no dated line for 0 MiB from byte {len(before)} on" in problem.reason
    assert packed == ("the rest is not read" in problem.reason)
    (source,) = summary.sources
    assert (0, 0 if packed else len(too_long)) == (source.unread_bytes, source.lost_bytes)


UNDATED = b"\tat example.Front.start(Front.java:1)\n"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("size", [PROBE_BYTES, 5 << 20])
def test_a_log_may_begin_with_any_number_of_lines_without_a_date(
    tmp_path: Path, size: int, packed: bool
) -> None:
    log = UNDATED * (size // len(UNDATED) + 1) + head(3) + b"\n"

    data, summary = merged(write_sources(tmp_path, [[log]], packed=packed))

    assert (log, (), ()) == (data, summary.skipped, summary.damaged)


def test_a_file_without_a_date_at_either_end_is_named_with_what_was_looked_at(
    tmp_path: Path,
) -> None:
    lines = UNDATED * (PROBE_BYTES // len(UNDATED) + 1)

    data, summary = merged(write_sources(tmp_path, [[lines + head(3) + b"\n" + lines]]))

    assert b"" == data
    assert "no line with a date as log4j writes it in its first or its last MiB" in (
        summary.skipped[0].reason
    )


def make_hours(count: int) -> bytes:
    """A line a second for *count* hours, of about 150 bytes each."""
    return b"".join(
        head(second * 1000, b"INFO " + b"x" * 100) + b"\n" for second in range(3600 * count)
    )


@pytest.mark.parametrize("size", [1, WINDOW_BYTES, 9 << 20])
def test_nuls_before_the_first_line_are_left_out_and_named(tmp_path: Path, size: int) -> None:
    lines = b"".join(head(second) + b"\n" for second in range(3))
    data, summary = merged(write_sources(tmp_path, [[b"\0" * size + lines]]))

    assert lines == data
    assert (0, size, 3, 0) == (
        summary.sources[0].unread_bytes,
        summary.sources[0].lost_bytes,
        summary.sources[0].read_lines,
        summary.sources[0].undated_lines,
    )
    assert f"begins with {counted(size, 'NUL')}" in summary.damaged[0].reason


def test_a_log_whose_lines_end_in_returns_alone_is_named(tmp_path: Path) -> None:
    data, summary = merged(
        write_sources(tmp_path, [[b"".join(head(second) + b"\r" for second in range(3))]])
    )

    assert b"" == data
    assert "its lines end in carriage returns alone" in summary.skipped[0].reason


@pytest.mark.parametrize("document", [b'{\n "events": []\n}', b'[{"line": "x"}]'])
def test_a_document_of_json_is_named(tmp_path: Path, document: bytes) -> None:
    _, summary = merged(write_sources(tmp_path, [[document]]))

    assert "it is JSON, but without an event on each line" in summary.skipped[0].reason


@pytest.mark.slow
def test_what_lies_outside_a_range_of_time_is_not_read(tmp_path: Path) -> None:
    content = make_hours(24)
    found = write_sources(tmp_path, [[content], [make_hours(1)]])
    start_ms = START_MS + 12 * 3600_000
    times = TimeRange(start_ms=start_ms, end_ms=start_ms + 59_999)

    data, summary = merged(found, times=times)

    assert 60 == data.count(b"\n")
    assert 60 == sum(source.wanted_lines for source in summary.sources)
    large, small = summary.sources
    # Three samples of a MiB at most, of about eleven.
    assert large.size_bytes - large.unread_bytes < 4 << 20
    assert small.unread_bytes == small.size_bytes


@pytest.mark.slow
def test_line_numbers_are_right_behind_what_was_not_read(tmp_path: Path) -> None:
    content = make_hours(12)
    found = write_sources(tmp_path, [[content]])
    start_ms = START_MS + 10 * 3600_000
    times = TimeRange(start_ms=start_ms, end_ms=start_ms)

    (task,) = survey_tasks(found[0].files, [EXACT], times=times, part_bytes=1 << 20, store=tmp_path)
    _, summary = merged(found, times=times, is_numbered=True)

    assert task.begin > 0
    assert 1 == summary.sources[0].kept_lines


def test_a_packed_file_that_begins_after_the_range_is_not_unpacked(tmp_path: Path) -> None:
    found = write_sources(tmp_path, [[make_hours(1)]], packed=True)

    data, summary = merged(found, times=TimeRange(start_ms=0, end_ms=START_MS - 60_001))

    assert b"" == data
    assert () == summary.skipped
    assert summary.sources[0].unread_bytes == summary.sources[0].size_bytes


def packed_log() -> tuple[bytes, bytes]:
    rng = random.Random(1)
    lines = [head(ms, b"INFO " + rng.randbytes(8).hex().encode()) for ms in range(5000)]
    content = b"\n".join(lines) + b"\n"
    return content, gzip.compress(content)


def test_of_a_packed_file_that_was_cut_off_the_lines_before_are_merged(tmp_path: Path) -> None:
    content, packed = packed_log()
    path = tmp_path / "broker-1" / "state-change.log.gz"
    path.parent.mkdir()
    path.write_bytes(packed[: len(packed) // 2])

    data, summary = merged(found_in(tmp_path))

    assert content.startswith(data.rstrip(b"\n"))
    assert len(data) > len(content) // 3
    assert [(str(path), "cut off before its end")] == [
        (problem.label, problem.reason) for problem in summary.damaged
    ]


@pytest.mark.slow
def test_of_a_damaged_packed_file_the_damage_is_named(tmp_path: Path) -> None:
    _, packed = packed_log()
    middle = len(packed) // 2
    path = tmp_path / "state-change.log.gz"
    path.write_bytes(packed[:middle] + b"\xff" * 100 + packed[middle + 100 :])

    data, summary = merged(found_in(tmp_path))

    assert data != b""
    (problem,) = summary.damaged
    assert "damaged near byte" in problem.reason


def test_of_a_packed_file_no_more_is_unpacked_than_it_may_be(tmp_path: Path) -> None:
    content, packed = packed_log()
    path = tmp_path / "state-change.log.gz"
    path.write_bytes(packed)
    size = len(content) // 2

    data, summary = merged(found_in(tmp_path), unpacked_max=size)

    assert content.startswith(data.rstrip(b"\n"))
    assert size - 200 < len(data) <= size + 1
    (problem,) = summary.damaged
    assert "unpacks to more than --max-unpacked allows" == problem.reason
    assert (content, ()) == (
        merged(found_in(tmp_path), unpacked_max=len(content))[0],
        merged(found_in(tmp_path))[1].damaged,
    )


@pytest.mark.parametrize("padding", [0, 5000])
def test_of_what_is_no_gzip_behind_a_packed_file_the_place_is_named(
    tmp_path: Path, padding: int
) -> None:
    content, packed = packed_log()
    path = tmp_path / "state-change.log.gz"
    path.write_bytes(packed + b"\0" * padding + b"rsync: connection reset")

    data, summary = merged(found_in(tmp_path))

    assert content == data
    (problem,) = summary.damaged
    assert f"damaged behind byte {len(packed) + padding}: " in problem.reason


def test_a_packed_file_may_have_several_members_and_padding(tmp_path: Path) -> None:
    content, packed = packed_log()
    more = head(9999) + b"\n"
    path = tmp_path / "state-change.log.gz"
    path.write_bytes(packed + gzip.compress(more) + b"\0" * 512)

    data, summary = merged(found_in(tmp_path))

    assert content + more == data
    assert () == summary.damaged


@pytest.mark.parametrize(
    ("front", "between", "end", "advice"),
    [
        ('{"took":3,"hits":{"total":2,"hits":[', ",", "]}}", "jq -c '.hits.hits[]'"),
        ('{"events": [', ", ", "]}\n", "jq -c '.events[]'"),
        ("[", ", ", "]\n", "jq -c '.[]'"),
        ('{"data":[{"attributes":{}},', ",", "]}", "jq -c '.data[].attributes'"),
        (
            '{"status":"success","data":{"result":[',
            ",",
            "]}}",
            "jq -r '.data.result[].values[][1]'",
        ),
        ('{"tables":[{"rows":[', ",", "]}]}", """jq -r '.tables[].rows[] | join(" ")'"""),
        ("", "\n", "\n", None),
    ],
    ids=["Elasticsearch", "CloudWatch", "array", "Datadog", "Loki", "Azure", "lines"],
)
def test_an_answer_in_one_line_is_named(
    tmp_path: Path, front: str, between: str, end: str, advice: str | None
) -> None:
    events = [json.dumps({"_source": {"message": head(n).decode()}}) for n in range(3)]
    answer = f"{front}{between.join(events)}{end}".encode()

    data, summary = merged(write_sources(tmp_path, [[answer]]))

    assert (b"" if advice else answer) == data
    assert (advice is None) == (not summary.skipped)
    assert advice is None or advice in summary.skipped[0].reason
