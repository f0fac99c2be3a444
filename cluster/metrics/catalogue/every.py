"""All beans of the catalogue."""

from collections.abc import Iterator
from typing import Final

from cluster.metrics.beans import Bean
from cluster.metrics.catalogue import controller, coordinator, log, network, server

MODULES: Final = (server, network, controller, coordinator, log)


def all_beans() -> tuple[Bean, ...]:
    """Return every bean once, in the order of the modules."""
    values = (value for module in MODULES for value in vars(module).values())
    return tuple(dict.fromkeys(bean for value in values for bean in beans_in(value)))


def beans_in(value: object) -> Iterator[Bean]:
    if isinstance(value, Bean):
        yield value
    elif isinstance(value, dict):
        yield from (each for each in value.values() if isinstance(each, Bean))
    elif isinstance(value, tuple):
        yield from (each for each in value if isinstance(each, Bean))
