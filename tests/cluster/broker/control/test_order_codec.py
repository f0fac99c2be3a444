"""Orders of the controller as requests, and answers to them, through the bytes of the wire."""

import tracemalloc
from collections.abc import Mapping
from typing import Any, Final

import pytest

from cluster.api.dispatch import SERVED
from cluster.api.leader_and_isr import changes_of
from cluster.broker.control.order_codec import requests_of, result_of
from cluster.controller.orders import (
    LeaderAndIsr,
    LeaderAndIsrPartition,
    Order,
    OrderResult,
    PublishedPartition,
    StoppedPartition,
    StopReplica,
    UpdateMetadata,
)
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import (
    EPOCH_DURING_DELETION,
    LEADER_DURING_DELETION,
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_text
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_request, encode_request
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)
from cluster.wire.messages.stop_replica import StopReplicaPartitionError, StopReplicaResponse
from cluster.wire.messages.update_metadata import UpdateMetadataResponse
from cluster.wire.versions import Versions

ID_A = bytes(range(16))
ID_B = bytes(range(1, 17))
IDS = {"a": topic_id_text(ID_A), "b": topic_id_text(ID_B)}
STATE = PartitionState(
    BrokerId(1), (BrokerId(1), BrokerId(2)), LeaderEpoch(5), ControllerEpoch(3), 1, 1, ZkVersion(9)
)
ASSIGNMENT = PartitionAssignment(
    (BrokerId(1), BrokerId(2), BrokerId(3)), (BrokerId(3),), (BrokerId(2),)
)
MEMBERS = tuple(
    LeaderAndIsrPartition(TopicPartition(*name), STATE, ASSIGNMENT, name[1] == 0)
    for name in (("a", 0), ("b", 7), ("a", 1))
)
BROKER = BrokerRegistration(
    broker_id=BrokerId(1),
    endpoints=(
        Endpoint(listener="CLIENT", security_protocol="SASL_SSL", host="outside", port=1),
        Endpoint(listener="INSIDE", security_protocol="PLAINTEXT", host="inside", port=2),
        Endpoint(listener="ODD", security_protocol="CARRIER_PIGEON", host="roof", port=3),
    ),
    version=5,
    rack="r1",
)
OLD: Final = {
    "0.11.0.3": (0, 3, 0),
    "1.1.1": (1, 4, 0),
    "2.3.1": (2, 5, 1),
    "2.4.1": (4, 6, 2),
    "2.6.3": (4, 6, 3),
    "2.8.2": (5, 7, 3),
    "3.2.3": (6, 7, 3),
    "3.9.1": (7, 8, 4),
}
"""The newest versions of LeaderAndIsr, UpdateMetadata and StopReplica in releases of Kafka."""
FROM = {
    "controller_id": BrokerId(8),
    "controller_epoch": ControllerEpoch(3),
    "broker_epoch": BrokerEpoch(2**40),
}


def leader_and_isr(**changes: Any) -> LeaderAndIsr:
    content = {"partitions": MEMBERS, "live_leaders": (BROKER,), "topic_ids": IDS}
    return LeaderAndIsr(**FROM | content | changes)


def received(order: Order) -> tuple[int, Any]:
    """The version and the body that a broker of Kafka 3.9 reads."""
    (only,) = received_by(SERVED, order)
    return only


def received_by(served: Mapping[ApiKey, Versions], order: Order) -> list[tuple[int, Any]]:
    """The version and the body of each request that a broker reads which serves *served*."""
    requests = requests_of(
        order, "INSIDE", lambda api_key, newest: served[api_key].newest_up_to(newest)
    )
    assert requests is not None
    found = []
    for request in requests:
        buffers = encode_request(request.api_key, request.version, 7, "8", request.body)
        frame = memoryview(b"".join(buffers))[4:]  # type: ignore[arg-type]
        found.append((request.version, decode_request(frame, served).body))
    return found


def test_leader_and_isr_says_all_that_the_order_says() -> None:
    version, body = received(leader_and_isr())
    parts = {part.partition: part for part in changes_of(body)}

    assert (7, 8, 3, 2**40) == (
        version,
        body.controller_id,
        body.controller_epoch,
        body.broker_epoch,
    )
    assert {member.partition for member in MEMBERS} == set(parts)
    for member in MEMBERS:
        part = parts[member.partition]
        found = (part.state._replace(version=1), part.assignment, part.is_new)
        assert (STATE, ASSIGNMENT, member.is_new) == found
        assert (ID_A if member.partition.topic == "a" else ID_B) == part.topic_id
    assert [(1, "inside", 2)] == [tuple(leader) for leader in body.live_leaders]


