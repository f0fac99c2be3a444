"""Fetch requests as consumers send them, and what is in the answers."""

from typing import Any

from cluster.broker.handling import Peer
from cluster.formats.record_batch import whole_batches
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)
from tests.cluster.api.world import PEER, TOPIC_ID, Answer, World

BY_NAME = 12
"""The last version that names topics by their names."""


def part(
    offset: int = 0,
    index: int = 0,
    *,
    size_max: int = 1 << 20,
    leader_epoch: int = -1,
    last_epoch: int = -1,
) -> FetchPartition:
    return FetchPartition(
        partition=index,
        fetch_offset=offset,
        current_leader_epoch=leader_epoch,
        last_fetched_epoch=last_epoch,
        partition_max_bytes=size_max,
    )


def fetch(
    world: World,
    *parts: FetchPartition,
    topic: str = "orders",
    topic_id: bytes = TOPIC_ID,
    version: int = 17,
    min_bytes: int = 1,
    max_wait_ms: int = 0,
    max_bytes: int = 1 << 20,
    session: tuple[int, int] = (0, -1),
    forgotten: tuple[int, ...] = (),
    isolation: int = 0,
    replica_id: int = -1,
    rack: str = "",
    peer: Peer = PEER,
) -> Answer:
    """Fetch partitions of one topic, in *session* (its id and epoch)."""
    body = FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        replica_id=replica_id if version < 15 else -1,
        replica_state=ReplicaState(replica_id) if version >= 15 else ReplicaState(),
        isolation_level=isolation,
        session_id=session[0],
        session_epoch=session[1],
        topics=[FetchTopic(topic, topic_id, parts)] if parts else (),
        forgotten_topics_data=[ForgottenTopic(topic, topic_id, forgotten)] if forgotten else (),
        rack_id=rack,
    )
    return world.ask(ApiKey.FETCH, body, version, peer)


def base_offsets(data: Any) -> list[int]:
    """Where the batches of one partition's answer begin."""
    return [placed.header.base_offset for placed in whole_batches(bytes(data.records or b""))]


def indexes(body: Any) -> list[int]:
    """The partitions that an answer speaks of."""
    return [data.partition_index for topic in body.responses for data in topic.partitions]
