"""OffsetForLeaderEpoch: the end offset of a leader epoch in a leader's log."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import array, int16, int32, int64, string
from cluster.wire.schema import request, response, struct


@struct
class OffsetForLeaderPartition(NamedTuple):
    partition: int = int32()
    current_leader_epoch: int = int32("2+", default=-1)
    leader_epoch: int = int32()


@struct
class OffsetForLeaderTopic(NamedTuple):
    topic: str = string()
    partitions: Sequence[OffsetForLeaderPartition] = array(OffsetForLeaderPartition)


@request(ApiKey.OFFSET_FOR_LEADER_EPOCH, "0-4", "4+")
class OffsetForLeaderEpochRequest(NamedTuple):
    replica_id: int = int32("3+", default=-2)
    topics: Sequence[OffsetForLeaderTopic] = array(OffsetForLeaderTopic)


@struct
class EpochEndOffset(NamedTuple):
    error_code: int = int16()
    partition: int = int32()
    leader_epoch: int = int32("1+", default=-1)
    end_offset: int = int64(default=-1)


@struct
class OffsetForLeaderTopicResult(NamedTuple):
    topic: str = string()
    partitions: Sequence[EpochEndOffset] = array(EpochEndOffset)


@response(ApiKey.OFFSET_FOR_LEADER_EPOCH, "0-4", "4+")
class OffsetForLeaderEpochResponse(NamedTuple):
    throttle_time_ms: int = int32("2+")
    topics: Sequence[OffsetForLeaderTopicResult] = array(OffsetForLeaderTopicResult)
