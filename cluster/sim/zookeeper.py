"""How does ZooKeeper answer, as far as a controller can tell?

Znodes with versions, sessions, ephemeral nodes, one-shot watches, and transactions with checks.
Time, loss and delay are the world's: every request here is served at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from cluster.coordination.requests import (
    Check,
    Children,
    Create,
    Delete,
    Exists,
    GetChildren,
    GetData,
    Multi,
    MultiDone,
    MultiFailed,
    Operation,
    SetData,
    ZkError,
    ZkReply,
    ZkRequest,
)
from cluster.model.ids import MATCH_ANY, NEVER_READ, ZkVersion
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
    version: int = 0
    children: dict[str, None] = field(default_factory=dict)


class Commit(NamedTuple):
    """A change of one node; None for a node that is not there before or after."""

    author: Author
    path: str
    before: Znode | None
    after: Znode | None


class SimZooKeeper:
    """*on_watch* is called with a session and a path, *on_commit* with each change of data.

    The two flags take fences out, for tests of what they prevent: without *checks_state_versions*
    the state of a partition is overwritten whatever its version; without *checks_epoch* a
    transaction passes under any controller epoch.
    """

    def __init__(
        self,
        on_watch: Callable[[int, str], None],
        on_commit: Callable[[Commit], None],
        *,
        checks_state_versions: bool = True,
        checks_epoch: bool = True,
    ) -> None:
        self._on_watch = on_watch
        self._on_commit = on_commit
        self._checks_state_versions = checks_state_versions
        self._checks_epoch = checks_epoch
        self._zxid = 0
        self._last_session = NO_SESSION
        self._nodes: dict[str, SimZnode] = {"": SimZnode(None, 0, NO_SESSION)}
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
        node = self._nodes.get(path)
        if node is None:
            return None
        return Znode(path, node.data, ZkVersion(node.version), node.czxid, 0, 0, node.owner)

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
            case GetChildren(path, is_watched):
                if path not in self._nodes:
                    return None
                if is_watched:
                    self._child_watches.setdefault(path, {})[session] = None
                return Children(self.children(path))
            case Multi(operations):
                return self._transact(session, operations, author)

    def _transact(
        self, session: int, operations: tuple[Operation, ...], author: Author
    ) -> MultiDone | MultiFailed:
        # Operations of one transaction see each other: what is undone is done backwards.
        undo: list[tuple[str, SimZnode | None]] = []
        for index, operation in enumerate(operations):
            error = self._error(operation)
            if error is not None:
                for path, node in reversed(undo):
                    self._restore(path, node)
                return MultiFailed(index, error)
            undo.append(self._apply_silently(operation, session))
        self._zxid += 1
        versions = []
        for (path, before), operation in zip(undo, operations, strict=True):
            versions.append(self._finish(author, session, operation, path, before))
        return MultiDone(tuple(versions))

    def _error(self, operation: Operation) -> ZkError | None:
        node = self._nodes.get(operation.path)
        if isinstance(operation, Create):
            if node is not None:
                return ZkError.NODE_EXISTS
            return None if _parent(operation.path) in self._nodes else ZkError.NO_NODE
        if isinstance(operation, Check) and not self._checks_epoch:
            return None
        if node is None:
            return ZkError.NO_NODE
        if isinstance(operation, Delete) and node.children:
            return ZkError.NOT_EMPTY
        is_state = operation.path.endswith("/state")
        if isinstance(operation, SetData) and is_state and not self._checks_state_versions:
            return None
        is_same = operation.expected_zk_version in (MATCH_ANY, node.version)
        return None if is_same else ZkError.BAD_VERSION

    def _apply_silently(self, operation: Operation, session: int) -> tuple[str, SimZnode | None]:
        """Do it, and return what was there."""
        path = operation.path
        before = self._nodes.get(path)
        match operation:
            case Create(_, data, is_ephemeral):
                owner = session if is_ephemeral else NO_SESSION
                self._nodes[path] = SimZnode(data, self._zxid + 1, owner)
                self._nodes[_parent(path)].children[_name(path)] = None
            case SetData(_, data):
                assert before is not None
                self._nodes[path] = SimZnode(
                    data, before.czxid, before.owner, before.version + 1, before.children
                )
            case Delete():
                del self._nodes[path]
                del self._nodes[_parent(path)].children[_name(path)]
            case Check():
                pass
        return path, before

    def _restore(self, path: str, node: SimZnode | None) -> None:
        siblings = self._nodes[_parent(path)].children
        if node is None:
            del self._nodes[path]
            del siblings[_name(path)]
        else:
            self._nodes[path] = node
            siblings[_name(path)] = None

    def _finish(
        self,
        author: Author,
        session: int,
        operation: Operation,
        path: str,
        before: SimZnode | None,
    ) -> ZkVersion:
        """Tell everybody of a change that is there to stay; returns the node's version."""
        if isinstance(operation, Check):
            return NEVER_READ
        after = self.node(path)
        old = None
        if before is not None:
            version = ZkVersion(before.version)
            old = Znode(path, before.data, version, before.czxid, 0, 0, before.owner)
            if after is None and before.owner in self._sessions:
                self._sessions[before.owner].pop(path, None)
        if after is not None and before is None and after.ephemeral_owner != NO_SESSION:
            self._sessions[session][path] = None
        self._on_commit(Commit(author, path, old, after))
        self._fire(path, is_structural=before is None or after is None)
        return NEVER_READ if after is None else after.zk_version

    def _delete(self, author: Author, path: str) -> None:
        self._zxid += 1
        operation = Delete(path)
        _, before = self._apply_silently(operation, NO_SESSION)
        self._finish(author, NO_SESSION, operation, path, before)

    def _fire(self, path: str, *, is_structural: bool) -> None:
        fired = list(self._data_watches.pop(path, ()))
        for session in fired:
            self._on_watch(session, path)
        if is_structural:
            parent = _parent(path)
            for session in self._child_watches.pop(parent, ()):
                self._on_watch(session, parent)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]
