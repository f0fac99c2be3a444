"""Counts of records and requests by topic, which metrics read: hot paths add to plain numbers.

Source: Kafka's BrokerTopicStats.
"""

from typing import Final

FIELDS: Final = (
    "batches_in",
    "further_messages_in",
    "refused_batches",
    "bytes_in",
    "bytes_out",
    "bytes_rejected",
    "fetch_requests",
    "failed_produce",
    "failed_fetch",
    "produce_conversions",
    "fetch_conversions",
)


class TopicStats:
    """Counts of one topic."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.batches_in = 0
        """Those that are in the log; each is a produce request of Kafka's, as a refused one is."""
        self.further_messages_in = 0
        """Those behind the first ones of batches: most small requests have none."""
        self.refused_batches = 0
        self.bytes_in = self.bytes_out = self.bytes_rejected = self.fetch_requests = 0
        self.failed_produce = self.failed_fetch = 0
        self.produce_conversions = self.fetch_conversions = 0

    @property
    def messages_in(self) -> int:
        return self.batches_in + self.further_messages_in

    @property
    def produce_requests(self) -> int:
        return self.batches_in + self.refused_batches

    def add(self, other: "TopicStats") -> None:
        for field in FIELDS:
            setattr(self, field, getattr(self, field) + getattr(other, field))


class BrokerTopicStats:
    """Counts of all topics of a broker, and what is not counted by topic."""

    __slots__ = (
        "by_topic",
        "ended",
        "invalid_crc",
        "invalid_sequence",
        "no_key",
        "reassignment_bytes_out",
        "replication_bytes_out",
    )

    def __init__(self) -> None:
        self.by_topic: dict[str, TopicStats] = {}
        self.ended = TopicStats()
        """The counts of topics of which this broker has no partition any more."""
        self.replication_bytes_out = self.reassignment_bytes_out = 0
        self.no_key = self.invalid_crc = self.invalid_sequence = 0

    def of(self, topic: str) -> TopicStats:
        stats = self.by_topic.get(topic)
        if stats is None:
            stats = self.by_topic[topic] = TopicStats()
        return stats

    def end(self, topic: str) -> None:
        """Count *topic* no more by itself; there may have been nothing to count."""
        stats = self.by_topic.pop(topic, None)
        if stats is not None:
            self.ended.add(stats)

    def total(self) -> TopicStats:
        """Return the counts of all topics together."""
        total = TopicStats()
        for stats in (self.ended, *self.by_topic.values()):
            total.add(stats)
        return total
