"""What a request may cost: an answer is no larger than what was asked, and counts are bounded."""

from collections.abc import Callable, Generator
from itertools import islice
from typing import Any

import pytest

from cluster.api import alter_replica_log_dirs, describe_log_dirs
from cluster.api.describe_configs import ConfigReader
from cluster.api.dispatch import ELEMENTS_MAX, SERVED
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.replica_manager import fetch_sessions
from cluster.broker.replica_manager.fetch_sessions import FetchSessions
from cluster.broker.replica_manager.partitions import Partitions
from cluster.broker.topics.placement import NEW_PARTITIONS_MAX
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_request, encode_request
from cluster.wire.errors import MalformedFrameError
from cluster.wire.messages.acls import (
    AclCreation,
    CreateAclsRequest,
    DeleteAclsFilter,
    DeleteAclsRequest,
)
from cluster.wire.messages.alter_partition import (
    AlterPartitionRequest,
    BrokerState,
    PartitionData,
    TopicData,
)
from cluster.wire.messages.configs import DescribeConfigsRequest, DescribeConfigsResource
from cluster.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from cluster.wire.messages.log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
)
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from cluster.wire.messages.producers import DescribeProducersRequest, TopicRequest
from cluster.wire.messages.topics import (
    CreatableTopic,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
    CreateTopicsRequest,
)
from tests.cluster.api.world import TOPIC_ID, Answer, World

TOPIC, BROKER = 2, 4
BIG = 2**31 - 1
REPEATED = [(0, -1), (1, -2), (0, -2), (0, 5)]
"""Numbers of partitions, and the times that are asked of each."""


def test_metadata_tells_of_a_topic_once_whatever_ids_stand_beside_its_name(world: World):
    world.tell_all({"orders": {0: [1]}})
    asked = [MetadataRequestTopic(bytes([n]) * 16, "orders") for n in range(50)]

    body = world.ask_now(ApiKey.METADATA, MetadataRequest(asked), 11)

    assert ["orders"] == [topic.name for topic in body.topics]


def test_metadata_tells_of_a_topic_once_by_its_id(world: World):
    world.tell_all({"orders": {0: [1]}})
    asked = [MetadataRequestTopic(TOPIC_ID, None)] * 50

    body = world.ask_now(ApiKey.METADATA, MetadataRequest(asked), 12)

    assert ["orders"] == [topic.name for topic in body.topics]


@pytest.mark.parametrize("resource", [(TOPIC, "orders"), (BROKER, "1"), (BROKER, ""), (TOPIC, "?")])
def test_configs_are_described_once(world: World, resource: tuple[int, str]):
    world.tell_all({"orders": {0: [1]}})
    asked = [DescribeConfigsResource(*resource, None)] * 50

    body = world.ask_now(ApiKey.DESCRIBE_CONFIGS, DescribeConfigsRequest(asked))

    assert [resource] == [(one.resource_type, one.resource_name) for one in body.results]


@pytest.mark.parametrize("resource", [(TOPIC, "orders"), (BROKER, "1"), (TOPIC, "?"), (99, "x")])
def test_between_two_configs_and_between_two_resources_others_have_their_turn(
    world: World, resource: tuple[int, str]
):
    """What may be done in one go is what lies between two steps."""
    world.tell_all({"orders": {0: [1]}})
    keys = [[f"no.such.{number}"] for number in range(50)]
    asked = DescribeConfigsRequest([DescribeConfigsResource(*resource, key) for key in keys])
    whole = DescribeConfigsRequest([DescribeConfigsResource(*resource, None)])

    broker = world.broker
    reader = ConfigReader(broker.ports, broker.cache, broker.refused_partitions)
    many, _ = steps_of(reader.answer(asked, {"orders": {}}))
    steps, response = steps_of(reader.answer(whole, {"orders": {}}))

    assert len(keys) <= many
    assert len(response.results[0].configs) < steps


def test_a_topic_that_comes_into_being_while_configs_are_read_is_not_there_yet(world: World):
    world.tell_all({"orders": {0: [1]}})
    asked = [DescribeConfigsResource(TOPIC, name, None) for name in ("orders", "new")]

    answer = world.ask(ApiKey.DESCRIBE_CONFIGS, DescribeConfigsRequest(asked))
    world.tell_all({"new": {0: [1]}})
    world.settle()

    errors = [ErrorCode(one.error_code) for one in answer.body.results]
    assert [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION] == errors


def test_producers_of_a_partition_are_described_once(world: World):
    world.lead("orders", partitions=2)
    asked = [TopicRequest("orders", [0, 1, 0, 0]), TopicRequest("orders", [1])]

    body = world.ask_now(ApiKey.DESCRIBE_PRODUCERS, DescribeProducersRequest(asked))

    parts = [[one.partition_index for one in topic.partitions] for topic in body.topics]
    assert [[0, 1], []] == parts


