"""Requests of a follower to its leader, and the answers as values.

Source: Kafka's RemoteLeaderEndPoint.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeVar, cast

from cluster.broker.handling import Body
from cluster.broker.replica_fetcher.followed_partition import FollowedPartition
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition
from cluster.replication.fetch_session_handler import PartKey, SessionRequest
from cluster.wire.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)
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

NEWEST_FETCH: Final = 17
NEWEST_FETCH_BY_NAMES: Final = 12
"""The last version of a fetch that names topics by their names (KIP-516)."""
IN_BAND_VERSION: Final = 12
"""From this version of a fetch on, its answer reports divergence (KIP-595)."""
NEWEST_EPOCHS: Final = 4
NEWEST_OFFSETS: Final = 6

LATEST: Final = -1
EARLIEST: Final = -2


def by_topic(parts: Iterable[tuple[PartKey, T]]) -> Iterator[tuple[str, bytes, list[T]]]:
    """The partitions grouped by topic, with its name and its id."""
    topics: dict[tuple[str, bytes], list[T]] = {}
    for (topic, _, topic_id), part in parts:
        topics.setdefault((topic, topic_id), []).append(part)
    for (topic, topic_id), some in topics.items():
        yield topic, topic_id, some


def fetch_request(
    broker_id: BrokerId,
    broker_epoch: BrokerEpoch,
    session: SessionRequest[FetchPartition],
    wait_max_ms: int,
    size_min: int,
    size_max: int,
    *,
    uses_ids: bool,
) -> FetchRequest:
    """A request for records; *uses_ids* if the version names topics by their ids."""
    forgotten = session.forgotten
    if forgotten and not uses_ids:
        # A leader removes after it has added.  A topic that was recreated under the same name must
        # not be removed with the former one.
        named = {key[:2] for key in session.parts}
        forgotten = [key for key in forgotten if key[:2] not in named]
    return FetchRequest(
        replica_id=broker_id,
        replica_state=ReplicaState(broker_id, broker_epoch),
        max_wait_ms=wait_max_ms,
        min_bytes=size_min,
        max_bytes=size_max,
        session_id=session.session_id,
        session_epoch=session.session_epoch,
        topics=[FetchTopic(*topic) for topic in by_topic(session.parts.items())],
        forgotten_topics_data=[
            ForgottenTopic(*topic) for topic in by_topic((key, key.partition) for key in forgotten)
        ],
    )


def epochs_request(
    broker_id: BrokerId, asked: Mapping[PartKey, FollowedPartition]
) -> OffsetForLeaderEpochRequest:
    """A request for the leader's end of the newest epoch of each partition here."""
    parts = (
        (
            key,
            OffsetForLeaderPartition(
                key.partition, followed.state.leader_epoch, followed.state.last_fetched_epoch
            ),
        )
        for key, followed in asked.items()
    )
    return OffsetForLeaderEpochRequest(
        broker_id, [OffsetForLeaderTopic(topic, some) for topic, _, some in by_topic(parts)]
    )


def epoch_answers(body: Body) -> Iterator[tuple[TopicPartition, EpochEndOffset]]:
    for topic in cast(OffsetForLeaderEpochResponse, body).topics:
        for answer in topic.partitions:
            yield TopicPartition(topic.topic, answer.partition), answer


def offsets_request(
    broker_id: BrokerId, asked: Mapping[PartKey, FollowedPartition], timestamp: int
) -> ListOffsetsRequest:
    """A request for the ends or starts of the leader's logs, by *timestamp*: LATEST or EARLIEST."""
    parts = (
        (key, ListOffsetsPartition(key.partition, followed.state.leader_epoch, timestamp))
        for key, followed in asked.items()
    )
    return ListOffsetsRequest(
        broker_id, topics=[ListOffsetsTopic(topic, some) for topic, _, some in by_topic(parts)]
    )


def offset_answers(body: Body) -> Iterator[tuple[TopicPartition, tuple[int, int]]]:
    """The error code and the offset of each partition."""
    for topic in cast(ListOffsetsResponse, body).topics:
        for answer in topic.partitions:
            old = answer.old_style_offsets
            offset = old[0] if old else answer.offset
            yield TopicPartition(topic.name, answer.partition_index), (answer.error_code, offset)
