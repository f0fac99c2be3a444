"""Answers that are delayed until the metadata cache says that what was asked for has come true.

A topic that is made has leaders, one that is deleted is gone: brokers know it from the controller.

Source: Kafka's DelayedCreatePartitions and DelayedDeleteTopics.
"""

from collections.abc import Callable

from cluster.broker.handling import Cancel
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Clock


def when_metadata_says(
    cache: MetadataCache,
    clock: Clock,
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
    wait = _Delayed(cache, clock, is_true, done)
    wait.begin(timeout_ms)


class _Delayed:
    """One answer that waits."""

    __slots__ = ("_cache", "_clock", "_done", "_is_true", "_key", "_stop_timer")

    def __init__(
        self,
        cache: MetadataCache,
        clock: Clock,
        is_true: Callable[[], bool],
        done: Callable[[bool], None],
    ) -> None:
        self._cache = cache
        self._clock = clock
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
