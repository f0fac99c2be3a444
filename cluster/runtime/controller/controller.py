"""The controller's shell: runs its core in this process, active or on standby.

Carries out the core's effects in their order, and reports each outcome: ZooKeeper requests in the
broker's session, orders on a connection to each broker.  Decides nothing.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, Final, TypeVar

from kazoo.exceptions import SessionExpiredError

from cluster.broker.ports import Peers
from cluster.controller import brokers
from cluster.controller.active_controller import ControllerConfig
from cluster.controller.core import ControllerCore
from cluster.controller.effects import (
    BecameController,
    CloseChannel,
    Effect,
    Log,
    LogStateChange,
    NoteTask,
    OpenChannel,
    Reply,
    Resign,
    Send,
    SendToZooKeeper,
)
from cluster.controller.events import (
    Answered,
    Event,
    Requested,
    SessionExpired,
    SessionStarted,
    Ticket,
    TopicsWritten,
    UncleanElectionEnabled,
)
from cluster.controller.hints import HINTS, hint_of
from cluster.controller.requests import ControllerRequest, Request, not_controller
from cluster.coordination.client import Client
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerEpoch, BrokerId, ControllerEpoch
from cluster.model.topic_id import topic_id_text
from cluster.runtime.controller.controller_metrics import ControllerMetrics
from cluster.runtime.controller.order_channel import OrderChannel
from cluster.runtime.environment import LoopClock, SystemRandomStream
from cluster.runtime.hourly_logs import CONTROLLER, NUMBERS, write_state_change
from cluster.runtime.zookeeper.runner import replies_to
from cluster.runtime.zookeeper.session import Session
from cluster.zk.requests import ZkRequest

PAUSE_AFTER_MISTAKE_S: Final = 1.0

server_logger: Final = logging.getLogger(__name__)
logger: Final = logging.getLogger(CONTROLLER)

ReplyT = TypeVar("ReplyT")


class Controller:
    """The core of one broker, with its session, its connections and its timer."""

    def __init__(
        self,
        config: ControllerConfig,
        metrics: ControllerMetrics,
        stats_changed: Callable[[], None],
        peers: Peers,
        *,
        listener: str,
        order_timeout_ms: int,
        allows_unclean: bool,
    ) -> None:
        """Brokers are reached at *listener*; *allows_unclean* is for topics without an override.

        *stats_changed* is called after every event, and when this broker ceases to be the
        controller.
        """
        self._loop = asyncio.get_running_loop()
        self._clock = LoopClock(self._loop)
        self._config = config
        self._metrics = metrics
        self._stats_changed = stats_changed
        self._peers = peers
        self._listener = listener
        self._order_timeout_ms = order_timeout_ms
        self._client = Client(
            broker_id=config.broker_id,
            wall_ms=self._clock.wall_ms,
            report=report_damage,
            allows_unclean=allows_unclean,
        )
        self._core = ControllerCore(config, self._client, new_topic_id)
        metrics.watch(lambda: self._core)
        self._session: Session | None = None
        self._under_way: set[asyncio.Task[Answered]] = set()
        """Requests to ZooKeeper that are not answered yet."""
        self._channels: dict[BrokerId, OrderChannel] = {}
        self._request_ids = count()
        self._requests: dict[int, tuple[ControllerRequest, Callable[[Any], None]]] = {}
        """Those that wait for their reply; the request determines the reply's type."""
        self._timer: asyncio.TimerHandle | None = None
        """For the core's next deadline."""
        self._pause: asyncio.TimerHandle | None = None
        """Delays the core that replaces one which failed."""
        self._noted_at_ms = 0
        """When the last measured task ended."""

    @property
    def controller_epoch(self) -> ControllerEpoch | None:
        """The epoch in which this is the controller; None while it is not."""
        active = self._core.active
        return None if active is None else active.controller_epoch

    # What the process reports.

    def joined(self, session: Session) -> None:
        self._session = session
        self._client.session_id = session.session_id
        if self._pause is None:
            self._step(SessionStarted())

    def left(self) -> None:
        self._session = None
        self._forget_requests()
        self._step(SessionExpired())

    def connection_changed(self, *, is_connected: bool) -> None:
        """Read everything again: what was watched may have changed without a connection."""
        if not is_connected:
            return
        for hint in HINTS.values():
            self._step(hint)
        active = self._core.active
        if active is not None:
            self._step(TopicsWritten(tuple(active.context.topics)))

    def allow_unclean_of(self, topic: str) -> None:
        """Elect leaders for *topic*, whose override allows unclean elections."""
        self._step(UncleanElectionEnabled(topic))

    def allow_unclean(self, is_allowed: bool) -> None:
        """Set the default for topics without an override, and elect leaders by it."""
        is_news = is_allowed and not self._client.allows_unclean
        self._client.allows_unclean = is_allowed
        if is_news:
            self._step(UncleanElectionEnabled(None))

    def submit(self, request: Request[ReplyT], done: Callable[[ReplyT], None]) -> None:
        """Serve *request*, if this is the controller; *done* is called later, once."""
        assert isinstance(request, ControllerRequest), "the union names every kind of request"
        request_id = next(self._request_ids)
        self._requests[request_id] = (request, done)
        self._step(Requested(request_id, request))

    def refusal_of(self, broker_id: BrokerId, broker_epoch: BrokerEpoch) -> ErrorCode:
        """Why the controller refuses that broker's requests by its present state, or NONE."""
        return brokers.refusal_of(self._core.active, broker_id, broker_epoch)

    # The core's effects.

    def _step(self, event: Event) -> None:
        self._carry_out(lambda: self._core.step(event, self._clock.now_ms()))

    def _carry_out(self, decide: Callable[[], tuple[Effect, ...]]) -> None:
        is_done = False
        try:
            for effect in decide():
                self._do(effect)
            self._set_timer()
            is_done = True
        finally:
            if not is_done:
                # A bug of ours goes on to the loop, which logs it.
                self._begin_anew()

    def _begin_anew(self) -> None:
        """Drop all state, and run for controller again after a pause.

        The state of a controller that failed is unreliable; it must neither go on nor block the
        controllership for as long as its session lasts.
        """
        server_logger.error("The controller of this broker begins anew after a mistake")
        self._forget_requests()
        for channel in self._channels.values():
            channel.close()
        self._channels.clear()
        for request, done in self._requests.values():
            self._loop.call_soon(done, not_controller(request))
        self._requests.clear()
        self._core = ControllerCore(self._config, self._client, new_topic_id)
        self._set_timer()
        if self._pause is not None:
            self._pause.cancel()
        # Apart from the core's timer, which every event resets: earlier watches may still fire.
        self._pause = self._loop.call_later(PAUSE_AFTER_MISTAKE_S, self._end_pause)

    def _end_pause(self) -> None:
        self._pause = None
        if self._session is not None:
            # The core removes the `/controller` that an earlier one left in this session.
            self._step(SessionStarted())

    def _do(self, effect: Effect) -> None:
        match effect:
            case SendToZooKeeper(ticket, requests):
                assert self._session is not None, "a core without a session waits for one"
                task = self._loop.create_task(self._send(self._session, ticket, requests))
                self._under_way.add(task)
                task.add_done_callback(self._answered)
            case OpenChannel(broker) if broker.broker_id in self._channels:
                self._channels[broker.broker_id].move(broker)
            case OpenChannel(broker):
                self._channels[broker.broker_id] = OrderChannel(
                    self._peers,
                    broker,
                    self._listener,
                    str(self._config.broker_id),
                    self._order_timeout_ms,
                    self._step,
                )
            case CloseChannel(broker_id):
                self._channels.pop(broker_id).close()
                self._metrics.channel_closed(broker_id)
            case Send(broker_id, correlation_id, order, queue_ms):
                self._metrics.order_sent(broker_id, queue_ms)
                self._channels[broker_id].send(correlation_id, order)
            case Reply(request_id, reply):
                _, done = self._requests.pop(request_id)
                # Not from within the call of `submit`.
                self._loop.call_soon(done, reply)
            case BecameController(controller_epoch):
                server_logger.info("This broker is the controller, with epoch %d", controller_epoch)
            case Resign(controller_epoch, reason):
                server_logger.info(
                    "This broker is the controller of epoch %d no more: %s",
                    controller_epoch,
                    reason,
                )
                self._stats_changed()
            case NoteTask():
                self._note(effect)
            case LogStateChange(line):
                write_state_change(line)
            case Log(level, text):
                logger.log(NUMBERS[level.value], "%s", text)

    def _note(self, task: NoteTask) -> None:
        """Record the durations of *task*, until now: its effects were sent and logged before.

        Of tasks that were all done in one step, none began before the one before it was recorded.
        """
        now_ms = self._clock.now_ms()
        processing_ms = now_ms - max(task.began_at_ms, self._noted_at_ms)
        self._noted_at_ms = now_ms
        self._metrics.event_done(task.kind, task.queue_ms, processing_ms)
        active = self._core.active
        if active is not None:
            self._metrics.unclean_elections.count += active.unclean_election_count
            active.unclean_election_count = 0
        self._stats_changed()

    # ZooKeeper.

    async def _send(
        self, session: Session, ticket: Ticket, requests: tuple[ZkRequest, ...]
    ) -> Answered:
        return Answered(ticket, await replies_to(session, requests, self._watched))

    def _answered(self, task: "asyncio.Task[Answered]") -> None:
        if task not in self._under_way:
            return
        self._under_way.discard(task)
        # A request of an expired session needs no answer.
        if not isinstance(task.exception(), SessionExpiredError):
            self._step(task.result())

    def _forget_requests(self) -> None:
        for task in self._under_way:
            task.cancel()
        self._under_way.clear()

    def _watched(self, event: Any) -> None:
        """Called by kazoo's thread; without a path when the connection is lost."""
        if event.path is None:
            return
        hint = hint_of(event.path)
        assert hint is not None, f"nobody watches {event.path}"
        # The loop may have ended by now.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._step, hint)

    # Time.

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline_ms = self._core.next_deadline()
        if deadline_ms is not None:
            delay_ms = max(0, deadline_ms - self._clock.now_ms())
            self._timer = self._loop.call_later(delay_ms / 1000, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._carry_out(lambda: self._core.on_deadline(self._clock.now_ms()))


def report_damage(error: CorruptZnodeError) -> None:
    """Log a damaged znode, which is left out; only an operator can repair it."""
    logger.error("%s", error)


def new_topic_id() -> str:
    return topic_id_text(SystemRandomStream().unique_id())
