"""Lines behind the orders that they obey, whatever the clocks say."""

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kadmin.jobs.engine import Engine
from kadmin.jobs.merge.clocks import Lifts
from kadmin.jobs.merge.engines import shared_engine
from kadmin.jobs.merge.merge import merge
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.spark.engine import SparkEngine
from kadmin.jobs.story import causality
from kadmin.jobs.story.causality import Proofs, Route, lifts_of, most_lifted, proofs, together
from kadmin.jobs.story.clocks import Correction, find_correction, with_correction
from kadmin.story.clocks import OrderPair, fastest
from tests.kadmin.jobs.merge.logs import found_in
from tests.kadmin.jobs.story.skewed import skewed_incident, without_times

SOURCES = ("1", "2", "3")

Pairs = dict[Route, list[tuple[int, int]]]


@st.composite
def skewed_orders(draw: st.DrawFn, givers: tuple[str, ...] = SOURCES) -> Pairs:
    """Orders that were all carried out behind being given, as clocks that are off tell of them."""
    ahead = {source: draw(st.integers(-50, 50)) for source in SOURCES}
    found: Pairs = {}
    for _ in range(draw(st.integers(0, 25))):
        giver = draw(st.sampled_from(givers))
        taker = draw(st.sampled_from([each for each in SOURCES if each != giver]))
        given_ms = draw(st.integers(1000, 1200))
        taken_ms = given_ms + draw(st.integers(1, 30))
        pair = given_ms + ahead[giver], taken_ms + ahead[taker]
        found.setdefault((giver, taker), []).append(pair)
    return found


def lifts_for(pairs: Pairs) -> dict[str, Lifts]:
    return lifts_of(SOURCES, {route: proofs(some).needed() for route, some in pairs.items()})


def key(lifts: Mapping[str, Lifts], source: str, time_ms: int) -> tuple[int, int]:
    """By what a line is ordered: its time, and where its source stands."""
    held = lifts.get(source, Lifts()).apply(np.array([time_ms], np.int64))
    return int(held[0]), SOURCES.index(source)


@given(skewed_orders())
@example(
    {  # Each of two holds the other back twice.
        ("3", "1"): [(1003, 1001)],
        ("2", "1"): [(1002, 1003)],
        ("1", "2"): [(1003, 1004), (1001, 1002)],
    }
)
def test_every_order_stands_before_its_answer(pairs: Pairs) -> None:
    lifts = lifts_for(pairs)

    for (giver, taker), some in pairs.items():
        for given_ms, taken_ms in some:
            assert key(lifts, giver, given_ms) < key(lifts, taker, taken_ms)


@given(skewed_orders(), st.lists(st.integers(900, 1300), min_size=2, max_size=30))
def test_lines_of_a_source_keep_their_order_and_are_never_earlier(
    pairs: Pairs, times: list[int]
) -> None:
    for lifts in lifts_for(pairs).values():
        held = lifts.apply(np.array(sorted(times), np.int64))

        assert (np.diff(held) >= 0).all()
        assert (held >= sorted(times)).all()


@given(skewed_orders(), st.integers(900, 1300), st.integers(0, 150))
def test_the_lifts_of_a_slice_choose_its_lines_as_all_of_them_do(
    pairs: Pairs, low_ms: int, span_ms: int
) -> None:
    times = np.arange(850, 1400, dtype=np.int64)
    high_ms = low_ms + span_ms
    for lifts in lifts_for(pairs).values():
        whole = lifts.apply(times)
        some = lifts.within(low_ms, high_ms).apply(times)
        inside = (whole >= low_ms) & (whole <= high_ms)

        assert (inside == ((some >= low_ms) & (some <= high_ms))).all()
        assert (whole[inside] == some[inside]).all()


@given(skewed_orders())
def test_no_order_that_needs_a_lift_is_left_out_for_being_slow(pairs: Pairs) -> None:
    """What buckets leave out by `most_lifted` changes nothing."""
    quickest = fastest(
        OrderPair(giver=giver, taker=taker, least_ms=taken_ms - given_ms, count=1)
        for (giver, taker), some in pairs.items()
        for given_ms, taken_ms in some
    )
    most_ms = most_lifted(quickest)
    chosen = {
        route: [(g, t) for g, t in some if t <= g + most_ms.get(route[0], 0)]
        for route, some in pairs.items()
    }

    assert lifts_for(pairs) == lifts_for({route: some for route, some in chosen.items() if some})


