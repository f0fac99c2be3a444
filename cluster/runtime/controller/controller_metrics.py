"""Metrics of this broker's controller: its events, and its view of the cluster while it is active.

Source: Kafka's KafkaController, ControllerStats and ControllerEventManager.
"""

from collections.abc import Callable, Iterator
from typing import Final

from cluster.controller.active_controller import ActiveController
from cluster.controller.context import ControllerContext
from cluster.controller.controller_state import ControllerState
from cluster.controller.core import ControllerCore
from cluster.metrics.beans import Bean
from cluster.metrics.catalogue import controller as beans
from cluster.metrics.meters import Meter
from cluster.metrics.registry import NS_PER_MS, MetricsRegistry
from cluster.metrics.reservoirs import Histogram
from cluster.model.controller_stats import EventStats, Spread
from cluster.model.ids import BrokerId

P99: Final = 4
"""The place of the 99th percentile."""
SCANNED_AT_ONCE: Final = 1000
"""How many partitions are counted before requests go on."""

NUMBERS: Final = (
    *(ControllerState.CONTROLLER_CHANGE, ControllerState.BROKER_CHANGE),
    *(ControllerState.TOPIC_CHANGE, ControllerState.TOPIC_DELETION),
    *(ControllerState.ALTER_PARTITION_REASSIGNMENT, ControllerState.AUTO_LEADER_BALANCE),
    *(ControllerState.MANUAL_LEADER_BALANCE, ControllerState.CONTROLLED_SHUTDOWN),
    *(ControllerState.ISR_CHANGE, ControllerState.LEADER_AND_ISR_RESPONSE_RECEIVED),
    *(ControllerState.LOG_DIR_CHANGE, None, ControllerState.UNCLEAN_LEADER_ELECTION_ENABLE),
    ControllerState.TOPIC_UNCLEAN_LEADER_ELECTION_ENABLE,
    ControllerState.LIST_PARTITION_REASSIGNMENT,
    ControllerState.UPDATE_METADATA_RESPONSE_RECEIVED,
)
"""The states in the order of Kafka's numbers, from 1 on; its controllers shut down as one of them.
"""


class EventKind:
    """The events of one state: how long they waited, and then took."""

    __slots__ = ("processing", "queue")

    def __init__(self, processing: Histogram, queue: Histogram) -> None:
        self.processing = processing
        self.queue = queue


