"""ListOffsets: the offsets of a partition for a timestamp, its start and its end."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT64, array, int8, int16, int32, int64, string
from cluster.wire.schema import request, response, struct


@struct
class ListOffsetsPartition(NamedTuple):
    partition_index: int = int32()
    current_leader_epoch: int = int32("4+", default=-1)
    timestamp: int = int64()
    max_num_offsets: int = int32("0", default=1)


@struct
class ListOffsetsTopic(NamedTuple):
    name: str = string()
    partitions: Sequence[ListOffsetsPartition] = array(ListOffsetsPartition)


@request(ApiKey.LIST_OFFSETS, "0-9", "6+")
class ListOffsetsRequest(NamedTuple):
    replica_id: int = int32()
    isolation_level: int = int8("2+")
    topics: Sequence[ListOffsetsTopic] = array(ListOffsetsTopic)


@struct
class ListOffsetsPartitionResponse(NamedTuple):
    partition_index: int = int32()
    error_code: int = int16()
    old_style_offsets: Sequence[int] = array(INT64, "0")
    timestamp: int = int64("1+", default=-1)
    offset: int = int64("1+", default=-1)
    leader_epoch: int = int32("4+", default=-1)


@struct
class ListOffsetsTopicResponse(NamedTuple):
    name: str = string()
    partitions: Sequence[ListOffsetsPartitionResponse] = array(ListOffsetsPartitionResponse)


@response(ApiKey.LIST_OFFSETS, "0-9", "6+")
class ListOffsetsResponse(NamedTuple):
    throttle_time_ms: int = int32("2+")
    topics: Sequence[ListOffsetsTopicResponse] = array(ListOffsetsTopicResponse)
