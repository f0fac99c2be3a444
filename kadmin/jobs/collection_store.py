"""Where a collection lies: a directory, or what a URI names in a file system that pyarrow knows.

Files are named by their paths below it, and appear there when they are whole.  Knows nothing of
what is in them.
"""

import errno
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final, Protocol

from kadmin.errors import KadminError
from kadmin.jobs.places import at_uri, joined
from kadmin.jobs.segment_files import size_of
from kadmin.jobs.uris import is_uri, local_path, shown

PART: Final = ".part"
"""How the name of a file ends that is not there whole yet."""
NOTE_S: Final = 5.0
"""How often lines are written at a URI, where all of them are written anew each time."""
WITHOUT_DIRECTORIES: Final = ("s3", "gcs")
"""File systems that need no directory to be made for a file."""

Write = Callable[[bytes], object]


class CollectionStore(Protocol):
    """A place for files, by their paths below it."""

    @property
    def label(self) -> str:
        """The place for people."""
        ...

    def place(self, path: str) -> str:
        """Return where a file or directory is, as other commands take it.

        Raises:
            OSError: it is elsewhere.
        """
        ...

    def is_there(self) -> bool:
        """Return whether there is a directory, or anything at a URI."""
        ...

    def make(self) -> None:
        """Make the directory, where it needs one."""
        ...

    def paths(self) -> Iterator[str]:
        """Return the files that are there."""
        ...

    def size_of(self, path: str) -> int | None:
        """Return the size of a file; None where there is none."""
        ...

    def opened(self, path: str) -> AbstractContextManager[BinaryIO]:
        """Open a file; raise OSError where it cannot be read."""
        ...

    def write(self, path: str, content: bytes) -> None: ...

    def written(self, path: str) -> AbstractContextManager[Write]:
        """Return what writes a file, block by block."""
        ...

    def taken_in(self, path: str) -> AbstractContextManager[Path]:
        """Return a file of this machine that becomes that at *path*."""
        ...

    def noted(self, path: str) -> AbstractContextManager[Callable[[str], None]]:
        """Return what adds lines to those that are in a file."""
        ...

    def remove(self, path: str) -> None: ...


def store_at(place: str) -> CollectionStore:
    """Return the store at *place*, a path or a URI.

    Raises:
        KadminError: the scheme of a URI is unknown, or its server does not answer.
    """
    path = local_path(place)
    return UriStore(path) if is_uri(path) else DirectoryStore(Path(path))


