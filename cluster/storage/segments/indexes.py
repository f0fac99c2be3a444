"""Offset and time index of a segment: entries of one size, in a file that is longer than they are.

While a segment grows, its index files have their full size, with zeros after the last entry, as
Kafka's have; they are truncated to their entries when the segment is closed.

Entries are collected in memory before they are written: one at a time they cost as much as the
batches that they point to.  A crash that loses them does no harm, since recovery rebuilds the
indexes of all segments that were not flushed.
"""

from errno import EIO
from functools import cache
from struct import Struct
from typing import ClassVar, Final

from cluster.formats.errors import CorruptFileError
from cluster.formats.indexes import OFFSET_LAYOUT, TIME_LAYOUT, half_entry
from cluster.formats.record_batch import NO_TIMESTAMP
from cluster.storage.files import File, Files

NOT_FOUND: Final = -1
GATHERED_SIZE_MAX: Final = 512
"""How many bytes of entries may wait to be written; a flush does not leave any."""

Entry = tuple[int, int]


@cache
def number_within(size_max: int, entry_size: int) -> int:
    """Return how many entries there is room for: one object for all logs, not 32 bytes in each."""
    return size_max // entry_size


class IndexFile:
    """Entries of two numbers each, which rise from entry to entry.

    One of the two is an offset relative to `base_offset`.  The file is opened when it is first
    needed.
    """

    LAYOUT: ClassVar[Struct]
    OFFSET: ClassVar[int]
    """Which of the two numbers is the offset."""

    __slots__ = (
        "_file",
        "_files",
        "_gathered",
        "base_offset",
        "count",
        "directory",
        "entries_max",
        "last",
        "name",
    )

    def __init__(
        self, files: Files, directory: str, name: str, base_offset: int, size_max: int
    ) -> None:
        self._files = files
        self._file: File | None = None
        self._gathered = b""
        self.name = name
        self.directory = directory
        self.base_offset = base_offset
        self.entries_max = number_within(size_max, self.LAYOUT.size)
        self.count = 0
        self.last: Entry | None = None
        """The entry at the end, kept since every append and most lookups ask for it."""

    @property
    def path(self) -> str:
        """Return the path, built on each call: a broker has tens of thousands of these files."""
        return f"{self.directory}/{self.name}"

    def create(self) -> None:
        """Start without entries, whatever the file at the path has, and preallocate."""
        self.count = 0
        self.last = None
        self._gathered = b""
        self.file.truncate(0)
        self.grow()

    def load(self, size: int, log_size: int) -> None:
        """Take over the entries of a file of *size* bytes that was cut to them, beside a log of
        *log_size*.

        Raises:
            CorruptFileError: it cannot be the index of that log, or its last entries do not rise,
                as after a crash that left zeros.
        """
        reason = half_entry(size, self.LAYOUT)
        if reason is not None:
            raise CorruptFileError(self.path, reason)
        self.count = size // self.LAYOUT.size
        self.last = self.entry(self.count - 1) if self.count > 0 else None
        if self.count > 1 and self.last is not None:
            before = self.entry(self.count - 2)
            if not (before[0] < self.last[0] and before[1] <= self.last[1]):
                raise CorruptFileError(self.path, f"entry {self.last} follows {before}")
        if self.last is not None and not self.is_of_log(self.last, log_size):
            raise CorruptFileError(self.path, f"last entry {self.last} of {log_size} bytes")

    def is_of_log(self, entry: Entry, log_size: int) -> bool:
        """Return whether *entry* may be in the index of a log of that size."""
        raise NotImplementedError

    def reaches(self, offset: int) -> bool:
        """Return whether the last entry is of *offset*, or beyond."""
        return self.last is not None and self.base_offset + self.last[self.OFFSET] >= offset

    @property
    def file(self) -> File:
        if self._file is None:
            self._file = self._files.open(self.path, create=True)
        return self._file

    @property
    def is_full(self) -> bool:
        return self.count >= self.entries_max

    def grow(self) -> None:
        """Preallocate: the segment continues to grow.

        Never below the existing entries: `segment.index.bytes` may have allowed more before.
        """
        self.file.truncate(max(self.entries_max, self.count) * self.LAYOUT.size)

    def entry(self, number: int) -> Entry:
        size = self.LAYOUT.size
        waiting = number * size - self._written_size
        if waiting >= 0:
            first, second = self.LAYOUT.unpack_from(self._gathered, waiting)
            return first, second
        content = self.file.read(number * size, size)
        if len(content) < size:
            raise OSError(EIO, "the file was cut while it was in use", self.path)
        first, second = self.LAYOUT.unpack(content)
        return first, second

    @property
    def _written_size(self) -> int:
        """Return how much of the file is written, its preallocated zeros not counted."""
        return self.count * self.LAYOUT.size - len(self._gathered)

    def add(self, entry: Entry) -> None:
        self._gathered += self.LAYOUT.pack(*entry)
        self.count += 1
        self.last = entry
        if len(self._gathered) >= GATHERED_SIZE_MAX:
            self.write_out()

    def write_out(self) -> None:
        """Write the collected entries."""
        if self._gathered:
            self.file.write(self._written_size, self._gathered)
            self._gathered = b""

    def last_at_most(self, field: int, target: int) -> Entry | None:
        """Return the last entry whose *field* is at most *target*; None when there is none."""
        number = self.number_at_most(field, target)
        if number == NOT_FOUND:
            return None
        return self.last if number == self.count - 1 else self.entry(number)

    def number_at_most(self, field: int, target: int) -> int:
        """Return the number of that entry, by bisection: eighteen reads for a gigabyte of log."""
        if self.last is None or self.last[field] <= target:
            return self.count - 1
        low, high = NOT_FOUND, self.count - 2
        while low < high:
            middle = (low + high + 1) // 2
            if self.entry(middle)[field] <= target:
                low = middle
            else:
                high = middle - 1
        return low

    def keep(self, count: int) -> None:
        """Drop all entries after the first *count*; the segment continues to grow."""
        assert 0 <= count <= self.count
        self.write_out()
        self.count = count
        self.last = self.entry(count - 1) if count > 0 else None
        # Zeros, not the dropped entries, stand behind the last one.
        self.trim()
        self.grow()

    def truncate_to(self, offset: int) -> None:
        """Drop the entries of *offset* and beyond."""
        self.keep(self.number_at_most(self.OFFSET, offset - 1 - self.base_offset) + 1)
        assert not self.reaches(offset)

    def trim(self) -> None:
        """Truncate the file to its entries: the segment does not grow any more."""
        self.write_out()
        self.file.truncate(self.count * self.LAYOUT.size)

    def close(self) -> None:
        """Close the descriptor; the next use opens the file again."""
        if self._file is not None:
            self._file.close()
            self._file = None


