"""StopReplica: a controller's orders to stop replicas, and to delete them."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT32, array, boolean, int16, int32, int64, string
from cluster.wire.schema import request, response, struct


@struct
class StopReplicaPartitionV0(NamedTuple):
    topic_name: str = string()
    partition_index: int = int32()


@struct
class StopReplicaTopicV1(NamedTuple):
    name: str = string()
    partition_indexes: Sequence[int] = array(INT32)


@struct
class StopReplicaPartitionState(NamedTuple):
    partition_index: int = int32()
    leader_epoch: int = int32(default=-1)
    delete_partition: bool = boolean()


@struct
class StopReplicaTopicState(NamedTuple):
    topic_name: str = string()
    partition_states: Sequence[StopReplicaPartitionState] = array(StopReplicaPartitionState)


@request(ApiKey.STOP_REPLICA, "0-4", "2+")
class StopReplicaRequest(NamedTuple):
    controller_id: int = int32()
    is_kraft_controller: bool = boolean("4+")
    controller_epoch: int = int32()
    broker_epoch: int = int64("1+", default=-1)
    delete_partitions: bool = boolean("0-2")
    ungrouped_partitions: Sequence[StopReplicaPartitionV0] = array(StopReplicaPartitionV0, "0")
    topics: Sequence[StopReplicaTopicV1] = array(StopReplicaTopicV1, "1-2")
    topic_states: Sequence[StopReplicaTopicState] = array(StopReplicaTopicState, "3+")


@struct
class StopReplicaPartitionError(NamedTuple):
    topic_name: str = string()
    partition_index: int = int32()
    error_code: int = int16()


@response(ApiKey.STOP_REPLICA, "0-4", "2+")
class StopReplicaResponse(NamedTuple):
    error_code: int = int16()
    partition_errors: Sequence[StopReplicaPartitionError] = array(StopReplicaPartitionError)
