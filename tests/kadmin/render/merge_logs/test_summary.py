"""What is said of a merge, and how it shows on a terminal."""

import pytest

from kadmin.jobs.merge.summary import SourceSummary, Summary
from kadmin.jobs.merge.survey.results import ClockStep
from kadmin.jobs.merge.survey.time_bounds import TimeBounds
from kadmin.jobs.progress import Phase, Progress
from kadmin.render.job_progress import job_progress
from kadmin.render.merge_logs.summary import (
    step_lines,
    step_text,
    summary_lines,
    terminal_marks,
)
from kadmin.render.output import Output
from kadmin.statechange.kinds import Kind, Level
from tests.kadmin.render.terminal import FakeTerminal


def source(name: str, read: int, wanted: int, kept: int, **others: int) -> SourceSummary:
    numbers = {
        "size_bytes": 2048,
        "unread_bytes": 0,
        "lost_bytes": 0,
        "undated_lines": 0,
        **others,
    }
    return SourceSummary(
        name=name, read_lines=read, wanted_lines=wanted, kept_lines=kept, **numbers
    )


def said(
    *sources: SourceSummary,
    counts: dict[str, int] | None = None,
    duplicate_lines: int = 0,
    time_bounds: TimeBounds | None = None,
) -> list[str]:
    summary = Summary(
        sources=sources,
        steps=(),
        skipped=(),
        damaged=(),
        counts=counts or {},
        duplicate_lines=duplicate_lines,
        time_bounds=time_bounds,
    )
    return list(summary_lines(summary, seconds=2.04))


def test_a_merge_of_everything_is_one_line():
    assert ["merged 1,200 of 1,200 lines from 1 source (2.0 KiB) in 2.0 s"] == said(
        source("1", 1200, 1200, 1200)
    )


def test_every_line_that_is_missing_is_accounted_for():
    lines = said(
        source("1", 1000, 400, 100, unread_bytes=3 << 20, undated_lines=1),
        source("10", 20, 20, 0, lost_bytes=100),
        counts={"kind:elected": 90, "kind:other": 10, "level:INFO": 99, "level:-": 1},
        duplicate_lines=7,
    )

    assert [
        "merged 100 of 1,020 lines from 2 sources (4.0 KiB) in 2.0 s",
        "  left out: 600 outside the times, 313 by other filters, "
        "7 that two sources have, merged once, 3.0 MiB outside the times not even read, "
        "100 B that could not be read",
        "  1 line before the first dated one of a file, kept with it",
        "  source 1   100 of 1,000",
        "  source 10  0 of 20",
        "  levels: INFO 99, none 1",
        "  kinds: elected 90, other 10",
        "  not understood: 10",
    ] == lines


def test_of_many_sources_the_first_twenty_are_named():
    lines = said(*(source(str(number), 9, 9, 9) for number in range(22)))

    assert ["  source 19  9 of 9", "  … and 2 sources more"] == lines[-2:]
    assert 22 == len(lines)


def test_where_the_times_hold_no_line_it_is_told_which_would():
    lines = said(
        source("1", 1, 0, 0), time_bounds=TimeBounds(1_795_144_324_007, 1_795_147_200_000, False)
    )

    assert (
        "  the logs hold lines from 2026-11-20 03:12:04,007 to 2026-11-20 04:00:00,000 or later"
        == lines[-1]
    )


def test_clocks_that_go_back_by_little_are_one_line():
    small, large = ClockStep("a.log", 1, 9), ClockStep("b.log", 2, 10)

    assert [step_text(small), step_text(large)] == list(step_lines([small, large]))
    assert ["2 files: their clocks go back by up to 9 ms", step_text(large)] == list(
        step_lines([small, large, ClockStep("c.log", 3, 1)])
    )


@pytest.mark.parametrize(
    ("step_ms", "distance"), [(9, "9 ms"), (3_723_004, "3,723,004 ms (1:02:03)")]
)
def test_a_clock_that_goes_back_is_told_by_its_largest_step(step_ms, distance):
    step = ClockStep("a.log", 1234, step_ms)

    assert f"a.log: its clock goes back by up to {distance}, at line 1,234" == step_text(step)


def test_marks_are_nothing_without_colours_and_something_with_them(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain = terminal_marks(Output(color=False, stdout=FakeTerminal()))
    colored = terminal_marks(Output(color=True, stdout=FakeTerminal()))

    assert {""} == {plain.reset, plain.time, *plain.levels.values(), *plain.kinds.values()}
    assert "\x1b[0m" == colored.reset
    assert colored.levels[Level.ERROR] != colored.kinds[Kind.ELECTED]
    assert all(mark.startswith("\x1b[") for mark in colored.kinds.values())


def progress_on(stderr: object, *, quiet: bool = False, stdout: object = None) -> list[str]:
    output = Output(quiet=quiet, stdout=stdout or FakeTerminal(), stderr=stderr)  # type: ignore[arg-type]
    with job_progress(output, hides_at_output=True) as progress:
        progress.report(Progress(Phase.SURVEY, 0, 100))
        progress.report(Progress(Phase.SURVEY, 100, 100))
        taken = list(progress.watch(["a", "b"]))
        progress.report(Progress(Phase.MERGE, 50, 100))
    return taken


def test_a_bar_stands_on_a_terminal_alone_and_makes_way_for_output(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal, quiet = FakeTerminal(), FakeTerminal()

    assert ["a", "b"] == progress_on(terminal) == progress_on(quiet, quiet=True)
    assert "looking through the logs" in terminal.getvalue()
    assert "merging" not in terminal.getvalue()
    assert "" == quiet.getvalue()
