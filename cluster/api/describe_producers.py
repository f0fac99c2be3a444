"""DescribeProducers: returns the producers of a replica, each with its state.

Any replica answers, leader or not.

Source: Kafka's KafkaApis.handleDescribeProducersRequest and UnifiedLog.activeProducers.
"""

from collections.abc import Generator
from typing import cast

from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.replica_manager.partitions import Partitions
from cluster.formats.producer_snapshot import Producer
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)


def handle(partitions: Partitions, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    reply.in_turns(answer(partitions, cast(DescribeProducersRequest, request.body)))


def answer(partitions: Partitions, body: DescribeProducersRequest) -> Steps:
    """Describe each partition once: its producers take more bytes than its number in the
    request.
    """
    seen: set[tuple[str, int]] = set()
    topics: list[TopicResponse] = []
    for topic in body.topics:
        parts: list[PartitionResponse] = []
        for index in topic.partition_indexes:
            if (topic.name, index) not in seen:
                seen.add((topic.name, index))
                parts.append((yield from described(partitions, topic.name, index)))
            yield
        topics.append(TopicResponse(topic.name, parts))
        yield
    return DescribeProducersResponse(topics=topics)


def described(
    partitions: Partitions, topic: str, index: int
) -> Generator[None, None, PartitionResponse]:
    hosted = partitions.hosted(topic, index)
    if isinstance(hosted, ErrorCode):
        return PartitionResponse(index, hosted)
    producers: list[ProducerState] = []
    for producer in tuple(hosted.log.producers.producers):
        producers.append(state_of(producer))
        yield
    return PartitionResponse(index, ErrorCode.NONE, active_producers=producers)


def state_of(producer: Producer) -> ProducerState:
    return ProducerState(
        producer.producer_id,
        producer.epoch,
        producer.last_sequence,
        producer.last_timestamp,
        producer.coordinator_epoch,
        producer.transaction_offset,
    )
