"""The build of a class-data archive, of which nothing half made is ever found.

In a directory of the cache that one maker at a time has; what is finished is renamed into the
cache.  Knows no program whose archive it is.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kadmin.jvm.archive import Archive, cache_directory, file_name

NICENESS: Final = 19

Make = Callable[[Path], Path]
"""Makes an archive in a directory of its own and returns the file."""


def make_archive(archive: Archive, make: Make, clear_away: Callable[[Path], None]) -> None:
    """Let *make* make *archive* with low priority, unless it is there or being made.

    *clear_away* is called first with each directory of a maker that was killed.
    """
    os.nice(NICENESS)
    cache = cache_directory()
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{archive.name}.lock").open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        # We hold the lock, so none of these is at work.
        for leftover in cache.glob(f"{prefix(archive)}*"):
            clear_away(leftover)
            shutil.rmtree(leftover, ignore_errors=True)
        if archive.find() is not None:
            return
        directory = Path(tempfile.mkdtemp(dir=cache, prefix=prefix(archive)))
        try:
            made = make(directory)
            made.replace(cache / file_name(archive.stem(), made))
        finally:
            shutil.rmtree(directory, ignore_errors=True)


def prefix(archive: Archive) -> str:
    return f"making-{archive.name}-"
