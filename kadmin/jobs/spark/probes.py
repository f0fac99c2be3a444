"""What the driver asks executors before there is work: what do they see?"""

import os
import socket
from collections.abc import Sequence
from typing import NamedTuple


class View(NamedTuple):
    """Where a task ran, and the first path that is not there; None where all are."""

    host: str
    missing: str | None


def look(paths: Sequence[str]) -> View:
    """In a task: where it is, and whether *paths* are there."""
    missing = next((path for path in paths if not os.path.exists(path)), None)
    return View(socket.gethostname(), missing)
