"""Fan-in of a request's parts.

When have all parts of a request come to their end, one by one and later?
"""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from cluster.broker.broker import Broker
from cluster.broker.handling import Cancel

K = TypeVar("K")
R = TypeVar("R")


class FanIn(Generic[K, R]):
    """The results of parts *keys*, given to *done* in the order of the keys once all are there."""

    __slots__ = ("_done", "_keys", "_results")

    def __init__(self, keys: Iterable[K], done: Callable[[list[R]], None]) -> None:
        self._keys = tuple(keys)
        self._results: dict[K, R] = {}
        self._done = done

    def put(self, key: K, result: R) -> None:
        """Take the result of one part; that of the last one ends it."""
        assert key not in self._results
        self._results[key] = result
        self.check()

    def check(self) -> None:
        """End one of no parts; otherwise without effect."""
        if len(self._results) == len(self._keys):
            self._done([self._results[key] for key in self._keys])


def when_told(
    broker: Broker,
    is_true: Callable[[], bool],
    timeout_ms: int,
    done: Callable[[bool], None],
) -> None:
    """Call *done* as soon as the metadata cache makes *is_true* true; with False when time is up.

    Without time (0 or less) nothing is waited for, also where it is true already: Kafka answers
    such requests with a time-out.
    """
    if timeout_ms <= 0:
        done(False)
        return
    if is_true():
        done(True)
        return
    wait = _Wait(broker, is_true, done)
    wait.begin(timeout_ms)


class _Wait:
    __slots__ = ("_cache", "_clock", "_done", "_is_true", "_key", "_stop_timer")

    def __init__(
        self, broker: Broker, is_true: Callable[[], bool], done: Callable[[bool], None]
    ) -> None:
        self._cache = broker.cache
        self._clock = broker.ports.clock
        self._is_true = is_true
        self._done = done
        self._key: object = None
        self._stop_timer: Cancel | None = None

    def begin(self, timeout_ms: int) -> None:
        self._key = self._cache.watch(self._look)
        self._stop_timer = self._clock.call_later(timeout_ms, self._time_out)

    def _look(self) -> None:
        if self._is_true():
            assert self._stop_timer is not None
            self._stop_timer()
            self._end(True)

    def _time_out(self) -> None:
        self._end(False)

    def _end(self, outcome: bool) -> None:
        self._cache.unwatch(self._key)
        self._done(outcome)
