"""Figures of requests and controller events, and the lines that sum them up."""

from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from cluster.model.controller_stats import EventStats, Spread
from cluster.runtime.metrics import Durations, ProcessMetrics
from cluster.wire.api_keys import ApiKey

MS = 1_000_000


@given(st.lists(st.integers(0, 10**15), min_size=1), st.floats(0.01, 1.0))
def test_a_share_of_all_durations_is_below_what_is_said_and_that_is_no_more_than_twice_too_much(
    durations: list[int], share: float
) -> None:
    noted = Durations()
    for duration in durations:
        noted.add(duration)

    said = noted.below_ns(share)
    exact = sorted(durations)[ceil(len(durations) * share) - 1]
    assert exact <= said <= max(2 * exact, 1)
    assert (noted.count, noted.total_ns, noted.max_ns) == (
        len(durations),
        sum(durations),
        max(durations),
    )


def test_each_api_and_each_kind_of_event_has_a_line() -> None:
    metrics = ProcessMetrics()
    for _ in range(99):
        metrics.request_answered(ApiKey.PRODUCE, 3 * MS, 1 * MS, 0)
    metrics.request_answered(ApiKey.PRODUCE, 500 * MS, 1 * MS, 100 * MS)
    metrics.request_answered(ApiKey.METADATA, 0, 0, 0)
    metrics.response_delayed(ApiKey.METADATA, 7 * MS)
    metrics.controller_event_done("TopicChange", 5, 1)
    metrics.controller_event_done("TopicChange", 0, 3)

    assert list(metrics.summary()) == [
        "api=PRODUCE count=100 mean_ms=7.970 p99_ms=4.194 max_ms=500.000"
        " queue_ms=1.000 remote_ms=1.000",
        "api=METADATA count=1 mean_ms=0.000 p99_ms=0.000 max_ms=0.000"
        " queue_ms=0.000 remote_ms=0.000 delayed=1 delay_ms_max=7.000",
        "controller_event=TopicChange count=2 mean_ms=2.000 p99_ms=3.000 max_ms=3.000"
        " queue_ms=2.500 queue_ms_max=5.000",
    ]


def test_events_of_the_controller_are_told_by_kind() -> None:
    metrics = ProcessMetrics()
    metrics.controller_event_done("TopicChange", 5, 1)
    metrics.controller_event_done("BrokerChange", 0, 250)
    metrics.controller_event_done("TopicChange", 0, 3)

    at_once, long = Spread(mean=0, p99=0, max=0), Spread(mean=250, p99=250, max=250)
    assert metrics.event_stats() == (
        EventStats(event="BrokerChange", count=1, queue_ms=at_once, processing_ms=long),
        EventStats(
            event="TopicChange",
            count=2,
            queue_ms=Spread(mean=2.5, p99=5, max=5),
            processing_ms=Spread(mean=2, p99=3, max=3),
        ),
    )


def test_a_broker_that_did_nothing_has_nothing_to_say() -> None:
    assert list(ProcessMetrics().summary()) == []
    assert ProcessMetrics().event_stats() == ()
