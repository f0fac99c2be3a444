"""Which topics may be made, made larger and deleted, and when is that answered?"""

from collections.abc import Mapping
from typing import Any

import pytest

from cluster.broker.ports import ApiSettings
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.model.topic import PartitionAssignment
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    DeleteTopicState,
)
from tests.cluster.api.orders import DURING_DELETION
from tests.cluster.api.world import TOPIC_ID, World, versions

OTHER_ID = bytes(15) + b"\x09"


@pytest.fixture
def world() -> World:
    made = World()
    made.tell_all({})
    return made


def create(
    world: World,
    *topics: CreatableTopic,
    timeout_ms: int = 1000,
    validates: bool = False,
    version: int = 7,
):
    body = CreateTopicsRequest(topics, timeout_ms, validates)
    answer = world.ask(ApiKey.CREATE_TOPICS, body, version)
    world.settle()
    return answer


def new(name: str = "new", partitions: int = 1, factor: int = 1, **said: Any) -> CreatableTopic:
    return CreatableTopic(name, partitions, factor, **said)


def refusal(world: World, *topics: CreatableTopic) -> tuple[ErrorCode, str]:
    """The error of the first topic, which nothing was written for."""
    result = create(world, *topics).body.topics[0]
    assert world.store.topics == {}
    return ErrorCode(result.error_code), result.error_message


# CreateTopics.


@pytest.mark.parametrize("version", versions(ApiKey.CREATE_TOPICS))
def test_a_topic_is_answered_once_it_has_leaders(world: World, version: int):
    config = CreatableTopicConfig("retention.ms", "1000")
    answer = create(world, new("new", 2, 2, configs=[config]), version=version)
    assert answer.is_waiting
    world.tell_all({"new": {0: [1, 2]}})
    assert answer.is_waiting
    world.tell_all({"new": {1: [2, 1]}})

    (result,) = answer.body.topics
    assert ("new", ErrorCode.NONE) == (result.name, result.error_code)
    assert {"retention.ms": "1000"} == world.store.configs["new"]
    assert [2, 2] == [len(one.replicas) for one in world.store.topics["new"].values()]
    if version >= 5:
        assert (2, 2) == (result.num_partitions, result.replication_factor)
        assert ("retention.ms", "1000", 1) in [
            (one.name, one.value, one.config_source) for one in result.configs
        ]
    if version >= 7:
        assert bytes(16) != result.topic_id


def test_a_partition_without_a_leader_is_waited_for(world: World):
    answer = create(world, new())
    world.tell_all({"new": {0: [1]}}, leaders={("new", 0): -1})
    assert answer.is_waiting

    world.clock.advance(1000)

    (result,) = answer.body.topics
    assert ErrorCode.REQUEST_TIMED_OUT == result.error_code
    assert ["new"] == list(world.store.topics)


def test_without_time_nothing_is_waited_for(world: World):
    answer = create(world, new(), timeout_ms=0)

    assert ErrorCode.REQUEST_TIMED_OUT == answer.body.topics[0].error_code
    assert ["new"] == list(world.store.topics)


def test_a_topic_that_is_only_tried_is_not_made(world: World):
    answer = create(world, new(partitions=3, factor=2), validates=True)

    (result,) = answer.body.topics
    assert (ErrorCode.NONE, 3, 2) == (
        result.error_code,
        result.num_partitions,
        result.replication_factor,
    )
    assert {} == world.store.topics


def test_a_topic_that_is_being_deleted_cannot_be_made_although_metadata_lacks_it(world: World):
    world.store.topics["new"] = {}

    answer = create(world, new(), validates=True)

    (result,) = answer.body.topics
    assert ErrorCode.TOPIC_ALREADY_EXISTS == result.error_code
    assert "topic 'new' already exists" == result.error_message


def test_counts_that_are_left_to_the_broker_are_its_defaults():
    world = World(ApiSettings(partition_count=3, replication_factor=2))
    world.tell_all({})

    create(world, new(partitions=-1, factor=-1))

    assert [2, 2, 2] == [len(one.replicas) for one in world.store.topics["new"].values()]


def assigned(*lists: list[int]) -> list[CreatableReplicaAssignment]:
    return [CreatableReplicaAssignment(index, one) for index, one in enumerate(lists)]


