"""The addresses at which this broker listens, and those that it registers.

By its present configs: listeners may be added, removed and moved while it runs.
"""

import logging
import socket
from collections.abc import Sequence
from typing import Final

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.listeners import EVERY_ADDRESS, reachable
from cluster.model.broker import Endpoint
from cluster.runtime.errors import CannotListen
from cluster.runtime.network.socket_server import SocketServer
from cluster.runtime.zookeeper.membership import Membership

logger: Final = logging.getLogger(__name__)


class Listening:
    """The listeners of one broker."""

    def __init__(
        self, configs: BrokerConfigs, server: SocketServer, membership: Membership
    ) -> None:
        self._configs = configs
        self._server = server
        self._membership = membership
        self.endpoints: tuple[Endpoint, ...] = ()
        """The broker's registered addresses; none before it listens."""

    def begin(self) -> None:
        """Bind the addresses of server.properties.  Raises CannotListen."""
        self._listen()

    def listeners_changed(self) -> None:
        try:
            self._listen()
        except CannotListen as error:
            logger.error("The listeners stay as they were: %s", error)
            return
        self._membership.change_endpoints(self.endpoints)

    def _listen(self) -> None:
        listeners = self._configs.listeners()
        ports = self._server.bind(listeners.bound)
        name = host_name(listeners.advertised)
        self.endpoints = reachable(listeners.advertised, ports, name)


def host_name(advertised: Sequence[Endpoint]) -> str:
    """The name of this machine, if an address without a host is advertised."""
    is_wanted = any(endpoint.host in EVERY_ADDRESS for endpoint in advertised)
    return socket.getfqdn() if is_wanted else ""
