"""Where everything stands: each path as real brokers have it."""

from hypothesis import given
from hypothesis import strategies as st

from cluster.model.acl import PatternType, ResourcePattern, ResourceType
from cluster.model.ids import BrokerId, TopicPartition
from cluster.zk import paths
from cluster.zk.znode import Znode
from tests.cluster.zk.codecs import codec_for

PARTITION = TopicPartition("t", 3)
PREFIXED = ResourcePattern(ResourceType.TRANSACTIONAL_ID, "x", PatternType.PREFIXED)
LITERAL = ResourcePattern(ResourceType.TOPIC, "x")


def test_paths_of_brokers_and_topics() -> None:
    assert paths.broker(BrokerId(0)) == "/brokers/ids/0"
    assert paths.topic("t") == "/brokers/topics/t"
    assert paths.partitions("t") == "/brokers/topics/t/partitions"
    assert paths.partition(PARTITION) == "/brokers/topics/t/partitions/3"
    assert paths.state("t", 3) == "/brokers/topics/t/partitions/3/state"
    assert paths.topic_config("t") == "/config/topics/t"
    assert paths.delete_topic("t") == "/admin/delete_topics/t"


def test_every_path_leads_to_the_codec_of_its_kind() -> None:
    by_kind = {
        "acl change": paths.acl_change_prefix(LITERAL) + "0000000000",
        "acls": paths.acls(LITERAL),
        "assignment": paths.topic("t"),
        "broker": paths.broker(BrokerId(7)),
        "cluster id": paths.CLUSTER_ID,
        "config": paths.topic_config("t"),
        "config change": paths.config_change_prefix() + "0000000000",
        "consumer": paths.consumer("g", "c"),
        "consumer offset": paths.consumer_offset("g", PARTITION),
        "consumer owner": paths.consumer_owner("g", PARTITION),
        "controller": paths.CONTROLLER,
        "controller epoch": paths.CONTROLLER_EPOCH,
        "delegation token": paths.delegation_token("x"),
        "delegation token change": paths.delegation_token_change_prefix() + "0000000000",
        "extended acl change": paths.acl_change_prefix(PREFIXED) + "0000000000",
        "features": paths.FEATURE,
        "isr change": paths.isr_change_prefix() + "0000000000",
        "log dir event": paths.log_dir_event_prefix() + "0000000000",
        "migration": paths.MIGRATION,
        "preferred election": paths.PREFERRED_ELECTION,
        "producer id block": paths.PRODUCER_ID_BLOCK,
        "reassignment": paths.REASSIGN_PARTITIONS,
        "state": paths.state("t", 3),
    }

    assert {kind: codec_for(path).name for kind, path in by_kind.items()} == {
        kind: kind for kind in by_kind
    }


def test_patterns_that_are_not_literal_have_a_store_of_their_own() -> None:
    assert paths.acls(LITERAL) == "/kafka-acl/Topic/x"
    assert paths.acls(PREFIXED) == "/kafka-acl-extended/prefixed/TransactionalId/x"


@given(st.text())
def test_a_sanitized_name_is_one_part_of_a_path_and_comes_back(name: str) -> None:
    sanitized = paths.sanitized(name)

    assert sanitized.isascii()
    assert not set(sanitized) - set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_%"
    )
    assert paths.desanitized(sanitized) == name


def test_a_node_is_called_by_the_last_part_of_its_path() -> None:
    assert [Znode(path, None).name for path in ("/a/b", "/", "a")] == ["b", "", "a"]
