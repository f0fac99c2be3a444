"""OffsetFetch: how far has a group come?  From version 8 on, of several groups at once.

Version 0, which reads offsets from ZooKeeper, is not served.

Source: Kafka's KafkaApis.handleOffsetFetchRequest.
"""

from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from cluster.broker.authorizer import Authorizer, Permission, is_allowed
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply, Steps
from cluster.group.answers import FetchAnswer, FetchedOffset
from cluster.model.acl import AclOperation, ResourceType
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

Topics = Sequence[OffsetFetchRequestTopic]


@dataclass(frozen=True, slots=True)
class OffsetFetches:
    """Tells of offsets."""

    authorizer: Authorizer | None
    groups: GroupService

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        reply.in_turns(self._answer(request, peer))

    def _answer(self, request: RequestFrame, peer: Peer) -> Steps:
        body = cast(OffsetFetchRequest, request.body)
        may_describe = is_allowed(self.authorizer, peer.principal, DESCRIBE)
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
        # Who asks for all is told of those that he may see.
        return FetchAnswer(ErrorCode.NONE, dict.fromkeys(wanted or (), FORBIDDEN))


def topics_of(
    answer: FetchAnswer, asked: Topics | None
) -> Generator[None, None, list[OffsetFetchResponseTopic]]:
    """The offsets by topic; each with the error, in a version that has none for all."""
    failed = FetchedOffset(error=answer.error)
    indexes: Mapping[str, Sequence[int]]
    if asked is None:
        found: dict[str, list[int]] = defaultdict(list)
        for topic, index in answer.offsets:
            found[topic].append(index)
        indexes = found
    else:
        indexes = {topic.name: topic.partition_indexes for topic in asked}
    topics = []
    for name in indexes:
        parts = []
        for index in indexes[name]:
            one = answer.offsets.get(TopicPartition(name, index), failed)
            parts.append(OffsetFetchResponsePartition(index, *one))
            yield
        topics.append(OffsetFetchResponseTopic(name, parts))
    return topics
