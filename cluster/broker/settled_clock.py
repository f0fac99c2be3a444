"""The time by which retention goes: the machine's clock, without steps that may be mistakes.

How old a record is follows from the time that somebody's clock gave it, so a wall clock is needed
to tell.  But one that was set forward by a year would delete everything, and putting it right
brings nothing back.  Kafka goes by the clock of the moment.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from cluster.broker.ports import Clock

STEP_STANDS_MS: Final = 24 * 3600 * 1000
"""For how long a clock must have kept what it was set to before retention goes by it."""
STEP_MIN_MS: Final = 10_000
"""By how much a clock has to be set forward or back for that to be a step; less is followed."""


class SettledClock:
    """A wall clock that follows steps of *clock* a day late."""

    __slots__ = ("_ahead_ms", "_clock", "_since_ms", "_stepped_ms", "_warn")

    def __init__(self, clock: Clock, idle_ms: int, warn: Callable[[str], None]) -> None:
        """The broker was there last *idle_ms* ago: or the clock was set forward since."""
        self._clock = clock
        self._warn = warn
        self._stepped_ms = clock.wall_ms() - clock.now_ms()
        self._ahead_ms = self._stepped_ms - idle_ms
        """Of the steady clock, as retention has it."""
        self._since_ms = clock.now_ms()
        """Since when the machine's clock is as far ahead as `_stepped_ms` has it."""

    def wall_ms(self) -> int:
        now_ms = self._clock.now_ms()
        ahead_ms = self._clock.wall_ms() - now_ms
        if abs(ahead_ms - self._stepped_ms) > STEP_MIN_MS:
            self._since_ms = now_ms
            self._tell(ahead_ms - self._stepped_ms)
        self._stepped_ms = ahead_ms
        is_settled = now_ms - self._since_ms >= STEP_STANDS_MS
        if is_settled or abs(ahead_ms - self._ahead_ms) <= STEP_MIN_MS:
            self._ahead_ms = ahead_ms
        return now_ms + self._ahead_ms

    def _tell(self, step_ms: int) -> None:
        way = "forward" if step_ms > 0 else "back"
        step = timedelta(seconds=abs(step_ms) // 1000)
        self._warn(
            f"The clock of this machine was set {way} by {step}: for a day, unless it is set right,"
            " retention goes by the time that it would be otherwise"
        )
