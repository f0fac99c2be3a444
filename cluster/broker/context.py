"""What do the APIs of one broker share?"""

from cluster.broker.configs.topic_config_handler import TopicConfigHandler
from cluster.broker.control_queue import ControlQueue
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.partitions import Partitions
from cluster.broker.ports import Ports
from cluster.model.ids import ControllerEpoch


class Context:
    """The ports, and the state that several APIs read or change."""

    __slots__ = (
        "cache",
        "control_queue",
        "controller_epoch",
        "partitions",
        "ports",
        "topic_config_handler",
    )

    def __init__(self, ports: Ports) -> None:
        self.ports = ports
        self.cache = MetadataCache()
        self.partitions = Partitions(self.cache)
        self.topic_config_handler = TopicConfigHandler(ports, self.partitions)
        self.control_queue = ControlQueue()
        self.controller_epoch = ControllerEpoch(-1)
        """The highest epoch of a controller that this broker has heard."""

    @property
    def is_controller(self) -> bool:
        """Whether this broker is the controller, as far as it has been told."""
        return self.cache.live_controller_id == self.ports.broker.broker_id
