"""How does kazoo send the requests of `cluster.coordination`, and what do its results mean?

Knows neither what is asked for nor who asks.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, assert_never

from kazoo.exceptions import (
    BadVersionError,
    ConnectionClosedError,
    ConnectionLoss,
    KazooException,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    SessionExpiredError,
)

from cluster.model.ids import NEVER_READ, ZkVersion
from cluster.runtime.zookeeper.registration import znode_of
from cluster.runtime.zookeeper.session import Session, Started
from cluster.runtime.zookeeper.transaction import UNTOUCHED
from cluster.zk.requests import (
    Check,
    Children,
    Create,
    Delete,
    Exists,
    GetChildren,
    GetData,
    Lost,
    Multi,
    MultiDone,
    MultiFailed,
    Operation,
    Refused,
    SetData,
    ZkError,
    ZkReply,
    ZkRequest,
)

ERRORS: Final = {
    NoNodeError: ZkError.NO_NODE,
    NodeExistsError: ZkError.NODE_EXISTS,
    BadVersionError: ZkError.BAD_VERSION,
    NotEmptyError: ZkError.NOT_EMPTY,
}
BEGUN_PER_TURN: Final = 100
SESSION_OVER: Final = (SessionExpiredError, ConnectionClosedError)
NEW: Final = ZkVersion(0)
"""The version of a znode that has just been made."""


async def replies_to(
    session: Session, requests: Sequence[ZkRequest], watched: Callable[[Any], None]
) -> tuple[ZkReply, ...]:
    """Send *requests* in their order, without waiting in between, and wait for the reply to each.

    There may be thousands: others of this loop have their turn while these are sent.  *watched* is
    called by kazoo's thread, with kazoo's event, when an armed watch fires.

    Raises:
        SessionExpiredError: the session is over.
    """
    begun: list[asyncio.Future[list[Any]]] = []
    for start in range(0, len(requests), BEGUN_PER_TURN):
        if start > 0:
            await asyncio.sleep(0)
        part = requests[start : start + BEGUN_PER_TURN]
        futures = (session.begin(starter(request, watched)) for request in part)
        # Gathered at once, so that no failure is left over, should this task be cancelled.
        begun.append(asyncio.gather(*futures, return_exceptions=True))
    outcomes = [outcome for replies in begun for outcome in await replies]
    return tuple(
        reply_to(request, outcome) for request, outcome in zip(requests, outcomes, strict=True)
    )


def starter(request: ZkRequest, watched: Callable[[Any], None]) -> Callable[[Any], Started]:
    """What begins *request* on a client of kazoo's."""
    match request:
        case Exists(path, is_watched):
            watch = watched if is_watched else None
            return lambda client: client.exists_async(path, watch=watch)
        case GetData(path, is_watched):
            watch = watched if is_watched else None
            return lambda client: client.get_async(path, watch=watch)
        case GetChildren(path, is_watched):
            watch = watched if is_watched else None
            return lambda client: client.get_children_async(path, watch=watch)
        case Multi(operations):
            return lambda client: committing(client, operations)
    assert_never(request)


def committing(client: Any, operations: Sequence[Operation]) -> Started:
    transaction = client.transaction()
    for operation in operations:
        match operation:
            case Check(path, version):
                transaction.check(path, version)
            case Create(path, data, is_ephemeral):
                transaction.create(path, data or b"", ephemeral=is_ephemeral)
            case SetData(path, data, version):
                transaction.set_data(path, data, version)
            case Delete(path, version):
                transaction.delete(path, version)
    started: Started = transaction.commit_async()
    return started


def reply_to(request: ZkRequest, outcome: Any) -> ZkReply:
    """What kazoo's result or exception says to whoever asked."""
    if isinstance(outcome, BaseException):
        return failure(request, outcome)
    match request:
        case Exists():
            return outcome is not None
        case GetData(path):
            return znode_of(path, outcome)
        case GetChildren():
            return Children(tuple(sorted(outcome)))
        case Multi(operations):
            return transaction_reply(operations, outcome)
    assert_never(request)


def failure(request: ZkRequest, error: BaseException) -> ZkReply:
    if isinstance(error, SESSION_OVER):
        raise SessionExpiredError from error
    if isinstance(error, ConnectionLoss):
        return Lost()
    if isinstance(error, NoNodeError) and not isinstance(request, Multi):
        return None
    if isinstance(error, KazooException):
        return Refused(str(error) or type(error).__name__)
    raise error


def transaction_reply(
    operations: Sequence[Operation], results: Sequence[Any]
) -> MultiDone | MultiFailed | Refused:
    """kazoo gives one result for each operation, also for those that failed with another one."""
    for index, result in enumerate(results):
        if not isinstance(result, Exception) or isinstance(result, UNTOUCHED):
            continue
        error = ERRORS.get(type(result))
        if error is None:
            return Refused(f"{operations[index].path}: {type(result).__name__}")
        return MultiFailed(index, error)
    versions = (
        version_after(operation, result)
        for operation, result in zip(operations, results, strict=True)
    )
    return MultiDone(tuple(versions))


def version_after(operation: Operation, result: Any) -> ZkVersion:
    if isinstance(operation, Create):
        return NEW
    return ZkVersion(result.version) if isinstance(operation, SetData) else NEVER_READ
