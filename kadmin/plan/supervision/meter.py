"""The rate at which a run copies, from what is left of it at several moments."""

from dataclasses import dataclass
from typing import Final

WEIGHT: Final = 0.3
"""How much the last interval counts: one may catch a burst, or a pause."""


@dataclass(slots=True)
class Meter:
    left: int | None = None
    at_ms: int = 0
    value: float | None = None

    def rate(self, left: int | None, now_ms: int) -> float | None:
        """Return the bytes per s, now that *left* bytes are left; None until that is known."""
        before, before_ms = self.left, self.at_ms
        self.left, self.at_ms = left, now_ms
        if left is None or before is None or now_ms <= before_ms:
            return self.value
        latest = max(0, before - left) * 1000 / (now_ms - before_ms)
        self.value = latest if self.value is None else self.value + (latest - self.value) * WEIGHT
        return self.value
