"""Metrics of replica fetchers: how far the replicas of this broker are behind their leaders.

Source: Kafka's AbstractFetcherManager, FetcherStats and FetcherLagStats.
"""

from collections.abc import Iterator
from typing import Final

from cluster.broker.replica_fetcher.fetcher import ReplicaFetcher
from cluster.broker.replica_fetcher.manager import ReplicaFetcherManager
from cluster.metrics.catalogue import server
from cluster.metrics.registry import MetricsRegistry, Point

REPLICA: Final = ("Replica",)
"""Kafka's client id of all fetchers together."""


def add_fetchers(registry: MetricsRegistry, fetchers: ReplicaFetcherManager) -> None:
    requests = registry.meters(server.FETCHER_REQUESTS)
    sizes = registry.meters(server.FETCHER_BYTES)
    known: dict[tuple[str, ...], ReplicaFetcher] = {}

    def update() -> None:
        present = {tags: each for each in fetchers.fetchers if (tags := tags_of(each)) is not None}
        for tags, fetcher in tuple(known.items()):
            # Another one to the same leader counts from 0.
            if present.get(tags) is not fetcher:
                requests.remove(*tags)
                sizes.remove(*tags)
        for tags, fetcher in present.items():
            requests.of(*tags).count = fetcher.counts.requests
            sizes.of(*tags).count = fetcher.counts.bytes
        known.clear()
        known.update(present)

    def lags() -> Iterator[Point]:
        for fetcher in fetchers.fetchers:
            name = client_id(fetcher)
            for (topic, index), lag in fetcher.lags():
                yield (name, topic, str(index)), lag

    def max_lag() -> int:
        return max((lag for each in fetchers.fetchers for _, lag in each.lags()), default=0)

    def min_rate() -> float:
        return min((each.rates().one_minute for each in requests.metrics()), default=0.0)

    def failed_count() -> int:
        return sum(each.failed_count for each in fetchers.fetchers)

    registry.before_reading(update)
    registry.gauges(server.CONSUMER_LAG, lags)
    registry.gauges(server.MAX_LAG, lambda: ((REPLICA, max_lag()),))
    registry.gauges(server.MIN_FETCH_RATE, lambda: ((REPLICA, min_rate()),))
    registry.gauges(server.FAILED_PARTITIONS, lambda: ((REPLICA, failed_count()),))


def client_id(fetcher: ReplicaFetcher) -> str:
    """Return Kafka's client id of one fetcher: `ReplicaFetcherThread-0-2`."""
    return str(fetcher).replace("ReplicaFetcher", "ReplicaFetcherThread", 1)


def tags_of(fetcher: ReplicaFetcher) -> tuple[str, ...] | None:
    endpoint = fetcher.endpoint
    if endpoint is None:
        return None
    return (client_id(fetcher), endpoint.host, str(endpoint.port))
