"""Validation of dynamic configs for this broker, or for all brokers.

Validates what a request wants to set, and what ZooKeeper has, where others can write; one value at
a time.  `reconfiguration` compares values before and after a change. Source: Kafka's
DynamicBrokerConfig.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from cluster.broker.configs.supported_configs import (
    MAX_CONNECTIONS,
    MAX_CONNECTIONS_OVERRIDES,
    SUPPORTED_BROKER_CONFIGS,
)
from cluster.model.address_limits import InvalidAddressLimits, parse_address_limits
from cluster.model.config_entity import EntityKind
from cluster.model.config_spec import (
    ConfigSpec,
    UpdateMode,
    ValueKind,
    trimmed,
    value_problem,
)
from cluster.model.config_table import CLUSTER_WIDE, CONFIGS, LISTENER_PREFIX
from cluster.model.kafka_broker_configs import KAFKA_BROKER_CONFIGS, READ_ONLY_BROKER_CONFIGS

OF_MECHANISMS: Final = (
    "sasl.jaas.config",
    "sasl.login.callback.handler.class",
    "sasl.login.class",
    "sasl.server.callback.handler.class",
    "connections.max.reauth.ms",
)
"""The keys that can follow the name of a SASL mechanism, which follows that of a listener."""


class Remark(NamedTuple):
    """A message to operators about a key in ZooKeeper; never with a value that may be secret."""

    is_error: bool
    text: str


class Effective(NamedTuple):
    """The result of validation: the configs to apply or to show, and the remarks to log."""

    configs: Mapping[str, str]
    remarks: tuple[Remark, ...]


def base_name(name: str) -> str:
    """The key without the prefixes of a listener and of a SASL mechanism; else *name*."""
    if not name.startswith(LISTENER_PREFIX):
        return name
    _listener, _, key = name.removeprefix(LISTENER_PREFIX).partition(".")
    return next((one for one in OF_MECHANISMS if key.endswith(one)), key)


def is_supported(name: str) -> bool:
    """Whether *name* has an effect here."""
    return name in SUPPORTED_BROKER_CONFIGS or base_name(name) == MAX_CONNECTIONS


def broker_spec(name: str) -> ConfigSpec | None:
    """The spec of a broker's config, ours or Kafka's, also behind a prefix; None for others."""
    base = base_name(name)
    row = SUPPORTED_BROKER_CONFIGS.get(base)
    if row is not None:
        return row.spec
    spec = CONFIGS[EntityKind.BROKERS].get(base)
    if spec is None and base in KAFKA_BROKER_CONFIGS:
        return KAFKA_BROKER_CONFIGS[base].spec
    return spec


def is_dynamic(name: str) -> bool:
    """Whether the config *name* can change while this broker runs, as shown to clients.

    An unsupported one is shown as in Kafka; throttles are no configs of brokers there, although
    they can be set for them, and nothing behind a prefix is one.
    """
    row = SUPPORTED_BROKER_CONFIGS.get(name)
    if row is not None:
        return row.update_mode is not UpdateMode.READ_ONLY
    config = KAFKA_BROKER_CONFIGS.get(name)
    return config is not None and config.spec.update_mode is not UpdateMode.READ_ONLY


def change_problem(changes: Mapping[str, str], *, is_cluster_default: bool) -> str | None:
    """Why *changes* may not be made for this broker, or for all; None when they may.

    Unknown keys pass, as in Kafka, where plug-ins may read them.
    """
    if fixed := [name for name in changes if is_read_only(name)]:
        return f"Cannot update these configs dynamically: {as_set(fixed)}"
    if bare := [name for name in changes if needs_listener(name)]:
        return (
            "These security configs can be dynamically updated only per-listener using the"
            f" listener prefix: {as_set(bare)}"
        )
    for name, value in changes.items():
        problem = value_fault(name, value)
        if problem is not None:
            return problem
    if is_cluster_default and (own := [name for name in changes if is_per_broker(name)]):
        return (
            "Cannot update these configs at default cluster level, broker id must be specified:"
            f" {as_set(own)}"
        )
    return None


def password_problem(names: Iterable[str]) -> str | None:
    """Why *names* may not be written; None if no password is among them.

    Kafka writes them encrypted, with `password.encoder.secret`.
    """
    specs = {name: broker_spec(name) for name in names}
    secret = [name for name, spec in specs.items() if spec is not None and spec.is_sensitive]
    if not secret:
        return None
    return f"Passwords are not taken, as this broker cannot encrypt them: {as_set(secret)}"


def is_read_only(name: str) -> bool:
    """Whether *name* is a known config that cannot change while a broker runs."""
    row = SUPPORTED_BROKER_CONFIGS.get(name)
    if row is not None:
        return row.update_mode is UpdateMode.READ_ONLY
    config = KAFKA_BROKER_CONFIGS.get(name)
    return name in READ_ONLY_BROKER_CONFIGS or (config is not None and config.is_internal)


def needs_listener(name: str) -> bool:
    """Whether *name* can only change behind the prefix of a listener."""
    config = KAFKA_BROKER_CONFIGS.get(name)
    return config is not None and config.spec.update_mode is UpdateMode.PER_LISTENER


def is_per_broker(name: str) -> bool:
    """Whether only one broker can have *name*: it concerns its listeners or their security."""
    if name.startswith(LISTENER_PREFIX):
        return base_name(name) not in CLUSTER_WIDE
    config = KAFKA_BROKER_CONFIGS.get(name)
    return config is not None and config.spec.update_mode in (
        UpdateMode.PER_BROKER,
        UpdateMode.PER_LISTENER,
    )


def as_set(names: Iterable[str]) -> str:
    """Names in Kafka's format for a small set."""
    return f"Set({', '.join(names)})"


