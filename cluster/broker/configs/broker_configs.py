"""The configs of one broker: every source of a value, and which one wins.

What stands in ZooKeeper for the broker wins, then what stands there for all brokers, the
cluster-wide default; then come `server.properties` and the default of the key.  Where a config has
synonyms, each source is asked for all of them before the next one is.
Source: Kafka's DynamicBrokerConfig and ConfigHelper.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import dropwhile
from types import MappingProxyType
from typing import Final, NamedTuple

from cluster.broker.configs.dynamic_config_validation import Remark, compacts, effective
from cluster.broker.configs.supported_configs import (
    BROKER_SYNONYMS,
    LISTED_WHERE_SET,
    SUPPORTED_BROKER_CONFIGS,
    SUPPORTED_TOPIC_CONFIGS,
    WITHOUT_DEFAULT,
    Applier,
)
from cluster.model.config_source import ConfigSource, ConfigSynonym
from cluster.model.config_spec import ConfigSpec, trimmed
from cluster.storage.log_config import UNLIMITED

NO_RETENTION_LIMIT: Final = {"retention.ms": str(UNLIMITED), "retention.bytes": str(UNLIMITED)}

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class ConfigUpdate(NamedTuple):
    """What other overrides in ZooKeeper have come to."""

    changed: Mapping[str, str | None]
    """The configs with another value than before; None for one that has none now."""
    appliers: frozenset[Applier]
    """Who has to apply them."""
    remarks: tuple[Remark, ...]


class BrokerConfigs:
    """The configs of one broker, of those that are supported."""

    __slots__ = ("_cluster_default", "_per_broker", "_static", "topic_defaults")

    def __init__(self, static: Mapping[str, str] = NOTHING) -> None:
        """*static* is server.properties, which has been checked."""
        self._static = {
            name: trimmed(static[name]) for name in static if name in SUPPORTED_BROKER_CONFIGS
        }
        self._cluster_default: Mapping[str, str] = NOTHING
        self._per_broker: Mapping[str, str] = NOTHING
        self.topic_defaults: Mapping[str, str] = topic_defaults(self._static)
        """The topic configs that the broker's own give defaults for, under the topics' names."""

    def update(
        self, cluster_default: Mapping[str, str], per_broker: Mapping[str, str]
    ) -> ConfigUpdate:
        """Go by what stands in ZooKeeper now, and return what follows from it.

        What is wrong there is left out.  Where logs shall be compacted, which this broker does
        not, topics without a policy of their own are kept whole: that loses nothing.
        """
        before, defaults_before = self.values(), self.topic_defaults
        self._cluster_default, remarks = effective(cluster_default, is_cluster_default=True)
        self._per_broker, own_remarks = effective(per_broker, is_cluster_default=False)
        defaults = topic_defaults(self._set_values())
        if compacts(per_broker, cluster_default):
            defaults |= NO_RETENTION_LIMIT
        self.topic_defaults = defaults
        after = self.values()
        changed = {name: after[name] for name in after if after[name] != before[name]}
        topics_changed = {
            name
            for name in defaults.keys() | defaults_before.keys()
            if defaults.get(name) != defaults_before.get(name)
        }
        return ConfigUpdate(
            changed,
            frozenset(SUPPORTED_BROKER_CONFIGS[name].applied_by for name in changed)
            | frozenset(SUPPORTED_TOPIC_CONFIGS[name].applied_by for name in topics_changed),
            remarks + own_remarks,
        )

    def _set_values(self) -> dict[str, str]:
        """What somebody has set of the configs that are supported."""
        values = {**self._static, **self._cluster_default, **self._per_broker}
        return {name: values[name] for name in values if name in SUPPORTED_BROKER_CONFIGS}

    def values(self) -> dict[str, str | None]:
        """The values of all configs that are supported; None where there is none."""
        defaults = {name: self._default(name) for name in SUPPORTED_BROKER_CONFIGS}
        return {**defaults, **self._set_values()}

    def text(self, name: str) -> str:
        """The value of a config that is supported; empty when there is none."""
        return self.values()[name] or ""

    def number(self, name: str) -> int:
        """The value of a config that is supported, has a default and is a whole number."""
        return int(self.text(name))

    def names(self) -> tuple[str, ...]:
        """The configs that clients are told of: those that are supported, and others that stand in
        ZooKeeper and have no effect."""
        supported = dict.fromkeys(
            name
            for name in SUPPORTED_BROKER_CONFIGS
            if name not in LISTED_WHERE_SET or name in self._static
        )
        return tuple({**supported, **self._cluster_default, **self._per_broker})

    def cluster_default_names(self) -> tuple[str, ...]:
        """The configs that stand in ZooKeeper for all brokers."""
        return tuple(self._cluster_default)

    def synonyms(self, name: str, kafkas: ConfigSpec | None = None) -> tuple[ConfigSynonym, ...]:
        """All sources of the config *name* and of its synonyms; the first one wins.

        None at all where that one is of another key: Kafka calls such a value a default.  *kafkas*
        is the spec of a config that is not supported.
        """
        names = BROKER_SYNONYMS.get(name, (name,))
        sources = (
            (ConfigSource.DYNAMIC_BROKER_CONFIG, self._per_broker.get),
            (ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG, self._cluster_default.get),
            (ConfigSource.STATIC_BROKER_CONFIG, self._static.get),
            (ConfigSource.DEFAULT_CONFIG, lambda one: self._default(one, kafkas)),
        )
        return tuple(dropwhile(lambda one: one.name != name, each_synonym(names, sources)))

    def _default(self, name: str, kafkas: ConfigSpec | None = None) -> str | None:
        if name in WITHOUT_DEFAULT:
            return None
        row = SUPPORTED_BROKER_CONFIGS.get(name)
        spec = kafkas if row is None else row.spec
        return None if spec is None else spec.default


def each_synonym(
    names: tuple[str, ...],
    sources: tuple[tuple[ConfigSource, Callable[[str], str | None]], ...],
) -> Iterator[ConfigSynonym]:
    for source, value_of in sources:
        for name in names:
            value = value_of(name)
            if value is not None:
                yield ConfigSynonym(source, name, value)


def topic_defaults(values: Mapping[str, str]) -> dict[str, str]:
    """The topic configs that a broker's *values* give defaults for, under the topics' names.

    The values are legal, and there are those only that somebody has set.
    """
    defaults = {}
    for name, row in SUPPORTED_TOPIC_CONFIGS.items():
        spec = row.spec
        if spec.synonym is not None and spec.synonym in values:
            defaults[name] = trimmed(values[spec.synonym])
            continue
        fallback = next((one for one in spec.fallbacks if one.name in values), None)
        if fallback is not None:
            value = int(trimmed(values[fallback.name]))
            defaults[name] = str(value if value == UNLIMITED else value * fallback.unit_ms)
    return defaults
