"""The id of the cluster, which brokers of Kafka compare with the one in their log directories."""

from cluster.model.errors import CorruptZnodeError
from cluster.model.fault import Fault
from cluster.zk import paths
from cluster.zk.cluster import decode_cluster_id
from cluster.zk.steps import Steps, read_node
from kadmin.admin.zookeeper.faults import faults_of


def read_cluster_id() -> Steps[str | None]:
    node = yield from read_node(paths.CLUSTER_ID)
    try:
        return None if node is None else decode_cluster_id(node).cluster_id
    except CorruptZnodeError:
        return None


def cluster_id_faults() -> Steps[tuple[Fault, ...]]:
    """Return why the cluster's id cannot be understood, in which case no broker of Kafka starts.

    Empty where there is no id.
    """
    node = yield from read_node(paths.CLUSTER_ID)
    try:
        if node is not None:
            decode_cluster_id(node)
    except CorruptZnodeError as error:
        return faults_of((error,))
    return ()