@pytest.mark.slow
def test_an_order_about_very_many_partitions_takes_little_memory_while_it_is_written() -> None:
    many = tuple(
        LeaderAndIsrPartition(TopicPartition("a", index), STATE, ASSIGNMENT, is_new=False)
        for index in range(10_000)
    )
    order = leader_and_isr(partitions=many)
    _, body = received(order)
    assert [part.partition for part in changes_of(body)] == [member.partition for member in many]

    tracemalloc.start()
    try:
        (request,) = requests_of(order, "INSIDE", lambda _, newest: newest) or ()
        (frame,) = encode_request(request.api_key, request.version, 7, "8", request.body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The parts before they are joined, the frame and the list of the topic's partitions.
    assert peak < 3 * len(frame)


def test_an_answer_by_topic_ids_is_read_by_names() -> None:
    error = LeaderAndIsrPartitionError
    topics = [
        LeaderAndIsrTopicError(ID_A, [error("", 0, 0), error("", 1, 56)]),
        LeaderAndIsrTopicError(bytes(16), [error("", 0, 3)]),
    ]

    result = result_of(leader_and_isr(), [LeaderAndIsrResponse(topics=topics)])

    assert OrderResult(errors={TopicPartition("a", 0): 0, TopicPartition("a", 1): 56}) == result


def test_topics_without_a_readable_id_are_ordered_and_answered_by_name() -> None:
    for ids in ({"a": IDS["a"]}, IDS | {"b": "no id"}):
        order = leader_and_isr(topic_ids=ids)
        version, body = received(order)
        errors = [LeaderAndIsrPartitionError("b", 7, 56)]
        result = result_of(order, [LeaderAndIsrResponse(partition_errors=errors)])

        assert 4 == version
        assert {NO_TOPIC_ID} == {part.topic_id for part in changes_of(body)}
        assert OrderResult(errors={TopicPartition("b", 7): 56}) == result


def test_update_metadata_says_who_is_alive_where_and_what_is_published() -> None:
    deleted = STATE._replace(leader=LEADER_DURING_DELETION)
    published = (
        PublishedPartition(TopicPartition("a", 0), STATE, ASSIGNMENT.replicas, (BrokerId(3),)),
        PublishedPartition(TopicPartition("b", 7), deleted, ASSIGNMENT.replicas, ()),
    )
    order = UpdateMetadata(
        **FROM,  # type: ignore[arg-type]
        partitions=published,
        live_brokers=(BROKER,),
        topic_ids=IDS,
    )
    version, body = received(order)
    (broker,) = body.live_brokers
    topics = {topic.topic_name: topic for topic in body.topic_states}
    (first,) = topics["a"].partition_states
    (second,) = topics["b"].partition_states

    assert 8 == version
    assert (1, "r1") == (broker.id, broker.rack)
    assert [(1, "outside", "CLIENT", 3), (2, "inside", "INSIDE", 0)] == [
        tuple(endpoint) for endpoint in broker.endpoints
    ]
    assert (ID_A, ID_B) == (topics["a"].topic_id, topics["b"].topic_id)
    assert (0, 3, 1, 5, [1, 2], 9, [1, 2, 3], [3]) == (
        first.partition_index,
        first.controller_epoch,
        first.leader,
        first.leader_epoch,
        list(first.isr),
        first.zk_version,
        list(first.replicas),
        list(first.offline_replicas),
    )
    assert LEADER_DURING_DELETION == second.leader
    assert OrderResult(error=11) == result_of(order, [UpdateMetadataResponse(11)])


def test_stop_replica_says_which_logs_shall_go() -> None:
    stopped = (
        StoppedPartition(TopicPartition("a", 0), EPOCH_DURING_DELETION, True),
        StoppedPartition(TopicPartition("a", 1), LeaderEpoch(5), False),
    )
    order = StopReplica(**FROM, partitions=stopped)  # type: ignore[arg-type]
    version, body = received(order)
    (topic,) = body.topic_states
    errors = [StopReplicaPartitionError("a", 1, ErrorCode.FENCED_LEADER_EPOCH)]
    result = result_of(order, [StopReplicaResponse(partition_errors=errors)])

    assert 4 == version
    assert [(0, -2, True), (1, 5, False)] == [tuple(one) for one in topic.partition_states]
    assert OrderResult(errors={TopicPartition("a", 1): ErrorCode.FENCED_LEADER_EPOCH}) == result


def served_by(release: str) -> dict[ApiKey, Versions]:
    keys = (ApiKey.LEADER_AND_ISR, ApiKey.UPDATE_METADATA, ApiKey.STOP_REPLICA)
    return {key: Versions(0, newest) for key, newest in zip(keys, OLD[release], strict=True)}


@pytest.mark.parametrize("release", OLD)
def test_each_release_is_told_who_leads_in_the_newest_version_that_it_reads(release: str) -> None:
    ((version, body),) = received_by(served_by(release), leader_and_isr())
    parts = {part.partition: part for part in changes_of(body)}

    assert OLD[release][0] == version
    assert {member.partition for member in MEMBERS} == set(parts)
    for member in MEMBERS:
        part = parts[member.partition]
        assert (1, 5, 3, (1, 2), 9) == (
            part.state.leader,
            part.state.leader_epoch,
            part.state.controller_epoch,
            tuple(part.state.isr),
            part.state.zk_version,
        )
        assert ASSIGNMENT.replicas == tuple(part.assignment.replicas)
        assert (member.is_new and version >= 1) == part.is_new
        assert (part.topic_id == NO_TOPIC_ID) == (version < 5)


@pytest.mark.parametrize("release", OLD)
def test_each_release_is_told_what_clients_shall_know_in_the_newest_version_that_it_reads(
    release: str,
) -> None:
    published = tuple(
        PublishedPartition(TopicPartition(*name), STATE, ASSIGNMENT.replicas, (BrokerId(3),))
        for name in (("a", 0), ("b", 7), ("a", 1))
    )
    order = UpdateMetadata(
        **FROM,  # type: ignore[arg-type]
        partitions=published,
        live_brokers=(BROKER,),
        topic_ids=IDS,
    )
    ((version, body),) = received_by(served_by(release), order)
    found = {
        (part.topic_name or topic, part.partition_index): (part.leader, list(part.isr))
        for topic, parts in [
            ("", body.ungrouped_partition_states),
            *((topic.topic_name, topic.partition_states) for topic in body.topic_states),
        ]
        for part in parts
    }

    assert OLD[release][1] == version
    assert dict.fromkeys((("a", 0), ("b", 7), ("a", 1)), (1, [1, 2])) == found
    assert [(1, "outside", 3), (2, "inside", 0)] == [
        (one.port, one.host, one.security_protocol) for one in body.live_brokers[0].endpoints
    ]


@pytest.mark.parametrize("release", OLD)
def test_each_release_is_told_to_stop_in_the_newest_version_that_it_reads(release: str) -> None:
    """Before 2.6 a request says of all its partitions at once whether their logs shall go."""
    stopped = (
        StoppedPartition(TopicPartition("a", 0), EPOCH_DURING_DELETION, True),
        StoppedPartition(TopicPartition("a", 1), LeaderEpoch(5), False),
        StoppedPartition(TopicPartition("b", 7), LeaderEpoch(5), True),
    )
    order = StopReplica(**FROM, partitions=stopped)  # type: ignore[arg-type]
    requests = received_by(served_by(release), order)
    logs_go: dict[tuple[str, int], bool] = {}
    for _, body in requests:
        whole = body.delete_partitions
        logs_go |= {tuple(one): whole for one in body.ungrouped_partitions}
        logs_go |= {(one.name, n): whole for one in body.topics for n in one.partition_indexes}
        logs_go |= {
            (topic.topic_name, one.partition_index): one.delete_partition
            for topic in body.topic_states
            for one in topic.partition_states
        }

    assert {OLD[release][2]} == {version for version, _ in requests}
    assert (1 if OLD[release][2] >= 3 else 2) == len(requests)
    assert {("a", 0): True, ("a", 1): False, ("b", 7): True} == logs_go


def test_what_two_requests_come_to_is_one_result() -> None:
    stopped = (
        StoppedPartition(TopicPartition("a", 0), LeaderEpoch(5), True),
        StoppedPartition(TopicPartition("a", 1), LeaderEpoch(5), False),
    )
    order = StopReplica(**FROM, partitions=stopped)  # type: ignore[arg-type]
    kept = StopReplicaResponse(partition_errors=[StopReplicaPartitionError("a", 1, 0)])
    gone = StopReplicaResponse(11, partition_errors=[StopReplicaPartitionError("a", 0, 56)])

    result = result_of(order, [kept, gone])

    errors = {TopicPartition("a", 1): 0, TopicPartition("a", 0): 56}
    assert OrderResult(error=11, errors=errors) == result


def test_a_broker_that_takes_no_orders_gets_none() -> None:
    """As those of KRaft, which serve none of these."""
    stop = StopReplica(**FROM, partitions=())  # type: ignore[arg-type]
    update = UpdateMetadata(**FROM, partitions=(), live_brokers=())  # type: ignore[arg-type]

    for order in (leader_and_isr(), update, stop):
        assert requests_of(order, "INSIDE", lambda api_key, newest: None) is None
