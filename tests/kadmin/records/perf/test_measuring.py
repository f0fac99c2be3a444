"""Are records paced by their turn, and latencies, shares and ratios what they would be by hand?"""

import random
from itertools import pairwise

import pytest

from kadmin.records.perf.availability import Availability, Incident, Outage, incidents
from kadmin.records.perf.compare import Ratio, ratio, turns
from kadmin.records.perf.load import Load, LoadTest
from kadmin.records.perf.pace import Pace
from kadmin.records.perf.produce import ProduceRun, ProduceTest, flat, share
from kadmin.records.perf.records import KeyDistribution, Records, RecordSpec, split_payloads
from kadmin.records.perf.tally import PERCENTS, Result, Tally, Window, joined, merged
from kadmin.settings.brokers import BrokerSettings
from tests.support.seeds import seeds

A, B = ("t", 0), ("t", 1)


@pytest.mark.parametrize(
    ("rate", "now", "sent", "most", "due"),
    [
        (100, 10.0, 0, 500, 1),
        (100, 10.0, 1, 500, 0),
        (100, 10.015, 1, 500, 1),
        (100, 11.0, 0, 500, 101),
        (100, 11.0, 0, 50, 50),
        (100, 9.0, 0, 50, 0),
        (0.5, 12.0, 1, 50, 1),
        (None, 10.0, 7, 50, 50),
    ],
)
def test_as_many_records_are_due_as_the_rate_has_let_pass(
    rate: float | None, now: float, sent: int, most: int, due: int
) -> None:
    assert Pace(rate, 10.0).due(now, sent, most) == due


def test_a_producer_that_stood_still_counts_the_wait_of_every_record() -> None:
    """No coordinated omission: a stop of 2 s, by a virtual clock, delays all that was to be sent in
    it, and not only the one record that was on its way."""
    pace, tally = Pace(100, 0.0), Tally()
    now, sent = 0.0, 0
    for moment in [number / 100 for number in range(100)] + [3.0]:
        now = moment
        count = pace.due(now, sent, 1000)
        for number in range(sent, sent + count):
            tally.time(now - pace.intended(number, now))
        sent += count

    latency = tally.latency()
    assert latency is not None
    assert 301 == latency.count == sent
    assert 1990 <= latency.max_ms <= 2010
    assert latency.percentiles[50.0] > 400


def test_without_a_rate_a_record_is_wanted_when_the_one_before_is_handed_over() -> None:
    assert Pace(None, 0.0).intended(7, 4.5) == 4.5


def test_percentiles_are_those_of_an_hdr_histogram() -> None:
    from hdrh.histogram import HdrHistogram

    chance = random.Random(seeds(1)[0])
    tally, oracle = Tally(), HdrHistogram(1, 3_600_000_000, 3)
    for _ in range(2_000):
        us = int(chance.lognormvariate(8, 2)) + 1
        tally.time(us / 1e6)
        oracle.record_value(us)

    latency = tally.latency()
    assert latency is not None
    expected = {percent: oracle.get_value_at_percentile(percent) / 1000 for percent in PERCENTS}
    assert expected == pytest.approx(dict(latency.percentiles), rel=0.001)
    assert oracle.get_mean_value() / 1000 == pytest.approx(latency.mean_ms, rel=0.001)
    assert oracle.get_stddev() / 1000 == pytest.approx(latency.deviation_ms, rel=0.01)
    assert latency.max_ms == latency.percentiles[99.99]


def test_nothing_timed_has_no_percentiles() -> None:
    assert Tally().latency() is None


def test_results_of_processes_add_up_and_the_longest_time_counts() -> None:
    one, other = Tally(records=3, bytes=30), Tally(records=5, bytes=50, failed=1)
    one.time(0.001)
    other.time(0.004)
    other.reasons["refused"] += 1

    both = merged([Result(tally=one, seconds=1.0, started_ms=20), Result(tally=other, seconds=2.0)])

    assert (8, 80, 1, {"refused": 1}) == (
        both.tally.records,
        both.tally.bytes,
        both.tally.failed,
        dict(both.tally.reasons),
    )
    assert (2.0, 4.0, 2) == (both.seconds, both.per_s, both.tally.latencies.total())


def test_the_time_in_which_a_group_was_joined_counts_in_no_rate_of_a_report() -> None:
    assert 50.0 == Result(tally=Tally(), seconds=3.0, rebalance_s=1.0).net(100)
    assert 0.0 == Result(tally=Tally(), seconds=3.0, rebalance_s=3.0).net(100)


