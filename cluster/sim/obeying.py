"""How does a broker obey its controller, as far as the cluster can tell?

Knows which replicas it has and what it tells clients; of their records nothing.  Orders of old
controllers, and such that were meant for an earlier life of this broker, are refused.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from cluster.controller.orders import (
    EPOCH_DURING_DELETION,
    LEADER_DURING_DELETION,
    NO_EPOCH,
    LeaderAndIsr,
    LeaderAndIsrPartition,
    Order,
    OrderResult,
    PublishedPartition,
    StopReplica,
    UpdateMetadata,
)
from cluster.model.broker import BrokerRegistration
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, ControllerEpoch, TopicPartition
from cluster.model.topic import PartitionState


class Role(NamedTuple):
    """What a replica was told to be."""

    state: PartitionState
    replicas: tuple[BrokerId, ...]


class ObeyingBroker:
    """The memory of one life of a broker; *logs* (partition to topic id) outlives it, as a disk.

    So does *corrupt*: those of the logs that cannot be opened.  Nobody can lead or follow by them,
    but they can be deleted, unlike those in a directory that has failed.

    *on_role* is called with each partition that begins to lead or to follow, *on_deleted* with each
    log that goes and its topic id.  Without *checks_epochs* every order is obeyed.
    """

    def __init__(
        self,
        broker_id: BrokerId,
        logs: dict[TopicPartition, str],
        corrupt: set[TopicPartition],
        on_role: Callable[[TopicPartition, Role, str], None],
        on_deleted: Callable[[TopicPartition, str], None],
        *,
        checks_epochs: bool = True,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = BrokerEpoch(-1)
        self.controller_epoch = ControllerEpoch(-1)
        self.logs = logs
        self.corrupt = corrupt
        self.roles: dict[TopicPartition, Role] = {}
        self.metadata: dict[TopicPartition, PublishedPartition] = {}
        self.live_brokers: tuple[BrokerRegistration, ...] = ()
        self.failed: set[TopicPartition] = set()
        """The partitions whose log is in a directory that has failed."""
        self._told_epoch = BrokerEpoch(-1)
        self._on_role = on_role
        self._on_deleted = on_deleted
        self._checks_epochs = checks_epochs

    def obey(self, order: Order) -> OrderResult:
        """Do what *order* says, and answer as a broker does."""
        if self._checks_epochs:
            if order.controller_epoch < self.controller_epoch:
                return OrderResult(error=ErrorCode.STALE_CONTROLLER_EPOCH)
            if order.broker_epoch < self.broker_epoch:
                return OrderResult(error=ErrorCode.STALE_BROKER_EPOCH)
        self.controller_epoch = order.controller_epoch
        match order:
            case LeaderAndIsr():
                errors = {
                    p.partition: self._take_role(p, order.topic_ids) for p in order.partitions
                }
                return OrderResult(errors=errors)
            case StopReplica():
                errors = {}
                for partition, leader_epoch, is_deleted in order.partitions:
                    errors[partition] = self._stop(partition, leader_epoch, is_deleted)
                return OrderResult(errors=errors)
            case UpdateMetadata():
                self._publish(order)
                return OrderResult()

    def fail(self, partition: TopicPartition) -> None:
        """Lose the disk on which the partition's log is, until this life is over."""
        self.failed.add(partition)
        self.roles.pop(partition, None)

    def _take_role(self, ordered: LeaderAndIsrPartition, topic_ids: Mapping[str, str]) -> ErrorCode:
        partition, state = ordered.partition, ordered.state
        topic_id = topic_ids[partition.topic]
        if partition in self.failed or partition in self.corrupt:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if self.logs.get(partition, topic_id) != topic_id:
            return ErrorCode.INCONSISTENT_TOPIC_ID
        current = self.roles.get(partition)
        if current is not None and state.leader_epoch <= current.state.leader_epoch:
            return ErrorCode.STALE_CONTROLLER_EPOCH
        self.logs[partition] = topic_id
        role = Role(state, ordered.assignment.replicas)
        self.roles[partition] = role
        self._on_role(partition, role, topic_id)
        return ErrorCode.NONE

    def _stop(self, partition: TopicPartition, leader_epoch: int, is_deleted: bool) -> ErrorCode:
        if partition in self.failed or (partition in self.corrupt and not is_deleted):
            return ErrorCode.KAFKA_STORAGE_ERROR
        current = self.roles.get(partition)
        is_exempt = leader_epoch in (EPOCH_DURING_DELETION, NO_EPOCH)
        if current is not None and not is_exempt and leader_epoch < current.state.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        self.roles.pop(partition, None)
        if is_deleted and partition in self.logs:
            self.corrupt.discard(partition)
            self._on_deleted(partition, self.logs.pop(partition))
        return ErrorCode.NONE

    def _publish(self, order: UpdateMetadata) -> None:
        if order.broker_epoch > self._told_epoch:
            # In an earlier session something may have been deleted that nobody tells of any more.
            self.metadata.clear()
            self._told_epoch = order.broker_epoch
        self.live_brokers = order.live_brokers
        for published in order.partitions:
            if published.state.leader == LEADER_DURING_DELETION:
                self.metadata.pop(published.partition, None)
            else:
                self.metadata[published.partition] = published
