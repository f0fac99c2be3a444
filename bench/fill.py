"""Fills a ZooKeeper with the znodes of a large cluster, as a controller would have left them."""

from collections.abc import Iterator
from itertools import islice

from kazoo.client import KazooClient

from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.config_entity import ConfigOverrides
from cluster.model.controller import Controller
from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch
from cluster.model.placement import Placement
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from cluster.zk import paths
from cluster.zk.brokers import encode_broker
from cluster.zk.configs import encode_config
from cluster.zk.controller import encode_controller, encode_controller_epoch
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.topics import encode_assignment, encode_state
from kadmin.plan.place import place

OPERATIONS_PER_TRANSACTION = 400
"""This many creates stay below jute.maxbuffer (1 MiB)."""


def cluster_znodes(
    brokers: int, topics: int, partitions: int, replication_factor: int
) -> Iterator[tuple[str, bytes]]:
    """Every znode of the cluster, parents first; every thousandth partition is under-replicated."""
    yield from ((path, b"") for path in PERSISTENT_PATHS)
    ids = [BrokerId(number) for number in range(brokers)]
    yield paths.CONTROLLER, encode_controller(Controller(broker_id=ids[0], timestamp_ms=0))
    yield paths.CONTROLLER_EPOCH, encode_controller_epoch(ControllerEpoch(1))
    for broker_id in ids:
        yield paths.broker(broker_id), encode_broker(registration(broker_id))
    count = 0
    for number in range(topics):
        name = f"topic-{number:05d}"
        placement = Placement(start_index=number % brokers, shift=number % brokers)
        layout = place(
            {broker_id: f"rack{broker_id % 3}" for broker_id in ids},
            partition_count=partitions,
            replication_factor=replication_factor,
            placement=placement,
        )
        assignment = TopicAssignment(
            partitions={key: PartitionAssignment(value) for key, value in layout.items()},
            topic_id=f"{number:022d}",
        )
        yield (
            paths.topic_config(name),
            encode_config(ConfigOverrides(values={"retention.ms": "60000"})),
        )
        yield paths.topic(name), encode_assignment(assignment)
        yield f"{paths.topic(name)}/partitions", b""
        for partition, replicas in layout.items():
            count += 1
            isr = replicas[:-1] if count % 1000 == 0 else replicas
            state = PartitionState(
                leader=replicas[0],
                isr=isr,
                leader_epoch=LeaderEpoch(0),
                controller_epoch=ControllerEpoch(1),
            )
            yield f"{paths.topic(name)}/partitions/{partition}", b""
            yield paths.state(name, partition), encode_state(state)


def registration(broker_id: BrokerId) -> BrokerRegistration:
    endpoint = Endpoint(
        listener="PLAINTEXT", security_protocol="PLAINTEXT", host="127.0.0.1", port=9092 + broker_id
    )
    return BrokerRegistration(
        broker_id=broker_id,
        endpoints=(endpoint,),
        version=5,
        host="127.0.0.1",
        port=9092 + broker_id,
        rack=f"rack{broker_id % 3}",
        timestamp_ms=0,
    )


def fill(connect: str, znodes: Iterator[tuple[str, bytes]]) -> int:
    """Create *znodes* below the chroot of *connect*, which is created; returns their number."""
    client = KazooClient(hosts=connect, timeout=30)
    client.start()
    try:
        client.ensure_path("/")
        total = 0
        while batch := list(islice(znodes, OPERATIONS_PER_TRANSACTION)):
            transaction = client.transaction()
            for path, data in batch:
                transaction.create(path, data)
            for result in transaction.commit():
                if isinstance(result, Exception):
                    raise result
            total += len(batch)
        return total
    finally:
        client.stop()
        client.close()
