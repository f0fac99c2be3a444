"""The time index: from which offset on a segment can hold records of a certain time.

An entry is a timestamp in milliseconds and an offset relative to the segment's base: up to and
with that offset nothing is later than the timestamp.
"""

from struct import Struct
from typing import Final

from cluster.model.record_batch import NO_TIMESTAMP
from cluster.storage.errors import CorruptFileError
from cluster.storage.files import Files
from cluster.storage.index_file import IndexFile

SUFFIX: Final = ".timeindex"
LAYOUT: Final = Struct(">qi")

TIMESTAMP: Final = 0
OFFSET: Final = 1


class TimeIndex:
    __slots__ = ("base_offset", "entries")

    def __init__(
        self, files: Files, directory: str, name: str, base_offset: int, size_max: int
    ) -> None:
        self.base_offset = base_offset
        self.entries = IndexFile(files, directory, name, LAYOUT, size_max)

    def load(self, size: int) -> None:
        """Take over a file of *size* bytes.

        Raises:
            CorruptFileError: it cannot be a time index.
        """
        self.entries.load(size)
        last = self.entries.last
        if last is not None and (last[TIMESTAMP] < 0 or last[OFFSET] < 0):
            raise CorruptFileError(self.entries.path, f"last entry {last}")

    @property
    def is_full(self) -> bool:
        """Whether only the place is left that the segment's closing entry needs."""
        return self.entries.count >= self.entries.entries_max - 1

    @property
    def max_timestamp(self) -> int:
        """The timestamp of the last entry; NO_TIMESTAMP without one."""
        return NO_TIMESTAMP if self.entries.last is None else self.entries.last[TIMESTAMP]

    @property
    def max_timestamp_offset(self) -> int:
        """The offset of the last entry; the base offset without one."""
        return self.base_offset + (0 if self.entries.last is None else self.entries.last[OFFSET])

    def append_if_later(self, timestamp: int, offset: int) -> None:
        """Add an entry, unless *timestamp* is no later than the last one's."""
        if timestamp > self.max_timestamp and not self.entries.is_full:
            self.entries.append((timestamp, offset - self.base_offset))

    def offset_before(self, timestamp: int) -> int:
        """An offset at or before the first one that can be later than *timestamp*."""
        entry = self.entries.last_at_most(TIMESTAMP, timestamp)
        return self.base_offset + (0 if entry is None else entry[OFFSET])

    def truncate_to(self, offset: int) -> None:
        """Drop the entries of *offset* and beyond."""
        target = offset - 1 - self.base_offset
        self.entries.keep(self.entries.number_at_most(OFFSET, target) + 1)
