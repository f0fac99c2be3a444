"""AlterPartitionReassignments: begins or cancels reassignments.

The controller decides; only the format of the request is handled here.  If a partition is named
twice, the last entry counts, as in Kafka.

Source: Kafka's KafkaApis.handleAlterPartitionReassignmentsRequest.
"""

from collections.abc import Mapping
from itertools import chain
from typing import cast

from cluster.api.controller_slices import submit_in_slices
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.ports import Ports
from cluster.broker.procedures import run
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


def handle(ports: Ports, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(AlterPartitionReassignmentsRequest, request.body)
    targets = {
        TopicPartition(topic.name, partition.partition_index): None
        if partition.replicas is None
        else tuple(map(BrokerId, partition.replicas))
        for topic in body.topics
        for partition in topic.partitions
    }

    def done(replies: list[AlterReassignmentsReply]) -> None:
        error = replies[-1].error
        if error is ErrorCode.NONE:
            reply.in_turns(answered(dict(chain(*(one.refusals.items() for one in replies)))))
        else:
            reply(AlterPartitionReassignmentsResponse(error_code=error))

    asking = submit_in_slices(
        ports.controller,
        targets.items(),
        lambda part: AlterReassignments(dict(part)),
        lambda reply: reply.error is not ErrorCode.NONE,
    )
    run(ports.clock, asking, done)


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
