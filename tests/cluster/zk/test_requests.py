"""Requests to the controller, and everything smaller that stands beside them."""

import pytest

from cluster.model.admin import Reassignment
from cluster.model.cluster import FeatureLevels, ProducerIdBlock
from cluster.model.consumer import ConsumerThread
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from cluster.zk.admin import decode_log_dir_event, decode_reassignment, encode_reassignment
from cluster.zk.cluster import decode_features, decode_producer_id_block
from cluster.zk.consumers import decode_consumer, decode_consumer_owner
from cluster.zk.tokens import decode_token, encode_token
from cluster.zk.znode import Znode
from tests.cluster.zk.codecs import codec_for

REASSIGNMENT = "/admin/reassign_partitions"
MIGRATION = (
    '"kraft_controller_id":-1,"kraft_controller_epoch":-1,'
    '"kraft_metadata_offset":-1,"kraft_metadata_epoch":-1'
)


def test_a_reassignment_is_a_mapping_of_partitions_to_their_new_replicas() -> None:
    reassignment = decode_reassignment(
        Znode(
            REASSIGNMENT,
            b'{"partitions":[{"topic":"t","partition":0,"replicas":[1]},'
            b'{"topic":"u","partition":1,"replicas":[]},{"topic":"t","partition":0,"replicas":[2]}]}',
        )
    )

    assert dict(reassignment) == {TopicPartition("t", 0): (2,), TopicPartition("u", 1): ()}
    assert len(reassignment) == 2
    assert reassignment[TopicPartition("t", 0)] == (2,)


def test_log_directories_are_never_written_into_a_reassignment() -> None:
    node = Znode(
        REASSIGNMENT,
        b'{"version":1,"partitions":'
        b'[{"topic":"t","partition":0,"replicas":[1],"log_dirs":["/d"]}],"by":"kadmin"}',
    )

    assert encode_reassignment(decode_reassignment(node)) == (
        b'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1]}],"by":"kadmin"}'
    )


def test_an_empty_reassignment_is_one() -> None:
    node = Znode(REASSIGNMENT, b'{"version":1,"partitions":[]}', ZkVersion(0))

    assert decode_reassignment(node) == Reassignment(targets={}, zk_version=ZkVersion(0))


def test_a_block_of_producer_ids_is_none_before_the_first() -> None:
    assert decode_producer_id_block(Znode("/latest_producer_id_block", None)) is None


def test_both_spellings_of_a_feature_of_version_2_are_understood() -> None:
    features = decode_features(
        Znode(
            "/feature",
            b'{"version":2,"status":1,"features":{"a":{"max_version_level":3},"b":4}}',
        )
    )

    assert features.levels == {"a": FeatureLevels(3), "b": FeatureLevels(4)}