def test_what_is_asked_of_log_directories_again_and_again_is_looked_for_once(world: World):
    """Two million names of a partition were two seconds of the broker's time."""
    world.lead("orders", partitions=2)
    world.lead("payments")
    repeated = [DescribableLogDirTopic("orders", [1] * 400_000)] * 2
    body = DescribeLogDirsRequest([*repeated, DescribableLogDirTopic("payments", range(2500))])

    answer = describe_log_dirs.answer(world.broker.ports, world.broker.partitions, body)
    steps = list(islice(answer, 2000))
    (result,) = world.ask_now(ApiKey.DESCRIBE_LOG_DIRS, body).results

    assert len(steps) < 1000
    assert {"orders": [1], "payments": [0]} == {
        topic.name: [one.partition_index for one in topic.partitions] for topic in result.topics
    }


@pytest.mark.slow
def test_log_directories_are_asked_for_no_more_partitions_than_a_broker_has():
    def taken(count: int) -> Any:
        topics = [DescribableLogDirTopic("orders", [0])] * count
        return decoded(ApiKey.DESCRIBE_LOG_DIRS, 4, DescribeLogDirsRequest(topics))

    assert 40_000 == len(taken(40_000).topics)
    with pytest.raises(MalformedFrameError, match="more elements"):
        taken(100_001)


def test_between_two_replicas_that_shall_move_others_have_their_turn(world: World):
    asked = AlterReplicaLogDir("/data", [AlterReplicaLogDirTopic("payments", range(500))])
    answer = Answer(ApiKey.ALTER_REPLICA_LOG_DIRS, 2)

    reading = alter_replica_log_dirs.alter(
        world.broker.log_dir_moves, AlterReplicaLogDirsRequest([asked]), answer
    )
    assert (500, None) == steps_of(reading)
    while answer.is_waiting:
        world.clock.advance(0)

    (topic,) = answer.body.results
    codes = {one.partition_index: ErrorCode(one.error_code) for one in topic.partitions}
    assert (
        500
        == steps_of(
            alter_replica_log_dirs.answer(
                {TopicPartition("payments", index): code for index, code in codes.items()}
            )
        )[0]
    )
    assert dict.fromkeys(range(500), ErrorCode.REPLICA_NOT_AVAILABLE) == codes


def test_offsets_of_a_partition_that_is_named_again_are_not_looked_for(world: World):
    """For a time records are read, and Kafka refuses it as well."""
    world.lead("orders", partitions=2)
    asked = [ListOffsetsPartition(index, -1, timestamp) for index, timestamp in REPEATED]
    topics = [ListOffsetsTopic("orders", asked[:2]), ListOffsetsTopic("orders", asked[2:])]

    body = world.ask_now(ApiKey.LIST_OFFSETS, ListOffsetsRequest(-1, 0, topics))

    refused = ErrorCode.INVALID_REQUEST
    assert [[(0, refused), (1, 0)], [(0, refused), (0, refused)]] == [
        [(one.partition_index, one.error_code) for one in topic.partitions] for topic in body.topics
    ]


def test_topics_with_very_many_partitions_are_not_made(world: World):
    world.tell_all({})
    asked = [
        CreatableTopic("huge", BIG, 1),
        CreatableTopic("first", NEW_PARTITIONS_MAX - 1, 1),
        CreatableTopic("too-many", 2, 1),
        CreatableTopic("last", 1, 1),
    ]

    body = world.ask_now(ApiKey.CREATE_TOPICS, CreateTopicsRequest(asked, 0, validate_only=True))

    refused = ErrorCode.POLICY_VIOLATION
    assert [refused, 0, refused, 0] == [topic.error_code for topic in body.topics]
    assert (
        "a request may add 10000 partitions, 1 are left for these 2" == body.topics[2].error_message
    )


def test_very_many_partitions_are_not_added(world: World):
    world.lead("orders", partitions=3)
    world.lead("payments")

    def asked(*counts: tuple[str, int]):
        topics = [CreatePartitionsTopic(name, count, None) for name, count in counts]
        request = CreatePartitionsRequest(topics, 0, True)
        return [one.error_code for one in world.ask_now(ApiKey.CREATE_PARTITIONS, request).results]

    refused = ErrorCode.POLICY_VIOLATION
    assert [refused] == asked(("orders", BIG))
    assert [0, refused] == asked(("orders", NEW_PARTITIONS_MAX + 3), ("payments", 2))
    assert [0, 0] == asked(("orders", NEW_PARTITIONS_MAX + 2), ("payments", 2))


def test_a_fetch_that_waits_listens_once_to_each_partition(world: World):
    world.lead("orders")
    parts = [FetchPartition(0, 0, 0, partition_max_bytes=1000)] * 50
    request = FetchRequest(
        max_wait_ms=500,
        min_bytes=1,
        session_epoch=-1,
        topics=[FetchTopic("orders", partitions=parts)],
    )

    answer = world.ask(ApiKey.FETCH, request, 12)

    assert answer.is_waiting
    assert 1 == world.watcher_count
    world.produce()
    assert 50 == len(answer.body.responses[0].partitions)
    assert 0 == world.watcher_count


