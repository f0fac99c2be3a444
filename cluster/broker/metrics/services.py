"""Metrics of all services of a broker."""

from collections.abc import Iterator
from functools import partial
from typing import Final, Protocol

from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.metrics.counts import follow_counts
from cluster.broker.metrics.fetchers import add_fetchers
from cluster.broker.metrics.partitions import add_partitions
from cluster.broker.metrics.topics import add_topics
from cluster.broker.ports import Ports
from cluster.broker.replica_fetcher.manager import ReplicaFetcherManager
from cluster.broker.replica_manager.fetch_sessions import FetchSessions
from cluster.broker.replica_manager.isr_changes import IsrChanges
from cluster.broker.replica_manager.log_cleaner import LogCleaner
from cluster.broker.replica_manager.partitions import Partitions
from cluster.broker.waiting_counts import WaitingCounts
from cluster.metrics.catalogue import coordinator, log, server
from cluster.metrics.registry import MetricsRegistry, Point
from cluster.storage.directories.log_manager import LogManager

PERCENT: Final = 100
MS_PER_S: Final = 1000


class Services(Protocol):
    """The services that are measured."""

    ports: Ports
    partitions: Partitions
    isr_changes: IsrChanges
    fetch_sessions: FetchSessions
    replica_fetchers: ReplicaFetcherManager
    group_service: GroupService


def add_services(registry: MetricsRegistry, services: Services, cleaner: LogCleaner) -> None:
    """Add the metrics of *services*, and of the *cleaner* of their logs."""
    add_topics(registry, services.partitions.stats, services.replica_fetchers)
    add_partitions(registry, services.partitions, services.isr_changes)
    add_fetchers(registry, services.replica_fetchers)
    add_sessions(registry, services.fetch_sessions)
    add_waiting(registry, services.ports.waiting_counts)
    add_groups(registry, services.group_service)
    add_logs(registry, services.ports.logs, cleaner)


def add_sessions(registry: MetricsRegistry, sessions: FetchSessions) -> None:
    registry.gauge(server.FETCH_SESSIONS, lambda: len(sessions))
    registry.gauge(server.SESSION_PARTITIONS, lambda: sessions.part_count)
    follow_counts(registry, {server.SESSION_EVICTIONS: lambda: sessions.eviction_count})


def add_waiting(registry: MetricsRegistry, counts: WaitingCounts) -> None:
    by_name = {
        "Produce": counts.produce,
        "Fetch": counts.fetch,
        "DeleteRecords": counts.delete_records,
    }

    def conditions() -> Iterator[Point]:
        for name, count in by_name.items():
            yield (name,), count.conditions

    def operations() -> Iterator[Point]:
        for name, count in by_name.items():
            yield (name,), count.operations

    registry.gauges(server.PURGATORY_SIZE, conditions)
    registry.gauges(server.DELAYED_OPERATIONS, operations)


def add_groups(registry: MetricsRegistry, groups: GroupService) -> None:
    by_state: dict[str, int] = {}
    offset_count = 0

    def scan() -> Iterator[None]:
        nonlocal offset_count
        states, offset_count = groups.counts()
        by_state.clear()
        by_state.update((state.value, count) for state, count in states.items())
        yield

    def count_in(state: str) -> int:
        return by_state.get(state, 0)

    registry.before_slices(scan)
    registry.gauge(coordinator.GROUPS, lambda: sum(by_state.values()))
    registry.gauge(coordinator.OFFSETS, lambda: offset_count)
    for state, bean in coordinator.GROUPS_BY_STATE.items():
        registry.gauge(bean, partial(count_in, state))


def add_logs(registry: MetricsRegistry, logs: LogManager, cleaner: LogCleaner) -> None:
    def offline() -> Iterator[Point]:
        for one in logs.directories:
            yield (one.path,), int(one.health.failure is not None)

    def uncleanable() -> Iterator[Point]:
        damaged = cleaner.uncleanable()
        for one in logs.directories:
            yield (one.path,), sum(each.health is one.health for each in damaged)

    registry.gauges(log.DIRECTORY_OFFLINE, offline)
    registry.gauge(log.OFFLINE_DIRECTORIES, lambda: len(logs.directories) - len(logs.online))
    registry.gauges(log.UNCLEANABLE_PARTITIONS, uncleanable)
    registry.gauge(log.MAX_DIRTY, lambda: int(cleaner.max_ratio * PERCENT))
    registry.gauge(log.SINCE_LAST_RUN, cleaner.idle_ms)
    registry.gauge(log.MAX_CLEAN_TIME, lambda: cleaner.last_took_ms // MS_PER_S)
    registry.gauge(log.RECOPY, lambda: int(cleaner.last_recopied * PERCENT))
