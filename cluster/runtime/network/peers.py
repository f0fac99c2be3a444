"""Peers: connections to other brokers.

Opens and closes them; `peer_connection` sends the requests.
"""

import asyncio
import os
import socket
from asyncio import AbstractEventLoop
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from cluster.broker.handling import Body, Cancel, Peer
from cluster.broker.ports import Endpoint, NoAnswer
from cluster.runtime.network.peer_connection import PeerConnection, reason_of
from cluster.runtime.network.transports import KERNEL_DECIDES, MakeTransport
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from cluster.wire.versions import Versions

API_VERSIONS_VERSION: Final = 0
"""Every broker from 0.10 on supports it; a version that is too new for a broker is retried."""
UNREACHABLE: Final = (OSError, OverflowError, UnicodeError)
"""Failures for an invalid or unreachable host or port, or a port that refuses."""

Opened: TypeAlias = Callable[[PeerConnection | NoAnswer], None]


class TcpPeers:
    """The connections to other brokers; see `cluster.broker.ports.Peers`."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        listener: str,
        make_transport: MakeTransport,
        receive_buffer_size: int = KERNEL_DECIDES,
    ) -> None:
        """Others are reached at their *listener*, whose bytes *make_transport* carries."""
        self._loop = loop
        self._listener = listener
        self._make_transport = make_transport
        self._receive_buffer_size = receive_buffer_size
        self._opening: dict[asyncio.Task[PeerConnection | NoAnswer], Opened] = {}
        self._connections: set[PeerConnection] = set()

    def connect(
        self, endpoint: Endpoint, client_id: str, timeout_ms: int, opened: Opened
    ) -> Cancel:
        task = self._loop.create_task(self.open(endpoint, client_id, timeout_ms))
        self._opening[task] = opened
        task.add_done_callback(self._finish)
        return partial(self._cancel, task)

    def _cancel(self, task: asyncio.Task[PeerConnection | NoAnswer]) -> None:
        if self._opening.pop(task, None) is not None:
            task.cancel()

    def _finish(self, task: asyncio.Task[PeerConnection | NoAnswer]) -> None:
        opened = self._opening.pop(task, None)
        if task.cancelled():
            return
        result = task.result()
        if opened is not None:
            opened(result)
        elif isinstance(result, PeerConnection):
            # It was cancelled when it had just been opened.
            result.close()

    async def open(
        self, endpoint: Endpoint, client_id: str, timeout_ms: int
    ) -> PeerConnection | NoAnswer:
        """As `connect`, awaitable."""
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                connected = await connected_socket(self._loop, endpoint, self._receive_buffer_size)
                return await self._begin(connected, endpoint, client_id, timeout_ms)
        except TimeoutError:
            return NoAnswer("it cannot be reached in time")
        except UNREACHABLE as error:
            return NoAnswer(reason_of(error))

    async def _begin(
        self, connected: socket.socket, endpoint: Endpoint, client_id: str, timeout_ms: int
    ) -> PeerConnection | NoAnswer:
        """Read on a new connection which versions the other side serves."""
        peer = Peer(endpoint.host, endpoint.port, self._listener)
        transport = self._make_transport(self._loop, connected, peer)
        connection = PeerConnection(self._loop, transport, client_id, self._connections.discard)
        self._connections.add(connection)
        answer = await ask(
            connection, ApiKey.API_VERSIONS, API_VERSIONS_VERSION, ApiVersionsRequest(), timeout_ms
        )
        if isinstance(answer, NoAnswer):
            return answer
        assert isinstance(answer, ApiVersionsResponse)
        if answer.error_code != 0:
            connection.close()
            return NoAnswer(f"it does not say what it serves, but error {answer.error_code}")
        connection.served = {
            one.api_key: Versions(one.min_version, one.max_version) for one in answer.api_keys
        }
        return connection

    def close(self) -> None:
        """Close all connections; nothing is called any more."""
        for task in tuple(self._opening):
            self._cancel(task)
        for connection in tuple(self._connections):
            connection.close()


async def ask(
    connection: PeerConnection, api_key: ApiKey, version: int, body: Body, timeout_ms: int
) -> Body | NoAnswer:
    """Send a request and wait for its outcome; a cancel closes the connection.

    Only for responses without records, whose memory would be reused.
    """
    answered: asyncio.Future[Body | NoAnswer] = asyncio.get_running_loop().create_future()

    def take(answer: Body | NoAnswer) -> None:
        if not answered.done():
            answered.set_result(answer)

    connection.send(api_key, version, body, timeout_ms, take)
    try:
        return await answered
    except asyncio.CancelledError:
        connection.close()
        raise


async def connected_socket(
    loop: AbstractEventLoop, endpoint: Endpoint, receive_buffer_size: int
) -> socket.socket:
    """A non-blocking socket, connected to the first address that accepts.

    Raises:
        OSError, OverflowError, UnicodeError: there is none.
    """
    failure = OSError("its name has no address")
    found = await loop.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    for family, kind, protocol, _, address in found:
        made = socket.socket(family, kind, protocol)
        is_connected = False
        try:
            made.setblocking(False)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if receive_buffer_size != KERNEL_DECIDES:
                # Before connecting: the receive window, how much the other side may send at once,
                # is announced then.
                made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_size)
            await loop.sock_connect(made, address)
            is_connected = True
        except OSError as error:
            # The loop's own text lacks the reason.
            failure = OSError(error.errno, os.strerror(error.errno or 0))
        finally:
            if not is_connected:
                made.close()
        if is_connected:
            return made
    raise failure
