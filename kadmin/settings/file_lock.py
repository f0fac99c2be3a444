"""A lock on a file: commands that run at the same time take turns.

Knows neither the files nor what is done to them.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError

POLL_S: Final = 0.02


@contextmanager
def locked_file(path: Path, timeout_s: float, taken: KadminError) -> Iterator[int]:
    """Hold the lock *path*, whose directory exists, and give its descriptor.

    The file stays for ever, so that all lock the same one.  The lock ends with the processes that
    hold the descriptor, however they end.  Raises *taken* when others hold it for longer than
    *timeout_s*.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + timeout_s
        while not try_lock(descriptor):
            if time.monotonic() >= deadline:
                raise taken
            time.sleep(POLL_S)
        yield descriptor
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
