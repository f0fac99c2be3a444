"""Questions to several servers at the same time, each on a thread that nobody waits for.

Knows neither what is asked nor of whom.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Asking(Generic[T]):
    """Has each of *servers* asked by *ask*, from now on."""

    def __init__(self, servers: Sequence[str], ask: Callable[[str], T]) -> None:
        self.servers = tuple(servers)
        self._ask = ask
        self._answers: dict[str, T] = {}
        self._has_more = threading.Condition()
        self._started_s = time.monotonic()
        for server in self.servers:
            threading.Thread(target=self._put, args=(server,), daemon=True).start()

    def _put(self, server: str) -> None:
        answer = self._ask(server)
        with self._has_more:
            self._answers[server] = answer
            self._has_more.notify_all()

    def answers(
        self, patience_s: float, is_enough: Callable[[Mapping[str, T]], bool] = lambda _: False
    ) -> Mapping[str, T]:
        """Those that have come when they are all there, or enough, or *patience_s* after the
        questions were asked, at the latest."""

        def is_over() -> bool:
            return len(self._answers) == len(set(self.servers)) or is_enough(self._answers)

        with self._has_more:
            self._has_more.wait_for(
                is_over, max(0.0, self._started_s + patience_s - time.monotonic())
            )
            return dict(self._answers)
