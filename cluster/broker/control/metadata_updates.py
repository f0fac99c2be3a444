"""Updates of metadata: what the controller says that clients are told from now on.

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
"""How long after a controller's first word a broker with logs takes it for unfinished that has no
partitions: in between come the orders about its replicas, each of which opens files.
"""


@dataclass(slots=True)
class MetadataUpdates:
    """Takes updates, and knows whether those that name the topics may be still to come."""

    ports: Ports
    cache: MetadataCache
    fence: ControllerFence
    registration_heard_ms: int = 0
    """When the controller first told this registration of anything."""

    def take(
        self,
        sender: Sender,
        live_brokers: Iterable[LiveBroker],
        updates: Iterable[PartitionUpdate],
    ) -> ErrorCode:
        """Tell clients what the controller says from now on; the error by which it is refused."""
        error = self.fence.refusal(sender, "UpdateMetadata")
        if error is ErrorCode.NONE:
            if self.cache.begin_registration(BrokerEpoch(sender.broker_epoch)):
                self.registration_heard_ms = self.ports.clock.now_ms()
            added_count, forgotten_count = self.cache.update(
                BrokerId(sender.tag.controller_id), live_brokers, updates
            )
            self.ports.journal.state_change(
                metadata_updated(sender.tag, added_count, forgotten_count)
            )
        return error

    @property
    def awaits_topics(self) -> bool:
        """Whether it may not have been told yet which topics there are, and so can say of none that
        it does not exist.

        A new controller tells of the brokers first and of the partitions later.  Who has logs has
        been told of some before, and waits for that; for a while, as they may all be gone.

        Source: none; Kafka's brokers say that such topics do not exist.
        """
        if self.cache.controller_id is None:
            return True
        return (
            not self.cache.topics
            and any(directory.logs for directory in self.ports.logs.directories)
            and self.ports.clock.now_ms() < self.registration_heard_ms + TOPICS_AWAITED_MS
        )
