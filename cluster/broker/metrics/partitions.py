"""Gauges of the partitions of this broker: of each, and how many there are of each kind.

Source: Kafka's ReplicaManager, Partition and UnifiedLog.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from cluster.broker.metrics.counts import follow_counts
from cluster.broker.replica_manager.isr_changes import IsrChanges
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.metrics.beans import Bean
from cluster.metrics.catalogue import log as beans
from cluster.metrics.catalogue import server
from cluster.metrics.registry import MetricsRegistry, Point

SCANNED_AT_ONCE: Final = 125
"""How many partitions are read before requests go on."""

OF_EACH: Final[tuple[Bean, ...]] = (
    beans.SIZE,
    beans.SEGMENTS,
    beans.START_OFFSET,
    beans.END_OFFSET,
    beans.STABLE_LAG,
    beans.PARTITION_UNDER_REPLICATED,
    beans.PARTITION_UNDER_MIN_ISR,
    beans.PARTITION_AT_MIN_ISR,
    beans.ISR_COUNT,
    beans.REPLICAS_COUNT,
)
"""The gauges of each partition, in the order of `PartitionCounts.add`."""


def add_partitions(
    registry: MetricsRegistry, partitions: Partitions, isr_changes: IsrChanges
) -> None:
    counts = PartitionCounts(partitions)
    registry.before_slices(counts.scan)
    registry.gauge(server.LEADER_COUNT, lambda: counts.led)
    registry.gauge(server.PARTITION_COUNT, lambda: counts.count)
    registry.gauge(server.OFFLINE_REPLICAS, lambda: counts.offline)
    registry.gauge(server.UNDER_REPLICATED, lambda: counts.under_replicated)
    registry.gauge(server.UNDER_MIN_ISR, lambda: counts.under_min_isr)
    registry.gauge(server.AT_MIN_ISR, lambda: counts.at_min_isr)
    registry.gauge(server.REASSIGNING, lambda: counts.reassigning)
    registry.gauge(server.PRODUCER_IDS, lambda: counts.producers)
    for column, bean in enumerate(OF_EACH):
        registry.gauges(bean, partial(counts.of_each, column))
    follow_counts(
        registry,
        {
            server.ISR_SHRINKS: lambda: isr_changes.shrink_count,
            server.ISR_EXPANDS: lambda: isr_changes.expand_count,
            server.FAILED_ISR_UPDATES: lambda: isr_changes.refused_count,
        },
    )


class PartitionCounts:
    """What the last scan read of each partition, and how many of each kind there were.

    One walk reads all: partition by partition their objects are in the processor's caches, which
    those of 10,000 leave between one gauge and the next.
    """

    __slots__ = (
        "_columns",
        "_partitions",
        "_tags",
        "at_min_isr",
        "count",
        "led",
        "offline",
        "producers",
        "reassigning",
        "under_min_isr",
        "under_replicated",
    )

    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions
        self._tags: list[tuple[str, ...]] = []
        self._columns: list[list[int]] = [[] for _ in OF_EACH]
        self.led = self.offline = self.under_replicated = self.under_min_isr = 0
        self.at_min_isr = self.reassigning = self.producers = 0
        self.count = 0

    def scan(self) -> Iterator[None]:
        """Read all partitions, and yield from time to time; one that comes meanwhile is left
        out.
        """
        counts = PartitionCounts(self._partitions)
        counts.offline = self._partitions.lost_count
        there = tuple(self._partitions)
        for start in range(0, len(there), SCANNED_AT_ONCE):
            some = there[start : start + SCANNED_AT_ONCE]
            counts._tags += [hosted.tags for hosted in some]
            rows = [counts.add(hosted) for hosted in some]
            for column, values in zip(counts._columns, zip(*rows, strict=True), strict=True):
                column += values
            yield
        for name in self.__slots__:
            setattr(self, name, getattr(counts, name))

    def of_each(self, column: int) -> Iterator[Point]:
        return zip(self._tags, self._columns[column], strict=True)

    def add(self, hosted: HostedPartition) -> tuple[int, ...]:
        """Count a partition, and return its gauges."""
        log, replica = hosted.log, hosted.replica
        self.count += 1
        self.offline += log.is_offline
        self.producers += log.producers.count
        is_under = is_under_min = is_at_min = isr_count = replica_count = 0
        if replica.is_leader:
            isr_count, replica_count = len(replica.state.isr), len(replica.assignment.replicas)
            is_under = int(isr_count < replica_count)
            is_under_min, is_at_min = int(replica.is_under_min_isr), int(replica.is_at_min_isr)
            self.led += 1
            self.under_replicated += is_under
            self.under_min_isr += is_under_min
            self.at_min_isr += is_at_min
            self.reassigning += replica.assignment.is_reassigning
        high_watermark = replica.high_watermark
        return (
            log.size,
            log.segment_count,
            log.log_start_offset,
            log.log_end_offset,
            high_watermark - log.last_stable_offset(high_watermark),
            is_under,
            is_under_min,
            is_at_min,
            isr_count,
            replica_count,
        )
