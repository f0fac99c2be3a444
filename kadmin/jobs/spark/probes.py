"""What the driver asks executors before there is work: are they up, and what do they see?

The first that a Python of theirs imports of kadmin, so it needs next to nothing.
"""

import os
import socket
from collections.abc import Sequence
from typing import NamedTuple


class View(NamedTuple):
    """Where a task ran, and the first path that is not there; None where all are.

    The Pythons of an executor have the same *parent*, by its process id.
    """

    host: str
    parent: int
    missing: str | None


def look(_: int, *, paths: Sequence[str]) -> View:
    """In a task: where it is, and whether *paths* are there."""
    missing = next((path for path in paths if not os.path.exists(path)), None)
    return View(socket.gethostname(), os.getppid(), missing)
