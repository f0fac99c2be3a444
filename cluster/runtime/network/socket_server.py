"""The listeners of a broker and the connections that they accepted.

Binds the listeners, accepts clients within the quotas and closes idle connections.
"""

import errno
import logging
import resource
import socket
import sys
from asyncio import AbstractEventLoop
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from cluster.broker.configs.listeners import ANY_PORT
from cluster.broker.handling import Peer
from cluster.model.address_limits import ConnectionLimits
from cluster.model.broker import Endpoint
from cluster.runtime.errors import CannotListen
from cluster.runtime.network.closing_log import CLOSING, REFUSING, ClosingLog
from cluster.runtime.network.connection import Connection
from cluster.runtime.network.connection_quotas import ConnectionQuotas
from cluster.runtime.network.service import Service
from cluster.runtime.network.transports import KERNEL_DECIDES, TRANSPORTS, MakeTransport
from cluster.settings.broker_settings import ConnectionSettings

ACCEPTS_PER_TURN: Final = 64
EXHAUSTED_PAUSE_S: Final = 1.0
"""How long nothing is accepted after descriptors or memory for a socket ran out."""
DESCRIPTORS_KEPT_MAX: Final = 100
DESCRIPTORS_KEPT_SHARE: Final = 10
"""How many descriptors clients leave to the broker, at most, and which part of all that may be: a
checkpoint that cannot be written for lack of one takes its whole directory offline.
"""
EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
WITHOUT_IPV6: Final = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.ENOPROTOOPT)
SWEEP_S_MAX: Final = 60.0
RECEIVING_NS_MAX: Final = 10_000_000_000
"""How long a large request may take to arrive while others wait for its memory."""
NS_PER_S: Final = 1_000_000_000
SWEEPS_PER_IDLE_TIME: Final = 4
UNLIMITED: Final = -1

NS_PER_MS: Final = 1_000_000

logger: Final = logging.getLogger(__name__)


class Listener(NamedTuple):
    """A bound socket, and how its connections are served."""

    endpoint: Endpoint
    """As it was requested: the port may be 0."""
    socket: socket.socket
    make_transport: MakeTransport

    @property
    def port(self) -> int:
        """The bound port."""
        port: int = self.socket.getsockname()[1]
        return port


