"""What does a broker process do with its controller core, its session and its network?

The shell's twin: it carries effects out in virtual time, with every delay and loss that the world
draws.  It can be killed, and frozen: a frozen process keeps all that arrives until it goes on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from cluster.controller.core import ControllerCore
from cluster.controller.effects import (
    BecameController,
    Effect,
    LogStateChange,
    Reply,
    Send,
    SendToZooKeeper,
)
from cluster.controller.events import (
    Answered,
    Event,
    OrderAnswered,
    OrderFailed,
    SessionExpired,
    SessionStarted,
    Ticket,
)
from cluster.controller.orders import Order, OrderResult
from cluster.controller.zookeeper_requests import Answer
from cluster.coordination.carry_out import carry_out
from cluster.coordination.client import Client
from cluster.coordination.hints import hint_of
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, TopicPartition
from cluster.sim.obeying import ObeyingBroker
from cluster.sim.zookeeper import NO_SESSION, Author
from cluster.zk.requests import ZkReply
from cluster.zk.steps import Steps

if TYPE_CHECKING:
    from cluster.sim.world import World

REGISTRATION_RETRY_MS: Final = 300


class Process:
    """One life of a broker: it starts at once, and ends with `kill`."""

    def __init__(self, world: World, core: ControllerCore, broker: ObeyingBroker) -> None:
        self.world = world
        self.core = core
        self.broker = broker
        self.session = NO_SESSION
        self.is_up = True
        self.is_registered = False
        self.is_frozen = False
        self.is_expiring = False
        """Whether the news that its session has ended is on its way."""
        self.adjusting: set[TopicPartition] = set()
        """The partitions whose ISR it is writing."""
        self._inbox: deque[Callable[[], None]] = deque()
        self._timer_at_ms: int | None = None

    @property
    def broker_id(self) -> BrokerId:
        return self.broker.broker_id

    def kill(self) -> None:
        self.is_up = False
        self._inbox.clear()

    def freeze(self) -> None:
        self.is_frozen = True

    def thaw(self) -> None:
        self.is_frozen = False
        while self._inbox and self.is_up and not self.is_frozen:
            self._inbox.popleft()()

    def deliver(self, action: Callable[[], None]) -> None:
        """Let something arrive here; it waits while the process is frozen, and is lost with it."""
        if not self.is_up:
            return
        if self.is_frozen:
            self._inbox.append(action)
        else:
            action()

    # Session

    def start_session(self, session: int) -> None:
        """Register, again for as long as an older registration is in the way."""
        self.session = session
        self._register(session)

    def _register(self, session: int) -> None:
        if session != self.session:
            return
        broker_epoch = self.world.register(self)
        if broker_epoch is None:
            self.world.after(
                REGISTRATION_RETRY_MS, lambda: self.deliver(lambda: self._register(session))
            )
            return
        self.is_registered = True
        self.broker.broker_epoch = broker_epoch
        self.step(SessionStarted())

    def on_session_expired(self, next_session: int) -> None:
        """The news arrives: everything of the last session is void."""
        self.is_registered = False
        self.is_expiring = False
        self.step(SessionExpired())
        self.start_session(next_session)

    def on_watch(self, path: str) -> None:
        hint = hint_of(path)
        assert hint is not None, f"nobody watches {path}"
        self.step(hint)

    # Core

    def step(self, event: Event) -> None:
        self._carry_out(self.core.step(event, self.world.now_ms))

    def _carry_out(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            match effect:
                case SendToZooKeeper(ticket, request):
                    client = Client(
                        broker_id=self.broker_id,
                        session_id=self.session,
                        allows_unclean=False,
                        report=self._on_fault,
                    )
                    self._continue(ticket, carry_out(request, client), None)
                case Send(broker_id, correlation_id, order):
                    self._send(broker_id, correlation_id, order)
                case Reply():
                    self.world.on_shutdown_reply(effect)
                case BecameController(controller_epoch):
                    self.world.on_became_controller(controller_epoch)
                case LogStateChange(line):
                    self.world.on_state_change(line)
                case _:
                    pass
        self._set_timer()

    def _on_fault(self, fault: CorruptZnodeError) -> None:
        raise AssertionError(f"nobody damages znodes here: {fault}")

    def _continue(
        self, ticket: Ticket, steps: Steps[Answer], replies: tuple[ZkReply, ...] | None
    ) -> None:
        try:
            requests = next(steps) if replies is None else steps.send(replies)
        except StopIteration as done:
            self.step(Answered(ticket, done.value))
            return
        author = Author(self.broker_id, "controller", ticket.controller_epoch)
        self.world.ask(
            self, requests, author, lambda replies: self._continue(ticket, steps, replies)
        )

    def _send(self, broker_id: BrokerId, correlation_id: int, order: Order) -> None:
        def on_result(result: OrderResult | None) -> None:
            if result is None:
                self.step(OrderFailed(broker_id, correlation_id))
            else:
                self.step(OrderAnswered(broker_id, correlation_id, result))

        self.world.send(self, broker_id, order, on_result)

    def _set_timer(self) -> None:
        deadline = self.core.next_deadline()
        if deadline is None or (
            self._timer_at_ms is not None and self.world.now_ms < self._timer_at_ms <= deadline
        ):
            return
        delay_ms = max(0, deadline - self.world.now_ms)
        self._timer_at_ms = self.world.now_ms + delay_ms
        self.world.after(delay_ms, lambda: self.deliver(self._on_timer))

    def _on_timer(self) -> None:
        self._carry_out(self.core.on_deadline(self.world.now_ms))
