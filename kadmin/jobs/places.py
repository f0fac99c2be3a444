"""Places of files: a path of this machine, or the URI of one in a file system that pyarrow knows.

What is at a URI is read in blocks, and listed once for all that is below it.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import quote, unquote

from kadmin.jobs.segment_files import FileByPath, size_of
from kadmin.jobs.uris import filesystem_of, is_uri
from kadmin.segments.values import Source

BLOCK_SIZE: Final = 4 * 1024**2
"""How much of a file at a URI is read at once by who reads on: each time is a request."""
WHOLE_SIZE_MAX: Final = 256 * 1024**2
"""How large a file may be that is read whole: checkpoints and manifests are much smaller."""


class Entry(NamedTuple):
    """What is in a directory."""

    name: str
    is_directory: bool
    size: int = 0


Failed = Callable[[str, OSError], None]
"""Receives a directory below the root that cannot be read, and the reason."""


class Tree(Protocol):
    """A directory and all that is below it, by paths from there; "" is the directory itself."""

    def place(self, inner: str) -> str: ...

    def walk(self, failed: Failed) -> Iterator[tuple[str, list[str], list[str]]]:
        """Walk directories with the names of their directories and files, from the root on.

        A directory that the caller removes from the list is not walked.
        """
        ...

    def entries(self, inner: str) -> Sequence[Entry]:
        """List a directory; raise OSError where it cannot be read."""
        ...

    def read(self, inner: str) -> bytes:
        """Read a file; raise OSError where it cannot be read, or is too large to be read whole."""
        ...


def tree_at(place: str) -> Tree:
    """Return the tree at *place*.

    Raises:
        OSError: it is no directory, or cannot be looked into.
        KadminError: the scheme of a URI is unknown.
    """
    return UriTree(place) if is_uri(place) else LocalTree(place)


def is_directory(place: str) -> bool:
    """Return whether *place* is a directory; raises as `tree_at` does, where that is unknown."""
    if not is_uri(place):
        return os.path.isdir(place)
    from pyarrow.fs import FileType

    filesystem, inner = at_uri(place)
    kind = filesystem.get_file_info(inner).type
    if kind is FileType.NotFound:
        raise FileNotFoundError(0, "it does not exist")
    return bool(kind is FileType.Directory)


class LocalTree:
    """A directory of this machine."""

    def __init__(self, root: str) -> None:
        self.root = root

    def place(self, inner: str) -> str:
        return os.path.join(self.root, inner) if inner else self.root

    def walk(self, failed: Failed) -> Iterator[tuple[str, list[str], list[str]]]:
        def note(error: OSError) -> None:
            failed(self.inner(str(error.filename)), error)

        for name, directories, files in os.walk(self.root, onerror=note):
            yield self.inner(name), directories, files

    def inner(self, path: str) -> str:
        inner = os.path.relpath(path, self.root)
        return "" if inner == os.curdir else inner

    def entries(self, inner: str) -> list[Entry]:
        with os.scandir(self.place(inner)) as scanned:
            return [Entry(entry.name, os.path.isdir(entry.path)) for entry in scanned]

    def read(self, inner: str) -> bytes:
        return read_small(Path(self.place(inner)))


class ListedTree:
    """A tree of which all is listed before it is read."""

    def __init__(self) -> None:
        self.listed: dict[str, dict[str, Entry]] = {"": {}}

    def add(self, names: Sequence[str], *, is_directory: bool, size: int) -> None:
        """List what is called by the last of *names*, in the directories that the others name."""
        for depth, name in enumerate(names, start=1):
            is_inner = depth < len(names)
            entry = Entry(name, is_inner or is_directory, size)
            self.listed.setdefault("/".join(names[: depth - 1]), {}).setdefault(name, entry)
            if entry.is_directory:
                self.listed.setdefault("/".join(names[:depth]), {})

    def walk(self, failed: Failed, inner: str = "") -> Iterator[tuple[str, list[str], list[str]]]:
        entries = self.entries(inner)
        directories = [entry.name for entry in entries if entry.is_directory]
        yield inner, directories, [entry.name for entry in entries if not entry.is_directory]
        for name in directories:
            yield from self.walk(failed, f"{inner}/{name}" if inner else name)

    def entries(self, inner: str) -> list[Entry]:
        return sorted(self.listed[inner].values())

    def entry(self, inner: str) -> Entry:
        """Return what is listed at *inner*.

        Raises:
            OSError: nothing is.
        """
        above, _, name = inner.rpartition("/")
        entry = self.listed.get(above, {}).get(name)
        if entry is None:
            raise FileNotFoundError(0, "it does not exist")
        return entry


class UriTree(ListedTree):
    """A directory at a URI, listed when it is made."""

    def __init__(self, root: str) -> None:
        super().__init__()
        self.root = root
        filesystem, top = at_uri(root)
        for info in listing(filesystem, top, is_recursive=True):
            names = info.path.removeprefix(top).strip("/").split("/")
            self.add(names, is_directory=not info.is_file, size=info.size or 0)

    def place(self, inner: str) -> str:
        return joined(self.root, inner) if inner else self.root

    def read(self, inner: str) -> bytes:
        check_size(self.entry(inner).size)
        filesystem, path = at_uri(self.place(inner))
        with filesystem.open_input_stream(path, compression=None) as stream:
            return bytes(stream.read())


def read_small(path: Path) -> bytes:
    """Return the file at *path*, which is no larger than such files are.

    Raises:
        OSError: it is, or cannot be read.
    """
    check_size(size_of(path))
    return path.read_bytes()


def check_size(size: int) -> None:
    if size > WHOLE_SIZE_MAX:
        reason = f"it has {size:,} bytes, and is read whole only up to {WHOLE_SIZE_MAX:,}"
        raise OSError(errno.EFBIG, reason)


def files_in(directory: str) -> Iterator[tuple[str, Callable[[], Source]]]:
    """Return the names of what is in a *directory*, and who opens it; sorted.

    Raises:
        OSError: it cannot be read; the openers raise it, too.
    """
    if not is_uri(directory):
        for name in sorted(os.listdir(directory)):
            path = Path(directory, name)
            yield name, lambda path=path: FileByPath(path)  # type: ignore[misc]
        return
    filesystem, top = at_uri(directory)
    found = listing(filesystem, top, is_recursive=False)
    for info in sorted(found, key=lambda info: str(info.base_name)):
        place = joined(directory, info.base_name)
        yield info.base_name, lambda place=place, size=info.size: FileByUri(place, size or 0)  # type: ignore[misc]


def source_at(place: str, size: int) -> Source:
    """Return the file at *place*; at a URI it has *size* bytes.

    Raises:
        OSError: it cannot be opened.
    """
    return FileByUri(place, size) if is_uri(place) else FileByPath(Path(place))


class FileByUri:
    """A file at a URI, of so many bytes; of all files one block is kept."""

    kept: tuple[str, int, bytes] = ("", 0, b"")
    """Of the file that was read last: where, from which byte on, and what."""

    def __init__(self, place: str, size: int) -> None:
        self.place = place
        self.size = size

    def read(self, position: int, size: int) -> bytes:
        size = max(0, min(size, self.size - position))
        place, begin, block = FileByUri.kept
        is_near = place == self.place and begin <= position <= begin + len(block)
        if is_near and position + size <= begin + len(block):
            return block[position - begin : position - begin + size]
        # Who reads on is given more at once, who looks here and there only that.
        wanted = min(max(size, BLOCK_SIZE if is_near else 0), self.size - position)
        filesystem, path = at_uri(self.place)
        with filesystem.open_input_file(path) as file:
            block = bytes(file.read_at(wanted, position))
        FileByUri.kept = (self.place, position, block)
        return block[:size]


def file_size(place: str) -> int:
    """Return the size of the file at *place*.

    Raises:
        OSError: there is none, or it is something else.
        KadminError: the scheme of a URI is unknown.
    """
    if not is_uri(place):
        return size_of(Path(place))
    filesystem, path = at_uri(place)
    return filesystem.get_file_info(path).size or 0


@contextmanager
def unpacking(place: str, codec: str) -> Iterator[Any]:
    """Yield the bytes that the file at *place* was packed from with *codec*, as a stream.

    Raises:
        OSError: it cannot be opened; reading raises it where it is damaged.
        KadminError: the scheme of a URI is unknown.
    """
    import pyarrow as pa

    if is_uri(place):
        filesystem, path = at_uri(place)
        opened = filesystem.open_input_stream(path, compression=codec)
    else:
        opened = pa.input_stream(place, compression=codec)
    with opened as stream:
        yield stream


def listing(filesystem: Any, top: str, *, is_recursive: bool) -> list[Any]:
    """Return what is at *top*, which has to be a directory."""
    from pyarrow.fs import FileSelector

    return list(filesystem.get_file_info(FileSelector(top, recursive=is_recursive)))


def at_uri(uri: str) -> tuple[Any, str]:
    """Return the file system for *uri*, one for all that has the same server, and the path
    inside it."""
    base, mark, query = uri.partition("?")
    scheme, _, rest = base.partition("://")
    authority, _, path = rest.partition("/")
    filesystem, top = filesystem_at(f"{scheme}://{authority}{mark}{query}")
    return filesystem, f"{top.rstrip('/')}/{unquote(path).strip('/')}".rstrip("/")


@lru_cache(maxsize=16)
def filesystem_at(uri: str) -> tuple[Any, str]:
    return filesystem_of(uri)


def joined(place: str, inner: str) -> str:
    """Return the place of what is at *inner* below *place*."""
    if not is_uri(place):
        return os.path.join(place, inner)
    base, mark, query = place.partition("?")
    return f"{base.rstrip('/')}/{quote(inner)}{mark}{query}"


def name_of(place: str) -> str:
    """Return the name of the file or directory at *place*."""
    if not is_uri(place):
        return os.path.basename(place)
    return unquote(place.partition("?")[0].rstrip("/").rpartition("/")[2])


def absolute(place: str) -> str:
    """Return *place* as other processes find it; `..` is kept, since it may follow a link."""
    return place if is_uri(place) else os.path.join(os.getcwd(), place)
