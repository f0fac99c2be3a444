"""Meters of what comes and goes, of each topic and of all.

Source: Kafka's BrokerTopicStats.
"""

from typing import Final

from cluster.broker.metrics.counts import follow_counts
from cluster.broker.replica_fetcher.manager import ReplicaFetcherManager
from cluster.broker.replica_manager.topic_stats import BrokerTopicStats, TopicStats
from cluster.metrics.catalogue import server
from cluster.metrics.registry import MetricsRegistry

BY_FIELD: Final = {
    "messages_in": server.MESSAGES_IN,
    "bytes_in": server.BYTES_IN,
    "bytes_out": server.BYTES_OUT,
    "bytes_rejected": server.BYTES_REJECTED,
    "produce_requests": server.PRODUCE_REQUESTS,
    "fetch_requests": server.FETCH_REQUESTS,
    "failed_produce": server.FAILED_PRODUCE,
    "failed_fetch": server.FAILED_FETCH,
    "produce_conversions": server.PRODUCE_CONVERSIONS,
    "fetch_conversions": server.FETCH_CONVERSIONS,
}


def add_topics(
    registry: MetricsRegistry, stats: BrokerTopicStats, fetchers: ReplicaFetcherManager
) -> None:
    meters = TopicMeters(registry, stats)
    registry.before_reading(meters.update)
    follow_counts(
        registry,
        {
            server.REPLICATION_BYTES_IN: lambda: fetchers.fetched_bytes,
            server.REPLICATION_BYTES_OUT: lambda: stats.replication_bytes_out,
            server.REASSIGNMENT_BYTES_IN: lambda: fetchers.reassigned_bytes,
            server.REASSIGNMENT_BYTES_OUT: lambda: stats.reassignment_bytes_out,
            server.NO_KEY: lambda: stats.no_key,
            server.INVALID_CRC: lambda: stats.invalid_crc,
            server.INVALID_SEQUENCE: lambda: stats.invalid_sequence,
        },
    )


class TopicMeters:
    """A topic has a meter of what has happened in it, as in Kafka; all together have each."""

    __slots__ = ("_by_topic", "_known", "_stats", "_totals")

    def __init__(self, registry: MetricsRegistry, stats: BrokerTopicStats) -> None:
        self._stats = stats
        self._known: dict[str, TopicStats] = {}
        """The topics that have meters."""
        self._totals = [
            (field, registry.meters(of_all).of()) for field, (of_all, _) in BY_FIELD.items()
        ]
        self._by_topic = [
            (field, registry.meters(of_topic)) for field, (_, of_topic) in BY_FIELD.items()
        ]

    def update(self) -> None:
        """Bring all meters up to date, and remove those of topics that are gone."""
        by_topic, total = self._stats.by_topic, self._stats.total()
        for field, meter in self._totals:
            meter.count = getattr(total, field)
        for topic, known in tuple(self._known.items()):
            # A topic may have been deleted, and made again under the same name.
            if by_topic.get(topic) is not known:
                for _, meters in self._by_topic:
                    meters.remove(topic)
                del self._known[topic]
        for topic, stats in by_topic.items():
            self._known[topic] = stats
            for field, meters in self._by_topic:
                count = getattr(stats, field)
                if count > 0:
                    meters.of(topic).count = count
