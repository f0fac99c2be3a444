"""Produce: what became of each batch that a producer sent?

Source: Kafka's KafkaApis.handleProduceRequest.
"""

from typing import Final, cast

from cluster.broker.appending import NO_ACKS, NO_ERROR, append, must_wait
from cluster.broker.broker import Broker
from cluster.broker.delayed_produce import DelayedProduce, ProducePartitionStatus
from cluster.broker.handling import Cancel, Peer, Reply
from cluster.broker.leader_hints import HINTED_ERRORS, current_leader, endpoints_of
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)

HINT_VERSION: Final = 10


def handle(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
    body = cast(ProduceRequest, request.body)
    acks = body.acks
    topics: list[TopicProduceResponse] = []
    waits: list[ProducePartitionStatus] = []
    for topic, parts in body.topic_data:
        answers: list[PartitionProduceResponse] = []
        for index, records in parts:
            written = append(broker, topic, index, records, acks, request.api_version)
            if isinstance(written, PartitionProduceResponse):
                answers.append(written)
                continue
            answers.append(written.answer)
            if acks != NO_ACKS and must_wait(written, acks):
                place = len(answers) - 1
                wait = ProducePartitionStatus(
                    written.hosted, written.end_offset, acks, answers, place
                )
                wait.is_flushing = written.needs_flush
                waits.append(wait)
        topics.append(TopicProduceResponse(topic, answers))
    if acks == NO_ACKS:
        answer_nothing(topics, reply)
        return None
    if not waits:
        reply(response_of(broker, request.api_version, peer, topics))
        return None

    def answer() -> None:
        reply(response_of(broker, request.api_version, peer, topics))

    return DelayedProduce(broker.ports, waits, answer).begin(body.timeout_ms)


def answer_nothing(topics: list[TopicProduceResponse], reply: Reply) -> None:
    """The only way to tell a producer with acks=0 of an error is to end its connection."""
    for topic in topics:
        for answer in topic.partition_responses:
            if answer.error_code != NO_ERROR:
                error = ErrorCode(answer.error_code).name
                partition = f"{topic.name}-{answer.partition_index}"
                reply.close(f"produce to {partition} failed, and acks=0 knows no answer: {error}")
                return
    reply(None)


def response_of(
    broker: Broker, version: int, peer: Peer, topics: list[TopicProduceResponse]
) -> ProduceResponse:
    """The answers; from HINT_VERSION on with the leader where this broker is not it."""
    if version < HINT_VERSION:
        return ProduceResponse(topics)
    hinted = [
        topic._replace(
            partition_responses=[
                answer._replace(
                    current_leader=current_leader(broker, topic.name, answer.partition_index)
                )
                if answer.error_code in HINTED_ERRORS
                else answer
                for answer in topic.partition_responses
            ]
        )
        for topic in topics
    ]
    hints = [
        answer.current_leader
        for topic in hinted
        for answer in topic.partition_responses
        if answer.error_code in HINTED_ERRORS
    ]
    return ProduceResponse(hinted, node_endpoints=endpoints_of(broker, hints, peer.listener))
