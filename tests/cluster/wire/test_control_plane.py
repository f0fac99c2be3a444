"""What controllers and brokers say to one another, against bytes put together by hand.

No other implementation in Python knows these messages, so each is written out here a second time,
version by version, as the compatibility notes have them.
"""

from collections.abc import Callable
from struct import pack
from typing import Any

import pytest

from cluster.wire.decoders import decode
from cluster.wire.encoders import encode_message
from cluster.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    BrokerState,
    PartitionData,
    ResponsePartitionData,
    ResponseTopicData,
    TopicData,
)
from cluster.wire.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    RemainingPartition,
)
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrLiveLeader,
    LeaderAndIsrPartitionError,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
    LeaderAndIsrTopicState,
)
from cluster.wire.messages.stop_replica import (
    StopReplicaPartitionError,
    StopReplicaPartitionState,
    StopReplicaPartitionV0,
    StopReplicaRequest,
    StopReplicaResponse,
    StopReplicaTopicState,
    StopReplicaTopicV1,
)
from cluster.wire.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataResponse,
    UpdateMetadataTopicState,
)
from cluster.wire.schema import schema_of

TOPIC_ID = bytes(range(16))


class Bytes:
    """Values one after the other; a flexible version writes lengths and ends of structs its way."""

    def __init__(self, flexible: bool) -> None:
        self.flexible = flexible
        self.data = b""

    def put(self, form: str, *values: Any) -> "Bytes":
        self.data += pack(">" + form, *values)
        return self

    def raw(self, data: bytes) -> "Bytes":
        self.data += data
        return self

    def text(self, text: str) -> "Bytes":
        return self.put("B" if self.flexible else "h", len(text) + self.flexible).raw(text.encode())

    def null_text(self) -> "Bytes":
        return self.raw(b"\0" if self.flexible else b"\xff\xff")

    def count(self, count: int) -> "Bytes":
        return self.put("B" if self.flexible else "i", count + self.flexible)

    def numbers(self, *numbers: int) -> "Bytes":
        return self.count(len(numbers)).put(f"{len(numbers)}i", *numbers)

    def end(self) -> "Bytes":
        """The end of a struct: no tagged fields."""
        return self.raw(b"\0" if self.flexible else b"")


def leader_and_isr_request(version: int) -> tuple[LeaderAndIsrRequest, bytes]:
    state = LeaderAndIsrPartitionState(
        topic_name="top" if version < 2 else "",
        partition_index=3,
        controller_epoch=4,
        leader=1,
        leader_epoch=5,
        isr=(1, 2),
        partition_epoch=6,
        replicas=(1, 2, 9),
        adding_replicas=(9,) if version >= 3 else (),
        removing_replicas=(7, 8) if version >= 3 else (),
        is_new=version >= 1,
        leader_recovery_state=1 if version >= 6 else 0,
    )
    topic = LeaderAndIsrTopicState("top", TOPIC_ID if version >= 5 else bytes(16), (state,))
    message = LeaderAndIsrRequest(
        controller_id=1,
        is_kraft_controller=version >= 7,
        controller_epoch=4,
        broker_epoch=2**40 if version >= 2 else -1,
        type=2 if version >= 5 else 0,
        ungrouped_partition_states=(state,) if version < 2 else (),
        topic_states=(topic,) if version >= 2 else (),
        live_leaders=(LeaderAndIsrLiveLeader(1, "h1", 9092),),
    )
    out = Bytes(version >= 4).put("i", 1)
    if version >= 7:
        out.put("?", True)
    out.put("i", 4)
    if version >= 2:
        out.put("q", 2**40)
    if version >= 5:
        out.put("b", 2)
    if version >= 2:
        out.count(1).text("top")
    if version >= 5:
        out.raw(TOPIC_ID)
    out.count(1)
    if version < 2:
        out.text("top")
    out.put("iiii", 3, 4, 1, 5).numbers(1, 2).put("i", 6).numbers(1, 2, 9)
    if version >= 3:
        out.numbers(9).numbers(7, 8)
    if version >= 1:
        out.put("?", True)
    if version >= 6:
        out.put("b", 1)
    out.end().end()
    out.count(1).put("i", 1).text("h1").put("i", 9092).end()
    return message, out.end().data


