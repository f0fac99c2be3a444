"""Which configs does a topic have, who says so, and which may it have?"""

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Final, NamedTuple

from cluster.api.ports import ApiSettings
from cluster.api.topic_settings import TopicSettings
from cluster.model.config_spec import ConfigSpec, ValueKind
from cluster.model.config_table import TOPIC_CONFIGS, conflict_of, topic_config_problem
from cluster.storage.errors import InvalidLogConfig


class Source(IntEnum):
    """Who says it, by Kafka's numbers."""

    TOPIC = 1
    STATIC_BROKER = 4
    DEFAULT = 5


KIND_NUMBERS: Final = {
    ValueKind.BOOLEAN: 1,
    ValueKind.STRING: 2,
    ValueKind.INT: 3,
    ValueKind.SHORT: 4,
    ValueKind.LONG: 5,
    ValueKind.DOUBLE: 6,
    ValueKind.LIST: 7,
    ValueKind.CLASS: 8,
    ValueKind.PASSWORD: 9,
}
"""Kafka's numbers for types of values."""
assert KIND_NUMBERS.keys() == set(ValueKind)


WITHOUT_DEFAULT: Final = frozenset(
    {"log.flush.interval.ms", "log.retention.ms", "log.roll.jitter.ms", "log.roll.ms"}
)
"""Brokers' keys that have no value unless somebody sets them: Kafka takes that of another key then,
in hours for most.  Source: what Kafka 3.9.1 answers."""


class Said(NamedTuple):
    """One value; *name* is the broker's key where the broker says it."""

    name: str
    value: str | None
    source: Source


def said_of(
    spec: ConfigSpec, overrides: Mapping[str, str], settings: ApiSettings
) -> Iterator[Said]:
    """All values that *spec* has for a topic with *overrides*; the first one counts."""
    if spec.name in overrides:
        yield Said(spec.name, overrides[spec.name], Source.TOPIC)
    broker_name = spec.synonym or spec.name
    if spec.name in settings.topic_defaults:
        yield Said(broker_name, settings.topic_defaults[spec.name], Source.STATIC_BROKER)
    yield Said(broker_name, spec.default, Source.DEFAULT)


def synonyms_of(spec: ConfigSpec, said: Iterable[Said]) -> tuple[Said, ...]:
    """What of *said* Kafka tells as synonyms: no default where a broker's key has none."""
    has_default = spec.synonym is not None and spec.synonym not in WITHOUT_DEFAULT
    return tuple(one for one in said if has_default or one.source is not Source.DEFAULT)


def topic_configs(
    overrides: Mapping[str, str], settings: ApiSettings
) -> Iterator[tuple[ConfigSpec, Said]]:
    """Every config that a topic has, with the value that counts."""
    for spec in TOPIC_CONFIGS.values():
        yield spec, next(said_of(spec, overrides, settings))


def configs_problem(overrides: Mapping[str, str], settings: ApiSettings) -> str | None:
    """Why no topic may have *overrides* here; None when one may."""
    for name, value in overrides.items():
        problem = topic_config_problem(name, value)
        if problem is not None:
            return problem
    conflict = conflict_of(overrides)
    if conflict is not None:
        return conflict
    try:
        TopicSettings.parse(settings.topic_defaults, overrides)
    except InvalidLogConfig as error:
        return str(error)
    return None
