"""Records of a group coordinator in `__consumer_offsets`: keys and values.

Plain values, in the order of Kafka's fields; codecs turn them into bytes and back.

Source: Kafka's OffsetCommitKey, OffsetCommitValue, GroupMetadataKey and GroupMetadataValue.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from cluster.model.ids import TopicPartition

NO_TIMESTAMP: Final = -1
"""The value in a version without this time, or in a commit without a retention of its own."""
TOPICS_MAX: Final = 1024
"""Of how many topics the partitions are shared."""


class SharedPartitions(dict[int, TopicPartition]):
    """The partitions of a topic by number: ask only for those that exist.

    Groups commit offsets of the same partitions again and again: with the same object as a key a
    dictionary need not compare it, and no commit keeps one of its own.
    """

    __slots__ = ("_topic",)

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def __missing__(self, number: int) -> TopicPartition:
        partition = self[number] = TopicPartition(self._topic, number)
        return partition


shared_partitions: Final = lru_cache(TOPICS_MAX)(SharedPartitions)
"""Returns those of the topic with a name."""


class OffsetCommitKey(NamedTuple):
    """The key of a committed offset: versions 0 and 1."""

    group: str
    topic: str
    partition: int


class OffsetCommitValue(NamedTuple):
    """A committed offset, and the client's metadata for it.

    *expire_timestamp* is set only by clients that commit with a retention of their own: such a
    value is written in version 1, which has no leader epoch, any other in version 3.
    """

    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp: int = NO_TIMESTAMP
    expire_timestamp: int = NO_TIMESTAMP


class PlainOffsets(Mapping[TopicPartition, OffsetCommitValue]):
    """Offsets with nothing but their leader epochs, from one commit.

    Nearly all commits are such.  They are written from these columns, and replaced by the next
    commit of the same partitions, before one of them alone is asked for.  Each partition
    exists, and is there once.
    """

    __slots__ = ("_values", "leader_epochs", "offsets", "timestamp", "topics")

    def __init__(
        self,
        topics: tuple[tuple[str, tuple[int, ...]], ...],
        offsets: tuple[int, ...],
        leader_epochs: tuple[int, ...],
        timestamp: int,
    ) -> None:
        self.topics = topics
        """Their names, each with its partitions; the offsets have the same order."""
        self.offsets = offsets
        self.leader_epochs = leader_epochs
        self.timestamp = timestamp
        self._values: dict[TopicPartition, OffsetCommitValue] | None = None

    def by_partition(self) -> dict[TopicPartition, OffsetCommitValue]:
        if self._values is None:
            time_ms = self.timestamp
            partitions = [
                shared_partitions(topic)[index]
                for topic, indexes in self.topics
                for index in indexes
            ]
            columns = zip(partitions, self.offsets, self.leader_epochs, strict=True)
            self._values = {
                partition: OffsetCommitValue(offset, leader_epoch, "", time_ms)
                for partition, offset, leader_epoch in columns
            }
        return self._values

    def __getitem__(self, partition: TopicPartition) -> OffsetCommitValue:
        return self.by_partition()[partition]

    def __iter__(self) -> Iterator[TopicPartition]:
        return iter(self.by_partition())

    def __len__(self) -> int:
        return len(self.offsets)


class CommitRecords:
    """The records of a commit: keys and values are put together when they are read."""

    __slots__ = ("group", "offsets")

    def __init__(self, group: str, offsets: Mapping[TopicPartition, OffsetCommitValue]) -> None:
        self.group = group
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets)

    def __iter__(self) -> Iterator[tuple[OffsetCommitKey, OffsetCommitValue]]:
        for (topic, index), value in self.offsets.items():
            yield OffsetCommitKey(self.group, topic, index), value


class GroupMetadataKey(NamedTuple):
    """The key of a group's metadata: version 2."""

    group: str


class GroupMember(NamedTuple):
    """A member in a generation.

    *rebalance_timeout* is -1 in version 0, which has none: there it is the session's timeout.
    """

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout: int
    session_timeout: int
    subscription: bytes
    assignment: bytes


class GroupMetadataValue(NamedTuple):
    """A generation of a group; one without members is Empty."""

    protocol_type: str
    generation: int
    protocol: str | None
    leader: str | None
    current_state_timestamp: int
    members: tuple[GroupMember, ...]


GroupRecord: TypeAlias = (
    tuple[OffsetCommitKey, OffsetCommitValue | None]
    | tuple[GroupMetadataKey, GroupMetadataValue | None]
)
"""A key and its value; None is a tombstone."""
GroupRecords: TypeAlias = tuple[GroupRecord, ...] | CommitRecords
