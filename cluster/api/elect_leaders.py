"""ElectLeaders: have these partitions other leaders now?

The controller elects; the answer waits until this broker tells clients of the new leaders, as far
as the request's time allows.

Source: Kafka's KafkaApis.handleElectLeaders and DelayedElectLeader.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import cast

from cluster.api.controller_slices import submit_in_slices
from cluster.broker.delayed_metadata import when_metadata_says
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Clock, ControllerPort
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


def handle(
    clock: Clock,
    controller: ControllerPort,
    cache: MetadataCache,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> None:
    body = cast(ElectLeadersRequest, request.body)
    if body.election_type not in frozenset(ElectionType):
        error = ErrorCode.INVALID_REQUEST
        result = ElectionResult(error, f"{body.election_type} is no type of election")
        reply.in_turns(answered(((partition, result) for partition in named(body)), error))
        return
    elections = Elections(clock, cache, body, reply)
    # What is known may change between two slices.
    partitions = tuple(known(cache)) if body.topic_partitions is None else named(body)
    is_unclean = body.election_type == ElectionType.UNCLEAN
    submit_in_slices(
        clock,
        controller,
        partitions,
        lambda part: ElectLeaders(part, is_unclean=is_unclean),
        elections.take,
        elections.await_metadata,
    )


class Elections:
    """What one request has come to so far."""

    def __init__(
        self, clock: Clock, cache: MetadataCache, body: ElectLeadersRequest, reply: Reply
    ) -> None:
        self._clock = clock
        self._cache = cache
        self._reply = reply
        self._names_all = body.topic_partitions is None
        self._deadline_ms = clock.now_ms() + body.timeout_ms
        self._results: dict[TopicPartition, ElectionResult] = {}
        self._untold: list[TopicPartition] = []
        """Those whose new leaders clients have not been told of, as far as is known."""

    def take(self, outcome: ElectLeadersReply) -> bool:
        for partition, result in outcome.results.items():
            # The second of two elections of the same partition is not needed.
            self._results.setdefault(partition, result)
        return True

    def await_metadata(self) -> None:
        none = ErrorCode.NONE
        self._untold = [p for p, result in self._results.items() if result.error is none]
        if self._untold:
            left_ms = self._deadline_ms - self._clock.now_ms()
            when_metadata_says(self._cache, self._clock, self._are_told, left_ms, self._end_wait)
        else:
            self._answer()

    def _is_told(self, partition: TopicPartition) -> bool:
        found = self._cache.find(partition.topic, partition.partition)
        return found is not None and found.leader == self._results[partition].leader

    def _are_told(self) -> bool:
        # Each is looked at until it is told, and not all of them whenever anything is told.
        untold = self._untold
        while untold and self._is_told(untold[-1]):
            untold.pop()
        return not untold

    def _end_wait(self, _: bool) -> None:
        for partition in self._untold:
            if not self._is_told(partition):
                self._results[partition] = ElectionResult(ErrorCode.REQUEST_TIMED_OUT)
        self._answer()

    def _answer(self) -> None:
        results: Iterable[tuple[TopicPartition, ElectionResult]] = self._results.items()
        if self._names_all:
            # Whoever asks for all wants to know what has changed, and what should have.
            needless = ErrorCode.ELECTION_NOT_NEEDED
            results = [(p, result) for p, result in results if result.error is not needless]
        self._reply.in_turns(answered(results))


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
