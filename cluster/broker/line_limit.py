"""The limit of log lines about peers, so that none can make a log grow without end.

Each address has some lines in a period; further ones are counted, and the count is logged at its
end.
"""

from collections.abc import Callable
from typing import Final

LINES_MAX: Final = 10
"""How many lines an address has in one period."""
PERIOD_MS: Final = 60_000
ADDRESSES_MAX: Final = 1000
"""How many addresses are counted by themselves; all others share one entry."""
OTHERS: Final = "other addresses"


class LineLimit:
    """The limit of one kind of lines.

    *call_later* calls a function that many milliseconds later; *log_rest* receives an address and
    how many lines it had too many.
    """

    __slots__ = ("_call_later", "_counts", "_log_rest")

    def __init__(
        self,
        call_later: Callable[[int, Callable[[], None]], object],
        log_rest: Callable[[str, int], None],
    ) -> None:
        self._call_later = call_later
        self._log_rest = log_rest
        self._counts: dict[str, int] = {}

    def allows(self, address: str) -> bool:
        """Whether a line about *address* may be logged now."""
        if address not in self._counts and len(self._counts) >= ADDRESSES_MAX:
            address = OTHERS
        if not self._counts:
            self._call_later(PERIOD_MS, self.end_period)
        count = self._counts[address] = self._counts.get(address, 0) + 1
        return count <= LINES_MAX

    def end_period(self) -> None:
        """Log the counts of suppressed lines now, and begin a new period."""
        counts, self._counts = self._counts, {}
        for address, count in counts.items():
            if count > LINES_MAX:
                self._log_rest(address, count - LINES_MAX)
