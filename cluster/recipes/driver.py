"""The shell of a contender on a kazoo client: sends its requests and reports events and time.

May be used from any thread.  A loss of the connection takes effect in kazoo's own thread, before
that sends anything else.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from kazoo.protocol.states import KazooState

from cluster.recipes.attempt import Attempt
from cluster.recipes.contender import Contender
from cluster.recipes.effects import Effect, Send
from cluster.recipes.events import Connected, Event, Replied, SessionOver, Suspended, WatchFired
from cluster.zk.requests import SingleRequest, ZkReply
from cluster.zk.steps import in_singles
from cluster.zkclient.kazoo_requests import begin, reply_to
from cluster.zkclient.negotiated_timeout import negotiated_timeout

CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The machine's clock that is never set, and that goes on while the machine is suspended."""


def now_ms() -> int:
    return time.clock_gettime_ns(CLOCK) // 1_000_000


class Driver:
    """Drives one contender; a thread of its own calls *react* with each effect, in their order."""

    def __init__(
        self,
        client: Any,
        new_attempt: Callable[[int], Attempt],
        delay_ms: Callable[[], int],
        react: Callable[[Effect], None],
    ) -> None:
        self._client = client
        self._timeout_ms = negotiated_timeout(client)
        self._react = react
        self.core: Final = Contender(new_attempt, delay_ms)
        """To be read with *changed* held."""
        self.changed: Final = threading.Condition(threading.RLock())
        self._effects: deque[Effect] = deque()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="leadership", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._client.add_listener(self._on_state)
        if self._client.connected:
            # It may be reported twice, which changes nothing.
            self._on_state(KazooState.CONNECTED)

    def close(self) -> None:
        """End the thread; effects that it has not handled yet are dropped."""
        self._client.remove_listener(self._on_state)
        with self.changed:
            self._is_closed = True
            self.changed.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def step(self, event: Event) -> None:
        with self.changed:
            if not self._is_closed:
                self._perform(self.core.step(event, now_ms()))

    def _on_state(self, state: str) -> None:
        """Called by kazoo's thread at every change of the connection, before anything is sent."""
        if state == KazooState.CONNECTED:
            session_id, _ = self._client.client_id
            self.step(Connected(session_id, self._timeout_ms()))
        else:
            self.step(SessionOver() if state == KazooState.LOST else Suspended())

    def _on_watch(self, _event: object) -> None:
        self.step(WatchFired())

    def _perform(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self._send(effect)
            else:
                self._effects.append(effect)
        self.changed.notify_all()

    def _send(self, send: Send) -> None:
        """Begin the requests; kazoo fails them all when the session ends before they are done."""
        requests = in_singles(send.requests)
        replies: dict[int, ZkReply] = {}

        def on_done(index: int, request: SingleRequest, started: Any) -> None:
            reply = reply_to(request, started.exception or started.value)
            with self.changed:
                replies[index] = reply
                if len(replies) == len(requests):
                    ordered = tuple(replies[each] for each in range(len(requests)))
                    self.step(Replied(send.number, ordered))

        for index, request in enumerate(requests):
            started = begin(request, self._client, self._on_watch)
            started.rawlink(partial(on_done, index, request))

    def _run(self) -> None:
        while True:
            with self.changed:
                while not self._effects and not self._is_closed:
                    deadline_ms = self.core.next_deadline()
                    left_ms = None if deadline_ms is None else deadline_ms - now_ms()
                    if left_ms is not None and left_ms <= 0:
                        self._perform(self.core.on_deadline(now_ms()))
                    else:
                        self.changed.wait(None if left_ms is None else left_ms / 1000)
                if self._is_closed:
                    return
                effect = self._effects.popleft()
            self._react(effect)
