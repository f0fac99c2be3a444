"""Requests of tools to the controller through ZooKeeper, and notifications of brokers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from cluster.model.ids import NEVER_READ, BrokerId, TopicPartition, ZkVersion

LOG_DIR_FAILURE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reassignment(Mapping[TopicPartition, tuple[BrokerId, ...]]):
    """The content of `/admin/reassign_partitions`: a mapping of partitions to their new replicas.

    May be empty: a controller that finds nothing to do in it may leave it (0.8.2).
    """

    targets: Mapping[TopicPartition, tuple[BrokerId, ...]]
    version: int = 1
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, partition: TopicPartition) -> tuple[BrokerId, ...]:
        return self.targets[partition]

    def __iter__(self) -> Iterator[TopicPartition]:
        return iter(self.targets)

    def __len__(self) -> int:
        return len(self.targets)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionList:
    """Partitions in the order in which they were named.

    The content of `/admin/preferred_replica_election`, which requests their preferred leaders, and
    of an ISR change notification, where a leader has rewritten their states.
    """

    partitions: tuple[TopicPartition, ...]
    version: int = 1
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDirEvent:
    """A broker's notification that one of its log directories failed, without its name."""

    broker_id: BrokerId
    event: int = LOG_DIR_FAILURE
    version: int = 1
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)
