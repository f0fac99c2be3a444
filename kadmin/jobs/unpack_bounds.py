"""Bounds on what is unpacked: files that come from elsewhere may hold anything.

How large the content of a packed file may be, and how much room has to stay free beside it.
"""

import errno
import os
from pathlib import Path
from typing import Final

UNPACKED_MIN: Final = 10 * 1024**3
"""So much any file may unpack to."""
RATIO_MAX: Final = 100
"""How many times its own size a larger one may unpack to; segments and logs reach 10 to 50."""
FREE_MIN: Final = 1024**3
FREE_SHARE_MIN: Final = 20
"""Of a small file system, one part in so many stays free instead."""
FREE_FILES_MIN: Final = 10_000
CHECKED_BYTES: Final = 64 * 1024**2
"""How much is written between two looks at the room."""


class UnpacksToTooMuch(OSError):
    """A packed file holds more than it may."""

    def __init__(self, bytes_max: int) -> None:
        super().__init__(
            errno.EFBIG,
            f"it unpacks to more than {bytes_max:,} bytes (--max-unpacked allows more)",
        )


def unpacked_max(packed_size: int, asked: int | None) -> int:
    """Return how many bytes a file of *packed_size* may unpack to: as many as are *asked* for,
    if any."""
    return max(UNPACKED_MIN, RATIO_MAX * packed_size) if asked is None else asked


class Room:
    """The room in the file system of *directory*, the last of which is not taken."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._unchecked = CHECKED_BYTES

    def take(self, size: int) -> None:
        """Note that *size* bytes are about to be written.

        Raises:
            OSError: too little room would be left for others.
        """
        self._unchecked += size
        if self._unchecked < CHECKED_BYTES:
            return
        self._unchecked = 0
        status = os.statvfs(self._directory)
        free = status.f_bavail * status.f_frsize
        needed = min(FREE_MIN, status.f_blocks * status.f_frsize // FREE_SHARE_MIN)
        # Some file systems have no table of files, and say 0.
        has_few_files = status.f_files > 0 and status.f_favail < FREE_FILES_MIN
        if free < needed + CHECKED_BYTES or has_few_files:
            raise OSError(
                errno.ENOSPC, "no room left but what others need (TMPDIR names another directory)"
            )
