"""Metadata: brokers, topics and leaders, for clients."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT32, array, boolean, int16, int32, string, uuid
from cluster.wire.schema import request, response, struct


@struct
class MetadataRequestTopic(NamedTuple):
    topic_id: bytes = uuid("10+")
    name: str | None = string(null="10+")


@request(ApiKey.METADATA, "0-12", "9+")
class MetadataRequest(NamedTuple):
    topics: Sequence[MetadataRequestTopic] | None = array(MetadataRequestTopic, null="1+")
    allow_auto_topic_creation: bool = boolean("4+", default=True)
    include_cluster_authorized_operations: bool = boolean("8-10")
    include_topic_authorized_operations: bool = boolean("8+")


@struct
class MetadataResponseBroker(NamedTuple):
    node_id: int = int32()
    host: str = string()
    port: int = int32()
    rack: str | None = string("1+", null="1+", default=None)


@struct
class MetadataResponsePartition(NamedTuple):
    error_code: int = int16()
    partition_index: int = int32()
    leader_id: int = int32()
    leader_epoch: int = int32("7+", default=-1)
    replica_nodes: Sequence[int] = array(INT32)
    isr_nodes: Sequence[int] = array(INT32)
    offline_replicas: Sequence[int] = array(INT32, "5+")


@struct
class MetadataResponseTopic(NamedTuple):
    error_code: int = int16()
    name: str | None = string(null="12+")
    topic_id: bytes = uuid("10+")
    is_internal: bool = boolean("1+")
    partitions: Sequence[MetadataResponsePartition] = array(MetadataResponsePartition)
    topic_authorized_operations: int = int32("8+", default=-(2**31))


@response(ApiKey.METADATA, "0-12", "9+")
class MetadataResponse(NamedTuple):
    throttle_time_ms: int = int32("3+")
    brokers: Sequence[MetadataResponseBroker] = array(MetadataResponseBroker)
    cluster_id: str | None = string("2+", null="2+", default=None)
    controller_id: int = int32("1+", default=-1)
    topics: Sequence[MetadataResponseTopic] = array(MetadataResponseTopic)
    cluster_authorized_operations: int = int32("8-10", default=-(2**31))
