"""The table of Kafka's dynamic configs by kind of entity, and validation of values by it.

For topics, brokers, clients, users and addresses.  Contains no single entities; the configs that
our brokers support are in `cluster.broker.configs.supported_configs`.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from cluster.model.config_entity import EntityKind
from cluster.model.config_spec import (
    ConfigSpec,
    Syntax,
    UpdateMode,
    ValueKind,
    trimmed,
    value_problem,
)
from cluster.model.dynamic_broker_config_specs import DYNAMIC_BROKER_CONFIG_SPECS, THROTTLES
from cluster.model.topic_config_specs import TOPIC_CONFIG_SPECS

CLIENT_SPECS: Final = (
    # Kafka accepts negative quotas, too; they would block the client for good.
    ConfigSpec("consumer_byte_rate", ValueKind.LONG, since="0.9.0", at_least=0),
    ConfigSpec("controller_mutation_rate", ValueKind.DOUBLE, since="2.7", at_least=0),
    ConfigSpec("producer_byte_rate", ValueKind.LONG, since="0.9.0", at_least=0),
    ConfigSpec("request_percentage", ValueKind.DOUBLE, since="0.11.0", at_least=0),
)
USER_SPECS: Final = (
    ConfigSpec("SCRAM-SHA-256", ValueKind.STRING, since="0.10.2", syntax=Syntax.CREDENTIAL),
    ConfigSpec("SCRAM-SHA-512", ValueKind.STRING, since="0.10.2", syntax=Syntax.CREDENTIAL),
    *CLIENT_SPECS,
)
IP_SPECS: Final = (
    ConfigSpec("connection_creation_rate", ValueKind.INT, "2147483647", since="2.8", at_least=0),
)


def by_name(specs: tuple[ConfigSpec, ...]) -> Mapping[str, ConfigSpec]:
    return {spec.name: spec for spec in sorted(specs, key=lambda spec: spec.name)}


TOPIC_CONFIGS: Final = by_name(TOPIC_CONFIG_SPECS)
CONFIGS: Final[Mapping[EntityKind, Mapping[str, ConfigSpec]]] = {
    EntityKind.TOPICS: TOPIC_CONFIGS,
    EntityKind.BROKERS: by_name(DYNAMIC_BROKER_CONFIG_SPECS),
    EntityKind.CLIENTS: by_name(CLIENT_SPECS),
    EntityKind.USERS: by_name(USER_SPECS),
    EntityKind.IPS: by_name(IP_SPECS),
}
assert CONFIGS.keys() == set(EntityKind)

LISTENER_PREFIX: Final = "listener.name."
NARROWED: Final = (
    "ssl.",
    "sasl.",
    "principal.builder.class",
    "connections.max.reauth.ms",
    "max.connections",
    "max.connection.creation.rate",
    "num.network.threads",
)
"""Prefixes of the keys that a listener's prefix may precede."""

CLUSTER_WIDE: Final = frozenset(
    {"max.connections", "max.connection.creation.rate", "num.network.threads"}
)
"""Those of them that may be set for the listener on all brokers at once."""

REFUSED_PARTITIONS: Final = "refused.partitions"
"""Not a config, but returned by our brokers as one, for clients that cannot read registrations: the
partitions that they should serve and do not, as a JSON object, each with the reason."""

THROTTLE_NAMES: Final = frozenset(spec.name for spec in THROTTLES)


LOCAL_AS_TOTAL: Final = -2
"""The value of the local retentions that means the total one."""

NEVER: Final = -3
"""No value: for a pair that has no "unlimited"."""

ORDERED_PAIRS: Final = (
    ("min.compaction.lag.ms", "max.compaction.lag.ms", NEVER),
    ("local.retention.ms", "retention.ms", -1),
    ("local.retention.bytes", "retention.bytes", -1),
)
ORDERED_NAMES: Final = tuple(name for low, high, _ in ORDERED_PAIRS for name in (low, high))


def find_spec(kind: EntityKind, name: str) -> ConfigSpec | None:
    """The spec of key *name*; None for a key that Kafka does not have for *kind*.

    A broker's key may follow the prefix of a listener, and of a SASL mechanism after that.
    """
    if kind is EntityKind.BROKERS and name.startswith(LISTENER_PREFIX):
        return find_listener_spec(name)
    return CONFIGS[kind].get(name)


def find_listener_spec(name: str) -> ConfigSpec | None:
    _listener, _, key = name.removeprefix(LISTENER_PREFIX).partition(".")
    _mechanism, _, key_of_mechanism = key.partition(".")
    table = CONFIGS[EntityKind.BROKERS]
    spec = table.get(key) or table.get(key_of_mechanism)
    return spec if spec is not None and spec.name.startswith(NARROWED) else None


def config_problem(kind: EntityKind, name: str, value: str) -> str | None:
    """Why *value* is invalid for *name* of an entity of *kind*; None when it is valid.

    For a credential only the key is checked here: see `kadmin.plan.scram`.
    """
    spec = find_spec(kind, name)
    if spec is None and kind is EntityKind.BROKERS and is_read_only(name):
        return f"{name} cannot be changed while brokers run: they read it from server.properties"
    if spec is None:
        return f"Unknown {kind.value.removesuffix('s')} config name: {name}"
    if spec.update_mode is UpdateMode.PER_LISTENER and not name.startswith(LISTENER_PREFIX):
        return (
            f"{name} can only be changed for one listener:"
            f" {LISTENER_PREFIX}<listener in lower case>.{name}"
        )
    return value_problem(spec, value)


def is_read_only(name: str) -> bool:
    """Whether *name* is a config that Kafka's brokers read only when they start."""
    # Imported here: a hundred kilobytes that only this function needs.
    from cluster.model.kafka_broker_configs import READ_ONLY_BROKER_CONFIGS

    return name in READ_ONLY_BROKER_CONFIGS


def topic_config_problem(name: str, value: str) -> str | None:
    """Why *value* is invalid for a topic's *name*; None when it is valid."""
    return config_problem(EntityKind.TOPICS, name, value)


def broker_default_problem(name: str) -> str | None:
    """Why *name* may not be set for all brokers at once; None when it may."""
    spec = find_spec(EntityKind.BROKERS, name)
    if spec is None or spec.name in CLUSTER_WIDE:
        return None
    if spec.update_mode is UpdateMode.CLUSTER_WIDE and not name.startswith(LISTENER_PREFIX):
        return None
    return f"{name} cannot be set for all brokers at once, only for one broker"


def is_throttle(name: str) -> bool:
    """Whether *name* is a replication throttle of a broker."""
    return name in THROTTLE_NAMES


def suggest(kind: EntityKind, name: str) -> str | None:
    """The key of *kind* that *name* most resembles; None where none is close."""
    matches = get_close_matches(name, CONFIGS[kind], n=1, cutoff=0.75)
    return matches[0] if matches else None


def conflict_of(values: Mapping[str, str]) -> str | None:
    """Why the configs *values* of one topic contradict each other; None when they do not.

    Only set values are compared, as the brokers' own defaults are unknown.
    """
    numbers = {
        name: int(trimmed(values[name]))
        for name in ORDERED_NAMES
        if name in values and topic_config_problem(name, values[name]) is None
    }
    for low, high, unlimited in ORDERED_PAIRS:
        if low not in numbers or high not in numbers or numbers[high] == unlimited:
            continue
        if numbers[low] == LOCAL_AS_TOTAL:
            continue
        if numbers[low] == unlimited or numbers[low] > numbers[high]:
            return f"{low} ({numbers[low]}) must not be more than {high} ({numbers[high]})"
    return None
