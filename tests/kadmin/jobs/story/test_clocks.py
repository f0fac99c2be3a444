"""Clocks that a pass over all lines finds, taken out of the times of a merge."""

from dataclasses import replace
from pathlib import Path

import pytest

from kadmin.jobs.merge.clocks import TimeRange
from kadmin.jobs.merge.engines import shared_engine
from kadmin.jobs.merge.merge import merge
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.story.clocks import Correction, find_correction, unlinked, with_correction
from tests.kadmin.jobs.merge.logs import found_in
from tests.kadmin.jobs.story.skewed import skewed_incident, without_times

AHEAD_MS = {2: -7_000, 3: 64_000}


@pytest.fixture
def skewed(tmp_path: Path) -> MergeRequest:
    directory = skewed_incident(tmp_path / "logs", AHEAD_MS)
    return MergeRequest(sources=found_in(directory), master=None)


def is_decided_first(lines: list[str]) -> bool:
    """Whether controller 1 decides who leads before broker 2 begins to, whose clock is behind."""
    decided = next(n for n, line in enumerate(lines) if "orders-0 from NewPartition" in line)
    led = next(n for n, line in enumerate(lines) if "[Broker id=2] Leader orders-0" in line)
    return decided < led


def corrected(request: MergeRequest) -> tuple[dict[str, int], list[str]]:
    """By how much each source's clock was set forward, and the merged lines without their times."""
    with shared_engine(request) as engine:
        found = find_correction(request, engine, corrects_clocks=True, is_causal=False)
        with merge(with_correction(request, found), engine=engine) as merged:
            text = b"".join(output.read() for output in merged).decode()
    return dict(found.shifts_ms), without_times(text)


def test_lines_stand_as_by_the_true_time_up_to_how_long_orders_took(skewed: MergeRequest) -> None:
    shifts, lines = corrected(skewed)
    with merge(skewed) as merged:
        as_read = without_times(b"".join(output.read() for output in merged).decode())

    assert sorted(as_read) == sorted(lines)
    assert as_read != lines
    assert is_decided_first(lines)
    assert not is_decided_first(as_read)
    assert {"2", "3"} == shifts.keys() or {"1", "2"} == shifts.keys()
    between = {"1": 0, "2": -7_000, "3": 64_000}
    for source, shift in shifts.items():
        reference = ({"1", "2", "3"} - shifts.keys()).pop()
        assert abs(between[source] - between[reference] + shift) <= 1_000


def test_orders_are_looked_for_around_the_times_that_are_wanted(skewed: MergeRequest) -> None:
    """Lines of one second alone hold no order of one clock that another one carried out."""
    second = TimeRange(start_ms=1_795_144_330_800, end_ms=1_795_144_331_800)

    with shared_engine(skewed) as engine:
        whole, part = (
            find_correction(
                replace(skewed, times=times), engine, corrects_clocks=True, is_causal=False
            )
            for times in (skewed.times, second)
        )

    assert whole == part


@pytest.mark.slow
def test_given_clocks_are_kept_and_what_remains_is_added(skewed: MergeRequest) -> None:
    shifts, lines = corrected(skewed)
    by_hand = with_correction(skewed, Correction(clocks=(), shifts_ms=shifts))

    remaining, again = corrected(by_hand)

    assert {} == remaining
    assert lines == again


def test_sources_without_an_order_are_named() -> None:
    assert ["a", "b"] == unlinked(["a", "b"], [])


@pytest.mark.spark
@pytest.mark.long
def test_spark_finds_the_same_and_one_engine_does_both_passes(skewed: MergeRequest) -> None:
    on_spark = replace(
        skewed, master="local[2]", begins_here=False, slice_bytes=9_000, part_bytes=700
    )

    assert corrected(skewed) == corrected(on_spark)
