"""AlterPartitionReassignments: have these partitions begun to move, or to return?

The controller decides; only the request's words are known here.  A partition that is named twice
gets what is said last, as in Kafka.

Source: Kafka's KafkaApis.handleAlterPartitionReassignmentsRequest.
"""

from collections.abc import Mapping
from typing import cast

from cluster.api.controller_slices import submit_in_slices
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.ports import Clock, ControllerPort
from cluster.controller.requests import AlterReassignments, AlterReassignmentsReply
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)


def handle(
    clock: Clock, controller: ControllerPort, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    body = cast(AlterPartitionReassignmentsRequest, request.body)
    targets = {
        TopicPartition(topic.name, partition.partition_index): None
        if partition.replicas is None
        else tuple(map(BrokerId, partition.replicas))
        for topic in body.topics
        for partition in topic.partitions
    }

    error = ErrorCode.NONE
    refusals: dict[TopicPartition, ApiError | None] = {}

    def take(outcome: AlterReassignmentsReply) -> bool:
        nonlocal error
        error = outcome.error
        refusals.update(outcome.refusals)
        return error is ErrorCode.NONE

    def done() -> None:
        if error is ErrorCode.NONE:
            reply.in_turns(answered(refusals))
        else:
            reply(AlterPartitionReassignmentsResponse(error_code=error))

    submit_in_slices(
        clock, controller, targets.items(), lambda part: AlterReassignments(dict(part)), take, done
    )


def answered(refusals: Mapping[TopicPartition, ApiError | None]) -> Steps:
    topics: dict[str, list[ReassignablePartitionResponse]] = {}
    for partition, refusal in refusals.items():
        error, message = (ErrorCode.NONE, None) if refusal is None else refusal
        topics.setdefault(partition.topic, []).append(
            ReassignablePartitionResponse(partition.partition, error, message)
        )
        yield
    return AlterPartitionReassignmentsResponse(
        responses=tuple(ReassignableTopicResponse(name, found) for name, found in topics.items())
    )
