"""Turns: how is what takes long done, without keeping other connections waiting?

In slices, of which the loop does one between two looks at its sockets, however many wait for their
turns.  And who has asked for much at once leaves the rest for later where many do the same.  Knows
neither requests nor connections.
"""

from collections import deque
from collections.abc import Callable, Generator
from itertools import islice
from typing import Any, Final

SLICE_NS: Final = 2_000_000
ROUND_NS: Final = 20_000_000
"""For how long, between two looks at the sockets, each may have as much done as it asks for."""
SHARE_NS: Final = 200_000
"""How much time each has after that."""
STEPS_PER_LOOK: Final = 4
"""How many steps are taken between two looks at the clock; one may read from a disk."""


class Work:
    """What is done in turns, *steps* by step; *ended* is called after the last one, or the one that
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
        """Whether it takes so much memory that one is begun after the other."""

    def cancel(self) -> None:
        """Take no further step, and call nobody."""
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
        """Only the first one goes on."""
        self._small: deque[Work] = deque()
        """All go on, in turns."""
        self._is_large_next = False
        self._is_scheduled = False
        self._round_ns: int | None = None
        """When the loop began with those who have asked for much, since its last look."""

    def has_had_share(self, began_ns: int, now_ns: int) -> bool:
        """Whether somebody who began at *began_ns* has to leave the rest for his next turn.

        Of few it is all done at once; of a thousand, one after the other, all would wait for all.
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
        """Take a slice of *work* now, and the others in its turns."""
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
            # What has raised was a mistake in one work: the others go on.
            self._schedule()

    def _is_unfinished(self, work: Work) -> bool:
        """Take a slice of *work*; whether there are more."""
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
