"""A log of a broker: what does it say, and what is added to it from now on?

Follows a file through the moments when it gets another name and a new one takes its place.  Knows
no lines and no form of them.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from kadmin.errors import KadminError

BLOCK_SIZE: Final = 1 << 16
POLL_S: Final = 0.1


class NoLog(KadminError):
    """There is no such log: the server has written nothing to it yet."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"cannot read {path}: {reason}", hint=f"see what is there: ls {path.parent}"
        )
        self.path = path


def read_log(path: Path) -> Iterator[bytes]:
    """Return all of the file at *path*; raises NoLog when it cannot be read."""
    with open_log(path) as file:
        yield from rest_of(file)


def follow_log(path: Path) -> Iterator[bytes]:
    """Return all of the file at *path*, then what is added, without end; empty bytes between two
    looks.

    Raises:
        NoLog: it cannot be read.
    """
    file = open_log(path)
    try:
        while True:
            successor = None if is_at(file, path) else open_if_there(path)
            # What was written between the last look and the new name is in the old file.
            yield from rest_of(file)
            if successor is not None:
                file.close()
                file = successor
                continue
            yield b""
            time.sleep(POLL_S)
    finally:
        file.close()


def open_log(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise NoLog(path, (error.strerror or str(error)).lower()) from error


def open_if_there(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except FileNotFoundError:  # Between its two names.
        return None


def rest_of(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(BLOCK_SIZE):
        yield block


def is_at(file: BinaryIO, path: Path) -> bool:
    """Return whether *file* is what stands at *path*."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
