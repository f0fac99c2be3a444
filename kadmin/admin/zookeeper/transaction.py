"""Changes of several znodes at once, and only under the controller that was seen before.

Every change of kadmin goes through `write`: one ZooKeeper transaction whose first operation checks
that `/controller_epoch` has not moved, and whose new nodes get the ACLs of their parents.  What is
written and when it has landed is said in `cluster.coordination`, for brokers alike; unlike them
kadmin does not plan anew by itself, since an operator has seen the plan: a conflict is an outcome.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from cluster.coordination import transaction
from cluster.coordination.acls import with_inherited_acls
from cluster.model import outcome
from cluster.model.controller import MigrationState
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import ZkVersion
from cluster.zk import paths
from cluster.zk.controller import decode_migration
from cluster.zk.requests import Check, GetData, Operation
from cluster.zk.steps import Steps, node_in, read
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.runner import run_blocking
from kadmin.errors import RefusedError

LEASE_PATH: Final = "/kadmin/reassignment"
"""Where the lease of throttles stands, below a path of kadmin's own, of which no broker knows."""

RUNS_PATH: Final = "/kadmin/moves"
"""Where the journals of supervised runs stand."""


def run_path(run_id: str) -> str:
    return f"{RUNS_PATH}/{run_id}"


class KRaftOwnsCluster(RefusedError):
    """The cluster is in migration to KRaft: its quorum, not ZooKeeper, has the last word."""

    def __init__(self, kraft_controller_epoch: int) -> None:
        super().__init__(
            "a KRaft controller owns this cluster"
            f" (/controller: kraftControllerEpoch={kraft_controller_epoch});"
            " what is written to ZooKeeper now would be lost",
            hint="give the same command --bootstrap-server HOST:PORT instead of --zookeeper",
        )
        self.kraft_controller_epoch = kraft_controller_epoch


class MigrationWithoutController(RefusedError):
    """A migration to KRaft has begun, and there is no controller for the moment."""

    def __init__(self, migration: MigrationState) -> None:
        super().__init__(
            f"{migration} (/migration), and there is no controller now: if it comes back, what is"
            " written to ZooKeeper is lost",
            hint="start the controllers, and give --bootstrap-server HOST:PORT; 'kadmin migration"
            " rollback-check --fix' removes the /migration of an abandoned attempt",
        )
        self.migration = migration


class ControllerUnreadable(RefusedError):
    """`/controller` cannot be decoded, so it is unknown whether ZooKeeper may be written."""

    def __init__(self, error: CorruptZnodeError) -> None:
        super().__init__(
            f"cannot tell who controls the cluster: {error}",
            hint="look at it with 'kadmin controller'",
        )


def read_fence(connection: Connection) -> Fence:
    """Read under whose control a change is made; to be called before the plan's own reads.

    Raises:
        KRaftOwnsCluster: nothing may be written.
        MigrationWithoutController: nothing should be.
        ControllerUnreadable: `/controller` is damaged, or `/migration` while there is no
            controller.
    """
    try:
        fence = run_blocking(connection, transaction.read_fence())
        migration = run_blocking(connection, read_migration_alone())
    except transaction.KRaftOwnsCluster as error:
        raise KRaftOwnsCluster(error.kraft_controller_epoch) from error
    except CorruptZnodeError as error:
        raise ControllerUnreadable(error) from error
    if migration is not None:
        raise MigrationWithoutController(migration)
    return Fence(mark=fence.epoch_zk_version)


def read_migration_alone() -> Steps[MigrationState | None]:
    """Return a migration that has begun while there is no controller; else None."""
    controller, migration = yield from read(map(GetData, (paths.CONTROLLER, paths.MIGRATION)))
    if controller is not None:
        return None
    node = node_in(paths.MIGRATION, migration)
    found = None if node is None else decode_migration(node)
    return found if found is not None and found.has_begun else None


def write(
    connection: Connection,
    fence: Fence,
    change: Callable[[transaction.Fence], Steps[outcome.Outcome]],
) -> Outcome:
    """Make *change* under *fence*.

    Raises:
        ZooKeeperDenied: an ACL; names the path.
        OutcomeUnknown: the connection stayed lost, or another client has written there since.
        TooLarge: it was lost every time, and the servers' limit is the likely reason.
    """
    mark = None if fence.mark is None else ZkVersion(fence.mark)
    others = []
    if fence.lease is not None:
        others.append(Check(LEASE_PATH, fence.lease))
    if fence.run is not None:
        others.append(Check(run_path(fence.run.run_id), fence.run.zk_version))
        others += [Check(path, zk_version) for path, zk_version in fence.run.lease]
    steps = with_inherited_acls(change(transaction.Fence(mark, tuple(others))))
    return run_blocking(connection, steps)


def commit(connection: Connection, fence: Fence, operations: Sequence[Operation]) -> Outcome:
    """Make all *operations* under *fence*, in their order, or none; see `write`."""
    return write(connection, fence, partial(transaction.commit, operations=operations))
