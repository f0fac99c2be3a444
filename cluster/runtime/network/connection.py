"""One client's connection: requests are cut out of the stream, handed over one at a time, answered.

It reacts to calls: bytes have arrived, the transport accepts more, an answer is given.  Knows
neither the content of requests, nor other connections, nor what carries the bytes.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Final, cast

from cluster.broker.handling import MISTAKE, Body, Cancel, Peer, Steps
from cluster.runtime.moment import ReadMoment
from cluster.runtime.network.answer_errors import error_codes_in_steps, error_codes_of
from cluster.runtime.network.connection_states import CONNECTION_VALID_PREVIOUS, ConnectionState
from cluster.runtime.network.request_metrics import NOTED_MAX, kind_of_fetch
from cluster.runtime.network.send_queue import SendQueue
from cluster.runtime.network.service import Service
from cluster.runtime.network.transport import Transport
from cluster.runtime.network.turns import UNFINISHED, Work, finished_soon
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame, decode_request, encode_in_steps, encode_response
from cluster.wire.encoders import Buffers
from cluster.wire.errors import PeerError, UnencodableMessageError, UnsupportedVersionError
from cluster.wire.framing import FrameReader

RECEIVES_PER_TURN: Final = 16
"""How often a connection may receive before the loop serves the others."""
REQUESTS_PER_TURN: Final = 64
"""How many buffered requests a connection may have answered, for the same reason."""

WHOLE_SIZE_MAX: Final = 32 * 1024
"""Up to this size a request is decoded in one go, since the size bounds its elements."""

GATHERED_BYTES_MAX: Final = 64 * 1024
"""How many bytes of answers may be gathered while further requests are answered."""
WITHOUT_FORM: Final = "the answer to its request has no form"
GONE: Final = (ConnectionError, TimeoutError)
"""The kernel's errors for a peer that is gone."""

RECEIVING: Final = ConnectionState.RECEIVING
AWAITING_MEMORY: Final = ConnectionState.AWAITING_MEMORY
HANDLING: Final = ConnectionState.HANDLING
SENDING: Final = ConnectionState.SENDING
HANDLING_AND_SENDING: Final = ConnectionState.HANDLING_AND_SENDING
CLOSED: Final = ConnectionState.CLOSED

FETCH: Final = ApiKey.FETCH
BLOCKED: Final = frozenset({SENDING, HANDLING_AND_SENDING})
MAY_HANDLE: Final = CONNECTION_VALID_PREVIOUS[HANDLING]
"""Every request needs this, and a call would cost too much."""


class RequestReply:
    """Receives the answer to one request; see `cluster.broker.handling.Reply`."""

    __slots__ = ("_connection", "_request")

    def __init__(self, connection: "Connection", request: RequestFrame) -> None:
        self._connection = connection
        self._request = request

    def __call__(self, body: Body | None) -> None:
        self._connection.answer(self, self._request, body)

    def in_turns(self, steps: Steps) -> None:
        self._connection.answer_in_turns(self, self._request, steps)

    def close(self, reason: str) -> None:
        self._connection.refuse(self, reason)


