"""Answers that are delayed until the metadata cache shows the result of a request.

A created topic has leaders then, a deleted one is gone: brokers learn it from the controller.

Source: Kafka's DelayedCreatePartitions and DelayedDeleteTopics.
"""

from collections.abc import Callable
from functools import partial

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Clock
from cluster.broker.procedures import Procedure
from cluster.broker.purgatory import DelayedOperation, Look


def when_metadata_says(
    cache: MetadataCache,
    clock: Clock,
    is_true: Callable[[], bool],
    timeout_ms: int,
    done: Callable[[bool], None],
) -> None:
    """Call *done* as soon as the metadata cache makes *is_true* true; with False after the timeout.

    Without a timeout (0 or less) nothing is waited for, even where it is true already: Kafka
    answers such requests with a time-out.
    """
    if timeout_ms <= 0:
        done(False)
        return
    if is_true():
        done(True)
        return
    condition = Condition(cache, is_true)
    DelayedOperation(clock, lambda: done(condition.is_met)).begin((condition,), timeout_ms)


def until_metadata_says(
    cache: MetadataCache, clock: Clock, is_true: Callable[[], bool], timeout_ms: int
) -> Procedure[bool]:
    """As `when_metadata_says`, for procedures."""
    is_met: bool = yield partial(when_metadata_says, cache, clock, is_true, timeout_ms)
    return is_met


class Condition:
    """The condition that one answer waits for."""

    __slots__ = ("_cache", "_is_true", "is_met")

    def __init__(self, cache: MetadataCache, is_true: Callable[[], bool]) -> None:
        self._cache = cache
        self._is_true = is_true
        self.is_met = False

    def watch(self, look: Look) -> object:
        return self._cache.watch(look)

    def unwatch(self, key: object) -> None:
        self._cache.unwatch(key)

    def has_come(self) -> bool:
        self.is_met = self._is_true()
        return self.is_met

    def expire(self) -> None:
        """The condition did not become true in time."""
