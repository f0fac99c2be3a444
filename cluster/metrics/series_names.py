"""Names of Prometheus series of Kafka's beans: those of jmx_exporter's rules for Kafka.

Source: `kafka-2_0_0.yml` among jmx_exporter's examples, which most public dashboards expect, and
for percentages and beans without a name the rules of Strimzi, which its dashboards expect.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

ILLEGAL: Final = re.compile(r"[^a-zA-Z0-9:]+")
"""Underscores as well: several in a row become one."""
PER_SECOND: Final = re.compile(r"(.+)PerSec\w*")
PERCENT: Final = re.compile(r"(.+)Percent\w*")
PERCENTILE: Final = re.compile(r"(\d+)thPercentile")

Labels = tuple[tuple[str, str], ...]


class SeriesName(NamedTuple):
    """The name of a series, and whether its value only ever grows."""

    name: str
    is_counter: bool = False


def value_names(domain: str, type_: str, name: str) -> tuple[SeriesName, ...]:
    """Return the series of a gauge's value; a percentage has one of each set of rules."""
    percent = mean_rate_name(domain, type_, name)
    return (SeriesName(lowered(domain, type_, name)), *(() if percent is None else (percent,)))


def count_name(domain: str, type_: str, name: str) -> SeriesName:
    """Return the series of how often a meter, a timer or a histogram was updated."""
    per_second = PER_SECOND.fullmatch(name)
    if per_second is not None:
        return SeriesName(f"{lowered(domain, type_, per_second[1])}_total", is_counter=True)
    return SeriesName(f"{lowered(domain, type_, name)}_count", is_counter=True)


def mean_rate_name(domain: str, type_: str, name: str) -> SeriesName | None:
    """Return the series of a percentage, the mean rate of a meter; None for all other beans."""
    percent = PERCENT.fullmatch(name)
    return None if percent is None else SeriesName(f"{lowered(domain, type_, percent[1])}_percent")


def attribute_name(domain: str, type_: str, attribute: str) -> SeriesName:
    """Return the series of an attribute of a bean without a name."""
    return SeriesName(lowered(domain, type_, attribute), is_counter=attribute.endswith("-total"))


def labels_of(tags: Iterable[tuple[str, str]]) -> Labels:
    """Return the labels of *tags*; host and port of a broker are one label."""
    found = dict(tags)
    if "brokerHost" in found and "brokerPort" in found:
        found["broker"] = f"{found.pop('brokerHost')}:{found.pop('brokerPort')}"
    return tuple((ILLEGAL.sub("_", tag), value) for tag, value in found.items() if value)


def series_of(
    domain: str, type_: str, name: str, tags: Iterable[tuple[str, str]], attribute: str
) -> tuple[tuple[SeriesName, ...], Labels]:
    """Return the series that have the *attribute* of a bean, and their labels; most have one,
    and attributes that no rule names have none."""
    labels = labels_of(tags)
    percentile = PERCENTILE.fullmatch(attribute)
    if not name:
        return (attribute_name(domain, type_, attribute),), labels
    if percentile is not None:
        quantile = ("quantile", f"0.{percentile[1]}")
        return (SeriesName(lowered(domain, type_, name)),), (*labels, quantile)
    if attribute == "Value":
        return value_names(domain, type_, name), labels
    if attribute == "Count":
        return (count_name(domain, type_, name),), labels
    percent = mean_rate_name(domain, type_, name) if attribute == "MeanRate" else None
    return (() if percent is None else (percent,)), labels


def lowered(domain: str, type_: str, name: str) -> str:
    return ILLEGAL.sub("_", f"{domain}_{type_}_{name}").lower()
