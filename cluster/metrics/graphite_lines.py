"""Lines of Graphite's plain text protocol, with the names and fields of metrics-graphite 2.2.

Source: GraphiteReporter of Yammer's metrics 2.2.
"""

import math
import re
from collections.abc import Iterator
from typing import Final

from cluster.metrics.beans import Bean, Kind
from cluster.metrics.registry import Value, attributes_of
from cluster.metrics.scopes import scope_of

BLANK: Final = re.compile(r"\s")

FIELDS: Final = {
    "Value": "value",
    "Count": "count",
    "MeanRate": "meanRate",
    "OneMinuteRate": "1MinuteRate",
    "FiveMinuteRate": "5MinuteRate",
    "FifteenMinuteRate": "15MinuteRate",
    "Min": "min",
    "Max": "max",
    "Mean": "mean",
    "StdDev": "stddev",
    "50thPercentile": "median",
    "75thPercentile": "75percentile",
    "95thPercentile": "95percentile",
    "98thPercentile": "98percentile",
    "99thPercentile": "99percentile",
    "999thPercentile": "999percentile",
}
"""By attributes of JMX."""


def graphite_lines(
    bean: Bean, tags: tuple[str, ...], value: Value, prefix: str, time_s: int
) -> Iterator[str]:
    """Return a line for each field of a metric, each with its newline; none for texts, which
    Graphite does not take, and for Kafka's own metrics, which are none of Yammer's."""
    if bean.kind is Kind.ATTRIBUTES:
        return
    path = path_of(bean, tags, prefix)
    for attribute, number in attributes_of(value).items():
        if not isinstance(number, int | float) or not math.isfinite(number):
            continue
        is_whole = attribute == "Count" or bean.kind is Kind.GAUGE
        text = (
            str(int(number) if isinstance(number, bool) else number)
            if is_whole
            else (f"{number:.2f}")
        )
        yield f"{path}.{FIELDS[attribute]} {text} {time_s}\n"


def path_of(bean: Bean, tags: tuple[str, ...], prefix: str) -> str:
    parts = (prefix, bean.domain, bean.type, scope_of(bean.tags, tags), bean.name)
    return BLANK.sub("-", ".".join(part for part in parts if part))
