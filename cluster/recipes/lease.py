"""Leadership as a lease: an epoch, a fence for writes, and a local deadline inside the session."""

from collections import deque
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


AWAKE: Final = 2 * HEARTBEATS
"""How often a contender looks at the clock within one session timeout."""


def looks_at_clock_after_ms(session_timeout_ms: int) -> int:
    return session_timeout_ms // AWAKE


class Wakefulness:
    """Since when a contender has not stood still, by the clock at which it looks often.

    A process that stands still sends no pings.
    """

    __slots__ = ("_looked_ms", "_since_ms")

    def __init__(self) -> None:
        self._looked_ms: int | None = None
        self._since_ms: int | None = None
        """When it last went on; None if it has not stood still."""

    def look(self, now_ms: int, session_timeout_ms: int) -> None:
        """Look at the clock: a gap of more than two looks, the time between heartbeats, was a
        pause."""
        pause_ms = heartbeat_after_ms(session_timeout_ms)
        if self._looked_ms is not None and now_ms - self._looked_ms > pause_ms:
            self._since_ms = now_ms
        self._looked_ms = now_ms

    def rest(self) -> None:
        """Take no gap until the next look for a pause."""
        self._looked_ms = None

    def next_look_ms(self, session_timeout_ms: int) -> int | None:
        if self._looked_ms is None:
            return None
        return self._looked_ms + looks_at_clock_after_ms(session_timeout_ms)

    def has_pinged(self, sent_ms: int, session_timeout_ms: int) -> bool:
        """Return whether pings before *sent_ms* have been sent, and reported, as usual."""
        since_ms = self._since_ms
        return since_ms is None or since_ms + session_timeout_ms * 7 // 12 <= sent_ms


def heartbeat_after_ms(session_timeout_ms: int) -> int:
    return session_timeout_ms // HEARTBEATS


class Heartbeats:
    """The answered heartbeats of one leadership, and until when its session cannot have expired.

    A server of the ensemble reports to the ensemble's leader, each half tick, which clients have
    sent something.  If it is cut off, what was not reported does not count.  A session timeout is
    at least two ticks, so a heartbeat is reported within a quarter of it; and a later heartbeat,
    which reached the leader, proves that nothing was cut off until then.
    """

    __slots__ = ("_answered", "_timeout_ms", "_valid_until_ms")

    def __init__(self, session_timeout_ms: int) -> None:
        self._timeout_ms = session_timeout_ms
        self._answered: deque[tuple[int, int]] = deque()
        """When each was sent and answered, of those that may not have been reported yet."""
        self._valid_until_ms = 0

    def answer(self, sent_ms: int, now_ms: int, *, has_pinged: bool = True) -> int:
        """Add a heartbeat that is answered now, and return until when the session is alive.

        *has_pinged* is whether the client has sent its pings before.
        """
        self._answered.append((sent_ms, now_ms))
        ends = [self._valid_until_ms]
        if has_pinged:
            # kazoo pings after a third of the timeout, a twelfth later where a pause went
            # unnoticed; that ping was reported within a quarter, or the one before it.
            ends.append(sent_ms + self._timeout_ms // 3)
        while self._answered[0][1] + self._timeout_ms // 4 <= sent_ms:
            reported_ms, _ = self._answered.popleft()
            # A twelfth is for clocks of different speed.
            ends.append(reported_ms + self._timeout_ms * 11 // 12)
        self._valid_until_ms = max(ends)
        return self._valid_until_ms


def given_up_ms(valid_until_ms: int, session_timeout_ms: int) -> int:
    """When a leader without further answers gives up; then it has a sixth of the timeout left."""
    return valid_until_ms - session_timeout_ms // 6
