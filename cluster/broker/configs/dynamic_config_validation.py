"""Which configs may be set for a broker while it runs, or for all brokers?

Judges what a request wants to set, and what is found in ZooKeeper, where anybody can write.
Source: Kafka's DynamicBrokerConfig.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from cluster.model.address_limits import InvalidAddressLimits, parse_address_limits
from cluster.model.config_entity import EntityKind
from cluster.model.config_spec import ConfigSpec, Scope, members, trimmed, value_problem
from cluster.model.config_table import broker_default_problem, find_spec, is_throttle
from cluster.model.dynamic_broker_config_specs import DYNAMIC_BROKER_CONFIG_SPECS
from cluster.model.read_only_broker_configs import READ_ONLY_BROKER_CONFIGS
from cluster.storage.log_config import COMPACT

ADDRESS_LIMITS: Final = "max.connections.per.ip.overrides"
CLEANUP_POLICY: Final = "log.cleanup.policy"
PRODUCER_EXPIRATION: Final = "producer.id.expiration.ms"

UPDATABLE: Final = frozenset(
    spec.name
    for spec in DYNAMIC_BROKER_CONFIG_SPECS
    if spec.scope is Scope.ANY and not is_throttle(spec.name)
)
"""Kafka's keys that are not read-only, but for those of listeners and their security: these stay
as server.properties has them.  Throttles are no configs of brokers to Kafka, although they can be
set for them."""


class Remark(NamedTuple):
    """What an operator should know of a key in ZooKeeper; never with a value that may be secret."""

    is_error: bool
    text: str


class Sorted(NamedTuple):
    """What was found: the configs to go by or to tell of, and what has to be said."""

    kept: Mapping[str, str]
    remarks: tuple[Remark, ...]


def broker_spec(name: str) -> ConfigSpec | None:
    """The spec of a key that can be set while a Kafka runs; None for any other."""
    return find_spec(EntityKind.BROKERS, name)


def change_problem(changes: Mapping[str, str], *, for_all: bool) -> str | None:
    """Why *changes* may not be made for this broker, or *for_all*; None when they may.

    Keys that nobody knows pass, as in Kafka, where plug-ins may read them.
    """
    bound = [name for name in changes if for_all and is_of_listeners(name)]
    fixed = [name for name in changes if name in READ_ONLY_BROKER_CONFIGS or is_of_listeners(name)]
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


def as_set(names: Iterable[str]) -> str:
    """Names as Kafka shows a few of them."""
    return f"Set({', '.join(names)})"


def is_of_listeners(name: str) -> bool:
    """Whether *name* is about listeners or their security, which one broker alone can have."""
    spec = broker_spec(name)
    return spec is not None and (
        spec.scope is not Scope.ANY or broker_default_problem(name) is not None
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
    if name == ADDRESS_LIMITS:
        try:
            parse_address_limits(text)
        except InvalidAddressLimits as error:
            return f"Invalid value {text} for configuration {name}: {error}"
    return None


def sorted_out(
    found: Mapping[str, str], honoured: Mapping[str, ConfigSpec], *, for_all: bool
) -> Sorted:
    """Part what stands in ZooKeeper into what counts and what does not.

    What is not *honoured* is kept to be told of; it has no effect, and may be for other brokers.
    """
    kept: dict[str, str] = {}
    remarks: list[Remark] = []
    where = "for all brokers" if for_all else "for this broker"
    for name, value in found.items():
        remark = remark_on(name, value, honoured)
        if remark is not None:
            remarks.append(Remark(remark.is_error, f"In ZooKeeper, {where}: {remark.text}"))
        if (name in UPDATABLE and remark is None) or name not in honoured:
            kept[name] = trimmed(value)
    return Sorted(kept, tuple(remarks))


def remark_on(name: str, value: str, honoured: Mapping[str, ConfigSpec]) -> Remark | None:
    if is_of_listeners(name):
        return Remark(False, f"{name} is ignored: listeners stay as server.properties has them")
    if name in READ_ONLY_BROKER_CONFIGS or (name in honoured and name not in UPDATABLE):
        return Remark(True, f"{name} is ignored: it cannot be changed while a broker runs")
    if name not in honoured:
        return Remark(False, f"{name} is not honoured")
    problem = value_fault(name, value)
    if problem is not None and compacts({name: value}):
        return Remark(True, f"{problem}; topics without a policy of their own are kept whole")
    return None if problem is None else Remark(True, f"{problem}; it is ignored")


def compacts(*layers: Mapping[str, str]) -> bool:
    """Whether the first of *layers* with a policy for cleaning logs wants them compacted."""
    policies = (one[CLEANUP_POLICY] for one in layers if CLEANUP_POLICY in one)
    return COMPACT in members(trimmed(next(policies, "")))
