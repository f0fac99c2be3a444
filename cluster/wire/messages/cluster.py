"""DescribeCluster: the brokers of a cluster."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import array, boolean, explanation, int8, int16, int32, string
from cluster.wire.schema import request, response, struct


@request(ApiKey.DESCRIBE_CLUSTER, "0-1", "0+")
class DescribeClusterRequest(NamedTuple):
    include_cluster_authorized_operations: bool = boolean()
    endpoint_type: int = int8("1+", default=1)


@struct
class DescribeClusterBroker(NamedTuple):
    broker_id: int = int32()
    host: str = string()
    port: int = int32()
    rack: str | None = string(null="0+", default=None)


@response(ApiKey.DESCRIBE_CLUSTER, "0-1", "0+")
class DescribeClusterResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()
    endpoint_type: int = int8("1+", default=1)
    cluster_id: str = string()
    controller_id: int = int32(default=-1)
    brokers: Sequence[DescribeClusterBroker] = array(DescribeClusterBroker)
    cluster_authorized_operations: int = int32(default=-(2**31))
