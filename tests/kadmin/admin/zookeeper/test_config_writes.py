"""Writes of planned configs when something moved since the plan was made."""

from collections.abc import Iterator

import pytest

from cluster.model.config_entity import NO_OVERRIDES, ConfigEntity, Entity, EntityKind
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved
from kadmin.admin.zookeeper.config_reads import read_configs
from kadmin.admin.zookeeper.config_writes import write_config
from kadmin.admin.zookeeper.connection import Connection, connect
from kadmin.admin.zookeeper.runner import run_blocking
from kadmin.admin.zookeeper.transaction import read_fence
from kadmin.plan.config_plan import ConfigPlan, plan_change
from kadmin.plan.config_warnings import ConfigRequest, Surroundings
from kadmin.settings.resolve import ZooKeeperSettings
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = pytest.mark.zk

TOPIC = ConfigEntity(Entity(EntityKind.TOPICS, "t"))
CLIENT = ConfigEntity(Entity(EntityKind.USERS, "u"), Entity(EntityKind.CLIENTS, "c"))


@pytest.fixture
def connection(chroot: str) -> Iterator[Connection]:
    with connect(ZooKeeperSettings(connect=chroot, timeout_s=OUTER_LIMIT_S)) as connection:
        for path in ("/controller_epoch", "/brokers/topics/t", "/config/topics"):
            connection.client.create(path, b"{}", makepath=True)
        yield connection


def plan_of(connection: Connection, entity: ConfigEntity, **add: str) -> ConfigPlan:
    configs, _ = run_blocking(connection, read_configs([entity]))
    wanted = ConfigRequest(add={name.replace("__", "."): value for name, value in add.items()})
    return plan_change(entity, configs[entity], wanted, Surroundings())


def test_a_config_that_another_made_first_is_a_conflict(connection: Connection) -> None:
    plan = plan_of(connection, TOPIC, retention__ms="1")
    fence = read_fence(connection)
    connection.client.create("/config/topics/t", b'{"version":1,"config":{}}')

    outcome = write_config(connection, fence, plan)

    assert outcome == Conflict("/config/topics/t", ConflictKind.EXISTS)
    assert connection.client.exists("/config/changes") is None


def test_a_config_that_another_changed_is_a_conflict(connection: Connection) -> None:
    connection.client.create("/config/topics/t", b'{"version":1,"config":{}}')
    plan = plan_of(connection, TOPIC, retention__ms="1")
    connection.client.set("/config/topics/t", b'{"version":1,"config":{"flush.ms":"1"}}')

    outcome = write_config(connection, read_fence(connection), plan)

    assert outcome == Conflict("/config/topics/t", ConflictKind.VERSION)


def test_a_topic_that_is_gone_is_a_conflict(connection: Connection) -> None:
    plan = plan_of(connection, TOPIC, retention__ms="1")
    connection.client.delete("/brokers/topics/t")

    outcome = write_config(connection, read_fence(connection), plan)

    assert outcome == Conflict("/brokers/topics/t", ConflictKind.MISSING)
    assert connection.client.exists("/config/topics/t") is None


def test_a_change_gets_a_number_above_notifications_copied_from_another_zookeeper(
    connection: Connection,
) -> None:
    for number in (3, 5, 9):
        copied = f"/config/changes/config_change_{number:010d}"
        connection.client.create(copied, b"{}", makepath=True)

    outcomes = [
        write_config(connection, read_fence(connection), plan_of(connection, TOPIC, flush__ms=ms))
        for ms in "12"
    ]

    assert outcomes == [Committed(), Committed()]
    numbers = sorted(int(name[-10:]) for name in connection.client.get_children("/config/changes"))
    assert numbers == [3, 5, 9, 10, 11]


def test_another_controller_stops_the_write(connection: Connection) -> None:
    plan = plan_of(connection, CLIENT, producer_byte_rate="1")
    fence = read_fence(connection)
    connection.client.set("/controller_epoch", b"2")

    assert write_config(connection, fence, plan) == FenceMoved()
    assert connection.client.exists("/config/users") is None


def test_a_plan_without_changes_writes_nothing(connection: Connection) -> None:
    plan = ConfigPlan(entity=TOPIC, before=NO_OVERRIDES, after=NO_OVERRIDES)

    assert write_config(connection, read_fence(connection), plan) == Committed()
    assert connection.client.get_children("/config") == ["topics"]
