"""CreateTopics, CreatePartitions, DeleteRecords and DeleteTopics: changes of topics."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import (
    INT32,
    STRING,
    array,
    boolean,
    explanation,
    int8,
    int16,
    int32,
    int64,
    string,
    uuid,
)
from cluster.wire.schema import request, response, struct


@struct
class CreatableReplicaAssignment(NamedTuple):
    partition_index: int = int32()
    broker_ids: Sequence[int] = array(INT32)


@struct
class CreatableTopicConfig(NamedTuple):
    name: str = string()
    value: str | None = string(null="0+", default=None)


@struct
class CreatableTopic(NamedTuple):
    name: str = string()
    num_partitions: int = int32()
    replication_factor: int = int16()
    assignments: Sequence[CreatableReplicaAssignment] = array(CreatableReplicaAssignment)
    configs: Sequence[CreatableTopicConfig] = array(CreatableTopicConfig)


@request(ApiKey.CREATE_TOPICS, "0-7", "5+")
class CreateTopicsRequest(NamedTuple):
    topics: Sequence[CreatableTopic] = array(CreatableTopic)
    timeout_ms: int = int32(default=60000)
    validate_only: bool = boolean("1+")


@struct
class CreatableTopicConfigs(NamedTuple):
    name: str = string()
    value: str | None = string(null="0+", default=None)
    read_only: bool = boolean()
    config_source: int = int8(default=-1)
    is_sensitive: bool = boolean()


@struct
class CreatableTopicResult(NamedTuple):
    name: str = string()
    topic_id: bytes = uuid("7+")
    error_code: int = int16()
    error_message: str | None = explanation("1+")
    topic_config_error_code: int = int16("5+", tag=0)
    num_partitions: int = int32("5+", default=-1)
    replication_factor: int = int16("5+", default=-1)
    configs: Sequence[CreatableTopicConfigs] | None = array(CreatableTopicConfigs, "5+", null="5+")


@response(ApiKey.CREATE_TOPICS, "0-7", "5+")
class CreateTopicsResponse(NamedTuple):
    throttle_time_ms: int = int32("2+")
    topics: Sequence[CreatableTopicResult] = array(CreatableTopicResult)


@struct
class DeleteTopicState(NamedTuple):
    name: str | None = string(null="0+", default=None)
    topic_id: bytes = uuid()


@request(ApiKey.DELETE_TOPICS, "0-6", "4+")
class DeleteTopicsRequest(NamedTuple):
    topics: Sequence[DeleteTopicState] = array(DeleteTopicState, "6+")
    topic_names: Sequence[str] = array(STRING, "0-5")
    timeout_ms: int = int32()


@struct
class DeletableTopicResult(NamedTuple):
    name: str | None = string(null="6+")
    topic_id: bytes = uuid("6+")
    error_code: int = int16()
    error_message: str | None = explanation("5+")


@response(ApiKey.DELETE_TOPICS, "0-6", "4+")
class DeleteTopicsResponse(NamedTuple):
    throttle_time_ms: int = int32("1+")
    responses: Sequence[DeletableTopicResult] = array(DeletableTopicResult)


@struct
class DeleteRecordsPartition(NamedTuple):
    partition_index: int = int32()
    offset: int = int64()


@struct
class DeleteRecordsTopic(NamedTuple):
    name: str = string()
    partitions: Sequence[DeleteRecordsPartition] = array(DeleteRecordsPartition)


@request(ApiKey.DELETE_RECORDS, "0-2", "2+")
class DeleteRecordsRequest(NamedTuple):
    topics: Sequence[DeleteRecordsTopic] = array(DeleteRecordsTopic)
    timeout_ms: int = int32()


@struct
class DeleteRecordsPartitionResult(NamedTuple):
    partition_index: int = int32()
    low_watermark: int = int64()
    error_code: int = int16()


@struct
class DeleteRecordsTopicResult(NamedTuple):
    name: str = string()
    partitions: Sequence[DeleteRecordsPartitionResult] = array(DeleteRecordsPartitionResult)


@response(ApiKey.DELETE_RECORDS, "0-2", "2+")
class DeleteRecordsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    topics: Sequence[DeleteRecordsTopicResult] = array(DeleteRecordsTopicResult)


@struct
class CreatePartitionsAssignment(NamedTuple):
    broker_ids: Sequence[int] = array(INT32)


@struct
class CreatePartitionsTopic(NamedTuple):
    name: str = string()
    partition_count: int = int32()
    assignments: Sequence[CreatePartitionsAssignment] | None = array(
        CreatePartitionsAssignment, null="0+"
    )


@request(ApiKey.CREATE_PARTITIONS, "0-3", "2+")
class CreatePartitionsRequest(NamedTuple):
    topics: Sequence[CreatePartitionsTopic] = array(CreatePartitionsTopic)
    timeout_ms: int = int32()
    validate_only: bool = boolean()


@struct
class CreatePartitionsTopicResult(NamedTuple):
    name: str = string()
    error_code: int = int16()
    error_message: str | None = explanation()


@response(ApiKey.CREATE_PARTITIONS, "0-3", "2+")
class CreatePartitionsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    results: Sequence[CreatePartitionsTopicResult] = array(CreatePartitionsTopicResult)
