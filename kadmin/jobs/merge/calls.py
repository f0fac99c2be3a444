"""Which function shall a worker call, said in a way that any process can carry out?

By the dotted name of a factory and its arguments, so that no code is pickled.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """A factory as `package.module:name` and the keyword arguments it is called with."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def make(self) -> Any:
        """What the factory returns: the function that is applied to each batch."""
        return self.find()(**self.arguments)

    def find(self) -> Any:
        """The function of that name."""
        module, _, name = self.name.partition(":")
        return getattr(import_module(module), name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Which records are wanted, judged by their head lines.

    *call* makes a function from an array of head lines (binary, no newline) to a boolean mask.
    Every head line that it wants contains one of *needles*, if there are any: lines without are
    passed over sooner.
    """

    call: Call
    needles: tuple[bytes, ...] = ()
