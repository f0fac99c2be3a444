"""Reports of measures: one row each, with the number of the cluster and of each broker.

Reads neither endpoints nor a clock: it is given two looks at each endpoint, and the time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kadmin.plan.metrics.measures import COMBINED, Measure, Unit
from kadmin.plan.metrics.samples import Scrape


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointLooks:
    """One endpoint of a broker, and its last two looks; *problem* is why the last try failed.

    *before* is None until there were two, *now* until there was one.
    """

    name: str
    url: str
    before: Scrape | None = None
    now: Scrape | None = None
    problem: str | None = None

    def number(self, measure: Measure) -> float | None:
        if self.now is None:
            return None
        if not measure.is_rate:
            return measure.of(self.now)
        return None if self.before is None else measure.rate(self.before, self.now)

    def age_s(self, now_s: float) -> float | None:
        return None if self.now is None else max(0.0, now_s - self.now.at_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointRow:
    """One endpoint: *age_s* is None where it has never answered."""

    name: str
    url: str
    age_s: float | None
    problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRow:
    """One measure: *value* is of the cluster, *by_broker* of each endpoint by its name.

    A number that is not known is None; *age_s* is that of the oldest number of the row.
    """

    title: str
    unit: Unit
    value: float | None
    by_broker: Mapping[str, float | None]
    age_s: float | None
    is_combined: bool
    """Whether there is a number of the cluster, even if it is not known."""
    is_wanted: bool
    """Whether the cluster's number is what it is in a healthy cluster, or may be anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsReport:
    """Measures at one moment, and the endpoints that they are from."""

    endpoints: tuple[EndpointRow, ...]
    rows: tuple[MeasureRow, ...]


def report_of(
    endpoints: Sequence[EndpointLooks], measures: Sequence[Measure], now_s: float
) -> MetricsReport:
    """Return what *measures* are at *now_s*, by the clock of the looks."""
    return MetricsReport(
        endpoints=tuple(
            EndpointRow(name=each.name, url=each.url, age_s=each.age_s(now_s), problem=each.problem)
            for each in endpoints
        ),
        rows=tuple(row_of(measure, endpoints, now_s) for measure in measures),
    )


def row_of(measure: Measure, endpoints: Sequence[EndpointLooks], now_s: float) -> MeasureRow:
    numbers = {each.name: each.number(measure) for each in endpoints}
    known = [number for number in numbers.values() if number is not None]
    value = COMBINED[measure.combine](known) if known and measure.is_combined else None
    ages = [each.age_s(now_s) for each in endpoints if numbers[each.name] is not None]
    return MeasureRow(
        title=measure.title,
        unit=measure.unit,
        value=value,
        by_broker=numbers,
        age_s=max((age for age in ages if age is not None), default=None),
        is_combined=measure.is_combined,
        is_wanted=measure.wanted is None or value is None or value == measure.wanted,
    )
