"""Files: the operations that the log needs.

The port between the log, which decides, and a disk, which executes: a real one in
`cluster.runtime.disk.files`, a simulated one in `tests.sim.disk`.  Paths are absolute texts with
slashes.  Every method may raise OSError, and nothing else.
"""

from typing import NamedTuple, Protocol

from cluster.formats.record_batch import Buffer


class FileEntry(NamedTuple):
    """One name in a directory; a directory has size 0."""

    name: str
    size: int
    age_ms: int
    """How long ago the content changed, by the machine's clock; at least 0."""
    is_directory: bool


class File(Protocol):
    """An open file, read and written by position."""

    def size(self) -> int: ...

    def read(self, position: int, size: int) -> bytes:
        """Return up to *size* bytes from *position* on; fewer only where the file ends."""
        ...

    def write(self, position: int, data: Buffer) -> None:
        """Write all of *data*, or raise; after an error any part of it may be there."""
        ...

    def truncate(self, size: int) -> None:
        """Cut the file, or fill it up with zeros."""
        ...

    def sync(self) -> None:
        """Return when content and size are durable.  May be called on another thread."""
        ...

    def close(self) -> None: ...

    def fileno(self) -> int:
        """Return the descriptor, for sendfile; `io.UnsupportedOperation` where there is none."""
        ...


class Files(Protocol):
    """A disk.  Names become durable by `sync_directory`, not by `File.sync`."""

    def open(self, path: str, *, create: bool = False) -> File:
        """Open for reading and writing; with *create* a missing file is made, empty."""
        ...

    def list(self, directory: str) -> tuple[FileEntry, ...]:
        """Return what is in *directory*, sorted by name."""
        ...

    def make_directory(self, path: str) -> None:
        """Make *path*; FileExistsError when it is there, FileNotFoundError without its parent."""
        ...

    def rename(self, source: str, target: str) -> None:
        """Give a file or directory another name in its directory; a file replaces a file."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file or an empty directory."""
        ...

    def sync_directory(self, path: str) -> None:
        """Return when the names in *path* are durable."""
        ...

    def boot_id(self) -> str:
        """Return the id of this boot of the machine: what an earlier one wrote and did not sync may
        be lost.

        Empty when it is unknown.
        """
        ...

    def lock(self, path: str) -> File:
        """Take *path*, made if missing, for this process until the result is closed.

        Raises:
            BlockingIOError: another process has it.
        """
        ...


def read_whole(files: Files, path: str) -> bytes | None:
    """Return the content of a small file; None when there is none."""
    try:
        file = files.open(path)
    except FileNotFoundError:
        return None
    try:
        return file.read(0, file.size())
    finally:
        file.close()


def replace_whole(files: Files, directory: str, name: str, content: bytes) -> None:
    """Put *content* under *name*, durably and all at once.

    A crash leaves the old content or the new; at worst a `<name>.tmp` lies beside it, which the
    next call overwrites.
    """
    finish_replacing(files, begin_replacing(files, directory, name, content), directory, name)


def begin_replacing(files: Files, directory: str, name: str, content: bytes) -> File:
    """Do of `replace_whole` what need not wait for the disk; `finish_replacing` gets the file."""
    file = files.open(temporary(directory, name), create=True)
    try:
        file.truncate(0)
        file.write(0, content)
    except OSError:
        file.close()
        raise
    return file


def finish_replacing(files: Files, file: File, directory: str, name: str) -> None:
    """Make *file* durable, and let it take its place.  Any thread may do it."""
    # The content before the name: a durable name of a content that is not would be a damaged file.
    try:
        file.sync()
    finally:
        file.close()
    files.rename(temporary(directory, name), f"{directory}/{name}")
    files.sync_directory(directory)


def temporary(directory: str, name: str) -> str:
    return f"{directory}/{name}.tmp"


def remove_if_there(files: Files, path: str) -> None:
    """Remove a file that may be gone already."""
    try:
        files.remove(path)
    except FileNotFoundError:
        return
