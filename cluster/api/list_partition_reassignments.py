"""ListPartitionReassignments: which partitions are moving, and between which brokers?

The controller knows; only the request's words are known here.

Source: Kafka's KafkaApis.handleListPartitionReassignmentsRequest.
"""

from typing import cast

from cluster.broker.broker import Broker
from cluster.broker.handling import Peer, Reply
from cluster.controller.requests import ListReassignments, ListReassignmentsReply
from cluster.model.ids import TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)


def handle(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    def done(outcome: ListReassignmentsReply) -> None:
        reply(
            ListPartitionReassignmentsResponse(error_code=outcome.error, topics=by_topic(outcome))
        )

    asked = named(cast(ListPartitionReassignmentsRequest, request.body))
    broker.ports.controller.submit(ListReassignments(asked), done)


def named(body: ListPartitionReassignmentsRequest) -> tuple[TopicPartition, ...] | None:
    """The partitions that are asked for; None for all."""
    if body.topics is None:
        return None
    return tuple(
        TopicPartition(topic.name, index)
        for topic in body.topics
        for index in topic.partition_indexes
    )


def by_topic(outcome: ListReassignmentsReply) -> tuple[OngoingTopicReassignment, ...]:
    topics: dict[str, list[OngoingPartitionReassignment]] = {}
    for partition, assignment in outcome.assignments.items():
        topics.setdefault(partition.topic, []).append(
            OngoingPartitionReassignment(partition.partition, *assignment)
        )
    return tuple(OngoingTopicReassignment(name, found) for name, found in topics.items())
