"""An unfair election: one ephemeral znode, which the fastest contender creates.

A leadership also raises the version of a second znode in the same transaction, as a Kafka
controller does with `/controller_epoch`: the leader's znode alone would look alike in the hands of
the next one.
"""

from typing import Final

from cluster.coordination.acls import with_inherited_acls
from cluster.model.ids import ZkVersion
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
from cluster.recipes.fair import LEADER, queue_of
from cluster.zk.requests import Check, Create, Delete, GetData, Multi, SetData, Sync
from cluster.zk.steps import Steps, node_in, read, read_children, read_node, write_each
from cluster.zk.znode import Znode

EPOCH: Final = "epoch"
NEW: Final = ZkVersion(0)
"""The version of the leader's znode, which is never written again."""


class UnfairAttempt:
    """The leader's znode below *path*, if this attempt creates it first."""

    def __init__(self, path: str, unique_id: str, session_id: int, data: bytes) -> None:
        self._path = path
        self._leader = f"{path}/{LEADER}"
        self._epoch = f"{path}/{EPOCH}"
        self._session_id = session_id
        self._data = unique_id.encode() + b" " + data

    def look(self) -> Steps[Place]:
        (reply,) = yield from read((GetData(self._leader, is_watched=True),))
        node = node_in(self._leader, reply)
        if node is None:
            return Absent()
        if not self._is_own(node):
            return Behind(self._leader)
        # Looked at behind the creation, as a fair contender does: one of both sees the other.
        if queue_of((yield from read_children(self._path))):
            raise MixedElection(self._path)
        return First()

    def enter(self) -> Steps[None]:
        epoch = yield from read_node(self._epoch)
        raising = (
            Create(self._epoch, b"")
            if epoch is None
            else SetData(self._epoch, epoch.data or b"", epoch.zk_version)
        )
        claim = Multi((raising, Create(self._leader, self._data, is_ephemeral=True)))
        yield from with_inherited_acls(create_below(self._path, claim))

    def confirm(self) -> Steps[Grant | None]:
        requests = (Sync(), GetData(self._epoch), GetData(self._leader, is_watched=True))
        _, *replies = yield from ask_together(requests)
        epoch, leader = (
            node_in(path, reply)
            for path, reply in zip((self._epoch, self._leader), replies, strict=True)
        )
        if epoch is None or leader is None or not self._is_own(leader):
            return None
        if epoch.mzxid != leader.czxid:
            return None  # An operator has written the epoch: its version proves nothing any more.
        fence = (Check(self._epoch, epoch.zk_version), Check(self._leader, NEW))
        return Grant(node=self._leader, epoch=leader.czxid, fence=fence)

    def withdraw(self) -> Steps[None]:
        requests = (Sync(), GetData(self._epoch), GetData(self._leader))
        while True:
            _, epoch, reply = yield from ask_together(requests)
            leader = node_in(self._leader, reply)
            if leader is None or not self._is_own(leader):
                return
            # The next leader's node has the same path and version: without the check this could
            # remove it.
            found = node_in(self._epoch, epoch)
            checks = () if found is None else (Check(self._epoch, found.zk_version),)
            yield from write_each((Multi((*checks, Delete(self._leader, NEW))),))

    def _is_own(self, node: Znode) -> bool:
        return node.ephemeral_owner == self._session_id and node.data == self._data