def fetch(world: World, session_id: int, epoch: int, parts: range, forgotten: range = range(0)):
    topics = [FetchTopic("orders", partitions=[FetchPartition(index) for index in parts])]
    request = FetchRequest(session_id=session_id, session_epoch=epoch, topics=topics)
    return world.ask_now(ApiKey.FETCH, request, 12)


def test_a_session_has_a_bounded_number_of_partitions(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(fetch_sessions, "SESSION_PARTS_MAX", 10)

    assert 0 == fetch(world, 0, 0, range(11)).session_id
    session_id = fetch(world, 0, 0, range(9)).session_id
    assert 0 < session_id
    assert ErrorCode.NONE == fetch(world, session_id, 1, range(9, 10)).error_code
    grown = fetch(world, session_id, 2, range(10, 11))
    assert ErrorCode.FETCH_SESSION_ID_NOT_FOUND == grown.error_code
    assert 0 == len(world.broker.fetch_sessions)


def test_all_sessions_have_a_bounded_number_of_partitions(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(fetch_sessions, "PARTS_MAX", 10)
    first = fetch(world, 0, 0, range(6)).session_id
    second = fetch(world, 0, 0, range(4)).session_id

    assert 0 < first < second
    assert 0 == fetch(world, 0, 0, range(1)).session_id
    # What one lets go of, another may have.
    fetch(world, first, -1, range(1))
    third = fetch(world, 0, 0, range(5)).session_id
    assert 0 < third
    assert 0 == fetch(world, third, 1, range(5, 6)).error_code
    grown = fetch(world, third, 2, range(6, 7))
    assert ErrorCode.FETCH_SESSION_ID_NOT_FOUND == grown.error_code
    assert 0 < fetch(world, 0, 0, range(6)).session_id


def test_partitions_of_sessions_that_are_evicted_count_no_more(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fetch_sessions, "PARTS_MAX", 10)
    sessions = FetchSessions(1, first_id=1)
    parts = [("orders", FetchPartition(index)) for index in range(10)]

    def has_room(now_ms: int) -> bool:
        begun = sessions.begin(
            parts,
            Partitions(MetadataCache()),
            now_ms,
            uses_ids=False,
            replica_id=-1,
            replica_epoch=-1,
            isolation_level=0,
        )
        return begun is not None

    assert has_room(0)
    assert not has_room(1)
    assert has_room(fetch_sessions.EVICTION_MS)


@pytest.mark.slow
def test_a_leader_may_propose_all_its_isrs_at_once_as_kafka_s_do():
    """For a cluster's leaderships of 10,000 partitions, with three members each."""
    isr = tuple(BrokerState(one, 5) for one in (1, 2, 3))
    parts = tuple(PartitionData(index, new_isr_with_epochs=isr) for index in range(10_000))
    request = AlterPartitionRequest(2, 77, (TopicData(topic_id=TOPIC_ID, partitions=parts),))

    assert request == decoded(ApiKey.ALTER_PARTITION, 3, request)


@pytest.mark.parametrize(
    ("key", "body"),
    [
        (ApiKey.CREATE_ACLS, lambda n: CreateAclsRequest([AclCreation(2, "orders")] * n)),
        (ApiKey.DELETE_ACLS, lambda n: DeleteAclsRequest([DeleteAclsFilter(2, "orders")] * n)),
    ],
    ids=["create", "delete"],
)
@pytest.mark.slow
def test_no_more_acls_are_answered_for_than_keep_nobody_waiting(
    key: ApiKey, body: Callable[[int], Any]
):
    """300,000 were answered in one go, in a quarter of a second, with 12 MB of one sentence."""
    assert len(decoded(key, 3, body(10_000))[0]) == 10_000
    with pytest.raises(MalformedFrameError, match="more elements"):
        decoded(key, 3, body(10_001))


def test_producers_of_no_more_partitions_are_told_than_a_cluster_has():
    """Each number is answered with a struct: two million were answered with 18 MB, from 1.3 GB."""

    def taken(count: int) -> Any:
        request = DescribeProducersRequest([TopicRequest("orders", range(count))])
        return decoded(ApiKey.DESCRIBE_PRODUCERS, 0, request)

    assert 150_000 == len(taken(150_000).topics[0].partition_indexes)
    with pytest.raises(MalformedFrameError, match="more elements"):
        taken(200_000)


def decoded(key: ApiKey, version: int, body: Any) -> Any:
    """*body* as it comes out of a large request."""
    frame = memoryview(b"".join(encode_request(key, version, 1, None, body)))[4:]  # type: ignore[arg-type]
    return all_steps(decode_request(frame, SERVED, ELEMENTS_MAX).body)  # type: ignore[arg-type]


def steps_of(steps: Generator[None, None, Any]) -> tuple[int, Any]:
    """How many there are, and what they come to."""
    count = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return count, end.value
        count += 1


def all_steps(steps: Generator[None, None, Any]) -> Any:
    return steps_of(steps)[1]


def test_what_costs_more_than_others_has_a_bound_of_its_own():
    assert ELEMENTS_MAX.keys() <= SERVED.keys()
    assert {10_000, 20_000, 100_000} == set(ELEMENTS_MAX.values())
