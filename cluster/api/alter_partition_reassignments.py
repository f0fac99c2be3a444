"""AlterPartitionReassignments: have these partitions begun to move, or to return?

The controller decides; only the request's words are known here.  A partition that is named twice
gets what is said last, as in Kafka.

Source: Kafka's KafkaApis.handleAlterPartitionReassignmentsRequest.
"""

from typing import cast

from cluster.broker.broker import Broker
from cluster.broker.handling import Peer, Reply
from cluster.controller.requests import AlterReassignments, AlterReassignmentsReply
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)


def handle(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(AlterPartitionReassignmentsRequest, request.body)
    targets = {
        TopicPartition(topic.name, partition.partition_index): None
        if partition.replicas is None
        else tuple(map(BrokerId, partition.replicas))
        for topic in body.topics
        for partition in topic.partitions
    }

    def done(outcome: AlterReassignmentsReply) -> None:
        reply(
            AlterPartitionReassignmentsResponse(
                error_code=outcome.error, responses=by_topic(outcome)
            )
        )

    broker.ports.controller.submit(AlterReassignments(targets), done)


def by_topic(outcome: AlterReassignmentsReply) -> tuple[ReassignableTopicResponse, ...]:
    topics: dict[str, list[ReassignablePartitionResponse]] = {}
    for partition, refusal in outcome.refusals.items():
        error, message = (ErrorCode.NONE, None) if refusal is None else refusal
        topics.setdefault(partition.topic, []).append(
            ReassignablePartitionResponse(partition.partition, error, message)
        )
    return tuple(ReassignableTopicResponse(name, found) for name, found in topics.items())
