"""The log of connections that are closed or refused; peers cannot make it grow without limit."""

import logging
from collections.abc import Callable
from typing import Final

from cluster.broker.handling import Peer
from cluster.broker.line_limit import PERIOD_MS, LineLimit

CLOSING: Final = "Closing the connection"
REFUSING: Final = "Refusing a connection"

logger: Final = logging.getLogger(__name__)


class ClosingLog:
    """The log of one server; *call_later* calls a function that many seconds later."""

    def __init__(self, call_later: Callable[[float, Callable[[], None]], object]) -> None:
        self._limit = LineLimit(
            lambda delay_ms, function: call_later(delay_ms / 1000, function), log_count
        )

    def add(self, level: int, what: str, peer: Peer, reason: str) -> None:
        """Log *what* is done with a connection, and why, unless its address has used up its
        lines.
        """
        if self._limit.allows(peer.host):
            logger.log(level, "%s of %s to %s: %s", what, peer, peer.listener, reason)

    def log_rest(self) -> None:
        """Log the number of suppressed lines now, and begin a new period."""
        self._limit.end_period()


def log_count(address: str, count: int) -> None:
    logger.warning(
        "Connections of %s were closed or refused: and %d more in %d s",
        address,
        count,
        PERIOD_MS // 1000,
    )
