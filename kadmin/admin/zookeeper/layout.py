"""The znodes that brokers make when they start: which are not there yet?"""

from collections.abc import Sequence

from cluster.model.outcome import Committed
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import Create
from cluster.zk.steps import read_each
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.transaction import commit, read_fence


class ZooKeeperLayout:
    """Kafka's own paths in a ZooKeeper; a plan to write is the paths to create."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def missing(self) -> tuple[str, ...]:
        """Return those paths that are missing, parents before children."""
        nodes = self.connection.read(read_each(PERSISTENT_PATHS))
        return tuple(
            path for path, node in zip(PERSISTENT_PATHS, nodes, strict=True) if node is None
        )

    def fence(self) -> Fence:
        return read_fence(self.connection)

    def write(self, fence: Fence, plan: Sequence[str]) -> Outcome:
        """Create the paths of *plan* with null data, as a broker does; nothing is fine."""
        if not plan:
            return Committed()
        return commit(self.connection, fence, list(map(Create, plan)))
