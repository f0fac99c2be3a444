"""The budget of a command: for how long may it wait for servers, in all?

Knows no server, and none of the questions.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

IDLE_MIN_S: Final = 1.0
"""What is done between two questions to servers is shorter, and gives nothing back."""


class Budget:
    """The seconds that a command may spend waiting for servers: *limit_s* in all, of --timeout.

    Questions that are asked at the same time spend them once.  While no server is waited for (the
    operator is asked, moves are waited for, a screen is shown), the budget fills up again.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.renewals = 0
        """How often it has been renewed."""
        self._lock = threading.Lock()
        self._spenders = 0
        self._reserved_s = 0.0
        self._left_s = limit_s
        self._since_s = time.monotonic()
        """When *_left_s* was so much."""

    def left_s(self) -> float:
        """Return how long a server may be waited for now; 0 where the time is over."""
        with self._lock:
            self._settle()
            return max(0.0, self._left_s - self._reserved_s)

    def end_s(self) -> float:
        """Return when that is over, by `time.monotonic`, if servers are waited for from now on."""
        return time.monotonic() + self.left_s()

    @contextmanager
    def spending(self) -> Iterator[float]:
        """Count the time of a block that waits for servers, and hand out how long it may wait."""
        with self._lock:
            self._settle()
            self._spenders += 1
            left_s = max(0.0, self._left_s - self._reserved_s)
        try:
            yield left_s
        finally:
            with self._lock:
                self._settle()
                self._spenders -= 1

    @contextmanager
    def sharing(self, limit_s: float | None = None) -> Iterator[None]:
        """Leave half of what is left to what comes after the block, however long that waits; with
        *limit_s* no less than all beyond that."""
        with self._lock:
            self._settle()
            left_s = max(0.0, self._left_s - self._reserved_s)
            reserved_s = max(left_s / 2, 0.0 if limit_s is None else left_s - limit_s)
            self._reserved_s += reserved_s
        try:
            yield
        finally:
            with self._lock:
                self._reserved_s -= reserved_s

    def pause(self, seconds: float) -> None:
        """Sleep before a server is asked again, which is waiting for it."""
        with self.spending() as left_s:
            time.sleep(min(seconds, left_s))

    def renew(self) -> None:
        """Begin anew: with another look, or when a part of the work is done."""
        with self._lock:
            self.renewals += 1
            self._left_s = self.limit_s
            self._since_s = time.monotonic()

    @property
    def spent_s(self) -> float:
        with self._lock:
            self._settle()
            return self.limit_s - self._left_s

    def _settle(self) -> None:
        now_s = time.monotonic()
        passed_s = now_s - self._since_s
        if self._spenders:
            self._left_s = max(0.0, self._left_s - passed_s)
        elif passed_s >= IDLE_MIN_S:
            self._left_s = min(self.limit_s, self._left_s + passed_s)
        self._since_s = now_s
