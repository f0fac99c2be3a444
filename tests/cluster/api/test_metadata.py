"""What is a client told of brokers and topics, and which topics does asking bring into being?"""

from collections import Counter

import pytest

from cluster.broker.control.metadata_updates import TOPICS_AWAITED_MS
from cluster.broker.ports import ApiSettings
from cluster.broker.topics.auto_creation import AT_ONCE_MAX
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.cluster import DescribeClusterRequest
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.cluster.api.world import EPOCH, ME, PEER, TOPIC_ID, World, versions

OTHER_ID = bytes(15) + b"\x09"


def ask(world: World, *names: str, version: int = 12, creates: bool = True):
    topics = [MetadataRequestTopic(name=name) for name in names]
    return world.ask_now(
        ApiKey.METADATA, MetadataRequest(topics, allow_auto_topic_creation=creates), version
    )


def errors(body) -> list[ErrorCode]:
    return [ErrorCode(topic.error_code) for topic in body.topics]


@pytest.mark.parametrize("version", versions(ApiKey.METADATA))
def test_a_topic_is_described_in_every_version(world: World, version: int):
    world.tell_all({"orders": {0: [1, 2], 1: [2, 0]}})

    body = ask(world, "orders", version=version)

    (topic,) = body.topics
    assert ("orders", ErrorCode.NONE) == (topic.name, topic.error_code)
    assert (TOPIC_ID if version >= 10 else NO_TOPIC_ID) == topic.topic_id
    assert [(0, 1, [1, 2], [1, 2]), (1, 2, [2, 0], [2, 0])] == [
        (one.partition_index, one.leader_id, list(one.replica_nodes), list(one.isr_nodes))
        for one in topic.partitions
    ]
    assert (ME if version >= 1 else -1) == body.controller_id
    assert ("the-cluster" if version >= 2 else None) == body.cluster_id


def test_who_asks_for_all_topics_is_told_of_all_and_none_is_made(world: World):
    world.tell_all({"orders": {0: [1]}, "bills": {0: [2]}}, ids={"bills": OTHER_ID})

    modern = world.ask_now(ApiKey.METADATA, MetadataRequest(None))
    oldest = world.ask_now(ApiKey.METADATA, MetadataRequest(()), 0)
    nothing = world.ask_now(ApiKey.METADATA, MetadataRequest(()), 1)

    assert ["orders", "bills"] == [topic.name for topic in modern.topics]
    assert ["orders", "bills"] == [topic.name for topic in oldest.topics]
    assert [] == list(nothing.topics)
    assert {} == world.store.topics


def test_a_topic_that_is_named_again_and_again_is_described_once(world: World):
    world.tell_all({"orders": {0: [1]}})

    body = ask(world, *["nowhere", "orders"] * 1000, creates=False)

    assert ["nowhere", "orders"] == [topic.name for topic in body.topics]


def test_topics_are_found_by_their_ids(world: World):
    world.tell_all({"orders": {0: [1]}})

    for version in (10, 12):
        name = None if version == 12 else ""
        asked = [MetadataRequestTopic(TOPIC_ID, name), MetadataRequestTopic(OTHER_ID, name)]
        body = world.ask_now(ApiKey.METADATA, MetadataRequest(asked), version)

        assert [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_ID] == errors(body)
        assert ["orders", name] == [topic.name for topic in body.topics]


def test_a_partition_whose_leader_is_dead_has_none(world: World):
    world.tell_all({"orders": {0: [2, 1]}}, brokers=[0, 1])

    (one,) = ask(world, "orders").topics[0].partitions

    assert (ErrorCode.LEADER_NOT_AVAILABLE, -1) == (one.error_code, one.leader_id)
    assert [2] == list(one.offline_replicas)


def test_the_oldest_clients_are_not_told_of_dead_replicas(world: World):
    world.tell_all({"orders": {0: [1, 2]}}, brokers=[1])

    (one,) = ask(world, "orders", version=0).topics[0].partitions

    assert (ErrorCode.REPLICA_NOT_AVAILABLE, [1], [1]) == (
        one.error_code,
        list(one.replica_nodes),
        list(one.isr_nodes),
    )


def test_a_leader_without_the_clients_listener_cannot_be_reached(world: World):
    world.tell_all({"orders": {0: [1]}})
    elsewhere = PEER._replace(listener="EXTERNAL")
    request = MetadataRequest([MetadataRequestTopic(name="orders")])

    newer = world.ask(ApiKey.METADATA, request, 6, elsewhere).body
    older = world.ask(ApiKey.METADATA, request, 5, elsewhere).body

    assert [] == list(newer.brokers)
    assert ErrorCode.LISTENER_NOT_FOUND == newer.topics[0].partitions[0].error_code
    assert ErrorCode.LEADER_NOT_AVAILABLE == older.topics[0].partitions[0].error_code


