"""AlterPartition: a leader's proposals of ISRs to the controller."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT32, array, int8, int16, int32, int64, string, uuid
from cluster.wire.schema import request, response, struct


@struct
class BrokerState(NamedTuple):
    broker_id: int = int32()
    broker_epoch: int = int64(default=-1)


@struct
class PartitionData(NamedTuple):
    partition_index: int = int32()
    leader_epoch: int = int32()
    new_isr: Sequence[int] = array(INT32, "0-2")
    new_isr_with_epochs: Sequence[BrokerState] = array(BrokerState, "3+")
    leader_recovery_state: int = int8("1+")
    partition_epoch: int = int32()


@struct
class TopicData(NamedTuple):
    topic_name: str = string("0-1")
    topic_id: bytes = uuid("2+")
    partitions: Sequence[PartitionData] = array(PartitionData)


@request(ApiKey.ALTER_PARTITION, "0-3", "0+")
class AlterPartitionRequest(NamedTuple):
    broker_id: int = int32()
    broker_epoch: int = int64(default=-1)
    topics: Sequence[TopicData] = array(TopicData)


@struct
class ResponsePartitionData(NamedTuple):
    partition_index: int = int32()
    error_code: int = int16()
    leader_id: int = int32()
    leader_epoch: int = int32()
    isr: Sequence[int] = array(INT32)
    leader_recovery_state: int = int8("1+")
    partition_epoch: int = int32()


@struct
class ResponseTopicData(NamedTuple):
    topic_name: str = string("0-1")
    topic_id: bytes = uuid("2+")
    partitions: Sequence[ResponsePartitionData] = array(ResponsePartitionData)


@response(ApiKey.ALTER_PARTITION, "0-3", "0+")
class AlterPartitionResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16()
    topics: Sequence[ResponseTopicData] = array(ResponseTopicData)