@pytest.mark.parametrize("given", [{}, {"max.in.flight": "7"}])
def test_requests_in_flight_are_as_many_as_those_of_java_unless_given(
    given: dict[str, str],
) -> None:
    settings = BrokerSettings(bootstrap="127.0.0.1:1", timeout_s=1)
    produced = ProduceTest(
        settings=settings, topic="t", spec=RecordSpec(size=1), records=1, properties=given
    )
    loaded = LoadTest(settings=settings, topics=("t",), rate=1, seconds=1, producer=given)

    found = [
        ProduceRun(produced, drop).config()["max.in.flight"],
        Load(loaded, drop).producer_config()["max.in.flight"],
    ]

    assert [given.get("max.in.flight", 5)] * 2 == found


def drop(_window: object) -> None:
    """Show nothing."""


def test_windows_of_the_same_time_are_one() -> None:
    windows = [
        Window(at_s=5.0, seconds=5.0, tally=Tally(records=1)),
        Window(at_s=5.1, seconds=5.1, tally=Tally(records=2), rebalance_s=3.0),
    ]

    found = joined(windows)

    assert (5.1, 5.1, 3, 3.0) == (found.at_s, found.seconds, found.tally.records, found.rebalance_s)


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_processes_share_all_records(count: int) -> None:
    shares = [share(100, count, number) for number in range(count)]

    assert 100 == sum(shares)
    assert max(shares) - min(shares) <= 1


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        (RecordSpec(is_monotonic=True), [b"5", b"6", b"7"]),
        (RecordSpec(payloads=(b"a",)), [b"a", b"a", b"a"]),
        (
            RecordSpec(is_monotonic=True, key_count=2, keys=KeyDistribution.SEQUENTIAL),
            [b"5", b"6", b"7"],
        ),
    ],
)
def test_records_have_the_values_that_are_asked_for(spec: RecordSpec, values: list[bytes]) -> None:
    found = Records(spec).take(5, 3)

    assert values == [one["value"] for one in found]
    if spec.key_count:
        assert [b"key-1", b"key-0", b"key-1"] == [one["key"] for one in found]


def test_random_values_have_their_size_and_differ() -> None:
    found = [one["value"] for one in Records(RecordSpec(size=20)).take(0, 500)]

    assert {20} == set(map(len, found))
    assert len(set(found)) == 500
    assert b"".join(found).isalpha()


def test_a_batch_that_is_longer_than_the_pool_has_all_its_records() -> None:
    records = Records(RecordSpec(payloads=(bytes(8_000_000),)))

    assert len(records.take(10, 40)) == 40
    assert len(records.pool) == 16


def test_zipf_makes_the_first_key_the_most_frequent() -> None:
    spec = RecordSpec(key_count=100, keys=KeyDistribution.ZIPF)

    keys = [one["key"] for one in Records(spec).take(0, 5_000)]

    counts = [keys.count(f"key-{number}".encode()) for number in (0, 1, 9)]
    assert all(one > other for one, other in pairwise(counts))


def test_a_file_of_payloads_is_split_at_its_delimiter() -> None:
    assert split_payloads(b"a||b||||c", "||") == (b"a", b"b", b"c")


def test_an_outage_lasts_from_the_first_slow_record_to_its_answer() -> None:
    found = Availability(1.0)
    for number in range(10):
        found.settled(A, number, number + 0.1)
    for number in range(10, 15):  # Answered together, when a leader is there.
        found.settled(A, number, 15.0)
    found.settled(A, 15, 15.2)
    found.settled(B, 3, 3.1)

    assert found.outages() == [Outage(A, 10, 15.0)]


def test_a_failure_begins_an_outage_that_the_next_answer_ends() -> None:
    found = Availability(5.0)
    found.failed(A, 2.0)
    found.failed(A, 3.0)
    found.settled(A, 4.0, 4.5)
    found.failed(B, 4.0)

    assert found.outages() == [Outage(A, 2.0, 4.5), Outage(B, 4.0, None)]


def test_outages_that_overlap_are_one_incident() -> None:
    outages = [Outage(A, 1.0, 3.0), Outage(B, 2.0, 4.0), Outage(A, 6.0, 7.0), Outage(B, 8.0, None)]

    assert incidents(outages) == [
        Incident(1.0, 4.0, (A, B)),
        Incident(6.0, 7.0, (A,)),
        Incident(8.0, None, (B,)),
    ]


def test_sides_take_turns_so_that_neither_is_always_first() -> None:
    assert list(turns(3)) == [(0, "A"), (0, "B"), (1, "B"), (1, "A"), (2, "A"), (2, "B")]


def test_ratios_are_those_of_rounds_and_not_of_sums() -> None:
    assert ratio([10.0, 20.0, 40.0], [20.0, 20.0, 20.0]) == Ratio(1.0, 0.5, 2.0)
    assert ratio([0.0], [5.0]) is None


def test_statistics_become_names_and_numbers() -> None:
    text = {"brokers": {"b:1/1": {"tx": 3, "state": "UP"}}, "age": 1.5, "on": True}

    assert dict(flat(text)) == {"brokers.b:1/1.tx": 3.0, "age": 1.5}
