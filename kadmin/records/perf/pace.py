"""The pace of a producer: how many records are due at a time, and when was each intended?

Knows no clock: times are seconds that the caller passes.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """*rate* records a second since *started*; without a rate as many as can be sent."""

    rate: float | None
    started: float

    def due(self, now: float, sent: int, most: int) -> int:
        """Return how many of the next *most* records are due at *now*, where *sent* were before."""
        if self.rate is None:
            return most
        # The first one is due at the start itself.
        return max(0, min(most, int((now - self.started) * self.rate) + 1 - sent))

    def intended(self, number: int, wanted_at: float) -> float:
        """Return when record *number*, from 0 on, was to be sent.

        That is the time of its turn, however late it is sent: a producer that had to wait would
        otherwise leave out exactly the worst latencies (coordinated omission).  Without a rate its
        turn is *wanted_at*, when the one before it had been handed over.
        """
        return wanted_at if self.rate is None else self.started + number / self.rate
