"""Factories of functions, named so that any process can call them.

By a dotted name and arguments, so that no code is pickled.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Factory:
    """A factory as `package.module:name`, and the keyword arguments that it is called with."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def make(self) -> Any:
        """Return what the factory returns: the function that is applied to each batch."""
        return self.find()(**self.arguments)

    def find(self) -> Any:
        """Return the function of that name."""
        module, _, name = self.name.partition(":")
        return getattr(import_module(module), name)
