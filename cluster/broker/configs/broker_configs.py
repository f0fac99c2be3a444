"""What are a broker's configs now, who says so, and what follows for topics?

Keeps server.properties beside what stands in ZooKeeper for this broker and for all.  What stands
there for the broker counts first, then what stands there for all, then the file, then the default.
Source: Kafka's DynamicBrokerConfig and ConfigHelper.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from itertools import dropwhile
from types import MappingProxyType
from typing import Final, NamedTuple

from cluster.broker.configs.dynamic_config_validation import Remark, compacts, sorted_out
from cluster.broker.configs.topic_defaults import topic_defaults
from cluster.model.config_spec import ConfigSpec, trimmed
from cluster.storage.log_config import UNLIMITED


class Source(IntEnum):
    """Who says it, by Kafka's numbers."""

    TOPIC = 1
    DYNAMIC_BROKER = 2
    DYNAMIC_DEFAULT = 3
    STATIC_BROKER = 4
    DEFAULT = 5


class Said(NamedTuple):
    """One value; *name* is the broker's key where the broker says it."""

    name: str
    value: str | None
    source: Source


WITHOUT_DEFAULT: Final = frozenset(
    {
        "log.flush.interval.ms",
        "log.retention.minutes",
        "log.retention.ms",
        "log.roll.jitter.ms",
        "log.roll.ms",
    }
)
"""Brokers' keys that have no value unless somebody sets them: Kafka takes that of another key then,
in hours for most.  Source: what Kafka 3.9.1 answers."""

RETENTION: Final = ("log.retention.ms", "log.retention.minutes", "log.retention.hours")
ROLL: Final = ("log.roll.ms", "log.roll.hours")
SYNONYMS: Final = {
    **dict.fromkeys(RETENTION, RETENTION),
    **dict.fromkeys(ROLL, ROLL),
    "log.flush.interval.ms": ("log.flush.interval.ms", "log.flush.scheduler.interval.ms"),
}
"""Keys that speak of the same; the first one that is set counts."""

NO_RETENTION_LIMIT: Final = {"retention.ms": str(UNLIMITED), "retention.bytes": str(UNLIMITED)}

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
NO_SPECS: Final[Mapping[str, ConfigSpec]] = MappingProxyType({})


class BrokerConfigs:
    """The configs of one broker.  *specs* are the keys that it honours."""

    __slots__ = ("_for_all", "_own", "_static", "specs", "topic_defaults")

    def __init__(
        self, specs: Mapping[str, ConfigSpec] = NO_SPECS, static: Mapping[str, str] = NOTHING
    ) -> None:
        """*static* is server.properties, which has been checked."""
        self.specs = specs
        self._static = {name: trimmed(static[name]) for name in static if name in specs}
        self._for_all: Mapping[str, str] = NOTHING
        self._own: Mapping[str, str] = NOTHING
        self.topic_defaults: Mapping[str, str] = topic_defaults(self._static)
        """The topic configs that the broker's own keys speak of, under the topics' names."""

    def change(self, for_all: Mapping[str, str], own: Mapping[str, str]) -> tuple[Remark, ...]:
        """Go by what stands in ZooKeeper now, and return what should be said of it.

        What is wrong there is left out.  Where logs shall be compacted, which this broker does
        not, topics without a policy of their own are kept whole: that loses nothing.
        """
        kept_for_all, about_all = sorted_out(for_all, self.specs, for_all=True)
        kept_own, about_own = sorted_out(own, self.specs, for_all=False)
        self._for_all, self._own = kept_for_all, kept_own
        defaults = topic_defaults(self._set_values())
        if compacts(own, for_all):
            defaults |= NO_RETENTION_LIMIT
        self.topic_defaults = defaults
        return about_all + about_own

    def _set_values(self) -> dict[str, str]:
        """What somebody has set of the keys that are honoured."""
        values = {**self._static, **self._for_all, **self._own}
        return {name: values[name] for name in values if name in self.specs}

    def values(self) -> dict[str, str | None]:
        """The values of all keys that are honoured; None where there is none."""
        defaults = {name: self._default(name) for name in self.specs}
        return {**defaults, **self._set_values()}

    def text(self, name: str) -> str:
        """The value of a key that is honoured; empty when there is none."""
        return self.values()[name] or ""

    def number(self, name: str) -> int:
        """The value of a key that is honoured, has a default and is a whole number."""
        return int(self.text(name))

    def names(self) -> tuple[str, ...]:
        """The keys that are honoured, and those that are only told of."""
        return tuple({**self.specs, **self._for_all, **self._own})

    def names_for_all(self) -> tuple[str, ...]:
        """The keys that stand in ZooKeeper for all brokers."""
        return tuple(self._for_all)

    def said(self, name: str, default: str | None = None) -> tuple[Said, ...]:
        """All that is said of *name* and of the keys that speak of the same; the first one counts.

        None at all where that one is of another key: Kafka calls such a value a default.  *default*
        is that of a key that is not honoured.
        """
        names = SYNONYMS.get(name, (name,))
        layers = (
            (Source.DYNAMIC_BROKER, self._own.get),
            (Source.DYNAMIC_DEFAULT, self._for_all.get),
            (Source.STATIC_BROKER, self._static.get),
            (Source.DEFAULT, lambda one: self._default(one, default)),
        )
        return tuple(dropwhile(lambda one: one.name != name, each_said(names, layers)))

    def _default(self, name: str, otherwise: str | None = None) -> str | None:
        if name in WITHOUT_DEFAULT:
            return None
        spec = self.specs.get(name)
        return otherwise if spec is None else spec.default


def each_said(
    names: tuple[str, ...], layers: tuple[tuple[Source, Callable[[str], str | None]], ...]
) -> Iterator[Said]:
    for source, value_of in layers:
        for name in names:
            value = value_of(name)
            if value is not None:
                yield Said(name, value, source)
