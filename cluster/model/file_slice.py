"""A slice of an open file: from where on, and how many bytes.

Names them without reading them: whoever sends them can let the kernel copy.
"""

from dataclasses import dataclass
from typing import Protocol


class HasDescriptor(Protocol):
    """An open file, which somebody else closes."""

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
