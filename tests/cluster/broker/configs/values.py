"""Values of configs that are legal, and not the default."""

from typing import Final

from cluster.broker.configs.supported_configs import SUPPORTED_BROKER_CONFIGS
from cluster.model.config_entity import EntityKind
from cluster.model.config_spec import ConfigSpec, Syntax, ValueKind, value_problem
from cluster.model.config_table import CONFIGS

TEXTS: Final = {
    "max.connections.per.ip.overrides": "10.0.0.1:5",
    # The only other policy; it is not supported, and topics are kept whole where it is wanted.
    "cleanup.policy": "compact",
    "log.cleanup.policy": "compact",
    "message.format.version": "2.8",
}


def other_value(name: str, spec: ConfigSpec | None) -> str:
    """A value that is legal, and not the default."""
    if name in TEXTS:
        return TEXTS[name]
    if spec is None or spec.kind in (ValueKind.CLASS, ValueKind.PASSWORD):
        return "x"
    if spec.syntax is Syntax.THROTTLED_REPLICAS:
        return "0:1"
    words = ("true", "false", "7777", "7777777", "5", "0.25", "x", *spec.choices)
    return next(one for one in words if one != spec.default and value_problem(spec, one) is None)


def broker_value(name: str) -> str:
    row = SUPPORTED_BROKER_CONFIGS.get(name)
    return other_value(name, CONFIGS[EntityKind.BROKERS].get(name) if row is None else row.spec)
