"""Beans: the names of metrics, their kinds and meanings, as JMX shows those of Kafka."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

PLAIN: Final = re.compile(r"[A-Za-z0-9_\-%. \t]*")
"""Values that a name of JMX has as they are.  Source: Kafka's `Sanitizer.jmxSanitize`."""

ESCAPED: Final = str.maketrans(
    {"\\": r"\\", '"': r"\"", "*": r"\*", "?": r"\?", "\n": r"\n"},
)


class Kind(Enum):
    """What a bean measures, which decides its attributes."""

    GAUGE = "gauge"
    COUNTER = "counter"
    METER = "meter"
    HISTOGRAM = "histogram"
    TIMER = "timer"
    ATTRIBUTES = "attributes"
    """One of Kafka's own metrics beside Yammer's: a bean without a name, whose attributes have
    theirs (`connection-count`)."""


class MetricName(NamedTuple):
    """The name of one metric; as a text, its ObjectName in JMX.

    *name* is empty for `Kind.ATTRIBUTES`; a tag without a value is left out, as in Kafka.
    """

    domain: str
    type: str
    name: str
    tags: tuple[tuple[str, str], ...] = ()
    """In the order of Kafka's names."""

    def __str__(self) -> str:
        text = f"{self.domain}:type={self.type}"
        if self.name:
            text += f",name={self.name}"
        return text + "".join(f",{tag}={quoted(value)}" for tag, value in self.tags if value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bean:
    """Metrics that differ in the values of their tags alone."""

    domain: str
    type: str
    name: str
    kind: Kind
    meaning: str
    tags: tuple[str, ...] = ()
    differs: str = ""
    """How its values differ from Kafka's; empty if they do not."""

    @property
    def pattern(self) -> str:
        """Its ObjectName, but for the values of its tags."""
        return ",".join((f"{MetricName(self.domain, self.type, self.name)}", *self.tags))

    def metric_name(self, tag_values: Sequence[str] = ()) -> MetricName:
        tags = tuple(zip(self.tags, tag_values, strict=True))
        return MetricName(self.domain, self.type, self.name, tags)

    def object_name(self, tag_values: Sequence[str] = ()) -> str:
        return str(self.metric_name(tag_values))


class BeanType(NamedTuple):
    """The beans of one domain and type, of which it makes descriptions."""

    domain: str
    type: str

    def gauge(
        self, name: str, meaning: str, *, tags: tuple[str, ...] = (), differs: str = ""
    ) -> Bean:
        return self._bean(name, Kind.GAUGE, meaning, tags, differs)

    def counter(
        self, name: str, meaning: str, *, tags: tuple[str, ...] = (), differs: str = ""
    ) -> Bean:
        return self._bean(name, Kind.COUNTER, meaning, tags, differs)

    def meter(
        self, name: str, meaning: str, *, tags: tuple[str, ...] = (), differs: str = ""
    ) -> Bean:
        return self._bean(name, Kind.METER, meaning, tags, differs)

    def histogram(
        self, name: str, meaning: str, *, tags: tuple[str, ...] = (), differs: str = ""
    ) -> Bean:
        return self._bean(name, Kind.HISTOGRAM, meaning, tags, differs)

    def timer(
        self, name: str, meaning: str, *, tags: tuple[str, ...] = (), differs: str = ""
    ) -> Bean:
        return self._bean(name, Kind.TIMER, meaning, tags, differs)

    def attributes(self, meaning: str, *, tags: tuple[str, ...] = (), differs: str = "") -> Bean:
        return self._bean("", Kind.ATTRIBUTES, meaning, tags, differs)

    def _bean(
        self, name: str, kind: Kind, meaning: str, tags: tuple[str, ...], differs: str
    ) -> Bean:
        return Bean(
            domain=self.domain,
            type=self.type,
            name=name,
            kind=kind,
            meaning=meaning,
            tags=tags,
            differs=differs,
        )


def quoted(value: str) -> str:
    """Quote *value* as Kafka does in a name of JMX, if it has other than plain characters."""
    return value if PLAIN.fullmatch(value) else f'"{value.translate(ESCAPED)}"'
