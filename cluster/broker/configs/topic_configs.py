"""Which configs does a topic have, who says so, and which may it have?"""

from collections.abc import Mapping
from typing import Final, NamedTuple, Self

from cluster.broker.configs.broker_configs import WITHOUT_DEFAULT, Said, Source
from cluster.broker.ports import ApiSettings
from cluster.model.config_spec import ConfigSpec, ValueKind, trimmed
from cluster.model.config_table import TOPIC_CONFIGS, conflict_of, topic_config_problem
from cluster.storage.errors import InvalidLogConfig
from cluster.storage.log_config import LogConfig

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


MIN_ISR: Final = "min.insync.replicas"


class EffectiveTopicConfigs(NamedTuple):
    log: LogConfig
    min_isr: int

    @classmethod
    def parse(cls, defaults: Mapping[str, str], overrides: Mapping[str, str]) -> Self:
        """*defaults* are the broker's for all topics; what it does not say is Kafka's default.

        Raises:
            InvalidLogConfig: no log can be kept by these.
        """
        merged = {**defaults, **overrides}
        log = LogConfig.parse(merged)
        default = TOPIC_CONFIGS[MIN_ISR].default
        assert default is not None
        return cls(log, int(trimmed(merged.get(MIN_ISR, default))))


def synonyms_of(
    spec: ConfigSpec, overrides: Mapping[str, str], settings: ApiSettings
) -> tuple[Said, ...]:
    """All that is said of *spec* for a topic with *overrides*; who says the value comes first.

    Nothing where it is a default that brokers have no key for.
    """
    said: tuple[Said, ...] = ()
    if spec.name in overrides:
        said = (Said(spec.name, overrides[spec.name], Source.TOPIC),)
    if spec.synonym is None:
        return said
    if spec.synonym in settings.configs.specs:
        return said + settings.configs.said(spec.synonym)
    if spec.synonym in WITHOUT_DEFAULT:
        return said
    # A broker's key that is not honoured changes nothing for topics.
    return (*said, Said(spec.synonym, spec.default, Source.DEFAULT))


def value_of(
    spec: ConfigSpec, overrides: Mapping[str, str], settings: ApiSettings
) -> tuple[str | None, Source]:
    """What *spec* is for a topic with *overrides*, and who says so."""
    said = synonyms_of(spec, overrides, settings)
    default = settings.topic_defaults.get(spec.name, spec.default)
    return overrides.get(spec.name, default), said[0].source if said else Source.DEFAULT


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
        EffectiveTopicConfigs.parse(settings.topic_defaults, overrides)
    except InvalidLogConfig as error:
        return str(error)
    return None
