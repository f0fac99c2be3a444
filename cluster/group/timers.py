"""Deadlines, of which most are put off again and again before they come."""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Final, Generic, TypeVar

Key = TypeVar("Key")

CANCELLED_KEPT: Final = 8
"""How many entries of cancelled deadlines the heap may have, above as many as there are others.

The sessions of a client that joins under a new id again and again last for up to half an hour.
"""


class Timers(Generic[Key]):
    """One deadline a key.

    A heartbeat puts its deadline off, so that must be cheap: the heap keeps the older one, and
    finds out when that comes.
    """

    __slots__ = ("_deadlines", "_heap", "_numbers", "_queued")

    def __init__(self) -> None:
        self._deadlines: dict[Key, int] = {}
        self._queued: dict[Key, int] = {}
        """The earliest entry of each key in the heap."""
        self._heap: list[tuple[int, int, Key]] = []
        self._numbers = count()

    def set(self, key: Key, at_ms: int) -> None:
        """Let the deadline of *key* be *at_ms*, whatever it was."""
        self._deadlines[key] = at_ms
        queued_ms = self._queued.get(key)
        if queued_ms is None or at_ms < queued_ms:
            self._queue(key, at_ms)

    def cancel(self, key: Key) -> None:
        """Forget the deadline of *key*, and from time to time what the heap has of such keys."""
        self._deadlines.pop(key, None)
        if len(self._heap) > 2 * len(self._deadlines) + CANCELLED_KEPT:
            self._heap.clear()
            self._queued.clear()
            for one, at_ms in self._deadlines.items():
                self._queue(one, at_ms)

    def next_deadline(self) -> int | None:
        """Return when `due` should be called, in ms; maybe earlier than anything is due."""
        self._drop_cancelled()
        return self._heap[0][0] if self._heap else None

    def due(self, now_ms: int) -> Iterator[Key]:
        """Yield the keys whose deadline has come, each taken out before it is given."""
        while self._heap and self._heap[0][0] <= now_ms:
            at_ms, _, key = heappop(self._heap)
            if self._queued.get(key) != at_ms:
                continue  # An earlier entry of the same key took its place.
            del self._queued[key]
            deadline_ms = self._deadlines.get(key)
            if deadline_ms is None:
                continue
            if deadline_ms > now_ms:
                self._queue(key, deadline_ms)
                continue
            del self._deadlines[key]
            yield key

    def _queue(self, key: Key, at_ms: int) -> None:
        self._queued[key] = at_ms
        heappush(self._heap, (at_ms, next(self._numbers), key))

    def _drop_cancelled(self) -> None:
        while self._heap and self._heap[0][2] not in self._deadlines:
            at_ms, _, key = heappop(self._heap)
            if self._queued.get(key) == at_ms:
                del self._queued[key]
