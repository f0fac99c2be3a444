"""Where the bytes go that recovery takes out of a log: beside it, under names that nobody opens.

A name that ends neither in a suffix of a segment's files nor in one of those that a start removes
(`.deleted`, `.cleaned`, `.swap`) is passed over by every release of Kafka, as by this one.  It goes
with the partition's directory, and by nothing else.
"""

import errno
from collections.abc import Iterable
from typing import Final

from cluster.storage.batch_walk import SCAN_SIZE
from cluster.storage.files import File, Files

MARK: Final = ".set-aside-"
"""Between a file's old name and a number that makes the new one unique."""
NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)


class SetAside:
    """Takes files, or the ends of files, out of one partition's directory."""

    def __init__(self, files: Files, directory: str, names: Iterable[str]) -> None:
        self._files = files
        self._directory = directory
        self._names = set(names)

    def file(self, name: str) -> str:
        """Give the whole file another name, and return that."""
        free = self._free_name(name)
        self._files.rename(f"{self._directory}/{name}", f"{self._directory}/{free}")
        self._names.discard(name)
        return free

    def tail(self, name: str, file: File, position: int, end: int) -> str:
        """Copy the bytes of *file* from *position* to *end*, durably but for the name of the copy,
        and return that."""
        free = self._free_name(f"{name}.{position}")
        path = f"{self._directory}/{free}"
        copy = self._files.open(path, create=True)
        try:
            for start in range(position, end, SCAN_SIZE):
                copy.write(start - position, file.read(start, min(SCAN_SIZE, end - start)))
            copy.sync()
        except OSError as error:
            if error.errno in NO_ROOM:
                self._files.remove(path)
            raise
        finally:
            copy.close()
        return free

    def _free_name(self, name: str) -> str:
        number = 1
        while f"{name}{MARK}{number}" in self._names:
            number += 1
        free = f"{name}{MARK}{number}"
        self._names.add(free)
        return free


def is_zero(file: File, position: int, end: int) -> bool:
    """Whether nothing was written there: preallocated, or a size that came before its content."""
    for start in range(position, end, SCAN_SIZE):
        content = file.read(start, min(SCAN_SIZE, end - start))
        if content.count(0) < len(content):
            return False
    return True
