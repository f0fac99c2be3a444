"""AlterPartitionReassignments and ListPartitionReassignments: moving partitions."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT32, array, explanation, int16, int32, string
from cluster.wire.schema import request, response, struct


@struct
class ReassignablePartition(NamedTuple):
    partition_index: int = int32()
    replicas: Sequence[int] | None = array(INT32, null="0+", default=None)


@struct
class ReassignableTopic(NamedTuple):
    name: str = string()
    partitions: Sequence[ReassignablePartition] = array(ReassignablePartition)


@request(ApiKey.ALTER_PARTITION_REASSIGNMENTS, "0", "0+")
class AlterPartitionReassignmentsRequest(NamedTuple):
    timeout_ms: int = int32(default=60000)
    topics: Sequence[ReassignableTopic] = array(ReassignableTopic)


@struct
class ReassignablePartitionResponse(NamedTuple):
    partition_index: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()


@struct
class ReassignableTopicResponse(NamedTuple):
    name: str = string()
    partitions: Sequence[ReassignablePartitionResponse] = array(ReassignablePartitionResponse)


@response(ApiKey.ALTER_PARTITION_REASSIGNMENTS, "0", "0+")
class AlterPartitionReassignmentsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()
    responses: Sequence[ReassignableTopicResponse] = array(ReassignableTopicResponse)


@struct
class ListPartitionReassignmentsTopics(NamedTuple):
    name: str = string()
    partition_indexes: Sequence[int] = array(INT32)


@request(ApiKey.LIST_PARTITION_REASSIGNMENTS, "0", "0+")
class ListPartitionReassignmentsRequest(NamedTuple):
    timeout_ms: int = int32(default=60000)
    topics: Sequence[ListPartitionReassignmentsTopics] | None = array(
        ListPartitionReassignmentsTopics, null="0+", default=None
    )


@struct
class OngoingPartitionReassignment(NamedTuple):
    partition_index: int = int32()
    replicas: Sequence[int] = array(INT32)
    adding_replicas: Sequence[int] = array(INT32)
    removing_replicas: Sequence[int] = array(INT32)


@struct
class OngoingTopicReassignment(NamedTuple):
    name: str = string()
    partitions: Sequence[OngoingPartitionReassignment] = array(OngoingPartitionReassignment)


@response(ApiKey.LIST_PARTITION_REASSIGNMENTS, "0", "0+")
class ListPartitionReassignmentsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()
    topics: Sequence[OngoingTopicReassignment] = array(OngoingTopicReassignment)
