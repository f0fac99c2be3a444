"""Short ways to write snapshots down: `cluster(brokers("0:a 1:b 2"), topic("t", "0,1 1,0"))`."""

from dataclasses import replace
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.config_entity import ConfigOverrides
from cluster.model.controller import Controller, ControllerEpochNode
from cluster.model.ids import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    ZkVersion,
)
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from cluster.model.topic_id import topic_id_text


def ids(text: str) -> tuple[BrokerId, ...]:
    return tuple(BrokerId(int(part)) for part in text.split(",") if part)


def brokers(text: str, version: int = 5) -> dict[BrokerId, BrokerRegistration]:
    """`0:a 1` is broker 0 in rack a and broker 1 without a rack."""
    result = {}
    for item in text.split():
        number, _, rack = item.partition(":")
        broker_id = BrokerId(int(number))
        result[broker_id] = BrokerRegistration(
            broker_id=broker_id,
            endpoints=(
                Endpoint(
                    listener="PLAINTEXT",
                    security_protocol="PLAINTEXT",
                    host="127.0.0.1",
                    port=9092 + broker_id,
                ),
            ),
            version=version,
            rack=rack or None,
            timestamp_ms=1_700_000_000_000,
            broker_epoch=BrokerEpoch(100 + broker_id),
        )
    return result


def assignment(text: str, *, adding: str = "", removing: str = "", version: int = 3):
    """`0,1 -` has two partitions, of which the second has no replicas; *adding* and *removing*
    count for partition 0."""
    parts = [ids("" if part == "-" else part) for part in text.split()]
    return TopicAssignment(
        partitions={
            number: PartitionAssignment(
                replicas,
                ids(adding) if number == 0 else (),
                ids(removing) if number == 0 else (),
            )
            for number, replicas in enumerate(parts)
        },
        version=version,
        topic_id="VcrVJPOVR7SVkgM35bYjEg" if version >= 3 else None,
        zk_version=ZkVersion(0),
    )


def state(leader: int, isr: str, *, leader_recovery_state: int = 0) -> PartitionState:
    return PartitionState(
        leader=BrokerId(leader),
        isr=ids(isr),
        leader_epoch=LeaderEpoch(0),
        controller_epoch=ControllerEpoch(1),
        leader_recovery_state=leader_recovery_state,
        zk_version=ZkVersion(0),
    )


def topic_id_of(name: str) -> str:
    """The id of the topic that `topic` makes of *name*."""
    return topic_id_text(uuid5(NAMESPACE_OID, ascii(name)).bytes)


def topic(
    name: str,
    replicas: str,
    states: dict[int, PartitionState] | None = None,
    *,
    configs: dict[str, str] | None = None,
    marked: bool = False,
    adding: str = "",
    removing: str = "",
) -> TopicSnapshot:
    """A topic; without *states* every partition is led by its first replica, all in the ISR."""
    made = assignment(replicas, adding=adding, removing=removing)
    made = replace(made, topic_id=topic_id_of(name))
    if states is None:
        states = {
            number: state(part.replicas[0], ",".join(map(str, part.replicas)))
            for number, part in made.partitions.items()
            if part.replicas
        }
    return TopicSnapshot(
        name=name,
        assignment=made,
        config=ConfigOverrides(values=configs or {}, zk_version=ZkVersion(0)),
        states=states,
        is_marked_for_deletion=marked,
    )


def cluster(
    live: dict[BrokerId, BrokerRegistration], *topics: TopicSnapshot, **more: Any
) -> ClusterSnapshot:
    return ClusterSnapshot(
        brokers=live,
        topics={topic.name: topic for topic in sorted(topics, key=lambda topic: topic.name)},
        controller=Controller(broker_id=next(iter(live), BrokerId(0)), zk_version=ZkVersion(0)),
        controller_epoch=ControllerEpochNode(ControllerEpoch(1), ZkVersion(1)),
        **more,
    )
