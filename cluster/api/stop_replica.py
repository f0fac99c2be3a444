"""StopReplica: stops replicas, and deletes the logs of some."""

from collections.abc import Iterator
from typing import cast

from cluster.api.orders import TOO_LONG, is_answer_too_long, sender_of, take
from cluster.broker.control.fences import Sender
from cluster.broker.control.orders import Orders
from cluster.broker.control.queue import LIGHT
from cluster.broker.control.replica_stops import ANY_EPOCH, ReplicaStops, Stop, Stopped
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.procedures import Procedure
from cluster.model.ids import TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.stop_replica import (
    StopReplicaPartitionError,
    StopReplicaRequest,
    StopReplicaResponse,
)


def handle(
    orders: Orders, replica_stops: ReplicaStops, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    """Queue the order."""
    body = cast(StopReplicaRequest, request.body)
    topics = [(topic.name, len(topic.partition_indexes)) for topic in body.topics]
    topics += [(topic.topic_name, len(topic.partition_states)) for topic in body.topic_states]
    if is_answer_too_long(topics):
        reply.close(TOO_LONG)
        return
    take(orders, request, reply, obey(replica_stops, sender_of(orders, request), body, reply))


def obey(
    replica_stops: ReplicaStops, sender: Sender, body: StopReplicaRequest, reply: Reply
) -> Procedure[None]:
    """Read the whole order, and then carry it out."""
    stops: list[Stop] = []
    for stop in stops_of(body):
        yield LIGHT
        stops.append(stop)
    reply.in_turns(answer((yield from replica_stops.stop(sender, stops))))


def answer(stopped: Stopped) -> Steps:
    errors: list[StopReplicaPartitionError] = []
    for of, code in stopped.errors:
        errors.append(StopReplicaPartitionError(of.topic, of.partition, code))
        yield
    return StopReplicaResponse(stopped.error, errors)


def stops_of(body: StopReplicaRequest) -> Iterator[Stop]:
    """Yield the partitions, from any of the request's three forms."""
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
