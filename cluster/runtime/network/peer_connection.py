"""A connection to another broker: requests are sent one at a time, and each waits for its response.

It reacts to calls: bytes have arrived, the transport accepts more, the deadline has passed.  Knows
neither how the connection was opened nor the content of requests.
"""

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from cluster.broker.handling import Body
from cluster.broker.ports import NoAnswer
from cluster.runtime.network.send_queue import SendQueue
from cluster.runtime.network.transport import Transport
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_response, encode_request
from cluster.wire.errors import MalformedFrameError, PeerError
from cluster.wire.framing import CHUNK_SIZE, FrameReader
from cluster.wire.schema import response_schema
from cluster.wire.versions import NEVER, Versions

RESPONSE_SIZE_MAX: Final = 100 * 1024 * 1024
RECEIVES_PER_TURN: Final = 16
"""How often a connection may receive before the loop serves the others."""
SMALL_RESPONSES: Final = 1000
"""After that many small responses in a row, memory is freed."""

Done: TypeAlias = Callable[[Body | NoAnswer], None]


class Pending(NamedTuple):
    """The request that waits for its response."""

    api_key: ApiKey
    version: int
    done: Done


class PeerConnection:
    """A connected broker; see `cluster.broker.ports.PeerConnection`."""

    __slots__ = (
        "_client_id",
        "_correlation_id",
        "_deadline_s",
        "_ended",
        "_failure",
        "_loop",
        "_pending",
        "_reader",
        "_send_queue",
        "_small_count",
        "_timer",
        "_transport",
        "served",
    )

    def __init__(
        self,
        loop: AbstractEventLoop,
        transport: Transport,
        client_id: str,
        ended: Callable[["PeerConnection"], None],
    ) -> None:
        """*ended* is called once, when the connection is closed, for whatever reason."""
        self._loop = loop
        self._transport = transport
        self._client_id = client_id
        self._ended = ended
        self._send_queue = SendQueue(transport)
        self._reader = FrameReader(RESPONSE_SIZE_MAX)
        self._small_count = 0
        self._correlation_id = 0
        self._pending: Pending | None = None
        self._deadline_s = 0.0
        self._timer: TimerHandle | None = None
        self._failure: str | None = None
        self.served: Mapping[int, Versions] = {}
        """The versions of each API that the other side serves, from its ApiVersions response."""
        transport.on_readable(self._readable)

    @property
    def is_open(self) -> bool:
        return self._failure is None

    def version(self, api_key: ApiKey, newest: int) -> int | None:
        return self.served.get(api_key, NEVER).newest_up_to(newest)

    # Sending.

    def send(self, api_key: ApiKey, version: int, body: Body, timeout_ms: int, done: Done) -> None:
        assert self._pending is None, "one request at a time"
        self._correlation_id += 1
        buffers = encode_request(api_key, version, self._correlation_id, self._client_id, body)
        self._pending = Pending(api_key, version, done)
        if self._failure is not None:
            self._loop.call_soon(self._report_failure)
            return
        self._send_queue.add(buffers)
        self._deadline_s = self._loop.time() + timeout_ms / 1000
        if self._timer is None or self._timer.when() > self._deadline_s:
            self._set_timer()
        try:
            is_sent = self._send_queue.send_some()
        except OSError as error:
            self._end(reason_of(error))
            self._loop.call_soon(self._report_failure)
            return
        if not is_sent:
            self._transport.on_writable(self._writable)

    def _writable(self) -> None:
        try:
            is_sent = self._send_queue.send_some()
        except OSError as error:
            self._fail(reason_of(error))
            return
        if is_sent:
            self._transport.on_writable(None)

    # Receiving.

    def _readable(self) -> None:
        try:
            frame = self._receive()
            response = None if frame is None else self._decode(frame)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._fail(reason_of(error))
            return
        except PeerError as error:
            self._fail(str(error))
            return
        if response is not None:
            assert self._pending is not None
            done, self._pending = self._pending.done, None
            # Nothing is received into the memory of the response during this call.
            done(response)

    def _receive(self) -> memoryview | None:
        """Receive what is there, and return the frame that is complete with it."""
        reader = self._reader
        for _ in range(RECEIVES_PER_TURN):
            space = reader.space()
            count = self._transport.receive_into(space)
            if count == 0:
                raise ConnectionResetError("it has ended the connection")
            reader.received(count)
            frame = reader.next_frame()
            if frame is not None or count < len(space):
                return frame
        return None

    def _decode(self, frame: memoryview) -> Body:
        if self._pending is None or self._reader.buffered_bytes > 0:
            raise MalformedFrameError("it has answered what nobody asked")
        response = response_schema(self._pending.api_key).message
        correlation_id, body = decode_response(response, self._pending.version, frame)
        if correlation_id != self._correlation_id:
            raise MalformedFrameError(f"it has answered request {correlation_id} again")
        self._reader.release()
        self._save_memory(len(frame))
        return body

    def _save_memory(self, size: int) -> None:
        """Free the memory of large responses, when only small ones arrive any more."""
        self._small_count = 0 if size > CHUNK_SIZE else self._small_count + 1
        if self._small_count == SMALL_RESPONSES:
            self._reader.trim()

    # The time.

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._deadline_s, self._look_at_deadline)

    def _look_at_deadline(self) -> None:
        """Close the connection if the pending request has waited too long.

        The timer of one request is reused for the next ones: hardly any of them takes so long.
        """
        self._timer = None
        if self._pending is None:
            return
        if self._loop.time() < self._deadline_s:
            self._set_timer()
        else:
            self._fail("no response came in time")

    # The end.

    def close(self) -> None:
        self._pending = None
        self._end("it was closed here")

    def _fail(self, reason: str) -> None:
        self._end(reason)
        self._report_failure()

    def _report_failure(self) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            assert self._failure is not None
            pending.done(NoAnswer(self._failure))

    def _end(self, reason: str) -> None:
        if self._failure is not None:
            return
        self._failure = reason
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._transport.close()
        self._send_queue.clear()
        self._ended(self)


def reason_of(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
