"""Whether dynamic configs may be set for this broker, or for all brokers.

Validates what a request wants to set, and what is found in ZooKeeper, where anybody can write.
Source: Kafka's DynamicBrokerConfig.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from cluster.broker.configs.supported_configs import (
    MAX_CONNECTIONS_OVERRIDES,
    SUPPORTED_BROKER_CONFIGS,
)
from cluster.model.address_limits import InvalidAddressLimits, parse_address_limits
from cluster.model.config_entity import EntityKind
from cluster.model.config_spec import ConfigSpec, UpdateMode, members, trimmed, value_problem
from cluster.model.config_table import broker_default_problem, find_spec, is_throttle
from cluster.model.read_only_broker_configs import READ_ONLY_BROKER_CONFIGS
from cluster.storage.log_config import COMPACT

CLEANUP_POLICY: Final = "log.cleanup.policy"


class Remark(NamedTuple):
    """What an operator should know of a key in ZooKeeper; never with a value that may be secret."""

    is_error: bool
    text: str


class Effective(NamedTuple):
    """What was found: the configs to go by or to tell of, and what has to be said."""

    configs: Mapping[str, str]
    remarks: tuple[Remark, ...]


def broker_spec(name: str) -> ConfigSpec | None:
    """The spec of a config that can be set while a Kafka runs; None for any other."""
    return find_spec(EntityKind.BROKERS, name)


def is_dynamic(name: str) -> bool:
    """Whether the config *name* can change while this broker runs.

    One that it does not support is called what it is to Kafka; throttles are no configs of brokers
    there, although they can be set for them.
    """
    row = SUPPORTED_BROKER_CONFIGS.get(name)
    if row is not None:
        return row.update_mode is not UpdateMode.READ_ONLY
    spec = broker_spec(name)
    is_plain = spec is not None and spec.name == name and not is_throttle(name)
    return is_plain and spec is not None and spec.update_mode is UpdateMode.CLUSTER_WIDE


def change_problem(changes: Mapping[str, str], *, is_cluster_default: bool) -> str | None:
    """Why *changes* may not be made for this broker, or for all; None when they may.

    Keys that nobody knows pass, as in Kafka, where plug-ins may read them.
    """
    bound = [name for name in changes if is_cluster_default and is_of_listeners(name)]
    fixed = [name for name in changes if is_read_only(name) or is_of_listeners(name)]
    fixed = [name for name in fixed if name not in bound]
    if fixed:
        return f"Cannot update these configs dynamically: {as_set(fixed)}"
    for name, value in changes.items():
        problem = value_fault(name, value)
        if problem is not None:
            return problem
    if bound:
        return (
            "Cannot update these configs at default cluster level, broker id must be specified:"
            f" {as_set(bound)}"
        )
    return None


def is_read_only(name: str) -> bool:
    """Whether *name* is known as a config that cannot change while a broker runs."""
    is_supported = name in SUPPORTED_BROKER_CONFIGS
    return name in READ_ONLY_BROKER_CONFIGS or (is_supported and not is_dynamic(name))


def as_set(names: Iterable[str]) -> str:
    """Names as Kafka shows a few of them."""
    return f"Set({', '.join(names)})"


def is_of_listeners(name: str) -> bool:
    """Whether *name* is about listeners or their security, which one broker alone can have."""
    spec = broker_spec(name)
    return spec is not None and (
        spec.update_mode is not UpdateMode.CLUSTER_WIDE or broker_default_problem(name) is not None
    )


def value_fault(name: str, value: str) -> str | None:
    """Why *name* cannot be *value*; None when it can, or when nobody knows the key."""
    spec = broker_spec(name)
    if spec is None:
        return None
    problem = value_problem(spec, value)
    if problem is not None:
        return problem
    text = trimmed(value)
    if name == CLEANUP_POLICY and COMPACT in members(text):
        return f"Invalid value {text} for configuration {name}: only delete is supported"
    if name == MAX_CONNECTIONS_OVERRIDES:
        try:
            parse_address_limits(text)
        except InvalidAddressLimits as error:
            return f"Invalid value {text} for configuration {name}: {error}"
    return None


def effective(found: Mapping[str, str], *, is_cluster_default: bool) -> Effective:
    """Leave out of what stands in ZooKeeper what has no effect here, although it should.

    What is not supported is kept to be told of: it may be there for other brokers.
    """
    configs: dict[str, str] = {}
    remarks: list[Remark] = []
    where = "for all brokers" if is_cluster_default else "for this broker"
    for name, value in found.items():
        remark = remark_on(name, value)
        if remark is not None:
            remarks.append(Remark(remark.is_error, f"In ZooKeeper, {where}: {remark.text}"))
        if remark is None or name not in SUPPORTED_BROKER_CONFIGS:
            configs[name] = trimmed(value)
    return Effective(configs, tuple(remarks))


def remark_on(name: str, value: str) -> Remark | None:
    """Why *name* has no effect here when it is *value* in ZooKeeper; None when it has one."""
    if is_of_listeners(name):
        return Remark(False, f"{name} is ignored: listeners stay as server.properties has them")
    if is_read_only(name):
        return Remark(True, f"{name} is ignored: it cannot be changed while a broker runs")
    if name not in SUPPORTED_BROKER_CONFIGS:
        return Remark(False, f"{name} is not honoured")
    problem = value_fault(name, value)
    if problem is not None and compacts({name: value}):
        return Remark(True, f"{problem}; topics without a policy of their own are kept whole")
    return None if problem is None else Remark(True, f"{problem}; it is ignored")


def compacts(*layers: Mapping[str, str]) -> bool:
    """Whether the first of *layers* with a policy for cleaning logs wants them compacted."""
    policies = (one[CLEANUP_POLICY] for one in layers if CLEANUP_POLICY in one)
    return COMPACT in members(trimmed(next(policies, "")))
