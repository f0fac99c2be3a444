"""The session with ZooKeeper: whether there is one, and which.

Keeps a kazoo client, whose threads are its own, and passes its events to the loop.  Knows no path:
the users of the session read and write.
"""

import logging
import threading
from asyncio import AbstractEventLoop, Event, Future, TimerHandle, timeout
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import perf_counter_ns
from typing import Any, Final, Protocol

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, SessionExpiredError
from kazoo.protocol.states import KazooState

from cluster.zkclient.handler import Handler
from cluster.zkclient.kazoo_requests import Started

NS_PER_MS: Final = 1_000_000
RETRY: Final = {"max_tries": -1, "delay": 0.02, "backoff": 2, "max_delay": 1.0}
IN_FLIGHT_MAX: Final = 1000
"""How many requests kazoo and ZooKeeper have at a time; further ones wait here for their answers.

A server stops reading from its clients when it has as many (`zookeeper.globalOutstandingLimit`).
"""
LOOK_S: Final = 1.0
"""How often to check whether kazoo's thread is alive."""
CLOSE_TIMEOUT_S: Final = 1.0
"""How long to wait for a server to confirm the close, so that the broker can stop."""

logger: Final = logging.getLogger(__name__)


class Session:
    """One session, from its beginning until ZooKeeper expires it.

    After that nothing more is sent in it, not even in a later session: the holder of an old one
    cannot write by mistake.
    """

    def __init__(
        self,
        loop: AbstractEventLoop,
        client: Any,
        session_id: int,
        note_latency: Callable[[int], None] | None = None,
    ) -> None:
        """*note_latency* receives of each request how many milliseconds its answer took."""
        self._note_latency = note_latency
        self._loop = loop
        self._client = client
        self._lock = threading.Lock()
        self._is_over = False
        self._in_flight = 0
        self._waiting: deque[tuple[Callable[[Any], Started], Future[Any]]] = deque()
        self.session_id = session_id
        self.ended = Event()
        """Set by the broker when it has processed the expiry of the session."""
        self.reads_batches = True
        """Whether the server supports many reads in one request, if known."""

    @property
    def is_over(self) -> bool:
        return self._is_over

    def end(self) -> None:
        """Refuse everything from now on.  Called by kazoo's thread, before it drops pending
        requests.
        """
        with self._lock:
            self._is_over = True

    def begin(self, start: Callable[[Any], Started]) -> "Future[Any]":
        """Let *start* begin an asynchronous call of kazoo's client, and return a future of its
        result.

        Many may be in flight, and stay in order.  The future raises:
            SessionExpiredError: the session has expired; nothing was sent, or the outcome is
            unknown. ConnectionLoss: the connection broke; the outcome is unknown. KazooException:
            ZooKeeper's error.
        """
        future: Future[Any] = self._loop.create_future()
        if self._in_flight < IN_FLIGHT_MAX:
            self._begin(start, future)
        else:
            self._waiting.append((start, future))
        return future

    def _begin(self, start: Callable[[Any], Started], future: "Future[Any]") -> None:
        with self._lock:
            if self._is_over:
                future.set_exception(SessionExpiredError())
                return
            try:
                started = start(self._client)
            except Exception as error:  # noqa: BLE001 - raised where the result is waited for
                future.set_exception(error)
                return
        self._in_flight += 1
        began_ns = perf_counter_ns()
        started.rawlink(lambda result: self._deliver(future, began_ns, result))

    def _deliver(self, future: "Future[Any]", began_ns: int, result: Any) -> None:
        """Pass a result to the loop.  Called by kazoo's thread; the loop may have ended by now."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(
                self._settle, future, began_ns, result.exception, result.value
            )

    def _settle(
        self, future: "Future[Any]", began_ns: int, error: BaseException | None, value: object
    ) -> None:
        self._in_flight -= 1
        if self._note_latency is not None:
            self._note_latency((perf_counter_ns() - began_ns) // NS_PER_MS)
        if not future.done():
            if error is None:
                future.set_result(value)
            else:
                future.set_exception(error)
        # When the session expires all requests in flight end, and this refuses those that wait.
        while self._waiting and self._in_flight < IN_FLIGHT_MAX:
            start, following = self._waiting.popleft()
            if not following.done():
                self._begin(start, following)


class SessionEvents(Protocol):
    """Receives, in the loop, the events of sessions."""

    def session_began(self, session: Session) -> None: ...

    def session_ended(self, session: Session) -> None:
        """It has expired, and writes in it without an answer may not have been carried out."""
        ...

    def connection_changed(self, *, is_connected: bool) -> None:
        """Within a session: watches are gone when the connection comes back."""
        ...


class SessionKeeper:
    """Keeps a session with ZooKeeper, and begins the next one whenever one expires."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        connect: str,
        timeout_ms: int,
        events: SessionEvents,
        note_latency: Callable[[int], None] | None = None,
    ) -> None:
        """*note_latency* is for each session."""
        self._note_latency = note_latency
        self._loop = loop
        self._events = events
        self._connect = connect
        self._timeout_ms = timeout_ms
        self._session: Session | None = None
        self._look_timer: TimerHandle | None = None
        self._client = self._new_client()

    def _new_client(self) -> Any:
        client: Any = KazooClient(
            hosts=self._connect,
            timeout=self._timeout_ms / 1000,
            connection_retry=RETRY,
            handler=Handler(),
            logger=logging.getLogger("kazoo"),
        )
        client.add_listener(partial(self._changed, client))
        return client

    def start(self) -> None:
        """Begin to connect; `SessionEvents` receives the result."""
        self._client.start_async()
        self._look_timer = self._loop.call_later(LOOK_S, self._look)

    def _look(self) -> None:
        """Begin with another client, if the thread of this one has ended.

        kazoo's thread ends after unforeseen errors, and with it every session: the broker would
        wait for the next one for ever.
        """
        self._look_timer = self._loop.call_later(LOOK_S, self._look)
        client = self._client
        if not client._connection._connection_routine.is_alive():
            logger.error("The thread that talks to ZooKeeper has ended; another one begins")
            self._changed(client, KazooState.LOST)
            self._client = self._new_client()
            self._client.start_async()
            end_client(client, lambda: None)

    def _changed(self, client: Any, state: str) -> None:
        """Called by kazoo's thread at every change of the connection, before anything is sent."""
        if client is not self._client:
            return
        session = self._session
        if state == KazooState.LOST:
            self._session = None
            if session is not None:
                session.end()
                self._post(self._events.session_ended, session)
        elif state == KazooState.SUSPENDED:
            self._post(self._connection_changed, False)
        elif session is None:
            session_id, _ = self._client.client_id
            session = self._session = Session(
                self._loop, self._client, session_id, self._note_latency
            )
            self._post(self._events.session_began, session)
        else:
            self._post(self._connection_changed, True)

    def _connection_changed(self, is_connected: bool) -> None:
        self._events.connection_changed(is_connected=is_connected)

    def _post(self, function: Callable[[Any], None], argument: object) -> None:
        # The loop may have ended; then the event does not matter.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, argument)

    async def close(self) -> None:
        """Close the session: ephemeral znodes are removed now, and not when it expires."""
        if self._look_timer is not None:
            self._look_timer.cancel()
        closed = Event()
        end_client(self._client, lambda: self._post(lambda _: closed.set(), None))
        with suppress(TimeoutError):
            async with timeout(CLOSE_TIMEOUT_S):
                await closed.wait()


def end_client(client: Any, done: Callable[[], None]) -> None:
    """Stop a kazoo client on a thread: that waits for the server's confirmation."""

    def end() -> None:
        with suppress(KazooException):
            client.stop()
            client.close()
        done()

    threading.Thread(target=end, name="zookeeper-close", daemon=True).start()
