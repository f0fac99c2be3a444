"""How does a test wait for what another process does: by looking again, until a deadline."""

import time
from collections.abc import Callable

PAUSE_S = 0.05


def wait_until(condition: Callable[[], bool], *, timeout_s: float, what: str) -> None:
    """Ask *condition* again and again until it holds.

    Raises:
        AssertionError: it does not within *timeout_s*; the text names *what* was waited for.
    """
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"waited {timeout_s:g} s in vain for {what}"
        time.sleep(PAUSE_S)
