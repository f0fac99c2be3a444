"""Files of log directories on this machine, as `kadmin.segments` reads them."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FileOnDisk:
    """An open file; what is appended to it later is not seen."""

    def __init__(self, path: Path, descriptor: int) -> None:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        self.path = path
        self.size = status.st_size
        self._descriptor = descriptor

    def read(self, position: int, size: int) -> bytes:
        size = max(0, min(size, self.size - position))
        try:
            content = os.pread(self._descriptor, size, position)
            while 0 < len(content) < size:
                more = os.pread(self._descriptor, size - len(content), position + len(content))
                if not more:
                    break  # A broker has cut the file meanwhile.
                content += more
        except OSError as error:
            error.filename = str(self.path)
            raise
        return content


@contextmanager
def opened_file(path: Path) -> Iterator[FileOnDisk]:
    """Yield the file at *path*, open.

    Raises:
        OSError: it cannot be opened, or is a directory; reading may raise it, too.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield FileOnDisk(path, descriptor)
    finally:
        os.close(descriptor)


def size_of(path: Path) -> int:
    """Return the size of the file at *path*.

    Raises:
        OSError: there is none, or it is no file: reading a pipe would wait for ever.
    """
    status = path.stat()
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise OSError(errno.EINVAL, "it is no file", str(path))
    return status.st_size


class FileByPath:
    """A file that is open only while it is read: replicas have more than may be open at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = size_of(path)

    def read(self, position: int, size: int) -> bytes:
        with opened_file(self.path) as file:
            return file.read(position, min(size, max(0, self.size - position)))
