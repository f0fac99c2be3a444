"""Values of configs that are legal, and not the default."""

from typing import Final

from cluster.broker.configs.dynamic_config_validation import broker_spec
from cluster.model.config_spec import ConfigSpec, Syntax, ValueKind, value_problem

TEXTS: Final = {
    "max.connections.per.ip.overrides": "10.0.0.1:5",
    "cleanup.policy": "compact",
    "log.cleanup.policy": "compact",
    "message.format.version": "2.8",
    "listeners": "PLAINTEXT://:1",
    "advertised.listeners": "PLAINTEXT://elsewhere:1",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT",
    # A change may double the number of threads, and no more.
    "num.replica.fetchers": "2",
    "log.cleaner.threads": "2",
}

RARE: Final = ("3", "50", "300", "20000", "40000", "2.8")
"""What a few keys take that take none of the others."""


def other_value(name: str, spec: ConfigSpec | None) -> str:
    """A value that is legal, and not the default."""
    if name in TEXTS:
        return TEXTS[name]
    if spec is None or spec.kind in (ValueKind.CLASS, ValueKind.PASSWORD):
        return "x"
    if spec.syntax is Syntax.THROTTLED_REPLICAS:
        return "0:1"
    words = ("true", "false", "7777", "7777777", "5", "0.25", "x", *spec.choices, *RARE)
    return next(one for one in words if one != spec.default and value_problem(spec, one) is None)


def broker_value(name: str) -> str:
    return other_value(name, broker_spec(name))
