"""Latencies: how long did most records take, when there are millions of them?

Knows neither clock nor broker.
"""

from collections import Counter
from typing import Final

BITS: Final = 5
"""So many leading bits of the microseconds are kept: an error of 3 % at most."""


class Latencies:
    """A distribution of times, in a few hundred numbers however many they are."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()

    def add(self, seconds: float) -> None:
        microseconds = int(seconds * 1e6)
        dropped = max(0, microseconds.bit_length() - BITS)
        self.counts[microseconds >> dropped << dropped] += 1

    def percentile(self, percent: float) -> float | None:
        """Return the time in seconds that *percent* of all were done in; None without any."""
        wanted = sum(self.counts.values()) * percent / 100
        passed = 0
        for least in sorted(self.counts):
            passed += self.counts[least]
            if passed >= wanted:
                half_step = (1 << max(0, least.bit_length() - BITS)) / 2
                return (least + half_step) / 1e6
        return None
