"""The purgatory: requests that wait for conditions, or until their deadline.

A condition knows what it watches (a replica, the metadata cache, a fetch session), and whether it
is met.  That each request is answered once, and watches nothing afterwards, is ensured here.

Source: Kafka's DelayedOperation and DelayedOperationPurgatory.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

from cluster.broker.handling import Cancel
from cluster.broker.ports import Clock
from cluster.broker.waiting_counts import WaitingCount


class Look(Protocol):
    """Called when a condition may be met; *size* is as for the watchers of replicas."""

    def __call__(self, size: int = 0) -> None: ...


class Awaited(Protocol):
    """One condition that a request waits for."""

    def watch(self, look: Look) -> object:
        """Call *look* from now on, never from within this call; returns a key."""
        ...

    def unwatch(self, key: object) -> None:
        """Stop calling *look*."""
        ...

    def has_come(self) -> bool:
        """Check whether the condition is met, and keep the answer for then."""
        ...

    def expire(self) -> None:
        """Keep the answer for an expired deadline."""
        ...


class DelayedOperation:
    """The answer to one request, which is called once: when all conditions are met, or when the
    deadline expires; never after `cancel`.
    """

    __slots__ = ("_answer", "_awaited", "_clock", "_count", "_stop_timer")

    def __init__(
        self, clock: Clock, answer: Callable[[], None], count: WaitingCount | None = None
    ) -> None:
        """*count* has this operation while it waits."""
        self._clock = clock
        self._count = count or WaitingCount()
        self._answer: Callable[[], None] | None = answer
        self._awaited: dict[Awaited, object] = {}
        """The unmet conditions, with the keys of their watchers."""
        self._stop_timer: Cancel | None = None

    def begin(self, awaited: Iterable[Awaited], timeout_ms: int) -> None:
        """Wait up to *timeout_ms* for all *awaited*, none of which is met."""
        if self._answer is None:
            return
        self._awaited = dict.fromkeys(awaited)
        if not self._awaited:
            self._finish()
            return
        self._count.operations += 1
        self._count.conditions += len(self._awaited)
        self._stop_timer = self._clock.call_later(max(0, timeout_ms), self.expire)
        for one in self._awaited:
            self._awaited[one] = one.watch(partial(self.look, one))

    def look(self, one: Awaited, size: int = 0) -> None:
        """Check the one condition that may have changed."""
        if one not in self._awaited or not one.has_come():
            return
        one.unwatch(self._awaited.pop(one))
        self._count.conditions -= 1
        if not self._awaited:
            self._finish()

    def expire(self) -> None:
        """Answer with what is there at the deadline."""
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
        """Stop waiting, and drop all references: a condition may refer to this."""
        for one, key in self._awaited.items():
            one.unwatch(key)
        self._count.conditions -= len(self._awaited)
        self._awaited.clear()
        self._answer = None
        if self._stop_timer is not None:
            self._count.operations -= 1
            self._stop_timer()
            self._stop_timer = None
