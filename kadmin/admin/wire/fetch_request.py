"""Fetch requests, as consumers and as tools that look at replicas send them."""

from collections.abc import Mapping
from typing import Final

from kafka.protocol.consumer import FetchRequest

from cluster.model.ids import TopicPartition
from kadmin.admin.wire.leaders import by_topic

READ_UNCOMMITTED: Final = 0
VERSION_MAX: Final = 12
"""Newer versions name topics by ids, which older brokers do not know."""
SIZE_MAX: Final = 2**31 - 1


def fetch_request(
    offsets: Mapping[TopicPartition, int],
    *,
    replica_id: int,
    size_max: int,
    version_min: int,
    wait_ms: int = 0,
) -> FetchRequest:
    """Return what asks for up to *size_max* bytes of each partition, from its offset on.

    It waits up to *wait_ms* for the first byte.  A batch that is larger comes first, and alone.
    """
    return FetchRequest(
        replica_id=replica_id,
        max_wait_ms=wait_ms,
        min_bytes=1 if wait_ms else 0,
        max_bytes=min(SIZE_MAX, size_max * len(offsets)),
        isolation_level=READ_UNCOMMITTED,
        topics=fetch_topics(offsets, size_max),
        min_version=version_min,
        max_version=VERSION_MAX,
    )


def fetch_topics(
    offsets: Mapping[TopicPartition, int], size_max: int
) -> list[FetchRequest.FetchTopic]:
    topic_of = FetchRequest.FetchTopic
    return [
        topic_of(
            topic=name,
            partitions=[
                topic_of.FetchPartition(
                    partition=number,
                    fetch_offset=offsets[TopicPartition(name, number)],
                    partition_max_bytes=size_max,
                )
                for number in numbers
            ],
        )
        for name, numbers in by_topic(offsets).items()
    ]