def test_a_controller_that_is_dead_is_none(world: World):
    world.tell_all({}, brokers=[0, 2], controller=1)

    assert -1 == ask(world).controller_id


def test_operations_are_named_only_to_who_asks_for_them(world: World):
    world.tell_all({"orders": {0: [1]}})
    request = MetadataRequest(None, False, True, True)

    told = world.ask_now(ApiKey.METADATA, request, 10)
    silent = ask(world, "orders", version=10)

    assert (3576, 8096) == (
        told.topics[0].topic_authorized_operations,
        told.cluster_authorized_operations,
    )
    assert -(2**31) == silent.topics[0].topic_authorized_operations


def test_a_client_waits_a_moment_for_the_controllers_first_word(world: World):
    asked = world.ask(ApiKey.METADATA, MetadataRequest(None))
    was_waiting = asked.is_waiting

    world.tell_all({"orders": {0: [1]}})

    assert was_waiting
    assert ["orders"] == [topic.name for topic in asked.body.topics]


def test_without_a_controller_the_answer_comes_all_the_same(world: World):
    asked = world.ask(ApiKey.METADATA, MetadataRequest(None))

    world.clock.advance(2000)

    assert ([], -1) == (list(asked.body.brokers), asked.body.controller_id)


# Topics that a broker has not been told of yet, which is not to say that there are none.


def restarted(world: World) -> World:
    """A broker with a log of `orders`, which the new controller has told of brokers alone."""
    world.lead()
    again = world.restarted()
    again.tell_all({})
    return again


def asked_for(world: World, *topics: MetadataRequestTopic):
    return world.ask(ApiKey.METADATA, MetadataRequest(topics or None))


def test_a_broker_with_logs_waits_for_what_follows_on_the_controllers_first_word(world: World):
    world = restarted(world)
    answers = [asked_for(world, MetadataRequestTopic(name="orders")), asked_for(world)]
    waited = [answer.is_waiting for answer in answers]

    world.tell_all({"orders": {0: [1]}})

    assert [True, True] == waited
    told = [[(one.error_code, one.name) for one in answer.body.topics] for answer in answers]
    assert [[(0, "orders")]] * 2 == told


def test_who_asks_for_brokers_alone_does_not_wait_for_topics(world: World):
    world = restarted(world)

    body = world.ask_now(ApiKey.METADATA, MetadataRequest(()))

    assert [0, 1, 2] == [one.node_id for one in body.brokers]


def test_a_broker_that_was_not_told_of_topics_yet_claims_of_none_that_it_does_not_exist(
    world: World,
):
    world = restarted(world)
    names = MetadataRequestTopic(name="orders"), MetadataRequestTopic(name="a b")
    answer = asked_for(world, *names, MetadataRequestTopic(TOPIC_ID, None))

    world.clock.advance(2000)

    later = ErrorCode.LEADER_NOT_AVAILABLE
    assert [later, ErrorCode.INVALID_TOPIC_EXCEPTION, later] == errors(answer.body)
    # Nothing is made in its place either.
    assert 0 == len(world.store.waiting)


def test_a_broker_that_was_told_nothing_claims_nothing(world: World):
    answer = asked_for(world, MetadataRequestTopic(name="orders"))

    world.clock.advance(2000)

    assert [ErrorCode.LEADER_NOT_AVAILABLE] == errors(answer.body)


def test_logs_of_topics_that_are_all_gone_are_believed_in_for_a_while_only(world: World):
    world = restarted(world)
    world.clock.advance(TOPICS_AWAITED_MS)

    assert [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION] == errors(ask(world, "orders", creates=False))


def test_topics_are_told_of_until_a_new_controller_has_told_all(world: World):
    """Its first word after a broker has registered again has brokers alone."""
    world.tell_all({"gone": {0: [1]}, "orders": {0: [1]}})
    before = world.broker.cache.ids_version

    world.tell_all({}, broker_epoch=EPOCH + 1, controller_epoch=2)

    assert [ErrorCode.NONE, ErrorCode.NONE] == errors(ask(world, "gone", "orders", creates=False))
    assert before == world.broker.cache.ids_version
    world.tell_all({"orders": {0: [1]}}, broker_epoch=EPOCH + 1, controller_epoch=2)
    world.tell_all({"more": {0: [1]}}, broker_epoch=EPOCH + 1, controller_epoch=2)
    body = ask(world, "gone", "orders", "more", creates=False)
    assert [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 0, 0] == errors(body)


