"""The registry of a broker's metrics: makes them, removes them, and reads them in slices."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Generic, Protocol, TypeVar

from cluster.metrics.beans import Bean, Kind
from cluster.metrics.meters import NS_PER_S, Counter, Meter
from cluster.metrics.reservoirs import QUANTILES, Histogram, Reservoir, Spread, Timer

NS_PER_MS: Final = 1_000_000

SLICE: Final = 500
"""Values of gauges that a slice has at most."""
HISTOGRAM_COST: Final = 50
"""To sort a histogram's sample takes as long as to read so many gauges."""

Attribute = int | float | str
Attributes = Mapping[str, Attribute]
Value = Attribute | Counter | Meter | Histogram | Timer | Attributes

M = TypeVar("M", bound=Counter | Meter | Histogram | Timer)


Point = tuple[tuple[str, ...], Value]
"""One metric of a bean: the values of its tags, and what is to be read of it."""

Slice = Sequence[tuple[Bean, Sequence[Point]]]
"""Beans with some of their points each."""

HealthCheck = Callable[[], str | None]
"""Returns what is wrong, and None if nothing is.  Source: HealthCheck of Yammer's metrics."""


class Family(Protocol):
    """All metrics of a bean."""

    @property
    def bean(self) -> Bean: ...

    def points(self) -> Iterator[Point]: ...


class Gauges:
    """Metrics of a bean that are read, all at once, by one function."""

    __slots__ = ("_read", "bean")

    def __init__(self, bean: Bean, read: Callable[[], Iterable[Point]]) -> None:
        self.bean = bean
        self._read = read

    def points(self) -> Iterator[Point]:
        return iter(self._read())


class Metrics(Generic[M]):
    """Metrics of a bean that are updated, by the values of their tags."""

    __slots__ = ("_make", "_metrics", "bean")

    def __init__(self, bean: Bean, make: Callable[[], M]) -> None:
        self.bean = bean
        self._make = make
        self._metrics: dict[tuple[str, ...], M] = {}

    def of(self, *tags: str) -> M:
        """Return the metric of these values of the bean's tags; make it at the first time."""
        metric = self._metrics.get(tags)
        if metric is None:
            metric = self._make()
            self.put(metric, *tags)
        return metric

    def get(self, *tags: str) -> M | None:
        return self._metrics.get(tags)

    def put(self, metric: M, *tags: str) -> None:
        """Add a metric that is made elsewhere: a column of a reservoir with several."""
        assert len(tags) == len(self.bean.tags)
        assert tags not in self._metrics
        self._metrics[tags] = metric

    def remove(self, *tags: str) -> None:
        """Remove the metric of these values of tags; there may be none."""
        self._metrics.pop(tags, None)

    def __len__(self) -> int:
        return len(self._metrics)

    def metrics(self) -> Iterable[M]:
        return self._metrics.values()

    def points(self) -> Iterator[Point]:
        # A list: others are made while a reporter reads these in slices.
        return iter(list(self._metrics.items()))


