"""Transactions under a fence, and what has become of one whose reply was lost.

For all who change the cluster: the controller, brokers, whose clients ask for it, and tools.
Expected conflicts are values, not exceptions.  Knows no node's content except who controls the
cluster.
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
"""How often a change is planned anew because somebody else was faster."""

SENDS_MAX: Final = 5
"""How often a transaction is sent whose replies are lost and which has not been made."""

CONFLICTS: Final = {
    ZkError.BAD_VERSION: ConflictKind.VERSION,
    ZkError.NODE_EXISTS: ConflictKind.EXISTS,
    ZkError.NO_NODE: ConflictKind.MISSING,
    ZkError.NOT_EMPTY: ConflictKind.CHILDREN,
}


@dataclass(frozen=True, slots=True)
class Fence:
    """Under whose control a change was planned; checked first in its transaction.

    It is `/controller_epoch` and not `/controller` that is checked: each election makes the latter
    anew, in version 0, so that a check of it passes under any controller, and under KRaft.
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
    """A KRaft controller has taken the cluster over: nothing may be written to ZooKeeper."""

    def __init__(self, kraft_controller_epoch: int) -> None:
        super().__init__(f"kraftControllerEpoch={kraft_controller_epoch}")
        self.kraft_controller_epoch = kraft_controller_epoch


class OutcomeUnknown(Exception):
    """Replies were lost, and what stands at *path* does not tell whether it was written."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class NeverAnswered(OutcomeUnknown):
    """The transaction had not been made whenever its reply was lost; it may be too large."""


SentOnce: TypeAlias = Outcome | Lost | Refused
"""What the reply says to a transaction that is neither sent again nor looked for."""


def read_fence() -> Steps[Fence]:
    """Read who controls the cluster; to be done before anything that a change is planned from.

    Raises:
        KRaftOwnsCluster: nothing may be written.
        CorruptZnodeError: `/controller` is damaged.
    """
    # The epoch first: a controller that takes over between the two reads moves it, and the
    # check fails.  The other way round its epoch would pass for that of the one before.
    epoch, node = yield from read_each((paths.CONTROLLER_EPOCH, paths.CONTROLLER))
    controller = None if node is None else decode_controller(node)
    if controller is not None and controller.is_kraft:
        raise KRaftOwnsCluster(controller.kraft_controller_epoch)
    return Fence(None if epoch is None else epoch.zk_version)


def until_committed(attempt: Callable[[Fence], Steps[T]]) -> Steps[T | FenceMoved]:
    """Make *attempt*, again while others are faster, and return its last outcome.

    It reads what it writes from, so that after a lost reply whose transaction cannot be found it
    is safe to look again.  Its other results are final.
    """
    outcome: T | FenceMoved = FenceMoved()
    for _ in range(ATTEMPTS_MAX):
        # The fence comes first: it has to hold from before the first thing that is read.
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
    """Make all *operations*, in their order, or none.

    A lost reply is not taken for a failure: the nodes are read again to see whether the
    transaction landed, and if not, it is sent again.  At least one operation must leave a trace
    to see (create of a plain node, set, delete).

    A node to be deleted is read first: by its czxid alone it is told from another one that somebody
    makes in its place, which may well have the same version.

    Where a controller removes that trace when it has done what the transaction asks for,
    *is_carried_out* reads whether it has done so.  It is asked after a lost reply only, when the
    trace has been looked for: the other way round, both could be missed.

    Raises:
        OutcomeUnknown: a reply was lost, and somebody has written there since.
        NeverAnswered: each reply was lost.
        Refusal: ZooKeeper does not take it from this client.
    """
    assert any(map(leaves_trace, operations))
    writes = [one for one in operations if leaves_trace(one) and not isinstance(one, Delete)]
    deleted = [one.path for one in operations if isinstance(one, Delete)]
    doomed: dict[str, int] = {}
    for path, node in zip(deleted, (yield from read_each(deleted)), strict=True):
        if node is None:
            return Conflict(path, ConflictKind.MISSING)
        doomed[path] = node.czxid
    request = fence.transaction(operations)
    for _ in range(SENDS_MAX):
        (reply,) = yield (request,)
        outcome = outcome_of(fence, request, reply)
        if isinstance(outcome, Refused):
            raise Refusal(outcome.reason)
        if not isinstance(outcome, Lost):
            return outcome
        if (yield from has_landed(writes, doomed, is_carried_out)):
            return Committed()
    raise NeverAnswered(operations[0].path)


def outcome_of(fence: Fence, request: Multi, reply: ZkReply) -> SentOnce:
    """What the reply to a transaction means that begins with the checks of *fence*."""
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
    doomed: Mapping[str, int],
    is_carried_out: Callable[[], Steps[bool]],
) -> Steps[bool]:
    """Tell by the nodes whether the transaction was made that has *writes*.

    *doomed* are the czxids of the nodes that it deletes, by path.  It is made completely or not at
    all, so all that leave a trace must agree.

    Raises:
        OutcomeUnknown: a node was written since by somebody else, as a controller does that gives
            a new topic its id.
    """
    # Another server of the ensemble may lag behind the one that took the transaction.
    yield from read((Sync(),))
    nodes = yield from read_each([*(write.path for write in writes), *doomed])
    if (yield from is_carried_out()):
        return True
    written = list(zip(writes, nodes[: len(writes)], strict=True))
    for write, node in written:
        if is_overwritten(write, node):
            raise OutcomeUnknown(write.path)
    left = zip(doomed.values(), nodes[len(writes) :], strict=True)
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
    """Whether *node* was written after *operation*, if that was made: its trace is gone then."""
    if node is None or shows_trace(operation, node):
        return False
    if isinstance(operation, Create):
        return node.zk_version > 0
    assert isinstance(operation, SetData)
    if operation.expected_zk_version == MATCH_ANY:
        return False  # It can be made again, whatever is there.
    return node.zk_version > operation.expected_zk_version + 1
