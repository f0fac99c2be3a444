"""The offset index: where in a segment the batch with a certain offset begins.

Every few kilobytes of log there is one entry: the last offset of a batch, relative to the
segment's base, and the byte at which that batch begins.  Looks up; the rest of the way is a scan.
"""

from struct import Struct
from typing import Final

from cluster.storage.errors import CorruptFileError
from cluster.storage.files import Files
from cluster.storage.index_file import IndexFile

SUFFIX: Final = ".index"
LAYOUT: Final = Struct(">ii")
RELATIVE_OFFSET_MAX: Final = 2**31 - 1

OFFSET: Final = 0
POSITION: Final = 1


class OffsetIndex:
    __slots__ = ("base_offset", "entries")

    def __init__(
        self, files: Files, directory: str, name: str, base_offset: int, size_max: int
    ) -> None:
        self.base_offset = base_offset
        self.entries = IndexFile(files, directory, name, LAYOUT, size_max)

    def load(self, size: int, log_size: int) -> None:
        """Take over a file of *size* bytes beside a log of *log_size*.

        Raises:
            CorruptFileError: it cannot be the index of that log.
        """
        self.entries.load(size)
        last = self.entries.last
        if last is not None and not (last[OFFSET] >= 0 and 0 < last[POSITION] < log_size):
            raise CorruptFileError(self.entries.path, f"last entry {last} of {log_size} bytes")

    @property
    def is_full(self) -> bool:
        return self.entries.count >= self.entries.entries_max

    def append(self, last_offset: int, position: int) -> None:
        self.entries.append((last_offset - self.base_offset, position))

    def position_before(self, offset: int) -> int:
        """A position at or before the batch that holds *offset*; 0 when the index knows none."""
        entry = self.entries.last_at_most(OFFSET, offset - self.base_offset)
        return 0 if entry is None else entry[POSITION]

    def boundary_before(self, position: int) -> int:
        """The last indexed beginning of a batch at or before *position*; 0 when there is none."""
        entry = self.entries.last_at_most(POSITION, position)
        return 0 if entry is None else entry[POSITION]

    def truncate_to(self, offset: int) -> None:
        """Drop the entries of *offset* and beyond."""
        target = offset - 1 - self.base_offset
        self.entries.keep(self.entries.number_at_most(OFFSET, target) + 1)
