"""The controller's shell in virtual time.

Carries the core's effects out in their order, and reports each outcome.
"""

from collections.abc import Callable
from itertools import count
from typing import Any, Final, TypeVar

from cluster.broker.control.order_codec import requests_of, result_of
from cluster.broker.handling import Peer
from cluster.controller import brokers
from cluster.controller.core import ControllerCore
from cluster.controller.effects import (
    BecameController,
    Effect,
    LogStateChange,
    Reply,
    Resign,
    Send,
    SendToZooKeeper,
)
from cluster.controller.events import (
    Answered,
    Event,
    OrderAnswered,
    OrderFailed,
    Requested,
    SessionStarted,
)
from cluster.controller.orders import Order
from cluster.controller.requests import ControllerRequest, Request
from cluster.coordination.client import Client
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.wire.api_keys import ApiKey
from tests.sim.network import ask
from tests.sim.sim_process import SimProcess
from tests.sim.story import Fault
from tests.sim.surroundings import Surroundings
from tests.sim.zookeeper import Author

LISTENER: Final = "PLAINTEXT"

ReplyT = TypeVar("ReplyT")


class SimController:
    """The core of one process."""

    def __init__(
        self, world: Surroundings, process: SimProcess, core: Callable[[Client], ControllerCore]
    ) -> None:
        self._client = Client(
            broker_id=process.broker_id, wall_ms=process.clock.wall_ms, report=fail_on_damage
        )
        self.core = core(self._client)
        self._process = process
        self._world = world
        self._timer_at_ms: int | None = None
        self._request_ids = count()
        self._requests: dict[int, tuple[ControllerRequest, Callable[[Any], None]]] = {}

    # The broker's port.

    def submit(self, request: Request[ReplyT], done: Callable[[ReplyT], None]) -> None:
        assert isinstance(request, ControllerRequest)
        request_id = next(self._request_ids)
        self._requests[request_id] = (request, done)
        self._world.invariants.on_controller_request(request)
        self.step(Requested(request_id, request))

    def refusal_of(self, broker_id: BrokerId, broker_epoch: BrokerEpoch) -> ErrorCode:
        return brokers.refusal_of(self.core.active, broker_id, broker_epoch)

    # The core.

    def joined(self, session: int) -> None:
        self._client.session_id = session
        self.step(SessionStarted())

    def step(self, event: Event) -> None:
        self._carry_out(self.core.step(event, self._world.now_ms))

    def _carry_out(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            self._do(effect)
        self._set_timer()

    def _do(self, effect: Effect) -> None:
        process, world = self._process, self._world
        match effect:
            case SendToZooKeeper(ticket, requests):
                author = Author(process.broker_id, "controller", ticket.controller_epoch)
                world.ask(
                    process, requests, author, lambda replies: self.step(Answered(ticket, replies))
                )
            case Send(broker_id, correlation_id, order):
                self._send(broker_id, correlation_id, order)
            case Reply(request_id, reply):
                asked, done = self._requests.pop(request_id)
                world.invariants.on_controller_reply(process.broker_id, asked, reply)
                world.after(0, lambda: process.deliver(lambda: done(reply)))
            case BecameController(controller_epoch):
                world.tell(process.broker_id, "controller", f"epoch {controller_epoch}")
                world.invariants.on_became_controller(controller_epoch)
            case Resign(controller_epoch):
                world.tell(process.broker_id, "resigned", f"epoch {controller_epoch}")
            case LogStateChange(line):
                world.lines.append(line)
            case _:
                pass

    def _send(self, broker_id: BrokerId, correlation_id: int, order: Order) -> None:
        """Send an order in one of the versions that its form has."""
        world, process = self._world, self._process
        requests = requests_of(
            order, LISTENER, lambda api_key, newest: world.versions.get((api_key, newest), newest)
        )
        assert requests is not None
        ((api_key, version, body),) = requests
        world.tell(process.broker_id, "order", f"{ApiKey(api_key).name} to broker {broker_id}")

        def answered(answer: Any | None) -> None:
            if answer is None:
                event: Event = OrderFailed(broker_id, correlation_id)
            else:
                event = OrderAnswered(broker_id, correlation_id, result_of(order, [answer]))
            process.deliver(lambda: self.step(event))

        way = f"b{process.broker_id}-b{broker_id}"
        timeout_ms = world.pace.peer_timeout_ms
        slowest_ms = timeout_ms // 2 if world.does(Fault.SLOW_ORDER, 0.1, way) else 10
        delay_ms = world.between(1, slowest_ms, way) + world.held_ms(orders_to(broker_id))
        peer = Peer("localhost", 50_000 + process.broker_id, LISTENER)
        asked = (api_key, version, body)
        ask(world, broker_id, asked, peer, timeout_ms, answered, delay_ms=delay_ms)

    def _set_timer(self) -> None:
        deadline = self.core.next_deadline()
        now_ms = self._world.now_ms
        if deadline is None or (
            self._timer_at_ms is not None and now_ms < self._timer_at_ms <= deadline
        ):
            return
        delay_ms = max(0, deadline - now_ms)
        self._timer_at_ms = now_ms + delay_ms
        self._world.after(delay_ms, lambda: self._process.deliver(self._on_timer))

    def _on_timer(self) -> None:
        self._carry_out(self.core.on_deadline(self._world.now_ms))


def orders_to(broker_id: BrokerId) -> str:
    """The way of all controllers' orders to a broker, which `Surroundings.hold` holds."""
    return f"orders b{broker_id}"


def fail_on_damage(error: CorruptZnodeError) -> None:
    raise AssertionError(f"nobody damages znodes here: {error}")
