"""What do members of groups, and operators, ask a coordinator, and what are they answered?"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from cluster.api.find_coordinator import PATIENCE_MS
from cluster.broker.authorizer import Permission
from cluster.broker.ports import ApiSettings, GroupSettings
from cluster.group.config import GroupConfig
from cluster.model.acl import AclOperation, ResourceType
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import OFFSETS_TOPIC, TopicPartition
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.find_coordinator import FindCoordinatorRequest
from cluster.wire.messages.group_members import (
    HeartbeatRequest,
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    LeaveGroupRequest,
    MemberIdentity,
    SyncGroupRequest,
    SyncGroupRequestAssignment,
)
from cluster.wire.messages.groups import (
    DeleteGroupsRequest,
    DescribeGroupsRequest,
    ListGroupsRequest,
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from cluster.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from cluster.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
from tests.cluster.api.world import ME, PEER, Answer, World, versions

GROUPS = GroupSettings(
    config=GroupConfig(initial_rebalance_delay_ms=0), partition_count=1, replication_factor=1
)
SETTINGS = ApiSettings(groups=GROUPS)
NONE = ErrorCode.NONE
RANGE = JoinGroupRequestProtocol("range", b"metadata")
ALICE = PEER._replace(principal="User:alice")


def coordinating(settings: ApiSettings = SETTINGS, *, partitions: int = 1, **options: Any) -> World:
    """A broker that coordinates all groups, in a cluster with the topic `orders`."""
    world = World(settings, **options)
    world.lead(partitions=partitions)
    world.lead(OFFSETS_TOPIC, topic_id=b"\1" * 16)
    return world


@pytest.fixture
def world() -> Iterator[World]:
    made = coordinating()
    yield made
    assert 0 == made.watcher_count


def join(world: World, version: int = 9, member_id: str = "", **other: Any) -> Any:
    body = JoinGroupRequest("g", 10_000, 60_000, member_id, None, "consumer", [RANGE])
    answer = world.ask(ApiKey.JOIN_GROUP, body._replace(**other), version)
    world.clock.advance(0)
    return answer.body


def sync(world: World, joined: Any, version: int = 5) -> Any:
    given = [SyncGroupRequestAssignment(joined.member_id, b"yours")]
    body = SyncGroupRequest(
        "g", joined.generation_id, joined.member_id, None, "consumer", "range", given
    )
    return world.ask_now(ApiKey.SYNC_GROUP, body, version)


def member_of(world: World) -> Any:
    """What the only member of the group was answered, which is stable."""
    joined = join(world, 3)
    assert NONE == sync(world, joined).error_code
    return joined


def commit(
    world: World, joined: Any = None, version: int = 9, topic: str = "orders", **part: Any
) -> ErrorCode:
    offset = OffsetCommitRequestPartition(0, 42, 3, -1, "note")._replace(**part)
    generation, member_id = (-1, "") if joined is None else (joined.generation_id, joined.member_id)
    topics = [OffsetCommitRequestTopic(topic, [offset])]
    body = OffsetCommitRequest("g", generation, member_id, None, -1, topics)
    (answered,) = world.ask_now(ApiKey.OFFSET_COMMIT, body, version).topics
    (one,) = answered.partitions
    return ErrorCode(one.error_code)


def fetched(world: World, version: int = 9, *, topics: Any = None) -> Any:
    if topics is None and version < 2:
        topics = [OffsetFetchRequestTopic("orders", [0])]
    group = OffsetFetchRequestGroup("g", topics=topics)
    several = version >= 8
    return world.ask_now(
        ApiKey.OFFSET_FETCH,
        OffsetFetchRequest("" if several else "g", None if several else topics, [group]),
        version,
    )


def offsets(body: Any, version: int = 9) -> list[tuple[Any, ...]]:
    topics = body.groups[0].topics if version >= 8 else body.topics
    return [
        (topic.name, one.partition_index, one.committed_offset, one.metadata, one.error_code)
        for topic in topics
        for one in topic.partitions
    ]


def asked(world: World, version: int, key_type: int = 0) -> Answer:
    body = FindCoordinatorRequest("g", key_type, ["g"] if version >= 4 else [])
    answer = world.ask(ApiKey.FIND_COORDINATOR, body, version)
    world.settle()
    return answer


def found(answer: Answer) -> tuple[int, int]:
    """The error, and the broker."""
    assert not answer.is_waiting
    one = getattr(answer.body, "coordinators", None) or [answer.body]
    return one[0].error_code, one[0].node_id


def find(world: World, version: int, key_type: int = 0) -> tuple[int, int]:
    return found(asked(world, version, key_type))


@pytest.mark.parametrize("version", versions(ApiKey.FIND_COORDINATOR))
def test_the_leader_of_its_partition_coordinates_a_group(world: World, version: int):
    assert (NONE, ME) == find(world, version)


@pytest.mark.parametrize("version", versions(ApiKey.FIND_COORDINATOR))
def test_the_first_group_makes_the_offsets_topic_and_waits_for_its_coordinator(version: int):
    world = World(ApiSettings(groups=replace(GROUPS, partition_count=3)))
    world.tell_all({}, brokers=[ME])

    answers = [asked(world, version) for _ in range(2)]

    assert all(each.is_waiting for each in answers)
    assert {0, 1, 2} == set(world.store.topics[OFFSETS_TOPIC])
    assert {
        "cleanup.policy": "compact",
        "compression.type": "producer",
        "segment.bytes": "104857600",
    } == world.store.configs[OFFSETS_TOPIC]
    world.tell_all({OFFSETS_TOPIC: {number: [ME] for number in range(3)}}, brokers=[ME])
    assert [(NONE, ME)] * 2 == [found(each) for each in answers]


def test_a_coordinator_is_not_waited_for_without_end():
    world = World(SETTINGS)
    world.tell_all({}, brokers=[ME])

    answer = asked(world, 3)
    world.clock.advance(PATIENCE_MS)

    assert (ErrorCode.COORDINATOR_NOT_AVAILABLE, -1) == found(answer)


def test_the_offsets_topic_is_not_waited_for_with_too_few_brokers():
    world = World(ApiSettings(groups=replace(GROUPS, replication_factor=3)))
    world.tell_all({}, brokers=[ME])

    assert (ErrorCode.COORDINATOR_NOT_AVAILABLE, -1) == find(world, 3)
    assert {} == world.store.topics
    assert 1 == len(world.journal.warnings)


def test_the_offsets_topic_waits_for_the_controller():
    world = World(SETTINGS)

    early = asked(world, 3)
    assert {} == world.store.topics
    world.clock.advance(PATIENCE_MS)
    assert (ErrorCode.COORDINATOR_NOT_AVAILABLE, -1) == found(early)

    late = asked(world, 3)
    world.tell_all({OFFSETS_TOPIC: {0: [ME]}}, brokers=[ME])
    assert (NONE, ME) == found(late)


def test_a_coordinator_that_is_dead_or_elsewhere_is_none(world: World):
    world.tell_all({OFFSETS_TOPIC: {0: [7]}}, leaders={(OFFSETS_TOPIC, 0): 7})

    assert (ErrorCode.COORDINATOR_NOT_AVAILABLE, -1) == find(world, 3)


@pytest.mark.parametrize("version", [3, 4])
def test_transactions_have_no_coordinator(world: World, version: int):
    error = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED

    assert (error, -1) == find(world, version, key_type=1)
    assert (ErrorCode.INVALID_REQUEST, -1) == find(world, version, key_type=2)
    body = asked(world, version, key_type=1).body
    (refused,) = getattr(body, "coordinators", None) or [body]
    assert "transactions are not supported by this broker" == refused.error_message


@pytest.mark.parametrize("version", versions(ApiKey.JOIN_GROUP))
def test_a_member_joins(world: World, version: int):
    joined = join(world, version)
    if version >= 4:
        assert (ErrorCode.MEMBER_ID_REQUIRED, -1) == (joined.error_code, joined.generation_id)
        joined = join(world, version, joined.member_id)

    assert (NONE, 1) == (joined.error_code, joined.generation_id)
    assert joined.member_id == joined.leader
    assert joined.member_id.startswith("test-")
    assert ("range", [b"metadata"]) == (
        joined.protocol_name,
        [bytes(one.metadata) for one in joined.members],
    )
    if version >= 7:
        assert "consumer" == joined.protocol_type


@pytest.mark.parametrize("version", [6, 7])
def test_a_refusal_names_no_protocol(world: World, version: int):
    refused = join(world, version, session_timeout_ms=1)

    assert ErrorCode.INVALID_SESSION_TIMEOUT == refused.error_code
    assert ("" if version < 7 else None) == refused.protocol_name


def test_the_oldest_members_have_one_timeout(world: World):
    joined = join(world, 0)
    another = join(world, 0, protocols=[RANGE])
    world.clock.advance(10_001)

    assert joined.generation_id == 1
    assert another is not None


@pytest.mark.parametrize("version", versions(ApiKey.SYNC_GROUP))
def test_a_member_gets_its_assignment(world: World, version: int):
    synced = sync(world, join(world, 3), version)

    assert (NONE, b"yours") == (synced.error_code, bytes(synced.assignment))
    if version >= 5:
        assert ("consumer", "range") == (synced.protocol_type, synced.protocol_name)


def test_a_member_has_to_name_the_protocol(world: World):
    joined = join(world, 3)
    body = SyncGroupRequest("g", 1, joined.member_id)

    refused = world.ask_now(ApiKey.SYNC_GROUP, body, 5)

    assert ErrorCode.INCONSISTENT_GROUP_PROTOCOL == refused.error_code


@pytest.mark.parametrize("version", versions(ApiKey.HEARTBEAT))
def test_a_heartbeat_is_for_a_generation(world: World, version: int):
    joined = member_of(world)

    errors = [
        world.ask_now(
            ApiKey.HEARTBEAT, HeartbeatRequest("g", generation, joined.member_id), version
        ).error_code
        for generation in (1, 2)
    ]

    assert [NONE, ErrorCode.ILLEGAL_GENERATION] == errors


def test_a_member_without_heartbeats_is_gone(world: World):
    joined = member_of(world)

    world.clock.advance(10_001)
    body = HeartbeatRequest("g", 1, joined.member_id)

    assert ErrorCode.UNKNOWN_MEMBER_ID == world.ask_now(ApiKey.HEARTBEAT, body).error_code


@pytest.mark.parametrize("version", versions(ApiKey.LEAVE_GROUP))
def test_a_member_leaves_once(world: World, version: int):
    joined = member_of(world)
    body = LeaveGroupRequest("g", joined.member_id, [MemberIdentity(joined.member_id)])

    answers = [world.ask_now(ApiKey.LEAVE_GROUP, body, version) for _ in range(2)]

    errors = [one.members[0].error_code if version >= 3 else one.error_code for one in answers]
    assert [NONE, ErrorCode.UNKNOWN_MEMBER_ID] == errors


@pytest.mark.parametrize("version", versions(ApiKey.OFFSET_COMMIT)[1:])
def test_a_member_commits(world: World, version: int):
    assert NONE is commit(world, member_of(world), version)
    assert [("orders", 0, 42, "note", NONE)] == offsets(fetched(world))


@pytest.mark.parametrize("version", versions(ApiKey.OFFSET_FETCH)[1:])
def test_what_was_committed_is_fetched(world: World, version: int):
    commit(world, committed_metadata=None)
    asked = [OffsetFetchRequestTopic("orders", [0, 1])]

    found = offsets(fetched(world, version, topics=asked), version)

    assert [("orders", 0, 42, "", NONE), ("orders", 1, -1, "", NONE)] == found
    if version >= 2:
        assert found[:1] == offsets(fetched(world, version), version)


@pytest.mark.parametrize("version", versions(ApiKey.OFFSET_FETCH)[1:])
def test_a_topic_that_is_asked_for_twice_is_answered_twice(world: World, version: int):
    commit(world)
    asked = [OffsetFetchRequestTopic("orders", [0]), OffsetFetchRequestTopic("orders", [1])]

    found = offsets(fetched(world, version, topics=asked), version)

    assert [("orders", 0, 42, "note", NONE), ("orders", 1, -1, "", NONE)] == found


@pytest.mark.parametrize("version", versions(ApiKey.OFFSET_FETCH)[1:])
def test_offsets_are_fetched_of_the_coordinator_alone(version: int):
    world = World(SETTINGS)
    body = fetched(world, version)

    error = ErrorCode.NOT_COORDINATOR
    if version >= 8:
        assert error == body.groups[0].error_code
    elif version >= 2:
        assert error == body.error_code
    else:
        assert [("orders", 0, -1, "", error)] == offsets(body, version)


def test_version_0_keeps_offsets_in_zookeeper_without_a_coordinator():
    world = World(SETTINGS)
    world.lead()
    asked = [OffsetFetchRequestTopic("orders", [0, 1]), OffsetFetchRequestTopic("payments", [0])]
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    nothing = offsets(fetched(world, 0, topics=asked), 0)
    assert NONE is commit(world, version=0)

    assert {"g": {TopicPartition("orders", 0): 42}} == world.store.consumer_offsets
    nowhere = [("orders", 1, -1, "", unknown), ("payments", 0, -1, "", unknown)]
    assert [("orders", 0, -1, "", unknown), *nowhere] == nothing
    assert [("orders", 0, 42, "", NONE), *nowhere] == offsets(fetched(world, 0, topics=asked), 0)


def test_what_cannot_be_kept_in_zookeeper_is_refused(world: World):
    too_large = commit(world, version=0, committed_metadata="x" * 4097)
    unknown = commit(world, version=0, topic="payments")
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")

    assert [ErrorCode.OFFSET_METADATA_TOO_LARGE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION] == [
        too_large,
        unknown,
    ]
    assert ErrorCode.BROKER_NOT_AVAILABLE is commit(world, version=0)
    failed = offsets(fetched(world, 0), 0)
    assert [("orders", 0, -1, "", ErrorCode.BROKER_NOT_AVAILABLE)] == failed
    assert not any(world.store.consumer_offsets.values())


def test_offsets_of_unknown_partitions_are_not_kept(world: World):
    error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    assert error is commit(world, topic="payments")
    assert error is commit(world, partition_index=1)
    assert [] == offsets(fetched(world))


def test_a_broker_that_does_not_coordinate_the_group_says_so_of_unknown_topics():
    """One that has just started knows no topic: its clients ask another, and give up none."""
    world = World(SETTINGS)

    assert ErrorCode.NOT_COORDINATOR is commit(world)


def test_an_offset_may_have_a_retention_of_its_own(world: World):
    topics = [OffsetCommitRequestTopic("orders", [OffsetCommitRequestPartition(0, 42)])]
    body = OffsetCommitRequest("g", -1, "", None, 1000, topics)
    world.ask_now(ApiKey.OFFSET_COMMIT, body, 4)
    service = world.broker.group_service

    service.expire_offsets(world.clock.wall_ms() + 999)
    kept = offsets(fetched(world))
    service.expire_offsets(world.clock.wall_ms() + 1000)

    assert [("orders", 0, 42, "", NONE)] == kept
    assert [] == offsets(fetched(world))


def test_a_retention_beyond_all_times_lasts_as_long_as_there_are_times(world: World):
    """A client that says 2^63-1 for "for ever" is not refused."""
    topics = [OffsetCommitRequestTopic("orders", [OffsetCommitRequestPartition(0, 42)])]
    body = OffsetCommitRequest("g", -1, "", None, 2**63 - 1, topics)

    answer = world.ask_now(ApiKey.OFFSET_COMMIT, body, 4)

    assert NONE is ErrorCode(answer.topics[0].partitions[0].error_code)
    world.broker.group_service.expire_offsets(2**62)
    assert [("orders", 0, 42, "", NONE)] == offsets(fetched(world))


@pytest.mark.parametrize("version", versions(ApiKey.OFFSET_DELETE))
def test_offsets_are_deleted(world: World, version: int):
    commit(world)
    parts = [OffsetDeleteRequestPartition(0), OffsetDeleteRequestPartition(9)]
    body = OffsetDeleteRequest("g", [OffsetDeleteRequestTopic("orders", parts)])

    answer = world.ask_now(ApiKey.OFFSET_DELETE, body, version)

    errors = [one.error_code for one in answer.topics[0].partitions]
    assert (NONE, [NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]) == (answer.error_code, errors)
    again = world.ask_now(ApiKey.OFFSET_DELETE, body, version)
    assert ErrorCode.GROUP_ID_NOT_FOUND == again.error_code


@pytest.mark.parametrize("version", versions(ApiKey.DESCRIBE_GROUPS))
def test_groups_are_described(world: World, version: int):
    joined = member_of(world)

    body = DescribeGroupsRequest(["g", "none"], version >= 3)
    group, none = world.ask_now(ApiKey.DESCRIBE_GROUPS, body, version).groups

    assert ("Stable", "consumer", "range") == (
        group.group_state,
        group.protocol_type,
        group.protocol_data,
    )
    (member,) = group.members
    assert (joined.member_id, "test", f"/{PEER.host}") == (
        member.member_id,
        member.client_id,
        member.client_host,
    )
    assert (b"metadata", b"yours") == (member.member_metadata, member.member_assignment)
    assert ("Dead", NONE) == (none.group_state, none.error_code)
    if version >= 3:
        assert 1 << 3 | 1 << 6 | 1 << 8 == group.authorized_operations


@pytest.mark.parametrize("version", versions(ApiKey.LIST_GROUPS))
def test_groups_are_listed(world: World, version: int):
    member_of(world)

    def listed(*states: str) -> list[Any]:
        body = ListGroupsRequest(states)
        return list(world.ask_now(ApiKey.LIST_GROUPS, body, version).groups)

    (group,) = listed()
    assert ("g", "consumer") == (group.group_id, group.protocol_type)
    if version >= 4:
        assert "Stable" == group.group_state
        assert ([group], []) == (listed("stable"), listed("Empty"))


@pytest.mark.parametrize("version", versions(ApiKey.DELETE_GROUPS))
def test_groups_without_members_are_deleted(world: World, version: int):
    joined = member_of(world)

    def delete() -> list[tuple[str, int]]:
        body = DeleteGroupsRequest(["g", "none", "g"])
        return [tuple(one) for one in world.ask_now(ApiKey.DELETE_GROUPS, body, version).results]

    alive = delete()
    world.ask_now(ApiKey.LEAVE_GROUP, LeaveGroupRequest("g", joined.member_id), 0)

    none = ("none", ErrorCode.GROUP_ID_NOT_FOUND)
    assert [("g", ErrorCode.NON_EMPTY_GROUP), none] == alive
    assert [("g", NONE), none] == delete()


def test_offsets_of_topics_need_a_permission_for_topics():
    class OnlyGroups:
        def allows(self, principal: str, permission: Permission) -> bool:
            return permission.resource_type is not ResourceType.TOPIC or (
                permission.operation not in (AclOperation.READ, AclOperation.DESCRIBE)
            )

    world = coordinating(authorizer=OnlyGroups())
    asked = [OffsetFetchRequestTopic("orders", [0])]
    parts = [OffsetDeleteRequestPartition(0)]
    deletion = OffsetDeleteRequest("g", [OffsetDeleteRequestTopic("orders", parts)])
    error = ErrorCode.TOPIC_AUTHORIZATION_FAILED

    assert error is commit(world)
    assert [("orders", 0, -1, "", error)] == offsets(fetched(world, topics=asked))
    assert [] == offsets(fetched(world))
    member_of(world)
    answer = world.ask_now(ApiKey.OFFSET_DELETE, deletion)
    assert [error] == [one.error_code for one in answer.topics[0].partitions]
