"""OffsetFetch: how far has a group come?  From version 8 on, of several groups at once.

Version 0 reads it from ZooKeeper, where only its own commits are.

Source: Kafka's KafkaApis.handleOffsetFetchRequest.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from cluster.broker.authorizer import Permission, is_allowed
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.coordination.consumer_offsets import can_keep
from cluster.group.answers import FetchAnswer, FetchedOffset
from cluster.model.acl import AclOperation, ResourceType
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponseTopic,
)

DESCRIBE: Final = Permission(AclOperation.DESCRIBE, ResourceType.TOPIC)
GROUP_ERROR_VERSION: Final = 2
"""The first version with an error for all partitions."""
SEVERAL_VERSION: Final = 8
FORBIDDEN: Final = FetchedOffset(error=ErrorCode.TOPIC_AUTHORIZATION_FAILED)

NOWHERE: Final = FetchedOffset(error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
ZOOKEEPER_VERSION: Final = 0

Topics = Sequence[OffsetFetchRequestTopic]


@dataclass(frozen=True, slots=True)
class OffsetFetches:
    """The handler of OffsetFetch."""

    ports: Ports
    cache: MetadataCache
    groups: GroupService

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        if request.api_version == ZOOKEEPER_VERSION:
            self._fetch_from_zookeeper(request, peer, reply)
        else:
            reply.in_turns(self._answer(request, peer))

    def _fetch_from_zookeeper(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        """Answer for each partition; an unknown one and one without an offset have one error."""
        body = cast(OffsetFetchRequest, request.body)
        topics = body.topics or ()
        may_describe = is_allowed(self.ports.authorizer, peer.principal, DESCRIBE)
        unknown = NOWHERE if may_describe else FORBIDDEN
        wanted = [
            TopicPartition(topic.name, index)
            for topic in topics
            for index in topic.partition_indexes
            if index in self.cache.partitions_of(topic.name)
        ]

        def read(found: Mapping[TopicPartition, int | ApiError] | ApiError) -> None:
            offsets = found_offsets(wanted, found)
            reply(
                OffsetFetchResponse(
                    topics=[
                        OffsetFetchResponseTopic(
                            topic.name,
                            [
                                OffsetFetchResponsePartition(
                                    index, *offsets.get(TopicPartition(topic.name, index), unknown)
                                )
                                for index in topic.partition_indexes
                            ],
                        )
                        for topic in topics
                    ]
                )
            )

        if may_describe and wanted and can_keep(body.group_id):
            self.ports.store.read_consumer_offsets(body.group_id, wanted, read)
        else:
            read({})

    def _answer(self, request: RequestFrame, peer: Peer) -> Steps:
        body = cast(OffsetFetchRequest, request.body)
        may_describe = is_allowed(self.ports.authorizer, peer.principal, DESCRIBE)
        if request.api_version >= SEVERAL_VERSION:
            groups = []
            for group in body.groups:
                answer = self._fetch(group.group_id, group.topics, body, may_describe)
                topics = (yield from topics_of(answer, group.topics)) if not answer.error else []
                groups.append(OffsetFetchResponseGroup(group.group_id, topics, answer.error))
                yield
            return OffsetFetchResponse(groups=groups)
        answer = self._fetch(body.group_id, body.topics, body, may_describe)
        if answer.error and request.api_version >= GROUP_ERROR_VERSION:
            return OffsetFetchResponse(error_code=answer.error)
        topics = yield from topics_of(answer, body.topics)
        return OffsetFetchResponse(topics=topics)

    def _fetch(
        self, group_id: str, topics: Topics | None, body: OffsetFetchRequest, may_describe: bool
    ) -> FetchAnswer:
        wanted = None
        if topics is not None:
            wanted = [
                TopicPartition(topic.name, index)
                for topic in topics
                for index in topic.partition_indexes
            ]
        if may_describe:
            return self.groups.fetch_offsets(group_id, wanted, requires_stable=body.require_stable)
        # A request for all offsets gets only those that the client may describe: none.
        return FetchAnswer(ErrorCode.NONE, dict.fromkeys(wanted or (), FORBIDDEN))


def found_offsets(
    wanted: Sequence[TopicPartition], found: Mapping[TopicPartition, int | ApiError] | ApiError
) -> Mapping[TopicPartition, FetchedOffset]:
    if isinstance(found, ApiError):
        return dict.fromkeys(wanted, FetchedOffset(error=found.error))
    return {
        partition: FetchedOffset(error=one.error)
        if isinstance(one, ApiError)
        else FetchedOffset(offset=one)
        for partition, one in found.items()
    }


def topics_of(
    answer: FetchAnswer, asked: Topics | None
) -> Generator[None, None, list[OffsetFetchResponseTopic]]:
    """Return the offsets by topic; each with the error, in a version that has none for all."""
    failed = FetchedOffset(error=answer.error)
    indexes: Iterable[tuple[str, Sequence[int]]]
    if asked is None:
        found: dict[str, list[int]] = defaultdict(list)
        for topic, index in answer.offsets:
            found[topic].append(index)
        indexes = found.items()
    else:
        indexes = asked
    topics = []
    for name, wanted in indexes:
        parts = []
        for index in wanted:
            one = answer.offsets.get(TopicPartition(name, index), failed)
            parts.append(OffsetFetchResponsePartition(index, *one))
            yield
        topics.append(OffsetFetchResponseTopic(name, parts))
    return topics
