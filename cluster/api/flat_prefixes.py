"""How many beginnings of requests a flat path remembers: clients choose them, so it is bounded."""

from typing import Any, Final

PREFIXES_MAX: Final = 4096
"""How many beginnings are remembered, with at most 2 KiB each."""
LEARNED_OF: Final = 64
"""Of so many unknown beginnings one takes the place of an old one, when there is no other."""


class Turnover:
    """Bounds what is remembered in several dictionaries together."""

    __slots__ = ("_remembered", "_unknown_count")

    def __init__(self) -> None:
        self._remembered: list[dict[Any, Any]] = []
        self._unknown_count = 0

    def remembering(self) -> dict[Any, Any]:
        """Return a dictionary of beginnings, to which only what `makes_room` allows is added."""
        remembered: dict[Any, Any] = {}
        self._remembered.append(remembered)
        return remembered

    def makes_room(self) -> bool:
        """Return whether the next unknown beginning is remembered: an old one may go for it."""
        if sum(map(len, self._remembered)) < PREFIXES_MAX:
            return True
        self._unknown_count += 1
        if self._unknown_count % LEARNED_OF != 0:
            return False
        fullest = max(self._remembered, key=len)
        del fullest[next(iter(fullest))]
        return True
