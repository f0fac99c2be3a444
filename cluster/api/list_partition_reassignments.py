"""ListPartitionReassignments: which partitions are moving, and between which brokers?

The controller knows; only the request's words are known here.

Source: Kafka's KafkaApis.handleListPartitionReassignmentsRequest.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from cluster.api.controller_slices import submit_in_slices
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.ports import Clock, ControllerPort
from cluster.controller.requests import ListReassignments, ListReassignmentsReply
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.model.topic import PartitionAssignment
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    ListPartitionReassignmentsTopics,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)


def handle(
    clock: Clock, controller: ControllerPort, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    error = ErrorCode.NONE
    assignments: dict[TopicPartition, PartitionAssignment] = {}

    def take(outcome: ListReassignmentsReply) -> bool:
        nonlocal error
        error = outcome.error
        assignments.update(outcome.assignments)
        return error is ErrorCode.NONE

    def done() -> None:
        if error is ErrorCode.NONE:
            reply.in_turns(answered(assignments))
        else:
            reply(ListPartitionReassignmentsResponse(error_code=error))

    def taken(outcome: ListReassignmentsReply) -> None:
        take(outcome)
        done()

    body = cast(ListPartitionReassignmentsRequest, request.body)
    if body.topics is None:
        controller.submit(ListReassignments(None), taken)
    else:
        submit_in_slices(clock, controller, named(body.topics), ListReassignments, take, done)


def named(topics: Iterable[ListPartitionReassignmentsTopics]) -> Iterator[TopicPartition]:
    for topic in topics:
        for index in topic.partition_indexes:
            yield TopicPartition(topic.name, index)


def answered(assignments: Mapping[TopicPartition, PartitionAssignment]) -> Steps:
    topics: dict[str, list[OngoingPartitionReassignment]] = {}
    for partition, assignment in assignments.items():
        topics.setdefault(partition.topic, []).append(
            OngoingPartitionReassignment(partition.partition, *assignment)
        )
        yield
    return ListPartitionReassignmentsResponse(
        topics=tuple(OngoingTopicReassignment(name, found) for name, found in topics.items())
    )
