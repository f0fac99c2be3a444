"""Metrics of the controller: its events by state, and its view of the cluster."""

from cluster.controller.controller_state import ControllerState
from cluster.controller.events import Requested, TopicsWritten
from cluster.controller.requests import ElectLeaders
from cluster.metrics.catalogue.controller import TIMERS
from cluster.model.controller_stats import EventStats, Spread
from cluster.model.ids import BrokerId
from cluster.runtime.controller.controller_metrics import (
    NUMBERS,
    ControllerMetrics,
)
from tests.cluster.controller.harness import tp
from tests.cluster.controller.test_notifications import with_topic
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


def test_the_orders_to_a_broker_are_counted_until_it_is_gone() -> None:
    registry = new_registry()
    metrics = ControllerMetrics(registry)
    for broker_id, queue_ms in ((1, 5), (1, None), (1, 0), (2, 7)):
        metrics.order_sent(BrokerId(broker_id), queue_ms)
    metrics.channel_closed(BrokerId(2))

    start = "kafka.controller:type=ControllerChannelManager,name=RequestRateAndQueueTimeMs,"
    found = {name: of for name, of in all_of(registry).items() if name.startswith(start)}
    assert list(found) == [f"{start}broker-id=1"]
    (orders,) = found.values()
    assert (orders["Count"], orders["Max"]) == (2, 5)


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


def test_the_controller_counts_what_dead_brokers_leave_behind() -> None:
    registry = new_registry()
    metrics = ControllerMetrics(registry)
    harness = with_topic((2, 3), (1, 2), (3, 2))
    metrics.watch(lambda: harness.core)

    def values(*names: str) -> list[object]:
        found = all_of(registry)
        return [
            found[f"kafka.controller:type=KafkaController,name={name}"]["Value"] for name in names
        ]

    names = ("ActiveBrokerCount", "OfflinePartitionsCount", "PreferredReplicaImbalanceCount")
    assert values(*names) == [3, 0, 0]
    assert values("GlobalTopicCount", "GlobalPartitionCount") == [1, 3]
    harness.unregister(2)
    harness.settle()
    assert values(*names) == [2, 0, 1]
    harness.unregister(3)
    harness.settle()
    # No replica of t-0 and t-2 is left.
    assert values(*names) == [1, 2, 2]


def test_an_unclean_election_is_noted_for_its_meter() -> None:
    harness = with_topic((2, 1))
    harness.write_isr(tp("t-0"), (2,))
    harness.step(TopicsWritten(("t",)))
    harness.settle()
    harness.unregister(2)
    harness.settle()
    assert harness.active.unclean_election_count == 0
    harness.step(Requested(1, ElectLeaders((tp("t-0"),), is_unclean=True)))
    harness.settle()

    assert harness.active.unclean_election_count == 1


def test_each_state_has_its_number_and_nearly_each_its_timer() -> None:
    assert {state for state in NUMBERS if state is not None} == set(ControllerState)
    without_timer = {ControllerState.UPDATE_METADATA_RESPONSE_RECEIVED}
    assert {ControllerState(state) for state in TIMERS} == set(ControllerState) - without_timer
