"""Files of brokers, copied into a collection while the brokers may go on writing them.

The order makes the copy consistent: the checkpoints of a log directory before its segments, and the
indexes of a segment before its log, so that none refers to records that were not copied.  A file is
copied up to the size that it has when its turn comes, and appears under its name when it is whole;
a file that is there already, and has not changed at its source, is not copied again.
"""

import errno
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from cluster.formats.batch_walk import Walk
from cluster.formats.checkpoints import LEADER_EPOCHS as EPOCHS
from cluster.formats.directory_names import partition_of
from kadmin.jobs.collection import LOG_DIR, CollectedFile
from kadmin.jobs.collection_store import CollectionStore, Write, sparse
from kadmin.jobs.read_bounds import ahead_s
from kadmin.jobs.segment_files import FileByPath, opened_file
from kadmin.jobs.verify.collected import (
    SEGMENT,
    Unreadable,
    is_log_directory,
    is_partition,
    is_unrelated,
)

BLOCK_SIZE: Final = 1024**2
LOG_NAMES: Final = ("state-change", "controller", "server.log")
"""The names of the logs that record why leaders moved; rotated ones begin alike."""
LEFT_BEHIND: Final = (".lock", ".deleted", ".kafka_cleanshutdown")
"""What is of no use elsewhere."""

UNNAMEABLE: Final = (errno.ENAMETOOLONG, errno.EILSEQ)
"""Why a file cannot have its name in the collection, which is no fault of the others."""


