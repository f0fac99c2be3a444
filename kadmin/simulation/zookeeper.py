"""Znodes in memory: a ZooKeeper for one controller, which answers at once and loses nothing.

Has no watches and no sessions: a change is an event for the controller.
"""

from collections.abc import Iterable

from cluster.model.ids import MATCH_ANY, NEVER_READ, ZkVersion
from cluster.zk.requests import (
    OPEN_ACL,
    AclRead,
    Check,
    Children,
    Create,
    Delete,
    Exists,
    GetAcl,
    GetChildren,
    GetData,
    GetMany,
    Multi,
    MultiDone,
    MultiFailed,
    Operation,
    SetData,
    Sync,
    ZkError,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import many_of
from cluster.zk.znode import Znode

SESSION = 1
"""That of the controller, which owns its ephemeral nodes."""


class MemoryZooKeeper:
    """The znodes at their paths; the root is the empty path."""

    __slots__ = ("_children", "_nodes", "_zxid")

    def __init__(self) -> None:
        self._nodes: dict[str, Znode] = {"": Znode("", None, ZkVersion(0))}
        self._children: dict[str, dict[str, None]] = {}
        self._zxid = 0

    def put(self, path: str, data: bytes | None = None) -> None:
        """Create the node at *path*, or write it; its parents are created with it."""
        parent = path.rpartition("/")[0]
        if parent not in self._nodes:
            self.put(parent)
        old = self._nodes.get(path)
        self._zxid += 1
        operation: Operation = Create(path, data)
        if old is not None:
            operation = SetData(path, data or b"", MATCH_ANY)
        self._apply(operation)

    def remove(self, path: str) -> None:
        """Remove the node at *path*, which has no children."""
        self._zxid += 1
        self._apply(Delete(path))

    def ask(self, requests: Iterable[ZkRequest]) -> tuple[ZkReply, ...]:
        return tuple(map(self.reply, requests))

    def reply(self, request: ZkRequest) -> ZkReply:
        match request:
            case Exists(path):
                return path in self._nodes
            case GetData(path):
                return self._nodes.get(path)
            case GetMany(paths):
                return many_of(request, list(map(self._nodes.get, paths)))
            case GetChildren(path):
                return (
                    Children(tuple(self._children.get(path, ()))) if path in self._nodes else None
                )
            case GetAcl(path):
                return AclRead(OPEN_ACL) if path in self._nodes else None
            case Sync():
                return True
            case Multi(operations):
                return self._transact(operations)

    def _transact(self, operations: tuple[Operation, ...]) -> MultiDone | MultiFailed:
        """Carry out all of *operations* or none; those of one transaction see each other."""
        before: dict[str, Znode | None] = {}
        versions: list[ZkVersion] = []
        self._zxid += 1
        for index, operation in enumerate(operations):
            error = self._error(operation)
            if error is not None:
                for path, node in reversed(before.items()):
                    self._restore(path, node)
                return MultiFailed(index, error)
            before.setdefault(operation.path, self._nodes.get(operation.path))
            self._apply(operation)
            node = self._nodes.get(operation.path)
            is_read = node is None or isinstance(operation, Check)
            versions.append(NEVER_READ if is_read or node is None else node.zk_version)
        return MultiDone(tuple(versions))

    def _error(self, operation: Operation) -> ZkError | None:
        path = operation.path
        if isinstance(operation, Create):
            assert not operation.is_sequential, "a controller creates no sequential nodes"
            if path.rpartition("/")[0] not in self._nodes:
                return ZkError.NO_NODE
            return ZkError.NODE_EXISTS if path in self._nodes else None
        node = self._nodes.get(path)
        if node is None:
            return ZkError.NO_NODE
        if operation.expected_zk_version not in (MATCH_ANY, node.zk_version):
            return ZkError.BAD_VERSION
        if isinstance(operation, Delete) and self._children.get(path):
            return ZkError.NOT_EMPTY
        return None

    def _apply(self, operation: Operation) -> None:
        path, zxid = operation.path, self._zxid
        match operation:
            case Create(_, data, is_ephemeral):
                owner = SESSION if is_ephemeral else 0
                self._restore(path, Znode(path, data, ZkVersion(0), zxid, 0, 0, owner, zxid))
            case SetData(_, data):
                node = self._nodes[path]
                version = ZkVersion(node.zk_version + 1)
                self._nodes[path] = node._replace(data=data, zk_version=version, mzxid=zxid)
            case Delete():
                self._restore(path, None)
            case Check():
                pass

    def _restore(self, path: str, node: Znode | None) -> None:
        parent, _, name = path.rpartition("/")
        siblings = self._children.setdefault(parent, {})
        if node is None:
            self._nodes.pop(path, None)
            siblings.pop(name, None)
        else:
            self._nodes[path] = node
            siblings[name] = None
