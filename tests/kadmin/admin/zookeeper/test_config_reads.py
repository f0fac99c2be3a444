"""What changes of configs depend on is read at once, whatever is missing or damaged."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from cluster.model.broker import Endpoint
from cluster.model.config_entity import NO_OVERRIDES, ConfigEntity, Entity, EntityKind
from cluster.zk.brokers import encode_broker
from cluster.zk.topics import encode_assignment
from kadmin.admin.zookeeper.config_reads import read_config_snapshot
from kadmin.admin.zookeeper.connection import Connection, connect
from kadmin.admin.zookeeper.multiread import ReadMode
from kadmin.admin.zookeeper.runner import run_blocking
from kadmin.settings.resolve import ZooKeeperSettings
from tests.kadmin.builders import assignment, brokers
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = pytest.mark.zk


@pytest.fixture
def connection(chroot: str) -> Iterator[Connection]:
    with connect(ZooKeeperSettings(connect=chroot, timeout_s=OUTER_LIMIT_S)) as connection:
        yield connection


def create(connection: Connection, path: str, data: bytes) -> None:
    connection.client.create(path, data, makepath=True)


def topic(name: str) -> ConfigEntity:
    return ConfigEntity(Entity(EntityKind.TOPICS, name))


@pytest.mark.parametrize("mode", [ReadMode.UNKNOWN, ReadMode.PIPELINED])
@pytest.mark.parametrize("count", [1, 30])
def test_any_number_of_entities_is_read_in_two_round_trips(
    connection: Connection, mode: ReadMode, count: int
) -> None:
    names = [f"t{number}" for number in range(count)]
    for name in names:
        create(connection, f"/brokers/topics/{name}", encode_assignment(assignment("0,1 1")))
    create(connection, "/config/topics/t0", b'{"version":1,"config":{"retention.ms":"5"}}')
    for number, broker in brokers("0 1").items():
        endpoint = Endpoint(listener="A", security_protocol="PLAINTEXT", host="h", port=1)
        data = encode_broker(replace(broker, endpoints=(endpoint,)))
        create(connection, f"/brokers/ids/{number}", data)
    connection.reader.mode = mode
    connection.reader.round_trips = 0

    snapshot = run_blocking(connection, read_config_snapshot([topic(name) for name in names]))

    assert connection.reader.round_trips == 2
    assert [topic(name) for name in names] == list(snapshot.configs)
    assert snapshot.configs[topic("t0")].values == {"retention.ms": "5"}
    assert dict.fromkeys(names, 1) == {
        name: found.fewest_replicas for name, found in snapshot.topics.items()
    }
    assert [0, 1] == list(snapshot.brokers)
    assert (frozenset(), ()) == (snapshot.missing_topics, snapshot.faults)


def test_what_is_missing_is_told_from_what_is_damaged(connection: Connection) -> None:
    create(connection, "/brokers/topics/damaged", b"{")
    create(connection, "/brokers/topics/odd", encode_assignment(assignment("0")))
    create(connection, "/config/topics/odd", b"{")
    create(connection, "/brokers/ids/7", b"{")

    entities = list(map(topic, ("gone", "damaged", "odd")))
    snapshot = run_blocking(connection, read_config_snapshot(entities))

    assert frozenset({"gone"}) == snapshot.missing_topics
    assert ["odd"] == list(snapshot.topics)
    assert {topic("gone"): NO_OVERRIDES, topic("damaged"): NO_OVERRIDES} == snapshot.configs
    assert ["/config/topics/odd"] == [fault.where for fault in snapshot.faults]
    assert {} == snapshot.brokers


def test_what_is_no_topic_is_not_looked_for_among_them(connection: Connection) -> None:
    all_brokers = ConfigEntity(Entity(EntityKind.BROKERS, None))
    client = ConfigEntity(Entity(EntityKind.USERS, "u"), Entity(EntityKind.CLIENTS, "c"))

    snapshot = run_blocking(connection, read_config_snapshot([all_brokers, client]))

    assert {all_brokers: NO_OVERRIDES, client: NO_OVERRIDES} == snapshot.configs
    assert frozenset() == snapshot.missing_topics
