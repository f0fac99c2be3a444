"""What a broker creates and reads in ZooKeeper before it registers."""

from collections.abc import Collection, Iterable

from cluster.model.cluster import ClusterId
from cluster.model.ids import MATCH_ANY, BrokerId
from cluster.zk import paths
from cluster.zk.brokers import generated_broker_id
from cluster.zk.cluster import decode_cluster_id, encode_cluster_id
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import (
    Check,
    Create,
    Delete,
    Lost,
    Multi,
    MultiDone,
    MultiFailed,
    SetData,
    ZkError,
)
from cluster.zk.steps import Refusal, Steps, multi_in, read_each, read_node, write_each


def make_layout() -> Steps[None]:
    """Create the missing nodes of an empty cluster."""
    yield from make_each(map(Create, PERSISTENT_PATHS))


def read_cluster_id(drawn: str) -> Steps[str]:
    """The cluster's id, which becomes *drawn* if there was none.

    Raises:
        CorruptZnodeError: the stored value is no id.
    """
    node = yield from read_node(paths.CLUSTER_ID)
    while node is None:
        data = encode_cluster_id(ClusterId(cluster_id=drawn))
        yield from make_each((Create(paths.CLUSTER), Create(paths.CLUSTER_ID, data)))
        # Another broker may have been faster: the stored id counts.
        node = yield from read_node(paths.CLUSTER_ID)
    return decode_cluster_id(node).cluster_id


def make_each(creates: Iterable[Create]) -> Steps[None]:
    """Create the missing nodes, parents before children.

    Raises:
        Refusal: one could not be created.
    """
    pending = tuple(creates)
    made: set[str] = set()
    while pending:
        replies = yield from write_each(Multi((create,)) for create in pending)
        orphans = []
        for create, reply in zip(pending, replies, strict=True):
            if isinstance(reply, MultiDone) or reply.error is ZkError.NODE_EXISTS:
                made.add(create.path)
            elif reply.error is ZkError.NO_NODE:
                orphans.append(create)
            else:
                raise Refusal(f"{create.path}: {reply.error.name}")
        # Where the request for a parent was lost, it was repeated after its children's.
        for orphan in orphans:
            if orphan.path.rpartition("/")[0] not in made.union(each.path for each in orphans):
                raise Refusal(f"{orphan.path}: {ZkError.NO_NODE.name}")
        pending = tuple(orphans)


def new_broker_id(reserved_id_max: int) -> Steps[BrokerId]:
    """An id that no broker has had, above those that operators configure.

    A lost reply wastes an id, of which there are enough.
    """
    draw = Multi((SetData(paths.BROKER_SEQUENCE, b"", MATCH_ANY),))
    (reply,) = yield from write_each((draw,))
    if isinstance(reply, MultiFailed):
        raise Refusal(f"{paths.BROKER_SEQUENCE}: {reply.error.name}")
    return generated_broker_id(reply.zk_versions[0], reserved_id_max)


def remove_stale_controller(earlier_sessions: Collection[int]) -> Steps[bool]:
    """Remove `/controller` if one of *earlier_sessions* created it, so that an election starts now.

    Returns whether it existed and is removed.  The check of the epoch, which was read first, keeps
    a controller that was elected in between: its node may have the same version as the one that was
    read.
    """
    while earlier_sessions:
        epoch, node = yield from read_each((paths.CONTROLLER_EPOCH, paths.CONTROLLER))
        if epoch is None or node is None or node.ephemeral_owner not in earlier_sessions:
            return False
        check = Check(epoch.path, epoch.zk_version)
        (reply,) = yield (Multi((check, Delete(node.path, node.zk_version))),)
        if not isinstance(reply, Lost):
            return isinstance(multi_in(reply), MultiDone)
    return False
