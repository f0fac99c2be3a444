"""What does the cluster look like now, as its brokers tell it?

The same value that `kadmin.admin.snapshot` makes of ZooKeeper.  What brokers do not tell is
missing in it: epochs and times of registrations and of the controller, and topics that no
controller has taken up yet.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kafka.errors import UnknownTopicOrPartitionError, for_code

from cluster.model.broker import UNKNOWN_FORMAT, BrokerRegistration, Endpoint
from cluster.model.controller import Controller
from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import NO_CONFIG, PartitionAssignment, PartitionState, TopicAssignment
from kadmin.admin.wire.connection import WireConnection

UNKNOWN_EPOCH: Final = ControllerEpoch(-1)


def read_snapshot(connection: WireConnection, *, with_topics: bool = True) -> ClusterSnapshot:
    """Read brokers and controller, and *with_topics* all topics with their states, no configs.

    A broker's endpoint is the one of the listener that was asked, by the name of its protocol.

    Raises:
        KafkaError: a broker's error, which `connect_brokers` translates.
    """
    told = connection.metadata(with_topics=with_topics)
    protocol = connection.settings.protocol
    brokers = sorted(
        (registration(broker, protocol) for broker in told["brokers"]),
        key=lambda broker: broker.broker_id,
    )
    controller = told.get("controller_id")
    topics = told["topics"] if with_topics else ()
    return ClusterSnapshot(
        brokers={broker.broker_id: broker for broker in brokers},
        topics={topic.name: topic for topic in sorted(known_topics(topics), key=lambda t: t.name)},
        # A controller that is being elected has the number -1, and old brokers tell of none.
        controller=None
        if controller is None or controller < 0
        else Controller(broker_id=BrokerId(controller)),
    )


def registration(broker: Mapping[str, Any], protocol: str) -> BrokerRegistration:
    endpoint = Endpoint(
        listener=protocol, security_protocol=protocol, host=broker["host"], port=broker["port"]
    )
    return BrokerRegistration(
        broker_id=BrokerId(broker["node_id"]),
        endpoints=(endpoint,),
        version=UNKNOWN_FORMAT,
        host=endpoint.host,
        port=endpoint.port,
        rack=broker.get("rack"),
    )


def known_topics(told: Iterable[Mapping[str, Any]]) -> Iterable[TopicSnapshot]:
    """The topics that the broker knows; one that is being deleted is gone to it.

    Raises:
        KafkaError: the error that it tells of one, for example that it may not be read.
    """
    for topic in told:
        code = topic["error_code"]
        if code == 0:
            yield topic_snapshot(topic)
        elif code != UnknownTopicOrPartitionError.errno:
            raise for_code(code)(f"topic '{topic['name']}'")


def topic_snapshot(topic: Mapping[str, Any]) -> TopicSnapshot:
    partitions = sorted(topic["partitions"], key=lambda partition: partition["partition_index"])
    return TopicSnapshot(
        name=topic["name"],
        assignment=TopicAssignment(
            partitions={
                part["partition_index"]: PartitionAssignment(brokers_of(part["replica_nodes"]))
                for part in partitions
            }
        ),
        config=NO_CONFIG,
        states={
            part["partition_index"]: PartitionState(
                leader=BrokerId(part["leader_id"]),
                isr=brokers_of(part["isr_nodes"]),
                leader_epoch=LeaderEpoch(part.get("leader_epoch", -1)),
                controller_epoch=UNKNOWN_EPOCH,
            )
            for part in partitions
        },
    )


def brokers_of(numbers: Iterable[int]) -> tuple[BrokerId, ...]:
    return tuple(map(BrokerId, numbers))
