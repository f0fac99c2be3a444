"""Orders: requests of the controller to brokers, and their answers.

The content of LeaderAndIsr, UpdateMetadata and StopReplica requests, in whatever version of the
wire protocol.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from cluster.model.broker import BrokerRegistration
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, ControllerEpoch, LeaderEpoch, TopicPartition
from cluster.model.topic import PartitionAssignment, PartitionState


class LeaderAndIsrPartition(NamedTuple):
    """*is_new*: the replica is new, and may be created in any log directory."""

    partition: TopicPartition
    state: PartitionState
    assignment: PartitionAssignment
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderAndIsr:
    """Lead these partitions, or follow their leaders.

    *topic_ids* are those of the partitions' topics, without topics that have none.
    """

    controller_id: BrokerId
    controller_epoch: ControllerEpoch
    broker_epoch: BrokerEpoch
    partitions: tuple[LeaderAndIsrPartition, ...]
    live_leaders: tuple[BrokerRegistration, ...]
    topic_ids: Mapping[str, str] = field(default_factory=dict)


class PublishedPartition(NamedTuple):
    """*offline_replicas* are on dead brokers or in failed log directories."""

    partition: TopicPartition
    state: PartitionState
    replicas: tuple[BrokerId, ...]
    offline_replicas: tuple[BrokerId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateMetadata:
    """Publish this to clients: *live_brokers* are all, *partitions* are those that changed.

    The orders to all brokers of one batch share the tuples.
    """

    controller_id: BrokerId
    controller_epoch: ControllerEpoch
    broker_epoch: BrokerEpoch
    partitions: tuple[PublishedPartition, ...]
    live_brokers: tuple[BrokerRegistration, ...]
    topic_ids: Mapping[str, str] = field(default_factory=dict)


class StoppedPartition(NamedTuple):
    """*leader_epoch* is EPOCH_DURING_DELETION for a topic that is deleted, NO_LEADER_EPOCH for
    a partition without a state.  *is_deleted*: its log shall be deleted.
    """

    partition: TopicPartition
    leader_epoch: LeaderEpoch
    is_deleted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReplica:
    """Stop leading or following these partitions."""

    controller_id: BrokerId
    controller_epoch: ControllerEpoch
    broker_epoch: BrokerEpoch
    partitions: tuple[StoppedPartition, ...]


Order: TypeAlias = LeaderAndIsr | UpdateMetadata | StopReplica


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderResult:
    """A broker's answer, by Kafka's error codes; *errors* are those of single partitions.

    LeaderAndIsr and StopReplica name each partition, also those without an error.
    """

    error: int = ErrorCode.NONE
    errors: Mapping[TopicPartition, int] = field(default_factory=dict)
