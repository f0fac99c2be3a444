"""Prometheus's text format: samples of Kafka under the names of jmx_exporter's rules for Kafka.

Other samples are left out.  The names that jmx_exporter gives without rules are translated.
"""

import re
from typing import Final

from cluster.metrics.series_names import series_of
from kadmin.plan.metrics.samples import SampleCollection

LINE_MAX: Final = 64 * 1024
"""A longer line is no sample of Kafka, and would take a lot of memory to parse."""
SAMPLE: Final = re.compile(
    r"(kafka_[\w:]+)"
    r'(?:\{([^"}]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"}]*)*)\})?'
    r"\s+(\S+)(?:\s+[-+.\w]+)?(?:\s+#.*)?"
)
"""Name, labels and value; behind these may be a time, and an exemplar of OpenMetrics."""
LABEL: Final = re.compile(r'\s*(\w+)="((?:[^"\\]|\\.)*)"\s*,?')
ESCAPE: Final = re.compile(r"\\(.)")

WITHOUT_RULES: Final = re.compile(
    r"kafka_(coordinator_\w+?|[a-z]+)_([A-Z]\w*?)_([A-Z]\w*|\d+thPercentile)"
)
"""Domain, type and attribute of a bean, whose name is in the label `name`."""


def read_samples(text: str) -> SampleCollection:
    """Read an exposition; lines that are not samples of Kafka count as comments."""
    found = SampleCollection()
    for line in text.split("\n"):  # Labels may have what else ends a line elsewhere.
        match = SAMPLE.fullmatch(line.rstrip()) if len(line) <= LINE_MAX else None
        if match is None:
            continue
        name, labels, number = match.groups()
        try:
            value = float(number)
        except ValueError:
            continue
        add(found, name, read_labels(labels or ""), value)
    return found


def read_labels(text: str) -> dict[str, str]:
    return {key: ESCAPE.sub(unescaped, value) for key, value in LABEL.findall(text)}


def unescaped(match: re.Match[str]) -> str:
    return "\n" if match[1] == "n" else match[1]


def add(found: SampleCollection, name: str, labels: dict[str, str], value: float) -> None:
    raw = WITHOUT_RULES.fullmatch(name)
    if raw is None or "name" not in labels:
        found.add(name, labels, value)
        return
    domain = f"kafka.{raw[1].replace('_', '.')}"
    bean_name = labels.pop("name")
    names, by_rules = series_of(domain, raw[2], bean_name, labels.items(), raw[3])
    for each in names:
        found.add(each.name, dict(by_rules), value)