class OffsetIndex(IndexFile):
    """The positions in a segment at which batches with certain offsets begin.

    Every few kilobytes of log there is one entry.  A lookup finds a position before the batch; from
    there the segment is scanned.
    """

    __slots__ = ()
    LAYOUT = OFFSET_LAYOUT
    OFFSET = 0
    POSITION: ClassVar = 1

    def is_of_log(self, entry: Entry, log_size: int) -> bool:
        return entry[self.OFFSET] >= 0 and 0 < entry[self.POSITION] < log_size

    def append(self, last_offset: int, position: int) -> None:
        last = self.last
        entry = last_offset - self.base_offset, position
        assert last is None or position > last[self.POSITION], "positions rise"
        assert last is None or entry[self.OFFSET] > last[self.OFFSET], "offsets rise"
        self.add(entry)


class TimeIndex(IndexFile):
    """The offsets from which on a segment can have records of certain times."""

    __slots__ = ()
    LAYOUT = TIME_LAYOUT
    TIMESTAMP: ClassVar = 0
    OFFSET = 1

    def is_of_log(self, entry: Entry, log_size: int) -> bool:
        return entry[self.TIMESTAMP] >= 0 and entry[self.OFFSET] >= 0

    @property
    def is_full(self) -> bool:
        """Return whether there is only room for the segment's closing entry."""
        return self.count >= self.entries_max - 1

    @property
    def max_timestamp(self) -> int:
        """Return the timestamp of the last entry; NO_TIMESTAMP without one."""
        return NO_TIMESTAMP if self.last is None else self.last[self.TIMESTAMP]

    @property
    def max_timestamp_offset(self) -> int:
        """Return the offset of the last entry; the base offset without one."""
        return self.base_offset + (0 if self.last is None else self.last[self.OFFSET])

    def append_if_later(self, timestamp: int, offset: int, *, is_closing: bool = False) -> None:
        """Add an entry, unless *timestamp* is no later than the last one's, or there is no room.

        The closing entry of a segment has room in any case.
        """
        if timestamp > self.max_timestamp and (is_closing or not self.is_full):
            assert offset >= self.max_timestamp_offset, "later records have later times"
            self.add((timestamp, offset - self.base_offset))
