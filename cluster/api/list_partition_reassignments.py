"""ListPartitionReassignments: returns the ongoing reassignments.

The controller has them; only the format of the request is handled here.

Source: Kafka's KafkaApis.handleListPartitionReassignmentsRequest.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import cast

from cluster.api.controller_slices import submit_in_slices
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.ports import Ports
from cluster.broker.procedures import run
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


def handle(ports: Ports, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    def done(replies: list[ListReassignmentsReply]) -> None:
        error = replies[-1].error
        if error is ErrorCode.NONE:
            reply.in_turns(answered(dict(chain(*(one.assignments.items() for one in replies)))))
        else:
            reply(ListPartitionReassignmentsResponse(error_code=error))

    body = cast(ListPartitionReassignmentsRequest, request.body)
    if body.topics is None:
        ports.controller.submit(ListReassignments(None), lambda outcome: done([outcome]))
        return
    asking = submit_in_slices(
        ports.controller,
        named(body.topics),
        ListReassignments,
        lambda reply: reply.error is not ErrorCode.NONE,
    )
    run(ports.clock, asking, done)


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
