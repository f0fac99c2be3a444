"""Gauges of the partitions of this broker: of each, and how many there are of each kind.

Source: Kafka's ReplicaManager, Partition and UnifiedLog.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from cluster.broker.metrics.counts import follow_counts
from cluster.broker.replica_manager.isr_changes import IsrChanges
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.metrics.beans import Bean
from cluster.metrics.catalogue import log, server
from cluster.metrics.registry import MetricsRegistry, Point

SCANNED_AT_ONCE: Final = 1000
"""How many partitions are counted before requests go on."""


def is_under_replicated(hosted: HostedPartition) -> int:
    replica = hosted.replica
    is_under = replica.is_leader and len(replica.state.isr) < len(replica.assignment.replicas)
    return 1 if is_under else 0


def is_under_min_isr(hosted: HostedPartition) -> int:
    return 1 if hosted.replica.is_leader and hosted.replica.is_under_min_isr else 0


def is_at_min_isr(hosted: HostedPartition) -> int:
    return 1 if hosted.replica.is_leader and hosted.replica.is_at_min_isr else 0


def isr_count(hosted: HostedPartition) -> int:
    return len(hosted.replica.state.isr) if hosted.replica.is_leader else 0


def replica_count(hosted: HostedPartition) -> int:
    return len(hosted.replica.assignment.replicas) if hosted.replica.is_leader else 0


def stable_lag(hosted: HostedPartition) -> int:
    high_watermark = hosted.replica.high_watermark
    return high_watermark - hosted.log.last_stable_offset(high_watermark)


OF_EACH: Final[dict[Bean, Callable[[HostedPartition], int]]] = {
    log.SIZE: lambda hosted: hosted.log.size,
    log.SEGMENTS: lambda hosted: hosted.log.segment_count,
    log.START_OFFSET: lambda hosted: hosted.log.log_start_offset,
    log.END_OFFSET: lambda hosted: hosted.log.log_end_offset,
    log.PARTITION_UNDER_REPLICATED: is_under_replicated,
    log.PARTITION_UNDER_MIN_ISR: is_under_min_isr,
    log.PARTITION_AT_MIN_ISR: is_at_min_isr,
    log.ISR_COUNT: isr_count,
    log.REPLICAS_COUNT: replica_count,
    log.STABLE_LAG: stable_lag,
}


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
    for bean, read in OF_EACH.items():
        registry.gauges(bean, partial(counts.of_each, read))
    follow_counts(
        registry,
        {
            server.ISR_SHRINKS: lambda: isr_changes.shrink_count,
            server.ISR_EXPANDS: lambda: isr_changes.expand_count,
            server.FAILED_ISR_UPDATES: lambda: isr_changes.refused_count,
        },
    )


class PartitionCounts:
    """The partitions of the last scan, and how many of each kind there were."""

    __slots__ = (
        "_partitions",
        "_tagged",
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
        self._tagged: list[tuple[tuple[str, ...], HostedPartition]] = []
        """With the values of their tags, which all gauges share."""
        self.led = self.offline = self.under_replicated = self.under_min_isr = 0
        self.at_min_isr = self.reassigning = self.producers = 0
        self.count = 0

    def scan(self) -> Iterator[None]:
        """Count all partitions, and yield from time to time; one that comes meanwhile is left
        out.
        """
        counts = PartitionCounts(self._partitions)
        counts.offline = self._partitions.lost_count
        for number, hosted in enumerate(tuple(self._partitions), start=1):
            counts.add(hosted)
            topic, index = hosted.partition
            counts._tagged.append(((topic, str(index)), hosted))
            if number % SCANNED_AT_ONCE == 0:
                yield
        for name in self.__slots__:
            setattr(self, name, getattr(counts, name))

    def of_each(self, read: Callable[[HostedPartition], int]) -> Iterator[Point]:
        return ((tags, read(hosted)) for tags, hosted in self._tagged)

    def add(self, hosted: HostedPartition) -> None:
        self.count += 1
        self.offline += hosted.log.is_offline
        self.producers += hosted.log.producers.count
        replica = hosted.replica
        if replica.is_leader:
            self.led += 1
            self.under_replicated += len(replica.state.isr) < len(replica.assignment.replicas)
            self.under_min_isr += replica.is_under_min_isr
            self.at_min_isr += replica.is_at_min_isr
            self.reassigning += replica.assignment.is_reassigning
