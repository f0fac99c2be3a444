"""Events: what the controller can be told.

Hints say that something may have changed, not what: the core reads it when it gets to them, so what
it decides on is never older than what it decided before.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from cluster.controller.orders import OrderResult
from cluster.controller.requests import ControllerRequest
from cluster.model.ids import BrokerId, ControllerEpoch
from cluster.zk.requests import ZkReply


class Ticket(NamedTuple):
    """Which requests to ZooKeeper they were: *number* is never used twice by one core."""

    controller_epoch: ControllerEpoch
    number: int


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """A ZooKeeper session is there, and this broker is registered with it."""


@dataclass(frozen=True, slots=True)
class SessionExpired:
    """The session is over, and with it the registration and the epoch as the controller.

    No request that was sent in it needs an answer.
    """


@dataclass(frozen=True, slots=True)
class ControllerChanged:
    """`/controller` was made, changed or removed."""


@dataclass(frozen=True, slots=True)
class BrokersChanged:
    """A broker came or went, or changed its registration."""


@dataclass(frozen=True, slots=True)
class TopicsChanged:
    """A topic came or went."""


@dataclass(frozen=True, slots=True)
class TopicsWritten:
    """The nodes of *topics* were written, or nobody watched them: they may have more partitions."""

    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeletionRequested:
    """Requests to delete topics came or went."""


@dataclass(frozen=True, slots=True)
class ReassignmentRequested:
    """The request to reassign partitions came, went or was changed."""


@dataclass(frozen=True, slots=True)
class IsrChangesNotified:
    """Leaders have changed ISRs without the controller."""


@dataclass(frozen=True, slots=True)
class LogDirsFailed:
    """Brokers have lost log directories."""


@dataclass(frozen=True, slots=True)
class PreferredElectionRequested:
    """A tool has asked for preferred leaders, or its request is gone."""


@dataclass(frozen=True, slots=True)
class UncleanElectionEnabled:
    """Leaders outside the ISR are allowed from now on: in *topic*, or for None in the cluster.

    This is all that a controller has to do with a notification of a changed config: what brokers
    do with one is theirs.
    """

    topic: str | None


@dataclass(frozen=True, slots=True)
class Requested:
    """Somebody asks the controller for something; *request_id* names the request in its `Reply`."""

    request_id: int
    request: ControllerRequest


@dataclass(frozen=True, slots=True)
class Answered:
    """ZooKeeper's replies to the requests with the same *ticket*."""

    ticket: Ticket
    replies: tuple[ZkReply, ...]


@dataclass(frozen=True, slots=True)
class OrderAnswered:
    """What the broker says to the order with the same *correlation_id*."""

    broker_id: BrokerId
    correlation_id: int
    result: OrderResult


@dataclass(frozen=True, slots=True)
class OrderFailed:
    """No answer came, or none that could be understood; the broker may have obeyed or not."""

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
"""What is of no use to a broker that is not the controller."""

Hint: TypeAlias = ControllerChanged | ActiveHint
Event: TypeAlias = (
    Hint | SessionStarted | SessionExpired | Requested | Answered | OrderAnswered | OrderFailed
)
