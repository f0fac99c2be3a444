"""The segments of a replica in a collection, which grow while its broker is read.

In a directory the last one is appended to.  At a URI nothing can be: there the last one lies on
this machine, until it is large or nothing more comes.  Knows no broker.
"""

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from cluster.formats.batch_walk import Walk
from kadmin.jobs.collection_store import CollectionStore, DirectoryStore
from kadmin.jobs.segment_files import FileByPath
from kadmin.jobs.verify.collected import SEGMENT

SEGMENT_SIZE: Final = 1024**3
PIECE_SIZE: Final = 64 * 1024**2
"""How large segments become at a URI: so much is read again of each replica after a run was
killed."""
BLOCK_SIZE: Final = 1024**2


class Written(NamedTuple):
    """A segment as it is in the collection, by its path there."""

    path: str
    size_bytes: int
    sha256: str


class ReplicaSegments(Protocol):
    """The segments of one replica."""

    def end(self) -> int | None:
        """Return the offset behind the last batch, behind which nothing is left; None where none
        is."""
        ...

    def are_there(self) -> bool:
        """Return whether there is any."""
        ...

    def append(self, first_offset: int, content: bytes) -> None:
        """Add whole batches, the first of which begins with that offset."""
        ...

    def clear(self) -> None:
        """Forget all of them."""
        ...

    def close(self) -> None:
        """Have all in the collection: nothing more comes, unless it is cleared."""
        ...

    def written(self) -> Iterator[Written]: ...


class SegmentRoom:
    """Where the segments of replicas go in the collection *store*; *staging* is for those that grow
    where it is none of this machine."""

    def __init__(self, store: CollectionStore, staging: Path) -> None:
        self._store = store
        self._staging = staging
        self._there: dict[str, list[str]] = {}
        if not isinstance(store, DirectoryStore):
            for path in sorted(store.paths()):
                directory, _, name = path.rpartition("/")
                if SEGMENT.fullmatch(name):
                    self._there.setdefault(directory, []).append(name)

    def segments(self, directory: str) -> ReplicaSegments:
        """Return those in a directory of the collection."""
        if isinstance(self._store, DirectoryStore):
            return SegmentsInDirectory(self._store, directory)
        there = self._there.get(directory, [])
        return SegmentsAtUri(self._store, directory, there, self._staging / directory)


class SegmentsInDirectory:
    """Segments in a directory of this machine."""

    def __init__(self, store: DirectoryStore, directory: str) -> None:
        self._root = store.directory
        self._directory = store.inside(directory)
        self._directory.mkdir(parents=True, exist_ok=True)

    def end(self) -> int | None:
        segments = segments_in(self._directory)
        return whole_end(segments[-1]) if segments else None

    def are_there(self) -> bool:
        return bool(segments_in(self._directory))

    def append(self, first_offset: int, content: bytes) -> None:
        segments = segments_in(self._directory)
        path = self._directory / f"{first_offset:020}.log"
        if segments and segments[-1].stat().st_size < SEGMENT_SIZE:
            path = segments[-1]
        with path.open("ab") as file:
            file.write(content)

    def clear(self) -> None:
        shutil.rmtree(self._directory)
        self._directory.mkdir()

    def close(self) -> None:
        """Do nothing: all is written already."""

    def written(self) -> Iterator[Written]:
        for path in segments_in(self._directory):
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            yield Written(str(path.relative_to(self._root)), path.stat().st_size, digest)


class SegmentsAtUri:
    """Segments in a directory of *store*, where *names* are; the last one grows in *staging*."""

    def __init__(
        self, store: CollectionStore, directory: str, names: Sequence[str], staging: Path
    ) -> None:
        self._store = store
        self._directory = directory
        self._names = list(names)
        self._staging = staging
        self._growing: Path | None = None

    def end(self) -> int | None:
        if not self._names:
            return None
        growing = self._begun(self._names[-1])
        with self._store.opened(self._path(growing.name)) as there, growing.open("wb") as file:
            shutil.copyfileobj(there, file, BLOCK_SIZE)
        return whole_end(growing)

    def are_there(self) -> bool:
        return bool(self._names)

    def append(self, first_offset: int, content: bytes) -> None:
        if self._growing is not None and self._growing.stat().st_size >= PIECE_SIZE:
            self.close()
        growing = self._growing or self._begun(f"{first_offset:020}.log")
        with growing.open("ab") as file:
            file.write(content)

    def clear(self) -> None:
        if self._growing is not None:
            self._growing.unlink(missing_ok=True)
            self._growing = None
        for name in self._names:
            self._store.remove(self._path(name))
        self._names.clear()

    def close(self) -> None:
        if self._growing is None:
            return
        path = self._path(self._growing.name)
        if self._store.size_of(path) != self._growing.stat().st_size:
            with self._growing.open("rb") as file, self._store.written(path) as write:
                while block := file.read(BLOCK_SIZE):
                    write(block)
        self._growing.unlink()
        self._growing = None

    def written(self) -> Iterator[Written]:
        for name in self._names:
            path = self._path(name)
            digest, size = hashlib.sha256(), 0
            with self._store.opened(path) as file:
                while block := file.read(BLOCK_SIZE):
                    digest.update(block)
                    size += len(block)
            yield Written(path, size, digest.hexdigest())

    def _begun(self, name: str) -> Path:
        self._staging.mkdir(parents=True, exist_ok=True)
        self._growing = self._staging / name
        if name not in self._names:
            self._names.append(name)
        return self._growing

    def _path(self, name: str) -> str:
        return f"{self._directory}/{name}"


def segments_in(directory: Path) -> list[Path]:
    """Return the segments in *directory*, sorted.

    Raises:
        OSError: one is a link, which leads to what is no part of the collection.
    """
    found = sorted(each for each in directory.iterdir() if SEGMENT.fullmatch(each.name))
    for each in found:
        if each.is_symlink():
            raise OSError(errno.ELOOP, "it is a link", str(each))
    return found


def whole_end(segment: Path) -> int:
    """Return the offset behind the last whole batch, behind which *segment* is cut off."""
    end = int(segment.stem)
    file = FileByPath(segment)
    walk = Walk(file, file.size)
    for batch in walk:
        end = batch.header.next_offset
    os.truncate(segment, walk.tail.position)
    return end
