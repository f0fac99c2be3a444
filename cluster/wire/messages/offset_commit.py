"""OffsetCommit: storing the offsets of a group."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import array, int16, int32, int64, string
from cluster.wire.schema import request, response, struct


@struct
class OffsetCommitRequestPartition(NamedTuple):
    partition_index: int = int32()
    committed_offset: int = int64()
    committed_leader_epoch: int = int32("6+", default=-1)
    commit_timestamp: int = int64("1", default=-1)
    committed_metadata: str | None = string(null="0+", default=None)


@struct
class OffsetCommitRequestTopic(NamedTuple):
    name: str = string()
    partitions: Sequence[OffsetCommitRequestPartition] = array(OffsetCommitRequestPartition)


@request(ApiKey.OFFSET_COMMIT, "0-9", "8+")
class OffsetCommitRequest(NamedTuple):
    group_id: str = string()
    generation_id_or_member_epoch: int = int32("1+", default=-1)
    member_id: str = string("1+")
    group_instance_id: str | None = string("7+", null="7+", default=None)
    retention_time_ms: int = int64("2-4", default=-1)
    topics: Sequence[OffsetCommitRequestTopic] = array(OffsetCommitRequestTopic)


@struct
class OffsetCommitResponsePartition(NamedTuple):
    partition_index: int = int32()
    error_code: int = int16()


@struct
class OffsetCommitResponseTopic(NamedTuple):
    name: str = string()
    partitions: Sequence[OffsetCommitResponsePartition] = array(OffsetCommitResponsePartition)


@response(ApiKey.OFFSET_COMMIT, "0-9", "8+")
class OffsetCommitResponse(NamedTuple):
    throttle_time_ms: int = int32("3+")
    topics: Sequence[OffsetCommitResponseTopic] = array(OffsetCommitResponseTopic)