# Topics that come into being.


def test_an_unknown_topic_is_made_once_for_all_who_ask(world: World):
    world.tell_all({})
    request = MetadataRequest([MetadataRequestTopic(name="new")])

    bodies = [world.ask(ApiKey.METADATA, request).body for _ in range(2)]
    world.settle()

    assert [[ErrorCode.LEADER_NOT_AVAILABLE]] * 2 == list(map(errors, bodies))
    assert ["new"] == list(world.store.topics)
    assert "created topic new" in world.journal.infos[0]
    assert [] == world.journal.warnings


@pytest.mark.slow
def test_a_request_that_names_very_many_makes_some_at_a_time(world: World):
    world.tell_all({})
    names = [f"t{number}" for number in range(20_000)]
    request = MetadataRequest([MetadataRequestTopic(name=name) for name in names])

    made, later = AT_ONCE_MAX, len(names) - AT_ONCE_MAX
    first = Counter(errors(world.ask(ApiKey.METADATA, request).body))
    again = Counter(errors(world.ask(ApiKey.METADATA, request).body))
    waiting = len(world.store.waiting)
    world.settle()
    world.ask(ApiKey.METADATA, MetadataRequest([MetadataRequestTopic(name="t19999")]))
    world.settle()

    expected = {
        ErrorCode.LEADER_NOT_AVAILABLE: made,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: later,
    }
    assert (expected, expected, made) == (first, again, waiting)
    assert [*names[:made], "t19999"] == list(world.store.topics)


def test_counts_of_a_topic_that_is_made_are_the_brokers_defaults():
    world = World(ApiSettings(partition_count=4, replication_factor=2))
    world.tell_all({})

    ask(world, "new")

    layout = world.store.topics["new"]
    assert [2, 2, 2, 2] == [len(one.replicas) for one in layout.values()]
    assert {BrokerId(0), BrokerId(1), BrokerId(2)} == {one.replicas[0] for one in layout.values()}


def test_a_client_can_ask_without_making_topics(world: World):
    world.tell_all({})

    assert [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION] == errors(ask(world, "new", creates=False))
    assert {} == world.store.topics


def test_a_broker_can_be_told_to_make_none():
    world = World(ApiSettings(auto_creates_topics=False))
    world.tell_all({})

    assert [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION] == errors(ask(world, "new"))
    assert {} == world.store.topics


@pytest.mark.parametrize("name", ["", ".", "..", "a b", "ä", "x" * 250])
def test_no_topic_is_made_of_an_illegal_name(world: World, name: str):
    world.tell_all({})

    assert [ErrorCode.INVALID_TOPIC_EXCEPTION] == errors(ask(world, name))
    assert {} == world.store.topics


def test_too_few_brokers_are_said_to_the_client_and_to_the_operator():
    world = World(ApiSettings(replication_factor=3))
    world.tell_all({}, brokers=[0, 1])

    assert [ErrorCode.INVALID_REPLICATION_FACTOR] == errors(ask(world, "new"))
    assert "replication factor 3 is larger" in world.journal.warnings[0]
    ask(world, "new", "newer")
    assert 1 == len(world.journal.warnings)


def test_a_topic_that_could_not_be_made_is_tried_again_at_the_next_request(world: World):
    world.tell_all({})
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")
    ask(world, "new")
    world.store.failure = None

    ask(world, "new")

    assert ["new"] == list(world.store.topics)
    assert ["topic new is not created: no session"] == world.journal.warnings


# DescribeCluster.


@pytest.mark.parametrize("version", versions(ApiKey.DESCRIBE_CLUSTER))
def test_the_cluster_is_described(world: World, version: int):
    world.tell_all({}, rack="r1")

    body = world.ask_now(ApiKey.DESCRIBE_CLUSTER, DescribeClusterRequest(True), version)

    assert ("the-cluster", ME, 8096) == (
        body.cluster_id,
        body.controller_id,
        body.cluster_authorized_operations,
    )
    assert (1, "host1", 9092, "r1") in [tuple(one) for one in body.brokers]


def test_there_are_no_endpoints_of_controllers(world: World):
    world.tell_all({})

    body = world.ask_now(ApiKey.DESCRIBE_CLUSTER, DescribeClusterRequest(endpoint_type=2))

    assert ErrorCode.UNSUPPORTED_ENDPOINT_TYPE == body.error_code
