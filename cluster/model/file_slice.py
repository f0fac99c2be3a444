"""A slice of an open file: a position and a size.

It refers to bytes without reading them, so that the kernel can copy them to a socket.
"""

from dataclasses import dataclass
from typing import Protocol


class HasDescriptor(Protocol):
    """An open file, whose owner closes it."""

    def fileno(self) -> int: ...


@dataclass(frozen=True, slots=True)
class FileSlice:
    """*size* bytes of *file* from *position* on; `len` is the size."""

    file: HasDescriptor
    position: int
    size: int

    def __post_init__(self) -> None:
        assert self.position >= 0
        assert self.size >= 0

    def __len__(self) -> int:
        return self.size
