"""AlterReplicaLogDirs and DescribeLogDirs: directories of logs."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT32, array, boolean, int16, int32, int64, string
from cluster.wire.schema import request, response, struct


@struct
class AlterReplicaLogDirTopic(NamedTuple):
    name: str = string()
    partitions: Sequence[int] = array(INT32)


@struct
class AlterReplicaLogDir(NamedTuple):
    path: str = string()
    topics: Sequence[AlterReplicaLogDirTopic] = array(AlterReplicaLogDirTopic)


@request(ApiKey.ALTER_REPLICA_LOG_DIRS, "0-2", "2+")
class AlterReplicaLogDirsRequest(NamedTuple):
    dirs: Sequence[AlterReplicaLogDir] = array(AlterReplicaLogDir)


@struct
class AlterReplicaLogDirPartitionResult(NamedTuple):
    partition_index: int = int32()
    error_code: int = int16()


@struct
class AlterReplicaLogDirTopicResult(NamedTuple):
    topic_name: str = string()
    partitions: Sequence[AlterReplicaLogDirPartitionResult] = array(
        AlterReplicaLogDirPartitionResult
    )


@response(ApiKey.ALTER_REPLICA_LOG_DIRS, "0-2", "2+")
class AlterReplicaLogDirsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    results: Sequence[AlterReplicaLogDirTopicResult] = array(AlterReplicaLogDirTopicResult)


@struct
class DescribableLogDirTopic(NamedTuple):
    topic: str = string()
    partitions: Sequence[int] = array(INT32)


@request(ApiKey.DESCRIBE_LOG_DIRS, "0-4", "2+")
class DescribeLogDirsRequest(NamedTuple):
    topics: Sequence[DescribableLogDirTopic] | None = array(DescribableLogDirTopic, null="0+")


@struct
class DescribeLogDirsPartition(NamedTuple):
    partition_index: int = int32()
    partition_size: int = int64()
    offset_lag: int = int64()
    is_future_key: bool = boolean()


@struct
class DescribeLogDirsTopic(NamedTuple):
    name: str = string()
    partitions: Sequence[DescribeLogDirsPartition] = array(DescribeLogDirsPartition)


@struct
class DescribeLogDirsResult(NamedTuple):
    error_code: int = int16()
    log_dir: str = string()
    topics: Sequence[DescribeLogDirsTopic] = array(DescribeLogDirsTopic)
    total_bytes: int = int64("4+", default=-1)
    usable_bytes: int = int64("4+", default=-1)


@response(ApiKey.DESCRIBE_LOG_DIRS, "0-4", "2+")
class DescribeLogDirsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16("3+")
    results: Sequence[DescribeLogDirsResult] = array(DescribeLogDirsResult)
