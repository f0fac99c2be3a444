"""OffsetCommit: a group keeps how far it has come.

Version 0 keeps it in ZooKeeper, and its groups have no coordinator.

Source: Kafka's KafkaApis.handleOffsetCommitRequest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from cluster.broker.authorizer import Permission, is_allowed
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.coordination.consumer_offsets import can_keep
from cluster.group.answers import Answer, CommitAnswer
from cluster.group.offsets import shared_partitions
from cluster.group.requests import CommitOffsets
from cluster.model.acl import AclOperation, ResourceType
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import NO_TIMESTAMP, OffsetCommitValue
from cluster.model.ids import TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

READ: Final = Permission(AclOperation.READ, ResourceType.TOPIC)
NO_RETENTION: Final = -1
ZOOKEEPER_VERSION: Final = 0
TIME_MAX: Final = 2**63 - 1
UNKNOWN: Final = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
TOPIC_AUTHORIZATION_FAILED: Final = ErrorCode.TOPIC_AUTHORIZATION_FAILED
NOTHING_KNOWN: Final[Mapping[int, object]] = {}

# Makes a named tuple in half the time: its fields need not be counted.
_new: Final = tuple.__new__


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
        expire_timestamp = NO_TIMESTAMP
        if body.retention_time_ms != NO_RETENTION:
            expire_timestamp = min(now_ms + body.retention_time_ms, TIME_MAX)
        is_for_zookeeper = request.api_version == ZOOKEEPER_VERSION
        unknown = UNKNOWN if is_for_zookeeper else self._unknown(body.group_id)
        for name, partitions in body.topics:
            known = self.cache.partitions_of(name) if may_read else NOTHING_KNOWN
            shared = shared_partitions(name)
            offsets |= {
                shared[index]: _new(
                    OffsetCommitValue,
                    (
                        offset,
                        leader_epoch,
                        metadata or "",
                        now_ms if time_ms == NO_TIMESTAMP else time_ms,
                        expire_timestamp,
                    ),
                )
                for index, offset, leader_epoch, time_ms, metadata in partitions
                if index in known
            }
            if unknown_ones := [one[0] for one in partitions if one[0] not in known]:
                error = unknown if may_read else TOPIC_AUTHORIZATION_FAILED
                errors |= {TopicPartition(name, index): error for index in unknown_ones}

        def answered(answer: Answer) -> None:
            assert isinstance(answer, CommitAnswer)
            reply(response(body, {**errors, **answer.errors} if errors else answer.errors))

        if not offsets:
            reply(response(body, errors))
            return
        if is_for_zookeeper:
            self._keep_in_zookeeper(body, offsets, errors, reply)
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

    def _keep_in_zookeeper(
        self,
        body: OffsetCommitRequest,
        offsets: Mapping[TopicPartition, OffsetCommitValue],
        errors: Mapping[TopicPartition, ErrorCode],
        reply: Reply,
    ) -> None:
        if not can_keep(body.group_id):
            failed = dict.fromkeys(offsets, ErrorCode.INVALID_GROUP_ID)
            reply(response(body, {**failed, **errors}))
            return
        size_max = self.ports.settings.groups.config.metadata_max_bytes
        kept = {
            partition: value.offset
            for partition, value in offsets.items()
            if len(value.metadata) <= size_max
        }
        too_large = dict.fromkeys(offsets.keys() - kept.keys(), ErrorCode.OFFSET_METADATA_TOO_LARGE)

        def written(outcome: ApiError) -> None:
            of_all = dict.fromkeys(kept, outcome.error)
            reply(response(body, {**of_all, **too_large, **errors}))

        self.ports.store.write_consumer_offsets(body.group_id, kept, written)

    def _unknown(self, group_id: str) -> ErrorCode:
        """The error of a topic that this broker does not know.

        One that has just started knows none, and coordinates no group yet.  Kafka's say even then
        that there is no such topic, which clients do not ask again.
        """
        error = self.groups.refusal(group_id)
        return UNKNOWN if error is ErrorCode.NONE else error


def response(
    body: OffsetCommitRequest, errors: Mapping[TopicPartition, ErrorCode]
) -> OffsetCommitResponse:
    codes = list(errors.values())
    only = codes[0] if codes and codes.count(codes[0]) == len(codes) else None
    topics = []
    for name, partitions in body.topics:
        # Without the names of their fields, which the encoder does not need: there may be thousands
        # of them.
        if only is not None:
            answers = [(one[0], only) for one in partitions]
        else:
            answers = [(one[0], errors[TopicPartition(name, one[0])]) for one in partitions]
        topics.append(
            OffsetCommitResponseTopic(name, cast(Sequence[OffsetCommitResponsePartition], answers))
        )
    return OffsetCommitResponse(topics=topics)
