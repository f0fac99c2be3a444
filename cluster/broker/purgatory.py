"""The purgatory: requests that wait until something has come, or until their deadline.

What is waited for knows where it is watched (a replica, the metadata cache, a fetch session), and
whether it has come.  That each request is answered once, and watches nothing afterwards, is here.

Source: Kafka's DelayedOperation and DelayedOperationPurgatory.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

from cluster.broker.handling import Cancel
from cluster.broker.ports import Clock


class Look(Protocol):
    """Called when what is waited for may have come; *size* is as for the watchers of replicas."""

    def __call__(self, size: int = 0) -> None: ...


class Awaited(Protocol):
    """One thing that a request waits for."""

    def watch(self, look: Look) -> object:
        """Have *look* called from now on, never from within this call; return a key."""
        ...

    def unwatch(self, key: object) -> None:
        """Have *look* called no more."""
        ...

    def has_come(self) -> bool:
        """Look whether it has come, and keep what is to be answered then."""
        ...

    def expire(self) -> None:
        """Keep what is to be answered now that the time is up."""
        ...


class DelayedOperation:
    """The answer to one request, which is called once: when all that is awaited has come, or when
    the time is up; not at all after `cancel`.
    """

    __slots__ = ("_answer", "_awaited", "_clock", "_stop_timer")

    def __init__(self, clock: Clock, answer: Callable[[], None]) -> None:
        self._clock = clock
        self._answer: Callable[[], None] | None = answer
        self._awaited: dict[Awaited, object] = {}
        """What has not come, with the keys of its watchers."""
        self._stop_timer: Cancel | None = None

    def begin(self, awaited: Iterable[Awaited], timeout_ms: int) -> None:
        """Wait up to *timeout_ms* for all *awaited*, none of which has come."""
        if self._answer is None:
            return
        self._awaited = dict.fromkeys(awaited)
        if not self._awaited:
            self._finish()
            return
        self._stop_timer = self._clock.call_later(max(0, timeout_ms), self.expire)
        for one in self._awaited:
            self._awaited[one] = one.watch(partial(self.look, one))

    def look(self, one: Awaited, size: int = 0) -> None:
        """Look at the one thing to which something has happened."""
        if one not in self._awaited or not one.has_come():
            return
        one.unwatch(self._awaited.pop(one))
        if not self._awaited:
            self._finish()

    def expire(self) -> None:
        """Answer with what there is."""
        answer, awaited = self._answer, tuple(self._awaited)
        self.cancel()
        if answer is not None:
            for one in awaited:
                one.expire()
            answer()

    def _finish(self) -> None:
        answer = self._answer
        self.cancel()
        assert answer is not None, "an operation ends once"
        answer()

    def cancel(self) -> None:
        """Wait no more, and let go of everything: what is awaited may refer to this."""
        for one, key in self._awaited.items():
            one.unwatch(key)
        self._awaited.clear()
        self._answer = None
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None