class MetricsRegistry:
    """Makes the metrics of one broker, and reads them; each bean is asked for as one kind."""

    def __init__(self, *, monotonic_ns: Callable[[], int], random: Callable[[], float]) -> None:
        """*random* returns numbers in [0, 1)."""
        self._clock = monotonic_ns
        self._random = random
        self._families: dict[Bean, Family] = {}
        self._meters: dict[Bean, Metrics[Meter]] = {}
        self._timers: dict[Bean, Metrics[Timer]] = {}
        self._counters: dict[Bean, Metrics[Counter]] = {}
        self._histograms: dict[Bean, Metrics[Histogram]] = {}
        self._updates: list[Callable[[], None]] = []
        self._scans: list[Callable[[], Iterator[None]]] = []
        self.health_checks: dict[str, HealthCheck] = {}

    def gauge(self, bean: Bean, read: Callable[[], Attribute]) -> None:
        """Add a gauge without tags; one of the same bean is replaced."""
        self.gauges(bean, lambda: (((), read()),))

    def gauges(self, bean: Bean, read: Callable[[], Iterable[Point]]) -> None:
        """Add all metrics of *bean*, as the values of their tags and their own, read by *read*.

        What *read* returns is walked through in slices, between which partitions come and go: so
        it walks through a copy.  Metrics of the same bean are replaced.
        """
        assert bean.kind in (Kind.GAUGE, Kind.ATTRIBUTES)
        self._families[bean] = Gauges(bean, read)

    def counters(self, bean: Bean) -> Metrics[Counter]:
        return self._of_kind(Kind.COUNTER, self._counters, bean, Counter)

    def meters(self, bean: Bean, *, rate_unit_ns: int = NS_PER_S) -> Metrics[Meter]:
        """Rates are by *rate_unit_ns*: of idle nanoseconds by the nanosecond, for example."""
        return self._of_kind(
            Kind.METER, self._meters, bean, lambda: Meter(self._clock, rate_unit_ns)
        )

    def histograms(self, bean: Bean, *, unit: int = 1) -> Metrics[Histogram]:
        """Values are divided by *unit* where they are shown."""
        return self._of_kind(
            Kind.HISTOGRAM,
            self._histograms,
            bean,
            lambda: Histogram(self.reservoir(1), unit=unit),
        )

    def timers(self, bean: Bean) -> Metrics[Timer]:
        """Durations are given in nanoseconds, and shown in milliseconds."""
        return self._of_kind(
            Kind.TIMER,
            self._timers,
            bean,
            lambda: Timer(Histogram(self.reservoir(1), unit=NS_PER_MS), Meter(self._clock)),
        )

    def new_meter(self) -> Meter:
        """Make a meter that is no metric by itself, but shown as a part of another one."""
        return Meter(self._clock)

    def count(self) -> int:
        """Return how many metrics there are, one for all that are read by the same function."""
        return sum(
            len(family) if isinstance(family, Metrics) else 1 for family in self._families.values()
        )

    def reservoir(
        self, width: int, settled: Callable[[Sequence[int]], None] | None = None
    ) -> Reservoir:
        """Make a reservoir for histograms of *width* values that are measured together."""
        return Reservoir(width, monotonic_ns=self._clock, random=self._random, settled=settled)

    def _of_kind(
        self,
        kind: Kind,
        families: dict[Bean, Metrics[M]],
        bean: Bean,
        make: Callable[[], M],
    ) -> Metrics[M]:
        assert bean.kind is kind
        family = families.get(bean)
        if family is None:
            family = families[bean] = Metrics(bean, make)
            self._families[bean] = family
        return family

    def before_reading(self, update: Callable[[], None]) -> None:
        """Call *update* before metrics are ticked or read.

        For meters of what is counted elsewhere anyway: it sets their counts.
        """
        self._updates.append(update)

    def before_slices(self, scan: Callable[[], Iterator[None]]) -> None:
        """Run *scan* before all slices of a reading, and let the reader pause where it yields.

        For gauges that count partitions: it walks through them once for all of these gauges.
        """
        self._scans.append(scan)

    def tick(self) -> None:
        """Move the rates of all meters on; called every five seconds, they are Yammer's."""
        self._update()
        now_ns = self._clock()
        for meters in self._meters.values():
            for meter in meters.metrics():
                meter.tick(now_ns)
        for timers in self._timers.values():
            for timer in timers.metrics():
                timer.meter.tick(now_ns)

    def _update(self) -> None:
        for update in self._updates:
            update()

    def beans(self) -> tuple[Bean, ...]:
        return tuple(self._families)

    def slices(
        self,
        size: int = SLICE,
        is_wanted: Callable[[Bean], bool] = lambda _: True,
        *,
        scans: bool = True,
    ) -> Iterator[Slice]:
        """Read all metrics of the beans that are wanted, in parts whose readers take about as long
        as for *size* gauges.

        The first ones may be empty.  Without *scans*, gauges that are counted by a scan are what
        the last one found.
        """
        self._update()
        for scan in self._scans if scans else ():
            for _ in scan():
                yield ()
        part: list[tuple[Bean, Sequence[Point]]] = []
        left = size
        for family in tuple(self._families.values()):
            bean = family.bean
            if not is_wanted(bean):
                continue
            points = family.points()
            cost = HISTOGRAM_COST if bean.kind in (Kind.HISTOGRAM, Kind.TIMER) else 1
            while some := tuple(islice(points, max(1, left // cost))):
                part.append((bean, some))
                left -= len(some) * cost
                if left <= 0:
                    yield part
                    part, left = [], size
        if part:
            yield part

    def points(self) -> Iterator[tuple[Bean, tuple[str, ...], Value]]:
        """Read all metrics at once."""
        for part in self.slices():
            for bean, points in part:
                for tags, value in points:
                    yield bean, tags, value

    def health(self) -> Mapping[str, str | None]:
        """Return of each health check what is wrong, and None if nothing is."""
        return {name: check() for name, check in self.health_checks.items()}


def attributes_of(value: Value) -> Attributes:
    """Return the attributes that JMX shows of *value*, by name, in Kafka's order."""
    match value:
        case Counter():
            return {"Count": value.count}
        case Meter():
            return attributes_of_meter(value)
        case Histogram():
            return attributes_of_spread(value.spread())
        case Timer():
            return {
                **attributes_of_meter(value.meter),
                **attributes_of_spread(value.durations.spread()),
            }
        case int() | float() | str():
            return {"Value": value}
        case _:
            return value


def attributes_of_meter(meter: Meter) -> Attributes:
    rates = meter.rates()
    return {
        "Count": meter.count,
        "MeanRate": rates.mean,
        "OneMinuteRate": rates.one_minute,
        "FiveMinuteRate": rates.five_minutes,
        "FifteenMinuteRate": rates.fifteen_minutes,
    }


def attributes_of_spread(spread: Spread) -> Attributes:
    quantiles = zip((name for name, _ in QUANTILES), spread.quantiles, strict=True)
    return {
        "Count": spread.count,
        "Min": spread.min,
        "Max": spread.max,
        "Mean": spread.mean,
        "StdDev": spread.std_dev,
        **dict(quantiles),
    }