class LeadsOut(OSError):
    """A path of a collection goes through a link that leads out of it."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.ELOOP, "a link leads out of the collection", str(path))


class DirectoryStore:
    """A directory of this machine, out of which no link in it leads.

    It may come from another machine: what its manifest names is in it, and is a file.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.label = str(directory)

    def place(self, path: str) -> str:
        return str(self.inside(path))

    def is_there(self) -> bool:
        return self.directory.is_dir()

    def make(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)

    def paths(self) -> Iterator[str]:
        for name, directories, files in os.walk(self.directory):
            directories.sort()
            for each in sorted(files):
                yield str(Path(name, each).relative_to(self.directory))

    def size_of(self, path: str) -> int | None:
        try:
            return size_of(self.inside(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def opened(self, path: str) -> AbstractContextManager[BinaryIO]:
        whole = self.inside(path)
        size_of(whole)
        return whole.open("rb")

    def write(self, path: str, content: bytes) -> None:
        with self.taken_in(path) as part:
            part.write_bytes(content)

    @contextmanager
    def written(self, path: str) -> Iterator[Write]:
        with self.taken_in(path) as part, sparse(part) as write:
            yield write

    @contextmanager
    def taken_in(self, path: str) -> Iterator[Path]:
        whole = self.inside(path)
        whole.parent.mkdir(parents=True, exist_ok=True)
        part = whole.with_name(f"{whole.name}{PART}")
        # What was left of it: written anew, so that nothing is written through a link.
        part.unlink(missing_ok=True)
        yield part
        os.replace(part, whole)

    @contextmanager
    def noted(self, path: str) -> Iterator[Callable[[str], None]]:
        with self.inside(path).open("a+b") as file:
            file.seek(0)
            file.truncate(len(whole_lines(file.read())))

            def note(line: str) -> None:
                file.write(line.encode() + b"\n")
                file.flush()

            yield note

    def remove(self, path: str) -> None:
        self.inside(path).unlink(missing_ok=True)

    def inside(self, path: str) -> Path:
        """Return the file or directory at *path*.

        Raises:
            LeadsOut: it is elsewhere.
        """
        found = self.directory / path
        if not found.resolve().is_relative_to(self.directory.resolve()):
            raise LeadsOut(found)
        return found


@contextmanager
def sparse(path: Path) -> Iterator[Write]:
    """Yield what writes the file at *path*, in which blocks of zeros take no room."""
    with path.open("wb") as file:

        def write(block: bytes) -> None:
            if block.strip(b"\0"):
                file.write(block)
            else:
                file.seek(len(block), os.SEEK_CUR)

        yield write
        file.truncate()


class UriStore:
    """What is below a URI, listed when this is made.

    Raises:
        KadminError: its scheme is unknown, or its server does not answer.
    """

    def __init__(self, uri: str, clock: Callable[[], float] = time.monotonic) -> None:
        from pyarrow.fs import FileSelector

        self.uri = uri
        self.label = shown(uri)
        self._now_s = clock
        self._filesystem, self._top = at_uri(uri)
        selector = FileSelector(self._top, allow_not_found=True, recursive=True)
        try:
            found = self._filesystem.get_file_info(selector)
        except OSError as error:
            raise KadminError(
                f"cannot look into {self.label}: {first_line(error)}",
                hint="does its server answer, and may it be read with these keys?",
            ) from error
        self._sizes: dict[str, int] = {
            each.path.removeprefix(self._top).strip("/"): each.size or 0
            for each in found
            if each.is_file
        }

    def place(self, path: str) -> str:
        return joined(self.uri, path)

    def is_there(self) -> bool:
        return bool(self._sizes)

    def make(self) -> None:
        """Do nothing: it exists with its first file."""

    def paths(self) -> Iterator[str]:
        yield from sorted(self._sizes)

    def size_of(self, path: str) -> int | None:
        return self._sizes.get(path)

    def opened(self, path: str) -> AbstractContextManager[BinaryIO]:
        if path not in self._sizes:
            raise FileNotFoundError(0, "it does not exist")
        stream: Any = self._filesystem.open_input_stream(self._inner(path), compression=None)
        return stream  # type: ignore[no-any-return]

    def write(self, path: str, content: bytes) -> None:
        with self.written(path) as write:
            write(content)

    @contextmanager
    def written(self, path: str) -> Iterator[Write]:
        inner = self._inner(path)
        if not is_unicode(path):
            raise OSError(errno.EILSEQ, "its name is no UTF-8, as those at a URI have to be")
        if self._filesystem.type_name not in WITHOUT_DIRECTORIES:
            self._filesystem.create_dir(inner.rpartition("/")[0], recursive=True)
        size = 0

        def write(block: bytes) -> None:
            nonlocal size
            stream.write(block)
            size += len(block)

        self._sizes.pop(path, None)
        stream = self._filesystem.open_output_stream(inner, compression=None)
        try:
            yield write
        except BaseException:
            # What was written until then appears when the stream is closed.
            stream.close()
            self._filesystem.delete_file(inner)
            raise
        stream.close()
        self._sizes[path] = size

    @contextmanager
    def taken_in(self, path: str) -> Iterator[Path]:
        with TemporaryDirectory(prefix="kadmin-") as directory:
            part = Path(directory, "part")
            yield part
            with part.open("rb") as file, self.written(path) as write:
                while block := file.read(1024**2):
                    write(block)

    @contextmanager
    def noted(self, path: str) -> Iterator[Callable[[str], None]]:
        lines = bytearray()
        if path in self._sizes:
            with self.opened(path) as stream:
                lines += whole_lines(stream.read())
        due_s = self._now_s()

        def note(line: str) -> None:
            nonlocal due_s
            lines.extend(line.encode() + b"\n")
            begun_s = self._now_s()
            if begun_s >= due_s:
                self.write(path, bytes(lines))
                now_s = self._now_s()
                # They become more and more: at most a tenth of the time goes there.
                due_s = now_s + max(NOTE_S, 9 * (now_s - begun_s))

        self.write(path, bytes(lines))
        try:
            yield note
        finally:
            self.write(path, bytes(lines))

    def remove(self, path: str) -> None:
        if self._sizes.pop(path, None) is not None:
            self._filesystem.delete_file(self._inner(path))

    def _inner(self, path: str) -> str:
        return f"{self._top}/{path}"


def is_unicode(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def whole_lines(content: bytes) -> bytes:
    """Return *content* up to the last end of a line: a writer that was killed may leave a part of
    one."""
    return content[: content.rfind(b"\n") + 1]


def first_line(error: OSError) -> str:
    return str(error).partition("\n")[0]
