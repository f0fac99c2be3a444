"""The znodes of a saved cluster, as its controller reads them when it starts."""

from dataclasses import replace
from typing import Final

from cluster.model.admin import Reassignment
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.config_entity import ConfigOverrides
from cluster.model.fault import Thing
from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import PartitionState
from cluster.zk import paths
from cluster.zk.admin import encode_reassignment
from cluster.zk.brokers import encode_broker
from cluster.zk.configs import encode_config
from cluster.zk.controller import encode_controller_epoch
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.topics import encode_assignment, encode_state
from kadmin.simulation.zookeeper import MemoryZooKeeper

REGISTRATION: Final = 5
"""The version of registrations."""


def simulated_part(cluster: ClusterSnapshot) -> tuple[ClusterSnapshot, tuple[str, ...]]:
    """Return *cluster* without the topics of which too little is known, or that are being deleted,
    and what is left out, in sentences."""
    damaged = {
        fault.subject.name.rpartition("-")[0]
        for fault in cluster.faults
        if fault.subject.thing is Thing.PARTITION_STATE
    }
    notes = [
        fault.text
        for fault in cluster.faults
        if fault.subject.thing
        in (Thing.BROKERS, Thing.BROKER, Thing.TOPICS, Thing.TOPIC, Thing.PARTITION_STATE)
    ]
    deleted = {name for name, topic in cluster.topics.items() if topic.is_marked_for_deletion}
    notes += (f"topic '{name}' is being deleted" for name in sorted(deleted))
    topics = {
        name: topic for name, topic in cluster.topics.items() if name not in damaged | deleted
    }
    moving = {each: target for each, target in cluster.moving.items() if each.topic in topics}
    return replace(cluster, topics=topics, moving=moving), tuple(notes)


def znodes_of(cluster: ClusterSnapshot) -> MemoryZooKeeper:
    """Return the znodes of *cluster*; registrations come first, so that no broker seems to have
    started again since a state was written."""
    zookeeper = MemoryZooKeeper()
    for path in PERSISTENT_PATHS:
        zookeeper.put(path)
    for broker in cluster.brokers.values():
        register(zookeeper, broker.broker_id, broker.rack)
    epochs = [
        state.controller_epoch
        for topic in cluster.topics.values()
        for state in topic.states.values()
    ]
    known = cluster.controller_epoch
    newest = max(0, *epochs, 0) if known is None else known.epoch
    zookeeper.put(paths.CONTROLLER_EPOCH, encode_controller_epoch(ControllerEpoch(newest)))
    for topic in cluster.topics.values():
        if topic.config.values:
            config = ConfigOverrides(values=topic.config.values)
            zookeeper.put(paths.topic_config(topic.name), encode_config(config))
        zookeeper.put(paths.topic(topic.name), encode_assignment(topic.assignment))
        for number, state in topic.states.items():
            zookeeper.put(paths.state(topic.name, number), encode_state(decided(state)))
    if cluster.moving:
        request = encode_reassignment(Reassignment(targets=cluster.moving))
        zookeeper.put(paths.REASSIGN_PARTITIONS, request)
    return zookeeper


def decided(state: PartitionState) -> PartitionState:
    """Return *state* with epochs that a znode can have; brokers do not return all of them."""
    return state._replace(
        leader_epoch=LeaderEpoch(max(0, state.leader_epoch)),
        controller_epoch=ControllerEpoch(max(0, state.controller_epoch)),
    )


def register(zookeeper: MemoryZooKeeper, broker_id: BrokerId, rack: str | None) -> None:
    endpoint = Endpoint(
        listener="PLAINTEXT", security_protocol="PLAINTEXT", host="simulated", port=9092
    )
    registration = BrokerRegistration(
        broker_id=broker_id, endpoints=(endpoint,), version=REGISTRATION, rack=rack
    )
    zookeeper.put(paths.broker(broker_id), encode_broker(registration))


def unregister(zookeeper: MemoryZooKeeper, broker_id: BrokerId) -> None:
    zookeeper.remove(paths.broker(broker_id))
