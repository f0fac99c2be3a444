"""The server: a socket, TLS, bounds, and an end in order."""

import logging
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn

from kadmin.errors import KadminError, UsageError
from kadmin.quoting import quoted
from kadmin.web.application import application
from kadmin.web.serving import Serving

CONNECTION_COUNT_MAX: Final = 1000
BACKLOG: Final = 128
KEEP_ALIVE_S: Final = 15
GRACE_S: Final = 3
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


def serve(serving: Serving, listening: socket.socket, tls: TlsFiles | None) -> None:
    """Serve until SIGINT or SIGTERM."""
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        application(serving),
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTION_COUNT_MAX,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
        h11_max_incomplete_event_size=HEADERS_SIZE_MAX,
        ssl_certfile=None if tls is None else str(tls.cert),
        ssl_keyfile=None if tls is None else str(tls.key),
    )
    if tls is not None:
        load_tls(config, tls)
    Server(config, serving.close).run(sockets=[listening])


def load_tls(config: uvicorn.Config, tls: TlsFiles) -> None:
    """Load certificate and key before anything is served.

    Raises:
        UsageError: they cannot be read, or do not belong together.
    """
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        raise UsageError(
            f"cannot serve by TLS with {tls.cert} and {tls.key}: {error}",
            hint=f"openssl x509 -in {quoted(str(tls.cert))} -noout -subject",
        ) from error
    context = config.ssl
    assert context is not None, "two files were given"
    context.minimum_version = ssl.TLSVersion.TLSv1_2
