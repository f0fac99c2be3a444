"""The controller's core in this process, among brokers that do at once what they are ordered to."""

from collections import deque
from itertools import count
from typing import TypeVar

from cluster.controller.active_controller import ActiveController, ControllerConfig
from cluster.controller.core import ControllerCore
from cluster.controller.effects import Reply, Resign, Send, SendToZooKeeper
from cluster.controller.events import (
    Answered,
    BrokersChanged,
    Event,
    OrderAnswered,
    Requested,
    SessionStarted,
)
from cluster.controller.orders import LeaderAndIsr, Order, OrderResult, StopReplica
from cluster.controller.requests import ControllerReply, ControllerRequest, Request
from cluster.coordination.client import Client
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId
from kadmin.simulation.zookeeper import SESSION, MemoryZooKeeper

ReplyT = TypeVar("ReplyT")


class SimulatedController:
    """The controller on *broker_id*, which is elected at once.

    *allows_unclean* is `unclean.leader.election.enable` for topics without an override.
    """

    def __init__(
        self, zookeeper: MemoryZooKeeper, broker_id: BrokerId, *, allows_unclean: bool
    ) -> None:
        self._zookeeper = zookeeper
        self._request_ids = count()
        self._replies: dict[int, ControllerReply] = {}
        client = Client(
            broker_id=broker_id,
            wall_ms=lambda: 0,
            report=refuse_damage,
            session_id=SESSION,
            allows_unclean=allows_unclean,
        )
        # Ids are not given: they would change nothing here, and cost a write for each topic.
        config = ControllerConfig(
            broker_id=broker_id, gives_topic_ids=False, publishes_metadata=False
        )
        self._core = ControllerCore(config, client, no_topic_id)
        self._process(SessionStarted())

    @property
    def active(self) -> ActiveController:
        active = self._core.active
        assert active is not None, "no other broker becomes the controller here"
        return active

    def on_brokers_changed(self) -> None:
        self._process(BrokersChanged())

    def ask(self, request: Request[ReplyT]) -> ReplyT:
        """Carry out *request*, and all that follows from it, and return the reply."""
        assert isinstance(request, ControllerRequest)
        request_id = next(self._request_ids)
        self._process(Requested(request_id, request))
        reply: ReplyT = self._replies.pop(request_id)  # type: ignore[assignment]  # of its request
        return reply

    def _process(self, event: Event) -> None:
        """Process *event* and all that follows from it, one after the other."""
        events: deque[Event] = deque([event])
        while events:
            for effect in self._core.step(events.popleft(), 0):
                match effect:
                    case SendToZooKeeper(ticket, requests):
                        events.append(Answered(ticket, self._zookeeper.ask(requests)))
                    case Send(broker_id, correlation_id, order):
                        events.append(OrderAnswered(broker_id, correlation_id, obeyed(order)))
                    case Reply(request_id, reply):
                        self._replies[request_id] = reply
                    case Resign(_, reason):
                        raise AssertionError(f"the simulated controller resigned: {reason}")
                    case _:
                        pass


def obeyed(order: Order) -> OrderResult:
    """Return the answer of a broker that has done everything."""
    if isinstance(order, LeaderAndIsr | StopReplica):
        partitions = (each.partition for each in order.partitions)
        return OrderResult(errors=dict.fromkeys(partitions, ErrorCode.NONE))
    return OrderResult()


def refuse_damage(error: CorruptZnodeError) -> None:
    raise AssertionError(f"a simulated znode is damaged: {error}")


def no_topic_id() -> str:
    raise AssertionError("no topic gets an id in a simulation")
