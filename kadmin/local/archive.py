"""Which class-data archive makes a server's JVM start faster?

An archive is a cache and never needed: where it is missing, damaged, or of another Java, a server
starts without it.  Knows how one is found and asked for; `kadmin.local.archive_maker` makes it.
"""

import hashlib
import os
import sys
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import kadmin
from kadmin.errors import KadminError
from kadmin.local import process
from kadmin.local.java import Java


def cache_directory() -> Path:
    """Where archives are kept, by the XDG rules; it may not exist, nor be writable."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG rules say that a relative path is to be ignored.
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "kadmin"


def archive_flags(java: Java, jars: Sequence[Path]) -> list[str]:
    """The JVM flags that use the archive; none where there is no sound one."""
    path = sound_archive(java, jars)
    # The JVM splits the flag's value at a colon and has no way to quote one.
    return [] if path is None or ":" in str(path) else [f"-XX:SharedArchiveFile={path}"]


def sound_archive(java: Java, jars: Sequence[Path]) -> Path | None:
    """The archive for *jars* on *java*, read and checked; a damaged one is removed.

    The JVM checks no more than the header unless it is told to, and a flipped bit behind that
    would crash it.  So the checksum is part of the name, and of the same rename.
    """
    for path in sorted(cache_directory().glob(f"{archive_stem(java, jars)}-*.jsa")):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if path.name == archive_name(java, jars, content):
            return path
        with suppress(OSError):
            path.unlink()
    return None


def archive_name(java: Java, jars: Sequence[Path], content: bytes) -> str:
    return f"{archive_stem(java, jars)}-{zlib.crc32(content):08x}.jsa"


def archive_stem(java: Java, jars: Sequence[Path]) -> str:
    """A name for the Java and the very jars that an archive holds for."""
    parts = [str(java.path), java.version]
    for jar in jars:
        stat = jar.stat()
        parts += [str(jar), str(stat.st_size), str(stat.st_mtime_ns)]
    return "zookeeper-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def ask_for_archive(java: Java, jars: Sequence[Path]) -> None:
    """Let a background process make the archive if there is none; returns at once.

    A cache that cannot be written is no error: the next start takes as long as this one.
    """
    if sound_archive(java, jars) is not None:
        return
    cache = cache_directory()
    pid_file = cache / "archive.pid"
    with suppress(OSError, KadminError):
        cache.mkdir(parents=True, exist_ok=True)
        maker = process.read_pid_file(pid_file)
        if maker is not None and maker.is_alive:
            return
        process.start(
            [sys.executable, "-m", "kadmin.local.archive_maker"],
            pid_file=pid_file,
            log_file=cache / "archive.log",
            # Python looks here first, also where kadmin runs from a checkout.
            directory=Path(kadmin.__path__[0]).parent,
        )
