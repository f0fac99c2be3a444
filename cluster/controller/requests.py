"""Controller requests: what brokers ask of the controller, each with the type of its reply.

A request waits in the core's queue behind what came before it, and is answered exactly once, by a
`Reply`.  One more kind of request is a value and its reply here, a member of the two unions below,
and a procedure, which `core.serve` names.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition

ReplyT_co = TypeVar("ReplyT_co", covariant=True)


class Request(ABC, Generic[ReplyT_co]):
    """A request that is answered by a ReplyT."""

    __slots__ = ()

    @abstractmethod
    def refused(self, error: ErrorCode) -> ReplyT_co:
        """The reply when nothing was done, because of *error*."""


def not_controller(request: Request[ReplyT_co]) -> ReplyT_co:
    """The reply of a broker that is not the controller, or no longer.

    What the request asks for may be half done when a controller resigns: whoever asks again asks
    the next one, which has read how far it came.
    """
    return request.refused(ErrorCode.NOT_CONTROLLER)


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


ControllerRequest: TypeAlias = ControlledShutdown
ControllerReply: TypeAlias = ControlledShutdownReply
