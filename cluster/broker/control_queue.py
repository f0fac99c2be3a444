"""The queue of controllers' requests.

How do a controller's requests take their turns, without stopping everything else?

One is obeyed to its end before the next one begins, whatever connections they come by, as in Kafka
under its lock for changes of replicas.  A request about many partitions is obeyed in slices:
between two of them clients are served, since each partition costs several files.
"""

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, TypeAlias, TypeVar

from cluster.broker.ports import Clock

T = TypeVar("T")

Finished: TypeAlias = Callable[[], None]
Turn: TypeAlias = Callable[[Finished], None]
"""Obeys one request, and says when that is finished, at once or later."""

SLICE_SIZE: Final = 4


class ControlQueue:
    """The requests that wait for their turn."""

    __slots__ = ("_is_busy", "_waiting")

    def __init__(self) -> None:
        self._waiting: deque[Turn] = deque()
        self._is_busy = False

    def enter(self, turn: Turn) -> None:
        self._waiting.append(turn)
        if not self._is_busy:
            self._begin()

    def _begin(self) -> None:
        self._is_busy = True
        turn = self._waiting.popleft()
        try:
            turn(self._finish)
        except BaseException:
            # A mistake in one request must not keep the next ones waiting.
            self._is_busy = False
            raise

    def _finish(self) -> None:
        self._is_busy = False
        if self._waiting:
            self._begin()


def in_slices(clock: Clock, items: Iterable[T], act: Callable[[T], None], done: Finished) -> None:
    """Do *act* for all *items*, a slice in each turn of the loop, then *done*."""
    waiting = items if isinstance(items, deque) else deque(items)
    for _ in range(min(SLICE_SIZE, len(waiting))):
        act(waiting.popleft())
    if waiting:
        clock.call_later(0, partial(in_slices, clock, waiting, act, done))
    else:
        done()
