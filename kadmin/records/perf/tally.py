"""Tallies of records and their latencies, which can be added up, and the percentiles of them.

Knows neither clock nor broker.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

BITS: Final = 11
"""Leading bits of a latency that are kept: those of an HDR histogram of three digits."""

PERCENTS: Final = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99)


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """A distribution of latencies in ms; *percentiles* by percent."""

    count: int
    mean_ms: float
    max_ms: float
    min_ms: float
    deviation_ms: float
    percentiles: Mapping[float, float]


@dataclass(slots=True)
class Tally:
    """Records of some time: *bytes* of keys and values, *failed* ones, each *reason* with its
    count, and latencies in µs of those that were timed."""

    records: int = 0
    bytes: int = 0
    failed: int = 0
    latencies: Counter[int] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def time(self, seconds: float, count: int = 1) -> None:
        """Add a latency."""
        self.latencies[rounded_us(seconds)] += count

    def add(self, other: "Tally") -> None:
        self.records += other.records
        self.bytes += other.bytes
        self.failed += other.failed
        self.latencies.update(other.latencies)
        self.reasons.update(other.reasons)

    def latency(self) -> Latency | None:
        """Return the distribution as an HDR histogram of three digits has it; None where nothing
        was timed."""
        counts = sorted(self.latencies.items())
        if not counts:
            return None
        total = sum(count for _, count in counts)
        mean = sum(us * count for us, count in counts) / total
        square = sum((us - mean) ** 2 * count for us, count in counts) / total
        return Latency(
            count=total,
            mean_ms=mean / 1000,
            min_ms=counts[0][0] / 1000,
            max_ms=highest_us(counts[-1][0]) / 1000,
            deviation_ms=math.sqrt(square) / 1000,
            percentiles={
                percent: us / 1000
                for percent, us in zip(PERCENTS, percentiles(counts, total), strict=True)
            },
        )


def percentiles(counts: Sequence[tuple[int, int]], total: int) -> Iterator[int]:
    """Return the µs at each of PERCENTS, of *counts* in order: in how many that share was done."""
    left = iter(counts)
    us = passed = 0
    for percent in PERCENTS:
        wanted = max(1, int(percent / 100 * total + 0.5))
        while passed < wanted:
            us, count = next(left)
            passed += count
        yield highest_us(us)


def highest_us(rounded: int) -> int:
    """Return the longest latency that is *rounded* to this."""
    return rounded + (1 << max(0, rounded.bit_length() - BITS)) - 1


def rounded_us(seconds: float) -> int:
    """Return *seconds* as µs of which the leading bits are kept; at least 1."""
    us = max(1, int(seconds * 1e6))
    dropped = us.bit_length() - BITS
    return us >> dropped << dropped if dropped > 0 else us


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What happened in the *seconds* that end *at_s* seconds after the start."""

    at_s: float
    seconds: float
    tally: Tally
    is_warmup: bool = False
    rebalance_s: float = 0.0
    """Of consumers: how much of the time went into joining their group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One run: *tally* of all that counts in *seconds*, and the *windows* that it is made of."""

    tally: Tally
    seconds: float
    windows: tuple[Window, ...] = ()
    warmup: Tally = field(default_factory=Tally)
    rebalance_s: float = 0.0
    started_ms: int = 0
    """By the wall clock, since 1970."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    is_interrupted: bool = False
    """Whether Ctrl-C has ended it: it is whole up to there."""

    @property
    def per_s(self) -> float:
        return self.tally.records / self.seconds if self.seconds > 0 else 0.0

    @property
    def bytes_per_s(self) -> float:
        return self.tally.bytes / self.seconds if self.seconds > 0 else 0.0

    def net(self, amount: int) -> float:
        """Return *amount* in a second, the time apart in which a group was joined."""
        seconds = self.seconds - self.rebalance_s
        return amount / seconds if seconds > 0 else 0.0


def merged(results: Iterable[Result]) -> Result:
    """Return the results of processes that ran side by side as one: the longest time counts."""
    parts = list(results)
    tally, warmup, metrics = Tally(), Tally(), {}
    for number, part in enumerate(parts):
        tally.add(part.tally)
        warmup.add(part.warmup)
        prefix = f"process {number}: " if len(parts) > 1 else ""
        metrics.update({prefix + name: value for name, value in part.metrics.items()})
    return Result(
        tally=tally,
        warmup=warmup,
        seconds=max(part.seconds for part in parts),
        rebalance_s=max(part.rebalance_s for part in parts),
        started_ms=min(part.started_ms for part in parts),
        windows=tuple(window for part in parts for window in part.windows),
        metrics=metrics,
    )


def joined(windows: Iterable[Window]) -> Window:
    """Return *windows* of the same time in several processes as one."""
    parts = list(windows)
    tally = Tally()
    for part in parts:
        tally.add(part.tally)
    return Window(
        at_s=max(part.at_s for part in parts),
        seconds=max(part.seconds for part in parts),
        tally=tally,
        is_warmup=all(part.is_warmup for part in parts),
        rebalance_s=max(part.rebalance_s for part in parts),
    )
