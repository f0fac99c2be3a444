"""Prometheus's exposition of metrics: its text format 0.0.4, and OpenMetrics 1.0.

prometheus_client renders both as well, three times as slowly, from an object for each sample; tests
compare the two.  A broker with 10,000 partitions has 100,000 samples.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Final

from cluster.metrics.accepted import accepts
from cluster.metrics.beans import Bean, Kind
from cluster.metrics.meters import Counter, Meter
from cluster.metrics.registry import Point, Slice, Value
from cluster.metrics.reservoirs import QUANTILES, Histogram, Timer
from cluster.metrics.series_names import (
    PERCENTILE,
    SeriesName,
    attribute_name,
    count_name,
    labels_of,
    lowered,
    mean_rate_name,
    value_names,
)

NUMBERS: Final = (int, float)
LABELS_KEPT: Final = 65_536
"""How many texts of the same labels are kept, which the beans of a partition share."""
NAMES_KEPT: Final = 1024

ESCAPED: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
HELP_ESCAPED: Final = str.maketrans({"\\": r"\\", "\n": r"\n"})

QUANTILE_LABELS: Final = tuple(
    f'quantile="0.{match[1]}"'
    for name, _ in QUANTILES
    if (match := PERCENTILE.fullmatch(name)) is not None
)


class Format(Enum):
    """The formats, by their media types."""

    TEXT = "text/plain; version=0.0.4; charset=utf-8"
    OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"


class Type(Enum):
    """The types of metric families that Kafka's beans become."""

    COUNTER = "counter"
    GAUGE = "gauge"
    SUMMARY = "summary"
    """Without a sum, which Kafka's histograms do not show."""


@dataclass(slots=True)
class Family:
    """The samples of one metric family, in pieces of its text."""

    name: str
    type: Type
    help: str
    pieces: list[bytes] = field(default_factory=list)

    def head(self, form: Format) -> str:
        name = self.name
        if self.type is Type.COUNTER and form is Format.OPEN_METRICS:
            name = name.removesuffix("_total")
        meaning = self.help.translate(HELP_ESCAPED if form is Format.TEXT else ESCAPED)
        return f"# HELP {name} {meaning}\n# TYPE {name} {self.type.value}\n"


class Exposition:
    """The families of one scrape; beans that become the same family are brought together."""

    def __init__(self) -> None:
        self._families: dict[str, Family] = {}

    def add(self, part: Slice) -> None:
        """Add a slice of the registry, while its values do not change."""
        for bean, points in part:
            match bean.kind:
                case Kind.GAUGE:
                    self._add_gauges(bean, points)
                case Kind.ATTRIBUTES:
                    self._add_attributes(bean, points)
                case _:
                    self._add_measured(bean, points)

    def add_sample(self, name: str, type_: Type, meaning: str, value: float) -> None:
        """Add a family of one sample without labels, which is of no bean."""
        sample = f"{name} {number_text(value)}\n".encode()
        self._families[name] = Family(name, type_, meaning, [sample])

    def pieces(self, form: Format) -> Iterator[bytes]:
        """Return the exposition in pieces, whose number and sizes grow with that of samples."""
        for name in sorted(self._families):
            family = self._families[name]
            if family.pieces:
                yield family.head(form).encode()
                yield from family.pieces
        if form is Format.OPEN_METRICS:
            yield b"# EOF\n"

    def _family(self, name: str, type_: Type, bean: Bean) -> list[bytes]:
        family = self._families.get(name)
        if family is None:
            family = self._families[name] = Family(name, type_, bean.meaning)
        return family.pieces

    def _add_gauges(self, bean: Bean, points: Sequence[Point]) -> None:
        texts = LABEL_TEXTS[bean.tags]
        first = points[0][1]
        if first.__class__ is int and all(value is first for _, value in points):
            # Such as how many replicas a partition has, of 500 partitions: joined at once.
            labels = [texts[tags] for tags, _ in points]
            for each in names_of(bean):
                lines = f" {first}\n{each.name}".join(labels)
                piece = f"{each.name}{lines} {first}\n".encode()
                self._family(each.name, Type.GAUGE, bean).append(piece)
            return
        numbers = [
            # Most are whole numbers, and there are many.
            f"{texts[tags]} {value if value.__class__ is int else number_text(value)}\n"
            for tags, value in points
            if value.__class__ is int or isinstance(value, NUMBERS)
        ]
        for each in names_of(bean):
            name = each.name
            pieces = self._family(name, Type.GAUGE, bean)
            if numbers:
                pieces.append((name + name.join(numbers)).encode())

    def _add_attributes(self, bean: Bean, points: Iterable[Point]) -> None:
        for tags, attributes in points:
            assert isinstance(attributes, Mapping)
            labels = LABEL_TEXTS[bean.tags][tags]
            for attribute, value in attributes.items():
                if isinstance(value, NUMBERS):
                    name, is_counter = attribute_name(bean.domain, bean.type, attribute)
                    type_ = Type.COUNTER if is_counter else Type.GAUGE
                    sample = f"{name}{labels} {number_text(value)}\n".encode()
                    self._family(name, type_, bean).append(sample)

    def _add_measured(self, bean: Bean, points: Iterable[Point]) -> None:
        count = count_name(bean.domain, bean.type, bean.name).name
        percent = mean_rate_name(bean.domain, bean.type, bean.name)
        base = lowered(bean.domain, bean.type, bean.name)
        summary = self._family(base, Type.SUMMARY, bean)
        counted = summary if count == f"{base}_count" else self._family(count, Type.COUNTER, bean)
        for tags, value in points:
            labels = LABEL_TEXTS[bean.tags][tags]
            if isinstance(value, Timer | Histogram):
                durations = value if isinstance(value, Histogram) else value.durations
                summary += quantile_lines(base, labels, durations.spread().quantiles)
            counted.append(f"{count}{labels} {count_of(value)}\n".encode())
            if percent is not None and isinstance(value, Meter):
                gauges = self._family(percent.name, Type.GAUGE, bean)
                mean = number_text(value.rates().mean)
                gauges.append(f"{percent.name}{labels} {mean}\n".encode())


