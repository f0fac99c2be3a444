"""OffsetDelete: an operator deletes offsets of a group.

Source: Kafka's KafkaApis.handleOffsetDeleteRequest.
"""

from dataclasses import dataclass
from typing import Final, cast

from cluster.broker.authorizer import Permission, is_allowed
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.group.answers import Answer, DeleteOffsetsAnswer
from cluster.group.requests import DeleteOffsets
from cluster.model.acl import AclOperation, ResourceType
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.groups import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

READ: Final = Permission(AclOperation.READ, ResourceType.TOPIC)


@dataclass(frozen=True, slots=True)
class OffsetDeletions:
    """Deletes offsets of topics that are there."""

    ports: Ports
    cache: MetadataCache
    groups: GroupService

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        body = cast(OffsetDeleteRequest, request.body)
        may_read = is_allowed(self.ports.authorizer, peer.principal, READ)
        errors: dict[TopicPartition, ErrorCode] = {}
        wanted: list[TopicPartition] = []
        for topic in body.topics:
            for one in topic.partitions:
                partition = TopicPartition(topic.name, one.partition_index)
                if not may_read:
                    errors[partition] = ErrorCode.TOPIC_AUTHORIZATION_FAILED
                elif self.cache.find(*partition) is None:
                    errors[partition] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                else:
                    wanted.append(partition)

        def answered(answer: Answer) -> None:
            assert isinstance(answer, DeleteOffsetsAnswer)
            if answer.error is not ErrorCode.NONE:
                reply(OffsetDeleteResponse(error_code=answer.error))
                return
            reply(response(body, {**errors, **answer.errors}))

        self.groups.ask(DeleteOffsets(body.group_id, tuple(wanted)), answered)


def response(
    body: OffsetDeleteRequest, errors: dict[TopicPartition, ErrorCode]
) -> OffsetDeleteResponse:
    return OffsetDeleteResponse(
        topics=[
            OffsetDeleteResponseTopic(
                topic.name,
                [
                    OffsetDeleteResponsePartition(
                        one.partition_index, errors[TopicPartition(topic.name, one.partition_index)]
                    )
                    for one in topic.partitions
                ],
            )
            for topic in body.topics
        ]
    )
