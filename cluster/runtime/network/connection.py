"""One client's connection: requests are cut out of the stream, handed over one at a time, answered.

Knows neither what is asked nor which other connections there are.
"""

import logging
import socket
from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from cluster.broker.handling import Body, Cancel, Handler, Peer
from cluster.runtime.network.memory_pool import MemoryPool
from cluster.runtime.network.send_queue import SendQueue
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame, decode_request, encode_response
from cluster.wire.encoders import Buffers
from cluster.wire.errors import PeerError, UnencodableMessageError, UnsupportedVersionError
from cluster.wire.framing import FrameReader
from cluster.wire.versions import Versions

RECEIVES_PER_TURN: Final = 16
"""How often a connection may receive before the loop looks after the others."""
REQUESTS_PER_TURN: Final = 64
"""How many requests that lie in its buffer a connection may have answered, for the same reason."""

GATHERED_BYTES_MAX: Final = 64 * 1024
"""How many bytes of answers may wait for those of further requests."""
GONE: Final = (ConnectionError, TimeoutError)
"""How the kernel says that the other side is not there any more."""

logger: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What all connections of a broker share."""

    loop: AbstractEventLoop
    handler: Handler
    served: Mapping[ApiKey, Versions]
    refuse_version: Callable[[UnsupportedVersionError], Buffers | None]
    """What a client is sent that asked for what is not *served*; None: its connection ends."""
    memory: MemoryPool


class RequestReply:
    """Where the answer to one request goes; see `cluster.broker.handling.Reply`."""

    __slots__ = ("_connection", "_request")

    def __init__(self, connection: "Connection", request: RequestFrame) -> None:
        self._connection = connection
        self._request = request

    def __call__(self, body: Body | None) -> None:
        self._connection.answer(self, self._request, body)

    def close(self, reason: str) -> None:
        self._connection.refuse(self, reason)


class Connection:
    """A connected socket.  It is *busy* from a request to the last byte of its answer.

    While it is busy nothing is received: what a client sends without waiting stays in the kernel's
    buffers, which makes the client wait.  Answers that are there at once are gathered before.
    """

    __slots__ = (
        "_allocated_size",
        "_cancel",
        "_ended",
        "_is_blocked",
        "_is_gathering",
        "_is_mute",
        "_is_waiting_for_memory",
        "_reader",
        "_reply",
        "_send_queue",
        "_service",
        "_socket",
        "active_s",
        "is_closed",
        "peer",
    )

    def __init__(
        self,
        service: Service,
        connected: socket.socket,
        peer: Peer,
        ended: Callable[["Connection"], None],
    ) -> None:
        """*connected* does not block; *ended* is called once, when the connection is over."""
        self._service = service
        self._socket = connected
        self._ended = ended
        self._send_queue = SendQueue(connected)
        self._reader: FrameReader | None = None
        self._reply: RequestReply | None = None
        self._cancel: Cancel | None = None
        self._is_blocked = False
        self._is_gathering = False
        self._is_mute = False
        self._is_waiting_for_memory = False
        self._allocated_size = 0
        self.peer = peer
        self.is_closed = False
        self.active_s = service.loop.time()
        """When something was received or sent last, by the loop's clock."""
        service.loop.add_reader(connected, self._readable)

    @property
    def has_request(self) -> bool:
        """Whether somebody works on an answer; the rest of being busy is sending it."""
        return self._reply is not None

    @property
    def is_busy(self) -> bool:
        return self._reply is not None or self._is_blocked

    # Receiving.

    def _readable(self) -> None:
        if self._reply is not None or self._is_blocked or self._is_waiting_for_memory:
            self._look_who_is_there()
            return
        service = self._service
        self.active_s = service.loop.time()
        if self._reader is None:
            self._reader = service.memory.borrow_reader()
        for _ in range(RECEIVES_PER_TURN):
            space = self._reader.space()
            try:
                count = self._socket.recv_into(space)
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                self._lose(error)
                return
            if count == 0:
                self.close()
                return
            self._reader.received(count)
            wants_more = self._take_requests()
            if not wants_more or count < len(space):
                return

    def _look_who_is_there(self) -> None:
        """Something came before its turn: the end of the stream, or the next request."""
        try:
            is_over = not self._socket.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(error)
            return
        if is_over:
            self.close()
        else:
            self._mute()

    def _mute(self) -> None:
        """Do not listen until the turn comes: the loop would tell of the same bytes for ever."""
        self._service.loop.remove_reader(self._socket)
        self._is_mute = True

    def _go_on(self) -> None:
        """Listen again, and take what has been received already."""
        if self.is_closed or self.is_busy:
            return
        self._is_waiting_for_memory = False
        if self._is_mute:
            self._is_mute = False
            self._service.loop.add_reader(self._socket, self._readable)
        self._take_requests()

    def _take_requests(self) -> bool:
        """Hand over what is whole; whether a request has begun that wants the rest now.

        Answers that are there at once are sent together: clients that do not wait for each of them
        cost one call of the kernel for many.
        """
        self._is_gathering = True
        wants_more = False
        for _ in range(REQUESTS_PER_TURN):
            reader = self._reader
            if reader is None or self.is_closed or self._reply is not None or self._is_blocked:
                break
            try:
                frame = reader.next_frame()
                if frame is None:
                    wants_more = self._awaits_more(reader)
                    break
                self._hand_over(frame, reader)
            except PeerError as error:
                # What it asked for before is answered.
                self._push()
                self.close(str(error))
        else:
            self._service.loop.call_soon(self._go_on)
        self._is_gathering = False
        self._push()
        return wants_more and not self.is_closed

    def _awaits_more(self, reader: FrameReader) -> bool:
        """Keep the reader while it holds a part of a request; a large one has to be let in."""
        if self._gave_back(reader):
            return False
        if self._allocated_size == 0:
            allocated = self._service.memory.allocate(reader.missing_bytes, self._go_on)
            self._is_waiting_for_memory = allocated is None
            self._allocated_size = allocated or 0
        return not self._is_waiting_for_memory

    def _gave_back(self, reader: FrameReader) -> bool:
        """Lend the reader to others, if nothing of a request lies in it."""
        if reader.buffered_bytes > 0:
            return False
        self._reader = None
        self._service.memory.give_back(reader)
        return True

    # Requests.

    def _hand_over(self, frame: memoryview, reader: FrameReader) -> None:
        try:
            request = decode_request(frame, self._service.served)
        except UnsupportedVersionError as error:
            buffers = self._service.refuse_version(error)
            if buffers is None:
                raise
            self._send(buffers)
        else:
            self._have_answered(request)
        # The contract: what was in the frame is not needed any more, even if the answer is.
        size, self._allocated_size = self._allocated_size, 0
        if size > 0:
            self._service.memory.release(size)
        if not self.is_closed:
            self._gave_back(reader)

    def _have_answered(self, request: RequestFrame) -> None:
        reply = self._reply = RequestReply(self, request)
        is_handled = False
        try:
            cancel = self._service.handler(request, self.peer, reply)
            is_handled = True
        finally:
            if not is_handled:
                # A mistake of ours goes on to the loop, which logs it; the client must not wait.
                self.close("its request made the broker fail")
        if self._reply is reply:
            self._cancel = cancel

    def answer(self, reply: RequestReply, request: RequestFrame, body: Body | None) -> None:
        """Send the answer to *request*; without effect when nobody waits for it any more."""
        if self._reply is not reply:
            return
        self._reply = self._cancel = None
        if body is not None:
            try:
                buffers = encode_response(
                    request.api_key, request.api_version, request.correlation_id, body
                )
            except UnencodableMessageError:
                self.close(f"the answer to its {request.api_key.name} request has no form")
                raise
            self._send(buffers)
        if not self._is_gathering and (self._is_mute or self._reader is not None):
            # Not at once: the next request may make other connections go on, and so forth.
            self._service.loop.call_soon(self._go_on)

    def refuse(self, reply: RequestReply, reason: str) -> None:
        """Close the connection, for *reason*, instead of answering."""
        if self._reply is reply:
            self._reply = self._cancel = None
            self.close(reason)

    # Sending.

    def _send(self, buffers: Buffers) -> None:
        self._send_queue.add(buffers)
        if not self._is_gathering or self._send_queue.queued_bytes > GATHERED_BYTES_MAX:
            self._push()

    def _push(self) -> None:
        """Begin to send what is queued; whoever asks for more waits until it is gone."""
        if self._send_queue.queued_bytes == 0 or self._is_blocked or self.is_closed:
            return
        if not self._is_sent():
            self._is_blocked = True
            self._service.loop.add_writer(self._socket, self._writable)

    def _writable(self) -> None:
        if self._is_sent() and not self.is_closed:
            self._is_blocked = False
            self._service.loop.remove_writer(self._socket)
            self._go_on()

    def _is_sent(self) -> bool:
        """Send what the socket takes; whether nothing is left, since all is sent or lost."""
        self.active_s = self._service.loop.time()
        try:
            return self._send_queue.send_some()
        except OSError as error:
            self._lose(error)
            return True

    # The end.

    def _lose(self, error: OSError) -> None:
        """Close because of *error*; that a client went away is nothing to tell."""
        self.close(None if isinstance(error, GONE) else str(error))

    def close(self, reason: str | None = None, *, level: int = logging.WARNING) -> None:
        """End the connection; *reason* is for the log, None when there is nothing to say."""
        if self.is_closed:
            return
        self.is_closed = True
        if reason is not None:
            listener = self.peer.listener
            logger.log(level, "Closing the connection of %s to %s: %s", self.peer, listener, reason)
        self._service.loop.remove_reader(self._socket)
        self._service.loop.remove_writer(self._socket)
        self._socket.close()
        self._send_queue.clear()
        self._reader = None
        if self._allocated_size > 0:
            self._service.memory.release(self._allocated_size)
            self._allocated_size = 0
        cancel, self._reply, self._cancel = self._cancel, None, None
        if cancel is not None:
            cancel()
        self._ended(self)
