"""What recovery takes out of a log: kept beside it, in files that no broker opens.

A name that has neither a suffix of a segment's files nor one of those that a start removes
(`.deleted`, `.cleaned`, `.swap`) is ignored by every release of Kafka, and here.  The file is
deleted together with the partition's directory, and not before.
"""

import errno
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from cluster.formats.batch_walk import WINDOW_SIZE, headers
from cluster.formats.errors import CorruptFileError
from cluster.formats.record_batch import CorruptBatchError
from cluster.formats.segment_names import CLEANED_SUFFIX, LOG_SUFFIX, SUFFIXES, file_name
from cluster.storage.files import FileEntry, Files
from cluster.storage.recovery.findings import UNKNOWN
from cluster.storage.segments.segment import Segment

MARK: Final = ".set-aside-"
"""Between a file's old name and a number that makes the new one unique."""
NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)


class SetAside:
    """Takes segments, or the end of one, out of one partition's directory."""

    __slots__ = ("_directory", "_entries", "_files", "_names", "segments_gone")

    def __init__(self, files: Files, directory: str, entries: dict[str, FileEntry]) -> None:
        """Begin; *entries* are the existing files, without those set aside from now on."""
        self._files = files
        self._directory = directory
        self._entries = entries
        self._names = set(entries)
        self.segments_gone: list[int] = []
        """The base offsets of those that were set aside whole."""

    def segments(self, base_offsets: Sequence[int]) -> tuple[int, int, list[str]]:
        """Rename the files of segments, the newest first, so that no hole is left.

        Return where the newest ends, as far as it is known, the bytes of all, and their new names.
        """
        names: list[str] = []
        size = 0
        end_offset = self._end_of(base_offsets[-1]) if base_offsets else UNKNOWN
        for base_offset in reversed(base_offsets):
            size += self._entries[file_name(base_offset, LOG_SUFFIX)].size
            for suffix in (*SUFFIXES, LOG_SUFFIX):
                name = file_name(base_offset, suffix)
                # A snapshot may have gone already, with those that lie beyond what is certain.
                with suppress(FileNotFoundError):
                    if self._entries.pop(name, None) is not None:
                        names.append(self._rename(name))
            self.segments_gone.append(base_offset)
        return end_offset, size, names

    def _end_of(self, base_offset: int) -> int:
        """Return where a segment that is given up ends, if its headers can be read."""
        name = file_name(base_offset, LOG_SUFFIX)
        file = self._files.open(f"{self._directory}/{name}")
        end_offset = base_offset
        try:
            for _, header in headers(file, 0, self._entries[name].size):
                end_offset = header.next_offset
        except CorruptBatchError:
            return UNKNOWN
        finally:
            file.close()
        return end_offset

    def _rename(self, name: str) -> str:
        free = self._free_name(name)
        self._files.rename(f"{self._directory}/{name}", f"{self._directory}/{free}")
        self._names.discard(name)
        return free

    def tail(self, segment: Segment, end: int, reason: str, spared_max: int) -> list[str]:
        """Copy what follows the last valid batch of *segment*, up to *end*; return the copy's name.

        It is durable except for that name.  Only when the disk is full, nothing is copied of a rest
        of at most *spared_max* bytes.

        Raises:
            CorruptFileError: there is no room for more than that, which is damaged for a *reason*.
        """
        size = end - segment.size
        try:
            return [self._copy(segment, end)]
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            if size <= spared_max:
                return []
            path = segment.path(LOG_SUFFIX)
            text = f"{reason}; there is no room to set {size} bytes aside"
            raise CorruptFileError(path, text) from None

    def split(self, segment: Segment, end: int, name: str) -> None:
        """Copy what follows the last valid batch of *segment*, up to *end*, to the file *name*,
        durably.

        Raises:
            CorruptFileError: there is no room for it.
        """
        unfinished = f"{self._directory}/{name}{CLEANED_SUFFIX}"
        try:
            self._write(segment, end, unfinished)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            text = f"its offsets are too far apart; there is no room to copy the rest to {name}"
            raise CorruptFileError(segment.path(LOG_SUFFIX), text) from None
        self._files.rename(unfinished, f"{self._directory}/{name}")
        self._files.sync_directory(self._directory)

    def _copy(self, segment: Segment, end: int) -> str:
        free = self._free_name(f"{file_name(segment.base_offset, LOG_SUFFIX)}.{segment.size}")
        self._write(segment, end, f"{self._directory}/{free}")
        return free

    def _write(self, segment: Segment, end: int, path: str) -> None:
        position, file = segment.size, segment.file
        copy = self._files.open(path, create=True)
        try:
            for start in range(position, end, WINDOW_SIZE):
                copy.write(start - position, file.read(start, min(WINDOW_SIZE, end - start)))
            copy.sync()
        except OSError as error:
            if error.errno in NO_ROOM:
                self._files.remove(path)
            raise
        finally:
            copy.close()

    def _free_name(self, name: str) -> str:
        number = 1
        while f"{name}{MARK}{number}" in self._names:
            number += 1
        free = f"{name}{MARK}{number}"
        self._names.add(free)
        return free
