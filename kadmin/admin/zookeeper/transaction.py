"""Changes of several znodes at once, and only under the controller that was seen before.

Every change of kadmin goes through `write`: one ZooKeeper transaction whose first operation checks
that `/controller_epoch` has not moved, and whose new nodes get the ACLs of their parents.  What is
written and when it has landed is said in `cluster.coordination`, for brokers alike; unlike them
kadmin does not plan anew by itself, since an operator has seen the plan: a conflict is an outcome.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, assert_never

from cluster.coordination import transaction
from cluster.coordination.acls import with_inherited_acls
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import ZkVersion
from cluster.zk.requests import Check, Operation, ZkError
from cluster.zk.steps import Steps
from kadmin.admin.ports import Committed, Conflict, ConflictKind, Fence, FenceMoved, Outcome
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.runner import run_blocking
from kadmin.errors import RefusedError

LEASE_PATH: Final = "/kadmin/reassignment"
"""Where the lease of throttles stands, below a path of kadmin's own, of which no broker knows."""

KINDS: Final = {
    ZkError.BAD_VERSION: ConflictKind.VERSION,
    ZkError.NODE_EXISTS: ConflictKind.EXISTS,
    ZkError.NO_NODE: ConflictKind.MISSING,
    ZkError.NOT_EMPTY: ConflictKind.CHILDREN,
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


def read_fence(connection: Connection) -> Fence:
    """Read under whose control a change is made; to be called before the plan's own reads.

    Raises:
        KRaftOwnsCluster: nothing may be written.
        ControllerUnreadable: `/controller` is damaged.
    """
    try:
        fence = run_blocking(connection, transaction.read_fence())
    except transaction.KRaftOwnsCluster as error:
        raise KRaftOwnsCluster(error.kraft_controller_epoch) from error
    except CorruptZnodeError as error:
        raise ControllerUnreadable(error) from error
    return Fence(mark=fence.epoch_zk_version)


def write(
    connection: Connection,
    fence: Fence,
    change: Callable[[transaction.Fence], Steps[transaction.Outcome]],
) -> Outcome:
    """Make *change* under *fence*.

    Raises:
        ZooKeeperDenied: an ACL; names the path.
        OutcomeUnknown: the connection stayed lost, or somebody has written there since.
        TooLarge: it was lost every time, and the servers' limit is the likely reason.
    """
    mark = None if fence.mark is None else ZkVersion(fence.mark)
    lease = () if fence.lease is None else (Check(LEASE_PATH, fence.lease),)
    steps = with_inherited_acls(change(transaction.Fence(mark, lease)))
    outcome = run_blocking(connection, steps)
    match outcome:
        case transaction.Committed():
            return Committed()
        case transaction.FenceMoved():
            return FenceMoved()
        case transaction.Conflict(path, zk_error):
            return Conflict(path, KINDS[zk_error])
    assert_never(outcome)


def commit(connection: Connection, fence: Fence, operations: Sequence[Operation]) -> Outcome:
    """Make all *operations* under *fence*, in their order, or none; see `write`."""
    return write(connection, fence, partial(transaction.commit, operations=operations))
