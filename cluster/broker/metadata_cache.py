"""The metadata cache: the brokers and partitions that the controller has sent to this broker.

The state that UpdateMetadata requests have left.  Knows neither versions of the protocol nor this
broker's own logs.

Source: Kafka's ZkMetadataCache.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from cluster.broker.ports import Endpoint
from cluster.model.ids import (
    LEADER_DURING_DELETION,
    NO_LEADER,
    BrokerEpoch,
    BrokerId,
    TopicPartition,
)
from cluster.model.topic_id import NO_TOPIC_ID


class LiveBroker(NamedTuple):
    """*endpoints* are by the name of the listener."""

    broker_id: int
    endpoints: Mapping[str, Endpoint]
    rack: str | None


class KnownPartition(NamedTuple):
    """The metadata of a partition for clients; *leader* may be NO_LEADER."""

    leader: int
    leader_epoch: int
    isr: Sequence[int]
    replicas: Sequence[int]
    offline_replicas: Sequence[int]


class PartitionUpdate(NamedTuple):
    """One partition of an update; one whose leader is LEADER_DURING_DELETION is to be forgotten."""

    partition: TopicPartition
    topic_id: bytes
    known: KnownPartition


NO_PARTITIONS: Final[Mapping[int, KnownPartition]] = {}


class MetadataCache:
    __slots__ = (
        "_broker_epoch",
        "_brokers",
        "_ids",
        "_is_of_earlier_registration",
        "_names",
        "_topics",
        "_watchers",
        "controller_id",
        "deletion_listeners",
        "ids_version",
    )

    def __init__(self) -> None:
        self._broker_epoch = BrokerEpoch(-1)
        self._is_of_earlier_registration = False
        """Whether all partitions are from before this registration."""
        self._brokers: dict[int, LiveBroker] = {}
        self._topics: dict[str, dict[int, KnownPartition]] = {}
        self._ids: dict[str, bytes] = {}
        self._names: dict[bytes, str] = {}
        self._watchers: dict[object, Callable[[], None]] = {}
        self.controller_id: BrokerId | None = None
        """The sender of the last update."""
        self.deletion_listeners: list[Callable[[tuple[TopicPartition, ...]], None]] = []
        """Called with partitions that are gone since their topics are deleted."""
        self.ids_version = 0
        """Changes with each change of topic ids."""

    def begin_registration(self, broker_epoch: BrokerEpoch) -> bool:
        """Forget all partitions with the first update of a registration that has any.

        While the broker was away topics may have been deleted, which no later update names;
        existing ones are sent anew.  Not with an update that has only brokers, as a new
        controller's first one: there would be no topics until the next one.  Returns whether it is
        another registration; an older epoch, or none, changes nothing.

        Source: none; Kafka's brokers keep such topics until they are restarted.
        """
        if broker_epoch <= self._broker_epoch:
            return False
        self._broker_epoch = broker_epoch
        self._is_of_earlier_registration = True
        return True

    def update(
        self,
        controller_id: BrokerId,
        live_brokers: Iterable[LiveBroker],
        updates: Iterable[PartitionUpdate],
    ) -> tuple[int, int]:
        """Replace the live brokers by *live_brokers*, and add *updates* to the partitions.

        Returns how many partitions were updated, and how many were forgotten.
        """
        self.controller_id = controller_id
        self._brokers = {broker.broker_id: broker for broker in live_brokers}
        count = forgotten_count = 0
        deleted: list[TopicPartition] = []
        for partition, topic_id, known in updates:
            if self._is_of_earlier_registration:
                self._is_of_earlier_registration = False
                forgotten_count = self._forget_all()
            if known.leader == LEADER_DURING_DELETION:
                self._forget(partition)
                deleted.append(partition)
                continue
            self._topics.setdefault(partition.topic, {})[partition.partition] = known
            self._note_id(partition.topic, topic_id)
            count += 1
        for watcher in tuple(self._watchers.values()):
            watcher()
        if deleted:
            for listener in self.deletion_listeners:
                listener(tuple(deleted))
        return count, forgotten_count + len(deleted)

    def _forget_all(self) -> int:
        count = sum(map(len, self._topics.values()))
        self._topics.clear()
        self._ids.clear()
        self._names.clear()
        self.ids_version += 1
        return count

    def _note_id(self, topic: str, topic_id: bytes) -> None:
        before = self._ids.get(topic, NO_TOPIC_ID)
        if topic_id != before:
            self.ids_version += 1
            self._names.pop(before, None)
            self._ids[topic] = topic_id
            if topic_id != NO_TOPIC_ID:
                self._names[topic_id] = topic

    def _forget(self, partition: TopicPartition) -> None:
        partitions = self._topics.get(partition.topic, {})
        partitions.pop(partition.partition, None)
        if not partitions:
            self.ids_version += 1
            self._topics.pop(partition.topic, None)
            self._names.pop(self._ids.pop(partition.topic, NO_TOPIC_ID), None)

    @property
    def live_controller_id(self) -> int:
        """NO_LEADER while no controller is known, or the known one is not live."""
        known = self.controller_id
        return known if known is not None and known in self._brokers else NO_LEADER

    @property
    def brokers(self) -> Mapping[int, LiveBroker]:
        return self._brokers

    @property
    def topics(self) -> Mapping[str, Mapping[int, KnownPartition]]:
        return self._topics

    def partitions_of(self, topic: str) -> Mapping[int, KnownPartition]:
        """Empty for an unknown topic."""
        return self._topics.get(topic, NO_PARTITIONS)

    def find(self, topic: str, index: int) -> KnownPartition | None:
        return self._topics.get(topic, NO_PARTITIONS).get(index)

    def topic_id(self, topic: str) -> bytes:
        """NO_TOPIC_ID when the topic has none, or is unknown."""
        return self._ids.get(topic, NO_TOPIC_ID)

    def topic_name(self, topic_id: bytes) -> str | None:
        return self._names.get(topic_id)

    def watch(self, watcher: Callable[[], None]) -> object:
        """Call *watcher* after each update; the result ends that, by `unwatch`."""
        key = object()
        self._watchers[key] = watcher
        return key

    def unwatch(self, key: object) -> None:
        """No effect when it was ended before."""
        self._watchers.pop(key, None)
