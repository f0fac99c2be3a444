"""InitProducerId, DescribeProducers and AllocateProducerIds: producer ids and their state."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT32, array, explanation, int16, int32, int64, string
from cluster.wire.schema import request, response, struct


@request(ApiKey.INIT_PRODUCER_ID, "0-5", "2+")
class InitProducerIdRequest(NamedTuple):
    transactional_id: str | None = string(null="0+", default=None)
    transaction_timeout_ms: int = int32()
    producer_id: int = int64("3+", default=-1)
    producer_epoch: int = int16("3+", default=-1)


@response(ApiKey.INIT_PRODUCER_ID, "0-5", "2+")
class InitProducerIdResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16()
    producer_id: int = int64(default=-1)
    producer_epoch: int = int16()


@struct
class TopicRequest(NamedTuple):
    name: str = string()
    partition_indexes: Sequence[int] = array(INT32)


@request(ApiKey.DESCRIBE_PRODUCERS, "0", "0+")
class DescribeProducersRequest(NamedTuple):
    topics: Sequence[TopicRequest] = array(TopicRequest)


@struct
class ProducerState(NamedTuple):
    producer_id: int = int64()
    producer_epoch: int = int32()
    last_sequence: int = int32(default=-1)
    last_timestamp: int = int64(default=-1)
    coordinator_epoch: int = int32()
    current_txn_start_offset: int = int64(default=-1)


@struct
class PartitionResponse(NamedTuple):
    partition_index: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()
    active_producers: Sequence[ProducerState] = array(ProducerState)


@struct
class TopicResponse(NamedTuple):
    name: str = string()
    partitions: Sequence[PartitionResponse] = array(PartitionResponse)


@response(ApiKey.DESCRIBE_PRODUCERS, "0", "0+")
class DescribeProducersResponse(NamedTuple):
    throttle_time_ms: int = int32()
    topics: Sequence[TopicResponse] = array(TopicResponse)


@request(ApiKey.ALLOCATE_PRODUCER_IDS, "0", "0+")
class AllocateProducerIdsRequest(NamedTuple):
    broker_id: int = int32()
    broker_epoch: int = int64(default=-1)


@response(ApiKey.ALLOCATE_PRODUCER_IDS, "0", "0+")
class AllocateProducerIdsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16()
    producer_id_start: int = int64()
    producer_id_len: int = int32()
