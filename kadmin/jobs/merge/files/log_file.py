"""A log file as it was found, and what makes it the same file later."""

import os
from dataclasses import dataclass
from typing import Final, Self

GZIP_RATIO: Final = 16
"""Logs of a cluster unpack to about so many times the size of their .gz."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Which file of which machine had a path, and when it was written last (ns since 1970)."""

    host: str
    device: int
    inode: int
    modified_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Self:
        return cls(os.uname().nodename, status.st_dev, status.st_ino, status.st_mtime_ns)

    def is_replaced_by(self, other: Self) -> bool:
        """Return whether *other*, which now has the path on some machine, is surely another file.

        A worker elsewhere may see the same file by other numbers, a file that grows gets a new
        time, and file systems over a network number a file anew when they have forgotten it.
        """
        return (
            self.host == other.host
            and (self.device, self.inode) != (other.device, other.inode)
            and self.modified_ns != other.modified_ns
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFile:
    """A file as it was found: its local path or URI, its name for the operator, its size.

    *identity* is None for a URI.  A file that was taken out of another one, whose path is *origin*,
    holds the *stream* of that name.
    """

    path: str
    label: str
    size: int
    is_gzip: bool = False
    identity: Identity | None = None
    origin: str | None = None
    stream: str = ""

    @property
    def found_at(self) -> str:
        """The path or URI that the operator knows."""
        return self.path if self.origin is None else self.origin

    @property
    def content_bytes(self) -> int:
        """How much there is to merge, which of a .gz is only known to lie near."""
        return self.size * (GZIP_RATIO if self.is_gzip else 1)


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A file that was left out or read in part only, by its name, and why."""

    label: str
    reason: str
