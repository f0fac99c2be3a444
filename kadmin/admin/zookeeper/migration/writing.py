"""The one write of a rollback, in one transaction that checks what it was planned from.

Every other write of kadmin is refused while a KRaft controller owns the cluster; this one takes the
cluster back from it, once all KRaft controllers are stopped.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from cluster.coordination import transaction
from cluster.model.ids import ControllerEpoch
from cluster.zk import paths
from cluster.zk.controller import encode_controller_epoch
from cluster.zk.requests import Check, Delete, GetData, Operation, SetData
from cluster.zk.steps import Steps, read
from cluster.zk.znode import Znode
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.transaction import write
from kadmin.errors import RefusedError
from kadmin.plan.migration.rollback import Fix

ALIVE_S: Final = 2.0
"""A running KRaft controller writes `/migration` at least twice in this time, since an idle quorum
appends a record each half second."""


class ControllersRun(RefusedError):
    """A KRaft controller writes to ZooKeeper while the cluster is to be taken from it."""

    def __init__(self) -> None:
        super().__init__(
            "a KRaft controller is running: /migration was written while it was watched; nothing"
            " was written",
            hint="stop all KRaft controllers, then run the command again",
        )


class RollbackWriter:
    """The `Writer` of a `Fix`; *wait* waits for so many seconds."""

    def __init__(self, connection: Connection, wait: Callable[[float], None]) -> None:
        self.connection = connection
        self.wait = wait

    def fence(self) -> Fence:
        """Read `/controller_epoch`, also where KRaft owns the cluster.

        Raises:
            ControllersRun: a KRaft controller is alive.
        """
        before, mark = self.connection.read(read_versions())
        if before is not None:
            self.wait(ALIVE_S)
            after, mark = self.connection.read(read_versions())
            if before != after:
                raise ControllersRun
        return Fence(mark=mark)

    def write(self, fence: Fence, plan: Fix) -> Outcome:
        operations = operations_of(plan)
        return write(self.connection, fence, partial(transaction.commit, operations=operations))


def read_versions() -> Steps[tuple[int | None, int | None]]:
    """Return the versions of `/migration` and `/controller_epoch`; None for one that is missing."""
    replies = yield from read(map(GetData, (paths.MIGRATION, paths.CONTROLLER_EPOCH)))
    migration, epoch = (reply.zk_version if isinstance(reply, Znode) else None for reply in replies)
    return migration, epoch


def operations_of(plan: Fix) -> list[Operation]:
    """Return the operations of *plan*; the epoch comes first, so that no broker is elected under
    the old one."""
    found: list[Operation] = []
    if plan.epoch is None:
        found.append(Check(paths.CONTROLLER_EPOCH, plan.epoch_zk_version))
    else:
        data = encode_controller_epoch(ControllerEpoch(plan.epoch))
        found.append(SetData(paths.CONTROLLER_EPOCH, data, plan.epoch_zk_version))
    if plan.controller_zk_version is not None:
        found.append(Delete(paths.CONTROLLER, plan.controller_zk_version))
    if plan.migration_zk_version is not None:
        found.append(Delete(paths.MIGRATION, plan.migration_zk_version))
    return found