def test_a_consumer_id_may_contain_the_separator() -> None:
    owner = decode_consumer_owner(Znode("/consumers/g/owners/t/0", b"g_h-1-0a-12"))

    assert owner == ConsumerThread("g_h-1-0a", 12)


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        (REASSIGNMENT, "{}", "has no list 'partitions'"),
        (REASSIGNMENT, '{"partitions":[7]}', "'partitions' holds 7"),
        (REASSIGNMENT, '{"partitions":[{"partition":0}]}', "has no 'topic'"),
        (REASSIGNMENT, '{"partitions":[{"topic":"t"}]}', "has no 'partition'"),
        (
            REASSIGNMENT,
            '{"partitions":[{"topic":"t","partition":0}]}',
            "'replicas' is no list of brokers: None",
        ),
        ("/cluster/id", '{"version":1,"id":"x"}', "'version' is not text: 1"),
        ("/cluster/id", '{"version":"1"}', "has no 'id'"),
        (
            "/latest_producer_id_block",
            '{"broker":1,"block_start":"9","block_end":"8"}',
            "'block_end' is out of bounds: 8",
        ),
        (
            "/latest_producer_id_block",
            '{"broker":1,"block_start":"0","block_end":"9223372036854775808"}',
            "'block_end' is out of bounds: 9223372036854775808",
        ),
        # Kafka reads a number or text, and never the one for the other.
        ("/latest_producer_id_block", '{"block_start":0}', "'block_start' is not text: 0"),
        (
            "/latest_producer_id_block",
            '{"broker":"1","block_start":"0","block_end":"9"}',
            "'broker' is not a number: '1'",
        ),
        ("/controller", '{"version":1,"brokerid":"0"}', "'brokerid' is not a number: '0'"),
        (
            "/migration",
            '{"version":0,"kraft_controller_id":"-1"}',
            "'kraft_controller_id' is not a number: '-1'",
        ),
        ("/migration", f"{{{MIGRATION}}}", "has no 'version'"),
        ("/migration", f'{{"version":1,{MIGRATION}}}', "'version' is out of bounds: 1"),
        (
            "/brokers/topics/t",
            '{"partitions":{},"adding_replicas":null}',
            "has no object 'adding_replicas'",
        ),
        (
            "/brokers/topics/t/partitions/0/state",
            '{"controller_epoch":1,"leader":0,"version":1,"leader_epoch":0,"isr":[0],'
            '"leader_recovery_state":"1"}',
            "'leader_recovery_state' is not a number: '1'",
        ),
        (
            "/delegation_token/tokens/x",
            '{"version":1,"owner":"o:o","tokenId":"x","renewers":[],"issueTimestamp":"1"}',
            "'issueTimestamp' is not a number: '1'",
        ),
        (
            "/delegation_token/tokens/x",
            '{"version":1,"owner":"%zz:o"}',
            "a principal is not URL-encoded: '%zz:o'",
        ),
        ("/feature", '{"version":3,"status":1,"features":{}}', "'version' is out of bounds: 3"),
        ("/feature", '{"version":1,"status":2,"features":{}}', "'status' is out of bounds: 2"),
        (
            "/feature",
            '{"version":1,"status":1,"features":{"f":1}}',
            "the levels of 'f' are no object: 1",
        ),
        (
            "/feature",
            '{"version":1,"status":1,"features":{"f":{"max_version_level":1}}}',
            "has no 'min_version_level'",
        ),
        ("/kafka-acl/Topic/t", '{"version":2,"acls":[]}', "'version' is out of bounds: 2"),
        ("/kafka-acl/Topic/t", '{"version":1,"acls":[7]}', "7 is no rule"),
        ("/kafka-acl/Topic/t", '{"version":1,"acls":[{}]}', "has no 'principal'"),
        (
            "/kafka-acl-changes/acl_changes_0000000000",
            "Topic:",
            "'Topic:' is no type and name of a resource",
        ),
        (
            "/kafka-acl-changes/acl_changes_0000000000",
            "topic:t",
            "'topic' is no type of a resource",
        ),
        (
            "/kafka-acl-extended-changes/acl_changes_0000000000",
            '{"version":1,"resourceType":"TOPIC","name":"t","patternType":"LITERAL"}',
            "'LITERAL' is no pattern type that belongs here",
        ),
        ("/delegation_token/tokens/x", '{"version":4}', "'version' is out of bounds: 4"),
        (
            "/delegation_token/tokens/x",
            '{"version":1,"owner":"o","tokenId":"x","renewers":[1]}',
            "a renewer is not text: 1",
        ),
        (
            "/consumers/g/ids/c",
            '{"subscription":{},"pattern":"grey_list"}',
            "'grey_list' is no pattern of a subscription",
        ),
        ("/consumers/g/owners/t/0", "c", "names no consumer"),
        ("/consumers/g/owners/t/0", "c-x", "the thread is not an integer: 'x'"),
        ("/consumers/g/offsets/t/0", "-1", "the offset is out of bounds: -1"),
    ],
)
def test_damaged_data_is_named(path: str, data: str, reason: str) -> None:
    with pytest.raises(CorruptZnodeError) as caught:
        codec_for(path).decode(Znode(path, data.encode()))

    assert caught.value.reason == reason


def test_the_requester_of_a_token_is_only_one_from_version_3_on_and_survives_before() -> None:
    content = (
        b'{"issueTimestamp":1,"renewers":[],"tokenId":"x","owner":"User%3Aa","expiryTimestamp":2,'
        b'"maxTimestamp":3,"version":1,"tokenRequester":"User%3Ab"}'
    )
    token = decode_token(Znode("/delegation_token/tokens/x", content))

    assert (token.owner, token.requester) == ("User:a", "User:a")
    assert encode_token(token) == content


def test_unknown_fields_of_a_block_and_a_consumer_are_kept_apart() -> None:
    block = decode_producer_id_block(
        Znode("/p", b'{"broker":1,"block_start":"0","block_end":"9","x":1}')
    )
    consumer = decode_consumer(Znode("/c", b'{"subscription":{},"pattern":"static","y":2}'))

    assert block == ProducerIdBlock(broker_id=BrokerId(1), first=0, last=9, extra={"x": 1})
    assert (consumer.timestamp_ms, consumer.extra) == (None, {"y": 2})


def test_an_event_of_a_log_directory_may_be_of_a_kind_that_we_do_not_know() -> None:
    assert decode_log_dir_event(Znode("/e", b'{"broker":1,"event":2}')).event == 2
