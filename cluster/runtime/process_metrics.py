"""Metrics of what belongs to the process: its state, its loop, its sockets, disks and session.

Source: Kafka's KafkaServer, SocketServer, LogFlushStats and ZooKeeperClient.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import Final

from cluster.broker.metrics.counts import follow_counts
from cluster.metrics.catalogue import log, network, server
from cluster.metrics.meters import Meter
from cluster.metrics.registry import MetricsRegistry, Point
from cluster.runtime.network.connection_quotas import ConnectionQuotas
from cluster.runtime.network.memory_pool import UNLIMITED, MemoryPool
from cluster.runtime.network.turns import Turns
from cluster.runtime.zookeeper.membership import Membership
from cluster.storage.directories.log_manager import LogManager

LONG_MAX: Final = 2**63 - 1
PROCESSOR: Final = ("0",)
"""The number of the only network processor: the loop."""


class BrokerState(IntEnum):
    """Source: Kafka's BrokerState."""

    STARTING = 1
    RECOVERY = 2
    RUNNING = 3
    PENDING_CONTROLLED_SHUTDOWN = 6
    SHUTTING_DOWN = 7


def add_server(
    registry: MetricsRegistry, state: Callable[[], BrokerState], membership: Membership
) -> None:
    """Add the metrics of the broker as a whole, and of its session with ZooKeeper."""
    registry.gauge(server.BROKER_STATE, lambda: int(state()))
    registry.gauge(server.CLUSTER_ID, lambda: membership.cluster_id)
    registry.gauge(server.METRICS_COUNT, registry.count)
    registry.gauge(
        server.SESSION_STATE, lambda: "CONNECTED" if membership.is_connected else "CONNECTING"
    )
    follow_counts(
        registry,
        {
            server.ZK_CONNECTS: lambda: membership.connect_count,
            server.ZK_DISCONNECTS: lambda: membership.disconnect_count,
            server.ZK_EXPIRES: lambda: membership.expire_count,
        },
    )


def add_health(registry: MetricsRegistry, membership: Membership, logs: LogManager) -> None:
    """Add the health checks of the broker: may it do its work?"""

    def zookeeper() -> str | None:
        return None if membership.is_connected else "ZooKeeper does not answer"

    def registration() -> str | None:
        return None if membership.is_registered else "the broker is not registered"

    def directories() -> str | None:
        failed = [one.path for one in logs.directories if one.health.failure is not None]
        return f"log directories have failed: {', '.join(failed)}" if failed else None

    registry.health_checks |= {
        "zookeeper": zookeeper,
        "registration": registration,
        "log.dirs": directories,
    }


def latency_of_zookeeper(registry: MetricsRegistry) -> Callable[[int], None]:
    """Return the function that records how many milliseconds ZooKeeper took for a request."""
    return registry.histograms(server.ZK_LATENCY).of().update


def duration_of_flushes(registry: MetricsRegistry) -> Callable[[int], None]:
    """Return the function that records how many nanoseconds a flush took."""
    return registry.timers(log.FLUSHES).of().update


def add_idle_time(registry: MetricsRegistry, idle_ns: Callable[[], int]) -> None:
    """Add the shares of the time in which the loop waits for events, *idle_ns* of it until now."""
    idle = registry.meters(server.HANDLER_IDLE, rate_unit_ns=1).of()

    def update() -> None:
        idle.count = idle_ns()

    def share() -> float:
        return min(1.0, idle.rates().one_minute)

    registry.before_reading(update)
    registry.gauges(network.PROCESSOR, lambda: ((PROCESSOR, share()),))
    registry.gauge(network.PROCESSOR_IDLE, share)


def add_sockets(
    registry: MetricsRegistry, connections: ConnectionQuotas, memory: MemoryPool, turns: Turns
) -> None:
    """Add the metrics of connections, and of the requests that arrive on them."""
    meters: dict[str, tuple[Meter, Meter]] = {}

    def update() -> None:
        for listener in connections.opened:
            if listener not in meters:
                meters[listener] = (registry.new_meter(), registry.new_meter())
            opened, closed = meters[listener]
            opened.count = connections.opened[listener]
            closed.count = opened.count - connections.by_listener[listener]

    def listeners() -> Iterator[Point]:
        for listener, (opened, closed) in tuple(meters.items()):
            yield (listener, *PROCESSOR), attributes_of_listener(opened, closed)

    def available() -> int:
        size_max = memory.queued_size_max
        return LONG_MAX if size_max == UNLIMITED else max(0, size_max - used())

    def used() -> int:
        return memory.allocated_bytes + memory.held_bytes

    registry.before_reading(update)
    registry.gauges(network.SOCKET_SERVER_METRICS, listeners)
    registry.gauge(network.MEMORY_AVAILABLE, available)
    registry.gauge(network.MEMORY_USED, used)
    registry.gauge(network.EXPIRED_CONNECTIONS, lambda: connections.expired_count)
    registry.gauge(network.REQUEST_QUEUE_SIZE, lambda: turns.count)


def attributes_of_listener(opened: Meter, closed: Meter) -> Mapping[str, float]:
    return {
        "connection-count": opened.count - closed.count,
        "connection-creation-total": opened.count,
        "connection-creation-rate": opened.rates().one_minute,
        "connection-close-total": closed.count,
        "connection-close-rate": closed.rates().one_minute,
    }
