"""The log of requests that are refused for good; clients cannot make it grow without limit."""

from typing import Final

from cluster.broker.handling import Peer
from cluster.broker.line_limit import PERIOD_MS, LineLimit
from cluster.broker.ports import Ports

QUOTED_MAX: Final = 100
"""How many characters of a client's name are quoted."""


class RefusalsLog:
    """The log of one broker."""

    __slots__ = ("_limit", "_ports")

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._limit = LineLimit(ports.clock.call_later, self._log_rest)

    def add(self, peer: Peer, text: str) -> None:
        """Log what *peer* requested and why it is refused, unless its address has used up its
        lines.
        """
        if self._limit.allows(peer.host):
            self._ports.journal.warning(f"{peer} {text}")

    def _log_rest(self, address: str, count: int) -> None:
        self._ports.journal.warning(
            f"requests of {address} were refused: and {count} more in {PERIOD_MS // 1000} s"
        )


def quoted(name: str) -> str:
    """*name* in the form for a log line: short, and without line breaks or the like."""
    return repr(name if len(name) <= QUOTED_MAX else f"{name[:QUOTED_MAX]}…")
