"""A simulated ZooKeeper: how does ZooKeeper answer, as far as a controller can tell?

Znodes with versions, sessions, ephemeral nodes, one-shot watches, and transactions with checks.
Time, loss and delay are the world's: every request here is served at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from cluster.model.ids import MATCH_ANY, NEVER_READ, ZkVersion
from cluster.zk import paths
from cluster.zk.requests import (
    OPEN_ACL,
    Acl,
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

NO_SESSION: Final = 0


class Author(NamedTuple):
    """Who asks for a request: a broker as controller (with its epoch) or as leader, or a tool."""

    broker_id: int
    role: str
    controller_epoch: int = 0


TOOL: Final = Author(-1, "tool")
SERVER: Final = Author(-1, "server")


@dataclass(slots=True)
class SimZnode:
    data: bytes | None
    czxid: int
    owner: int
    mzxid: int
    version: int = 0
    acl: Acl = OPEN_ACL
    children: dict[str, None] = field(default_factory=dict)
    created_count: int = 0
    """How many children it has ever had: what a sequential one gets behind its name."""


class Change(NamedTuple):
    """One operation's effect, at the path that a sequential node got; the same node before and
    after for a check."""

    path: str
    before: SimZnode | None
    after: SimZnode | None


class Commit(NamedTuple):
    """A change of one node; None for a node that is not there before or after."""

    author: Author
    path: str
    before: Znode | None
    after: Znode | None


class SimZooKeeper:
    """*on_watch* is called with a session and a path, *on_commit* with each change of data.

    The flags take fences out, for tests of what they prevent: without *checks_state_versions* the
    state of a partition is overwritten whatever its version; without *checks_epoch* a transaction
    passes under any controller epoch, without *checks_removals* only one that removes
    `/controller`.
    """

    def __init__(
        self,
        on_watch: Callable[[int, str], None],
        on_commit: Callable[[Commit], None],
        *,
        checks_state_versions: bool = True,
        checks_epoch: bool = True,
        checks_removals: bool = True,
    ) -> None:
        self._on_watch = on_watch
        self._on_commit = on_commit
        self._checks_state_versions = checks_state_versions
        self._checks_epoch = checks_epoch
        self._checks_removals = checks_removals
        self._zxid = 0
        self._last_session = NO_SESSION
        self._nodes: dict[str, SimZnode] = {"": SimZnode(None, 0, NO_SESSION, 0)}
        self._sessions: dict[int, dict[str, None]] = {}
        """The live sessions, with the ephemeral nodes of each."""
        self._data_watches: dict[str, dict[int, None]] = {}
        self._child_watches: dict[str, dict[int, None]] = {}

    def connect(self) -> int:
        """Open a session."""
        self._last_session += 1
        self._sessions[self._last_session] = {}
        return self._last_session

    def is_live(self, session: int) -> bool:
        return session in self._sessions

    def expire(self, session: int) -> None:
        """End a session, with its ephemeral nodes; it hears of nothing any more."""
        for path in self._sessions.pop(session, {}):
            self._delete(SERVER, path)

    def node(self, path: str) -> Znode | None:
        return _znode(path, self._nodes.get(path))

    def children(self, path: str) -> tuple[str, ...]:
        node = self._nodes.get(path)
        return () if node is None else tuple(node.children)

    def serve(self, session: int, request: ZkRequest, author: Author) -> ZkReply:
        """The reply to a request of a live session."""
        assert self.is_live(session)
        match request:
            case Exists(path, is_watched):
                if is_watched:
                    self._data_watches.setdefault(path, {})[session] = None
                return path in self._nodes
            case GetData(path, is_watched):
                node = self.node(path)
                if node is not None and is_watched:
                    self._data_watches.setdefault(path, {})[session] = None
                return node
            case GetMany(node_paths):
                return many_of(request, list(map(self.node, node_paths)))
            case GetChildren(path, is_watched):
                if path not in self._nodes:
                    return None
                if is_watched:
                    self._child_watches.setdefault(path, {})[session] = None
                return Children(self.children(path))
            case GetAcl(path):
                return AclRead(self._nodes[path].acl) if path in self._nodes else None
            case Sync():
                return True
            case Multi(operations):
                return self._transact(session, operations, author)

    def _transact(
        self, session: int, operations: tuple[Operation, ...], author: Author
    ) -> MultiDone | MultiFailed:
        # Operations of one transaction see each other: what is undone is done backwards.
        changes: list[Change] = []
        checks = self._checks_epoch and (
            self._checks_removals or Delete(paths.CONTROLLER) not in operations
        )
        for index, operation in enumerate(operations):
            error = self._error(operation, checks=checks)
            if error is not None:
                for change in reversed(changes):
                    self._undo(change)
                return MultiFailed(index, error)
            changes.append(self._apply(operation, session))
        self._zxid += 1
        for change in changes:
            self._tell(author, change)
        return MultiDone(
            tuple(
                NEVER_READ
                if isinstance(operation, Check) or change.after is None
                else ZkVersion(change.after.version)
                for operation, change in zip(operations, changes, strict=True)
            )
        )

    def _error(self, operation: Operation, *, checks: bool) -> ZkError | None:
        if isinstance(operation, Create):
            if _parent(operation.path) not in self._nodes:
                return ZkError.NO_NODE
            return ZkError.NODE_EXISTS if self._path_of(operation) in self._nodes else None
        node = self._nodes.get(operation.path)
        if isinstance(operation, Check) and not checks:
            return None
        if node is None:
            return ZkError.NO_NODE
        is_state = operation.path.endswith("/state")
        is_exempt = isinstance(operation, SetData) and is_state and not self._checks_state_versions
        if not is_exempt and operation.expected_zk_version not in (MATCH_ANY, node.version):
            return ZkError.BAD_VERSION
        if isinstance(operation, Delete) and node.children:
            return ZkError.NOT_EMPTY
        return None

    def _apply(self, operation: Operation, session: int) -> Change:
        path = operation.path
        if isinstance(operation, Create):
            path = self._path_of(operation)
            self._nodes[_parent(path)].created_count += 1
        before = self._nodes.get(path)
        after = before
        match operation:
            case Create(_, data, is_ephemeral):
                owner = session if is_ephemeral else NO_SESSION
                zxid = self._zxid + 1
                after = SimZnode(data, zxid, owner, zxid, acl=operation.acl)
            case SetData(_, data):
                assert before is not None
                version = before.version + 1
                after = replace(before, data=data, version=version, mzxid=self._zxid + 1)
            case Delete():
                after = None
            case Check():
                pass
        self._put(path, after)
        return Change(path, before, after)

    def _path_of(self, create: Create) -> str:
        if not create.is_sequential:
            return create.path
        return f"{create.path}{self._nodes[_parent(create.path)].created_count:010d}"

    def _undo(self, change: Change) -> None:
        self._put(change.path, change.before)
        if change.before is None:
            self._nodes[_parent(change.path)].created_count -= 1

    def _put(self, path: str, node: SimZnode | None) -> None:
        siblings = self._nodes[_parent(path)].children
        if node is None:
            self._nodes.pop(path, None)
            siblings.pop(_name(path), None)
        else:
            self._nodes[path] = node
            siblings[_name(path)] = None

    def _tell(self, author: Author, change: Change) -> None:
        """Let everybody know of a change that is there to stay."""
        path, before, after = change
        if before is after:
            return
        if before is None and after is not None and after.owner != NO_SESSION:
            self._sessions[after.owner][path] = None
        if after is None and before is not None and before.owner in self._sessions:
            self._sessions[before.owner].pop(path, None)
        self._on_commit(Commit(author, path, _znode(path, before), _znode(path, after)))
        self._fire(path, is_made=before is None, is_deleted=after is None)

    def _delete(self, author: Author, path: str) -> None:
        self._zxid += 1
        self._tell(author, self._apply(Delete(path), NO_SESSION))

    def _fire(self, path: str, *, is_made: bool, is_deleted: bool) -> None:
        """A node that goes fires the watches of its children too, but a session once."""
        sessions = self._data_watches.pop(path, {})
        if is_deleted:
            sessions = sessions | self._child_watches.pop(path, {})
        for session in sessions:
            self._on_watch(session, path)
        if is_made or is_deleted:
            parent = _parent(path)
            for session in self._child_watches.pop(parent, ()):
                self._on_watch(session, parent)


def _znode(path: str, node: SimZnode | None) -> Znode | None:
    if node is None:
        return None
    version = ZkVersion(node.version)
    return Znode(path, node.data, version, node.czxid, 0, 0, node.owner, node.mzxid)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]
