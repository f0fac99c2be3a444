"""The listeners of a broker and the connections that came in by them.

Binds the listeners, admits clients within the quotas and ends the connections that are idle.
"""

import errno
import logging
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from cluster.broker.handling import Peer
from cluster.model.broker import Endpoint
from cluster.runtime.errors import CannotListen
from cluster.runtime.network.connection import Connection, Service
from cluster.runtime.network.connection_quotas import ConnectionQuotas
from cluster.settings.broker_settings import ConnectionSettings

ACCEPTS_PER_TURN: Final = 64
EXHAUSTED_PAUSE_S: Final = 1.0
"""How long nobody is admitted after the machine had no descriptor or memory for another socket."""
EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
WITHOUT_IPV6: Final = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.ENOPROTOOPT)
SWEEP_S_MAX: Final = 60.0
SWEEPS_PER_IDLE_TIME: Final = 4
UNLIMITED: Final = -1
KERNEL_DECIDES: Final = -1

logger: Final = logging.getLogger(__name__)


class SocketServer:
    """The sockets of a broker: those that listen and those that are connected."""

    def __init__(self, settings: ConnectionSettings) -> None:
        self._settings = settings
        self._quotas = ConnectionQuotas(
            settings.count_max, settings.per_address_max, settings.address_overrides
        )
        self._listening: dict[str, socket.socket] = {}
        self._connections: set[Connection] = set()
        self._service: Service | None = None
        self._is_accepting = False

    @property
    def connection_count(self) -> int:
        return len(self._connections)

    def bind(self, endpoints: Sequence[Endpoint]) -> dict[str, int]:
        """Take the addresses, and return the port of each listener.

        Clients may connect from here on; they are served after `start`.  Raises CannotListen.
        """
        try:
            for endpoint in endpoints:
                self._listening[endpoint.listener] = self._bound(endpoint)
        except CannotListen:
            self.stop_accepting()
            raise
        return {name: bound.getsockname()[1] for name, bound in self._listening.items()}

    def _bound(self, endpoint: Endpoint) -> socket.socket:
        try:
            bound = bound_socket(endpoint.host, endpoint.port)
        except OSError as error:
            address = str(endpoint).partition("://")[2]
            reason = error.strerror or str(error)
            raise CannotListen(endpoint.listener, address, reason) from error
        bound.setblocking(False)
        # What is set here is inherited by the connections.
        if self._settings.send_buffer_size != KERNEL_DECIDES:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self._settings.send_buffer_size)
        if self._settings.receive_buffer_size != KERNEL_DECIDES:
            size = self._settings.receive_buffer_size
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
        bound.listen(self._settings.backlog)
        return bound

    def start(self, service: Service) -> None:
        """Serve those who connect, until `stop_accepting` and `close`."""
        self._service = service
        self._accept_again()
        self._sweep(service)

    # Admitting.

    def _accept_again(self) -> None:
        assert self._service is not None
        self._is_accepting = True
        for listener, bound in self._listening.items():
            self._service.loop.add_reader(bound, self._accept, listener, bound)

    def _pause(self, why: str) -> None:
        assert self._service is not None
        self._is_accepting = False
        for bound in self._listening.values():
            self._service.loop.remove_reader(bound)
        logger.warning("Nobody can connect for now: %s", why)

    def _accept(self, listener: str, bound: socket.socket) -> None:
        for _ in range(ACCEPTS_PER_TURN):
            if self._quotas.is_full:
                self._pause(f"there are max.connections={self._quotas.count_max} connections")
                return
            try:
                connected, address = bound.accept()
            except OSError as error:
                # A client that is gone before it is accepted is no failure of ours.
                if error.errno in EXHAUSTED:
                    self._pause(str(error))
                    assert self._service is not None
                    self._service.loop.call_later(EXHAUSTED_PAUSE_S, self._resume)
                return
            self._admit(connected, Peer(plain_host(address[0]), address[1], listener))

    def limit(self, count_max: int, per_address_max: int, overrides: Mapping[str, int]) -> None:
        """Admit by other limits from now on; those who wait may get in by that."""
        self._quotas.change(count_max, per_address_max, overrides)
        if self._service is not None:
            self._resume()

    def _resume(self) -> None:
        if not self._is_accepting and self._listening and not self._quotas.is_full:
            self._accept_again()

    def _admit(self, connected: socket.socket, peer: Peer) -> None:
        assert self._service is not None
        if not self._quotas.admit(peer.host):
            logger.warning(
                "Refusing a connection of %s to %s: there are %d from there, which is its limit",
                peer,
                peer.listener,
                self._quotas.address_max(peer.host),
            )
            connected.close()
            return
        connected.setblocking(False)
        with suppress(OSError):  # The client may be gone already; the first receive tells.
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._connections.add(Connection(self._service, connected, peer, self._ended))

    def _ended(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self._quotas.leave(connection.peer.host)
        self._resume()

    # Idle connections.

    def _sweep(self, service: Service) -> None:
        """End the connections on which nothing moves, and ask again in a while.

        One that waits for our answer is not idle; one that does not read its answer is.
        """
        pause_s = SWEEP_S_MAX
        if self._settings.idle_ms_max != UNLIMITED:
            idle_s_max = self._settings.idle_ms_max / 1000
            pause_s = min(pause_s, idle_s_max / SWEEPS_PER_IDLE_TIME)
            oldest_s = service.loop.time() - idle_s_max
            for connection in tuple(self._connections):
                if connection.active_s < oldest_s and not connection.has_request:
                    reason = f"it is idle for {self._settings.idle_ms_max} ms"
                    connection.close(reason, level=logging.INFO)
        service.memory.trim()
        if self._listening:
            service.loop.call_later(pause_s, self._sweep, service)

    # The end.

    def stop_accepting(self) -> None:
        """Give the addresses back; connections go on."""
        for bound in self._listening.values():
            if self._service is not None:
                self._service.loop.remove_reader(bound)
            bound.close()
        self._listening.clear()
        self._is_accepting = False

    def close(self) -> None:
        """End all connections."""
        self.stop_accepting()
        for connection in tuple(self._connections):
            connection.close()


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket bound to *host*; without one to all addresses of the machine, of both families."""
    if not host:
        try:
            return made_socket(socket.AF_INET6, ("::", port), dual=True)
        except OSError as error:
            if error.errno not in WITHOUT_IPV6:
                raise
        return made_socket(socket.AF_INET, ("0.0.0.0", port))
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, address = found[0]
    return made_socket(family, address)


def made_socket(
    family: socket.AddressFamily, address: tuple[object, ...], *, dual: bool = False
) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        # A port whose last owner was killed is free at once.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0 if dual else 1)
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made


def plain_host(host: str) -> str:
    """An IPv4 address as such, which a socket of both families gives in IPv6's form."""
    return host.removeprefix("::ffff:") if "." in host else host
