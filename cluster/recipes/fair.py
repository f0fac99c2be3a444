"""A fair election: contenders queue up by sequence znodes, each watching the one before it.

The names are those of Curator's LeaderLatch, so that both may be in one queue.
"""

import re
from collections.abc import Iterable
from typing import Final

from cluster.coordination.acls import with_inherited_acls
from cluster.recipes.attempt import (
    Absent,
    Behind,
    First,
    Grant,
    MixedElection,
    Place,
    ask_together,
    create_below,
)
from cluster.zk.requests import Check, Create, Delete, GetData, Multi, Sync
from cluster.zk.steps import Steps, node_in, read, read_children, write_each

LEADER: Final = "leader"
"""The leader's znode of an unfair election."""
SEQUENCE: Final = re.compile(r"\d{10}$")


def queue_of(names: Iterable[str]) -> list[str]:
    """The contenders among the znodes *names*, in the order in which they lead.

    Those of other clients and recipes count: ZooKeeper numbers all children of a znode alike.
    """
    return sorted(filter(SEQUENCE.search, names), key=lambda name: int(name[-10:]))


class FairAttempt:
    """One sequence znode in the queue at *path*.

    Source: Curator's LeaderLatch and its protected mode.
    """

    def __init__(self, path: str, unique_id: str, session_id: int, data: bytes) -> None:
        self._path = path
        self._prefix = f"_c_{unique_id}-"
        self._session_id = session_id
        self._data = data
        self._node: str | None = None

    def look(self) -> Steps[Place]:
        while True:
            names = yield from read_children(self._path)
            if LEADER in names:
                raise MixedElection(self._path)
            queue = queue_of(names)
            place = next((at for at, name in enumerate(queue) if self._is_own(name)), None)
            if place is None:
                return Absent()
            self._node = f"{self._path}/{queue[place]}"
            if place == 0:
                return First()
            before = f"{self._path}/{queue[place - 1]}"
            (reply,) = yield from read((GetData(before, is_watched=True),))
            if node_in(before, reply) is not None:
                return Behind(before)

    def enter(self) -> Steps[None]:
        create = Create(
            f"{self._path}/{self._prefix}latch-",
            self._data,
            is_ephemeral=True,
            is_sequential=True,
        )
        yield from with_inherited_acls(create_below(self._path, Multi((create,))))

    def confirm(self) -> Steps[Grant | None]:
        assert self._node is not None
        path = self._node
        _, reply = yield from ask_together((Sync(), GetData(path, is_watched=True)))
        node = node_in(path, reply)
        if node is None or node.ephemeral_owner != self._session_id:
            return None
        # The name is unique, and deleted nodes do not come back.
        return Grant(node=path, epoch=node.czxid, fence=(Check(path, node.zk_version),))

    def withdraw(self) -> Steps[None]:
        yield from read((Sync(),))
        names = yield from read_children(self._path)
        own = [f"{self._path}/{name}" for name in names if self._is_own(name)]
        yield from write_each(Multi((Delete(path),)) for path in own)

    def _is_own(self, name: str) -> bool:
        return name.startswith(self._prefix)