def count_of(value: Value) -> int:
    match value:
        case Timer():
            return value.meter.count
        case Counter() | Meter() | Histogram():
            return value.count
    raise AssertionError(value)


def quantile_lines(name: str, labels: str, quantiles: Sequence[float]) -> Iterator[bytes]:
    before = "{" if not labels else f"{labels[:-1]},"
    for label, quantile in zip(QUANTILE_LABELS, quantiles, strict=True):
        yield f"{name}{before}{label}}} {number_text(quantile)}\n".encode()


@lru_cache(NAMES_KEPT)
def names_of(bean: Bean) -> tuple[SeriesName, ...]:
    """Return `value_names` of *bean*, for which several slices ask."""
    return value_names(bean.domain, bean.type, bean.name)


class LabelTexts(dict[tuple[str, ...], str]):
    """The texts of labels, as `{topic="orders"}`, by the values of *tags*; each is made once.

    All begin anew when they are too many: those of topics that are gone would stay.
    """

    def __init__(self, tags: tuple[str, ...]) -> None:
        super().__init__()
        self._tags = tags

    def __missing__(self, values: tuple[str, ...]) -> str:
        if len(self) >= LABELS_KEPT:
            self.clear()
        text = self[values] = label_text(self._tags, values)
        return text


class LabelTextsByTags(dict[tuple[str, ...], LabelTexts]):
    """Texts of labels by the names of tags, of which beans have few."""

    def __missing__(self, tags: tuple[str, ...]) -> LabelTexts:
        texts = self[tags] = LabelTexts(tags)
        return texts


LABEL_TEXTS: Final = LabelTextsByTags()


def label_text(tags: tuple[str, ...], values: tuple[str, ...]) -> str:
    """Return `{topic="orders"}`; nothing without labels."""
    labels = labels_of(zip(tags, values, strict=True))
    if not labels:
        return ""
    return "{" + ",".join(f'{key}="{value.translate(ESCAPED)}"' for key, value in labels) + "}"


def number_text(value: float) -> str:
    if isinstance(value, int):
        return str(int(value))
    if math.isfinite(value):
        return repr(value)
    return "NaN" if value != value else "+Inf" if value > 0 else "-Inf"


def wanted_format(accept: str) -> Format:
    """Return the format that a client's header Accept wants: OpenMetrics only if it is named."""
    is_named = accepts(accept, "application/openmetrics-text")
    return Format.OPEN_METRICS if is_named else Format.TEXT
