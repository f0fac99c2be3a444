"""DeleteRecords: deletes a partition's oldest records, and returns its new start.

Source: Kafka's ReplicaManager.deleteRecords.
"""

from typing import Final, cast

from cluster.broker.handling import Cancel, Peer, Reply
from cluster.broker.ports import Ports
from cluster.broker.replica_manager.checkpoint_writes import CheckpointWrites
from cluster.broker.replica_manager.delayed_delete_records import (
    NO_OFFSET,
    DeletedPartition,
    await_deletions,
)
from cluster.broker.replica_manager.partitions import Partitions
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import INTERNAL_TOPICS
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
"""The offset that means everything that is committed."""


def handle(
    ports: Ports,
    partitions: Partitions,
    checkpoint_writes: CheckpointWrites,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> Cancel | None:
    body = cast(DeleteRecordsRequest, request.body)
    topics = [
        (topic.name, [cut_off(partitions, topic.name, part) for part in topic.partitions])
        for topic in body.topics
    ]

    def answer() -> None:
        reply(
            DeleteRecordsResponse(
                topics=tuple(
                    DeleteRecordsTopicResult(name, tuple(map(result_of, results)))
                    for name, results in topics
                )
            )
        )

    deleted = [one for _, results in topics for one in results if isinstance(one, DeletedPartition)]
    if not deleted:
        answer()
        return None
    return await_deletions(checkpoint_writes, ports, deleted, body.timeout_ms, answer)


def cut_off(
    partitions: Partitions, topic: str, part: DeleteRecordsPartition
) -> DeletedPartition | DeleteRecordsPartitionResult:
    """Move the start of the leader's log; the followers do the same when they fetch.

    What is only compacted keeps the last record of each key: neither state of applications nor
    that of coordinators is deleted by mistake.
    """
    index = part.partition_index
    if topic in INTERNAL_TOPICS:
        return DeleteRecordsPartitionResult(index, NO_OFFSET, ErrorCode.INVALID_TOPIC_EXCEPTION)
    hosted = partitions.led(topic, index)
    if isinstance(hosted, ErrorCode):
        return DeleteRecordsPartitionResult(index, NO_OFFSET, hosted)
    if not hosted.log.config.deletes:
        return DeleteRecordsPartitionResult(index, NO_OFFSET, ErrorCode.POLICY_VIOLATION)
    high_watermark = hosted.replica.high_watermark
    offset = high_watermark if part.offset == HIGH_WATERMARK else part.offset
    try:
        hosted.log.delete_records_before(offset, high_watermark)
    except LogError as error:
        return DeleteRecordsPartitionResult(index, NO_OFFSET, error.error_code)
    hosted.replica.log_start_moved()
    return DeletedPartition(hosted, offset)


def result_of(
    result: DeletedPartition | DeleteRecordsPartitionResult,
) -> DeleteRecordsPartitionResult:
    if isinstance(result, DeletedPartition):
        return DeleteRecordsPartitionResult(result.index, result.low_watermark, result.error)
    return result
