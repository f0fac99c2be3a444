from pathlib import Path

import pytest

from kadmin.jobs.merge.clocks import ALWAYS, Clock, TimeRange
from kadmin.jobs.merge.survey.time_bounds import TimeBounds
from tests.kadmin.jobs.merge.logs import START_MS, head, merged, write_sources

EARLY = b"\tat the.end.of.a.Trace\n" + head(70) + b"\n" + head(50) + b"\n"
LATE = head(900) + b"\n" + head(5000) + b"\n"
NO_LOG = b"remember the milk\n"
BEFORE = TimeRange(start_ms=0, end_ms=START_MS - 3_600_000)
BEHIND = TimeRange(start_ms=START_MS + 3_600_000, end_ms=ALWAYS.end_ms)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("times", [BEFORE, BEHIND])
def test_logs_that_hold_none_of_the_times_tell_which_they_hold(
    tmp_path: Path, times: TimeRange, packed: bool
) -> None:
    found = write_sources(tmp_path, [[LATE], [EARLY, NO_LOG, b""]], packed=packed)

    data, summary = merged(found, times=times, clocks={"0": Clock(shifts_ms=(10,))})

    assert b"" == data
    first, last, is_last_known = START_MS + 50, START_MS + 5010, not (packed and times == BEFORE)
    assert TimeBounds(first, last, is_last_known) == summary.time_bounds


def test_logs_of_which_a_line_is_wanted_need_not_tell_what_they_hold(tmp_path: Path) -> None:
    found = write_sources(tmp_path, [[LATE]])

    assert merged(found)[1].time_bounds is None
    times = TimeRange(start_ms=START_MS + 5000, end_ms=ALWAYS.end_ms)
    assert merged(found, times=times)[1].time_bounds is None


def test_files_that_are_no_logs_hold_no_times(tmp_path: Path) -> None:
    found = write_sources(tmp_path, [[NO_LOG], [b""]])

    assert merged(found, times=BEFORE)[1].time_bounds is None
