"""Effects: what the controller wants the shell to do.

A shell carries effects out in their order, and reports outcomes as events.  There is no effect that
sets a timer: a shell asks the core for its next deadline after every step.
"""

from dataclasses import dataclass
from typing import TypeAlias

from cluster.controller.controller_state import ControllerState
from cluster.controller.events import Ticket
from cluster.controller.orders import Order
from cluster.controller.requests import ControllerReply
from cluster.model.broker import BrokerRegistration
from cluster.model.ids import BrokerId, ControllerEpoch
from cluster.statechange.line import Level, StateChangeLine
from cluster.zk.requests import ZkRequest


@dataclass(frozen=True, slots=True)
class SendToZooKeeper:
    """Send *requests*, pipelined; answered by `Answered` with the same *ticket*."""

    ticket: Ticket
    requests: tuple[ZkRequest, ...]


@dataclass(frozen=True, slots=True)
class OpenChannel:
    """Connect to *broker*: orders will follow.

    For a broker that has a channel: the address to use from the next connection on.
    """

    broker: BrokerRegistration


@dataclass(frozen=True, slots=True)
class CloseChannel:
    """Drop the connection to the broker; nothing that was sent on it needs an answer."""

    broker_id: BrokerId


@dataclass(frozen=True, slots=True)
class Send:
    """Send an order; answered by `OrderAnswered` or `OrderFailed` with the same *correlation_id*.

    A broker has at most one order in flight.
    """

    broker_id: BrokerId
    correlation_id: int
    order: Order
    queue_ms: int | None = None
    """How long it waited for its turn; None for an order that is sent again."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer the `Requested` with the same *request_id*, by a reply of its request's type."""

    request_id: int
    reply: ControllerReply


@dataclass(frozen=True, slots=True)
class BecameController:
    """This broker has become the controller."""

    controller_epoch: ControllerEpoch


@dataclass(frozen=True, slots=True)
class Resign:
    """This broker is no longer the controller; earlier effects close its channels."""

    controller_epoch: ControllerEpoch
    reason: str


@dataclass(frozen=True, slots=True)
class NoteTask:
    """Record how long a task waited in the queue, and how long it then took.

    The latter counts from *began_at_ms*, when the task before it ended, until this effect is
    carried out.  It includes the time spent waiting for ZooKeeper, and also ends when the
    controller resigns.
    """

    kind: ControllerState
    queue_ms: int
    began_at_ms: int


@dataclass(frozen=True, slots=True)
class LogStateChange:
    """Write a line of state-change.log."""

    line: StateChangeLine


@dataclass(frozen=True, slots=True)
class Log:
    """Write a line of controller.log.

    INFO lines describe the course of an incident, WARN what is retried, ERROR what needs a person.
    """

    level: Level
    text: str


Effect: TypeAlias = (
    SendToZooKeeper
    | OpenChannel
    | CloseChannel
    | Send
    | Reply
    | BecameController
    | Resign
    | NoteTask
    | LogStateChange
    | Log
)
