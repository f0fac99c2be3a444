"""The partitions that this broker hosts: replicas and their logs side by side.

Also Kafka's error where a request is at the wrong place.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Final

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.replica_manager.topic_stats import BrokerTopicStats, TopicStats
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.replication.replica import Replica
from cluster.storage.log.partition_log import PartitionLog

NO_CHECK: Final = -1
"""A leader epoch that the client does not know."""
READ_AT_ONCE: Final = 1000
"""How many high watermarks are read before requests go on."""

NOTHING: Final[Mapping[int, "HostedPartition"]] = {}


class HostedPartition:
    """A partition that this broker has: as leader, as follower, or on a disk that has failed."""

    __slots__ = ("log", "partition", "replica", "stats", "tags", "topic_id")

    def __init__(
        self, partition: TopicPartition, replica: Replica, log: PartitionLog, topic_id: bytes
    ) -> None:
        self.partition = partition
        self.replica = replica
        self.log = log
        self.topic_id = topic_id
        """NO_TOPIC_ID until the controller has sent it."""
        self.tags = (partition.topic, str(partition.partition))
        """As metrics have them: kept, since each scrape reads them."""
        self.stats = TopicStats()
        """Those of its topic, once it is among a broker's partitions."""

    def assert_committed(self) -> None:
        """Assert that the log has what is committed, and nothing of it was deleted unread."""
        high_watermark = self.replica.high_watermark
        assert high_watermark <= self.log.log_end_offset, "no more is committed than there is"
        assert self.log.log_start_offset <= high_watermark, "what is not committed stays"


class Partitions:
    """All partitions of this broker."""

    __slots__ = ("_by_id", "_cache", "_ids_version", "_lost", "_topics", "stats")

    def __init__(self, cache: MetadataCache) -> None:
        self._cache = cache
        self._lost: set[TopicPartition] = set()
        self._topics: dict[str, dict[int, HostedPartition]] = {}
        self._by_id: dict[bytes, dict[int, HostedPartition]] = {}
        """The same, but for those of topics without an id."""
        self._ids_version = 0
        self.stats = BrokerTopicStats()

    def __iter__(self) -> Iterator[HostedPartition]:
        for partitions in self._topics.values():
            yield from partitions.values()

    def add(self, hosted: HostedPartition) -> None:
        partition = hosted.partition
        self._lost.discard(partition)
        self._topics.setdefault(partition.topic, {})[partition.partition] = hosted
        hosted.stats = self.stats.of(partition.topic)
        self._note_id(hosted)

    def learn_id(self, hosted: HostedPartition, topic_id: bytes) -> None:
        """Note the topic id of a partition that is here, which had none so far."""
        assert hosted.topic_id == NO_TOPIC_ID
        hosted.topic_id = topic_id
        self._note_id(hosted)

    def _note_id(self, hosted: HostedPartition) -> None:
        if hosted.topic_id != NO_TOPIC_ID:
            of_id = self._by_id.setdefault(hosted.topic_id, {})
            of_id[hosted.partition.partition] = hosted
            if len(of_id) == 1:
                self._ids_version += 1

    def remove(self, partition: TopicPartition) -> None:
        """Remove a partition; operations that wait for it are notified."""
        self._lost.discard(partition)
        partitions = self._topics.get(partition.topic, {})
        hosted = partitions.pop(partition.partition, None)
        if not partitions:
            self._topics.pop(partition.topic, None)
            self.stats.end(partition.topic)
        if hosted is None:
            return
        of_id = self._by_id.get(hosted.topic_id)
        if of_id is not None:
            of_id.pop(partition.partition, None)
            if not of_id:
                del self._by_id[hosted.topic_id]
                self._ids_version += 1
        hosted.replica.end()

    @property
    def lost_count(self) -> int:
        return len(self._lost)

    def lose(self, partition: TopicPartition) -> None:
        """Note that the disk kept the broker from having a partition that is its own."""
        self._lost.add(partition)

    def is_lost(self, partition: TopicPartition) -> bool:
        """Return whether `lose` was called for a partition that was neither added nor removed
        since.
        """
        return partition in self._lost

    def find(self, partition: TopicPartition) -> HostedPartition | None:
        return self.find_index(partition.topic, partition.partition)

    def find_index(self, topic: str, index: int) -> HostedPartition | None:
        return self._topics.get(topic, NOTHING).get(index)

    def of_topic(self, topic: str) -> tuple[HostedPartition, ...]:
        return tuple(self._topics.get(topic, NOTHING).values())

    def high_watermarks(self) -> dict[TopicPartition, int]:
        """Return those of all partitions, for the checkpoint."""
        return dict(chain.from_iterable(some.items() for some in self.some_high_watermarks()))

    def some_high_watermarks(self) -> Iterator[dict[TopicPartition, int]]:
        """Return those of all partitions, some at a time: requests may go on in between."""
        hosted = iter(tuple(self))
        while some := tuple(islice(hosted, READ_AT_ONCE)):
            for one in some:
                one.assert_committed()
            yield {one.partition: one.replica.high_watermark for one in some}

    def high_watermark(self, partition: TopicPartition) -> int:
        """Return the high watermark; 0 without a replica, of which nothing may be deleted yet."""
        hosted = self.find(partition)
        return 0 if hosted is None else hosted.replica.high_watermark

    def log_starts_moved(self, partitions: Iterable[TopicPartition]) -> None:
        """Notify fetches that the logs of *partitions* may start later now."""
        for hosted in filter(None, map(self.find, partitions)):
            hosted.replica.log_start_moved()

    @property
    def ids_version(self) -> int:
        """Return a number that differs after each change of a result of `topic_name`."""
        return self._ids_version + self._cache.ids_version

    def topic_name(self, topic_id: bytes) -> str | None:
        """Return the name of the topic with that id; None for an unknown one.

        A controller has sent the id of each partition that is hosted here.  Metadata updates may be
        behind that, and leave out a topic that is to be deleted: its followers continue, and may
        have to, for a reassignment that has to end before.
        """
        for hosted in self._by_id.get(topic_id, NOTHING).values():
            return hosted.partition.topic
        return self._cache.topic_name(topic_id)

    def hosted(self, topic: str, index: int) -> HostedPartition | ErrorCode:
        """Return the partition, whether this broker leads or follows; else the error to answer
        with.
        """
        hosted = self.find_index(topic, index)
        if hosted is None:
            return self._error_elsewhere(topic, index)
        return ErrorCode.KAFKA_STORAGE_ERROR if hosted.log.is_offline else hosted

    def led(
        self, topic: str, index: int, leader_epoch: int = NO_CHECK
    ) -> HostedPartition | ErrorCode:
        """Return the partition, if this broker leads it in *leader_epoch*; else the error to answer
        with.

        The epoch is checked before the leadership: an older client shall ask for news, a newer one
        shall wait for this broker to hear them.
        """
        hosted = self._topics.get(topic, NOTHING).get(index)
        if hosted is None:
            return self._error_elsewhere(topic, index)
        # This is `is_offline` without the call: each request comes here.
        if hosted.log.health.failure is not None:
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
