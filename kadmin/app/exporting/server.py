"""The HTTP server of an exporter: one page of metrics, for as many scrapers as come.

Knows no metric: a function makes the page.
"""

import sys
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET6, socket
from socketserver import TCPServer
from typing import Any, Final

from cluster.metrics.accepted import accepts
from cluster.model.address import host_and_port
from kadmin.errors import KadminError
from kadmin.render.exposition.text import CONTENT_TYPE

CONNECTIONS_MAX: Final = 32
"""More at a time are closed at once: each may wait for a slow reader with a page in memory."""
IDLE_S: Final = 30.0
"""So long a connection may send or take nothing."""

Scrape = Callable[[bool], bytes]
"""Returns the metrics, compressed by gzip or not."""


class NotListening(KadminError):
    """The address cannot be listened on."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"cannot listen on {address}: {reason}",
            hint="--listen 127.0.0.1:0 takes a free port",
        )
        self.address = address


class MetricsServer:
    """Serves what *scrape* returns at *path* of a listening socket, while its block runs."""

    def __init__(self, address: tuple[str, int], path: str, scrape: Scrape) -> None:
        """Listen, without answering yet.

        Raises:
            NotListening: the port is taken, or the address is not this machine's.
        """
        host, port = address
        try:
            self._server = Server(host, port, path, scrape)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise NotListening(host_and_port(host, port), reason) from error
        self.url = f"http://{host_and_port(host, self._server.server_port)}{path}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="metrics server", daemon=True
        )

    def __enter__(self) -> "MetricsServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, path: str, scrape: Scrape) -> None:
        if ":" in host:
            self.address_family = AF_INET6
        self.path = path
        self.scrape = scrape
        self._free = threading.BoundedSemaphore(CONNECTIONS_MAX)
        super().__init__((host, port), Handler)

    def server_bind(self) -> None:
        # The base class would look up the name of its address, which may take long.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):  # Those are scrapers that went away.
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "kadmin"
    sys_version = ""
    timeout = IDLE_S

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == self.server.path:
            is_zipped = accepts(self.headers.get("Accept-Encoding", ""), "gzip")
            self.answer(self.server.scrape(is_zipped), CONTENT_TYPE, is_zipped=is_zipped)
        elif path == "/":
            self.answer(index_of(self.server.path), "text/html; charset=utf-8")
        elif path == "/healthz":
            self.answer(b"ok\n", "text/plain; charset=utf-8")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    do_HEAD = do_GET  # noqa: N815 - the name that the base class calls

    def answer(self, body: bytes, content_type: str, *, is_zipped: bool = False) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if is_zipped:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """A line for each scrape would hide what matters."""


def index_of(path: str) -> bytes:
    from html import escape

    text = escape(path)
    return (
        "<!DOCTYPE html><html lang=en><title>kadmin export</title>"
        f'<p><a href="{text}">Metrics</a> of a Kafka cluster, for Prometheus'
    ).encode()
