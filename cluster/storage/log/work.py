"""Work for the disk that a log has decided on.

Pieces of work that any thread may run, since they touch nothing of the log: syncing or replacing
what was written, removing what was dropped.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from cluster.formats.segment_names import DELETED_SUFFIX, LOG_SUFFIX, SUFFIXES, file_name
from cluster.storage.files import File, Files, finish_replacing, remove_if_there
from cluster.storage.segments.segment import Segment

RunAll: TypeAlias = Callable[[Sequence[Callable[[], None]]], None]
"""Does pieces of work in any order, each on whatever thread, and raises what one of them raised."""


class Replacement(NamedTuple):
    """A small file of a log that gets another content, whole or not at all."""

    file: File
    """The content, beside the file that it replaces since before the work began: it is not there
    any more if the log was deleted meanwhile, whatever log has its name now."""
    directory: str
    name: str


class FlushWork(NamedTuple):
    """What has to become durable so that everything before `end_offset` is."""

    end_offset: int
    open_files: tuple[File, ...]
    written: tuple[File, ...]
    """Files without a writer: they are closed when they are durable."""
    replaced: tuple[Replacement, ...]
    paths: tuple[str, ...]
    """Small files that were written without waiting, and may be gone since."""
    directories: tuple[str, ...]
    """Those with new names: the partition's own, and the one that it is in while it is new."""
    truncations: int
    """How often the log had been truncated when this was planned."""

    def run(self, files: Files) -> None:
        """Wait for the disk.  The order is free: nothing counts before all of it is done.

        Raises:
            OSError: it failed; the caller has to report it to the log's health.
        """
        for file in self.open_files:
            file.sync()
        for file in self.written:
            try:
                file.sync()
            finally:
                file.close()
        for file, directory, name in self.replaced:
            # The directory of a log that was deleted meanwhile has another name.
            with suppress(FileNotFoundError):
                finish_replacing(files, file, directory, name)
        for path in self.paths:
            sync_if_there(files, path)
        for directory in self.directories:
            with suppress(FileNotFoundError):
                files.sync_directory(directory)


class DeletedSegment(NamedTuple):
    """A segment that is no longer in the log; its files are renamed and wait for removal."""

    segment: Segment
    paths: tuple[str, ...]
    due_ms: int
    """When it has no reader any more: `file.delete.delay.ms` after it was dropped."""

    def close(self) -> None:
        """Close the descriptors, on the thread that reads from them: their numbers are free
        afterwards.
        """
        self.segment.close()

    def remove(self, files: Files) -> None:
        """Delete the files."""
        for path in self.paths:
            remove_if_there(files, path)


class DeletedDirectory(NamedTuple):
    """A partition's directory that was renamed, and waits for removal."""

    path: str
    segments: tuple[Segment, ...]
    """Those whose files are still open."""
    due_ms: int

    def close(self) -> None:
        """Close the descriptors, as of a `DeletedSegment`."""
        for segment in self.segments:
            segment.close()

    def remove(self, files: Files) -> None:
        """Delete the directory and everything in it; it may be gone already."""
        try:
            entries = files.list(self.path)
        except FileNotFoundError:
            return
        for entry in entries:
            remove_if_there(files, f"{self.path}/{entry.name}")
        remove_if_there(files, self.path)


def deleted_segments(
    files: Files,
    directory: str,
    segments: Sequence[Segment],
    due_ms: int,
    suffixes: Sequence[str] = SUFFIXES,
) -> tuple[DeletedSegment, ...]:
    """Rename the files of *segments*, in their order, the log's own first, then the *suffixes*.

    After a crash in between an index without its log is nothing, and the next start removes it; a
    log without its index would be a segment.
    """
    names = {entry.name for entry in files.list(directory)}
    deleted: list[DeletedSegment] = []
    for segment in segments:
        paths: list[str] = []
        for suffix in (LOG_SUFFIX, *suffixes):
            if file_name(segment.base_offset, suffix) in names:
                path = segment.path(suffix)
                files.rename(path, path + DELETED_SUFFIX)
                paths.append(path + DELETED_SUFFIX)
        deleted.append(DeletedSegment(segment, tuple(paths), due_ms))
    return tuple(deleted)


def run_in_turn(works: Sequence[Callable[[], None]]) -> None:
    """Do one piece of work after the other, here; stop at the first that raises."""
    for work in works:
        work()


def sync_if_there(files: Files, path: str) -> None:
    """Sync a file that may have been removed since."""
    try:
        file = files.open(path)
    except FileNotFoundError:
        return
    try:
        file.sync()
    finally:
        file.close()
