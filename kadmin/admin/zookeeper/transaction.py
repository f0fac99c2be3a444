"""How are several znodes changed at once, and only under the controller that was seen before?

Every change of kadmin goes through `commit`: one ZooKeeper transaction whose first operation
checks that `/controller_epoch` has not moved.  Expected conflicts are values, not exceptions.
Knows no znode's content except who controls the cluster.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kazoo.exceptions import (
    BadVersionError,
    ConnectionClosedError,
    ConnectionLoss,
    InvalidACLError,
    NoAuthError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    RolledBackError,
    RuntimeInconsistency,
    SessionExpiredError,
)
from kazoo.handlers.threading import KazooTimeoutError
from kazoo.protocol.serialization import CheckVersion, Create, Delete, SetData, Transaction

from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import MATCH_ANY, NEVER_READ, ZkVersion
from cluster.zk import paths
from cluster.zk.controller import decode_controller
from kadmin.admin.ports import Committed, Conflict, ConflictKind, Fence, FenceMoved, Outcome
from kadmin.admin.zookeeper.acls import Acl, acls_for
from kadmin.admin.zookeeper.connection import Connection, ZooKeeperDenied
from kadmin.errors import KadminError, RefusedError, UnreachableError

ATTEMPTS_MAX: Final = 5
"""How often a transaction is sent again whose reply was lost and which has not been made."""

JUTE_MAXBUFFER_BYTES: Final = 1_048_575
"""What a ZooKeeper takes in one request, unless its jute.maxbuffer is set."""

SEQUENTIAL: Final = 2
"""ZooKeeper's flag for a node whose name ends in a counter."""

LOST: Final = (ConnectionLoss, ConnectionClosedError, SessionExpiredError, KazooTimeoutError)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateNode:
    """Create *path*, whose parent is there or created before it; *data* None is null data.

    A *sequential* node gets a number from ZooKeeper behind its name.  The ACL follows the parent.
    """

    path: str
    data: bytes | None
    sequential: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SetNode:
    path: str
    data: bytes
    expected_zk_version: ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteNode:
    path: str
    expected_zk_version: ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckNode:
    """Let the transaction fail unless *path* still has *expected_zk_version*."""

    path: str
    expected_zk_version: ZkVersion


Operation: TypeAlias = CreateNode | SetNode | DeleteNode | CheckNode


CONFLICTS: Final[dict[type[Exception], ConflictKind]] = {
    BadVersionError: ConflictKind.VERSION,
    NodeExistsError: ConflictKind.EXISTS,
    NoNodeError: ConflictKind.MISSING,
    NotEmptyError: ConflictKind.CHILDREN,
}


class KRaftOwnsCluster(RefusedError):
    """The cluster is in migration to KRaft: its quorum, not ZooKeeper, has the last word."""

    def __init__(self, kraft_controller_epoch: int) -> None:
        super().__init__(
            "a KRaft controller owns this cluster"
            f" (/controller: kraftControllerEpoch={kraft_controller_epoch});"
            " what is written to ZooKeeper now would be lost",
            hint="use the tools of the brokers' own release with --bootstrap-server",
        )
        self.kraft_controller_epoch = kraft_controller_epoch


class ControllerUnreadable(RefusedError):
    """`/controller` cannot be understood, so nobody knows whether ZooKeeper may be written."""

    def __init__(self, error: CorruptZnodeError) -> None:
        super().__init__(
            f"cannot tell who controls the cluster: {error}",
            hint="look at it with 'kadmin controller'",
        )


class OutcomeUnknown(UnreachableError):
    """The connection was lost after a transaction was sent and could not be asked about it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the connection to ZooKeeper was lost while {path} was written ({reason}):"
            " it was written completely or not at all",
            hint="see with a describe which it is, then run the command again if need be",
        )
        self.path = path


class TooLarge(KadminError):
    """The servers drop a connection that sends more than their jute.maxbuffer."""

    def __init__(self, path: str, size_bytes: int) -> None:
        super().__init__(
            f"ZooKeeper does not take {path}: {size_bytes:,} bytes in one transaction; nothing was"
            " written",
            hint=f"servers and brokers take {JUTE_MAXBUFFER_BYTES:,} bytes unless their"
            " jute.maxbuffer says more: use fewer partitions",
        )
        self.path = path


def read_fence(connection: Connection) -> Fence:
    """Read under whose control a change is made; to be called before the plan's own reads.

    Raises:
        KRaftOwnsCluster: nothing may be written.
        ControllerUnreadable: `/controller` is damaged.
    """
    # The epoch first: a controller that takes over between the two reads moves it, and the
    # check fails.  The other way round its epoch would pass for that of the one before.
    epoch, controller_node = connection.read([paths.CONTROLLER_EPOCH, paths.CONTROLLER])
    if controller_node is not None:
        try:
            controller = decode_controller(controller_node)
        except CorruptZnodeError as error:
            raise ControllerUnreadable(error) from error
        if controller.is_kraft:
            raise KRaftOwnsCluster(controller.kraft_controller_epoch)
    return Fence(epoch_zk_version=None if epoch is None else epoch.zk_version)


def never() -> bool:
    return False


def commit(
    connection: Connection,
    fence: Fence,
    operations: Sequence[Operation],
    *,
    is_carried_out: Callable[[], bool] = never,
) -> Outcome:
    """Make all *operations*, in their order, or none.

    A lost reply is not taken for a failure: the nodes are read again to see whether the
    transaction landed, and if not, it is sent again.  At least one operation must leave a trace
    to see (create of a plain node, set, delete).

    Where a controller removes that trace when it has done what the transaction asks for,
    *is_carried_out* reads whether it has done so.  It is called after a lost reply only, when the
    trace has been looked for: the other way round, both could be missed.

    Raises:
        ZooKeeperDenied: an ACL; names the path.
        OutcomeUnknown: the connection stayed lost.
        TooLarge: it was lost every time, and the servers' limit is the likely reason.
    """
    assert any(leaves_trace(operation) for operation in operations)
    deadline = time.monotonic() + connection.settings.timeout_s
    requests = request_list(connection, fence, operations)
    for _attempt in range(ATTEMPTS_MAX):
        try:
            results = send(connection, requests, deadline)
        except LOST as error:
            if has_landed(connection, operations, deadline, error, is_carried_out):
                return Committed()
            continue
        return outcome(connection, fence, operations, results)
    size_bytes = sum(len(part.serialize()) for part in requests)
    if size_bytes > JUTE_MAXBUFFER_BYTES:
        raise TooLarge(operations[-1].path, size_bytes)
    raise OutcomeUnknown(operations[0].path, f"{ATTEMPTS_MAX} times in a row")


def request_list(
    connection: Connection, fence: Fence, operations: Sequence[Operation]
) -> list[Any]:
    created = [operation.path for operation in operations if isinstance(operation, CreateNode)]
    acls = acls_for(connection, created)
    chroot = connection.client.chroot
    requests = [request(chroot, operation, acls) for operation in operations]
    if fence.epoch_zk_version is not None:
        requests.insert(0, CheckVersion(chroot + paths.CONTROLLER_EPOCH, fence.epoch_zk_version))
    return requests


def request(chroot: str, operation: Operation, acls: dict[str, Acl]) -> Any:
    """kazoo's request for *operation*; its own builder cannot create a node with null data."""
    path = chroot + operation.path
    match operation:
        case CreateNode():
            flags = SEQUENTIAL if operation.sequential else 0
            return Create(path, operation.data, acls[operation.path], flags)
        case SetNode():
            return SetData(path, operation.data, checked(operation.expected_zk_version))
        case DeleteNode():
            return Delete(path, checked(operation.expected_zk_version))
        case CheckNode():
            return CheckVersion(path, checked(operation.expected_zk_version))


