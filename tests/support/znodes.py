"""How does a snapshot that a test wrote down get into a real ZooKeeper?"""

from cluster.model.admin import Reassignment
from cluster.model.snapshot import ClusterSnapshot
from cluster.zk import paths
from cluster.zk.admin import encode_reassignment
from cluster.zk.brokers import encode_broker
from cluster.zk.configs import encode_config
from cluster.zk.controller import encode_controller, encode_controller_epoch
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.topics import encode_assignment, encode_state
from tests.support.zookeeper import client_of


def znodes_of(snapshot: ClusterSnapshot) -> dict[str, bytes]:
    """Every znode of *snapshot*, parents first."""
    nodes = dict.fromkeys(PERSISTENT_PATHS, b"")
    if snapshot.controller is not None:
        nodes[paths.CONTROLLER] = encode_controller(snapshot.controller)
    if snapshot.controller_epoch is not None:
        nodes[paths.CONTROLLER_EPOCH] = encode_controller_epoch(snapshot.controller_epoch.epoch)
    if snapshot.moving or snapshot.stale_moves:
        nodes[paths.REASSIGN_PARTITIONS] = encode_reassignment(
            Reassignment(targets={**snapshot.moving, **snapshot.stale_moves})
        )
    for broker in snapshot.brokers.values():
        nodes[paths.broker(broker.broker_id)] = encode_broker(broker)
    for topic in snapshot.topics.values():
        nodes[paths.topic_config(topic.name)] = encode_config(topic.config)
        nodes[paths.topic(topic.name)] = encode_assignment(topic.assignment)
        nodes[f"{paths.topic(topic.name)}/partitions"] = b""
        for partition, state in topic.states.items():
            nodes[f"{paths.topic(topic.name)}/partitions/{partition}"] = b""
            nodes[paths.state(topic.name, partition)] = encode_state(state)
        if topic.is_marked_for_deletion:
            nodes[paths.delete_topic(topic.name)] = b""
    return nodes


def write_snapshot(connect: str, snapshot: ClusterSnapshot) -> None:
    """Write *snapshot* below the chroot of *connect*, which is there and empty."""
    with client_of(connect) as client:
        transaction = client.transaction()
        for path, data in znodes_of(snapshot).items():
            transaction.create(path, data)
        for result in transaction.commit():
            assert not isinstance(result, Exception), result


def all_znodes(connect: str) -> dict[str, tuple[bytes | None, int]]:
    """Data and version of every znode below the chroot, to show that nothing was written."""
    found: dict[str, tuple[bytes | None, int]] = {}
    with client_of(connect) as client:
        open_paths = ["/"]
        while open_paths:
            path = open_paths.pop()
            data, stat = client.get(path)
            found[path] = (data, stat.version)
            prefix = path.rstrip("/")
            open_paths += [f"{prefix}/{name}" for name in client.get_children(path)]
    return found
