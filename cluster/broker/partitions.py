"""The partitions that this broker hosts.

Which partitions has this broker, and may it answer for one of them?

The replicas and their logs side by side, and Kafka's error where a request is at the wrong place.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from cluster.broker.metadata_cache import MetadataCache
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.replication.replica import Replica
from cluster.storage.log import PartitionLog

NO_CHECK: Final = -1
"""A leader epoch that the client does not know."""

NOTHING: Final[Mapping[int, "HostedPartition"]] = {}


class HostedPartition:
    """A partition that this broker has: as leader, as follower, or on a disk that has failed."""

    __slots__ = ("log", "partition", "replica", "topic_id")

    def __init__(
        self, partition: TopicPartition, replica: Replica, log: PartitionLog, topic_id: bytes
    ) -> None:
        self.partition = partition
        self.replica = replica
        self.log = log
        self.topic_id = topic_id
        """NO_TOPIC_ID while the controller has not said it."""


class Partitions:
    """All partitions of this broker."""

    __slots__ = ("_cache", "_lost", "_topics")

    def __init__(self, cache: MetadataCache) -> None:
        self._cache = cache
        self._lost: set[TopicPartition] = set()
        self._topics: dict[str, dict[int, HostedPartition]] = {}

    def __iter__(self) -> Iterator[HostedPartition]:
        for partitions in self._topics.values():
            yield from partitions.values()

    def add(self, hosted: HostedPartition) -> None:
        partition = hosted.partition
        self._lost.discard(partition)
        self._topics.setdefault(partition.topic, {})[partition.partition] = hosted

    def remove(self, partition: TopicPartition) -> None:
        """Forget a partition; those who wait for it are told."""
        self._lost.discard(partition)
        partitions = self._topics.get(partition.topic, {})
        hosted = partitions.pop(partition.partition, None)
        if not partitions:
            self._topics.pop(partition.topic, None)
        if hosted is not None:
            hosted.replica.end()

    def lose(self, partition: TopicPartition) -> None:
        """Note that the disk kept the broker from having a partition that is its own."""
        self._lost.add(partition)

    def is_lost(self, partition: TopicPartition) -> bool:
        """Whether `lose` was said of a partition that was neither added nor removed since."""
        return partition in self._lost

    def find(self, partition: TopicPartition) -> HostedPartition | None:
        return self.find_index(partition.topic, partition.partition)

    def find_index(self, topic: str, index: int) -> HostedPartition | None:
        return self._topics.get(topic, NOTHING).get(index)

    def of_topic(self, topic: str) -> tuple[HostedPartition, ...]:
        return tuple(self._topics.get(topic, NOTHING).values())

    def hosted(self, topic: str, index: int) -> HostedPartition | ErrorCode:
        """The partition, whether this broker leads or follows; else the error to answer with."""
        hosted = self.find_index(topic, index)
        if hosted is None:
            return self._error_elsewhere(topic, index)
        return ErrorCode.KAFKA_STORAGE_ERROR if hosted.log.is_offline else hosted

    def led(
        self, topic: str, index: int, leader_epoch: int = NO_CHECK
    ) -> HostedPartition | ErrorCode:
        """The partition, if this broker leads it in *leader_epoch*; else the error to answer with.

        The epoch is checked before the leadership: an older client shall ask for news, a newer one
        shall wait for this broker to hear them.
        """
        hosted = self._topics.get(topic, NOTHING).get(index)
        if hosted is None:
            return self._error_elsewhere(topic, index)
        if hosted.log.is_offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        replica = hosted.replica
        if leader_epoch != NO_CHECK:
            if leader_epoch < replica.state.leader_epoch:
                return ErrorCode.FENCED_LEADER_EPOCH
            if leader_epoch > replica.state.leader_epoch:
                return ErrorCode.UNKNOWN_LEADER_EPOCH
        return hosted if replica.is_leader else ErrorCode.NOT_LEADER_OR_FOLLOWER

    def _error_elsewhere(self, topic: str, index: int) -> ErrorCode:
        if TopicPartition(topic, index) in self._lost:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if self._cache.find(topic, index) is None:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