class SocketServer:
    """The listening and connected sockets of a broker."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        settings: ConnectionSettings,
        transports: Mapping[str, MakeTransport] = TRANSPORTS,
        *,
        receiving_ns_max: int = RECEIVING_NS_MAX,
    ) -> None:
        """Listeners may have the security protocols in *transports*."""
        self._loop = loop
        self._settings = settings
        self._transports = transports
        self._receiving_ns_max = receiving_ns_max
        self.quotas = ConnectionQuotas(
            ConnectionLimits(
                settings.count_max, settings.per_address_max, settings.address_overrides, {}
            )
        )
        self._listeners: list[Listener] = []
        self._connections: set[Connection] = set()
        self._service: Service | None = None
        self._is_accepting = False
        self._full: set[str] = set()
        """The listeners that accept nothing, though others do."""
        self._descriptor_max = client_descriptor_max()
        self._closing_log = ClosingLog(loop.call_later)

    @property
    def connection_count(self) -> int:
        return len(self._connections)

    def bind(self, endpoints: Sequence[Endpoint]) -> dict[str, int]:
        """Bind these addresses and no others, and return the port of each listener.

        Clients may connect from here on; they are served after `start`.  Connections of a removed
        listener are closed; those of one that moves go on.

        Raises:
            CannotListen: at one of them; nothing has changed then.
        """
        listeners: list[Listener] = []
        try:
            for endpoint in endpoints:
                listeners.append(self._kept(endpoint) or self._bound(endpoint))
        except CannotListen:
            close_others(listeners, self._listeners)
            raise
        for listener in self._listeners:
            self._loop.remove_reader(listener.socket)
        close_others(self._listeners, listeners)
        self._listeners = listeners
        self._end_others({endpoint.listener for endpoint in endpoints})
        if self._is_accepting:
            self._accept_again()
        return {listener.endpoint.listener: listener.port for listener in listeners}

    def _kept(self, endpoint: Endpoint) -> Listener | None:
        """The listener that is bound to *endpoint* already."""
        for listener in self._listeners:
            has_port = endpoint.port in (ANY_PORT, listener.port)
            if has_port and replace(listener.endpoint, port=endpoint.port) == endpoint:
                return listener._replace(endpoint=endpoint)
        return None

    def _end_others(self, names: Collection[str]) -> None:
        for connection in tuple(self._connections):
            if connection.peer.listener not in names:
                connection.close(f"there is no listener {connection.peer.listener} any more")

    def _bound(self, endpoint: Endpoint) -> Listener:
        make_transport = self._transports[endpoint.security_protocol]
        try:
            bound = bound_socket(endpoint.host, endpoint.port)
        except OSError as error:
            address = str(endpoint).partition("://")[2]
            reason = error.strerror or str(error)
            raise CannotListen(endpoint.listener, address, reason) from error
        bound.setblocking(False)
        # Connections inherit what is set here.
        if self._settings.send_buffer_size != KERNEL_DECIDES:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self._settings.send_buffer_size)
        if self._settings.receive_buffer_size != KERNEL_DECIDES:
            size = self._settings.receive_buffer_size
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
        bound.listen(self._settings.backlog)
        return Listener(endpoint, bound, make_transport)

    def start(self, service: Service) -> None:
        """Serve connecting clients, until `stop_accepting` and `close`."""
        self._service = service
        self._accept_again()
        self._sweep(service)
        self._make_room(service)

    # Accepting.

    def _accept_again(self) -> None:
        self._is_accepting = True
        self._full.clear()
        for listener in self._listeners:
            self._loop.add_reader(listener.socket, self._accept, listener)

    def _pause(self, why: str) -> None:
        self._is_accepting = False
        for listener in self._listeners:
            self._loop.remove_reader(listener.socket)
        logger.warning("Nobody can connect for now: %s", why)

    def _pause_one(self, listener: Listener) -> None:
        name = listener.endpoint.listener
        self._full.add(name)
        self._loop.remove_reader(listener.socket)
        logger.warning(
            "Nobody can connect to listener %s for now: there are max.connections=%d of its"
            " connections",
            name,
            self.quotas.limits.per_listener_max[name],
        )

    def _accept(self, listener: Listener) -> None:
        for _ in range(ACCEPTS_PER_TURN):
            if self.quotas.is_full:
                self._pause(f"there are max.connections={self.quotas.limits.count_max} connections")
                return
            if self.quotas.is_listener_full(listener.endpoint.listener):
                self._pause_one(listener)
                return
            try:
                connected, address = listener.socket.accept()
            except OSError as error:
                # A client that is gone before it is accepted is no failure of ours.
                if error.errno in EXHAUSTED:
                    self._pause(str(error))
                    self._loop.call_later(EXHAUSTED_PAUSE_S, self._resume)
                return
            peer = Peer(plain_host(address[0]), address[1], listener.endpoint.listener)
            self._admit(connected, peer, listener.make_transport)

    def limit(self, limits: ConnectionLimits) -> None:
        """Accept by other limits from now on, which may let waiting clients in."""
        self.quotas.limits = limits
        if self._service is not None:
            self._resume()

    def _resume(self) -> None:
        if not self._is_accepting and self._listeners and not self.quotas.is_full:
            self._accept_again()
        for name in [one for one in self._full if not self.quotas.is_listener_full(one)]:
            self._full.discard(name)
            for listener in self._listeners:
                if self._is_accepting and listener.endpoint.listener == name:
                    self._loop.add_reader(listener.socket, self._accept, listener)

    def _admit(self, connected: socket.socket, peer: Peer, make_transport: MakeTransport) -> None:
        assert self._service is not None
        # The kernel returns the lowest free number: all below are in use.
        if connected.fileno() > self._descriptor_max:
            self._refuse(connected, peer, "the other files that may be open are the broker's own")
            return
        if not self.quotas.admit(peer.host, peer.listener):
            count = self.quotas.address_max(peer.host)
            self._refuse(connected, peer, f"there are {count} from there, which is its limit")
            return
        connected.setblocking(False)
        with suppress(OSError):  # The client may be gone already; the first receive shows it.
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        transport = make_transport(self._loop, connected, peer)
        self._connections.add(Connection(self._service, transport, self._ended))

    def _refuse(self, connected: socket.socket, peer: Peer, reason: str) -> None:
        self._closing_log.add(logging.WARNING, REFUSING, peer, reason)
        connected.close()

    def _ended(self, connection: Connection, reason: str | None) -> None:
        if reason is not None:
            self._closing_log.add(logging.WARNING, CLOSING, connection.peer, reason)
        self._connections.discard(connection)
        self.quotas.leave(connection.peer.host, connection.peer.listener)
        self._resume()

    # Idle connections.

    def _sweep(self, service: Service) -> None:
        """Close the connections on which nothing moves, and repeat after a while.

        One that waits for our answer is not idle; one that does not receive its answer is.
        """
        pause_s = SWEEP_S_MAX
        idle_ms_max = self._settings.idle_ms_max
        if idle_ms_max != UNLIMITED:
            pause_s = min(pause_s, idle_ms_max / 1000 / SWEEPS_PER_IDLE_TIME)
            oldest_ns = service.now_ns() - idle_ms_max * NS_PER_MS
            for connection in tuple(self._connections):
                if connection.active_ns < oldest_ns and not connection.has_request:
                    self._closing_log.add(
                        logging.INFO, CLOSING, connection.peer, f"it is idle for {idle_ms_max} ms"
                    )
                    self.quotas.expired_count += 1
                    connection.close()
        service.memory.trim()
        if self._listeners:
            self._loop.call_later(pause_s, self._sweep, service)

    # Memory.

    def _make_room(self, service: Service) -> None:
        """Close connections that hold memory for requests that never complete, while others
        wait.
        """
        if service.memory.is_awaited:
            earliest_ns = service.now_ns() - self._receiving_ns_max
            for connection in tuple(self._connections):
                if connection.holds_memory_since(earliest_ns):
                    connection.close(
                        f"its request is not whole after {self._receiving_ns_max // NS_PER_MS} ms,"
                        " and others wait for the memory (queued.max.request.bytes)"
                    )
        if self._listeners:
            pause_s = self._receiving_ns_max / NS_PER_S / 2
            self._loop.call_later(pause_s, self._make_room, service)

    # The end.

    def stop_accepting(self) -> None:
        """Close the listeners; connections go on."""
        for listener in self._listeners:
            self._loop.remove_reader(listener.socket)
            listener.socket.close()
        self._listeners.clear()
        self._is_accepting = False

    def close(self) -> None:
        """Close all connections."""
        self.stop_accepting()
        for connection in tuple(self._connections):
            connection.close()
        self._closing_log.log_rest()


def close_others(listeners: Sequence[Listener], kept: Sequence[Listener]) -> None:
    sockets = [listener.socket for listener in kept]
    for listener in listeners:
        if listener.socket not in sockets:
            listener.socket.close()


def client_descriptor_max() -> int:
    """The highest descriptor number for a client."""
    count, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if count == resource.RLIM_INFINITY:
        return sys.maxsize
    return count - 1 - min(DESCRIPTORS_KEPT_MAX, count // DESCRIPTORS_KEPT_SHARE)


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket bound to *host*; for an empty one to all addresses of the machine, of both
    families.
    """
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
    """An IPv4 address in its own form; a socket of both families returns it in IPv6's."""
    return host.removeprefix("::ffff:") if "." in host else host
