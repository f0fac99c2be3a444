"""StopReplica: which replicas shall end, and which of them lose their data?"""

from collections.abc import Iterator
from typing import cast

from cluster.api import orders
from cluster.broker.broker import Broker
from cluster.broker.control.queue import LIGHT_SLICE_SIZE, Turn, in_slices, throw_again
from cluster.broker.control.replica_stops import ANY_EPOCH, Stop, Stopped
from cluster.broker.handling import Peer, Reply, Steps
from cluster.model.ids import TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.stop_replica import (
    StopReplicaPartitionError,
    StopReplicaRequest,
    StopReplicaResponse,
)


def handle(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    """Obey in turn."""
    body = cast(StopReplicaRequest, request.body)
    topics = [(topic.name, len(topic.partition_indexes)) for topic in body.topics]
    topics += [(topic.topic_name, len(topic.partition_states)) for topic in body.topic_states]
    if orders.is_answer_too_long(topics):
        reply.close(orders.TOO_LONG)
        return
    orders.take(broker, request, reply, obey)


def obey(broker: Broker, request: RequestFrame, reply: Reply, turn: Turn) -> None:
    """Read all that is said, and then do it."""
    body = cast(StopReplicaRequest, request.body)
    tag = orders.tag_of(broker.broker_id, request)

    stops: list[Stop] = []

    def done(stopped: Stopped) -> None:
        reply.in_turns(answer(stopped))

    in_slices(
        broker.ports.clock,
        turn,
        stops_of(body),
        stops.append,
        throw_again,
        lambda: broker.replica_stops.stop(tag, body.broker_epoch, stops, done, turn),
        size=LIGHT_SLICE_SIZE,
    )


def answer(stopped: Stopped) -> Steps:
    errors: list[StopReplicaPartitionError] = []
    for of, code in stopped.errors:
        errors.append(StopReplicaPartitionError(of.topic, of.partition, code))
        yield
    return StopReplicaResponse(stopped.error, errors)


def stops_of(body: StopReplicaRequest) -> Iterator[Stop]:
    """The partitions, in whichever of its three forms the request has them."""
    for named in body.ungrouped_partitions:
        partition = TopicPartition(named.topic_name, named.partition_index)
        yield Stop(partition, ANY_EPOCH[0], body.delete_partitions)
    for topic in body.topics:
        for index in topic.partition_indexes:
            partition = TopicPartition(topic.name, index)
            yield Stop(partition, ANY_EPOCH[0], body.delete_partitions)
    for grouped in body.topic_states:
        for state in grouped.partition_states:
            partition = TopicPartition(grouped.topic_name, state.partition_index)
            yield Stop(partition, state.leader_epoch, state.delete_partition)
