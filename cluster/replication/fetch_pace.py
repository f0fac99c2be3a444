"""The pace of a fetcher: is a leader that answers at once, and in vain, asked on at once?

Some answers come before their time and change nothing, as leaders and sessions come and go.
Without an end to it one leader would keep a broker busy with nothing else: Kafka's fetchers go on,
and burn a core where a leader does not know their session however often it is begun.
"""

from enum import Enum, auto
from typing import Final

IN_VAIN_MAX: Final = 10
"""How many answers in a row may come before their time and change nothing."""


class Pace(Enum):
    """What an answer comes to."""

    GO_ON = auto()
    WORKS_AGAIN = auto()
    """Go on, and say that there are answers again."""
    REST = auto()
    BEGIN_REST = auto()
    """Rest, and say why."""


class FetchPace:
    """The answers of one leader to one fetcher."""

    __slots__ = ("_due_ms", "_in_vain_count", "_is_told", "has_changed")

    def __init__(self) -> None:
        self._due_ms = 0
        self._in_vain_count = 0
        self._is_told = False
        self.has_changed = False
        """Whether the answer that is taken has changed what is asked next, or what is committed."""

    def asked(self, due_ms: int) -> None:
        """From *due_ms* on an answer that changes nothing is as usual."""
        self._due_ms = due_ms
        self.has_changed = False

    def answered(self, now_ms: int, *, rests: bool) -> Pace:
        """Whether to go on at *now_ms*, when an answer was taken; *rests* if it is not to be gone
        on with anyway.
        """
        if self.has_changed or now_ms >= self._due_ms:
            self._in_vain_count = 0
            if not self._is_told:
                return Pace.GO_ON
            self._is_told = False
            return Pace.WORKS_AGAIN
        self._in_vain_count += 1
        if self._in_vain_count < IN_VAIN_MAX or rests:
            return Pace.GO_ON
        self._in_vain_count = 0
        if self._is_told:
            return Pace.REST
        self._is_told = True
        return Pace.BEGIN_REST