def checked(expected: ZkVersion) -> ZkVersion:
    assert expected != NEVER_READ
    return expected


def send(connection: Connection, requests: Sequence[Any], deadline: float) -> list[Any]:
    waiting = connection.client.handler.async_result()
    connection.client._call(Transaction(requests), waiting)
    results: list[Any] = waiting.get(timeout=max(0.0, deadline - time.monotonic()))
    return results


def outcome(
    connection: Connection, fence: Fence, operations: Sequence[Operation], results: list[Any]
) -> Outcome:
    """Find the operation that failed, if any; the others only say that they were undone."""
    steps: list[Operation | None] = list(operations)
    if fence.epoch_zk_version is not None:
        steps.insert(0, None)
    assert len(steps) == len(results)
    for step, result in zip(steps, results, strict=True):
        if not isinstance(result, Exception) or isinstance(
            result, RolledBackError | RuntimeInconsistency
        ):
            continue
        path = paths.CONTROLLER_EPOCH if step is None else step.path
        if isinstance(result, NoAuthError | InvalidACLError):
            raise ZooKeeperDenied(
                connection.settings.connect, f"{type(result).__name__} for {path}"
            ) from result
        kind = CONFLICTS.get(type(result))
        if kind is None:
            raise result
        return FenceMoved() if step is None else Conflict(path, kind)
    return Committed()


def has_landed(
    connection: Connection,
    operations: Sequence[Operation],
    deadline: float,
    cause: Exception,
    is_carried_out: Callable[[], bool] = never,
) -> bool:
    """Tell by the nodes whether the transaction was made, once there is a connection again.

    A transaction is made completely or not at all, so all that leave a trace must agree.

    Raises:
        OutcomeUnknown: there is none in time, or a node was written since by somebody else, as a
            controller does that gives a new topic its id.
    """
    traced = [operation for operation in operations if leaves_trace(operation)]
    try:
        connection.reader.wait_until_connected(deadline)
        # Another server of the ensemble may lag behind the one that took the transaction.
        connection.client.sync_async("/").get(timeout=max(0.0, deadline - time.monotonic()))
        nodes = connection.read([operation.path for operation in traced])
        if is_carried_out():
            return True
    except LOST as error:
        raise OutcomeUnknown(traced[0].path, type(cause).__name__) from error
    found = list(zip(traced, nodes, strict=True))
    for operation, node in found:
        if is_overwritten(operation, node):
            raise OutcomeUnknown(operation.path, "and it has been changed since") from cause
    return all(shows_trace(operation, node) for operation, node in found)


def leaves_trace(operation: Operation) -> bool:
    if isinstance(operation, CreateNode):
        return not operation.sequential
    return not isinstance(operation, CheckNode)


def shows_trace(operation: Operation, node: Any) -> bool:
    if isinstance(operation, DeleteNode):
        return node is None
    assert isinstance(operation, CreateNode | SetNode)
    if node is None or node.data != operation.data:
        return False
    if isinstance(operation, CreateNode) or operation.expected_zk_version == MATCH_ANY:
        return True
    return bool(node.zk_version == operation.expected_zk_version + 1)


def is_overwritten(operation: Operation, node: Any) -> bool:
    """Whether *node* was written after *operation*, if that was made: its trace is gone then."""
    if node is None or isinstance(operation, DeleteNode) or shows_trace(operation, node):
        return False
    if isinstance(operation, CreateNode):
        return bool(node.zk_version > 0)
    assert isinstance(operation, SetNode)
    if operation.expected_zk_version == MATCH_ANY:
        return False  # It can be made again, whatever is there.
    return bool(node.zk_version > operation.expected_zk_version + 1)
