"""The wall clock of performance tests: when a run began, and how old a record is that is read."""

import time


def wall_ms() -> int:
    """Return the time in ms since 1970."""
    return time.time_ns() // 1_000_000
