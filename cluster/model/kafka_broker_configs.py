"""The broker configs of Kafka 3.9.1, as its own classes list them.

`kafka_broker_configs.json` is a record of these classes, made by `scripts.kafka_configs`; its texts
are those of Apache Kafka, under the Apache License 2.0.  The keys that our brokers support are in
`cluster.broker.configs.supported_configs`.
"""

import json
from collections.abc import Mapping
from pkgutil import get_data
from typing import Any, Final, NamedTuple

from cluster.model.config_spec import ConfigSpec, Syntax, UpdateMode, ValueKind


class KafkaBrokerConfig(NamedTuple):
    """One key, and its documentation by Kafka."""

    spec: ConfigSpec
    doc: str
    is_internal: bool
    """Whether Kafka hides it from clients: it is for Kafka's own tests."""


def config_of(name: str, entry: Mapping[str, Any]) -> KafkaBrokerConfig:
    spec = ConfigSpec(
        name,
        ValueKind(entry["type"]),
        entry.get("default"),
        at_least=entry.get("at_least"),
        at_most=entry.get("at_most"),
        also=entry.get("also"),
        choices=tuple(entry.get("choices", ())),
        syntax=Syntax.RELEASE if entry.get("is_release") else Syntax.FREE,
        update_mode=UpdateMode(entry.get("update", UpdateMode.READ_ONLY)),
    )
    return KafkaBrokerConfig(spec, entry["doc"], entry.get("internal", False))


def recorded() -> dict[str, KafkaBrokerConfig]:
    content = get_data(__package__, "kafka_broker_configs.json")
    assert content is not None, "the table is beside this module"
    return {name: config_of(name, entry) for name, entry in json.loads(content)["configs"].items()}


KAFKA_BROKER_CONFIGS: Final[Mapping[str, KafkaBrokerConfig]] = recorded()

READ_ONLY_BROKER_CONFIGS: Final = frozenset(
    name
    for name, config in KAFKA_BROKER_CONFIGS.items()
    if config.spec.update_mode is UpdateMode.READ_ONLY and not config.is_internal
)
"""Configs that can only change in server.properties, including those that can change for one
listener, but not for all of them."""
