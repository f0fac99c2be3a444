"""The partitions that are added to a topic.

Source: Kafka's AdminZkClient.addPartitions.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.topics.placement import Refused, check_replicas, live_racks
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.model.placement import Layout, TooFewBrokers, place, placement_of_more
from cluster.model.topic import PartitionAssignment

Partitions: TypeAlias = Mapping[int, PartitionAssignment]


class LargerTopic(NamedTuple):
    """A requested size of a topic; *assignments* are those of the partitions to add, if named."""

    name: str
    partition_count: int
    assignments: Sequence[tuple[BrokerId, ...]] | None


def known_partitions(cache: MetadataCache, topic: str) -> Partitions:
    return {
        index: PartitionAssignment(tuple(map(BrokerId, known.replicas)))
        for index, known in cache.partitions_of(topic).items()
    }


def partitions_to_add(
    cache: MetadataCache, topic: LargerTopic, existing: Partitions
) -> Layout | ApiError:
    """The partitions to add to the *existing* ones; else the error."""
    try:
        return checked(cache, topic, existing)
    except Refused as refused:
        return ApiError(refused.error, str(refused))


def checked(cache: MetadataCache, topic: LargerTopic, existing: Partitions) -> Layout:
    """As `partitions_to_add`; raises Refused."""
    if any(assignment.is_reassigning for assignment in existing.values()):
        raise Refused(
            ErrorCode.REASSIGNMENT_IN_PROGRESS,
            f"partitions of topic '{topic.name}' are being reassigned",
        )
    if sorted(existing) != list(range(len(existing))) or not existing or not existing[0].replicas:
        # A znode damaged by hand: numbers counted from its end would collide with existing ones.
        numbers = ", ".join(map(str, sorted(existing)[:10])) or "none"
        raise Refused(
            ErrorCode.INVALID_PARTITIONS,
            f"topic '{topic.name}' is damaged: its partitions must be numbered from 0, each with"
            f" replicas, and are {numbers}{', …' if len(existing) > 10 else ''}",
        )
    first, wanted = len(existing), topic.partition_count
    if wanted <= first:
        relation = "already has" if wanted == first else "has more than that,"
        raise Refused(
            ErrorCode.INVALID_PARTITIONS,
            f"topic '{topic.name}' {relation} {first} partitions, {wanted} would be no increase",
        )
    replicas = tuple(dict.fromkeys(existing[0].replicas))
    if topic.assignments is not None:
        return assigned(cache, topic, first, len(replicas))
    racks = live_racks(cache)
    if not racks:
        raise Refused(ErrorCode.INVALID_PARTITIONS, "no broker is alive")
    try:
        return place(
            racks,
            partition_count=wanted - first,
            replication_factor=len(replicas),
            placement=placement_of_more(racks, replicas[0], is_rack_aware=True),
            first_partition=first,
        )
    except TooFewBrokers as error:
        raise Refused(ErrorCode.INVALID_REPLICATION_FACTOR, str(error)) from error


def assigned(
    cache: MetadataCache, topic: LargerTopic, first: int, replication_factor: int
) -> Layout:
    lists = list(topic.assignments or ())
    if len(lists) != topic.partition_count - first:
        raise Refused(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"{topic.partition_count - first} partitions are to be added,"
            f" the assignment names {len(lists)}",
        )
    check_replicas(cache, lists)
    if len(lists[0]) != replication_factor:
        raise Refused(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"the topic has replication factor {replication_factor}, the assignment"
            f" {len(lists[0])}",
        )
    return dict(enumerate(lists, first))
