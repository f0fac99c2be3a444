"""Index files: entries of one size, in a file that is longer than they are.

While a segment grows, its index files have their full size, zeros behind the last entry, as
Kafka's have; they are cut to their entries when the segment is closed.  Knows nothing of what the
entries mean, except that each field rises from entry to entry.

Entries are gathered in memory before they are written: one at a time they cost as much as the
batches that they point to.  A crash that takes them away takes nothing, since it has the indexes of
all segments made anew that were not flushed.
"""

from errno import EIO
from functools import cache
from struct import Struct
from typing import Final

from cluster.storage.errors import CorruptFileError
from cluster.storage.files import File, Files

NOT_FOUND: Final = -1
GATHERED_SIZE_MAX: Final = 512
"""How many bytes of entries may wait to be written; a flush does not leave any."""

Entry = tuple[int, int]


@cache
def number_within(size_max: int, entry_size: int) -> int:
    """How many entries there is room for: one object for all logs, not 32 bytes in each."""
    return size_max // entry_size


class IndexFile:
    """Entries of two numbers each.  The file is opened when it is first needed."""

    __slots__ = (
        "_file",
        "_files",
        "_gathered",
        "_layout",
        "_name",
        "count",
        "directory",
        "entries_max",
        "last",
    )

    def __init__(
        self, files: Files, directory: str, name: str, layout: Struct, size_max: int
    ) -> None:
        self._files = files
        self._layout = layout
        self._file: File | None = None
        self._gathered = b""
        self._name = name
        self.directory = directory
        self.entries_max = number_within(size_max, layout.size)
        self.count = 0
        self.last: Entry | None = None
        """The entry at the end, kept since every append and most lookups ask for it."""

    @property
    def path(self) -> str:
        """Put together when it is asked for: a broker has tens of thousands of these files."""
        return f"{self.directory}/{self._name}"

    def create(self) -> None:
        """Start without entries, whatever lay under the path, and preallocate."""
        self.count = 0
        self.last = None
        self._gathered = b""
        self.file.truncate(0)
        self.grow()

    def load(self, size: int) -> None:
        """Take over the entries of a file of *size* bytes that was cut to them.

        Raises:
            CorruptFileError: its size is none, or its last entries do not rise, as after a crash
                that left zeros.
        """
        if size % self._layout.size != 0:
            raise CorruptFileError(
                self.path, f"its size of {size} is no multiple of {self._layout.size}"
            )
        self.count = size // self._layout.size
        self.last = self.entry(self.count - 1) if self.count > 0 else None
        if self.count > 1 and self.last is not None:
            before = self.entry(self.count - 2)
            if not (before[0] < self.last[0] and before[1] <= self.last[1]):
                raise CorruptFileError(self.path, f"entry {self.last} follows {before}")

    @property
    def file(self) -> File:
        if self._file is None:
            self._file = self._files.open(self.path, create=True)
        return self._file

    @property
    def is_full(self) -> bool:
        return self.count >= self.entries_max

    def grow(self) -> None:
        """Preallocate: the segment goes on growing.

        Never below the entries that are there: `segment.index.bytes` may have allowed more before.
        """
        self.file.truncate(max(self.entries_max, self.count) * self._layout.size)

    def entry(self, number: int) -> Entry:
        size = self._layout.size
        waiting = number * size - self._written_size
        if waiting >= 0:
            first, second = self._layout.unpack_from(self._gathered, waiting)
            return first, second
        content = self.file.read(number * size, size)
        if len(content) < size:
            raise OSError(EIO, "the file was cut while it was in use", self.path)
        first, second = self._layout.unpack(content)
        return first, second

    @property
    def _written_size(self) -> int:
        """How much of the file is written, its preallocated zeros not counted."""
        return self.count * self._layout.size - len(self._gathered)

    def append(self, entry: Entry) -> None:
        self._gathered += self._layout.pack(*entry)
        self.count += 1
        self.last = entry
        if len(self._gathered) >= GATHERED_SIZE_MAX:
            self.write_out()

    def write_out(self) -> None:
        """Write what has been gathered."""
        if self._gathered:
            self.file.write(self._written_size, self._gathered)
            self._gathered = b""

    def last_at_most(self, field: int, target: int) -> Entry | None:
        """The last entry whose *field* is at most *target*; None when there is none."""
        number = self.number_at_most(field, target)
        if number == NOT_FOUND:
            return None
        return self.last if number == self.count - 1 else self.entry(number)

    def number_at_most(self, field: int, target: int) -> int:
        """The number of that entry, by bisection: eighteen reads for a gigabyte of log."""
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
        """Drop all entries behind the first *count*; the segment goes on growing."""
        assert 0 <= count <= self.count
        self.write_out()
        self.count = count
        self.last = self.entry(count - 1) if count > 0 else None
        # Zeros, not the dropped entries, stand behind the last one.
        self.trim()
        self.grow()

    def trim(self) -> None:
        """Cut the file to its entries: the segment grows no more."""
        self.write_out()
        self.file.truncate(self.count * self._layout.size)

    def close(self) -> None:
        """Let go of the descriptor; the next use opens the file again."""
        if self._file is not None:
            self._file.close()
            self._file = None
