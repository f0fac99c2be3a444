"""Translation of requests into kazoo's calls, and of its results into replies.

Never blocks: waiting is left to the owner of the client, in a loop or in a thread.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, assert_never

from kazoo.exceptions import (
    BadVersionError,
    ConnectionClosedError,
    ConnectionLoss,
    KazooException,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    RolledBackError,
    RuntimeInconsistency,
    SessionExpiredError,
)
from kazoo.protocol import serialization
from kazoo.security import ACL, Id

from cluster.model.ids import NEVER_READ, ZkVersion
from cluster.zk.requests import (
    AclEntry,
    AclRead,
    Check,
    Children,
    Create,
    Delete,
    Exists,
    GetAcl,
    GetChildren,
    GetData,
    Lost,
    Multi,
    MultiDone,
    MultiFailed,
    Operation,
    Refused,
    SetData,
    SingleRequest,
    Sync,
    ZkError,
    ZkReply,
)
from cluster.zk.znode import Znode

ERRORS: Final = {
    NoNodeError: ZkError.NO_NODE,
    NodeExistsError: ZkError.NODE_EXISTS,
    BadVersionError: ZkError.BAD_VERSION,
    NotEmptyError: ZkError.NOT_EMPTY,
}
SESSION_OVER: Final = (SessionExpiredError, ConnectionClosedError)
UNTOUCHED: Final = (RolledBackError, RuntimeInconsistency)
"""Results of the operations that did not fail themselves."""
EPHEMERAL: Final = 1
SEQUENTIAL: Final = 2
NEW: Final = ZkVersion(0)
"""The version of a znode that was just created."""


class Started(Protocol):
    """kazoo's promise of a result."""

    def rawlink(self, callback: Callable[[Any], None]) -> None: ...

    def get(self, block: bool = True, timeout: float | None = None) -> Any: ...


def unwatched(_event: object) -> None:
    """Callback of requests that arm no watch."""
    raise AssertionError("a watch has fired that nobody has armed")


def begin(
    request: SingleRequest, client: Any, watched: Callable[[Any], None] = unwatched
) -> Started:
    """Begin *request* on a kazoo client, without waiting.

    kazoo's thread calls *watched*, with kazoo's event, when an armed watch fires.
    """
    started: Started
    match request:
        case Exists(path, is_watched):
            started = client.exists_async(path, watch=watched if is_watched else None)
        case GetData(path, is_watched):
            started = client.get_async(path, watch=watched if is_watched else None)
        case GetChildren(path, is_watched):
            started = client.get_children_async(path, watch=watched if is_watched else None)
        case GetAcl(path):
            started = client.get_acls_async(path)
        case Sync():
            started = client.sync_async("/")
        case Multi(operations):
            started = client.handler.async_result()
            client._call(transaction(client.chroot, operations), started)
        case _:
            assert_never(request)
    return started


def transaction(chroot: str, operations: Sequence[Operation]) -> serialization.Transaction:
    """kazoo's request; its own builder of transactions cannot create a node with null data."""
    return serialization.Transaction([part(chroot + one.path, one) for one in operations])


def size_of(client: Any, request: Multi) -> int:
    """How many bytes *request* takes, without its frame."""
    parts = transaction(client.chroot, request.operations).operations
    return sum(len(each.serialize()) for each in parts)


def part(path: str, operation: Operation) -> Any:
    match operation:
        case Check():
            return serialization.CheckVersion(path, operation.expected_zk_version)
        case Create():
            flags = EPHEMERAL if operation.is_ephemeral else 0
            flags |= SEQUENTIAL if operation.is_sequential else 0
            acl = [ACL(each.permissions, Id(each.scheme, each.identity)) for each in operation.acl]
            return serialization.Create(path, operation.data, acl, flags)
        case SetData():
            return serialization.SetData(path, operation.data, operation.expected_zk_version)
        case Delete():
            return serialization.Delete(path, operation.expected_zk_version)
    assert_never(operation)


def reply_to(request: SingleRequest, outcome: Any) -> ZkReply:
    """The reply in kazoo's result or exception."""
    if isinstance(outcome, BaseException):
        return failure(request, outcome)
    match request:
        case Exists():
            return outcome is not None
        case GetData(path):
            return znode_of(path, outcome)
        case GetChildren():
            return Children(tuple(sorted(outcome)))
        case GetAcl():
            acl, _ = outcome
            return AclRead(tuple(AclEntry(each.perms, each.id.scheme, each.id.id) for each in acl))
        case Sync():
            return True
        case Multi(operations):
            return transaction_reply(operations, outcome)
    assert_never(request)


def failure(request: SingleRequest, error: BaseException) -> ZkReply:
    if isinstance(error, (ConnectionLoss, *SESSION_OVER)):
        return Lost()
    if isinstance(error, NoNodeError) and not isinstance(request, Multi):
        return None
    if isinstance(error, KazooException):
        return Refused(str(error) or type(error).__name__)
    raise error


def znode_of(path: str, found: tuple[bytes | None, Any]) -> Znode:
    """The znode in the result of kazoo's `get` for *path*."""
    data, stat = found
    return Znode(
        path,
        data,
        ZkVersion(stat.version),
        stat.czxid,
        stat.ctime,
        stat.mtime,
        stat.ephemeralOwner,
        stat.mzxid,
    )


def transaction_reply(
    operations: Sequence[Operation], results: Sequence[Any]
) -> MultiDone | MultiFailed | Refused:
    """kazoo returns one result for each operation, also for those that failed because of
    another.
    """
    failed = first_failure(results)
    if failed is not None:
        index, failure = failed
        error = ERRORS.get(type(failure))
        if error is None:
            return Refused(f"{operations[index].path}: {type(failure).__name__}")
        return MultiFailed(index, error)
    versions = (
        version_after(operation, result)
        for operation, result in zip(operations, results, strict=True)
    )
    return MultiDone(tuple(versions))


def first_failure(results: Sequence[Any]) -> tuple[int, Exception] | None:
    """The operation of a transaction that failed, and its error; the others were only undone."""
    for index, result in enumerate(results):
        if isinstance(result, Exception) and not isinstance(result, UNTOUCHED):
            return index, result
    return None


def version_after(operation: Operation, result: Any) -> ZkVersion:
    if isinstance(operation, Create):
        return NEW
    return ZkVersion(result.version) if isinstance(operation, SetData) else NEVER_READ
