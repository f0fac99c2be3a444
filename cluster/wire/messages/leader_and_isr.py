"""LeaderAndIsr: a controller's orders to lead or follow partitions."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT32, array, boolean, int8, int16, int32, int64, string, uuid
from cluster.wire.schema import request, response, struct


@struct
class LeaderAndIsrPartitionState(NamedTuple):
    topic_name: str = string("0-1")
    partition_index: int = int32()
    controller_epoch: int = int32()
    leader: int = int32()
    leader_epoch: int = int32()
    isr: Sequence[int] = array(INT32)
    partition_epoch: int = int32()
    replicas: Sequence[int] = array(INT32)
    adding_replicas: Sequence[int] = array(INT32, "3+")
    removing_replicas: Sequence[int] = array(INT32, "3+")
    is_new: bool = boolean("1+")
    leader_recovery_state: int = int8("6+")


@struct
class LeaderAndIsrTopicState(NamedTuple):
    topic_name: str = string()
    topic_id: bytes = uuid("5+")
    partition_states: Sequence[LeaderAndIsrPartitionState] = array(LeaderAndIsrPartitionState)


@struct
class LeaderAndIsrLiveLeader(NamedTuple):
    broker_id: int = int32()
    host_name: str = string()
    port: int = int32()


@request(ApiKey.LEADER_AND_ISR, "0-7", "4+")
class LeaderAndIsrRequest(NamedTuple):
    controller_id: int = int32()
    is_kraft_controller: bool = boolean("7+")
    controller_epoch: int = int32()
    broker_epoch: int = int64("2+", default=-1)
    type: int = int8("5+")
    ungrouped_partition_states: Sequence[LeaderAndIsrPartitionState] = array(
        LeaderAndIsrPartitionState, "0-1"
    )
    topic_states: Sequence[LeaderAndIsrTopicState] = array(LeaderAndIsrTopicState, "2+")
    live_leaders: Sequence[LeaderAndIsrLiveLeader] = array(LeaderAndIsrLiveLeader)


@struct
class LeaderAndIsrPartitionError(NamedTuple):
    topic_name: str = string("0-4")
    partition_index: int = int32()
    error_code: int = int16()


@struct
class LeaderAndIsrTopicError(NamedTuple):
    topic_id: bytes = uuid()
    partition_errors: Sequence[LeaderAndIsrPartitionError] = array(LeaderAndIsrPartitionError)


@response(ApiKey.LEADER_AND_ISR, "0-7", "4+")
class LeaderAndIsrResponse(NamedTuple):
    error_code: int = int16()
    partition_errors: Sequence[LeaderAndIsrPartitionError] = array(
        LeaderAndIsrPartitionError, "0-4"
    )
    topics: Sequence[LeaderAndIsrTopicError] = array(LeaderAndIsrTopicError, "5+")