def test_replicas_go_where_the_client_says(world: World):
    create(world, new("new", -1, -1, assignments=assigned([2, 1], [0, 2])))

    assert [(2, 1), (0, 2)] == [one.replicas for one in world.store.topics["new"].values()]


@pytest.mark.parametrize(
    ("topic", "error"),
    [
        (new("a b"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (new(""), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (new(partitions=0), ErrorCode.INVALID_PARTITIONS),
        (new(partitions=-2), ErrorCode.INVALID_PARTITIONS),
        (new(factor=0), ErrorCode.INVALID_REPLICATION_FACTOR),
        (new(factor=4), ErrorCode.INVALID_REPLICATION_FACTOR),
        (new(assignments=assigned([1])), ErrorCode.INVALID_REQUEST),
        (new("new", -1, -1, assignments=assigned([1], [])), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (new("new", -1, -1, assignments=assigned([1, 1])), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (new("new", -1, -1, assignments=assigned([7])), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (
            new("new", -1, -1, assignments=assigned([1], [1, 2])),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        ),
        (
            new("new", -1, -1, assignments=[CreatableReplicaAssignment(1, [1])]),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        ),
        (new(configs=[CreatableTopicConfig("retention.ms")]), ErrorCode.INVALID_CONFIG),
        (new(configs=[CreatableTopicConfig("no.such", "1")]), ErrorCode.INVALID_CONFIG),
        (new(configs=[CreatableTopicConfig("segment.bytes", "1")]), ErrorCode.INVALID_CONFIG),
        (
            new(configs=[CreatableTopicConfig("cleanup.policy", "archive")]),
            ErrorCode.INVALID_CONFIG,
        ),
    ],
)
def test_a_topic_that_cannot_be_is_refused(world: World, topic: CreatableTopic, error: ErrorCode):
    found, message = refusal(world, topic)

    assert error == found
    assert message


def test_a_topic_that_is_there_or_collides_is_refused(world: World):
    world.tell_all({"a.b": {0: [1]}})

    assert ErrorCode.TOPIC_ALREADY_EXISTS == refusal(world, new("a.b"))[0]
    assert ErrorCode.INVALID_TOPIC_EXCEPTION == refusal(world, new("a_b"))[0]


def test_a_topic_that_is_named_twice_is_refused_and_others_are_not(world: World):
    answer = create(world, new("twice"), new("twice"), new("once"), timeout_ms=0)

    assert {"twice": ErrorCode.INVALID_REQUEST, "once": ErrorCode.REQUEST_TIMED_OUT} == {
        result.name: result.error_code for result in answer.body.topics
    }
    assert ["once"] == list(world.store.topics)


def test_only_the_controller_makes_topics(world: World):
    world.tell_all({}, controller=2)

    assert ErrorCode.NOT_CONTROLLER == refusal(world, new())[0]


def test_what_zookeeper_says_is_passed_on(world: World):
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")

    assert (ErrorCode.BROKER_NOT_AVAILABLE, "no session") == refusal(world, new())


def test_a_request_for_nothing_is_answered(world: World):
    assert [] == list(create(world).body.topics)


# DeleteTopics.


def delete(
    world: World,
    *,
    names: tuple[str, ...] = (),
    ids: tuple[bytes, ...] = (),
    timeout_ms: int = 1000,
    version: int = 6,
):
    states = [DeleteTopicState(name) for name in names]
    states += [DeleteTopicState(None, topic_id) for topic_id in ids]
    body = DeleteTopicsRequest(
        topics=states if version >= 6 else (),
        topic_names=() if version >= 6 else names,
        timeout_ms=timeout_ms,
    )
    answer = world.ask(ApiKey.DELETE_TOPICS, body, version)
    world.settle()
    return answer


@pytest.mark.parametrize("version", versions(ApiKey.DELETE_TOPICS))
def test_a_deletion_is_answered_once_the_topic_is_gone(world: World, version: int):
    world.tell_all({"orders": {0: [1]}})
    answer = delete(world, names=("orders",), version=version)
    assert answer.is_waiting

    world.tell_all({"orders": {0: [1]}}, leaders={("orders", 0): DURING_DELETION})

    assert [("orders", ErrorCode.NONE)] == [
        (result.name, result.error_code) for result in answer.body.responses
    ]
    assert ["orders"] == world.store.deleted


def test_a_topic_is_deleted_by_its_id(world: World):
    world.tell_all({"orders": {0: [1]}})

    answer = delete(world, ids=(TOPIC_ID, OTHER_ID), timeout_ms=0)

    assert [("orders", ErrorCode.REQUEST_TIMED_OUT), (None, ErrorCode.UNKNOWN_TOPIC_ID)] == [
        (result.name, result.error_code) for result in answer.body.responses
    ]
    assert ["orders"] == world.store.deleted


def test_what_cannot_be_deleted_is_said(world: World):
    unknown = delete(world, names=("nowhere",)).body.responses[0].error_code
    both = world.ask_now(
        ApiKey.DELETE_TOPICS, DeleteTopicsRequest([DeleteTopicState("orders", TOPIC_ID)])
    )
    world.tell_all({"orders": {0: [1]}}, controller=2)
    elsewhere = delete(world, names=("orders",)).body.responses[0].error_code

    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION == unknown
    assert ErrorCode.INVALID_REQUEST == both.responses[0].error_code
    assert ErrorCode.NOT_CONTROLLER == elsewhere
    assert [] == world.store.deleted


def test_deletion_can_be_forbidden():
    world = World(ApiSettings(deletes_topics=False))
    world.tell_all({"orders": {0: [1]}})

    newer = delete(world, names=("orders",)).body.responses[0].error_code
    older = delete(world, names=("orders",), version=2).body.responses[0].error_code

    assert [ErrorCode.TOPIC_DELETION_DISABLED, ErrorCode.INVALID_REQUEST] == [newer, older]
    assert [] == world.store.deleted


def test_a_deletion_that_cannot_be_written_is_said(world: World):
    world.tell_all({"orders": {0: [1]}})
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")

    (result,) = delete(world, names=("orders",)).body.responses

    assert (ErrorCode.BROKER_NOT_AVAILABLE, "no session") == result[2:]


# CreatePartitions.


def add_partitions(
    world: World,
    count: int,
    lists: list[list[int]] | None = None,
    *,
    topic: str = "orders",
    validates: bool = False,
    timeout_ms: int = 1000,
    version: int = 3,
):
    assignments = None if lists is None else [CreatePartitionsAssignment(one) for one in lists]
    asked = CreatePartitionsTopic(topic, count, assignments)
    body = CreatePartitionsRequest([asked], timeout_ms, validates)
    answer = world.ask(ApiKey.CREATE_PARTITIONS, body, version)
    world.settle()
    return answer


@pytest.fixture
def orders(world: World) -> World:
    """A world with a topic of two partitions."""
    layout = {0: [1, 2], 1: [2, 0]}
    world.tell_all({"orders": layout})
    world.store.topics["orders"] = {
        index: PartitionAssignment(tuple(map(BrokerId, replicas)))
        for index, replicas in layout.items()
    }
    return world


@pytest.mark.parametrize("version", versions(ApiKey.CREATE_PARTITIONS))
def test_more_partitions_are_answered_once_they_have_leaders(orders: World, version: int):
    answer = add_partitions(orders, 4, version=version)
    assert answer.is_waiting
    written = {index: one.replicas for index, one in orders.store.topics["orders"].items()}

    orders.tell_all({"orders": {index: list(written[index]) for index in (2, 3)}})

    assert [("orders", ErrorCode.NONE)] == [tuple(one)[:2] for one in answer.body.results]
    # Kafka goes on where the topic's first replica stands.
    assert {0: (1, 2), 1: (2, 0), 2: (0, 2), 3: (1, 2)} == written


def test_new_partitions_go_where_the_client_says(orders: World):
    add_partitions(orders, 3, [[0, 1]])

    assert (0, 1) == orders.store.topics["orders"][2].replicas


@pytest.mark.slow
def test_partitions_that_are_only_tried_are_not_made(orders: World):
    tried = add_partitions(orders, 5, validates=True).body.results[0]
    refused = add_partitions(orders, 2, validates=True).body.results[0]

    assert [ErrorCode.NONE, ErrorCode.INVALID_PARTITIONS] == [tried.error_code, refused.error_code]
    assert 2 == len(orders.store.topics["orders"])


@pytest.mark.parametrize(
    ("count", "lists", "error"),
    [
        (2, None, ErrorCode.INVALID_PARTITIONS),
        (1, None, ErrorCode.INVALID_PARTITIONS),
        (4, [[1, 2]], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (3, [[1]], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (3, [[1, 1]], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (3, [[1, 9]], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (3, [[]], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_partitions_that_cannot_be_are_refused(orders: World, count, lists, error):
    (result,) = add_partitions(orders, count, lists).body.results

    assert error == result.error_code
    assert result.error_message
    assert 2 == len(orders.store.topics["orders"])


def test_a_topic_on_the_move_gets_no_more_partitions(orders: World):
    moving = PartitionAssignment((BrokerId(1), BrokerId(2)), adding=(BrokerId(2),))
    orders.store.topics["orders"][0] = moving

    (result,) = add_partitions(orders, 4).body.results

    assert ErrorCode.REASSIGNMENT_IN_PROGRESS == result.error_code


def test_partitions_are_added_to_what_zookeeper_has_not_to_what_is_known_here(orders: World):
    orders.store.topics["orders"][2] = PartitionAssignment((BrokerId(1), BrokerId(2)))

    (result,) = add_partitions(orders, 3).body.results

    assert ErrorCode.INVALID_PARTITIONS == result.error_code


@pytest.mark.parametrize("numbers", [(1, 2), (0, 2, 4), (1,), ()])
@pytest.mark.parametrize("validates", [True, False])
def test_a_damaged_numbering_is_refused_and_nothing_is_overwritten(
    orders: World, numbers: tuple[int, ...], validates: bool
):
    there = {number: PartitionAssignment((BrokerId(1), BrokerId(2))) for number in numbers}
    orders.store.topics["orders"] = dict(there)
    if numbers:
        orders.tell_all({"orders": {0: [1], 1: [1]}}, leaders={("orders", 0): DURING_DELETION})
        orders.tell_all({"orders": {number: [1, 2] for number in numbers}})

    for wanted in range(1, 7):
        for lists in (None, [[1, 2]] * (wanted - len(numbers))):
            (result,) = add_partitions(orders, wanted, lists, validates=validates).body.results
            if not (validates and not numbers):
                assert ErrorCode.INVALID_PARTITIONS == result.error_code
                assert there == orders.store.topics["orders"]


def test_too_few_brokers_for_more_partitions_are_said(orders: World):
    orders.tell_all({}, brokers=[1])

    (result,) = add_partitions(orders, 3).body.results

    assert ErrorCode.INVALID_REPLICATION_FACTOR == result.error_code


def test_only_the_controller_adds_partitions_and_only_to_topics_that_are_there(orders: World):
    unknown = add_partitions(orders, 3, topic="nowhere").body.results[0].error_code
    asked = [CreatePartitionsTopic("orders", 3, None)] * 2
    twice = orders.ask_now(ApiKey.CREATE_PARTITIONS, CreatePartitionsRequest(asked, 1000))
    orders.tell_all({}, controller=2)
    elsewhere = add_partitions(orders, 3).body.results[0].error_code

    assert [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NOT_CONTROLLER] == [unknown, elsewhere]
    assert [ErrorCode.INVALID_REQUEST] == [result.error_code for result in twice.results]


@pytest.mark.parametrize("validates", [False, True])
@pytest.mark.parametrize(
    ("overrides", "error"),
    [
        ({"cleanup.policy": "archive"}, ErrorCode.INVALID_CONFIG),
        ({"segment.bytes": "none"}, ErrorCode.INVALID_CONFIG),
        (ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "damaged"), ErrorCode.UNKNOWN_SERVER_ERROR),
        # A plug-in's: the topic is served.
        ({"of.a.plugin": "x"}, ErrorCode.NONE),
        ({"cleanup.policy": "compact"}, ErrorCode.NONE),
    ],
)
def test_a_topic_that_is_not_served_gets_no_partitions(
    orders: World, overrides: Mapping[str, str] | ApiError, error: ErrorCode, validates: bool
):
    orders.store.configs["orders"] = overrides

    answer = add_partitions(orders, 3, validates=validates)

    is_refused = error is not ErrorCode.NONE
    assert (2 if is_refused or validates else 3) == len(orders.store.topics["orders"])
    if is_refused:
        assert error == answer.body.results[0].error_code


def test_time_is_up_also_for_partitions(orders: World):
    answer = add_partitions(orders, 3, timeout_ms=10)

    orders.clock.advance(10)

    assert ErrorCode.REQUEST_TIMED_OUT == answer.body.results[0].error_code
