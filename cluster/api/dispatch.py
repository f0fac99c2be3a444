"""Who answers which request?"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final, TypeAlias

from cluster.api import (
    allocate_producer_ids,
    alter_configs,
    api_versions,
    controlled_shutdown,
    create_partitions,
    create_topics,
    delete_records,
    delete_topics,
    describe_cluster,
    describe_configs,
    describe_log_dirs,
    leader_and_isr,
    list_offsets,
    offset_for_leader_epoch,
    produce,
    stop_replica,
    update_metadata,
)
from cluster.api.fetch import Fetch
from cluster.api.init_producer_id import InitProducerId
from cluster.api.metadata import Metadata
from cluster.broker.context import Context
from cluster.broker.handling import Cancel, Handler, Peer, Reply
from cluster.broker.partitions import HostedPartition
from cluster.broker.ports import Ports
from cluster.model.ids import TopicPartition
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame

Stateless: TypeAlias = Callable[[Context, RequestFrame, Peer, Reply], Cancel | None]

STATELESS: Final[Mapping[ApiKey, Stateless]] = {
    ApiKey.PRODUCE: produce.handle,
    ApiKey.LIST_OFFSETS: list_offsets.handle,
    ApiKey.LEADER_AND_ISR: leader_and_isr.handle,
    ApiKey.STOP_REPLICA: stop_replica.handle,
    ApiKey.UPDATE_METADATA: update_metadata.handle,
    ApiKey.CONTROLLED_SHUTDOWN: controlled_shutdown.handle,
    ApiKey.API_VERSIONS: api_versions.handle,
    ApiKey.CREATE_TOPICS: create_topics.handle,
    ApiKey.DELETE_TOPICS: delete_topics.handle,
    ApiKey.DELETE_RECORDS: delete_records.handle,
    ApiKey.OFFSET_FOR_LEADER_EPOCH: offset_for_leader_epoch.handle,
    ApiKey.DESCRIBE_CONFIGS: describe_configs.handle,
    ApiKey.ALTER_CONFIGS: alter_configs.handle,
    ApiKey.DESCRIBE_LOG_DIRS: describe_log_dirs.handle,
    ApiKey.CREATE_PARTITIONS: create_partitions.handle,
    ApiKey.INCREMENTAL_ALTER_CONFIGS: alter_configs.handle_incremental,
    ApiKey.DESCRIBE_CLUSTER: describe_cluster.handle,
    ApiKey.ALLOCATE_PRODUCER_IDS: allocate_producer_ids.handle,
}


class BrokerApi:
    """All APIs of one broker, and what its process may ask or tell them."""

    def __init__(self, ports: Ports) -> None:
        self._context = Context(ports)
        self._handlers: dict[ApiKey, Handler] = {
            key: partial(handle, self._context) for key, handle in STATELESS.items()
        }
        self._handlers[ApiKey.FETCH] = Fetch(self._context).handle
        self._handlers[ApiKey.METADATA] = Metadata(self._context).handle
        self._handlers[ApiKey.INIT_PRODUCER_ID] = InitProducerId(self._context).handle
        assert self._handlers.keys() == api_versions.SERVED.keys()

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        """Answer a request of an API and version that is served; see `Handler`."""
        return self._handlers[request.api_key](request, peer, reply)

    def high_watermarks(self) -> dict[TopicPartition, int]:
        """Of all partitions that this broker has, for the checkpoint."""
        return {
            hosted.partition: hosted.replica.high_watermark for hosted in self._context.partitions
        }

    def high_watermark(self, partition: TopicPartition) -> int:
        """0 for a partition that no controller has spoken of yet: nothing of it may go."""
        hosted = self._context.partitions.find(partition)
        return 0 if hosted is None else hosted.replica.high_watermark

    def change_topic_configs(self, topic: str, overrides: Mapping[str, str]) -> None:
        """Keep *topic* by *overrides* from now on, or as it was if they cannot be served."""
        self._context.topic_config_handler.change(topic, overrides)

    def topic_defaults_changed(self) -> None:
        """Keep topics by the broker's own configs of now, as far as they do not override them."""
        self._context.topic_config_handler.defaults_changed()

    def notice_failed_directories(self) -> Iterable[TopicPartition]:
        """End what waits for partitions whose disk has failed, and say which these are."""
        failed: list[HostedPartition] = [
            one for one in self._context.partitions if one.log.is_offline
        ]
        for hosted in failed:
            if hosted.replica.is_leader:
                hosted.replica.resign()
        return [hosted.partition for hosted in failed]
