"""Controller requests: what brokers ask of the controller, each with the type of its reply.

A request waits in the core's queue behind what came before it, and is answered exactly once, by a
`Reply`.  One more kind of request is a value and its reply here, a member of the two unions below,
and a procedure, which `core.serve` names.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import (
    NO_LEADER,
    UNKNOWN_BROKER_EPOCH,
    BrokerEpoch,
    BrokerId,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.topic import PartitionAssignment, PartitionState

ReplyT_co = TypeVar("ReplyT_co", covariant=True)


class Request(ABC, Generic[ReplyT_co]):
    """A request that is answered by a ReplyT."""

    __slots__ = ()

    @abstractmethod
    def refused(self, error: ErrorCode) -> ReplyT_co:
        """The reply when nothing was done, because of *error*."""


@dataclass(frozen=True, slots=True)
class ControlledShutdownReply:
    """*remaining* are the partitions that the broker still leads."""

    error: ErrorCode
    remaining: tuple[TopicPartition, ...] = ()


@dataclass(frozen=True, slots=True)
class ControlledShutdown(Request[ControlledShutdownReply]):
    """A broker wants to stop, and asks for its leaderships to be moved.

    A *broker_epoch* of -1 is not checked.
    """

    broker_id: BrokerId
    broker_epoch: BrokerEpoch

    def refused(self, error: ErrorCode) -> ControlledShutdownReply:
        return ControlledShutdownReply(error)


class AskedTopic(NamedTuple):
    """A topic as the request calls it: by *name*, or else by *topic_id*, in 22 characters."""

    name: str | None = None
    topic_id: str | None = None


class IsrMember(NamedTuple):
    """*broker_epoch* is that of the life in which the member has caught up, if that is known."""

    broker_id: BrokerId
    broker_epoch: BrokerEpoch = UNKNOWN_BROKER_EPOCH


class IsrProposal(NamedTuple):
    """*leader_epoch* and *partition_epoch*, a zkVersion, are those of the state that its leader
    knows, and wants to have changed.
    """

    leader_epoch: LeaderEpoch
    partition_epoch: ZkVersion
    isr: tuple[IsrMember, ...]
    leader_recovery_state: int


class AlteredPartition(NamedTuple):
    """*state* is what holds now; None where *error* says why nothing was changed."""

    error: ErrorCode
    state: PartitionState | None = None


@dataclass(frozen=True, slots=True)
class AlterPartitionReply:
    """Every partition of the request has its answer, unless *error* is that of all."""

    error: ErrorCode
    topics: Mapping[AskedTopic, Mapping[int, AlteredPartition]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AlterPartition(Request[AlterPartitionReply]):
    """A leader wants other ISRs for some of its partitions.

    A member of an ISR that cannot be one is an INELIGIBLE_REPLICA; what versions before 2 say
    instead is for the API to know.
    """

    broker_id: BrokerId
    broker_epoch: BrokerEpoch
    topics: Mapping[AskedTopic, Mapping[int, IsrProposal]]

    def refused(self, error: ErrorCode) -> AlterPartitionReply:
        return AlterPartitionReply(error)


class ElectionResult(NamedTuple):
    """*leader* is the new one where *error* is NONE."""

    error: ErrorCode
    message: str | None = None
    leader: BrokerId = NO_LEADER


@dataclass(frozen=True, slots=True)
class ElectLeadersReply:
    results: Mapping[TopicPartition, ElectionResult]


@dataclass(frozen=True, slots=True)
class ElectLeaders(Request[ElectLeadersReply]):
    """An operator wants *partitions* to be led by their preferred leaders.

    *is_unclean*: those without a leader are to have one, and be it one that lacks records.
    """

    partitions: tuple[TopicPartition, ...]
    is_unclean: bool = False

    def refused(self, error: ErrorCode) -> ElectLeadersReply:
        return ElectLeadersReply(dict.fromkeys(self.partitions, ElectionResult(error)))


@dataclass(frozen=True, slots=True)
class AlterReassignmentsReply:
    """For each partition of the request None, or why it was refused; nothing but *error* if that is
    one.
    """

    error: ErrorCode
    refusals: Mapping[TopicPartition, ApiError | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AlterReassignments(Request[AlterReassignmentsReply]):
    """Partitions shall get these replicas; for None, those that they had at the beginning of the
    reassignment that is under way.
    """

    targets: Mapping[TopicPartition, tuple[BrokerId, ...] | None]

    def refused(self, error: ErrorCode) -> AlterReassignmentsReply:
        return AlterReassignmentsReply(error)


@dataclass(frozen=True, slots=True)
class ListReassignmentsReply:
    """The partitions that are being reassigned."""

    error: ErrorCode
    assignments: Mapping[TopicPartition, PartitionAssignment] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListReassignments(Request[ListReassignmentsReply]):
    """Which of these *partitions* are being reassigned, or for None, which of all?"""

    partitions: tuple[TopicPartition, ...] | None

    def refused(self, error: ErrorCode) -> ListReassignmentsReply:
        return ListReassignmentsReply(error)


ControllerRequest: TypeAlias = (
    AlterPartition | AlterReassignments | ControlledShutdown | ElectLeaders | ListReassignments
)
ControllerReply: TypeAlias = (
    AlterPartitionReply
    | AlterReassignmentsReply
    | ControlledShutdownReply
    | ElectLeadersReply
    | ListReassignmentsReply
)


def not_controller(request: ControllerRequest) -> ControllerReply:
    """The reply of a broker that is not the controller, or no longer.

    What the request asks for may be half done when a controller resigns: whoever asks again asks
    the next one, which has read how far it came.
    """
    return request.refused(ErrorCode.NOT_CONTROLLER)
