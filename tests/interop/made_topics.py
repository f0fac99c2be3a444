"""Topics and controllers of real brokers: which of them has heard what ZooKeeper has?"""

from collections.abc import Callable, Sequence
from functools import partial

from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponsePartition,
)
from tests.interop.brokers import RealCluster
from tests.support.cli import done
from tests.support.serving import RawClient
from tests.support.waiting import wait_until

Partitions = Sequence[MetadataResponsePartition]


def create(cluster: RealCluster, topic: str, assignment: str) -> None:
    """Make *topic*, and wait until it is led, as every broker has heard."""
    words = ("topics", "--create", "--topic", topic, "--replica-assignment", assignment)
    done(*words, "--zookeeper", cluster.zookeeper_connect)
    count = len(assignment.split(","))
    wait_until_all_tell(
        cluster,
        topic,
        lambda partitions: len(partitions) == count and all(p.leader_id >= 0 for p in partitions),
    )


def wait_until_all_tell(
    cluster: RealCluster, topic: str, is_so: Callable[[Partitions], bool]
) -> None:
    """Wait until of *topic* every broker tells partitions of which *is_so* is true.

    Each learns by itself what ZooKeeper has, and kadmin may ask any of them.
    """
    for broker_id, broker in cluster.brokers.items():
        if broker.server.is_running:
            wait_until(
                partial(tells, broker.place.port, topic, is_so),
                what=f"broker {broker_id}, which has heard of {topic}",
            )


def wait_until_all_tell_controller(cluster: RealCluster, broker_id: int) -> None:
    """Wait until every broker tells that *broker_id* is the controller."""
    for broker in cluster.brokers.values():
        wait_until(
            partial(tells_controller, broker.place.port, broker_id),
            what=f"controller {broker_id}, of which all have heard",
        )


def tells_controller(port: int, broker_id: int) -> bool:
    """Whether the broker at *port*, of 0.10 or newer, tells that *broker_id* is the controller."""
    with RawClient(port) as client:
        answer = client.ask(ApiKey.METADATA, 1, MetadataRequest([]), MetadataResponse)
    return bool(answer.controller_id == broker_id)


def tells(port: int, topic: str, is_so: Callable[[Partitions], bool]) -> bool:
    return is_so(told(port, topic))


def told(port: int, topic: str) -> Partitions:
    """The partitions of *topic* that the broker at *port* knows; none while it knows none."""
    with RawClient(port) as client:
        # All topics: in this version, which every release speaks, one that is named may be made.
        answer = client.ask(ApiKey.METADATA, 0, MetadataRequest([]), MetadataResponse)
    return next((each.partitions for each in answer.topics if each.name == topic), ())
