"""The schedule of virtual time: what happens next in a simulated world, and when?

One heap and a virtual clock in ms: nothing waits, and the same calls give the same order.
"""

from collections.abc import Callable
from heapq import heappop, heappush


class Schedule:
    """Of two things at one time the one that was planned first comes first."""

    __slots__ = ("_heap", "_planned", "now_ms")

    def __init__(self) -> None:
        self.now_ms = 0
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._planned = 0

    def after(self, delay_ms: int, action: Callable[[], None]) -> None:
        """Plan *action*."""
        assert delay_ms >= 0
        heappush(self._heap, (self.now_ms + delay_ms, self._planned, action))
        self._planned += 1

    def run_next(self, until_ms: int) -> bool:
        """Let the next thing happen; False when there is none up to *until_ms*."""
        if not self._heap or self._heap[0][0] > until_ms:
            return False
        self.now_ms, _, action = heappop(self._heap)
        action()
        return True
