"""A ZooKeeper of several servers, as contenders notice it: sessions expire, servers lag behind.

Every client is at a server of its own, which reports its session to the leader each half tick.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Final

from cluster.zk.requests import (
    Children,
    Exists,
    GetAcl,
    GetChildren,
    GetData,
    Multi,
    Sync,
    ZkReply,
    ZkRequest,
)
from tests.sim.schedule import Schedule
from tests.sim.zookeeper import Author, Commit, SimZnode, SimZooKeeper, _znode

TIMEOUT_MS: Final = 1200
HALF_TICK_MS: Final = TIMEOUT_MS // 4
"""The shortest session timeout is two ticks."""


@dataclass(slots=True)
class Server:
    """The server that one client is connected to."""

    stale: dict[str, SimZnode] | None = None
    """What it has, if it lags behind."""
    is_cut_off: bool = False
    """Whether it has lost the ensemble and has not noticed that yet."""
    watched: dict[str, bool] = field(default_factory=dict)
    """The paths with watches that were armed on stale data, and whether they are of children."""


class Ensemble:
    """*on_watch* is called with a session and a path, *on_commit* with each change of data."""

    def __init__(
        self,
        schedule: Schedule,
        on_watch: Callable[[int, str], None],
        on_commit: Callable[[Commit], None],
    ) -> None:
        self._schedule = schedule
        self._on_watch = on_watch
        self.zookeeper = SimZooKeeper(on_watch, on_commit)
        self._expires_ms: dict[int, int] = {}
        self._touched_ms: dict[int, int] = {}
        self._servers: dict[int, Server] = {}

    # Sessions.

    def connect(self, stale: dict[str, SimZnode] | None = None) -> int:
        """Open a session, at a server that has *stale* nodes until it is asked to catch up."""
        session = self.zookeeper.connect()
        self._servers[session] = Server(stale)
        self._touched_ms[session] = self._schedule.now_ms
        self._expires_ms[session] = self._schedule.now_ms + TIMEOUT_MS
        self._report(session)
        return session

    def is_live(self, session: int) -> bool:
        return self.zookeeper.is_live(session)

    def refuses(self, session: int) -> bool:
        """Whether the session is over, and its client's server knows that."""
        return not self.is_live(session) and not self._servers[session].is_cut_off

    def nodes(self) -> dict[str, SimZnode]:
        """A copy of all nodes."""
        return deepcopy(self.zookeeper._nodes)

    def cut_off(self, session: int) -> None:
        server = self._servers[session]
        server.is_cut_off = True
        server.stale = server.stale or self.nodes()

    def reconnect(self, session: int) -> None:
        """The client goes to another server, which has all that it has seen; watches are gone."""
        self._servers[session] = Server()
        self.touch(session)
        # The ensemble's leader is asked whether the session lives, and counts that as a sign of it.
        self._expires_ms[session] = self._schedule.now_ms + TIMEOUT_MS

    def touch(self, session: int) -> None:
        """The client has sent something."""
        if not self._servers[session].is_cut_off:
            self._touched_ms[session] = self._schedule.now_ms

    def _report(self, session: int) -> None:
        """The server reports to the leader which sessions it has heard of, and the leader expires
        those that it has not."""
        if not self.is_live(session):
            return
        if not self._servers[session].is_cut_off:
            self._expires_ms[session] = max(
                self._expires_ms[session], self._touched_ms[session] + TIMEOUT_MS
            )
        if self._schedule.now_ms >= self._expires_ms[session]:
            self.zookeeper.expire(session)
            return
        left_ms = self._expires_ms[session] - self._schedule.now_ms
        self._schedule.after(min(left_ms, HALF_TICK_MS), lambda: self._report(session))

    # Requests.

    def serve(self, session: int, request: ZkRequest, author: Author) -> ZkReply:
        """The reply to a request of a live session."""
        server = self._servers[session]
        if isinstance(request, Sync | Multi):
            assert not server.is_cut_off
            reply = self.zookeeper.serve(session, request, author)
            self._catch_up(session, server)
            return reply
        if server.stale is None:
            return self.zookeeper.serve(session, request, author)
        return read_stale(server, request)

    def hangs(self, session: int, request: ZkRequest) -> bool:
        """Whether no answer comes, since the server waits for an ensemble that it has lost."""
        return self._servers[session].is_cut_off and isinstance(request, Sync | Multi)

    def _catch_up(self, session: int, server: Server) -> None:
        if server.stale is None:
            return
        old, now = server.stale, self.zookeeper._nodes
        server.stale = None
        for path, is_of_children in server.watched.items():
            before, after = old.get(path), now.get(path)
            same_node = before and after and before.mzxid == after.mzxid
            same_names = before and after and list(before.children) == list(after.children)
            if not (same_names if is_of_children else same_node):
                self._on_watch(session, path)


def read_stale(server: Server, request: ZkRequest) -> ZkReply:
    assert server.stale is not None
    assert isinstance(request, Exists | GetData | GetChildren | GetAcl)
    node = server.stale.get(request.path)
    if not isinstance(request, GetAcl) and request.is_watched and node is not None:
        server.watched[request.path] = isinstance(request, GetChildren)
    match request:
        case Exists():
            return node is not None
        case GetData(path):
            return _znode(path, node)
        case GetChildren():
            return None if node is None else Children(tuple(node.children))
        case _:
            return None
