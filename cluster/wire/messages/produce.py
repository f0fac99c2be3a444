"""Produce: appending of records."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import (
    Records,
    array,
    batches,
    explanation,
    int16,
    int32,
    int64,
    nested,
    string,
)
from cluster.wire.messages.leaders import LeaderIdAndEpoch, NodeEndpoint
from cluster.wire.schema import request, response, struct


@struct
class PartitionProduceData(NamedTuple):
    partition_index: int = int32()
    records: Records | None = batches()


@struct
class TopicProduceData(NamedTuple):
    name: str = string()
    partition_data: Sequence[PartitionProduceData] = array(PartitionProduceData)


@request(ApiKey.PRODUCE, "0-11", "9+")
class ProduceRequest(NamedTuple):
    transactional_id: str | None = string("3+", null="3+", default=None)
    acks: int = int16()
    timeout_ms: int = int32()
    topic_data: Sequence[TopicProduceData] = array(TopicProduceData)


@struct
class BatchIndexAndErrorMessage(NamedTuple):
    batch_index: int = int32()
    batch_index_error_message: str | None = explanation()


@struct
class PartitionProduceResponse(NamedTuple):
    partition_index: int = int32()
    error_code: int = int16()
    base_offset: int = int64()
    log_append_time_ms: int = int64("2+", default=-1)
    log_start_offset: int = int64("5+", default=-1)
    record_errors: Sequence[BatchIndexAndErrorMessage] = array(BatchIndexAndErrorMessage, "8+")
    error_message: str | None = explanation("8+")
    current_leader: LeaderIdAndEpoch = nested(LeaderIdAndEpoch, "10+", tag=0)


@struct
class TopicProduceResponse(NamedTuple):
    name: str = string()
    partition_responses: Sequence[PartitionProduceResponse] = array(PartitionProduceResponse)


@response(ApiKey.PRODUCE, "0-11", "9+")
class ProduceResponse(NamedTuple):
    responses: Sequence[TopicProduceResponse] = array(TopicProduceResponse)
    throttle_time_ms: int = int32("1+")
    node_endpoints: Sequence[NodeEndpoint] = array(NodeEndpoint, "10+", tag=0)
