"""How are several writes made in ZooKeeper, all or none?

A transaction is a list of values; its outcome says which of them stood in the way.  Knows no path.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from kazoo.exceptions import (
    BadVersionError,
    KazooException,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    RolledBackError,
    RuntimeInconsistency,
)

from cluster.model.ids import NEVER_READ, ZkVersion
from cluster.runtime.zookeeper.session import Session


class Create(NamedTuple):
    path: str
    data: bytes = b""
    is_ephemeral: bool = False
    is_sequential: bool = False


class SetData(NamedTuple):
    path: str
    data: bytes
    expected_zk_version: ZkVersion


class Delete(NamedTuple):
    path: str
    expected_zk_version: ZkVersion


class Check(NamedTuple):
    """Writes nothing; the znode has to be there in this version."""

    path: str
    expected_zk_version: ZkVersion


Operation: TypeAlias = Create | SetData | Delete | Check

CONFLICTS: Final = (BadVersionError, NodeExistsError, NoNodeError, NotEmptyError)
UNTOUCHED: Final = (RolledBackError, RuntimeInconsistency)
"""What stands in the place of the operations that did not fail themselves."""


class Committed(NamedTuple):
    """All was written; for each operation what ZooKeeper says: a path, a stat, or True."""

    results: tuple[Any, ...]


class Conflict(NamedTuple):
    """Nothing was written, because *operation* found something else than it expected."""

    operation: Operation
    error: KazooException


async def transact(session: Session, operations: Sequence[Operation]) -> Committed | Conflict:
    """Make all of *operations*, or none.

    Raises:
        ConnectionLoss: nobody knows which; what stands there tells.
        SessionExpiredError: the session is over.
        KazooException: ZooKeeper refuses for another reason; nothing was written.
    """

    def start(client: Any) -> Any:
        transaction = client.transaction()
        for operation in operations:
            add(transaction, operation)
        return transaction.commit_async()

    results = await session.ask(start)
    for operation, result in zip(operations, results, strict=True):
        if isinstance(result, CONFLICTS):
            return Conflict(operation, result)
        if isinstance(result, Exception) and not isinstance(result, UNTOUCHED):
            raise result
    return Committed(tuple(results))


def add(transaction: Any, operation: Operation) -> None:
    match operation:
        case Create(path, data, is_ephemeral, is_sequential):
            transaction.create(path, data, ephemeral=is_ephemeral, sequence=is_sequential)
        case SetData(path, data, version):
            assert version != NEVER_READ
            transaction.set_data(path, data, version)
        case Delete(path, version):
            assert version != NEVER_READ
            transaction.delete(path, version)
        case Check(path, version):
            assert version != NEVER_READ
            transaction.check(path, version)
