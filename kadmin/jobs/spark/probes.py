"""What the driver asks executors before there is work: are they up, and what do they see?

The first that a Python of theirs imports of kadmin, so it needs next to nothing.
"""

import os
import socket
from collections.abc import Sequence


def be_up(_: int) -> None:
    """In a task: nothing more is asked."""


def unseen(_: int, *, paths: Sequence[str]) -> tuple[str, str | None]:
    """In a task: its machine, and the first of *paths* that is not there; None where all are."""
    return socket.gethostname(), next((path for path in paths if not os.path.exists(path)), None)