class CollectArgument(NamedTuple):
    """Where files of a broker are: *kind* is LOG_DIR or LOGS."""

    broker: str
    kind: str
    path: Path


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file that is to be copied; *path* is that below the collection."""

    path: str
    broker: str
    kind: str
    root: str
    source: Path
    is_active: bool
    """Whether it is the last segment of a partition, which its broker may be writing."""


class Progress(NamedTuple):
    """How far the copying is, in bytes; what was there already counts as done."""

    done_bytes: int
    total_bytes: int
    copied_bytes: int
    elapsed_s: float


class Listener(Protocol):
    """Receives progress and missing files."""

    def report(self, progress: Progress) -> None: ...

    def tell(self, missing: Unreadable) -> None:
        """Receive what cannot be collected."""
        ...


def planned(
    arguments: Sequence[CollectArgument],
    is_wanted: Callable[[str], bool],
    tell: Callable[[Unreadable], None],
) -> list[PlannedFile]:
    """Return the files that *arguments* name, in the order in which they are to be copied.

    Of log directories the partitions of topics that are wanted; *tell* is called with what cannot
    be listed.
    """
    files: list[PlannedFile] = []
    unlisted: list[Unreadable] = []

    def tell_once(missing: Unreadable) -> None:
        unlisted.append(missing)
        tell(missing)

    for broker, kind, path in arguments:
        # By their whole paths: another run may name others of the same broker.
        root = f"broker-{broker}/{'data' if kind == LOG_DIR else 'logs'}"
        before = len(files), len(unlisted)
        found = (
            log_dir_files(path, is_wanted, tell_once)
            if kind == LOG_DIR
            else logs_files(path, tell_once)
        )
        for source, is_active in found:
            inner = source.absolute()
            files.append(PlannedFile(f"{root}{inner}", broker, kind, root, inner, is_active))
        if before == (len(files), len(unlisted)):
            tell_once(
                Unreadable(str(path), f"there is nothing to collect of broker {broker} in it")
            )
    return files


def log_dir_files(
    path: Path, is_wanted: Callable[[str], bool], tell: Callable[[Unreadable], None]
) -> Iterator[tuple[Path, bool]]:
    """Return the files of the log directories at *path*, or below it; whether each is still
    written."""

    log_directories: set[str] = set()

    def failed(error: OSError) -> None:
        above, name = os.path.split(str(error.filename))
        if not is_unrelated(name, is_in_log_dir=above in log_directories):
            tell(Unreadable(str(error.filename), error.strerror or str(error)))

    seen: set[str] = set()
    for name, directories, names in os.walk(path, onerror=failed, followlinks=True):
        directory = Path(name)
        place = os.path.realpath(directory)
        if place in seen:
            directories.clear()
            continue
        seen.add(place)
        partition = partition_of(directory.name)
        if partition is not None and is_partition(directory, is_in_log_directory=True):
            directories.clear()
            if is_wanted(partition.topic):
                yield from partition_files(directory, names)
            continue
        if is_log_directory(names) or any(partition_of(each) is not None for each in directories):
            log_directories.add(name)
        directories[:] = sorted(each for each in directories if is_entered(directory / each))
        if is_log_directory(names):
            yield from ((directory / each, False) for each in copied(names))


def is_entered(directory: Path) -> bool:
    """Return whether *directory* is looked into: a link only where it leads to what is
    collected."""
    if not directory.is_symlink():
        return True
    if partition_of(directory.name) is not None:
        return is_partition(directory, is_in_log_directory=True)
    try:
        return is_log_directory(os.listdir(directory))
    except OSError:
        return True  # The walk reports it.


def partition_files(directory: Path, names: Sequence[str]) -> Iterator[tuple[Path, bool]]:
    segments = [each for each in copied(names) if SEGMENT.fullmatch(each)]
    others = [each for each in copied(names) if each not in (*segments, EPOCHS)]
    yield from ((directory / each, False) for each in others)
    for each in segments:
        yield directory / each, each == segments[-1]
    if EPOCHS in names:
        # Behind the segments: of one that is deleted meanwhile, it does not say that it is there.
        yield directory / EPOCHS, False


def copied(names: Sequence[str]) -> list[str]:
    return sorted(each for each in names if not each.endswith(LEFT_BEHIND))


def logs_files(path: Path, tell: Callable[[Unreadable], None]) -> Iterator[tuple[Path, bool]]:
    """Return the file at *path*, or the logs in that directory that record leaders."""
    if path.is_file():
        yield path, False
        return
    try:
        names = sorted(os.listdir(path))
    except OSError as error:
        tell(Unreadable(str(path), error.strerror or str(error)))
        return
    for each in names:
        if each.startswith(LOG_NAMES) and (path / each).is_file():
            yield path / each, False


class Copying:
    """Copies files into the collection in *store*, no faster than *rate_max* bytes a second."""

    def __init__(self, store: CollectionStore, listener: Listener, *, rate_max: int | None) -> None:
        self._store = store
        self._listener = listener
        self._rate_max = rate_max
        self._begun_s = time.monotonic()
        self._done_bytes = 0
        self._copied_bytes = 0
        self._total_bytes = 0

    def run(
        self, files: Sequence[PlannedFile], known: Mapping[str, CollectedFile]
    ) -> Iterator[CollectedFile]:
        """Copy *files*, and yield each when it is there; those *known* only if they changed.

        Files that are gone meanwhile are left out: a broker deletes old segments.
        """
        sizes = {}
        for file in files:
            with suppress(OSError):
                sizes[file.path] = file.source.stat().st_size
        self._total_bytes = sum(sizes.values())
        for file in files:
            try:
                status = file.source.stat()
                if not stat.S_ISREG(status.st_mode):
                    # Opening a pipe would wait for its writer.
                    self._listener.tell(Unreadable(str(file.source), "it is no file"))
                    continue
                old = known.get(file.path)
                if old is None or not self._is_there(old, file, status):
                    yield self._copy(file, status)
                else:
                    self._done_bytes += sizes.get(file.path, 0)
                    yield old
            except OSError as error:
                is_of_source = error.filename == str(file.source)
                if is_of_source and error.errno == errno.ENOENT:
                    continue
                if not is_of_source and error.errno not in UNNAMEABLE:
                    raise  # It cannot be written.
                reason = error.strerror or str(error)
                self._listener.tell(Unreadable(str(file.source), reason))

    def _is_there(self, old: CollectedFile, file: PlannedFile, status: os.stat_result) -> bool:
        return (
            str(file.source) == old.source
            and (status.st_size, status.st_mtime_ns) == (old.source_size_bytes, old.source_mtime_ns)
            and self._store.size_of(old.path) == old.size_bytes
        )

    def _copy(self, file: PlannedFile, status: os.stat_result) -> CollectedFile:
        cut = 0
        if not file.is_active:
            with self._store.written(file.path) as write:
                size, digest = self._write(file.source, write, status.st_size)
        else:
            with self._store.taken_in(file.path) as part:
                with sparse(part) as write:
                    size, digest = self._write(file.source, write, status.st_size)
                if self._has_changed(file.source, status):
                    cut = size - whole_size(part)
                if cut:
                    os.truncate(part, size - cut)
                    size -= cut
                    digest = sha256(part)
        return CollectedFile(
            path=file.path,
            broker=file.broker,
            kind=file.kind,
            root=file.root,
            source=str(file.source),
            size_bytes=size,
            sha256=digest,
            source_size_bytes=status.st_size,
            source_mtime_ns=status.st_mtime_ns,
            cut_bytes=cut,
        )

    def _write(self, source: Path, write: Write, size: int) -> tuple[int, str]:
        """Copy *size* bytes, fewer where the source has become shorter."""
        digest = hashlib.sha256()
        done = 0
        with opened_file(source) as read:
            while block := read.read(done, min(BLOCK_SIZE, size - done)):
                digest.update(block)
                done += len(block)
                write(block)
                self._go_on(len(block))
        return done, digest.hexdigest()

    def _has_changed(self, source: Path, status: os.stat_result) -> bool:
        """Return whether the file is being written: of a dead broker a torn end is worth having."""
        now = source.stat()
        return (now.st_size, now.st_mtime_ns) != (status.st_size, status.st_mtime_ns)

    def _go_on(self, size: int) -> None:
        self._done_bytes += size
        self._copied_bytes += size
        elapsed_s = time.monotonic() - self._begun_s
        self._listener.report(
            Progress(self._done_bytes, self._total_bytes, self._copied_bytes, elapsed_s)
        )
        if (wait_s := ahead_s(self._copied_bytes, self._rate_max, elapsed_s)) > 0:
            time.sleep(wait_s)


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def whole_size(path: Path) -> int:
    """Return the bytes up to the end of the last batch that is whole."""
    file = FileByPath(path)
    walk = Walk(file, file.size)
    for _batch in walk:
        pass
    return walk.tail.position if walk.tail.is_torn else path.stat().st_size
