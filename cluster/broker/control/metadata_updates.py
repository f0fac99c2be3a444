"""Updates of metadata: what the controller sends for this broker's clients.

Source: Kafka's KafkaApis.handleUpdateMetadataRequest.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from cluster.broker.control.fences import ControllerFence, Sender
from cluster.broker.metadata_cache import LiveBroker, MetadataCache, PartitionUpdate
from cluster.broker.ports import Ports
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.statechange.broker import metadata_updated

TOPICS_AWAITED_MS: Final = 30_000
"""How long after a controller's first update without partitions a broker with logs waits for more:
in between come the orders about its replicas, each of which opens files.
"""


@dataclass(slots=True)
class MetadataUpdates:
    """Processes updates, and knows whether those with the topics may still be missing."""

    ports: Ports
    cache: MetadataCache
    fence: ControllerFence
    first_update_ms: int = 0
    """When the controller sent the first update for this registration."""

    def take(
        self,
        sender: Sender,
        live_brokers: Iterable[LiveBroker],
        updates: Iterable[PartitionUpdate],
    ) -> ErrorCode:
        """Update the metadata of clients; returns the error if the update is refused."""
        error = self.fence.refusal(sender, "UpdateMetadata")
        if error is ErrorCode.NONE:
            if self.cache.begin_registration(BrokerEpoch(sender.broker_epoch)):
                self.first_update_ms = self.ports.clock.now_ms()
            added_count, forgotten_count = self.cache.update(
                BrokerId(sender.tag.controller_id), live_brokers, updates
            )
            self.ports.journal.state_change(
                metadata_updated(sender.tag, added_count, forgotten_count)
            )
        return error

    @property
    def awaits_topics(self) -> bool:
        """Whether the update with the topics may still be missing, so that this broker cannot
        answer that a topic does not exist.

        A new controller first sends the brokers and later the partitions.  A broker that has logs
        has had topics before, and waits for that; for a limited time, as they may all be deleted.

        Source: none; Kafka's brokers answer that such topics do not exist.
        """
        if self.cache.controller_id is None:
            return True
        return (
            not self.cache.topics
            and any(directory.logs for directory in self.ports.logs.directories)
            and self.ports.clock.now_ms() < self.first_update_ms + TOPICS_AWAITED_MS
        )
