"""Our own code on its way to workers that do not have it: a zip of its modules.

Compiled, where this Python has them so: workers read the zip anew in each process.
"""

import importlib.util
import os
import struct
import zipfile
from pathlib import Path
from typing import Final

import cluster
import kadmin
from kadmin.jobs.spark.errors import ROOM_HINT, SparkFailed, reason_of

HEADER: Final = struct.Struct("<4sIII")
"""Of a compiled module: Python's magic number, flags, the source's time and size."""

IS_HASHED: Final = 1
"""The flag of one that is not compared with its source's time, which a zip rounds."""


def pack_code(directory: Path) -> Path:
    """A zip of kadmin and cluster in *directory*.

    Raises:
        SparkFailed: there is no room for it.
    """
    path = directory / "kadmin.zip"
    try:
        # Where times are set to zero, a zip cannot tell them.
        with zipfile.ZipFile(path, "w", strict_timestamps=False) as archive:
            for root in (Path(kadmin.__path__[0]), Path(cluster.__path__[0])):
                for file in sorted(root.rglob("*.py")):
                    name = file.relative_to(root.parent)
                    # Another Python than this takes the source.
                    archive.write(file, name)
                    if (code := compiled(file)) is not None:
                        archive.writestr(str(name.with_suffix(".pyc")), code)
    except OSError as error:
        raise SparkFailed(f"cannot write {path}: {reason_of(error)}", hint=ROOM_HINT) from error
    return path


def compiled(source: Path) -> bytes | None:
    """The module as this Python once compiled it, for a zip; None if it did not, or changed."""
    try:
        content = Path(importlib.util.cache_from_source(source)).read_bytes()
        status = os.stat(source)
    except (OSError, NotImplementedError):
        return None
    time, size = int(status.st_mtime) & 0xFFFF_FFFF, status.st_size & 0xFFFF_FFFF
    if content[: HEADER.size] != HEADER.pack(importlib.util.MAGIC_NUMBER, 0, time, size):
        return None
    # The sum of the source would only be looked at by who wants it checked.
    return HEADER.pack(importlib.util.MAGIC_NUMBER, IS_HASHED, 0, 0) + content[HEADER.size :]
