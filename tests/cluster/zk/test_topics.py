"""Assignments and states, where the rules are more than types."""

from typing import Any

import pytest

from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch, ZkVersion
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from cluster.zk.fields import json_bytes
from cluster.zk.topics import decode_assignment, decode_state, encode_assignment, encode_state
from cluster.zk.znode import Znode

STATE = {"controller_epoch": 3, "leader": 1, "version": 1, "leader_epoch": 5, "isr": [1, 2]}


def assignment_node(**fields: Any) -> Znode:
    return Znode("/brokers/topics/t", json_bytes(fields), ZkVersion(4))


def state_node(**fields: Any) -> Znode:
    path = "/brokers/topics/t/partitions/0/state"
    return Znode(path, json_bytes({**STATE, **fields}), ZkVersion(4))


def test_partitions_are_in_order_of_their_numbers() -> None:
    assignment = decode_assignment(assignment_node(partitions={"10": [1], "2": [2], "0": [3]}))

    assert list(assignment.partitions) == [0, 2, 10]


def test_partitions_with_the_same_replicas_or_isr_keep_them_once() -> None:
    node = assignment_node(partitions={"0": [1, 2], "1": [1, 2]})
    one, other = decode_assignment(node).partitions.values()
    isr, other_isr = decode_state(state_node()).isr, decode_state(state_node()).isr

    assert one is other
    assert isr is other_isr


def test_a_topic_id_and_a_move_survive_in_a_node_of_an_old_version() -> None:
    assignment = TopicAssignment(
        partitions={0: PartitionAssignment((BrokerId(1), BrokerId(2)), adding=(BrokerId(2),))},
        version=1,
        topic_id="x3JcTQs1RtGPVNRWsRXmXQ",
    )

    assert encode_assignment(assignment) == (
        b'{"version":1,"partitions":{"0":[1,2]},"topic_id":"x3JcTQs1RtGPVNRWsRXmXQ",'
        b'"adding_replicas":{"0":[2]},"removing_replicas":{}}'
    )


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "has no object 'partitions'"),
        ({"partitions": [[1]]}, "has no object 'partitions'"),
        ({"partitions": {"-1": [1]}}, "a partition in 'partitions' is out of bounds: -1"),
        ({"partitions": {"x": [1]}}, "a partition in 'partitions' is not an integer: 'x'"),
        ({"partitions": {"0": [1], "00": [2]}}, "'partitions' names a partition twice"),
        ({"partitions": {"0": 1}}, "'partitions' is no list of brokers: 1"),
        ({"partitions": {"0": [-1]}}, "'partitions' holds -1 where a broker id was expected"),
        ({"partitions": {"0": [True]}}, "'partitions' holds True where a broker id was expected"),
        (
            {"partitions": {"0": [1]}, "adding_replicas": {"1": [1]}},
            "partition 1 is in 'adding_replicas' but has no replicas",
        ),
        (
            {"partitions": {"0": [1]}, "removing_replicas": {"0": [2]}},
            "'removing_replicas' of partition 0 is no part of its replicas",
        ),
        ({"partitions": {}, "topic_id": 7}, "'topic_id' is not text: 7"),
        ({"partitions": {}, "topic_id": None}, "has no 'topic_id'"),
        ({"partitions": {}, "topic_id": ""}, "has no 'topic_id'"),
        ({"partitions": {}, "version": "two"}, "'version' is not an integer: 'two'"),
    ],
)
def test_a_damaged_assignment_is_named(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(CorruptZnodeError) as caught:
        decode_assignment(assignment_node(**fields))

    assert str(caught.value) == f"/brokers/topics/t (zkVersion 4): {reason}"


def test_a_state_is_read_whole() -> None:
    assert decode_state(state_node(leader_recovery_state=1, new="x")) == PartitionState(
        leader=BrokerId(1),
        isr=(BrokerId(1), BrokerId(2)),
        leader_epoch=LeaderEpoch(5),
        controller_epoch=ControllerEpoch(3),
        leader_recovery_state=1,
        version=1,
        zk_version=ZkVersion(4),
        extra={"new": "x"},
    )


def test_a_state_without_version_keeps_the_field_that_stands_in_its_place() -> None:
    fields = {key: value for key, value in STATE.items() if key != "version"}
    state = decode_state(Znode("/s", json_bytes({**fields, "new": 1})))

    assert (state.version, state.extra) == (1, {"new": 1})


def test_a_recovered_leader_is_not_written() -> None:
    state = decode_state(state_node(leader_recovery_state=0))

    assert encode_state(state) == json_bytes(STATE)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"leader": None}, "'leader' is not a broker id: None"),
        ({"leader": -2}, "'leader' is not a broker id: -2"),
        ({"leader": True}, "'leader' is not a broker id: True"),
        ({"leader": "1"}, "'leader' is not a broker id: '1'"),
        ({"leader_epoch": -1}, "'leader_epoch' is not an epoch: -1"),
        ({"leader_epoch": 2**31}, "'leader_epoch' is not an epoch: 2147483648"),
        ({"controller_epoch": 1.0}, "'controller_epoch' is not an epoch: 1.0"),
        ({"isr": None}, "'isr' is no list of brokers: None"),
        ({"isr": [1, 2**31]}, "'isr' holds 2147483648 where a broker id was expected"),
        ({"version": True}, "'version' is not an integer: True"),
        ({"version": 2**31}, "'version' is out of bounds: 2147483648"),
        ({"leader_recovery_state": 2}, "'leader_recovery_state' is out of bounds: 2"),
        ({"leader_recovery_state": [1]}, "'leader_recovery_state' is not an integer: [1]"),
    ],
)
def test_a_damaged_state_is_named(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(CorruptZnodeError) as caught:
        decode_state(state_node(**fields))

    assert caught.value.reason == reason
