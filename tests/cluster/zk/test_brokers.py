"""Registrations of brokers, where versions differ in what they mean."""

import json
from dataclasses import replace
from typing import Any

import pytest

from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition, ZkVersion
from cluster.zk.brokers import decode_broker, encode_broker, generated_broker_id
from cluster.zk.fields import json_bytes
from cluster.zk.znode import Znode

BASE = {"version": 4, "host": "h", "port": 9092, "jmx_port": -1, "endpoints": []}


def broker_node(name: str = "1", **fields: Any) -> Znode:
    content = json_bytes({**BASE, **fields})
    return Znode(f"/brokers/ids/{name}", content, ZkVersion(1), czxid=99)


def test_a_registration_of_0_8_has_one_plaintext_endpoint() -> None:
    broker = decode_broker(broker_node(version=1))

    assert [str(endpoint) for endpoint in broker.endpoints] == ["PLAINTEXT://h:9092"]
    assert (broker.broker_id, broker.broker_epoch, broker.timestamp_ms) == (1, 99, None)


def test_what_newer_brokers_add_to_version_1_for_newer_clients_survives() -> None:
    node = broker_node(version=1, endpoints=["SSL://h:9093"], rack="a", features={})
    broker = decode_broker(node)

    assert broker.rack is None
    assert node.data is not None
    assert json.loads(encode_broker(broker)) == json.loads(node.data)


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_since_when_a_broker_is_intact_is_what_only_ours_register(version: int) -> None:
    kafkas = decode_broker(broker_node(version=version))
    ours = replace(kafkas, intact_since=BrokerEpoch(17), flushed_since=BrokerEpoch(16))

    data = encode_broker(ours)
    again = decode_broker(Znode("/brokers/ids/1", data, ZkVersion(1), czxid=99))

    assert b"_since" not in encode_broker(kafkas)
    assert (kafkas.intact_since, again) == (None, ours)
    assert [again.is_intact_since(zxid) for zxid in (16, 17, 18)] == [False, True, True]
    assert [again.has_lost_since(zxid) for zxid in (16, 17, 18)] == [True, False, False]
    assert [again.has_flushed_since(zxid) for zxid in (15, 16)] == [False, True]
    assert kafkas.has_flushed_since(0), "as far as anybody knows"
    assert not any(kafkas.is_intact_since(zxid) for zxid in (-1, 0, 18))
    assert not any(kafkas.has_lost_since(zxid) for zxid in (-1, 0, 18))


@pytest.mark.parametrize("version", [1, 2, 5])
def test_what_a_broker_does_not_serve_is_written_only_where_there_is_something(
    version: int,
) -> None:
    kafkas = decode_broker(broker_node(version=version))
    refused = {TopicPartition("a-b", 0): "no room", TopicPartition("a-b", 12): "gone"}
    ours = replace(kafkas, cleanup_policies=("delete",), refused=refused)

    again = decode_broker(Znode("/brokers/ids/1", encode_broker(ours), ZkVersion(1), czxid=99))

    assert ours == again
    assert not {"cleanup_policies", "refused_partitions"} & json.loads(encode_broker(kafkas)).keys()
    assert [True, False, False] == [
        again.serves_policy(one) for one in (["delete"], ["compact"], ["compact", "delete"])
    ]
    assert kafkas.serves_policy(["compact"])
    assert again.serves_policy([])


def test_a_rack_and_names_of_listeners_are_written_where_the_version_has_none() -> None:
    inner = Endpoint(listener="IN", security_protocol="SSL", host="h", port=1)
    broker = BrokerRegistration(
        broker_id=BrokerId(1), endpoints=(inner,), version=2, rack="a", features={"f": {}}
    )

    assert json.loads(encode_broker(broker)) == {
        "version": 2,
        "host": None,
        "port": -1,
        "jmx_port": -1,
        "endpoints": ["IN://h:1"],
        "rack": "a",
        "listener_security_protocol_map": {"IN": "SSL"},
        "features": {"f": {}},
    }


def test_a_listener_without_protocol_is_named_by_its_protocol() -> None:
    broker = decode_broker(broker_node(version=2, endpoints=["ssl://[::1]:9093"]))

    assert broker.endpoints == (
        Endpoint(listener="SSL", security_protocol="SSL", host="::1", port=9093),
    )
    assert str(broker.endpoints[0]) == "SSL://[::1]:9093"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"version": 0}, "'version' is out of bounds: 0"),
        ({"version": None}, "has no 'version'"),
        ({"version": 1, "host": None}, "has no 'host'"),
        ({"host": 7}, "'host' is not text: 7"),
        ({"endpoints": None}, "has no list 'endpoints'"),
        ({"endpoints": [7]}, "7 is not an endpoint"),
        ({"endpoints": ["h:9092"]}, "'h:9092' is not an endpoint"),
        ({"endpoints": ["SSL://h:65536"]}, "the port of SSL is out of bounds: 65536"),
        ({"listener_security_protocol_map": []}, "has no object 'listener_security_protocol_map'"),
        ({"listener_security_protocol_map": {"A": 1}}, "the protocol of 'A' is not text: 1"),
        ({"features": [1]}, "has no object 'features'"),
        ({"port": 65536}, "'port' is out of bounds: 65536"),
        ({"cleanup_policies": "delete"}, "has no list 'cleanup_policies'"),
        ({"cleanup_policies": [1]}, "its cleanup_policies are no texts: [1]"),
        ({"refused_partitions": []}, "has no object 'refused_partitions'"),
        ({"refused_partitions": {"a": "x"}}, "'a' of its refused_partitions is no partition"),
        ({"refused_partitions": {"a-0": 1}}, "'a-0' of its refused_partitions is no partition"),
        ({"refused_partitions": {"a-x": "x"}}, "the partition a-x is not an integer: 'x'"),
    ],
)
def test_a_damaged_registration_is_named(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(CorruptZnodeError) as caught:
        decode_broker(broker_node(**fields))

    assert caught.value.reason.startswith(reason)


@pytest.mark.parametrize("name", ["x", "-1", "", "１", "2147483648", "9" * 5000])
def test_a_broker_needs_a_number_for_a_name(name: str) -> None:
    with pytest.raises(CorruptZnodeError, match="the broker id is"):
        decode_broker(broker_node(name))


def test_generated_ids_begin_after_the_reserved_ones() -> None:
    assert generated_broker_id(ZkVersion(1)) == 1001
    assert generated_broker_id(ZkVersion(2), reserved_id_max=5) == 7
