"""ElectLeaders: have these partitions other leaders now?

The controller elects; the answer waits until this broker tells clients of the new leaders, as far
as the request's time allows.

Source: Kafka's KafkaApis.handleElectLeaders and DelayedElectLeader.
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import cast

from cluster.broker.broker import Broker
from cluster.broker.delayed_metadata import when_metadata_says
from cluster.broker.handling import Peer, Reply
from cluster.controller.requests import ElectionResult, ElectLeaders, ElectLeadersReply
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


def handle(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(ElectLeadersRequest, request.body)
    names_all = body.topic_partitions is None
    partitions = tuple(known(broker) if names_all else named(body))
    clock = broker.ports.clock
    deadline_ms = clock.now_ms() + body.timeout_ms

    def done(outcome: ElectLeadersReply) -> None:
        elected = {
            partition: result.leader
            for partition, result in outcome.results.items()
            if result.error is ErrorCode.NONE
        }
        if not elected:
            answer(outcome.results)
            return

        def is_told(partition: TopicPartition) -> bool:
            found = broker.cache.find(partition.topic, partition.partition)
            return found is not None and found.leader == elected[partition]

        def told(_: bool) -> None:
            late = {
                partition: ElectionResult(ErrorCode.REQUEST_TIMED_OUT)
                for partition in elected
                if not is_told(partition)
            }
            answer({**outcome.results, **late})

        left_ms = deadline_ms - clock.now_ms()
        when_metadata_says(broker, lambda: all(map(is_told, elected)), left_ms, told)

    def answer(results: Mapping[TopicPartition, ElectionResult]) -> None:
        if names_all:
            # Whoever asks for all wants to know what has changed, and what should have.
            needless = ErrorCode.ELECTION_NOT_NEEDED
            results = {p: result for p, result in results.items() if result.error is not needless}
        reply(ElectLeadersResponse(replica_election_results=by_topic(results)))

    if body.election_type not in frozenset(ElectionType):
        error = ErrorCode.INVALID_REQUEST
        result = ElectionResult(error, f"{body.election_type} is no type of election")
        results = dict.fromkeys(named(body), result)
        reply(ElectLeadersResponse(error_code=error, replica_election_results=by_topic(results)))
        return
    is_unclean = body.election_type == ElectionType.UNCLEAN
    broker.ports.controller.submit(ElectLeaders(partitions, is_unclean=is_unclean), done)


def known(broker: Broker) -> Iterable[TopicPartition]:
    for topic, partitions in broker.cache.topics.items():
        for index in partitions:
            yield TopicPartition(topic, index)


def named(body: ElectLeadersRequest) -> Iterable[TopicPartition]:
    for topic in body.topic_partitions or ():
        for index in topic.partitions:
            yield TopicPartition(topic.topic, index)


def by_topic(
    results: Mapping[TopicPartition, ElectionResult],
) -> tuple[ReplicaElectionResult, ...]:
    topics: dict[str, list[PartitionResult]] = {}
    for partition, result in results.items():
        topics.setdefault(partition.topic, []).append(
            PartitionResult(partition.partition, result.error, result.message)
        )
    return tuple(ReplicaElectionResult(topic, found) for topic, found in topics.items())
