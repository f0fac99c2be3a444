"""ElectLeaders: elects leaders, and waits until clients can see them.

The controller elects; the answer waits until this broker's metadata has the new leaders, up to the
request's timeout.

Source: Kafka's KafkaApis.handleElectLeaders and DelayedElectLeader.
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import cast

from cluster.api.controller_slices import submit_in_slices
from cluster.broker.delayed_metadata import until_metadata_says
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.broker.procedures import Procedure, run
from cluster.controller.requests import ElectionResult, ElectLeaders
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)


class ElectionType(IntEnum):
    """Kafka's; before version 1 there are only preferred elections."""

    PREFERRED = 0
    UNCLEAN = 1


def handle(
    ports: Ports, cache: MetadataCache, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    body = cast(ElectLeadersRequest, request.body)
    if body.election_type not in frozenset(ElectionType):
        error = ErrorCode.INVALID_REQUEST
        result = ElectionResult(error, f"{body.election_type} is no type of election")
        reply.in_turns(answered(((partition, result) for partition in named(body)), error))
        return

    def done(results: Mapping[TopicPartition, ElectionResult]) -> None:
        if body.topic_partitions is None:
            # A request for all wants to know what has changed, and what should have.
            needless = ErrorCode.ELECTION_NOT_NEEDED
            reply.in_turns(
                answered((p, one) for p, one in results.items() if one.error is not needless)
            )
        else:
            reply.in_turns(answered(results.items()))

    run(ports.clock, elect(ports, cache, body), done)


def elect(
    ports: Ports, cache: MetadataCache, body: ElectLeadersRequest
) -> Procedure[dict[TopicPartition, ElectionResult]]:
    """Let the controller elect, and wait until the metadata has the new leaders."""
    deadline_ms = ports.clock.now_ms() + body.timeout_ms
    # The metadata may change between two slices.
    partitions = tuple(known(cache)) if body.topic_partitions is None else named(body)
    is_unclean = body.election_type == ElectionType.UNCLEAN
    replies = yield from submit_in_slices(
        ports.controller, partitions, lambda part: ElectLeaders(part, is_unclean=is_unclean)
    )
    results: dict[TopicPartition, ElectionResult] = {}
    for outcome in replies:
        for partition, result in outcome.results.items():
            # The second of two elections of the same partition is not needed.
            results.setdefault(partition, result)
    awaited = [one for one, result in results.items() if result.error is ErrorCode.NONE]

    def is_known(partition: TopicPartition) -> bool:
        found = cache.find(partition.topic, partition.partition)
        return found is not None and found.leader == results[partition].leader

    def are_known() -> bool:
        # Each is checked until it is there, and not all of them at every update.
        while awaited and is_known(awaited[-1]):
            awaited.pop()
        return not awaited

    if awaited:
        left_ms = deadline_ms - ports.clock.now_ms()
        yield from until_metadata_says(cache, ports.clock, are_known, left_ms)
        for partition in awaited:
            if not is_known(partition):
                results[partition] = ElectionResult(ErrorCode.REQUEST_TIMED_OUT)
    return results


def known(cache: MetadataCache) -> Iterable[TopicPartition]:
    for topic, partitions in cache.topics.items():
        for index in partitions:
            yield TopicPartition(topic, index)


def named(body: ElectLeadersRequest) -> Iterable[TopicPartition]:
    for topic in body.topic_partitions or ():
        for index in topic.partitions:
            yield TopicPartition(topic.topic, index)


def answered(
    results: Iterable[tuple[TopicPartition, ElectionResult]], error: ErrorCode = ErrorCode.NONE
) -> Steps:
    topics: dict[str, list[PartitionResult]] = {}
    for partition, result in results:
        topics.setdefault(partition.topic, []).append(
            PartitionResult(partition.partition, result.error, result.message)
        )
        yield
    return ElectLeadersResponse(
        error_code=error,
        replica_election_results=tuple(
            ReplicaElectionResult(topic, found) for topic, found in topics.items()
        ),
    )
