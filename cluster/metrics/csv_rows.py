"""Rows of Kafka's CSV reporter: a file for each metric, its header, and a row each time.

Source: Kafka's KafkaCSVMetricsReporter and CsvReporter of Yammer's metrics 2.2.
"""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from cluster.metrics.beans import Bean, Kind
from cluster.metrics.registry import Value, attributes_of
from cluster.metrics.scopes import scope_of

NAME_MAX: Final = 200
"""File systems take 255 bytes, and a kind of file may need some of them."""
SUFFIX: Final = ".csv"
UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")

RATES: Final = ("Count", "OneMinuteRate", "MeanRate", "FiveMinuteRate", "FifteenMinuteRate")
SPREAD: Final = (
    *("Min", "Max", "Mean", "50thPercentile", "StdDev"),
    *("95thPercentile", "99thPercentile", "999thPercentile"),
)
SPREAD_HEADER: Final = "# time,min,max,mean,median,stddev,95%,99%,99.9%"

COLUMNS: Final[dict[Kind, tuple[str, Sequence[str]]]] = {
    Kind.GAUGE: ("# time,value", ("Value",)),
    Kind.COUNTER: ("# time,count", ("Count",)),
    Kind.METER: ("# time,count,1 min rate,mean rate,5 min rate,15 min rate", RATES),
    Kind.HISTOGRAM: (SPREAD_HEADER, SPREAD),
    Kind.TIMER: (SPREAD_HEADER, SPREAD),
}
"""Of each kind the header and the attributes of a row.  Kafka's own metrics have no files, since
they are none of Yammer's."""


def file_name(bean: Bean, tags: tuple[str, ...]) -> str:
    """Return the name of a metric's file, which no other metric of its type has.

    Kafka's is the name alone, which metrics of different topics share.
    """
    scope = scope_of(bean.tags, tags)
    stem = UNSAFE.sub("_", f"{bean.name}.{scope}" if scope else bean.name)
    if len(stem) > NAME_MAX:
        digest = blake2b(stem.encode(), digest_size=8).hexdigest()
        stem = f"{stem[: NAME_MAX - len(digest) - 1]}-{digest}"
    return stem + SUFFIX


def header(bean: Bean) -> str:
    return COLUMNS[bean.kind][0]


def row(bean: Bean, value: Value, time_s: int) -> str:
    """Return the row of *value* at *time_s*, which counts from the start of the reporter."""
    attributes = attributes_of(value)
    cells = (attributes[name] for name in COLUMNS[bean.kind][1])
    return ",".join(map(str, (time_s, *cells)))
