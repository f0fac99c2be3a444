"""Controller requests: what brokers ask of the controller, each with the type of its reply.

A request waits in the core's queue, and is answered exactly once, by a `Reply`.  To add a kind of
request, write a value and its reply here, add both to the two unions below, and a procedure to
`core.serve`.
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
    """A topic as the request identifies it: by *name*, or else by *topic_id*, in 22 characters."""

    name: str | None = None
    topic_id: str | None = None


class IsrMember(NamedTuple):
    """*broker_epoch* is that of the incarnation in which the member caught up, if it is known."""

    broker_id: BrokerId
    broker_epoch: BrokerEpoch = UNKNOWN_BROKER_EPOCH


class IsrProposal(NamedTuple):
    """*leader_epoch* and *partition_epoch*, a zkVersion, are those of the state that the leader
    has, and wants to change.
    """

    leader_epoch: LeaderEpoch
    partition_epoch: ZkVersion
    isr: tuple[IsrMember, ...]
    leader_recovery_state: int


class AlteredPartition(NamedTuple):
    """*state* is the state in force; None where *error* prevented a change."""

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

    An invalid member of an ISR is an INELIGIBLE_REPLICA; the API translates it for versions before
    2.
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
    """An operator wants the preferred leaders of *partitions* to lead.

    *is_unclean*: partitions without a leader get one, even one that lacks records.
    """

    partitions: tuple[TopicPartition, ...]
    is_unclean: bool = False

    def refused(self, error: ErrorCode) -> ElectLeadersReply:
        return ElectLeadersReply(dict.fromkeys(self.partitions, ElectionResult(error)))


@dataclass(frozen=True, slots=True)
class AlterReassignmentsReply:
    """For each partition of the request None, or why it was refused; *error* alone if the whole
    request failed.
    """

    error: ErrorCode
    refusals: Mapping[TopicPartition, ApiError | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AlterReassignments(Request[AlterReassignmentsReply]):
    """Partitions shall get these replicas; None means the replicas that they had before the current
    reassignment.
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

    A request may be half done when a controller resigns: the sender repeats it at the next
    controller, which has read the result so far.
    """
    return request.refused(ErrorCode.NOT_CONTROLLER)
