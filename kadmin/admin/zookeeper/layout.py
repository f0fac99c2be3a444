"""Which of the znodes that brokers make when they start are not there yet?"""

from collections.abc import Sequence

from cluster.zk.layout import PERSISTENT_PATHS
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.transaction import Committed, CreateNode, Fence, Outcome, commit


def missing_paths(connection: Connection) -> tuple[str, ...]:
    """Those of Kafka's own paths that are missing, parents before children."""
    nodes = connection.read(PERSISTENT_PATHS)
    return tuple(path for path, node in zip(PERSISTENT_PATHS, nodes, strict=True) if node is None)


def make_paths(connection: Connection, fence: Fence, missing: Sequence[str]) -> Outcome:
    """Create *missing* with null data, as a broker does; nothing is fine."""
    if not missing:
        return Committed()
    return commit(connection, fence, [CreateNode(path=path, data=None) for path in missing])
