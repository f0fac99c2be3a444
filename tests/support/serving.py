"""What do tests of the broker's sockets need: a server in a loop of its own, and a raw client."""

import asyncio
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter_ns
from typing import Any

from cluster.broker.handling import Handler
from cluster.model.broker import Endpoint
from cluster.runtime.network.memory_pool import MemoryPool
from cluster.runtime.network.request_metrics import RequestMetrics
from cluster.runtime.network.service import Service
from cluster.runtime.network.socket_server import RECEIVING_NS_MAX, SocketServer
from cluster.runtime.network.transports import TRANSPORTS
from cluster.runtime.network.turns import Turns
from cluster.settings.broker_settings import ConnectionSettings
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_response, encode_request, encode_response
from cluster.wire.errors import UnsupportedVersionError
from cluster.wire.messages.api_versions import ApiVersionsResponse
from cluster.wire.versions import Versions
from tests.support.certificates import Authority
from tests.support.metrics import new_registry
from tests.support.tls_transport import TlsTransport
from tests.support.waiting import OUTER_LIMIT_S

DEFAULTS = ConnectionSettings(
    backlog=50,
    send_buffer_size=-1,
    receive_buffer_size=-1,
    request_size_max=1024 * 1024,
    queued_size_max=-1,
    idle_ms_max=-1,
    count_max=1000,
    per_address_max=1000,
    address_overrides={},
)
SERVED = {
    ApiKey.API_VERSIONS: Versions(0, 3),
    ApiKey.METADATA: Versions(0, 12),
    ApiKey.FETCH: Versions(4, 12),
    ApiKey.PRODUCE: Versions(3, 9),
    ApiKey.CONTROLLED_SHUTDOWN: Versions(0, 3),
}


class Running:
    """A server that runs; what is called here is done in its loop."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        server: SocketServer,
        port: int,
        authority: Authority | None,
    ) -> None:
        self.loop = loop
        self.server = server
        self.port = port
        self.authority = authority
        self.memory: MemoryPool
        self.metrics = RequestMetrics(new_registry())

    def call(self, function: Callable[[], Any]) -> Any:
        async def asked() -> Any:
            return function()

        return asyncio.run_coroutine_threadsafe(asked(), self.loop).result(OUTER_LIMIT_S)

    def let_pass(self, seconds: float) -> None:
        """Wait until the loop has called all that was to be called within *seconds*."""
        passed = threading.Event()
        self.call(lambda: self.loop.call_later(seconds, passed.set))
        assert passed.wait(OUTER_LIMIT_S)

    def client(self, name: str | None = None) -> "RawClient":
        """A client that speaks as the server does; with TLS it has a certificate for *name*."""
        client = RawClient(self.port)
        if self.authority is not None:
            context = ssl.create_default_context(cafile=str(self.authority.file))
            if name is not None:
                context.load_cert_chain(*self.authority.issue(name))
            client.socket = context.wrap_socket(client.socket, server_hostname="localhost")
        return client

    @property
    def connection_count(self) -> int:
        return int(self.call(lambda: self.server.connection_count))


def refuse_version(error: UnsupportedVersionError) -> Any:
    if error.api_key != ApiKey.API_VERSIONS:
        return None
    body = ApiVersionsResponse(error_code=35)
    return encode_response(ApiKey.API_VERSIONS, 0, error.correlation_id, body)


@contextmanager
def serving(
    handler: Handler,
    authority: Authority | None = None,
    *,
    receiving_ns_max: int = RECEIVING_NS_MAX,
    now_ns: Callable[[], int] = perf_counter_ns,
    **options: Any,
) -> Iterator[Running]:
    """A server at a port of its own; *options* are fields of ConnectionSettings.

    With an *authority* it speaks TLS.
    """
    settings = replace(DEFAULTS, **options)
    loop = asyncio.new_event_loop()
    protocol, transports = "PLAINTEXT", dict(TRANSPORTS)
    if authority is not None:
        protocol = "SSL"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue("localhost"))
        context.load_verify_locations(str(authority.file))
        context.verify_mode = ssl.CERT_OPTIONAL
        transports[protocol] = partial(TlsTransport, context)
    server = SocketServer(loop, settings, transports, receiving_ns_max=receiving_ns_max)
    ports = server.bind(
        [Endpoint(listener="PLAINTEXT", security_protocol=protocol, host="127.0.0.1", port=0)]
    )
    running = Running(loop, server, ports["PLAINTEXT"], authority)
    running.memory = MemoryPool(settings.request_size_max, settings.queued_size_max)
    service = Service(
        handler=handler,
        served=SERVED,
        refuse_version=refuse_version,
        elements_max={},
        memory=running.memory,
        turns=Turns(loop.call_soon, perf_counter_ns),
        metrics=running.metrics,
        call_soon=loop.call_soon,
        now_ns=now_ns,
    )
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    running.call(lambda: server.start(service))
    try:
        yield running
    finally:
        running.call(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(OUTER_LIMIT_S)
        loop.close()


class RawClient:
    """A socket that speaks the protocol, or whatever a test wants it to say."""

    def __init__(self, port: int, **options: Any) -> None:
        self.socket = socket.create_connection(
            ("127.0.0.1", port), timeout=OUTER_LIMIT_S, **options
        )
        self.count = 0

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> "RawClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, api_key: ApiKey, version: int, body: tuple[Any, ...]) -> int:
        """Send a request and return its correlation id."""
        self.count += 1
        self.socket.sendall(request_bytes(api_key, version, self.count, body))
        return self.count

    def receive_frame(self) -> memoryview:
        (size,) = struct.unpack(">i", self.receive(4))
        return memoryview(self.receive(size))

    def receive(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            step = self.socket.recv(size - len(data))
            assert step, f"the connection ended {size - len(data)} bytes early"
            data += step
        return bytes(data)

    def ask(self, api_key: ApiKey, version: int, body: tuple[Any, ...], answer: type[Any]) -> Any:
        """Send a request and wait for its answer."""
        correlation_id = self.send(api_key, version, body)
        frame = decode_response(answer, version, self.receive_frame())
        assert frame.correlation_id == correlation_id
        return frame.body

    def is_closed(self) -> bool:
        """Wait for the end of the stream; False when something else comes."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


def request_bytes(
    api_key: ApiKey, version: int, correlation_id: int, body: tuple[Any, ...]
) -> bytes:
    buffers = encode_request(api_key, version, correlation_id, "test", body)
    return b"".join(buffers)  # type: ignore[arg-type]
