"""Leadership as a lease: an epoch, a fence for writes, and a local deadline inside the session."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cluster.zk.requests import Check

HEARTBEATS: Final = 12
"""How many heartbeats a leader sends within one session timeout."""


class Loss(StrEnum):
    """Why a leadership ended."""

    RESIGNED = "resigned"
    SUSPENDED = "the connection to ZooKeeper was lost"
    EXPIRED = "the session with ZooKeeper expired"
    SILENT = "ZooKeeper did not answer in time"
    REMOVED = "its znode was removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """One leadership of the election at *path*.

    *epoch* rises with each leadership: it is the transaction that created *node*, the leader's
    ephemeral znode.  *fence* passes under this leadership only: a transaction that begins with it
    cannot be carried out once the node is gone, whatever the clocks say.

    *valid_until_ms* is of this machine's monotonic clock.  No other contender leads before it.
    Leadership is given up earlier, at *given_up_ms*, which leaves time to stop what a leader does.
    """

    path: str
    node: str
    epoch: int
    session_id: int
    fence: tuple[Check, ...]
    given_up_ms: int
    valid_until_ms: int

    def __post_init__(self) -> None:
        assert self.fence
        assert self.given_up_ms < self.valid_until_ms


def given_up_after_ms(session_timeout_ms: int) -> int:
    """How long after the last answered heartbeat was sent a leader gives up."""
    return session_timeout_ms // 2


def valid_for_ms(session_timeout_ms: int) -> int:
    """How long after the last answered heartbeat was sent the session cannot have expired.

    A server of the ensemble reports its clients' sessions to the ensemble's leader each half tick,
    and a session timeout is at least two ticks.  If that server is then cut off, the last report is
    of the heartbeat before: a quarter and a twelfth of the timeout, which is the rest of it.
    """
    return session_timeout_ms * 2 // 3


def heartbeat_after_ms(session_timeout_ms: int) -> int:
    return session_timeout_ms // HEARTBEATS
