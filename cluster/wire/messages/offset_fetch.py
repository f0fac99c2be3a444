"""OffsetFetch: reading the committed offsets of a group."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT32, array, boolean, int16, int32, int64, string
from cluster.wire.schema import request, response, struct


@struct
class OffsetFetchRequestTopic(NamedTuple):
    name: str = string()
    partition_indexes: Sequence[int] = array(INT32)


@struct
class OffsetFetchRequestGroup(NamedTuple):
    group_id: str = string()
    member_id: str | None = string("9+", null="9+", default=None)
    member_epoch: int = int32("9+", default=-1)
    topics: Sequence[OffsetFetchRequestTopic] | None = array(OffsetFetchRequestTopic, null="0+")


@request(ApiKey.OFFSET_FETCH, "0-9", "6+")
class OffsetFetchRequest(NamedTuple):
    group_id: str = string("0-7")
    topics: Sequence[OffsetFetchRequestTopic] | None = array(
        OffsetFetchRequestTopic, "0-7", null="2-7"
    )
    groups: Sequence[OffsetFetchRequestGroup] = array(OffsetFetchRequestGroup, "8+")
    require_stable: bool = boolean("7+")


@struct
class OffsetFetchResponsePartition(NamedTuple):
    partition_index: int = int32()
    committed_offset: int = int64()
    committed_leader_epoch: int = int32("5+", default=-1)
    metadata: str | None = string(null="0+", default=None)
    error_code: int = int16()


@struct
class OffsetFetchResponseTopic(NamedTuple):
    name: str = string()
    partitions: Sequence[OffsetFetchResponsePartition] = array(OffsetFetchResponsePartition)


@struct
class OffsetFetchResponseGroup(NamedTuple):
    group_id: str = string()
    topics: Sequence[OffsetFetchResponseTopic] = array(OffsetFetchResponseTopic)
    error_code: int = int16()


@response(ApiKey.OFFSET_FETCH, "0-9", "6+")
class OffsetFetchResponse(NamedTuple):
    throttle_time_ms: int = int32("3+")
    topics: Sequence[OffsetFetchResponseTopic] = array(OffsetFetchResponseTopic, "0-7")
    error_code: int = int16("2-7")
    groups: Sequence[OffsetFetchResponseGroup] = array(OffsetFetchResponseGroup, "8+")
