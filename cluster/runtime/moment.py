"""The last reading of a clock, shared by those that would otherwise read it again.

A reading takes as long as ten lines of Python, and most requests are handled as soon as the loop
has woken up or the request before them is answered, which are read anyway.
"""

from collections.abc import Callable


class Moment:
    """A time that passed just now, in ns; each who reads the clock for a request sets it."""

    __slots__ = ("ns",)

    def __init__(self) -> None:
        self.ns = 0


class ReadMoment(Moment):
    """A moment that is always now, for loops that set none."""

    __slots__ = ("_now_ns",)

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns

    @property
    def ns(self) -> int:
        return self._now_ns()

    @ns.setter
    def ns(self, value: int) -> None:
        pass
