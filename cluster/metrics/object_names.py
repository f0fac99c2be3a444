"""Patterns of JMX's ObjectNames: which metrics does one match?

Source: javax.management.ObjectName.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

from cluster.metrics.beans import Bean, quoted

PROPERTY: Final = re.compile(r'([^=,:*?"]+)=("(?:[^"\\]|\\.)*"|[^,="]*)(?:,|$)')
ANY: Final = "*"
PATTERNS_KEPT: Final = 256


class MalformedObjectName(ValueError):
    """A text that is no ObjectName."""


@dataclass(frozen=True, slots=True)
class ObjectNamePattern:
    """A pattern; *properties* are those it names, and *has_more* is whether there may be others."""

    domain: str
    properties: Mapping[str, str]
    has_more: bool

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `kafka.server:type=ReplicaManager,*`; raises MalformedObjectName."""
        domain, colon, rest = text.partition(":")
        if not colon:
            raise MalformedObjectName("Domain part must be specified")
        if not rest:
            raise MalformedObjectName("Key properties cannot be empty")
        has_more = rest == ANY or rest.endswith(",*") or rest.startswith("*,")
        left = "" if rest == ANY else rest.removesuffix(",*").removeprefix("*,")
        properties: dict[str, str] = {}
        while left:
            found = PROPERTY.match(left)
            if found is None or found[1] in properties:
                raise MalformedObjectName(f"Invalid character or key in key properties: {left}")
            properties[found[1]] = found[2]
            left = left[found.end() :]
        return cls(domain, properties, has_more)

    @property
    def is_pattern(self) -> bool:
        return (
            self.has_more
            or is_glob(self.domain)
            or any(map(is_value_pattern, self.properties.values()))
        )

    def may_match(self, bean: Bean) -> bool:
        """Return whether metrics of *bean* may match, whatever the values of their tags."""
        known = {"type": bean.type, "name": bean.name}
        names = {key for key in (*known, *bean.tags) if key != "name" or bean.name}
        return (
            glob_matches(self.domain, bean.domain)
            and names >= self.properties.keys()
            and all(
                value_matches(value, known[key])
                for key, value in self.properties.items()
                if key in known
            )
        )

    def matches(self, bean: Bean, tags: tuple[str, ...]) -> bool:
        """Return whether a metric matches."""
        properties = dict(properties_of(bean, tags))
        return (
            glob_matches(self.domain, bean.domain)
            and (properties.keys() >= self.properties.keys())
            and (self.has_more or properties.keys() == self.properties.keys())
            and all(value_matches(value, properties[key]) for key, value in self.properties.items())
        )


def properties_of(bean: Bean, tags: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Return the properties of a metric's ObjectName in Kafka's order."""
    yield "type", bean.type
    if bean.name:
        yield "name", bean.name
    yield from ((tag, quoted(value)) for tag, value in zip(bean.tags, tags, strict=True) if value)


def canonical_name(bean: Bean, tags: tuple[str, ...]) -> str:
    """Return a metric's ObjectName with its properties in the order of the alphabet."""
    properties = ",".join(f"{key}={value}" for key, value in sorted(properties_of(bean, tags)))
    return f"{bean.domain}:{properties}"


def is_glob(text: str) -> bool:
    return "*" in text or "?" in text


def is_value_pattern(value: str) -> bool:
    """Return whether *value* has a wildcard; in quotes a backslash takes that meaning from it."""
    if value.startswith('"'):
        return is_glob(re.sub(r"\\.", "", value))
    return is_glob(value)


def value_matches(pattern: str, value: str) -> bool:
    return pattern == value or (is_value_pattern(pattern) and glob_matches(pattern, value))


def glob_matches(pattern: str, text: str) -> bool:
    """Return whether *text* matches *pattern*, of which only `*` and `?` are special, and not
    these behind a backslash."""
    return compiled(pattern).fullmatch(text) is not None


@lru_cache(PATTERNS_KEPT)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a glob.  Behind a `*` the first place that fits is taken for good, which decides as
    well as all places would, in a time that no pattern can make long."""
    first, *others = re.split(r"(?<!\\)\*+", pattern)
    regex = segment(first)
    if others:
        regex += "".join(f"(?>.*?{segment(each)})" for each in others[:-1])
        regex += f".*{segment(others[-1])}"
    return re.compile(regex, re.DOTALL)


def segment(text: str) -> str:
    parts = re.findall(r"\\.|.", text, re.DOTALL)
    return "".join("." if part == "?" else re.escape(part) for part in parts)
