"""UpdateMetadata: what a controller tells is what clients are told."""

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.cluster.api.orders import DURING_DELETION, OTHER_ID
from tests.cluster.api.world import EPOCH, TOPIC_ID, World, versions


@pytest.mark.parametrize("version", versions(ApiKey.UPDATE_METADATA))
def test_what_a_controller_of_any_release_says_is_told_to_clients(world: World, version: int):
    answer = world.tell_all({"orders": {0: [2, 1]}}, version=version, rack="r1")

    body = world.ask_now(ApiKey.METADATA, MetadataRequest([MetadataRequestTopic(name="orders")]))
    (topic,) = body.topics
    assert ErrorCode.NONE == answer.error_code
    assert [(0, 2, [2, 1])] == [
        (one.partition_index, one.leader_id, list(one.replica_nodes)) for one in topic.partitions
    ]
    assert {0: "host0", 1: "host1", 2: "host2"} == {one.node_id: one.host for one in body.brokers}
    assert (TOPIC_ID if version >= 7 else NO_TOPIC_ID) == topic.topic_id
    assert {"r1" if version >= 2 else None} == {one.rack for one in body.brokers}


def test_a_deleted_topic_is_forgotten_with_its_id(world: World):
    world.tell_all({"orders": {0: [1], 1: [1]}})

    world.tell_all(
        {"orders": {0: [1], 1: [1]}},
        leaders={("orders", 0): DURING_DELETION, ("orders", 1): DURING_DELETION},
    )

    asked = [MetadataRequestTopic(TOPIC_ID, None)]
    body = world.ask_now(ApiKey.METADATA, MetadataRequest(asked))
    assert ErrorCode.UNKNOWN_TOPIC_ID == body.topics[0].error_code
    assert [] == list(world.ask_now(ApiKey.METADATA, MetadataRequest(None)).topics)


def test_what_was_deleted_while_the_broker_was_away_is_forgotten(world: World):
    world.tell_all({"gone": {0: [1]}, "orders": {0: [1]}})
    world.tell_all({"orders": {0: [2]}}, broker_epoch=EPOCH + 1)
    world.tell_all({"more": {0: [2]}}, broker_epoch=EPOCH + 1)

    body = world.ask_now(ApiKey.METADATA, MetadataRequest(None))

    assert ["more", "orders"] == sorted(topic.name for topic in body.topics)
    assert "Add 1 partitions and deleted 2 partitions" in world.journal.text[1]


def test_a_topic_under_a_new_id_is_not_found_under_the_old_one(world: World):
    world.tell_all({"orders": {0: [1]}})
    world.tell_all({"orders": {0: [1]}}, ids={"orders": OTHER_ID})

    asked = [MetadataRequestTopic(TOPIC_ID, None), MetadataRequestTopic(OTHER_ID, None)]
    body = world.ask_now(ApiKey.METADATA, MetadataRequest(asked))

    assert [ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.NONE] == [one.error_code for one in body.topics]