def value_fault(name: str, value: str) -> str | None:
    """Why *name* cannot be *value*; None when it can, or for an unknown key."""
    spec = broker_spec(name)
    if spec is None:
        return None
    problem = value_problem(spec, value)
    if problem is not None:
        return problem
    text = trimmed(value)
    # No class can be loaded here; Kafka's default class is what this broker implements.
    if spec.kind is ValueKind.CLASS and text != spec.default:
        return (
            f"Invalid value {text} for configuration {spec.name}: Class {text} could not be found."
        )
    if name == MAX_CONNECTIONS_OVERRIDES:
        try:
            parse_address_limits(text)
        except InvalidAddressLimits as error:
            return f"Invalid value {text} for configuration {name}: {error}"
    return None


def effective(found: Mapping[str, str], *, is_cluster_default: bool) -> Effective:
    """Leave out the overrides in ZooKeeper that should have an effect here but have none.

    Unsupported ones are kept for clients to see: they may be meant for other brokers.
    """
    configs: dict[str, str] = {}
    remarks: list[Remark] = []
    for name, value in found.items():
        remark = remark_on(name, value, is_cluster_default=is_cluster_default)
        if remark is not None:
            remarks.append(placed(remark, is_cluster_default=is_cluster_default))
        if remark is None or not remark.is_error:
            configs[name] = trimmed(value)
    return Effective(configs, tuple(remarks))


def placed(remark: Remark, *, is_cluster_default: bool) -> Remark:
    where = "for all brokers" if is_cluster_default else "for this broker"
    return remark._replace(text=f"In ZooKeeper, {where}: {remark.text}")


def remark_on(name: str, value: str, *, is_cluster_default: bool) -> Remark | None:
    """Why *name* has no effect here with *value* in ZooKeeper; None when it has one."""
    if is_read_only(name):
        return Remark(True, f"{name} is ignored: it cannot be changed while a broker runs")
    if is_cluster_default and is_per_broker(name):
        return Remark(True, f"{name} is ignored: it can be set for one broker only")
    if not is_supported(name):
        return Remark(False, f"{name} is not honoured")
    problem = value_fault(name, value)
    return None if problem is None else Remark(True, f"{problem}; it is ignored")
