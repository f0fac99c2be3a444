"""The events of a contender for leadership: what users want, and what its session reports."""

from dataclasses import dataclass
from typing import TypeAlias

from cluster.zk.requests import ZkReply


@dataclass(frozen=True, slots=True)
class Join:
    """Contend, with nothing left of what an earlier leadership did."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Resign, or stop waiting; what the leadership did has stopped."""


@dataclass(frozen=True, slots=True)
class Connected:
    """There is a connection, in this session; may be repeated."""

    session_id: int
    timeout_ms: int


@dataclass(frozen=True, slots=True)
class Suspended:
    """The connection is lost, and with it all watches; the session may go on."""


@dataclass(frozen=True, slots=True)
class SessionOver:
    """The session has expired or was closed, and with it the znode."""


@dataclass(frozen=True, slots=True)
class WatchFired:
    """Something may have changed."""


@dataclass(frozen=True, slots=True)
class Replied:
    """The replies to the requests of `Send` with that number."""

    number: int
    replies: tuple[ZkReply, ...]


Event: TypeAlias = Join | Leave | Connected | Suspended | SessionOver | WatchFired | Replied
