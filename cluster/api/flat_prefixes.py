"""How many beginnings of requests a flat path remembers: clients choose them, so it is bounded."""

from typing import Final

PREFIXES_MAX: Final = 4096
"""How many beginnings are remembered, with at most 2 KiB each."""
LEARNED_OF: Final = 64
"""Of so many unknown beginnings one takes the place of an old one, when there is no other."""


class Turnover:
    """Decides which unknown beginnings are remembered once there is no room left."""

    __slots__ = ("_unknown_count",)

    def __init__(self) -> None:
        self._unknown_count = 0

    def takes_next(self) -> bool:
        """Return whether the next one takes the place of an old one."""
        self._unknown_count += 1
        return self._unknown_count % LEARNED_OF == 0
