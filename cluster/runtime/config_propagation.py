"""Who in this process goes by which config that may change, and how does he hear of it?"""

from collections.abc import Mapping
from typing import Final

from cluster.broker.broker import Broker
from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.dynamic_config_validation import ADDRESS_LIMITS, PRODUCER_EXPIRATION
from cluster.coordination.reads import UNCLEAN_KEY
from cluster.model.address_limits import parse_address_limits
from cluster.model.config_spec import is_true
from cluster.runtime.controller.controller import Controller
from cluster.runtime.network.socket_server import SocketServer
from cluster.storage.log_manager import LogManager

COUNT: Final = "max.connections"
PER_ADDRESS: Final = "max.connections.per.ip"


class ConfigPropagation:
    """Passes on what has changed in the configs of the broker, or of a topic."""

    def __init__(
        self,
        configs: BrokerConfigs,
        server: SocketServer,
        logs: LogManager,
        broker: Broker,
        controller: Controller,
    ) -> None:
        self._configs = configs
        self._server = server
        self._logs = logs
        self._broker = broker
        self._controller = controller

    def broker_changed(self) -> None:
        """Let all go by the broker's configs of now."""
        configs = self._configs
        self._server.limit(
            configs.number(COUNT),
            configs.number(PER_ADDRESS),
            parse_address_limits(configs.text(ADDRESS_LIMITS)),
        )
        self._logs.expire_producers_after(configs.number(PRODUCER_EXPIRATION))
        self._broker.topic_defaults_changed()
        self._controller.allow_unclean(allows_unclean(configs))

    def topic_changed(self, topic: str, overrides: Mapping[str, str]) -> None:
        self._broker.change_topic_configs(topic, overrides)
        self._controller.topic_configs_changed(topic, overrides)


def allows_unclean(configs: BrokerConfigs) -> bool:
    """Whether topics that do not say may have leaders that lack records."""
    return is_true(configs.topic_defaults.get(UNCLEAN_KEY, ""))
