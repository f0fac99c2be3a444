"""Metrics for eyes and for logs: the forms of Yammer's ConsoleReporter and Slf4jReporter."""

from collections.abc import Iterator
from typing import Final

from cluster.metrics.beans import Bean, Kind
from cluster.metrics.registry import Value, attributes_of

CONSOLE_LABELS: Final = {
    "Value": "value",
    "Count": "count",
    "MeanRate": "mean rate",
    "OneMinuteRate": "1-minute rate",
    "FiveMinuteRate": "5-minute rate",
    "FifteenMinuteRate": "15-minute rate",
    "Min": "min",
    "Max": "max",
    "Mean": "mean",
    "StdDev": "stddev",
    "50thPercentile": "median",
    "75thPercentile": "75% <=",
    "95thPercentile": "95% <=",
    "98thPercentile": "98% <=",
    "99thPercentile": "99% <=",
    "999thPercentile": "99.9% <=",
}
LABEL_WIDTH: Final = 18

LOG_FIELDS: Final = {
    "Value": "value",
    "Count": "count",
    "Min": "min",
    "Max": "max",
    "Mean": "mean",
    "StdDev": "stddev",
    "50thPercentile": "median",
    "75thPercentile": "p75",
    "95thPercentile": "p95",
    "98thPercentile": "p98",
    "99thPercentile": "p99",
    "999thPercentile": "p999",
    "MeanRate": "mean_rate",
    "OneMinuteRate": "m1",
    "FiveMinuteRate": "m5",
    "FifteenMinuteRate": "m15",
}
"""In the order of Slf4jReporter."""

UNITS: Final = {
    Kind.METER: ", rate_unit=events/second",
    Kind.TIMER: ", rate_unit=events/second, duration_unit=milliseconds",
}


def console_lines(bean: Bean, tags: tuple[str, ...], value: Value) -> Iterator[str]:
    """Return a metric's name and its attributes, one a line."""
    yield f"{bean.object_name(tags)}:"
    for attribute, number in attributes_of(value).items():
        label = CONSOLE_LABELS.get(attribute, attribute)
        separator = " " if label.endswith("<=") else " = "
        yield f"  {label:>{LABEL_WIDTH}}{separator}{text_of(number)}"


def log_line(bean: Bean, tags: tuple[str, ...], value: Value) -> str:
    """Return a metric as one line of `key=value`."""
    attributes = attributes_of(value)
    order = LOG_FIELDS if bean.kind is not Kind.ATTRIBUTES else dict.fromkeys(attributes, "")
    fields = "".join(
        f", {LOG_FIELDS.get(attribute, attribute)}={text_of(attributes[attribute])}"
        for attribute in order
        if attribute in attributes
    )
    kind, name = bean.kind.name, bean.object_name(tags)
    return f"type={kind}, name={name}{fields}{UNITS.get(bean.kind, '')}"


def text_of(number: float | str) -> str:
    return f"{number:.2f}" if isinstance(number, float) else str(number)
