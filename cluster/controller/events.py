"""Events: the inputs of the controller.

Hints report that something may have changed, not what: the core reads it when it processes the
hint, so it never decides on older data than before.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from cluster.controller.orders import OrderResult
from cluster.controller.requests import ControllerRequest
from cluster.model.ids import BrokerId, ControllerEpoch
from cluster.zk.requests import ZkReply


class Ticket(NamedTuple):
    """Identifies requests to ZooKeeper: one core never uses *number* twice."""

    controller_epoch: ControllerEpoch
    number: int


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """A ZooKeeper session is established, and this broker is registered with it."""


@dataclass(frozen=True, slots=True)
class SessionExpired:
    """The session has expired, and with it the registration and the controllership.

    No request that was sent in it needs an answer.
    """


@dataclass(frozen=True, slots=True)
class ControllerChanged:
    """`/controller` was created, changed or deleted."""


@dataclass(frozen=True, slots=True)
class BrokersChanged:
    """A broker registered, went away, or changed its registration."""


@dataclass(frozen=True, slots=True)
class TopicsChanged:
    """A topic was created or deleted."""


@dataclass(frozen=True, slots=True)
class TopicsWritten:
    """The nodes of *topics* were written, or were not watched: they may have more partitions."""

    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeletionRequested:
    """Requests to delete topics were added or removed."""


@dataclass(frozen=True, slots=True)
class ReassignmentRequested:
    """The request to reassign partitions was created, changed or removed."""


@dataclass(frozen=True, slots=True)
class IsrChangesNotified:
    """Leaders have changed ISRs without the controller."""


@dataclass(frozen=True, slots=True)
class LogDirsFailed:
    """Brokers have lost log directories."""


@dataclass(frozen=True, slots=True)
class PreferredElectionRequested:
    """A tool has asked for preferred leaders, or the request is gone."""


@dataclass(frozen=True, slots=True)
class UncleanElectionEnabled:
    """Leaders outside the ISR are allowed from now on: in *topic*, or for None in the cluster.

    The only reaction of a controller to a notification of a changed config; brokers handle theirs
    themselves.
    """

    topic: str | None


@dataclass(frozen=True, slots=True)
class Requested:
    """A request to the controller; *request_id* names the request in its `Reply`."""

    request_id: int
    request: ControllerRequest


@dataclass(frozen=True, slots=True)
class Answered:
    """ZooKeeper's replies to the requests with the same *ticket*."""

    ticket: Ticket
    replies: tuple[ZkReply, ...]


@dataclass(frozen=True, slots=True)
class OrderAnswered:
    """The broker's answer to the order with the same *correlation_id*."""

    broker_id: BrokerId
    correlation_id: int
    result: OrderResult


@dataclass(frozen=True, slots=True)
class OrderFailed:
    """No readable answer arrived; the broker may have carried out the order or not."""

    broker_id: BrokerId
    correlation_id: int


ActiveHint: TypeAlias = (
    BrokersChanged
    | TopicsChanged
    | TopicsWritten
    | DeletionRequested
    | ReassignmentRequested
    | IsrChangesNotified
    | LogDirsFailed
    | PreferredElectionRequested
    | UncleanElectionEnabled
)
"""Hints that a broker needs only as the controller."""

Hint: TypeAlias = ControllerChanged | ActiveHint
Event: TypeAlias = (
    Hint | SessionStarted | SessionExpired | Requested | Answered | OrderAnswered | OrderFailed
)
