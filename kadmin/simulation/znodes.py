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
from cluster.model.topic_config_specs import UNCLEAN_LEADER_ELECTION
from cluster.model.topic_name import topic_name_problem
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

EPOCH_MAX: Final = 2**31 - 1000
"""More elections than one simulation has fit above it."""


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
    # No controller takes these up, whose paths would be others.
    problems = {name: problem for name in topics if (problem := topic_name_problem(name))}
    notes += problems.values()
    topics = {name: topic for name, topic in topics.items() if name not in problems}
    moving = {each: target for each, target in cluster.moving.items() if each.topic in topics}
    return replace(cluster, topics=topics, moving=moving), tuple(notes)


def znodes_of(cluster: ClusterSnapshot) -> MemoryZooKeeper:
    """Return the znodes of *cluster*; registrations come first, so that no broker seems to have
    started again since a state was written."""
    zookeeper = MemoryZooKeeper()
    for path in PERSISTENT_PATHS:
        zookeeper.put(path)
    for broker in cluster.brokers.values():
        register(zookeeper, broker.broker_id)
    epochs = [
        state.controller_epoch
        for topic in cluster.topics.values()
        for state in topic.states.values()
    ]
    known = cluster.controller_epoch
    newest = max(0, *epochs, 0) if known is None else known.epoch
    zookeeper.put(
        paths.CONTROLLER_EPOCH, encode_controller_epoch(ControllerEpoch(min(newest, EPOCH_MAX)))
    )
    for topic in cluster.topics.values():
        # The only one by which a controller decides.
        unclean = topic.config.values.get(UNCLEAN_LEADER_ELECTION)
        if unclean is not None:
            config = ConfigOverrides(values={UNCLEAN_LEADER_ELECTION: unclean})
            zookeeper.put(paths.topic_config(topic.name), encode_config(config))
        assignment = replace(topic.assignment, topic_id=None)
        zookeeper.put(paths.topic(topic.name), encode_assignment(assignment))
        for number, state in topic.states.items():
            zookeeper.put(paths.state(topic.name, number), encode_state(decided(state)))
    if cluster.moving:
        request = encode_reassignment(Reassignment(targets=cluster.moving))
        zookeeper.put(paths.REASSIGN_PARTITIONS, request)
    return zookeeper


def decided(state: PartitionState) -> PartitionState:
    """Return *state* with epochs that a znode can have and that can grow; brokers do not return all
    of them."""
    return state._replace(
        leader_epoch=LeaderEpoch(min(max(0, state.leader_epoch), EPOCH_MAX)),
        controller_epoch=ControllerEpoch(min(max(0, state.controller_epoch), EPOCH_MAX)),
    )


def register(zookeeper: MemoryZooKeeper, broker_id: BrokerId) -> None:
    """Register a broker without its rack, by which no controller decides."""
    endpoint = Endpoint(
        listener="PLAINTEXT", security_protocol="PLAINTEXT", host="simulated", port=9092
    )
    registration = BrokerRegistration(
        broker_id=broker_id, endpoints=(endpoint,), version=REGISTRATION
    )
    zookeeper.put(paths.broker(broker_id), encode_broker(registration))


def unregister(zookeeper: MemoryZooKeeper, broker_id: BrokerId) -> None:
    zookeeper.remove(paths.broker(broker_id))
