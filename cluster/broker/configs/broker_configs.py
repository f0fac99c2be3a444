"""The configs of one broker: every source of a value, and which one wins.

The override for the broker in ZooKeeper wins, then the cluster-wide default in ZooKeeper; then come
`server.properties` and the default of the key.  Where a config has synonyms, each source is
searched for all of them before the next one. Source: Kafka's DynamicBrokerConfig and ConfigHelper.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import dropwhile
from types import MappingProxyType
from typing import Final, NamedTuple

from cluster.broker.configs.dynamic_config_validation import (
    Remark,
    base_name,
    broker_spec,
    change_problem,
    effective,
    placed,
)
from cluster.broker.configs.listeners import (
    LISTENER_KEYS,
    InvalidListeners,
    Listeners,
    check_inter_broker,
    read_listeners,
)
from cluster.broker.configs.reconfiguration import reconfiguration_problem
from cluster.broker.configs.supported_configs import (
    BROKER_SYNONYMS,
    LISTED_WHERE_SET,
    MAX_CONNECTIONS,
    SUPPORTED_BROKER_CONFIGS,
    SUPPORTED_TOPIC_CONFIGS,
    TOPIC_DEFAULTS,
    WITHOUT_DEFAULT,
    Applier,
)
from cluster.model.config_source import ConfigSource, ConfigSynonym
from cluster.model.config_spec import trimmed
from cluster.model.config_table import LISTENER_PREFIX, TOPIC_CONFIGS
from cluster.model.kafka_broker_configs import KAFKA_BROKER_CONFIGS
from cluster.storage.log_config import UNLIMITED

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class ConfigUpdate(NamedTuple):
    """The result of other overrides in ZooKeeper."""

    changed: Mapping[str, str | None]
    """The configs whose values have changed; None for one that has no value now."""
    appliers: frozenset[Applier]
    """The parts that have to apply them."""
    remarks: tuple[Remark, ...]


class BrokerConfigs:
    """The configs of one broker: the values of supported ones, and the sources of all."""

    __slots__ = ("_cluster_default", "_per_broker", "_static", "topic_defaults")

    def __init__(self, static: Mapping[str, str] = NOTHING) -> None:
        """*static* is server.properties, which has been validated."""
        self._static = {name: trimmed(static[name]) for name in static}
        self._cluster_default: Mapping[str, str] = NOTHING
        self._per_broker: Mapping[str, str] = NOTHING
        self.topic_defaults: Mapping[str, str] = topic_defaults(self._set_values())
        """The topic configs whose defaults the broker's own configs set, under the topics'
        names.
        """

    def update(
        self, cluster_default: Mapping[str, str], per_broker: Mapping[str, str]
    ) -> ConfigUpdate:
        """Use the overrides that ZooKeeper has now, and return what follows.

        Invalid ones are left out.
        """
        before, defaults_before = self.values(), self.topic_defaults
        limits_before = self.listener_limits()
        self._cluster_default, remarks = effective(cluster_default, is_cluster_default=True)
        self._per_broker, own_remarks = effective(per_broker, is_cluster_default=False)
        try:
            self.listeners()
        except InvalidListeners as error:
            # Keep the bound listeners: otherwise the broker could not be reached to repair it.
            self._per_broker = without(self._per_broker, LISTENER_KEYS)
            remark = Remark(True, f"{error.key} is ignored: {error}")
            own_remarks += (placed(remark, is_cluster_default=False),)
        defaults = topic_defaults(self._set_values())
        self.topic_defaults = defaults
        after = self.values()
        changed = {name: after[name] for name in after if after[name] != before[name]}
        topics_changed = {
            name
            for name in defaults.keys() | defaults_before.keys()
            if defaults.get(name) != defaults_before.get(name)
        }
        are_limits_new = limits_before != self.listener_limits()
        return ConfigUpdate(
            changed,
            frozenset(SUPPORTED_BROKER_CONFIGS[name].applied_by for name in changed)
            | frozenset([Applier.CONNECTION_QUOTAS] if are_limits_new else [])
            | frozenset(SUPPORTED_TOPIC_CONFIGS[name].applied_by for name in topics_changed),
            remarks + own_remarks,
        )

    def _set_values(self) -> dict[str, str]:
        """The supported configs that are set in any source."""
        values = {**self._static, **self._cluster_default, **self._per_broker}
        return {name: values[name] for name in values if name in SUPPORTED_BROKER_CONFIGS}

    def values(self) -> dict[str, str | None]:
        """The values of all supported configs; None where there is none."""
        defaults = {name: self._default(name) for name in SUPPORTED_BROKER_CONFIGS}
        return {**defaults, **self._set_values()}

    def text(self, name: str) -> str:
        """The value of a supported config; empty when there is none."""
        return self.values()[name] or ""

    def number(self, name: str) -> int:
        """The value of a supported config that has a default and is a whole number."""
        return int(self.text(name))

    def listener_limits(self) -> dict[str, int]:
        """The connection limits of single listeners, by their names."""
        values = {**self._static, **self._cluster_default, **self._per_broker}
        return {
            name.removeprefix(LISTENER_PREFIX).partition(".")[0].upper(): int(values[name])
            for name in values
            if name != MAX_CONNECTIONS and base_name(name) == MAX_CONNECTIONS
        }

    def listeners(self) -> Listeners:
        """The addresses to listen at.  Raises InvalidListeners."""
        found = read_listeners(self.text)
        at_first = read_listeners(partial(self._value_in, self._static))
        check_inter_broker(at_first.inter_broker, found)
        return found

    def change_problem(
        self, changes: Mapping[str, str], after: Mapping[str, str], *, is_cluster_default: bool
    ) -> str | None:
        """Why *changes* may not be made for this broker, or for all; None when they may.

        *after* are the resulting overrides in ZooKeeper.  Existing ones are not validated: they may
        be meant for other brokers, or encrypted.
        """
        problem = change_problem(changes, is_cluster_default=is_cluster_default)
        if problem is not None:
            return problem
        legal, _ = effective(after, is_cluster_default=is_cluster_default)
        layers = (legal, self._per_broker) if is_cluster_default else (self._cluster_default, legal)
        now = {**self._static, **self._cluster_default, **self._per_broker}
        then = {**self._static, **layers[0], **layers[1]}
        return reconfiguration_problem(
            partial(self._value_in, now), partial(self._value_in, then), changes
        )

    def _value_in(self, values: Mapping[str, str], name: str) -> str:
        """The value of *name* in *values*, or its default; empty for none."""
        if name in TOPIC_DEFAULTS:
            # Here the value of a synonym is in the unit of *name*.
            topics = TOPIC_DEFAULTS[name]
            legal = {one: values[one] for one in values if one in SUPPORTED_BROKER_CONFIGS}
            return topic_defaults(legal).get(topics) or TOPIC_CONFIGS[topics].default or ""
        for one in self._synonym_names(name):
            if one in values:
                return values[one]
        defaults = map(self._default, self._synonym_names(name))
        return next((one for one in defaults if one is not None), "")

    def names(self) -> tuple[str, ...]:
        """The configs that clients see: Kafka's, ours, and unknown ones in server.properties or
        ZooKeeper, where a plug-in of Kafka's may read them."""
        known = dict.fromkeys(
            name
            for name in (*KAFKA_BROKER_CONFIGS, *SUPPORTED_BROKER_CONFIGS)
            if name not in LISTED_WHERE_SET
        )
        return tuple({**known, **self._static, **self._cluster_default, **self._per_broker})

    def cluster_default_names(self) -> tuple[str, ...]:
        """The configs that ZooKeeper has for all brokers."""
        return tuple(self._cluster_default)

    def synonyms(self, name: str) -> tuple[ConfigSynonym, ...]:
        """All sources of the config *name* and of its synonyms; the first one wins.

        Empty where the first one is of another key: Kafka calls such a value a default.
        """
        sources = (
            (ConfigSource.DYNAMIC_BROKER_CONFIG, self._per_broker.get),
            (ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG, self._cluster_default.get),
            (ConfigSource.STATIC_BROKER_CONFIG, self._static.get),
            (ConfigSource.DEFAULT_CONFIG, self._default),
        )
        found = each_synonym(self._synonym_names(name), sources)
        return tuple(dropwhile(lambda one: one.name != name, found))

    @staticmethod
    def _synonym_names(name: str) -> tuple[str, ...]:
        base = base_name(name)
        return (name, base) if base != name else BROKER_SYNONYMS.get(name, (name,))

    @staticmethod
    def _default(name: str) -> str | None:
        if name in WITHOUT_DEFAULT or name.startswith(LISTENER_PREFIX):
            return None
        spec = broker_spec(name)
        return None if spec is None else spec.default


def without(values: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name not in names}


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
    """The topic configs whose defaults a broker's *values* set, under the topics' names.

    *values* are legal, and contain only configs that are set.
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
