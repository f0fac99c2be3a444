"""OffsetCommit: a group keeps how far it has come.

Version 0, which keeps offsets in ZooKeeper, is not served.

Source: Kafka's KafkaApis.handleOffsetCommitRequest.
"""

from dataclasses import dataclass
from typing import Final, cast

from cluster.broker.authorizer import Permission, is_allowed
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.group.answers import Answer, CommitAnswer
from cluster.group.requests import CommitOffsets
from cluster.model.acl import AclOperation, ResourceType
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import NO_TIMESTAMP, OffsetCommitValue
from cluster.model.ids import TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

READ: Final = Permission(AclOperation.READ, ResourceType.TOPIC)
NO_RETENTION: Final = -1


@dataclass(frozen=True, slots=True)
class OffsetCommits:
    """Takes the offsets of topics that are there."""

    ports: Ports
    cache: MetadataCache
    groups: GroupService

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        body = cast(OffsetCommitRequest, request.body)
        may_read = is_allowed(self.ports.authorizer, peer.principal, READ)
        now_ms = self.ports.clock.wall_ms()
        errors: dict[TopicPartition, ErrorCode] = {}
        offsets: dict[TopicPartition, OffsetCommitValue] = {}
        for topic in body.topics:
            known = self.cache.partitions_of(topic.name)
            for one in topic.partitions:
                partition = TopicPartition(topic.name, one.partition_index)
                if not may_read:
                    errors[partition] = ErrorCode.TOPIC_AUTHORIZATION_FAILED
                elif one.partition_index not in known:
                    errors[partition] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                else:
                    offsets[partition] = value_of(one, body.retention_time_ms, now_ms)

        def answered(answer: Answer) -> None:
            assert isinstance(answer, CommitAnswer)
            reply(response(body, {**errors, **answer.errors}))

        if not offsets:
            reply(response(body, errors))
            return
        self.groups.ask(
            CommitOffsets(
                body.group_id,
                offsets,
                body.member_id,
                body.group_instance_id,
                body.generation_id_or_member_epoch,
            ),
            answered,
        )


def value_of(
    one: OffsetCommitRequestPartition, retention_ms: int, now_ms: int
) -> OffsetCommitValue:
    """What is kept; a client of versions 2 to 4 may say for how long."""
    has_time = one.commit_timestamp != NO_TIMESTAMP
    return OffsetCommitValue(
        one.committed_offset,
        one.committed_leader_epoch,
        one.committed_metadata or "",
        one.commit_timestamp if has_time else now_ms,
        NO_TIMESTAMP if retention_ms == NO_RETENTION else now_ms + retention_ms,
    )


def response(
    body: OffsetCommitRequest, errors: dict[TopicPartition, ErrorCode]
) -> OffsetCommitResponse:
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                topic.name,
                [
                    OffsetCommitResponsePartition(
                        one.partition_index, errors[TopicPartition(topic.name, one.partition_index)]
                    )
                    for one in topic.partitions
                ],
            )
            for topic in body.topics
        ]
    )
