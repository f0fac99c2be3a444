"""The bytes of an open file, wherever it lies.

Local files by positioned reads, URIs by pyarrow's file systems.  Knows nothing of lines.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

from kadmin.jobs.merge.files.errors import CannotRead, FileChanged
from kadmin.jobs.merge.files.log_file import Identity
from kadmin.jobs.uris import filesystem_of, is_uri

GZIP_MAGIC: Final = b"\x1f\x8b"


class Reader(Protocol):
    """Reads stretches of one open file."""

    def read_at(self, offset: int, into: memoryview) -> int:
        """Fill *into* from *offset* on; fewer bytes only at the end of the file."""
        ...


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


def starts_like_gzip(path: str) -> bool:
    """Return whether *path* is packed, by its content and not its name; raises CannotRead."""
    with opened(path) as reader:
        magic = bytearray(len(GZIP_MAGIC))
        return reader.read_at(0, memoryview(magic)) == len(magic) and magic == GZIP_MAGIC


def read_bytes(path: str, offset: int, size: int) -> bytes:
    """Return the bytes of *path* from *offset* on, fewer at its end; raises CannotRead."""
    buffer = bytearray(size)
    with opened(path) as reader:
        return bytes(buffer[: reader.read_at(offset, memoryview(buffer))])
