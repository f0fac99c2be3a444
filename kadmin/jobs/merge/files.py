"""How are bytes of a log file read, wherever it lies?

Local files by plain positioned reads, URIs by pyarrow's file systems.  Knows nothing of lines.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, Self

from kadmin.errors import KadminError

GZIP_MAGIC: Final = b"\x1f\x8b"

GZIP_RATIO: Final = 16
"""Logs of a cluster unpack to about so many times the size of their .gz."""


class CannotRead(KadminError):
    """A file that is missing or may not be read, in the system's words."""

    def __init__(self, path: str, error: OSError) -> None:
        reason = (error.strerror or str(error)).lower()
        super().__init__(
            f"cannot read {shown(path)}: {reason}",
            hint="see whether its server answers, also to every worker, and who may read it there"
            if is_uri(path)
            else f"see whether it is there, for this user and on every worker: ls -l {path}",
        )
        self.path = path


class FileChanged(KadminError):
    """A file that no longer is what the survey found."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{shown(path)} changed while it was read",
            hint="copy the logs of running brokers first, or leave out the file that grows",
        )
        self.path = path


class CannotWrite(KadminError):
    """A place that does not take a result, in the system's words."""

    def __init__(self, path: str, error: OSError) -> None:
        reason = (error.strerror or str(error)).lower()
        super().__init__(
            f"cannot write {shown(path)}: {reason}",
            hint="name a new directory for each merge"
            if isinstance(error, FileExistsError)
            else "see owner, mode and free space there; TMPDIR moves what is temporary",
        )
        self.path = path


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
        """Whether *other*, which now has the path on some machine, is surely another file.

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

    *identity* is None for a URI.
    """

    path: str
    label: str
    size: int
    is_gzip: bool = False
    identity: Identity | None = None

    @property
    def content_bytes(self) -> int:
        """How much there is to merge, which of a .gz is only known to lie near."""
        return self.size * (GZIP_RATIO if self.is_gzip else 1)


class Reader(Protocol):
    """Reads stretches of one open file."""

    def read_at(self, offset: int, into: memoryview) -> int:
        """Fill *into* from *offset* on; fewer bytes only at the end of the file."""
        ...


def is_uri(path: str) -> bool:
    return "://" in path


def shown(path: str) -> str:
    """*path* for people: a URI without user, password and options."""
    if not is_uri(path):
        return path
    scheme, _, rest = path.partition("?")[0].partition("://")
    authority, slash, inner = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{inner}"


def inner_uri(uri: str, inner: str, path: str) -> str:
    """The URI of *path* in the file system of *uri*, whose own path there is *inner*."""
    base, mark, query = uri.partition("?")
    base = base.rstrip("/")
    inner = inner.rstrip("/")
    front = base.removesuffix(inner) if base.endswith(inner) else base.partition("://")[0] + "://"
    return f"{front}{path}{mark}{query}"


@contextmanager
def opened(path: str, identity: Identity | None = None) -> Iterator[Reader]:
    """Open the local file or URI *path* for reading.

    Raises:
        CannotRead: it is missing or may not be read, now or later.
        FileChanged: it is no longer the file of that *identity*, if one is given.
    """
    try:
        if is_uri(path):
            filesystem, inner = filesystem_of(path)
            with filesystem.open_input_file(inner) as file:
                yield RemoteReader(file)
        else:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                if identity is not None and identity.is_replaced_by(
                    Identity.of(os.fstat(descriptor))
                ):
                    raise FileChanged(path)
                yield LocalReader(descriptor)
            finally:
                os.close(descriptor)
    except OSError as error:
        raise CannotRead(path, error) from error


@dataclass(frozen=True, slots=True)
class LocalReader:
    descriptor: int

    def read_at(self, offset: int, into: memoryview) -> int:
        return fill(into, lambda view, done: os.preadv(self.descriptor, [view], offset + done))


@dataclass(frozen=True, slots=True)
class RemoteReader:
    file: Any

    def read_at(self, offset: int, into: memoryview) -> int:
        self.file.seek(offset)
        return fill(into, lambda view, _: self.file.readinto(view))


def fill(into: memoryview, read: Callable[[memoryview, int], int]) -> int:
    """Call *read* until *into* is full or there is no more; returns how much there was."""
    done = 0
    while done < len(into):
        count = read(into[done:], done)
        if count == 0:
            break
        done += count
    return done


def filesystem_of(uri: str) -> tuple[Any, str]:
    """Pyarrow's file system for *uri* and the path inside it.

    Raises:
        KadminError: pyarrow knows no such scheme, or lacks what the scheme needs.
    """
    import pyarrow as pa
    from pyarrow import fs

    try:
        filesystem, inner = fs.FileSystem.from_uri(uri)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise KadminError(
            f"cannot open {shown(uri)}: {str(error).splitlines()[0]}",
            hint="file://, hdfs://, s3:// and gs:// are understood; copy other files here first",
        ) from error
    return filesystem, inner


def starts_like_gzip(path: str) -> bool:
    """Whether the content, not the name, says that *path* is packed; raises CannotRead."""
    with opened(path) as reader:
        magic = bytearray(len(GZIP_MAGIC))
        return reader.read_at(0, memoryview(magic)) == len(magic) and magic == GZIP_MAGIC


def read_bytes(path: str, offset: int, size: int) -> bytes:
    """The bytes of *path* from *offset* on, fewer at its end; raises CannotRead."""
    buffer = bytearray(size)
    with opened(path) as reader:
        return bytes(buffer[: reader.read_at(offset, memoryview(buffer))])


def local_path(path: str) -> str:
    """A `file://` URI as the plain path that it is; all else as it stands."""
    if not path.startswith("file://"):
        return path
    from urllib.parse import unquote

    return str(Path(unquote(path.removeprefix("file://"))))