def leader_and_isr_response(version: int) -> tuple[LeaderAndIsrResponse, bytes]:
    error = LeaderAndIsrPartitionError("top" if version < 5 else "", 3, 11)
    message = LeaderAndIsrResponse(
        error_code=77,
        partition_errors=(error,) if version < 5 else (),
        topics=(LeaderAndIsrTopicError(TOPIC_ID, (error,)),) if version >= 5 else (),
    )
    out = Bytes(version >= 4).put("h", 77).count(1)
    if version >= 5:
        out.raw(TOPIC_ID).count(1).put("ih", 3, 11).end().end()
    else:
        out.text("top").put("ih", 3, 11).end()
    return message, out.end().data


def stop_replica_request(version: int) -> tuple[StopReplicaRequest, bytes]:
    message = StopReplicaRequest(
        controller_id=1,
        is_kraft_controller=version >= 4,
        controller_epoch=4,
        broker_epoch=2**40 if version >= 1 else -1,
        delete_partitions=version < 3,
        ungrouped_partitions=(StopReplicaPartitionV0("top", 3),) if version == 0 else (),
        topics=(StopReplicaTopicV1("top", (3, 4)),) if version in (1, 2) else (),
        topic_states=(StopReplicaTopicState("top", (StopReplicaPartitionState(3, -2, True),)),)
        if version >= 3
        else (),
    )
    out = Bytes(version >= 2).put("i", 1)
    if version >= 4:
        out.put("?", True)
    out.put("i", 4)
    if version >= 1:
        out.put("q", 2**40)
    if version < 3:
        out.put("?", True)
    out.count(1).text("top")
    if version == 0:
        out.put("i", 3)
    elif version < 3:
        out.numbers(3, 4).end()
    else:
        out.count(1).put("ii?", 3, -2, True).end().end()
    return message, out.end().data


def stop_replica_response(version: int) -> tuple[StopReplicaResponse, bytes]:
    message = StopReplicaResponse(77, (StopReplicaPartitionError("top", 3, 74),))
    out = Bytes(version >= 2).put("h", 77).count(1).text("top").put("ih", 3, 74).end()
    return message, out.end().data


def update_metadata_request(version: int) -> tuple[UpdateMetadataRequest, bytes]:
    state = UpdateMetadataPartitionState(
        topic_name="top" if version < 5 else "",
        partition_index=3,
        controller_epoch=4,
        leader=-2,
        leader_epoch=5,
        isr=(1, 2),
        zk_version=6,
        replicas=(1, 2, 9),
        offline_replicas=(9,) if version >= 4 else (),
    )
    endpoint = UpdateMetadataEndpoint(9092, "h1", "PLAIN" if version >= 3 else "", 3)
    broker = UpdateMetadataBroker(
        id=1,
        v0_host="h1" if version == 0 else "",
        v0_port=9092 if version == 0 else 0,
        endpoints=(endpoint,) if version >= 1 else (),
        rack=None,
    )
    topic = UpdateMetadataTopicState("top", TOPIC_ID if version >= 7 else bytes(16), (state,))
    message = UpdateMetadataRequest(
        controller_id=1,
        is_kraft_controller=version >= 8,
        type=1 if version >= 8 else 0,
        controller_epoch=4,
        broker_epoch=2**40 if version >= 5 else -1,
        ungrouped_partition_states=(state,) if version < 5 else (),
        topic_states=(topic,) if version >= 5 else (),
        live_brokers=(broker,),
    )
    out = Bytes(version >= 6).put("i", 1)
    if version >= 8:
        out.put("?", True)
    out.put("i", 4)
    if version >= 5:
        out.put("q", 2**40).count(1).text("top")
    if version >= 7:
        out.raw(TOPIC_ID)
    out.count(1)
    if version < 5:
        out.text("top")
    out.put("iiii", 3, 4, -2, 5).numbers(1, 2).put("i", 6).numbers(1, 2, 9)
    if version >= 4:
        out.numbers(9)
    out.end().end()
    out.count(1).put("i", 1)
    if version == 0:
        out.text("h1").put("i", 9092)
    else:
        out.count(1).put("i", 9092).text("h1")
        if version >= 3:
            out.text("PLAIN")
        out.put("h", 3).end()
    if version >= 2:
        out.null_text()
    out.end()
    if version >= 8:
        return message, out.raw(b"\x01\x00\x01\x01").data
    return message, out.end().data