class ControllerMetrics:
    """Metrics of one broker's controller, from the start of the process."""

    def __init__(self, registry: MetricsRegistry) -> None:
        self._registry = registry
        self._kinds: dict[ControllerState, EventKind] = {}
        self._timers = {
            ControllerState(state): registry.timers(bean).of()
            for state, bean in beans.TIMERS.items()
        }
        self._queue_time = registry.histograms(beans.EVENT_QUEUE_TIME).of()
        self._orders = registry.timers(beans.ORDERS)
        self.unclean_elections: Meter = registry.meters(beans.UNCLEAN_ELECTIONS).of()

    def watch(self, core: Callable[[], ControllerCore]) -> None:
        """Add the gauges of what *core* returns."""

        def active() -> ActiveController | None:
            return core().active

        def add(bean: Bean, read: Callable[[ControllerContext], int]) -> None:
            def value() -> int:
                controller = active()
                return 0 if controller is None else read(controller.context)

            self._registry.gauge(bean, value)

        def queue_sizes() -> tuple[tuple[tuple[str, ...], int], ...]:
            controller = active()
            sizes = () if controller is None else controller.channels.queue_sizes()
            return tuple(((str(broker_id),), size) for broker_id, size in sizes)

        imbalance_count = 0

        def count_imbalance() -> Iterator[None]:
            nonlocal imbalance_count
            controller, count = active(), 0
            if controller is not None:
                context = controller.context
                partitions = tuple(context.assignments)
                for start in range(0, len(partitions), SCANNED_AT_ONCE):
                    count += context.imbalance_count(partitions[start : start + SCANNED_AT_ONCE])
                    yield
            imbalance_count = count

        self._registry.before_slices(count_imbalance)
        gauge = self._registry.gauge
        gauge(beans.ACTIVE_CONTROLLERS, lambda: int(active() is not None))
        gauge(beans.CONTROLLER_STATE, lambda: number_of(core().state))
        gauge(beans.EVENT_QUEUE_SIZE, lambda: core().queue_size)
        gauge(beans.TOTAL_QUEUE_SIZE, lambda: sum(size for _, size in queue_sizes()))
        self._registry.gauges(beans.QUEUE_SIZE, queue_sizes)
        gauge(beans.FENCED_BROKERS, lambda: 0)
        add(beans.ACTIVE_BROKERS, lambda context: len(context.brokers))
        add(beans.OFFLINE_PARTITIONS, ControllerContext.offline_partition_count)
        gauge(beans.IMBALANCE, lambda: imbalance_count)
        add(beans.GLOBAL_TOPICS, lambda context: len(context.topics))
        add(beans.GLOBAL_PARTITIONS, lambda context: len(context.assignments))
        add(beans.TOPICS_TO_DELETE, lambda context: len(context.topics_to_be_deleted))
        add(
            beans.REPLICAS_TO_DELETE,
            lambda context: replica_count(context, tuple(context.topics_to_be_deleted)),
        )
        add(beans.TOPICS_INELIGIBLE, lambda context: len(context.topics_ineligible_for_deletion))
        add(
            beans.REPLICAS_INELIGIBLE,
            lambda context: replica_count(context, tuple(context.topics_ineligible_for_deletion)),
        )

    def event_done(self, state: ControllerState, queue_ms: int, processing_ms: int) -> None:
        """Record how long an event waited in the queue, and how long it then took."""
        kind = self._kinds.get(state)
        if kind is None:
            timer = self._timers.get(state)
            processing = timer.durations if timer is not None else self._durations()
            kind = self._kinds[state] = EventKind(processing, self._durations())
        kind.queue.update(queue_ms * NS_PER_MS)
        self._queue_time.update(queue_ms)
        if state in self._timers:
            self._timers[state].update(processing_ms * NS_PER_MS)
        else:
            kind.processing.update(processing_ms * NS_PER_MS)

    def order_sent(self, broker_id: BrokerId, queue_ms: int | None) -> None:
        """Record how long an order waited for its turn in the channel to a broker.

        None is one that is sent again, which does not count.
        """
        if queue_ms is not None:
            self._orders.of(str(broker_id)).update(queue_ms * NS_PER_MS)

    def channel_closed(self, broker_id: BrokerId) -> None:
        self._orders.remove(str(broker_id))

    def _durations(self) -> Histogram:
        return Histogram(self._registry.reservoir(1), unit=NS_PER_MS)

    def event_stats(self) -> tuple[EventStats, ...]:
        """Return the figures of each kind of event, by name; only of kinds that occurred."""
        return tuple(
            EventStats(
                event=state.value,
                count=kind.processing.count,
                queue_ms=spread_of(kind.queue),
                processing_ms=spread_of(kind.processing),
            )
            for state, kind in sorted(self._kinds.items())
        )

    def summary(self) -> Iterator[str]:
        """Return a line for each kind of event that occurred."""
        for event in self.event_stats():
            took, queue = event.processing_ms, event.queue_ms
            yield (
                f"controller_event={event.event} count={event.count} mean_ms={took.mean:.3f}"
                f" p99_ms={took.p99:.3f} max_ms={took.max:.3f} queue_ms={queue.mean:.3f}"
                f" queue_ms_max={queue.max:.3f}"
            )


def number_of(state: ControllerState | None) -> int:
    return 0 if state is None else NUMBERS.index(state) + 1


def replica_count(context: ControllerContext, topics: tuple[str, ...]) -> int:
    return sum(len(context.replicas_of(topic)) for topic in topics if topic in context.topics)


def spread_of(histogram: Histogram) -> Spread:
    spread = histogram.spread()
    return Spread(
        mean=round(spread.mean, 3), p99=round(spread.quantiles[P99], 3), max=round(spread.max, 3)
    )
