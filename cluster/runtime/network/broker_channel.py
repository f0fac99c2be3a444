"""A connection of this broker to another one, for requests that are sent one at a time.

It is opened when it is needed and closed after any failure.  Knows no cluster.
"""

import asyncio
from struct import Struct
from typing import Any, Final, TypeVar

from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_response, encode_request
from cluster.wire.errors import FrameSizeError, MalformedFrameError

M = TypeVar("M", bound=tuple[Any, ...])

RESPONSE_SIZE_MAX: Final = 100 * 1024 * 1024

_SIZE: Final = Struct(">i")


class NoResponse(Exception):
    """No response, or none that can be read; whether the request was carried out is not known."""


class BrokerChannel:
    """A connection to the broker at *host* and *port*."""

    def __init__(self, host: str, port: int, client_id: str) -> None:
        self._host = host
        self._port = port
        self._client_id = client_id
        self._correlation_id = 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(
        self,
        api_key: ApiKey,
        version: int,
        body: tuple[Any, ...],
        response: type[M],
        timeout_ms: int,
    ) -> M:
        """Send a request without file slices in it, and wait for its response.

        Raises:
            NoResponse: the broker could not be reached, or did not answer within *timeout_ms*.
        """
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                return await self._send(api_key, version, body, response)
        except (OSError, EOFError, FrameSizeError, MalformedFrameError) as error:
            self.close()
            raise NoResponse(
                f"{self._host}:{self._port}: {str(error) or type(error).__name__}"
            ) from error
        except asyncio.CancelledError:
            # A response that comes later must not be taken for that to the next request.
            self.close()
            raise

    async def _send(
        self, api_key: ApiKey, version: int, body: tuple[Any, ...], response: type[M]
    ) -> M:
        if self._streams is not None and self._streams[0].at_eof():
            # The broker has ended a connection that was idle for long.
            self.close()
        if self._streams is None:
            self._streams = await self._connect()
        reader, writer = self._streams
        self._correlation_id += 1
        buffers = encode_request(api_key, version, self._correlation_id, self._client_id, body)
        for buffer in buffers:
            assert isinstance(buffer, bytes | bytearray | memoryview)
            writer.write(buffer)
        await writer.drain()
        (size,) = _SIZE.unpack(await reader.readexactly(_SIZE.size))
        if not 0 <= size <= RESPONSE_SIZE_MAX:
            raise FrameSizeError(size, RESPONSE_SIZE_MAX)
        frame = decode_response(response, version, memoryview(await reader.readexactly(size)))
        if frame.correlation_id != self._correlation_id:
            raise MalformedFrameError(f"a response to request {frame.correlation_id}")
        return frame.body

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        address = (self._host, self._port)
        streams = await asyncio.open_connection(*address)
        if address != (self._host, self._port):
            streams[1].close()
            raise ConnectionAbortedError("it has another address by now")
        return streams

    def move(self, host: str, port: int) -> None:
        """Go to another address from now on; a request that is under way gets no response."""
        if (host, port) != (self._host, self._port):
            self._host, self._port = host, port
            self.close()

    def close(self) -> None:
        """Drop the connection; the next request opens another one."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
