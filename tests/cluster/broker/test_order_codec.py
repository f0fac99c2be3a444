"""Orders of the controller as requests, and answers to them, through the bytes of the wire."""

from typing import Any

from cluster.api.leader_and_isr import changes_of
from cluster.broker.order_codec import request_of, result_of
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
FROM = {
    "controller_id": BrokerId(8),
    "controller_epoch": ControllerEpoch(3),
    "broker_epoch": BrokerEpoch(2**40),
}


def leader_and_isr(**changes: Any) -> LeaderAndIsr:
    content = {"partitions": MEMBERS, "live_leaders": (BROKER,), "topic_ids": IDS}
    return LeaderAndIsr(**FROM | content | changes)


def received(order: Order) -> tuple[int, Any]:
    """The version and the body that a broker reads."""
    request = request_of(order, "INSIDE")
    buffers = encode_request(request.api_key, request.version, 7, "8", request.body)
    frame = memoryview(b"".join(buffers))[4:]  # type: ignore[arg-type]
    served = {request.api_key: Versions(request.version, request.version)}
    return request.version, decode_request(frame, served).body


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


def test_an_answer_by_topic_ids_is_read_by_names() -> None:
    error = LeaderAndIsrPartitionError
    topics = [
        LeaderAndIsrTopicError(ID_A, [error("", 0, 0), error("", 1, 56)]),
        LeaderAndIsrTopicError(bytes(16), [error("", 0, 3)]),
    ]

    result = result_of(leader_and_isr(), LeaderAndIsrResponse(topics=topics))

    assert OrderResult(errors={TopicPartition("a", 0): 0, TopicPartition("a", 1): 56}) == result


def test_topics_without_a_readable_id_are_ordered_and_answered_by_name() -> None:
    for ids in ({"a": IDS["a"]}, IDS | {"b": "no id"}):
        order = leader_and_isr(topic_ids=ids)
        version, body = received(order)
        errors = [LeaderAndIsrPartitionError("b", 7, 56)]
        result = result_of(order, LeaderAndIsrResponse(partition_errors=errors))

        assert 4 == version
        assert {NO_TOPIC_ID} == {part.topic_id for part in changes_of(body)}
        assert OrderResult(errors={TopicPartition("b", 7): 56}) == result


def test_update_metadata_says_who_is_alive_where_and_what_is_published() -> None:
    doomed = STATE._replace(leader=LEADER_DURING_DELETION)
    published = (
        PublishedPartition(TopicPartition("a", 0), STATE, ASSIGNMENT.replicas, (BrokerId(3),)),
        PublishedPartition(TopicPartition("b", 7), doomed, ASSIGNMENT.replicas, ()),
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
    assert OrderResult(error=11) == result_of(order, UpdateMetadataResponse(11))


def test_stop_replica_says_which_logs_shall_go() -> None:
    stopped = (
        StoppedPartition(TopicPartition("a", 0), EPOCH_DURING_DELETION, True),
        StoppedPartition(TopicPartition("a", 1), LeaderEpoch(5), False),
    )
    order = StopReplica(**FROM, partitions=stopped)  # type: ignore[arg-type]
    version, body = received(order)
    (topic,) = body.topic_states
    errors = [StopReplicaPartitionError("a", 1, ErrorCode.FENCED_LEADER_EPOCH)]
    result = result_of(order, StopReplicaResponse(partition_errors=errors))

    assert 4 == version
    assert [(0, -2, True), (1, 5, False)] == [tuple(one) for one in topic.partition_states]
    assert OrderResult(errors={TopicPartition("a", 1): ErrorCode.FENCED_LEADER_EPOCH}) == result
