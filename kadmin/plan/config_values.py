"""The value of each config of an entity, and the source it comes from.

`config_values` derives them from overrides, the brokers' dynamic defaults, and Kafka's own.  A
broker's server.properties are not in ZooKeeper: only brokers return their values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cluster.model.config_entity import Entity, EntityKind
from cluster.model.config_source import ConfigSource, ConfigSynonym
from cluster.model.config_spec import ConfigSpec
from cluster.model.config_table import CONFIGS, find_spec
from kadmin.plan.config_plan import is_secret, shown_value

KINDS_WITH_DEFAULTS: Final = (EntityKind.TOPICS, EntityKind.BROKERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigValue:
    """One config; *synonyms* are the places that set a value, the one that counts first.

    *value* is None where none is set or it is not returned, *source* where none is set.  Brokers
    may return a value without synonyms, for example one that they derive from a key in other units.
    *spec* is None for a key that kadmin does not know.
    """

    name: str
    value: str | None
    source: ConfigSource | None
    is_sensitive: bool
    synonyms: tuple[ConfigSynonym, ...]
    spec: ConfigSpec | None


def config_values(
    entity: Entity, own: Mapping[str, str], of_all_brokers: Mapping[str, str]
) -> Sequence[ConfigValue]:
    """Return all configs that *entity* has or could have, by name.

    *own* are its overrides, *of_all_brokers* the brokers' dynamic defaults.
    """
    assert entity.kind in KINDS_WITH_DEFAULTS
    names = sorted(own.keys() | CONFIGS[entity.kind].keys())
    return [config_value(entity, name, own, of_all_brokers) for name in names]


def config_value(
    entity: Entity, name: str, own: Mapping[str, str], of_all_brokers: Mapping[str, str]
) -> ConfigValue:
    spec = find_spec(entity.kind, name)
    synonyms = []
    if name in own:
        synonyms.append(
            ConfigSynonym(source_of(entity), name, shown_value(entity.kind, name, own[name]))
        )
    brokers_name = brokers_name_of(entity.kind, name, spec)
    is_all_brokers = source_of(entity) is ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
    if brokers_name is not None and brokers_name in of_all_brokers and not is_all_brokers:
        value = shown_value(EntityKind.BROKERS, brokers_name, of_all_brokers[brokers_name])
        synonyms.append(
            ConfigSynonym(ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG, brokers_name, value)
        )
    if spec is not None and spec.default is not None:
        synonyms.append(
            ConfigSynonym(ConfigSource.DEFAULT_CONFIG, brokers_name or name, spec.default)
        )
    return ConfigValue(
        name=name,
        value=synonyms[0].value if synonyms else None,
        source=synonyms[0].source if synonyms else None,
        is_sensitive=is_secret(entity.kind, name),
        synonyms=tuple(synonyms),
        spec=spec,
    )


def brokers_name_of(kind: EntityKind, name: str, spec: ConfigSpec | None) -> str | None:
    """Return the brokers' key that gives the default of *name*; None where there is none."""
    if kind is EntityKind.BROKERS:
        return name
    return None if spec is None else spec.synonym


def source_of(entity: Entity) -> ConfigSource:
    """Return the source that the overrides of a topic, a broker or all brokers are to others."""
    if entity.kind is EntityKind.TOPICS:
        return ConfigSource.DYNAMIC_TOPIC_CONFIG
    if entity.name is None:
        return ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
    return ConfigSource.DYNAMIC_BROKER_CONFIG
