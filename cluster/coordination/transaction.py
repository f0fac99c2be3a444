"""Transactions under a fence, and how the outcome is found when the reply was lost.

For the controller, for brokers on behalf of clients, and for tools.  Expected conflicts are values,
not exceptions.  Knows no node's content except the controller's.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from cluster.model.ids import MATCH_ANY, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved, Outcome
from cluster.zk import paths
from cluster.zk.controller import decode_controller
from cluster.zk.requests import (
    Check,
    Create,
    Delete,
    Lost,
    Multi,
    MultiDone,
    MultiFailed,
    Operation,
    Refused,
    SetData,
    Sync,
    ZkError,
    ZkReply,
)
from cluster.zk.steps import Refusal, Steps, read, read_each
from cluster.zk.znode import Znode

T = TypeVar("T")

ATTEMPTS_MAX: Final = 20
"""How often a change is planned anew after a conflict."""

SENDS_MAX: Final = 5
"""How often a transaction is sent again whose replies are lost and which was not carried out."""

CONFLICTS: Final = {
    ZkError.BAD_VERSION: ConflictKind.VERSION,
    ZkError.NODE_EXISTS: ConflictKind.EXISTS,
    ZkError.NO_NODE: ConflictKind.MISSING,
    ZkError.NOT_EMPTY: ConflictKind.CHILDREN,
}


@dataclass(frozen=True, slots=True)
class Fence:
    """The controller epoch that a change was planned under; checked first in its transaction.

    The check is of `/controller_epoch` and not of `/controller`: each election recreates the latter
    in version 0, so that a check of it passes under any controller, and under KRaft.
    *epoch_zk_version* is None for a cluster that never had a controller: it is not checked then.
    *others* are checked with it.
    """

    epoch_zk_version: ZkVersion | None
    others: tuple[Check, ...] = ()

    @property
    def checks(self) -> tuple[Check, ...]:
        if self.epoch_zk_version is None:
            return self.others
        return (Check(paths.CONTROLLER_EPOCH, self.epoch_zk_version), *self.others)

    def transaction(self, operations: Iterable[Operation]) -> Multi:
        return Multi((*self.checks, *operations))


class KRaftOwnsCluster(Exception):
    """A KRaft controller has taken over the cluster: nothing may be written to ZooKeeper."""

    def __init__(self, kraft_controller_epoch: int) -> None:
        super().__init__(f"kraftControllerEpoch={kraft_controller_epoch}")
        self.kraft_controller_epoch = kraft_controller_epoch


class OutcomeUnknown(Exception):
    """Replies were lost, and the node at *path* does not show whether it was written."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class NeverAnswered(OutcomeUnknown):
    """The transaction was not carried out, and each reply was lost; it may be too large."""


SentOnce: TypeAlias = Outcome | Lost | Refused
"""The outcome of a transaction that is sent once, without a search for it after a lost reply."""


def read_fence() -> Steps[Fence]:
    """Read the fence; to be done before reading anything that a change is planned from.

    Raises:
        KRaftOwnsCluster: nothing may be written.
        CorruptZnodeError: `/controller` is damaged.
    """
    # The epoch first: a controller that takes over between the two reads raises it, and the
    # check fails.  In the other order its epoch would pass for that of the one before.
    epoch, node = yield from read_each((paths.CONTROLLER_EPOCH, paths.CONTROLLER))
    controller = None if node is None else decode_controller(node)
    if controller is not None and controller.is_kraft:
        raise KRaftOwnsCluster(controller.kraft_controller_epoch)
    return Fence(None if epoch is None else epoch.zk_version)


def until_committed(attempt: Callable[[Fence], Steps[T]]) -> Steps[T | FenceMoved]:
    """Make *attempt*, repeat it after conflicts, and return its last outcome.

    It reads all that it writes from, so that it can safely run again after a lost reply whose
    transaction is not found.  Its other results are final.
    """
    outcome: T | FenceMoved = FenceMoved()
    for _ in range(ATTEMPTS_MAX):
        # The fence comes first: it has to hold from before the first read.
        fence = yield from read_fence()
        try:
            outcome = yield from attempt(fence)
        except OutcomeUnknown:
            continue
        if not isinstance(outcome, FenceMoved | Conflict):
            break
    return outcome


def never() -> Steps[bool]:
    yield from ()
    return False


