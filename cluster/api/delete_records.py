"""DeleteRecords: where do partitions begin, now that their oldest records may go?

Source: Kafka's ReplicaManager.deleteRecords.
"""

from typing import Final, cast

from cluster.broker.broker import Broker
from cluster.broker.handling import Peer, Reply
from cluster.model.error_codes import ErrorCode
from cluster.storage.errors import LogError
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.topics import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

HIGH_WATERMARK: Final = -1
"""The offset that stands for everything that is committed."""
NO_OFFSET: Final = -1


def handle(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(DeleteRecordsRequest, request.body)
    topics = tuple(
        DeleteRecordsTopicResult(
            topic.name, tuple(deleted(broker, topic.name, part) for part in topic.partitions)
        )
        for topic in body.topics
    )
    reply(DeleteRecordsResponse(topics=topics))


def deleted(
    broker: Broker, topic: str, part: DeleteRecordsPartition
) -> DeleteRecordsPartitionResult:
    index = part.partition_index
    hosted = broker.partitions.led(topic, index)
    if isinstance(hosted, ErrorCode):
        return DeleteRecordsPartitionResult(index, NO_OFFSET, hosted)
    high_watermark = hosted.replica.high_watermark
    offset = high_watermark if part.offset == HIGH_WATERMARK else part.offset
    try:
        start = broker.ports.logs.delete_records_before(hosted.partition, offset, high_watermark)
    except LogError as error:
        return DeleteRecordsPartitionResult(index, NO_OFFSET, error.error_code)
    return DeleteRecordsPartitionResult(index, start, ErrorCode.NONE)
