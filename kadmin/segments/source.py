"""A file of a log, as everything here reads it: by position, never whole.

Knows neither disks nor archives.
"""

from typing import Protocol


class Source(Protocol):
    """An open file of *size* bytes."""

    @property
    def size(self) -> int: ...

    def read(self, position: int, size: int) -> bytes:
        """Up to *size* bytes from *position* on; fewer only where the file ends."""
        ...
