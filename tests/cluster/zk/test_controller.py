"""The controller, its epoch and the way to KRaft."""

import pytest

from cluster.model.controller import Controller, ControllerEpochNode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, ControllerEpoch, ZkVersion
from cluster.zk.controller import (
    decode_controller,
    decode_controller_epoch,
    decode_migration,
    encode_controller,
)
from cluster.zk.znode import Znode


def test_a_bare_broker_id_of_early_0_8_is_a_controller() -> None:
    controller = decode_controller(Znode("/controller", b"3", ZkVersion(0)))

    assert controller == Controller(broker_id=BrokerId(3), version=0, zk_version=ZkVersion(0))
    assert encode_controller(controller) == b"3"


def test_a_kraft_controller_is_known_by_its_epoch() -> None:
    old = decode_controller(Znode("/controller", b'{"version":1,"brokerid":0}'))
    new = decode_controller(
        Znode("/controller", b'{"version":2,"brokerid":3000,"kraftControllerEpoch":1}')
    )

    assert (old.is_kraft, new.is_kraft) == (False, True)
    assert old.timestamp_ms is None


def test_a_kraft_epoch_survives_in_a_node_of_version_1() -> None:
    content = b'{"version":1,"brokerid":3000,"kraftControllerEpoch":0}'

    assert encode_controller(decode_controller(Znode("/controller", content))) == content


def test_epoch_0_is_an_epoch() -> None:
    node = Znode("/controller_epoch", b"0", ZkVersion(0))

    assert decode_controller_epoch(node) == ControllerEpochNode(ControllerEpoch(0), ZkVersion(0))


@pytest.mark.parametrize("data", [b"-1", b"2147483648", b"1.0", b"one", b"9" * 5000, b"\xff", b" "])
def test_a_damaged_epoch_is_named(data: bytes) -> None:
    with pytest.raises(CorruptZnodeError, match="/controller_epoch"):
        decode_controller_epoch(Znode("/controller_epoch", data))


@pytest.mark.parametrize("data", [b"2147483648", b"9" * 5000, b'{"brokerid":-1}', b"{}"])
def test_a_damaged_controller_is_named(data: bytes) -> None:
    with pytest.raises(CorruptZnodeError, match="/controller"):
        decode_controller(Znode("/controller", data))


def test_a_migration_that_has_not_begun_is_understood() -> None:
    migration = decode_migration(
        Znode(
            "/migration",
            b'{"version":0,"kraft_metadata_offset":-1,"kraft_controller_id":-1,'
            b'"kraft_metadata_epoch":-1,"kraft_controller_epoch":-1}',
        )
    )

    assert (migration.kraft_controller_id, migration.kraft_metadata_offset) == (-1, -1)
