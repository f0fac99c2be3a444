"""The pace of a fetcher: backs off from a leader that keeps answering early without a change.

Some answers come before their time and change nothing, as leaders and sessions change.  Without a
limit one leader would keep a broker busy with nothing else: Kafka's fetchers continue, and burn a
core where a leader never knows their session.
"""

from enum import Enum, auto
from typing import Final

EARLY_MAX: Final = 10
"""How many answers in a row may come early and change nothing."""


class Pace(Enum):
    """How a fetcher goes on after an answer."""

    GO_ON = auto()
    WORKS_AGAIN = auto()
    """Go on, and log that the leader answers properly again."""
    REST = auto()
    BEGIN_REST = auto()
    """Rest, and log why."""


class FetchPace:
    """The answers of one leader to one fetcher."""

    __slots__ = ("_due_ms", "_early_count", "_is_reported", "has_changed")

    def __init__(self) -> None:
        self._due_ms = 0
        self._early_count = 0
        self._is_reported = False
        self.has_changed = False
        """Whether this answer has changed the next request, or what is committed."""

    def asked(self, due_ms: int) -> None:
        """From *due_ms* on an answer that changes nothing is normal."""
        self._due_ms = due_ms
        self.has_changed = False

    def answered(self, now_ms: int, *, rests: bool) -> Pace:
        """Decide at *now_ms* whether to go on after an answer; *rests* if the fetcher rests
        anyway.
        """
        if self.has_changed or now_ms >= self._due_ms:
            self._early_count = 0
            if not self._is_reported:
                return Pace.GO_ON
            self._is_reported = False
            return Pace.WORKS_AGAIN
        self._early_count += 1
        if self._early_count < EARLY_MAX or rests:
            return Pace.GO_ON
        self._early_count = 0
        if self._is_reported:
            return Pace.REST
        self._is_reported = True
        return Pace.BEGIN_REST
