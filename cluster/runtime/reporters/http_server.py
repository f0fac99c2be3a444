"""A small HTTP server in the broker's loop, for metrics alone.

A client gets one answer a connection.  Everything is bounded: the clients, the size of a request,
and the time that a client may take to send one and to receive its answer.
"""

import asyncio
import logging
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from cluster.metrics.accepted import accepts
from cluster.runtime.errors import ReporterCannotListen
from cluster.settings.reporter_settings import Address

CLIENTS_MAX: Final = 16
HEAD_MAX: Final = 16 * 1024
BODY_MAX: Final = 256 * 1024
REQUEST_S: Final = 10.0
RESPONSE_S: Final = 30.0
GZIP_LEVEL: Final = 1
"""Metrics are alike: more effort makes them hardly smaller."""
GZIP_MIN: Final = 1024
GZIP_WINDOW: Final = zlib.MAX_WBITS + 16
"""With the header and the end of gzip."""
SENT_AT_ONCE: Final = 64 * 1024

logger: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request; the names of *headers* are in small letters."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One response; *body* is in pieces."""

    status: HTTPStatus = HTTPStatus.OK
    content_type: str = "text/plain; charset=utf-8"
    body: Iterable[bytes] = ()


class BadRequest(Exception):
    """What came is no request that is answered; the response has the reason."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.response = refusal(status)


def refusal(status: HTTPStatus) -> Response:
    return Response(status=status, body=(f"{status.value} {status.phrase}\n".encode(),))


class HttpServer:
    """Listens at *address* for the reporter *name*, and lets *respond* answer."""

    def __init__(
        self, name: str, address: Address, respond: Callable[[Request], Awaitable[Response]]
    ) -> None:
        self._name = name
        self._address = address
        self._respond = respond
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        """Listen; raises ReporterCannotListen."""
        host, port = self._address.host, self._address.port
        try:
            self._server = await asyncio.start_server(self._serve, host, port, limit=HEAD_MAX)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ReporterCannotListen(self._name, f"{host}:{port}", reason) from error

    @property
    def port(self) -> int:
        """The port on which it listens."""
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def close(self) -> None:
        """Listen no longer, and end all connections."""
        if self._server is not None:
            self._server.close()
        for client in self._clients:
            client.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._clients) >= CLIENTS_MAX:
            writer.transport.abort()
            return
        self._clients.add(writer)
        # What is drained is sent: nothing is left for the end, which has no limit of its own.
        writer.transport.set_write_buffer_limits(0)
        try:
            await self._answer(reader, writer)
        except (TimeoutError, OSError, EOFError):
            # A client that is too slow, or has gone.
            writer.transport.abort()
        finally:
            self._clients.discard(writer)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wants_gzip = is_head = False
        try:
            async with asyncio.timeout(REQUEST_S):
                request = await read_request(reader)
            is_head = request.method == "HEAD"
            wants_gzip = accepts(request.headers.get("accept-encoding", ""), "gzip")
            response = await self._respond(request)
        except BadRequest as refused:
            response = refused.response
        pieces = list(response.body)
        size = sum(map(len, pieces))
        headers = [
            f"HTTP/1.1 {response.status.value} {response.status.phrase}",
            f"Content-Type: {response.content_type}",
            "Connection: close",
        ]
        if wants_gzip and size >= GZIP_MIN:
            # In a thread, which works without Python's lock.
            pieces = [await asyncio.to_thread(compressed, pieces)]
            headers.append("Content-Encoding: gzip")
            size = len(pieces[0])
        headers.append(f"Content-Length: {size}")
        async with asyncio.timeout(RESPONSE_S):
            writer.write("\r\n".join((*headers, "", "")).encode())
            for piece in () if is_head else joined(pieces):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)
            await writer.drain()


def joined(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Join small pieces, each of which costs a call of the system to be sent."""
    some: list[bytes] = []
    size = 0
    for piece in pieces:
        some.append(piece)
        size += len(piece)
        if size >= SENT_AT_ONCE:
            yield b"".join(some)
            some, size = [], 0
    if some:
        yield b"".join(some)


def compressed(pieces: Iterable[bytes]) -> bytes:
    compressor = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, GZIP_WINDOW)
    return b"".join([*map(compressor.compress, joined(pieces)), compressor.flush()])


async def read_request(reader: asyncio.StreamReader) -> Request:
    """Read a request; raises BadRequest."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise BadRequest(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1.") or not words[1].startswith("/"):
        raise BadRequest(HTTPStatus.BAD_REQUEST)
    method, target, _ = words
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    if method not in ("GET", "HEAD", "POST"):
        raise BadRequest(HTTPStatus.METHOD_NOT_ALLOWED)
    path, _, query = target.partition("?")
    body = await read_body(reader, headers)
    return Request(method=method, path=path, query=query, headers=headers, body=body)


async def read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if "transfer-encoding" in headers:
        raise BadRequest(HTTPStatus.LENGTH_REQUIRED)
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise BadRequest(HTTPStatus.BAD_REQUEST)
    if len(length) > len(str(BODY_MAX)) or int(length) > BODY_MAX:
        raise BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return await reader.readexactly(int(length))
