"""Fetch: reading of records, by consumers and by followers."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import (
    INT32,
    Records,
    array,
    batches,
    int8,
    int16,
    int32,
    int64,
    nested,
    string,
    uuid,
)
from cluster.wire.messages.leaders import LeaderIdAndEpoch, NodeEndpoint
from cluster.wire.schema import request, response, struct


@struct
class ReplicaState(NamedTuple):
    replica_id: int = int32(default=-1)
    replica_epoch: int = int64(default=-1)


@struct
class FetchPartition(NamedTuple):
    partition: int = int32()
    current_leader_epoch: int = int32("9+", default=-1)
    fetch_offset: int = int64()
    last_fetched_epoch: int = int32("12+", default=-1)
    log_start_offset: int = int64("5+", default=-1)
    partition_max_bytes: int = int32()
    replica_directory_id: bytes = uuid("17+", tag=0)


@struct
class FetchTopic(NamedTuple):
    topic: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partitions: Sequence[FetchPartition] = array(FetchPartition)


@struct
class ForgottenTopic(NamedTuple):
    topic: str = string("7-12")
    topic_id: bytes = uuid("13+")
    partitions: Sequence[int] = array(INT32)


@request(ApiKey.FETCH, "0-17", "12+")
class FetchRequest(NamedTuple):
    cluster_id: str | None = string("12+", null="12+", default=None, tag=0)
    replica_id: int = int32("0-14", default=-1)
    replica_state: ReplicaState = nested(ReplicaState, "15+", tag=1)
    max_wait_ms: int = int32()
    min_bytes: int = int32()
    max_bytes: int = int32("3+", default=2**31 - 1)
    isolation_level: int = int8("4+")
    session_id: int = int32("7+")
    session_epoch: int = int32("7+", default=-1)
    topics: Sequence[FetchTopic] = array(FetchTopic)
    forgotten_topics_data: Sequence[ForgottenTopic] = array(ForgottenTopic, "7+")
    rack_id: str = string("11+")


@struct
class EpochEndOffset(NamedTuple):
    epoch: int = int32(default=-1)
    end_offset: int = int64(default=-1)


@struct
class SnapshotId(NamedTuple):
    end_offset: int = int64(default=-1)
    epoch: int = int32(default=-1)


@struct
class AbortedTransaction(NamedTuple):
    producer_id: int = int64()
    first_offset: int = int64()


@struct
class PartitionData(NamedTuple):
    partition_index: int = int32()
    error_code: int = int16()
    high_watermark: int = int64()
    last_stable_offset: int = int64("4+", default=-1)
    log_start_offset: int = int64("5+", default=-1)
    diverging_epoch: EpochEndOffset = nested(EpochEndOffset, "12+", tag=0)
    current_leader: LeaderIdAndEpoch = nested(LeaderIdAndEpoch, "12+", tag=1)
    snapshot_id: SnapshotId = nested(SnapshotId, "12+", tag=2)
    aborted_transactions: Sequence[AbortedTransaction] | None = array(
        AbortedTransaction, "4+", null="4+", default=None
    )
    preferred_read_replica: int = int32("11+", default=-1)
    records: Records | None = batches()


@struct
class FetchableTopicResponse(NamedTuple):
    topic: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partitions: Sequence[PartitionData] = array(PartitionData)


@response(ApiKey.FETCH, "0-17", "12+")
class FetchResponse(NamedTuple):
    throttle_time_ms: int = int32("1+")
    error_code: int = int16("7+")
    session_id: int = int32("7+")
    responses: Sequence[FetchableTopicResponse] = array(FetchableTopicResponse)
    node_endpoints: Sequence[NodeEndpoint] = array(NodeEndpoint, "16+", tag=0)
