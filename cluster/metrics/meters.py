"""Counters, and meters: how many events there were, and how many a second lately."""

from collections.abc import Callable
from math import exp
from typing import Final, NamedTuple

NS_PER_S: Final = 1_000_000_000
TICK_S: Final = 5
TICK_NS: Final = TICK_S * NS_PER_S

ONE_MINUTE: Final = exp(-TICK_S / 60)
"""The share of a rate that a tick leaves of it."""
FIVE_MINUTES: Final = exp(-TICK_S / 60 / 5)
FIFTEEN_MINUTES: Final = exp(-TICK_S / 60 / 15)


class Counter:
    """A number that goes up and down."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


class Rates(NamedTuple):
    """Events a second: since the meter was made, and as moving averages over minutes."""

    mean: float
    one_minute: float
    five_minutes: float
    fifteen_minutes: float


class Meter:
    """The number of events, and their rates as exponentially weighted moving averages.

    Hot paths add to `count` and read no clock.  The averages move on in ticks of five seconds,
    whenever the meter is read or ticked; events since an older tick count as spread evenly.

    Source: MeterMetric and EWMA of Yammer's metrics 2.2.
    """

    __slots__ = (
        "_clock",
        "_fifteen_minutes",
        "_five_minutes",
        "_is_ticked",
        "_one_minute",
        "_rate_unit",
        "_start_ns",
        "_ticked_count",
        "_ticked_ns",
        "count",
    )

    def __init__(self, monotonic_ns: Callable[[], int], rate_unit_ns: int = NS_PER_S) -> None:
        """Make a meter whose rates are shown by *rate_unit_ns*."""
        self.count = 0
        self._rate_unit = rate_unit_ns / NS_PER_S
        self._clock = monotonic_ns
        self._start_ns = self._ticked_ns = monotonic_ns()
        self._ticked_count = 0
        self._is_ticked = False
        self._one_minute = self._five_minutes = self._fifteen_minutes = 0.0

    def mark(self, number: int = 1) -> None:
        self.count += number

    def tick(self, now_ns: int) -> None:
        """Move the averages on by the ticks that have passed at *now_ns*."""
        ticks = (now_ns - self._ticked_ns) // TICK_NS
        if ticks <= 0:
            return
        self._ticked_ns += ticks * TICK_NS
        rate = (self.count - self._ticked_count) / (ticks * TICK_S)
        self._ticked_count = self.count
        if self._is_ticked:
            self._one_minute = rate + (self._one_minute - rate) * ONE_MINUTE**ticks
            self._five_minutes = rate + (self._five_minutes - rate) * FIVE_MINUTES**ticks
            self._fifteen_minutes = rate + (self._fifteen_minutes - rate) * FIFTEEN_MINUTES**ticks
        else:
            self._is_ticked = True
            self._one_minute = self._five_minutes = self._fifteen_minutes = rate

    @property
    def rate_unit(self) -> str:
        """The unit of time of the rates, as Java's TimeUnit names it."""
        return "SECONDS" if self._rate_unit == 1 else "NANOSECONDS"

    def rates(self) -> Rates:
        now_ns = self._clock()
        self.tick(now_ns)
        age_ns = now_ns - self._start_ns
        mean = self.count * NS_PER_S / age_ns if age_ns > 0 else 0.0
        unit = self._rate_unit
        return Rates(
            mean * unit,
            self._one_minute * unit,
            self._five_minutes * unit,
            self._fifteen_minutes * unit,
        )
