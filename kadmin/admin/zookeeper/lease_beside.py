"""The lease of throttles in ZooKeeper, for a command that asks brokers."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from kadmin.errors import KadminError

if TYPE_CHECKING:
    from kadmin.admin.ports import Fence, Outcome
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.plan.reassignment.journal import ThrottleJournal


class LeaseBeside:
    """A `kadmin.admin.ports.LeaseKeeper`.

    *connect* opens a session of the connect string that brokers name: one for each read and write,
    since the command may wait for hours in between.
    """

    def __init__(self, connect: "Callable[[str], AbstractContextManager[Connection]]") -> None:
        self.connect = connect
        self.zookeeper = ""
        self.fence: Fence | None = None
        self.is_given_up = False

    def read(self, zookeeper: str, cluster_id: str) -> "ThrottleJournal | None":
        # kazoo is large, and most commands need it for nothing.
        from kadmin.admin.zookeeper.cluster_id import read_cluster_id
        from kadmin.admin.zookeeper.throttle_journal import JournalUnreadable, read_journal
        from kadmin.admin.zookeeper.transaction import read_fence

        if self.is_given_up:
            return None
        self.zookeeper = zookeeper
        try:
            with self.connect(zookeeper) as connection:
                # What brokers call localhost may be another cluster's ZooKeeper here.
                if connection.read(read_cluster_id()) == cluster_id:
                    self.fence = read_fence(connection)
                    return connection.read(read_journal())
        except JournalUnreadable:
            raise
        # Brokers take connect strings that kadmin does not.
        except (KadminError, ValueError):
            pass
        self.is_given_up = True
        return None

    def write(self, journal: "ThrottleJournal") -> "Outcome | None":
        from cluster.model.outcome import Committed
        from kadmin.admin.zookeeper.connection import ZooKeeperDenied
        from kadmin.admin.zookeeper.runner import run_blocking
        from kadmin.admin.zookeeper.throttle_journal import journal_writes
        from kadmin.admin.zookeeper.transaction import commit

        assert self.fence is not None
        try:
            with self.connect(self.zookeeper) as connection:
                operations = run_blocking(connection, journal_writes(journal))
                return commit(connection, self.fence, operations) if operations else Committed()
        except ZooKeeperDenied:
            self.is_given_up = True
            return None
