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
from cluster.group.answers import Answer, CommitAnswer, SameError
from cluster.group.requests import CommitOffsets
from cluster.model.acl import AclOperation, ResourceType
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import (
    NO_TIMESTAMP,
    OffsetCommitValue,
    PlainOffsets,
    shared_partitions,
)
from cluster.model.ids import TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
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
        is_for_zookeeper = request.api_version == ZOOKEEPER_VERSION
        errors: dict[TopicPartition, ErrorCode] = {}
        offsets: Mapping[TopicPartition, OffsetCommitValue] | None = None
        if may_read and not is_for_zookeeper and body.retention_time_ms == NO_RETENTION:
            offsets = self.plain_offsets(body.topics, now_ms)
        if offsets is None:
            unknown = UNKNOWN if is_for_zookeeper else self._unknown(body.group_id)
            offsets, errors = self._offsets_and_errors(
                body, now_ms, unknown if may_read else TOPIC_AUTHORIZATION_FAILED, may_read
            )

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

    def plain_offsets(
        self, topics: Sequence[OffsetCommitRequestTopic], now_ms: int
    ) -> PlainOffsets | None:
        """Return the offsets of a commit of nothing else; None if there is more to one of them, or
        to a partition: it is unknown, or there twice.
        """
        named = []
        offsets: tuple[int, ...] = ()
        leader_epochs: tuple[int, ...] = ()
        for name, partitions in topics:
            if not partitions:
                return None
            indexes, some, epochs, times, metadata = zip(*partitions, strict=True)
            different = set(indexes)
            if (
                any(metadata)
                or times.count(NO_TIMESTAMP) != len(times)
                or len(different) != len(indexes)
                or not different <= self.cache.partitions_of(name).keys()
            ):
                return None
            named.append((name, indexes))
            offsets += some
            leader_epochs += epochs
        if not named or len({name for name, _ in named}) != len(named):
            return None
        return PlainOffsets(tuple(named), offsets, leader_epochs, now_ms)

    def _offsets_and_errors(
        self, body: OffsetCommitRequest, now_ms: int, refusal: ErrorCode, may_read: bool
    ) -> tuple[dict[TopicPartition, OffsetCommitValue], dict[TopicPartition, ErrorCode]]:
        """Return the offsets of a commit, and *refusal* for the partitions of which there are
        none.
        """
        offsets: dict[TopicPartition, OffsetCommitValue] = {}
        errors: dict[TopicPartition, ErrorCode] = {}
        expire_timestamp = NO_TIMESTAMP
        if body.retention_time_ms != NO_RETENTION:
            expire_timestamp = min(now_ms + body.retention_time_ms, TIME_MAX)
        for name, partitions in body.topics:
            known = self.cache.partitions_of(name) if may_read else NOTHING_KNOWN
            shared = shared_partitions(name)
            for index, offset, leader_epoch, time_ms, metadata in partitions:
                if index in known:
                    offsets[shared[index]] = OffsetCommitValue(
                        offset,
                        leader_epoch,
                        metadata or "",
                        now_ms if time_ms == NO_TIMESTAMP else time_ms,
                        expire_timestamp,
                    )
                else:
                    errors[TopicPartition(name, index)] = refusal
        return offsets, errors

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
    only = errors.error if isinstance(errors, SameError) else None
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
