"""UpdateMetadata: a controller's metadata of brokers and leaders for all brokers."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import INT32, array, boolean, int8, int16, int32, int64, string, uuid
from cluster.wire.schema import request, response, struct


@struct
class UpdateMetadataPartitionState(NamedTuple):
    topic_name: str = string("0-4")
    partition_index: int = int32()
    controller_epoch: int = int32()
    leader: int = int32()
    leader_epoch: int = int32()
    isr: Sequence[int] = array(INT32)
    zk_version: int = int32()
    replicas: Sequence[int] = array(INT32)
    offline_replicas: Sequence[int] = array(INT32, "4+")


@struct
class UpdateMetadataTopicState(NamedTuple):
    topic_name: str = string()
    topic_id: bytes = uuid("7+")
    partition_states: Sequence[UpdateMetadataPartitionState] = array(UpdateMetadataPartitionState)


@struct
class UpdateMetadataEndpoint(NamedTuple):
    port: int = int32()
    host: str = string()
    listener: str = string("3+")
    security_protocol: int = int16()


@struct
class UpdateMetadataBroker(NamedTuple):
    id: int = int32()
    v0_host: str = string("0")
    v0_port: int = int32("0")
    endpoints: Sequence[UpdateMetadataEndpoint] = array(UpdateMetadataEndpoint, "1+")
    rack: str | None = string("2+", null="2+", default=None)


@request(ApiKey.UPDATE_METADATA, "0-8", "6+")
class UpdateMetadataRequest(NamedTuple):
    controller_id: int = int32()
    is_kraft_controller: bool = boolean("8+")
    type: int = int8("8+", tag=0)
    controller_epoch: int = int32()
    broker_epoch: int = int64("5+", default=-1)
    ungrouped_partition_states: Sequence[UpdateMetadataPartitionState] = array(
        UpdateMetadataPartitionState, "0-4"
    )
    topic_states: Sequence[UpdateMetadataTopicState] = array(UpdateMetadataTopicState, "5+")
    live_brokers: Sequence[UpdateMetadataBroker] = array(UpdateMetadataBroker)


@response(ApiKey.UPDATE_METADATA, "0-8", "6+")
class UpdateMetadataResponse(NamedTuple):
    error_code: int = int16()
