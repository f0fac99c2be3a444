"""What a follower asks its leader, as requests, and the answers as values.

Source: Kafka's RemoteLeaderEndPoint.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeVar, cast

from cluster.broker.followed_partition import FollowedPartition
from cluster.broker.handling import Body
from cluster.model.ids import BrokerId
from cluster.replication.fetch_session_handler import PartKey, SessionRequest
from cluster.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from cluster.wire.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

T = TypeVar("T")

LATEST: Final = -1
EARLIEST: Final = -2


def by_topic(parts: Iterable[tuple[PartKey, T]]) -> Iterator[tuple[str, list[T]]]:
    """The partitions of each topic together."""
    topics: dict[str, list[T]] = {}
    for (topic, _), part in parts:
        topics.setdefault(topic, []).append(part)
    yield from topics.items()


def fetch_request(
    broker_id: BrokerId,
    session: SessionRequest[FetchPartition],
    wait_max_ms: int,
    size_min: int,
    size_max: int,
) -> FetchRequest:
    """Ask for records."""
    return FetchRequest(
        replica_id=broker_id,
        max_wait_ms=wait_max_ms,
        min_bytes=size_min,
        max_bytes=size_max,
        session_id=session.session_id,
        session_epoch=session.session_epoch,
        topics=[
            FetchTopic(topic, partitions=parts) for topic, parts in by_topic(session.parts.items())
        ],
        forgotten_topics_data=[
            ForgottenTopic(topic, partitions=indexes)
            for topic, indexes in by_topic((key, key[1]) for key in session.forgotten)
        ],
    )


def epochs_request(
    broker_id: BrokerId, asked: Mapping[PartKey, FollowedPartition]
) -> OffsetForLeaderEpochRequest:
    """Ask where the newest epoch of each partition here ended at the leader."""
    parts = (
        (
            key,
            OffsetForLeaderPartition(
                key[1], followed.state.leader_epoch, followed.state.last_fetched_epoch
            ),
        )
        for key, followed in asked.items()
    )
    return OffsetForLeaderEpochRequest(
        broker_id, [OffsetForLeaderTopic(topic, some) for topic, some in by_topic(parts)]
    )


def epoch_answers(body: Body) -> Iterator[tuple[PartKey, EpochEndOffset]]:
    for topic in cast(OffsetForLeaderEpochResponse, body).topics:
        for answer in topic.partitions:
            yield (topic.topic, answer.partition), answer


def offsets_request(
    broker_id: BrokerId, asked: Mapping[PartKey, FollowedPartition], timestamp: int
) -> ListOffsetsRequest:
    """Ask where the leader's logs end, or begin, by *timestamp*: LATEST or EARLIEST."""
    parts = (
        (key, ListOffsetsPartition(key[1], followed.state.leader_epoch, timestamp))
        for key, followed in asked.items()
    )
    return ListOffsetsRequest(
        broker_id, topics=[ListOffsetsTopic(topic, some) for topic, some in by_topic(parts)]
    )


def offset_answers(body: Body) -> Iterator[tuple[PartKey, tuple[int, int]]]:
    """Of each partition the error code and the offset."""
    for topic in cast(ListOffsetsResponse, body).topics:
        for answer in topic.partitions:
            old = answer.old_style_offsets
            offset = old[0] if old else answer.offset
            yield (topic.name, answer.partition_index), (answer.error_code, offset)
