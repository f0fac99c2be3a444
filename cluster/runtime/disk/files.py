"""The file systems of this machine, behind the port `cluster.storage.files`: plain system calls."""

import errno
import fcntl
import os
import time
from typing import Final

from cluster.formats.record_batch import Buffer
from cluster.storage.files import FileEntry

FILE_MODE = 0o644
LEADS_NOWHERE: Final = frozenset(
    (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP, errno.ENAMETOOLONG)
)
"""Errors of a link without a target, or without permission to follow it."""
BOOT_ID = "/proc/sys/kernel/random/boot_id"
CLOSED = -1


class DiskFile:
    """An open descriptor."""

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def size(self) -> int:
        return os.fstat(self._descriptor).st_size

    def read(self, position: int, size: int) -> bytes:
        content = os.pread(self._descriptor, size, position)
        if len(content) == size or not content:
            return content
        # The kernel may return less than there is, above 2 GiB and on some file systems.
        parts = [content]
        while content and (left := size - sum(map(len, parts))) > 0:
            content = os.pread(self._descriptor, left, position + size - left)
            parts.append(content)
        return b"".join(parts)

    def write(self, position: int, data: Buffer) -> None:
        written = os.pwrite(self._descriptor, data, position)
        if written == len(data):
            return
        # A nearly full disk takes a part, and only fails for the rest.
        with memoryview(data) as view:
            while written < len(view):
                with view[written:] as rest:
                    step = os.pwrite(self._descriptor, rest, position + written)
                if step == 0:
                    raise OSError(errno.EIO, "nothing was written", self.path)
                written += step

    def truncate(self, size: int) -> None:
        os.ftruncate(self._descriptor, size)

    def sync(self) -> None:
        # What another thread closed was dropped: it need not be durable.
        descriptor = self._descriptor
        if descriptor == CLOSED:
            return
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno == errno.EBADF and self._descriptor == CLOSED:
                return
            raise

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, CLOSED
        if descriptor != CLOSED:
            os.close(descriptor)

    def fileno(self) -> int:
        return self._descriptor


class Disk:
    """The file systems of this machine."""

    def open(self, path: str, *, create: bool = False) -> DiskFile:
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        return DiskFile(path, os.open(path, flags, FILE_MODE))

    def list(self, directory: str) -> tuple[FileEntry, ...]:
        with os.scandir(directory) as found:
            entries = [entry_of(entry) for entry in found]
        return tuple(sorted(entry for entry in entries if entry is not None))

    def make_directory(self, path: str) -> None:
        os.mkdir(path)

    def rename(self, source: str, target: str) -> None:
        os.rename(source, target)

    def remove(self, path: str) -> None:
        try:
            os.unlink(path)
        except (IsADirectoryError, PermissionError):
            # POSIX returns EPERM for a directory, Linux EISDIR.
            os.rmdir(path)

    def sync_directory(self, path: str) -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def boot_id(self) -> str:
        try:
            with open(BOOT_ID) as file:
                return file.read().strip()
        except OSError:
            # Only Linux has it.
            return ""

    def lock(self, path: str) -> DiskFile:
        file = self.open(path, create=True)
        try:
            # Of the two kinds of locks, the one that a Kafka broker takes.
            fcntl.lockf(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            if error.errno in (errno.EACCES, errno.EAGAIN):
                raise BlockingIOError(error.errno, "another process has the lock", path) from error
            raise
        return file


def entry_of(entry: os.DirEntry[str]) -> FileEntry | None:
    """The file of *entry*; None when it was removed meanwhile, or is a link without a target."""
    try:
        status = entry.stat()
    except OSError as error:
        if error.errno in LEADS_NOWHERE:
            return None
        raise
    is_directory = entry.is_dir()
    size = 0 if is_directory else status.st_size
    age_ms = max(0, time.time_ns() - status.st_mtime_ns) // 1_000_000
    return FileEntry(entry.name, size, age_ms, is_directory)
