from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.errors import UsageError
from kadmin.jobs.merge.clocks import EARLIEST, EXACT, LATEST, TimeRange, clock
from kadmin.wording import as_ms

EPOCH = datetime(1970, 1, 1)
MS = timedelta(milliseconds=1)
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC")


@pytest.mark.slow
@given(
    wall=st.datetimes(EARLIEST, LATEST - timedelta(days=1)),
    zone=st.sampled_from(ZONES),
    common=st.sampled_from(ZONES),
    offset_ms=st.integers(-1000, 1000),
)
def test_a_wall_clock_is_moved_as_the_zones_say(
    wall: datetime, zone: str, common: str, offset_ms: int
) -> None:
    wall = wall.replace(microsecond=0)
    there = wall.replace(tzinfo=ZoneInfo(zone))
    back = there.astimezone(ZoneInfo("UTC")).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    expected = there.astimezone(ZoneInfo(common)).replace(tzinfo=None)

    times = clock(offset_ms, zone, common).apply(np.array([(wall - EPOCH) // MS]))

    if back == wall:
        assert (expected - EPOCH) // MS + offset_ms == times[0]


def test_an_hour_that_occurs_twice_is_taken_as_the_first() -> None:
    twice = (datetime(2026, 10, 25, 2, 30) - EPOCH) // MS

    (common,) = clock(zone="Europe/Berlin").apply(np.array([twice]))

    assert (datetime(2026, 10, 25, 0, 30) - EPOCH) // MS == common


def test_without_offset_and_zone_times_stay_as_they_are() -> None:
    assert EXACT == clock()
    berlin = clock(zone="Europe/Berlin", common_zone="Europe/Berlin")
    assert berlin == replace(EXACT, of_utc=berlin.of_utc)
    assert EXACT.is_exact
    assert not clock(1).is_exact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("zone", "common", "hours"),
    [
        (None, "UTC", 0),
        ("Europe/Berlin", "UTC", 0),
        (None, "Europe/Berlin", 2),
        ("Asia/Tokyo", "Europe/Berlin", 2),
    ],
)
def test_lines_that_say_their_zone_need_no_other(zone: str | None, common: str, hours: int) -> None:
    july = np.array([as_ms(datetime(2026, 7, 1, 12))])
    for offset_ms in (0, 250):
        common_ms = clock(offset_ms, zone, common).set_forward(7).apply(july, np.array([True]))
        assert common_ms.tolist() == [july[0] + hours * 3_600_000 + offset_ms + 7]


@pytest.mark.parametrize("name", ["Europe/Nowhere", "", "../etc/passwd", "/etc/localtime"])
def test_a_zone_that_there_is_not_is_named(name: str) -> None:
    with pytest.raises(UsageError, match="there is no time zone"):
        clock(zone=name)


def test_a_range_includes_both_of_its_ends() -> None:
    times = TimeRange(start_ms=5, end_ms=7)

    assert [False, True, True, False] == times.contains(np.array([4, 5, 7, 8])).tolist()
    assert times.overlaps(0, 5)
    assert times.overlaps(7, 9)
    assert not times.overlaps(0, 4)
    assert not times.overlaps(8, 9)
