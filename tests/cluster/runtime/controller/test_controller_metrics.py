"""Metrics of the controller: its events by state, and its view of the cluster."""

from cluster.controller.controller_state import ControllerState
from cluster.metrics.catalogue.controller import TIMERS
from cluster.model.controller_stats import EventStats, Spread
from cluster.runtime.controller.controller_metrics import (
    NUMBERS,
    ControllerMetrics,
)
from tests.support.metrics import all_of, new_registry

STATS = "kafka.controller:type=ControllerStats,name={}"


def test_events_move_the_timer_of_their_state_and_the_time_in_the_queue() -> None:
    registry = new_registry()
    metrics = ControllerMetrics(registry)
    metrics.event_done(ControllerState.BROKER_CHANGE, 5, 250)
    metrics.event_done(ControllerState.UPDATE_METADATA_RESPONSE_RECEIVED, 1, 1)

    found = all_of(registry)
    elections = found[STATS.format("LeaderElectionRateAndTimeMs")]
    assert (elections["Count"], elections["Max"]) == (1, 250)
    queue = found["kafka.controller:type=ControllerEventManager,name=EventQueueTimeMs"]
    assert (queue["Count"], queue["Max"], queue["Min"]) == (2, 5, 1)
    # Without an event, too, so that a dashboard has its series from the start.
    assert found[STATS.format("TopicDeletionRateAndTimeMs")]["Count"] == 0


def test_the_figures_of_events_are_kept_by_state() -> None:
    metrics = ControllerMetrics(new_registry())
    metrics.event_done(ControllerState.TOPIC_CHANGE, 5, 1)
    metrics.event_done(ControllerState.BROKER_CHANGE, 0, 250)
    metrics.event_done(ControllerState.TOPIC_CHANGE, 0, 3)

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
    assert list(metrics.summary())[1] == (
        "controller_event=TopicChange count=2 mean_ms=2.000 p99_ms=3.000 max_ms=3.000"
        " queue_ms=2.500 queue_ms_max=5.000"
    )


def test_a_controller_without_events_has_no_figures() -> None:
    metrics = ControllerMetrics(new_registry())

    assert (metrics.event_stats(), list(metrics.summary())) == ((), [])


def test_each_state_has_its_number_and_nearly_each_its_timer() -> None:
    assert {state for state in NUMBERS if state is not None} == set(ControllerState)
    without_timer = {ControllerState.UPDATE_METADATA_RESPONSE_RECEIVED}
    assert {ControllerState(state) for state in TIMERS} == set(ControllerState) - without_timer