def update_metadata_response(version: int) -> tuple[UpdateMetadataResponse, bytes]:
    return UpdateMetadataResponse(77), Bytes(version >= 6).put("h", 77).end().data


def controlled_shutdown_request(version: int) -> tuple[ControlledShutdownRequest, bytes]:
    out = Bytes(version >= 3).put("i", 1)
    if version < 2:
        return ControlledShutdownRequest(1), out.data
    return ControlledShutdownRequest(1, 2**40), out.put("q", 2**40).end().data


def controlled_shutdown_response(version: int) -> tuple[ControlledShutdownResponse, bytes]:
    out = Bytes(version >= 3).put("h", 77).count(1).text("top").put("i", 3).end()
    return ControlledShutdownResponse(77, (RemainingPartition("top", 3),)), out.end().data


def alter_partition_request(version: int) -> tuple[AlterPartitionRequest, bytes]:
    partition = PartitionData(
        partition_index=3,
        leader_epoch=5,
        new_isr=(1, 2) if version < 3 else (),
        new_isr_with_epochs=(BrokerState(1, 2**40),) if version >= 3 else (),
        leader_recovery_state=1 if version >= 1 else 0,
        partition_epoch=6,
    )
    name, topic_id = ("top", bytes(16)) if version < 2 else ("", TOPIC_ID)
    message = AlterPartitionRequest(1, 2**40, (TopicData(name, topic_id, (partition,)),))
    out = Bytes(True).put("iq", 1, 2**40).count(1)
    if version < 2:
        out.text("top")
    else:
        out.raw(TOPIC_ID)
    out.count(1).put("ii", 3, 5)
    if version < 3:
        out.numbers(1, 2)
    else:
        out.count(1).put("iq", 1, 2**40).end()
    if version >= 1:
        out.put("b", 1)
    return message, out.put("i", 6).end().end().end().data


def alter_partition_response(version: int) -> tuple[AlterPartitionResponse, bytes]:
    recovery = 1 if version >= 1 else 0
    partition = ResponsePartitionData(3, 0, 1, 5, (1, 2), recovery, 6)
    name, topic_id = ("top", bytes(16)) if version < 2 else ("", TOPIC_ID)
    message = AlterPartitionResponse(9, 77, (ResponseTopicData(name, topic_id, (partition,)),))
    out = Bytes(True).put("ih", 9, 77).count(1)
    if version < 2:
        out.text("top")
    else:
        out.raw(TOPIC_ID)
    out.count(1).put("ihii", 3, 0, 1, 5).numbers(1, 2)
    if version >= 1:
        out.put("b", 1)
    return message, out.put("i", 6).end().end().end().data


BY_HAND: list[Callable[[int], tuple[tuple[Any, ...], bytes]]] = [
    leader_and_isr_request,
    leader_and_isr_response,
    stop_replica_request,
    stop_replica_response,
    update_metadata_request,
    update_metadata_response,
    controlled_shutdown_request,
    controlled_shutdown_response,
    alter_partition_request,
    alter_partition_response,
]


@pytest.mark.parametrize("by_hand", BY_HAND)
def test_bytes_are_those_put_together_by_hand(
    by_hand: Callable[[int], tuple[tuple[Any, ...], bytes]],
) -> None:
    schema = schema_of(type(by_hand(0)[0]))
    for version in schema.versions:
        message, data = by_hand(version)

        assert encode_message(schema, version, message) == [data], version
        assert decode(schema, version, memoryview(data), 0) == message, version
