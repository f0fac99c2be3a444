"""Turns: long work is done in slices, so that other connections are served in between.

The loop does one slice between two polls of its sockets, however many works wait.  A client with
much work at once leaves the rest for later where many do the same.  Knows neither requests nor
connections.
"""

from collections import deque
from collections.abc import Callable, Generator
from enum import Enum
from itertools import islice
from typing import Any, Final, TypeVar

SLICE_NS: Final = 2_000_000
ROUND_NS: Final = 20_000_000
"""How long each client may work between two polls of the sockets, in any case."""
SHARE_NS: Final = 200_000
"""How much time each has after that."""
STEPS_AT_ONCE: Final = 64
"""How many steps are run at once before the rest is done in turns."""
STEPS_PER_LOOK: Final = 4
"""How many steps are run between two looks at the clock; one may read from a disk."""


Value = TypeVar("Value")


class Unfinished(Enum):
    """The result of steps some of which are left."""

    UNFINISHED = 0


UNFINISHED: Final = Unfinished.UNFINISHED


def finished_soon(steps: Generator[None, None, Value]) -> Value | Unfinished:
    """Run *steps*; return their result if there are at most STEPS_AT_ONCE, and otherwise leave the
    rest to be run.
    """
    try:
        for _ in range(STEPS_AT_ONCE):
            next(steps)
    except StopIteration as end:
        result: Value = end.value
        return result
    return UNFINISHED


class Work:
    """Work in turns, *steps* by step; *ended* is called after the last one, or the one that
    raises.
    """

    __slots__ = ("ended", "is_large", "steps")

    def __init__(
        self,
        steps: Generator[None, None, None],
        ended: Callable[[], None],
        *,
        is_large: bool,
    ) -> None:
        self.steps: Generator[None, None, None] | None = steps
        self.ended = ended
        self.is_large = is_large
        """Whether it takes so much memory that such works run one after the other."""

    def cancel(self) -> None:
        """Run no further step, and do not call *ended*."""
        self.steps = None


class Turns:
    """All works of a broker."""

    __slots__ = (
        "_call_soon",
        "_is_large_next",
        "_is_scheduled",
        "_large",
        "_now_ns",
        "_round_ns",
        "_small",
    )

    def __init__(
        self, call_soon: Callable[[Callable[[], None]], object], now_ns: Callable[[], int]
    ) -> None:
        self._call_soon = call_soon
        self._now_ns = now_ns
        self._large: deque[Work] = deque()
        """Only the first one is worked on."""
        self._small: deque[Work] = deque()
        """All are worked on, in turns."""
        self._is_large_next = False
        self._is_scheduled = False
        self._round_ns: int | None = None
        """When the loop began with clients that have much work, since its last poll."""

    @property
    def count(self) -> int:
        """How many works are unfinished."""
        return len(self._large) + len(self._small)

    def has_had_share(self, began_ns: int, now_ns: int) -> bool:
        """Whether a client that began at *began_ns* has to leave the rest for its next turn.

        With few such clients everything is done at once; with a thousand, all would wait for all.
        """
        if now_ns - began_ns < SHARE_NS:
            return False
        if self._round_ns is None:
            self._round_ns = began_ns
            self._call_soon(self._end_round)
        return now_ns - self._round_ns >= ROUND_NS

    def _end_round(self) -> None:
        self._round_ns = None

    def begin(self, work: Work) -> None:
        """Run a slice of *work* now, and the others in turns."""
        if self._is_unfinished(work):
            (self._large if work.is_large else self._small).append(work)
            self._schedule()

    def _schedule(self) -> None:
        if not self._is_scheduled and (self._large or self._small):
            self._is_scheduled = True
            self._call_soon(self._take_turn)

    def _take_turn(self) -> None:
        self._is_scheduled = False
        self._is_large_next = not self._is_large_next
        is_large = bool(self._large) and (self._is_large_next or not self._small)
        queue = self._large if is_large else self._small
        work = queue.popleft()
        try:
            if self._is_unfinished(work):
                if is_large:
                    queue.appendleft(work)
                else:
                    queue.append(work)
        finally:
            # An exception was a bug in one work: the others go on.
            self._schedule()

    def _is_unfinished(self, work: Work) -> bool:
        """Run a slice of *work*; returns whether there are more."""
        end_ns = self._now_ns() + SLICE_NS
        steps = work.steps
        is_over = True
        try:
            while work.steps is not None:
                if count(islice(steps, STEPS_PER_LOOK)) < STEPS_PER_LOOK:  # type: ignore[arg-type]
                    break
                if self._now_ns() >= end_ns:
                    is_over = work.steps is None
                    break
        finally:
            if is_over and work.steps is not None:
                work.ended()
        return not is_over


def count(steps: "islice[Any]") -> int:
    taken = 0
    for _ in steps:
        taken += 1
    return taken
