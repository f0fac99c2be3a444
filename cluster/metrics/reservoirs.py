"""Histograms: how large values are, by a sample of them in which those of late weigh more."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappush, heapreplace
from math import exp, fsum, log, log1p, sqrt
from typing import Final, TypeAlias

from cluster.metrics.meters import NS_PER_S, Meter

SIZE: Final = 1028
ALPHA: Final = 0.015
"""How fast old values lose weight, by the second."""

PENDING_MAX: Final = 256
"""Rows wait until there are so many, since a sum of many is cheaper than many sums."""

QUANTILES: Final = (
    ("50thPercentile", 0.5),
    ("75thPercentile", 0.75),
    ("95thPercentile", 0.95),
    ("98thPercentile", 0.98),
    ("99thPercentile", 0.99),
    ("999thPercentile", 0.999),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The spread of values: of all that ever were, and deviation and quantiles of the sample."""

    count: int
    min: float
    max: float
    mean: float
    std_dev: float
    quantiles: tuple[float, ...]
    """Those of `QUANTILES`."""


Row: TypeAlias = tuple[int, ...]


class Reservoir:
    """A sample of rows of measurements, each column of which is a histogram.

    What is measured together is sampled together: a row costs one decision.  Of rows of the same
    second each is kept with the same probability; one that is t seconds older with e^(-αt) of it.

    Source: ExponentiallyDecayingSample of Yammer's metrics 2.2 keeps the rows with the largest
    e^(αt) / u, for random u.  Their logarithms αt - ln u have the same order, never overflow, and
    -ln u has no memory: so the rows up to the next one that is kept can be drawn at once.
    """

    __slots__ = (
        "_clock",
        "_kept",
        "_keys",
        "_random",
        "_settled",
        "_start_ns",
        "_width",
        "count",
        "maxima",
        "minima",
        "pending",
        "sums",
    )

    def __init__(
        self,
        width: int,
        *,
        monotonic_ns: Callable[[], int],
        random: Callable[[], float],
        settled: Callable[[Sequence[int]], None] | None = None,
    ) -> None:
        """Make a reservoir of rows with *width* columns; *random* returns numbers in [0, 1).

        With *settled* rows are longer by one: it gets the last values of many rows at a time.
        """
        self._settled = settled
        self._width = width
        self._clock = monotonic_ns
        self._start_ns = monotonic_ns()
        self._random = random
        self._keys: list[tuple[float, int]] = []
        """A heap: the least key, and where its row begins in `_kept`, come first."""
        self._kept = array("d")
        self.pending: list[Row] = []
        """Rows that are not counted yet."""
        self.count = 0
        self.sums = [0] * width
        self.minima = [0] * width
        self.maxima = [0] * width

    def add(self, row: Row) -> None:
        self.pending.append(row)
        if len(self.pending) >= PENDING_MAX:
            self.settle()

    def settle(self) -> None:
        """Count the rows that are pending."""
        rows = self.pending
        if not rows:
            return
        self.pending = []
        self.add_columns(tuple(zip(*rows, strict=True)))

    def add_columns(self, columns: Sequence[Sequence[int]]) -> None:
        """Count the rows of which *columns* has the values, at least one, without making rows.

        A column more than the reservoir has goes to its `settled`.
        """
        before: Sequence[int] = ()
        least = most = total = 0
        for column, values in enumerate(columns[: self._width]):
            # Requests that waited for nothing have the same time in two columns.
            if values is not before and values != before:
                before = values
                least = most = values[0]
                if values[-1] == least and values.count(least) == len(values):
                    # Times of parts that took none, and the size of requests that are all alike: to
                    # count costs a fifth of what the sum and both bounds do.
                    total = least * len(values)
                else:
                    total = sum(values)
                    least, most = min(values), max(values)
            self.sums[column] += total
            if self.count == 0 or least < self.minima[column]:
                self.minima[column] = least
            if self.count == 0 or most > self.maxima[column]:
                self.maxima[column] = most
        self.count += len(columns[0])
        self._sample(columns[: self._width])
        if self._settled is not None and len(columns) > self._width:
            self._settled(columns[-1])

    def _sample(self, columns: Sequence[Sequence[int]]) -> None:
        recency = ALPHA * (self._clock() - self._start_ns) / NS_PER_S
        keys, count = self._keys, len(columns[0])
        index = 0
        while index < count and len(keys) < SIZE:
            heappush(keys, (recency + self._exponential(), len(self._kept)))
            self._kept.extend(values[index] for values in columns)
            index += 1
        while index < count:
            least, place = keys[0]
            chance = exp(recency - least) if recency < least else 1.0
            if chance < 1.0:
                # At most all rows: a chance may be so small that the number has no end.
                index += int(min(self._exponential() / -log1p(-chance), count))
                if index >= count:
                    return
            heapreplace(keys, (max(recency, least) + self._exponential(), place))
            for column, values in enumerate(columns):
                self._kept[place + column] = values[index]
            index += 1

    def _exponential(self) -> float:
        return -log(1.0 - self._random())

    def values(self, column: int) -> list[float]:
        """Return the values of *column* in the sample, the least first."""
        self.settle()
        return sorted(self._kept[column :: self._width])


class Histogram:
    """One column of a reservoir; *unit* is what it divides values by where they are shown."""

    __slots__ = ("_column", "_read", "_reservoir", "_unit")

    def __init__(self, reservoir: Reservoir, column: int = 0, *, unit: int = 1) -> None:
        self._reservoir = reservoir
        self._column = column
        self._unit = unit
        self._read: Spread | None = None
        """What was read last: most histograms have no new values when they are read again, and to
        sort a sample is what costs most in a scrape."""

    def update(self, value: int) -> None:
        """Add a value to a reservoir with one column."""
        self._reservoir.add((value,))

    @property
    def count(self) -> int:
        return self._reservoir.count + len(self._reservoir.pending)

    def spread(self) -> Spread:
        """Without values, all of its numbers are 0, as Yammer's are."""
        if self._read is None or self._read.count != self.count:
            self._read = self._spread()
        return self._read

    def _spread(self) -> Spread:
        reservoir, column, unit = self._reservoir, self._column, self._unit
        values = reservoir.values(column)
        count, total = reservoir.count, reservoir.sums[column]
        if count == 0:
            return Spread(
                count=0, min=0.0, max=0.0, mean=0.0, std_dev=0.0, quantiles=(0.0,) * len(QUANTILES)
            )
        return Spread(
            count=count,
            min=reservoir.minima[column] / unit,
            max=reservoir.maxima[column] / unit,
            mean=total / count / unit,
            # Of the sample, as in later releases of Yammer's metrics: a sum of squares would cost
            # each update as much as all else.
            std_dev=stdev(values) / unit if len(values) > 1 else 0.0,
            quantiles=tuple(quantile(values, share) / unit for _, share in QUANTILES),
        )


class Timer:
    """How often something was done, and how long it took."""

    __slots__ = ("durations", "meter")

    def __init__(self, durations: Histogram, meter: Meter) -> None:
        self.durations = durations
        self.meter = meter

    def update(self, took_ns: int) -> None:
        self.meter.count += 1
        self.durations.update(took_ns)


def stdev(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which *share* of the sorted *values* are, interpolated.

    Source: Snapshot of Yammer's metrics 2.2.
    """
    position = share * (len(values) + 1)
    if position < 1:
        return values[0]
    if position >= len(values):
        return values[-1]
    lower = values[int(position) - 1]
    return lower + (position - int(position)) * (values[int(position)] - lower)
