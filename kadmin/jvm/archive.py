"""The class-data archive of a JVM: which one makes it start faster?

An archive is a cache and never needed: where it is missing, damaged, or of another Java, a JVM
starts without it.  Knows how one is found and asked for, not how it is made.
"""

import hashlib
import sys
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import kadmin
from kadmin.errors import KadminError
from kadmin.jvm import process
from kadmin.jvm.java import Java
from kadmin.settings.xdg import user_directory

READ_BYTES: Final = 1 << 20


def cache_directory() -> Path:
    """Return where archives are kept; it may not exist, nor be writable."""
    return Path(user_directory("XDG_CACHE_HOME", "~/.cache"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The archive of one program: the classes that it loads from *jars* on *java*.

    *name* is the program's; the module *maker* makes the archive when it is run.
    """

    name: str
    maker: str
    java: Java
    jars: tuple[Path, ...]

    def flags(self) -> list[str]:
        """Return the JVM flags that use the archive; none where there is no sound one."""
        path = self.find()
        # The JVM splits the flag's value at a colon and has no way to quote one.
        return [] if path is None or ":" in str(path) else [f"-XX:SharedArchiveFile={path}"]

    def find(self) -> Path | None:
        """Return the archive's file, read and checked; a damaged one is removed.

        By default the JVM checks only the header, and a flipped bit behind it would crash the JVM.
        So the checksum is part of the name, and of the same rename.
        """
        stem = self.stem()
        for path in sorted(cache_directory().glob(f"{stem}-*.jsa")):
            try:
                is_sound = path.name == file_name(stem, path)
            except OSError:
                continue
            if is_sound:
                return path
            with suppress(OSError):
                path.unlink()
        return None

    def stem(self) -> str:
        """Return a name for the Java and the very jars that the archive holds for."""
        return stem(self.name, self.java, self.jars)

    def ask(self) -> None:
        """Let a background process make the archive if there is none; returns at once.

        A cache that cannot be written is no error: the next start takes as long as this one.
        """
        if self.find() is not None:
            return
        cache = cache_directory()
        pid_file = cache / f"{self.name}.pid"
        with suppress(OSError, KadminError):
            cache.mkdir(parents=True, exist_ok=True)
            maker = process.read_pid_file(pid_file)
            if maker is not None and maker.is_alive:
                return
            process.start(
                [sys.executable, "-m", self.maker],
                pid_file=pid_file,
                log_file=cache / f"{self.name}.log",
                # Python looks here first, also where kadmin runs from a checkout.
                directory=Path(kadmin.__path__[0]).parent,
            )


def stem(name: str, java: Java, jars: Sequence[Path]) -> str:
    parts = [str(java.path), java.version]
    for jar in jars:
        stat = jar.stat()
        parts += [str(jar), str(stat.st_size), str(stat.st_mtime_ns)]
    return f"{name}-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def file_name(stem: str, content: Path) -> str:
    """Return the name under which the archive in the file *content* is found; raises OSError."""
    checksum = 0
    with content.open("rb") as file:
        while block := file.read(READ_BYTES):
            checksum = zlib.crc32(block, checksum)
    return f"{stem}-{checksum:08x}.jsa"