@given(skewed_orders(givers=("2",)))
def test_where_there_are_too_many_proofs_lines_stand_late_rather_than_early(pairs: Pairs) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(causality, "PROOFS_MAX", 2)
        found = together([{route: proofs(some)} for route, some in pairs.items()])
    lifts = lifts_of(SOURCES, found)

    assert all(len(some.given) <= 2 for some in found.values())
    for (giver, taker), some in pairs.items():
        for given_ms, taken_ms in some:
            assert key(lifts, giver, given_ms) < key(lifts, taker, taken_ms)


def test_orders_that_contradict_each_other_come_to_an_end() -> None:
    """Each was carried out before it was given: a clock was set in between."""
    lifts = lifts_for({("1", "2"): [(1000, 990)], ("2", "1"): [(1000, 990)]})

    assert {"1", "2"} == lifts.keys()
    assert all(each.count < 5 for each in lifts.values())


def test_a_tie_is_broken_where_the_source_that_obeys_would_stand_first() -> None:
    assert {} == lifts_for({("1", "2"): [(1000, 1000)]})
    lifts = lifts_for({("2", "1"): [(1000, 1000)]})

    assert ([1000], [1001]) == (lifts["1"].since.tolist(), lifts["1"].least.tolist())


def test_proofs_that_others_imply_are_not_kept() -> None:
    needed = Proofs(np.array([10, 30, 20, 40]), np.array([5, 6, 7, 8])).needed()

    assert ([10, 30, 40], [5, 6, 8]) == (needed.given.tolist(), needed.taken.tolist())


@pytest.fixture
def skewed(tmp_path: Path) -> MergeRequest:
    directory = skewed_incident(tmp_path / "logs", {1: 11, 2: -300, 3: 40})
    return MergeRequest(sources=found_in(directory), master=None)


def merged(
    request: MergeRequest, spark: Engine | None = None, *, is_causal: bool = True
) -> tuple[Correction, list[str]]:
    with nullcontext(spark) if spark is not None else shared_engine(request) as engine:
        found = find_correction(request, engine, corrects_clocks=False, is_causal=is_causal)
        with merge(with_correction(request, found), engine=engine) as outputs:
            text = b"".join(output.read() for output in outputs).decode()
    return found, without_times(text)


def too_early(lines: list[str]) -> list[str]:
    """Lines by which brokers begin with a leader epoch before the controller has decided it."""
    decided: set[tuple[str, str]] = set()
    found = []
    for line in lines:
        decision = re.search(r"\] Changed partition (\S+) from .*leaderEpoch=([0-9]+)", line)
        removal = re.search(r"\] Partition (\S+) state changed to .*LeaderEpoch:([0-9]+)", line)
        start = re.search(r"\] (?:Leader|Follower) (\S+) .*starts at leader epoch ([0-9]+)", line)
        for told in (decision, removal):
            if told is not None:
                decided.add((told[1], told[2]))
        if start is not None and (start[1], start[2]) not in decided:
            found.append(line)
    return found


@pytest.mark.slow
def test_lines_of_real_brokers_stand_behind_the_decisions_that_they_obey(
    skewed: MergeRequest,
) -> None:
    as_read = merged(skewed, is_causal=False)[1]
    found, lines = merged(skewed)

    assert {} == found.shifts_ms
    assert len(too_early(as_read)) > 3
    assert [] == too_early(lines)
    assert sorted(as_read) == sorted(lines)
    assert merged(skewed) == merged(replace(skewed, slice_bytes=3_000, part_bytes=500))


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_spark_orders_by_cause_as_this_process_does(
    skewed: MergeRequest, spark_engine: SparkEngine
) -> None:
    on_spark = replace(
        skewed, master="local[2]", begins_here=False, slice_bytes=9_000, part_bytes=700
    )

    assert merged(skewed) == merged(on_spark, spark_engine)
