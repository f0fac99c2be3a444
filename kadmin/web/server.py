"""The server: a socket, TLS, bounds, and an end in order."""

import logging
import resource
import socket
import ssl
from asyncio import Transport
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from kadmin.errors import KadminError, UsageError
from kadmin.quoting import quoted
from kadmin.web.application import application
from kadmin.web.serving import Serving

CONNECTION_COUNT_MAX: Final = 1000
OTHER_FILE_COUNT: Final = 500
"""Files and connections to clusters that are open at the same time."""
BACKLOG: Final = 128
KEEP_ALIVE_S: Final = 15
GRACE_S: Final = 3
REQUEST_S_MAX: Final = 20.0
"""A request may take twice as long to arrive."""
HEADERS_SIZE_MAX: Final = 32 * 1024


class CannotListen(KadminError):
    """The address is taken, or is none of this machine."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(
            f"cannot listen on {host}:{port}: {reason}",
            hint="choose another port with --listen HOST:PORT; port 0 takes a free one",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsFiles:
    """PEM files of a certificate with its chain, and of its key."""

    cert: Path
    key: Path


class Server(uvicorn.Server):
    """uvicorn's, which ends the streams first: it waits for requests that are under way."""

    def __init__(self, config: uvicorn.Config, close: Callable[[], None]) -> None:
        super().__init__(config)
        self.close = close

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.close()
        super().handle_exit(sig, frame)


class BoundedProtocol(H11Protocol):
    """h11's, which ends a connection that does not send a request as a whole in time, or does not
    take its answer, and one that is too many.

    Otherwise those that send or take a byte now and then would have all connections and files of
    the process, without a token.
    """

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.seen_request = self.cycle
        self.seen_unsent_bytes = 0
        self.next_look = self.loop.call_later(REQUEST_S_MAX, self.look)
        limit = self.limit_concurrency
        if limit is not None and len(self.connections) > limit:
            transport.abort()

    def look(self) -> None:
        is_receiving = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        unsent_bytes = self.transport.get_write_buffer_size()
        is_stuck = unsent_bytes > 0 and unsent_bytes == self.seen_unsent_bytes
        if is_stuck or (is_receiving and self.cycle is self.seen_request):
            # A close would wait until all is sent.
            self.transport.abort()
            return
        self.seen_request = self.cycle
        self.seen_unsent_bytes = unsent_bytes
        self.next_look = self.loop.call_later(REQUEST_S_MAX, self.look)

    def connection_lost(self, exc: Exception | None) -> None:
        self.next_look.cancel()
        super().connection_lost(exc)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on *host* and *port*.

    Raises:
        CannotListen: it is taken, or is no address of this machine.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError as error:
        raise CannotListen(host, port, error.strerror or str(error)) from error
    return listening


def serve(
    serving: Serving,
    listening: socket.socket,
    tls: TlsFiles | None,
    ready: Callable[[], None],
) -> None:
    """Serve until SIGINT or SIGTERM; *ready* is called when certificate and key are loaded.

    Raises:
        UsageError: certificate and key cannot be used.
    """
    config = configured(serving, tls)
    ready()
    Server(config, serving.close).run(sockets=[listening])


def connection_count_max() -> int:
    """Return how many connections there is room for, beside the files that clusters and the audit
    log need; the limit of this process is raised as far as it may."""
    wanted = CONNECTION_COUNT_MAX + OTHER_FILE_COUNT
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return CONNECTION_COUNT_MAX
    return max(soft // 2, soft - OTHER_FILE_COUNT) if soft < wanted else CONNECTION_COUNT_MAX


def configured(serving: Serving, tls: TlsFiles | None) -> uvicorn.Config:
    """Return how *serving* is served, with certificate and key loaded.

    Raises:
        UsageError: they cannot be read, or do not belong together.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        application(serving),
        http=BoundedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=connection_count_max(),
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
        h11_max_incomplete_event_size=HEADERS_SIZE_MAX,
        ssl_certfile=None if tls is None else str(tls.cert),
        ssl_keyfile=None if tls is None else str(tls.key),
    )
    if tls is not None:
        try:
            config.load()
        except (OSError, ssl.SSLError) as error:
            raise UsageError(
                f"cannot serve by TLS with {tls.cert} and {tls.key}: {error}",
                hint=f"openssl x509 -in {quoted(str(tls.cert))} -noout -subject",
            ) from error
        assert config.ssl is not None, "two files were given"
        config.ssl.minimum_version = ssl.TLSVersion.TLSv1_2
    return config
