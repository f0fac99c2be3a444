"""The log of connections that end or are refused, which no peer can make grow without limit.

Each address has some lines to say in a while; what comes beyond is counted, and told at its end.
"""

import logging
from collections.abc import Callable
from typing import Final

from cluster.broker.handling import Peer

LINES_MAX: Final = 10
"""How many lines an address has in one period."""
PERIOD_S: Final = 60.0
ADDRESSES_MAX: Final = 1000
"""Of how many addresses it is noted what they have said; all others share one place."""
OTHERS: Final = "other addresses"

CLOSING: Final = "Closing the connection"
REFUSING: Final = "Refusing a connection"

logger: Final = logging.getLogger(__name__)


class ClosingLog:
    """That of one server; *call_later* calls something so many seconds later."""

    def __init__(self, call_later: Callable[[float, Callable[[], None]], object]) -> None:
        self._call_later = call_later
        self._counts: dict[str, int] = {}

    def add(self, level: int, what: str, peer: Peer, reason: str) -> None:
        """Say *what* is done with a connection, and why, unless its address has its lines."""
        address = peer.host
        if address not in self._counts and len(self._counts) >= ADDRESSES_MAX:
            address = OTHERS
        if not self._counts:
            self._call_later(PERIOD_S, self.tell_rest)
        count = self._counts[address] = self._counts.get(address, 0) + 1
        if count <= LINES_MAX:
            logger.log(level, "%s of %s to %s: %s", what, peer, peer.listener, reason)

    def tell_rest(self) -> None:
        """Say how many lines were left out, and begin anew."""
        counts, self._counts = self._counts, {}
        for address, count in counts.items():
            if count > LINES_MAX:
                logger.warning(
                    "Connections of %s were closed or refused: and %d more in %d s",
                    address,
                    count - LINES_MAX,
                    PERIOD_S,
                )
