"""OffsetForLeaderEpoch: where does an epoch end in the leader's log?

Source: Kafka's Partition.lastOffsetForLeaderEpoch.
"""

from typing import cast

from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.replica_manager.partitions import Partitions
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)


def handle(partitions: Partitions, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    reply.in_turns(answer(partitions, cast(OffsetForLeaderEpochRequest, request.body)))


def answer(partitions: Partitions, body: OffsetForLeaderEpochRequest) -> Steps:
    topics: list[OffsetForLeaderTopicResult] = []
    for topic in body.topics:
        parts: list[EpochEndOffset] = []
        for part in topic.partitions:
            parts.append(look_up(partitions, topic.topic, part))
            yield
        topics.append(OffsetForLeaderTopicResult(topic.topic, parts))
        yield
    return OffsetForLeaderEpochResponse(topics=topics)


def look_up(partitions: Partitions, topic: str, part: OffsetForLeaderPartition) -> EpochEndOffset:
    hosted = partitions.led(topic, part.partition, part.current_leader_epoch)
    if isinstance(hosted, ErrorCode):
        return EpochEndOffset(hosted, part.partition)
    end = hosted.log.epochs.end_of(part.leader_epoch, hosted.log.log_end_offset)
    return EpochEndOffset(ErrorCode.NONE, part.partition, end.epoch, end.end_offset)
