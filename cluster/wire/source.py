"""Source text of generated functions.

Knows indentation, names and neighbouring values of fixed size, which are read or written in one go;
`cluster.wire.decoders` and `cluster.wire.encoders` know their meaning.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from struct import Struct
from typing import Any


class Source:
    """The lines so far, and the values that they refer to by name."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self._lines: list[str] = []
        self._indent = 0
        self._count = 0

    def add(self, line: str) -> None:
        self._lines.append("    " * self._indent + line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.add(head)
        self._indent += 1
        yield
        self._indent -= 1

    def variable(self) -> str:
        """An unused name."""
        self._count += 1
        return f"v{self._count}"

    def constant(self, value: object) -> str:
        """An expression for *value*: itself where that is short, else a name for it."""
        if value is None or isinstance(value, bool | int):
            return repr(value)
        if value in ("", (), b""):
            return repr(value)
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    def unpacker(self, letters: str) -> tuple[str, int]:
        """A name for struct's function that reads *letters*, and the size that it reads."""
        packed = Struct(">" + letters)
        name = f"unpack_{letters.replace('?', 'o')}"
        self.names[name] = packed.unpack_from
        return name, packed.size

    def iterator(self, letters: str) -> str:
        """A name for struct's function that reads *letters* again and again."""
        name = f"iter_unpack_{letters.replace('?', 'o')}"
        self.names[name] = Struct(">" + letters).iter_unpack
        return name

    def packer(self, letters: str) -> str:
        name = f"pack_{letters.replace('?', 'o')}"
        self.names[name] = Struct(">" + letters).pack
        return name

    def compile(self, function: str, title: str) -> Any:
        """The *function* that the lines define; *title* stands in tracebacks."""
        namespace = dict(self.names)
        exec(compile("\n".join(self._lines), f"<{title}>", "exec"), namespace)
        return namespace[function]
