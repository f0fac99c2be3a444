"""How slow this machine is just now, because others compute on it, too."""

import time
from typing import Final

SAMPLE_S: Final = 0.001


class Pace:
    """What became of samples of computing: how long each took that should take a millisecond."""

    def __init__(self) -> None:
        self._computed_s = 0.0
        self._took_s = 0.0

    def sample(self) -> None:
        began_s, computed_s = time.monotonic(), time.thread_time()
        while time.thread_time() - computed_s < SAMPLE_S:
            pass
        self._computed_s += time.thread_time() - computed_s
        self._took_s += time.monotonic() - began_s

    @property
    def slowness(self) -> float:
        """By what factor it is slower than one that has a processor for everybody; at least 1."""
        return max(1.0, self._took_s / self._computed_s) if self._computed_s else 1.0
