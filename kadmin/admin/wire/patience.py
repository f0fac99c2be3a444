"""The patience with single brokers: how long is each waited for, and which have let that pass?

Kept beyond a connection: one that looks again and again opens many.
"""

import time
from dataclasses import dataclass
from typing import Final

FIRST_S: Final = 3.0
"""So long a broker is waited for at first, from the second look on."""
SILENT_FOR_S: Final = 30.0
"""So long a broker is not waited for again that has let all the time of a command pass."""
PAUSE_MIN_S: Final = 10.0
PAUSE_FACTOR: Final = 3
"""Where a broker's own time has passed, it is left aside for so many times that."""


@dataclass(frozen=True, slots=True)
class Silence:
    """That a broker has let its time pass: after how many renewals of the budget, and until when
    that counts."""

    reason: str
    renewals: int
    until_s: float


class Patience:
    """How long each broker is waited for: at the first look all the time there is, later a time of
    its own.

    One that is gone then does not hold up the answers of the others.  Its time is doubled whenever
    it has let it pass: a slow one answers within it in the end.
    """

    def __init__(self) -> None:
        self.looks = 0
        """How many looks have begun, by one that looks again and again; 0 for any other."""
        self._limits: dict[int, float] = {}
        self._silences: dict[int, Silence] = {}

    @property
    def is_limited(self) -> bool:
        return self.looks > 1

    def limit_s(self, broker: int, left_s: float) -> float:
        """Return how long *broker* is waited for where *left_s* are left of the budget."""
        return min(left_s, self._limits.get(broker, FIRST_S)) if self.is_limited else left_s

    def note(self, broker: int, reason: str, renewals: int) -> None:
        """Note that *broker* has let its time pass."""
        pause_s = SILENT_FOR_S
        if self.is_limited:
            waited_s = self._limits.get(broker, FIRST_S)
            self._limits[broker] = 2 * waited_s
            pause_s = max(PAUSE_MIN_S, PAUSE_FACTOR * waited_s)
        self._silences[broker] = Silence(reason, renewals, time.monotonic() + pause_s)

    def silence_of(self, broker: int, renewals: int) -> str | None:
        """Return why *broker* is not to be waited for now; None where it is.

        Without another look, silence counts until the budget is renewed.
        """
        silence = self._silences.get(broker)
        if silence is None or time.monotonic() >= silence.until_s:
            return None
        return silence.reason if self.looks or silence.renewals == renewals else None
