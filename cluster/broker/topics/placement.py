"""Placement of new topics' replicas on the live brokers."""

from collections.abc import Sequence
from typing import Final

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import RandomStream
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import ClusterError
from cluster.model.ids import BrokerId
from cluster.model.placement import Layout, Placement, Racks, place

NEW_PARTITIONS_MAX: Final = 10_000
"""How many partitions one request may add that leaves the placement to brokers: their number takes
four bytes, and creating them seconds.

Source: MAX_PARTITIONS_PER_BATCH of KRaft's ReplicationControlManager.
"""


class Refused(ClusterError):
    """Why a topic is not created, or not enlarged."""

    def __init__(self, error: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.error = error


def check_count(count: int, room: int) -> None:
    """Check *count* more partitions against what one request may still add; raises Refused."""
    if count > room:
        raise Refused(
            ErrorCode.POLICY_VIOLATION,
            f"a request may add {NEW_PARTITIONS_MAX} partitions, {room} are left for these {count}",
        )


def live_racks(cache: MetadataCache) -> Racks:
    """The live brokers; all without a rack when one of them has none."""
    brokers = cache.brokers.values()
    has_racks = all(broker.rack is not None for broker in brokers)
    return {BrokerId(one.broker_id): one.rack if has_racks else None for one in brokers}


def new_layout(
    cache: MetadataCache, random_stream: RandomStream, partition_count: int, replication_factor: int
) -> Layout:
    """Place a topic, beginning at a random broker.

    Raises:
        TooFewBrokers: fewer brokers are live than *replication_factor*.
    """
    racks = live_racks(cache)
    bound = max(1, len(racks))
    placement = Placement(start_index=random_stream.below(bound), shift=random_stream.below(bound))
    return place(
        racks,
        partition_count=partition_count,
        replication_factor=replication_factor,
        placement=placement,
    )


def check_replicas(cache: MetadataCache, lists: Sequence[tuple[BrokerId, ...]]) -> None:
    """Check lists of replicas by Kafka's rules; raises Refused."""
    for replicas in lists:
        problem = None
        unknown = [str(one) for one in replicas if one not in cache.brokers]
        if not replicas:
            problem = "a partition without replicas"
        elif len(set(replicas)) < len(replicas):
            problem = f"a broker twice in {list(replicas)}"
        elif len(replicas) != len(lists[0]):
            problem = "partitions with different numbers of replicas"
        elif unknown:
            problem = f"brokers that are not alive: {', '.join(unknown)}"
        if problem is not None:
            raise Refused(ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"the assignment names {problem}")
