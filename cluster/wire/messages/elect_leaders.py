"""ElectLeaders: elections of leaders, and their results."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT32, array, explanation, int8, int16, int32, string
from cluster.wire.schema import request, response, struct


@struct
class TopicPartitions(NamedTuple):
    topic: str = string()
    partitions: Sequence[int] = array(INT32)


@request(ApiKey.ELECT_LEADERS, "0-2", "2+")
class ElectLeadersRequest(NamedTuple):
    election_type: int = int8("1+")
    topic_partitions: Sequence[TopicPartitions] | None = array(TopicPartitions, null="0+")
    timeout_ms: int = int32(default=60000)


@struct
class PartitionResult(NamedTuple):
    partition_id: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()


@struct
class ReplicaElectionResult(NamedTuple):
    topic: str = string()
    partition_result: Sequence[PartitionResult] = array(PartitionResult)


@response(ApiKey.ELECT_LEADERS, "0-2", "2+")
class ElectLeadersResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16("1+")
    replica_election_results: Sequence[ReplicaElectionResult] = array(ReplicaElectionResult)