class Connection:
    """A connected client, in one of the states of `connection_states`.

    Bytes are received only in RECEIVING: what a client sends without waiting stays in the kernel's
    buffers, which makes the client wait.  Immediate answers are gathered before they are sent.
    """

    __slots__ = (
        "_allocated_ns",
        "_allocated_size",
        "_answer_steps",
        "_answered",
        "_answered_key",
        "_cancel",
        "_ended",
        "_flat",
        "_frame_size",
        "_is_gathering",
        "_is_mute",
        "_moment",
        "_now_ns",
        "_parked_ns",
        "_reader",
        "_received_ns",
        "_reply",
        "_send_queue",
        "_sent_ns",
        "_service",
        "_transport",
        "_turn_ns",
        "_work",
        "state",
    )

    def __init__(
        self,
        service: Service,
        transport: Transport,
        ended: Callable[["Connection", str | None], None],
    ) -> None:
        """*ended* is called once, when the connection is closed, with the reason to log, or
        None.
        """
        self._service = service
        self._now_ns = service.now_ns
        self._moment = service.moment or ReadMoment(service.now_ns)
        self._answered = service.metrics.answered
        self._flat = service.flat
        self._transport = transport
        self._ended = ended
        self._send_queue = SendQueue(transport)
        self._reader: FrameReader | None = None
        self._reply: RequestReply | None = None
        self._cancel: Cancel | None = None
        self._work: Work | None = None
        self._answer_steps: Generator[None, None, None] | None = None
        self._is_gathering = False
        self._is_mute = False
        self._allocated_size = 0
        self._allocated_ns = 0
        self.state = RECEIVING
        # When the last bytes arrived, when the turn of the current request began, when its handler
        # returned without an answer, and when answers were sent that had to wait.
        self._received_ns = self._turn_ns = self._sent_ns = service.now_ns()
        self._parked_ns: int | None = None
        self._answered_key: ApiKey | None = None
        self._frame_size = 0
        transport.on_readable(self._readable)

    @property
    def peer(self) -> Peer:
        return self._transport.peer

    @property
    def active_ns(self) -> int:
        """When bytes were received or sent last."""
        return max(self._turn_ns, self._sent_ns)

    def holds_memory_since(self, earliest_ns: int) -> bool:
        """Whether a large request began to arrive then or earlier, and is still incomplete."""
        is_receiving = self.state is RECEIVING and self._allocated_size > 0
        return is_receiving and self._allocated_ns <= earliest_ns

    @property
    def has_request(self) -> bool:
        """Whether a request is being handled."""
        return self._reply is not None or self._work is not None

    def _enter(self, state: ConnectionState) -> None:
        assert self.state in CONNECTION_VALID_PREVIOUS[state], f"{self.state} -> {state}"
        self.state = state

    # Receiving.

    def _readable(self) -> None:
        if self.state is not RECEIVING:
            self._look_who_is_there()
            return
        service = self._service
        self._received_ns = self._turn_ns = self._moment.ns
        reader = self._reader
        if reader is None:
            # Borrowed only for what is more than one request, or less.
            reader = service.memory.spare
            space = reader.chunk
        else:
            space = reader.space()
        receive_into = self._transport.receive_into
        receives_left = RECEIVES_PER_TURN
        while receives_left:
            receives_left -= 1
            try:
                count = receive_into(space)
            except (BlockingIOError, InterruptedError):
                if self._reader is not None:
                    self._gave_back(reader)
                return
            except OSError as error:
                self._lose(error)
                return
            if count == 0:
                self.close()
                return
            if self._reader is None:
                frame = reader.lone_frame(count)
                if frame is not None and count <= WHOLE_SIZE_MAX:
                    if not self._is_answered_flat(frame, reader.word):
                        self._take_alone(frame)
                    return
                self._reader = service.memory.borrow_reader()
            reader.received(count)
            wants_more = self._take_requests()
            if not wants_more or count < len(space):
                return
            space = reader.space()

    def _take_alone(self, frame: memoryview) -> None:
        """Hand over a small request with which nothing else arrived."""
        try:
            self._decode_and_hand_over(frame)
        except PeerError as error:
            self.close(str(error))

    def _look_who_is_there(self) -> None:
        """Look at bytes that arrived too early: the end of the stream, or the next request."""
        try:
            has_ended = self._transport.has_ended()
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(error)
            return
        # A producer without acks goes when it has sent its last batches: they are appended, though
        # one before them takes its time.
        has_next = self.state is HANDLING and self._work is None and self._reader is not None
        if has_ended and not has_next:
            self.close()
        else:
            # Until the turn comes: the loop would report the same bytes for ever.
            self._transport.on_readable(None)
            self._is_mute = True

    def _go_on(self) -> None:
        """Listen again, and process what has been received already."""
        if self.state is not RECEIVING:
            return
        if self._is_mute:
            self._is_mute = False
            self._transport.on_readable(self._readable)
        self._turn_ns = self._now_ns()
        self._take_requests()

    def _take_requests(self) -> bool:
        """Hand over complete requests; returns whether an incomplete one wants its rest now.

        Immediate answers are sent together: a client that does not wait for each of them costs one
        system call for many.
        """
        self._is_gathering = True
        began_ns = self._turn_ns
        wants_more = False
        for _ in range(REQUESTS_PER_TURN):
            reader = self._reader
            if reader is None or self.state is not RECEIVING:
                break
            try:
                frame = reader.next_frame()
                if frame is None:
                    wants_more = self._awaits_more(reader)
                    break
                if not self._is_answered_flat(frame, reader.word):
                    self._decode_and_hand_over(frame)
                self._finish_frame(reader)
            except PeerError as error:
                # Its earlier requests are answered.
                self._push()
                self.close(str(error))
            if (
                self._reader is not None
                and not self.has_request
                and self._service.turns.has_had_share(began_ns, self._turn_ns)
            ):
                self._service.call_soon(self._go_on)
                break
        else:
            self._service.call_soon(self._go_on)
        self._is_gathering = False
        self._push()
        return wants_more and self.state is RECEIVING

    def _awaits_more(self, reader: FrameReader) -> bool:
        """Keep the reader while it holds a part of a request; a large one has to get memory."""
        if self._gave_back(reader):
            return False
        if self._allocated_size == 0:
            allocated = self._service.memory.allocate(reader.missing_bytes, self._try_allocation)
            if allocated is None:
                self._enter(AWAITING_MEMORY)
                return False
            if allocated > 0:
                self._allocated_size = allocated
                self._allocated_ns = self._now_ns()
        return True

    def _try_allocation(self) -> None:
        """Request memory again; a connection that was sending meanwhile does so afterwards."""
        if self.state is AWAITING_MEMORY:
            self._enter(RECEIVING)
            self._go_on()

    def _gave_back(self, reader: FrameReader) -> bool:
        """Return the reader to the pool, if it holds no part of a request."""
        if reader.buffered_bytes > 0:
            return False
        self._reader = None
        self._service.memory.give_back(reader)
        return True

    # Requests.

    def _finish_frame(self, reader: FrameReader) -> None:
        if self._work is None and self._reader is reader:
            # The contract: the content of the frame is not needed any more, even if the answer is.
            self._gave_back(reader)
            if self._allocated_size > 0:
                self._release_memory()

    def _release_memory(self) -> None:
        size, self._allocated_size = self._allocated_size, 0
        self._service.memory.release(size)

    def _is_answered_flat(self, frame: memoryview, word: int) -> bool:
        """Answer a usual request as `_have_answered` and `answer` would; it begins with *word*."""
        found = self._flat.get(word)
        if found is None:
            return False
        flat_path, immediate = found
        is_handled = False
        try:
            answer = flat_path(frame)
            is_handled = True
        finally:
            if not is_handled:
                self.close(MISTAKE)
        if answer is None:
            return False
        if self.state is not CLOSED:
            read_ns, received_ns, turn_ns = self._now_ns, self._received_ns, self._turn_ns
            now_ns = read_ns()
            self._answered_key = immediate.key
            self._turn_ns = self._moment.ns = now_ns
            if self._is_gathering:
                self._send([answer])
            else:
                try:
                    is_sent = self._send_queue.send_alone(answer)
                except OSError as error:
                    self._lose(error)
                else:
                    if not is_sent:
                        self._await_peer()
            # The client need not wait for that.
            if turn_ns == received_ns:
                noted = immediate.noted
                noted += (now_ns - received_ns, len(frame))
                if len(noted) >= NOTED_MAX:
                    immediate.settle()
            else:
                waited_ns, handled_ns = turn_ns - received_ns, now_ns - turn_ns
                version = immediate.version
                row = (now_ns - received_ns, handled_ns, waited_ns, 0, len(frame), version)
                self._answered(immediate.key, row)
        return True

    def _decode_and_hand_over(self, frame: memoryview) -> None:
        service = self._service
        self._frame_size = len(frame)
        is_whole = len(frame) <= WHOLE_SIZE_MAX
        try:
            request = decode_request(
                frame, service.served, None if is_whole else service.elements_max
            )
        except UnsupportedVersionError as error:
            buffers = service.refuse_version(error)
            if buffers is None:
                raise
            service.metrics.kind(ApiKey(error.api_key)).version_refused()
            self._send(buffers)
        else:
            assert self.state in MAY_HANDLE
            self.state = HANDLING
            if is_whole:
                self._have_answered(request)
            else:
                self._take_large(request)

    def _have_answered(self, request: RequestFrame) -> None:
        reply = self._reply = RequestReply(self, request)
        is_handled = False
        try:
            cancel = self._service.handler(request, self._transport.peer, reply)
            is_handled = True
        finally:
            if not is_handled:
                # A bug of ours goes on to the loop, which logs it; the client must not wait.
                self.close(MISTAKE)
        if self._reply is reply:
            self._cancel = cancel
            self._parked_ns = self._moment.ns = self._now_ns()

    def answer(
        self,
        reply: RequestReply,
        request: RequestFrame,
        body: Body | None,
        buffers: Buffers | None = None,
        errors: Sequence[int] | None = None,
    ) -> None:
        """Send the answer to *request*; no effect when the connection no longer waits for it.

        *buffers* is the encoded *body*, if it has been encoded; *errors* are its error codes.
        """
        if self._reply is not reply:
            return
        self._reply = self._cancel = None
        if self.state is HANDLING:
            self.state = RECEIVING
        else:
            self._enter(SENDING)
        now_ns, received_ns, remote_ns = self._now_ns(), self._received_ns, 0
        if self._parked_ns is not None:
            remote_ns = now_ns - self._parked_ns
            self._parked_ns = None
        row = (
            now_ns - received_ns,
            now_ns - self._turn_ns - remote_ns,
            self._turn_ns - received_ns,
            remote_ns,
            self._frame_size,
            request.api_version,
        )
        self._answered(request.api_key, row)
        if errors is None:
            errors = (
                error_codes_of(request.api_key, request.api_version, body)
                if body is not None
                else ()
            )
        self._service.metrics.count_errors(request.api_key, errors)
        if request.api_key is FETCH:
            self._answered(kind_of_fetch(request.body), row)
        self._answered_key = request.api_key
        self._turn_ns = self._moment.ns = now_ns
        if body is not None:
            if buffers is None:
                try:
                    buffers = encode_response(
                        request.api_key, request.api_version, request.correlation_id, body
                    )
                except UnencodableMessageError:
                    self.close(WITHOUT_FORM)
                    raise
            self._send(buffers)
        if not self._is_gathering and (self._is_mute or self._reader is not None):
            # Not at once: the next request may make other connections go on, and so on.
            self._service.call_soon(self._go_on)

    def refuse(self, reply: RequestReply, reason: str) -> None:
        """Close the connection, for *reason*, instead of answering."""
        if self._reply is reply:
            self._reply = self._cancel = None
            self.close(reason)

    # Work in turns.

    def _take_large(self, request: RequestFrame) -> None:
        """Decode and handle *request*, whose body is a generator; in turns if that takes long."""
        decoding = cast(Steps, request.body)
        finished = finished_soon(decoding)
        if finished is not UNFINISHED:
            self._have_answered(request._replace(body=cast(Body, finished)))
            return
        self._begin_work(self._large_request(request, decoding), is_large=True)

    def _begin_work(self, steps: Generator[None, None, None], *, is_large: bool) -> None:
        self._work = Work(steps, self._work_ended, is_large=is_large)
        self._service.turns.begin(self._work)

    def _work_ended(self) -> None:
        self._work = None
        if self._reader is not None:
            self._gave_back(self._reader)
            if self._allocated_size > 0:
                self._release_memory()

    def _large_request(self, request: RequestFrame, decoding: Steps) -> Generator[None, None, None]:
        """Decode *request*, and go on with its answer where that takes turns, too."""
        try:
            body = yield from decoding
        except PeerError as error:
            # Its earlier requests are answered.
            self._push()
            self.close(str(error))
            return
        self._have_answered(request._replace(body=cast(Body, body)))
        yield from self._asked_steps()

    def _asked_steps(self) -> Generator[None, None, None]:
        """Steps that were added while the connection's work was running, which continues with
        them.
        """
        while self._answer_steps is not None:
            steps, self._answer_steps = self._answer_steps, None
            yield from steps

    def answer_in_turns(self, reply: RequestReply, request: RequestFrame, steps: Steps) -> None:
        """Send the result of *steps*, once all are done."""
        if self._reply is not reply:
            return
        finished = finished_soon(steps)
        if finished is UNFINISHED:
            self._answer_steps = self._steps_of_answer(reply, request, steps)
            if self._work is None:
                self._begin_work(self._asked_steps(), is_large=False)
        elif finished is not None:
            self.answer(reply, request, finished)

    def _steps_of_answer(
        self, reply: RequestReply, request: RequestFrame, steps: Steps
    ) -> Generator[None, None, None]:
        is_made = False
        try:
            body = yield from steps
            is_made = True
        finally:
            if not is_made:
                # A bug of ours goes on to the loop, which logs it; the client must not wait.
                self.close(MISTAKE)
        if body is None:
            return
        try:
            buffers = yield from encode_in_steps(
                request.api_key, request.api_version, request.correlation_id, body
            )
        except UnencodableMessageError:
            self.close(WITHOUT_FORM)
            raise
        errors = yield from error_codes_in_steps(request.api_key, request.api_version, body)
        self.answer(reply, request, body, buffers, errors)

    # Sending.

    def _send(self, buffers: Buffers) -> None:
        self._send_queue.add(buffers)
        if not self._is_gathering or self._send_queue.queued_bytes > GATHERED_BYTES_MAX:
            self._push()

    def _push(self) -> None:
        """Begin to send what is queued; further requests wait until it is sent."""
        if self._send_queue.queued_bytes == 0 or self.state in BLOCKED:
            return
        try:
            is_sent = self._send_queue.send_some()
        except OSError as error:
            self._lose(error)
            return
        if not is_sent:
            self._await_peer()

    def _await_peer(self) -> None:
        """Go on when the peer accepts more."""
        self._enter(HANDLING_AND_SENDING if self.state is HANDLING else SENDING)
        self._transport.on_writable(self._writable)

    def _writable(self) -> None:
        self._sent_ns = self._now_ns()
        try:
            is_sent = self._send_queue.send_some()
        except OSError as error:
            self._lose(error)
            return
        if not is_sent:
            return
        self._transport.on_writable(None)
        if self._answered_key is not None:
            waited_ns = self._sent_ns - self._turn_ns
            self._service.metrics.response_delayed(self._answered_key, waited_ns)
        self._enter(RECEIVING if self.state is SENDING else HANDLING)
        self._go_on()

    # The end.

    def _lose(self, error: OSError) -> None:
        """Close because of *error*; a client that went away is not logged."""
        self.close(None if isinstance(error, GONE) else str(error))

    def close(self, reason: str | None = None) -> None:
        """Close the connection; *reason* is logged, unless it is None."""
        if self.state is CLOSED:
            return
        self._enter(CLOSED)
        self._transport.close()
        self._send_queue.clear()
        self._reader = None
        if self._allocated_size > 0:
            self._release_memory()
        cancel, self._reply, self._cancel = self._cancel, None, None
        if self._work is not None:
            self._work.cancel()
            self._work = self._answer_steps = None
        if cancel is not None:
            cancel()
        self._ended(self, reason)
