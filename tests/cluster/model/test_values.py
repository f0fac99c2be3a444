"""What values say of themselves: topics, partitions, entities, snapshots."""

from dataclasses import replace
from typing import Any

import pytest

from cluster.model.acl import AclChange, PatternType, ResourcePattern, ResourceType
from cluster.model.broker import Endpoint
from cluster.model.cluster import FeatureLevels, FeatureStatus, FinalizedFeatures, ProducerIdBlock
from cluster.model.config_entity import NO_OVERRIDES, ConfigEntity, Entity, EntityKind
from cluster.model.errors import ClusterError, CorruptZnodeError
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition, ZkVersion
from cluster.model.snapshot import TopicSnapshot
from cluster.model.topic import PartitionAssignment, TopicAssignment


def brokers(*ids: int) -> tuple[BrokerId, ...]:
    return tuple(map(BrokerId, ids))


USER = Entity(EntityKind.USERS, "u")


def test_the_preferred_leader_is_the_first_replica_and_may_be_broker_0() -> None:
    assert PartitionAssignment(brokers(0, 1)).preferred_leader == 0
    assert PartitionAssignment(()).preferred_leader == NO_LEADER


def test_a_move_has_an_origin_and_a_target_in_order_of_preference() -> None:
    moving = PartitionAssignment(brokers(4, 1, 2), adding=brokers(4), removing=brokers(1))

    assert moving.is_reassigning
    assert (moving.origin, moving.target) == ((1, 2), (4, 2))


def test_the_way_to_a_target_begins_at_the_origin_of_the_way_before() -> None:
    moving = PartitionAssignment(brokers(4, 2, 1), adding=brokers(4), removing=brokers(1))

    assert moving.reassigned(brokers(3, 2)) == PartitionAssignment(
        brokers(3, 2, 1), adding=brokers(3), removing=brokers(1)
    )
    assert moving.reassigned(moving.target) == moving
    assert moving.reassigned(moving.origin) == PartitionAssignment(brokers(2, 1))


def test_a_topic_moves_when_one_of_its_partitions_does() -> None:
    still, moving = PartitionAssignment(brokers(1)), PartitionAssignment(brokers(1), brokers(1))

    assert not TopicAssignment(partitions={0: still}).is_reassigning
    assert TopicAssignment(partitions={0: still, 1: moving}).is_reassigning
    assert TopicAssignment(partitions={0: still, 1: moving}).reassigning == (1,)


def test_whether_a_topic_is_moved_is_looked_for_once_however_many_partitions_ask() -> None:
    class Counting(dict[int, PartitionAssignment]):
        count = 0

        def items(self) -> Any:
            self.count += 1
            return super().items()

    partitions = Counting({0: PartitionAssignment(brokers(1))})
    topic = TopicAssignment(partitions=partitions)
    moving = PartitionAssignment(brokers(1, 2), adding=brokers(2))

    assert [topic.is_reassigning for _ in range(3)] == [False] * 3
    assert partitions.count == 1
    assert replace(topic, partitions={0: moving}).is_reassigning


def test_a_replica_that_goes_does_not_count_among_the_fewest() -> None:
    still = PartitionAssignment(brokers(1, 2, 3))
    moving = PartitionAssignment(brokers(4, 1, 2), adding=brokers(4), removing=brokers(1))

    assert TopicAssignment(partitions={0: still, 1: moving}).fewest_replicas == 2
    assert TopicAssignment(partitions={}).fewest_replicas is None


@pytest.mark.parametrize(
    ("name", "is_internal"), [("__consumer_offsets", True), ("__mine", False), ("t", False)]
)
def test_only_two_topics_are_internal(name: str, is_internal: bool) -> None:
    topic = TopicSnapshot(
        name=name, assignment=TopicAssignment(partitions={}), config=NO_OVERRIDES, states={}
    )

    assert topic.is_internal is is_internal


def test_partitions_are_shown_as_kafka_shows_them_and_sorted_by_number() -> None:
    partitions = [TopicPartition("b", 0), TopicPartition("a", 10), TopicPartition("a", 9)]

    assert list(map(str, sorted(partitions))) == ["a-9", "a-10", "b-0"]


def test_an_endpoint_shows_an_ipv6_address_in_brackets() -> None:
    six = Endpoint(listener="IN", security_protocol="SSL", host="::1", port=1)
    four = Endpoint(listener="IN", security_protocol="SSL", host="127.0.0.1", port=1)

    assert (str(six), str(four)) == ("IN://[::1]:1", "IN://127.0.0.1:1")
    assert (six.address, four.address) == ("[::1]:1", "127.0.0.1:1")


def test_a_corrupt_znode_is_an_error_of_the_domain_that_names_it() -> None:
    error = CorruptZnodeError("/p", ZkVersion(0), "is odd")

    assert isinstance(error, ClusterError)
    assert str(error) == "/p (zkVersion 0): is odd"


@pytest.mark.parametrize(
    ("entity", "shown", "kind"),
    [
        (ConfigEntity(Entity(EntityKind.TOPICS, "t")), "topic 't'", EntityKind.TOPICS),
        (
            ConfigEntity(Entity(EntityKind.CLIENTS, None)),
            "default client-id",
            EntityKind.CLIENTS,
        ),
        (
            ConfigEntity(USER, Entity(EntityKind.CLIENTS, "c")),
            "user-principal 'u', client-id 'c'",
            EntityKind.CLIENTS,
        ),
    ],
)
def test_an_entity_is_shown_as_kafka_shows_it(
    entity: ConfigEntity, shown: str, kind: EntityKind
) -> None:
    assert (str(entity), entity.kind) == (shown, kind)


def test_values_that_only_our_own_bug_can_make_are_refused() -> None:
    literal = ResourcePattern(ResourceType.TOPIC, "t")
    prefixed = ResourcePattern(ResourceType.TOPIC, "t", PatternType.PREFIXED)

    with pytest.raises(AssertionError):
        ConfigEntity(Entity(EntityKind.TOPICS, "t"), Entity(EntityKind.CLIENTS, "c"))
    with pytest.raises(AssertionError):
        ConfigEntity(USER, USER)
    with pytest.raises(AssertionError):
        ProducerIdBlock(broker_id=BrokerId(0), first=1, last=0)
    with pytest.raises(AssertionError):
        FeatureLevels(max_level=1, min_level=2)
    with pytest.raises(AssertionError):
        FeatureLevels(max_level=0)
    with pytest.raises(AssertionError):
        FinalizedFeatures(
            status=FeatureStatus.ENABLED, levels={"f": FeatureLevels(2, 1)}, version=2
        )
    with pytest.raises(AssertionError):
        AclChange(resource=prefixed, spells_type_as_in_path=True)
    with pytest.raises(AssertionError):
        AclChange(resource=literal, extra={"x": 1})
