"""Leaders write ISRs over the version that they know, once, whatever replies are lost."""

import pytest
from hypothesis import given

from cluster.coordination.isr import path_of, write_isrs
from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch, TopicPartition, ZkVersion
from cluster.model.topic import PartitionState
from cluster.zk import paths
from cluster.zk.admin import decode_isr_change
from cluster.zk.requests import Create, SetData
from cluster.zk.topics import decode_state, encode_state
from tests.cluster.coordination.test_registration import Ensemble, losses

FIRST, SECOND = TopicPartition("orders", 0), TopicPartition("orders", 1)
BEFORE = PartitionState(
    BrokerId(1),
    (BrokerId(1), BrokerId(2)),
    LeaderEpoch(3),
    ControllerEpoch(1),
    zk_version=ZkVersion(0),
)
AFTER = BEFORE._replace(isr=(BrokerId(1),))


def ensemble_of(lost: list[bool | None] | None = None) -> Ensemble:
    ensemble = Ensemble(lost)
    ensemble.put(Create(paths.topic("orders"), b""), Create(paths.partitions("orders"), b""))
    for partition in (FIRST, SECOND):
        ensemble.put(
            Create(paths.partition(partition), b""),
            Create(path_of(partition), encode_state(BEFORE)),
        )
    return ensemble


@pytest.mark.slow
@given(lost=losses)
def test_isrs_are_written_and_the_controller_is_told(lost: list[bool | None]) -> None:
    ensemble = ensemble_of(lost)

    written = ensemble.run(write_isrs({FIRST: AFTER, SECOND: AFTER}))

    expected = AFTER._replace(zk_version=ZkVersion(1))
    assert written == {FIRST: expected, SECOND: expected}
    for partition in (FIRST, SECOND):
        node = ensemble.zookeeper.node(path_of(partition))
        assert node is not None
        assert decode_state(node) == expected
    names = ensemble.zookeeper.children(paths.ISR_CHANGES)
    assert names
    for name in names:
        node = ensemble.zookeeper.node(f"{paths.ISR_CHANGES}/{name}")
        assert node is not None
        assert decode_isr_change(node).partitions == (FIRST, SECOND)


@given(lost=losses)
def test_what_somebody_else_has_written_stays(lost: list[bool | None]) -> None:
    ensemble = ensemble_of(lost)
    controllers = encode_state(BEFORE._replace(leader_epoch=LeaderEpoch(4)))
    ensemble.put(SetData(path_of(FIRST), controllers, ZkVersion(0)))

    written = ensemble.run(write_isrs({FIRST: AFTER, SECOND: AFTER}))

    assert written == {FIRST: None, SECOND: AFTER._replace(zk_version=ZkVersion(1))}
    node = ensemble.zookeeper.node(path_of(FIRST))
    assert node is not None
    assert node.data == controllers


def test_a_partition_that_is_gone_is_not_made() -> None:
    ensemble = Ensemble()

    assert ensemble.run(write_isrs({FIRST: AFTER})) == {FIRST: None}
    assert ensemble.zookeeper.node(path_of(FIRST)) is None
    assert ensemble.zookeeper.children(paths.ISR_CHANGES) == ()
