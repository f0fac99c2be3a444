"""DescribeProducers: which producers does a replica know, and how far has each got?

Any replica answers, leader or not.

Source: Kafka's KafkaApis.handleDescribeProducersRequest and UnifiedLog.activeProducers.
"""

from typing import cast

from cluster.broker.broker import Broker
from cluster.broker.handling import Peer, Reply
from cluster.model.error_codes import ErrorCode
from cluster.storage.producer_state import Producer
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)


def handle(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(DescribeProducersRequest, request.body)
    topics = tuple(
        TopicResponse(
            topic.name,
            tuple(described(broker, topic.name, index) for index in topic.partition_indexes),
        )
        for topic in body.topics
    )
    reply(DescribeProducersResponse(topics=topics))


def described(broker: Broker, topic: str, index: int) -> PartitionResponse:
    hosted = broker.partitions.hosted(topic, index)
    if isinstance(hosted, ErrorCode):
        return PartitionResponse(index, hosted)
    producers = tuple(state_of(producer) for producer in hosted.log.producers.producers)
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
