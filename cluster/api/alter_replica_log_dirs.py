"""AlterReplicaLogDirs: moves replicas between this broker's log directories.

Source: Kafka's KafkaApis.handleAlterReplicaLogDirsRequest.
"""

from collections.abc import Mapping
from typing import cast

from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.replica_manager.log_dir_moves import LogDirMoves
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.model.topic_name import can_be
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)


def handle(log_dir_moves: LogDirMoves, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    reply.in_turns(alter(log_dir_moves, cast(AlterReplicaLogDirsRequest, request.body), reply))


def alter(log_dir_moves: LogDirMoves, body: AlterReplicaLogDirsRequest, reply: Reply) -> Steps:
    """Begin the requested moves; the answer waits until all have begun or are refused."""
    outcomes: dict[TopicPartition, ErrorCode] = {}
    wanted: dict[TopicPartition, str] = {}
    for directory in body.dirs:
        for topic in directory.topics:
            for index in topic.partitions:
                # Of several directories the last one counts.
                partition = TopicPartition(topic.name, index)
                outcomes[partition] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                if can_be(partition):
                    wanted[partition] = directory.path
                yield

    def begun(errors: Mapping[TopicPartition, ErrorCode]) -> None:
        reply.in_turns(answer(outcomes | dict(errors)))

    log_dir_moves.alter(wanted, begun)
    return None


def answer(outcomes: Mapping[TopicPartition, ErrorCode]) -> Steps:
    topics: dict[str, list[AlterReplicaLogDirPartitionResult]] = {}
    for partition, error in outcomes.items():
        result = AlterReplicaLogDirPartitionResult(partition.partition, error)
        topics.setdefault(partition.topic, []).append(result)
        yield
    return AlterReplicaLogDirsResponse(
        results=[AlterReplicaLogDirTopicResult(*topic) for topic in topics.items()]
    )
