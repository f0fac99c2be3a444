"""Bounds of a job that reads from brokers or disks in use: how much at once, how fast, how long is
waited for who is silent?"""

from typing import Final

GROUP_SIZE_MAX: Final = 64 * 1024**2
"""How many bytes are asked for at once, of all brokers together."""
FETCH_SIZE_MIN: Final = 16 * 1024
"""Not even a small rate makes fetches smaller, which would be nothing but headers."""
GRACE_S: Final = 10.0
"""How long others wait for a replica that cannot be read, or does not get on."""
ANSWER_S: Final = 10.0
"""How long a broker may take to answer, beyond the wait time in the request."""


def fetch_size(size_max: int, rate_max: int | None) -> int:
    """Return how many bytes of a replica are read at once, *size_max* at most; a quarter of what
    may come in a second where there is a *rate_max*, in bytes per second."""
    if rate_max is None:
        return size_max
    return min(size_max, max(rate_max // 4, FETCH_SIZE_MIN))


def ahead_s(size: int, rate_max: int | None, elapsed_s: float) -> float:
    """Return how long to wait when *size* bytes have come in *elapsed_s*; 0 where none is too
    fast."""
    return 0.0 if rate_max is None else max(0.0, size / rate_max - elapsed_s)
