"""Models of other clients' recipes, with the faults that their issues describe.

They lead until they learn of a loss, by no clock of their own, and write without a fence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cluster.recipes.attempt import create_parents
from cluster.recipes.fair import queue_of
from cluster.zk.requests import (
    Check,
    Children,
    Create,
    Delete,
    GetChildren,
    GetData,
    Lost,
    Multi,
    ZkReply,
)
from cluster.zk.steps import run
from cluster.zk.znode import Znode
from tests.sim.recipes.ours import PATH
from tests.sim.zookeeper import TOOL

if TYPE_CHECKING:
    from tests.sim.recipes.client import Client

RESET_MS = 12
"""How long Curator's reset takes between its steps: they run in threads."""


class Queueing:
    """What Curator and kazoo have in common: a sequence znode, and a watch on the one before."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.wants = False
        self.has_leadership = False
        self.node: str | None = None
        zookeeper = client.world.ensemble.zookeeper
        session = zookeeper.connect()
        run(
            create_parents(PATH),
            lambda each: tuple(zookeeper.serve(session, one, TOOL) for one in each),
        )
        self.prefix = client.world.new_id()

    def suspended(self) -> None:
        """It does not matter yet."""

    def session_over(self) -> None:
        """The server has removed the znode."""

    def is_leading(self) -> bool:
        return self.has_leadership

    def is_working(self) -> bool:
        return self.has_leadership

    @property
    def is_out(self) -> bool:
        return not self.wants

    @property
    def epoch(self) -> int:
        return 0

    @property
    def fence(self) -> tuple[Check, ...]:
        return (Check(self.node or PATH, 0),)  # type: ignore[arg-type]

    def create(self, done: Callable[[str], None]) -> None:
        """Create a znode, and call *done* with its path, unless the reply is lost."""
        prefix = self.prefix
        request = Multi((Create(f"{PATH}/{prefix}-", b"", is_ephemeral=True, is_sequential=True),))

        def find(replies: tuple[ZkReply, ...]) -> None:
            names = replies[1].names if isinstance(replies[1], Children) else ()
            own = [name for name in names if name.startswith(prefix)]
            if own:
                done(f"{PATH}/{own[-1]}")

        self.client.send((request, GetChildren(PATH)), find)

    def delete(self, node: str) -> None:
        self.client.send((Multi((Delete(node),)),), lambda _: None)

    def look(self) -> None:
        self.client.send((GetChildren(PATH),), self._on_children)

    def _on_children(self, replies: tuple[ZkReply, ...]) -> None:
        (reply,) = replies
        if not isinstance(reply, Children) or self.node is None or not self.wants:
            return
        queue = queue_of(reply.names)
        name = self.node.rpartition("/")[2]
        if name not in queue:
            self.not_found()
        elif queue.index(name) == 0:
            self.has_leadership = True
        else:
            before = f"{PATH}/{queue[queue.index(name) - 1]}"
            self.client.send((GetData(before, is_watched=True),), self._on_before)

    def _on_before(self, replies: tuple[ZkReply, ...]) -> None:
        if not isinstance(replies[0], Znode | Lost):
            self.look()

    def not_found(self) -> None:
        """The znode is not there."""


class CuratorLatch(Queueing):
    """LeaderLatch: without leadership from SUSPENDED on, and with a new znode after RECONNECTED.

    A reset takes its leadership first and removes its znode later: a watch that fires in between
    gives it the leadership again, by a znode that is about to go (CURATOR-620, CURATOR-653).
    """

    def join(self) -> None:
        if not self.wants:
            self.wants = True
            self._reset()

    def leave(self) -> None:
        self.wants = self.has_leadership = False
        if self.node is not None:
            self.delete(self.node)
            self.node = None

    def connected(self, _session_id: int) -> None:
        if self.wants:
            self._reset()

    def suspended(self) -> None:
        self.has_leadership = False

    def session_over(self) -> None:
        self.has_leadership = False

    def watch_fired(self, _path: str) -> None:
        self.look()

    def not_found(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.has_leadership = False
        self.client.later(RESET_MS, self._replace_node)

    def _replace_node(self) -> None:
        old, self.node = self.node, None
        if old is not None:
            self.delete(old)
        if self.wants:
            self.create(self._on_created)

    def _on_created(self, node: str) -> None:
        self.node = node
        self.look()


class CuratorSelector(CuratorLatch):
    """LeaderSelector: interrupted between creation and return it does not know its znode
    (CURATOR-62)."""

    def _on_created(self, node: str) -> None:
        if self.wants:
            super()._on_created(node)


class KazooElection(Queueing):
    """kazoo's Election, a lock around a function.

    It holds the lock until the function returns, whatever becomes of the session (kazoo #2, #412);
    takes the znode that has its name, whichever session that is of; and a cancel without a
    connection leaves the znode (kazoo #54).
    """

    def join(self) -> None:
        self.wants = True
        self._acquire()

    def leave(self) -> None:
        self.wants = self.has_leadership = False
        if self.node is not None and self.client.is_connected:
            self.delete(self.node)
        self.node = None

    def connected(self, _session_id: int) -> None:
        if self.wants and not self.has_leadership:
            self._acquire()

    def watch_fired(self, _path: str) -> None:
        if not self.has_leadership:
            self.look()

    def not_found(self) -> None:
        self._acquire()

    def _acquire(self) -> None:
        self.client.send((GetChildren(PATH),), self._on_names)

    def _on_names(self, replies: tuple[ZkReply, ...]) -> None:
        names = replies[0].names if isinstance(replies[0], Children) else ()
        own = [name for name in names if name.startswith(self.prefix)]
        if own:
            self._on_node(f"{PATH}/{own[0]}")
        elif self.wants:
            self.create(self._on_node)

    def _on_node(self, node: str) -> None:
        self.node = node
        self.look()