def commit(
    fence: Fence,
    operations: Sequence[Operation],
    *,
    is_carried_out: Callable[[], Steps[bool]] = never,
) -> Steps[Outcome]:
    """Carry out all *operations*, in their order, or none.

    A lost reply does not count as a failure: the nodes are read again to see whether the
    transaction succeeded, and if not, it is sent again.  At least one operation must leave a trace
    to see (create of a plain node, set, delete).

    A node to be deleted is read first: only its czxid distinguishes it from another node that is
    created in its place, possibly with the same version.  One that the same transaction creates is
    left out of all this.

    Where a controller removes that trace when it has done what the transaction requests,
    *is_carried_out* reads whether it has done so.  It is called after a lost reply only, after
    looking for the trace: in the other order, both could be missed.

    Raises:
        OutcomeUnknown: a reply was lost, and the node has been written since.
        NeverAnswered: each reply was lost.
        Refusal: ZooKeeper refuses it from this client.
    """
    assert any(map(leaves_trace, operations))
    created = {one.path for one in operations if isinstance(one, Create)}
    deleted = [one.path for one in operations if isinstance(one, Delete)]
    writes = [one for one in operations if leaves_trace(one) and one.path not in deleted]
    deleted = [path for path in deleted if path not in created]
    deleted_czxids: dict[str, int] = {}
    for path, node in zip(deleted, (yield from read_each(deleted)), strict=True):
        if node is None:
            return Conflict(path, ConflictKind.MISSING)
        deleted_czxids[path] = node.czxid
    request = fence.transaction(operations)
    for _ in range(SENDS_MAX):
        (reply,) = yield (request,)
        outcome = outcome_of(fence, request, reply)
        if isinstance(outcome, Refused):
            raise Refusal(outcome.reason)
        if not isinstance(outcome, Lost):
            return outcome
        if (yield from has_landed(writes, deleted_czxids, is_carried_out)):
            return Committed()
    raise NeverAnswered(operations[0].path)


def outcome_of(fence: Fence, request: Multi, reply: ZkReply) -> SentOnce:
    """The outcome in the reply to a transaction that begins with the checks of *fence*."""
    if isinstance(reply, MultiDone):
        return Committed(reply.zk_versions[-1])
    if isinstance(reply, Lost | Refused):
        return reply
    assert isinstance(reply, MultiFailed)
    if reply.index < len(fence.checks):
        return FenceMoved()
    return Conflict(request.operations[reply.index].path, CONFLICTS[reply.error])


def has_landed(
    writes: Sequence[Operation],
    deleted_czxids: Mapping[str, int],
    is_carried_out: Callable[[], Steps[bool]],
) -> Steps[bool]:
    """Find out from the nodes whether the transaction with *writes* was carried out.

    *deleted_czxids* are the czxids of the nodes that it deletes, by path.  A transaction is carried
    out completely or not at all, so all that leave a trace must agree.

    Raises:
        OutcomeUnknown: another writer changed a node since, as a controller does that gives a new
            topic its id.
    """
    # Another server of the ensemble may lag behind the one that took the transaction.
    yield from read((Sync(),))
    nodes = yield from read_each([*(write.path for write in writes), *deleted_czxids])
    if (yield from is_carried_out()):
        return True
    written = list(zip(writes, nodes[: len(writes)], strict=True))
    for write, node in written:
        if is_overwritten(write, node):
            raise OutcomeUnknown(write.path)
    left = zip(deleted_czxids.values(), nodes[len(writes) :], strict=True)
    return all(shows_trace(write, node) for write, node in written) and all(
        node is None or node.czxid != czxid for czxid, node in left
    )


def leaves_trace(operation: Operation) -> bool:
    if isinstance(operation, Create):
        return not operation.is_sequential
    return not isinstance(operation, Check)


def shows_trace(operation: Operation, node: Znode | None) -> bool:
    assert isinstance(operation, Create | SetData)
    if node is None or node.data != operation.data:
        return False
    if isinstance(operation, Create) or operation.expected_zk_version == MATCH_ANY:
        return True
    return node.zk_version == operation.expected_zk_version + 1


def is_overwritten(operation: Operation, node: Znode | None) -> bool:
    """Whether *node* was written after *operation*, if that succeeded: its trace is gone then."""
    if node is None or shows_trace(operation, node):
        return False
    if isinstance(operation, Create):
        return node.zk_version > 0
    assert isinstance(operation, SetData)
    if operation.expected_zk_version == MATCH_ANY:
        return False  # It can be repeated, whatever the node.
    return node.zk_version > operation.expected_zk_version + 1
