"""Frames on their way between processes, and what becomes of them.

Whatever is asked goes as bytes through the codec, to the broker and back.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from cluster.api.dispatch import SERVED
from cluster.broker.handling import Body, Cancel, Peer, Steps
from cluster.model.file_slice import FileSlice
from cluster.model.ids import BrokerId
from cluster.storage.files import File
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import (
    RequestFrame,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
)
from cluster.wire.encoders import Buffers
from cluster.wire.schema import response_schema
from tests.sim.sim_process import SimProcess
from tests.sim.surroundings import Surroundings

SIZE_SIZE: Final = 4
STEPS_AT_ONCE: Final = 64
CORRELATION_ID: Final = 7

Answer = Callable[[Any | None], None]
"""Gets the body of the answer; None when none comes."""

Finish = Callable[[bytes | None], None]
"""Gets the frame of the answer; None when the connection ends instead."""


def joined(buffers: Buffers) -> bytes:
    """A frame as it goes over the wire, ranges of files read from them.

    Raises:
        OSError: the disk of one failed.
    """
    parts = []
    for part in buffers:
        if isinstance(part, FileSlice):
            content = cast(File, part.file).read(part.position, part.size)
            assert len(content) == part.size
            parts.append(content)
        else:
            parts.append(bytes(part))
    return b"".join(parts)


def ask(
    world: Surroundings,
    receiver: BrokerId,
    asked: tuple[ApiKey, int, tuple[Any, ...]],
    peer: Peer,
    timeout_ms: int,
    on_answer: Answer,
    *,
    delay_ms: int,
) -> None:
    """Carry a request (API, version, body) to a broker, and its answer back.

    *on_answer* is called once: with None when the broker is not there, ends the connection, or does
    not answer in time.
    """
    api_key, version, body = asked
    way = f"{peer.port}-b{receiver}"
    frame = bytearray(joined(encode_request(api_key, version, CORRELATION_ID, "sim", body)))
    is_over = False

    def finish(answer: bytes | None) -> None:
        nonlocal is_over
        if not is_over:
            is_over = True
            on_answer(None if answer is None else body_of(api_key, version, answer))

    def arrive() -> None:
        process = world.process_of(receiver)
        if not process.is_up or not process.is_registered or world.loses_frame(way):
            world.after(world.between(1, 50, way), lambda: finish(None))
            return
        world.after(timeout_ms, lambda: finish(None))
        process.deliver(lambda: ignore(serve(world, process, frame, peer, way, finish)))

    world.after(delay_ms, arrive)


def ignore(cancel: Cancel | None) -> None:
    """Who asks once does not let the broker know that he waits no more."""


def body_of(api_key: ApiKey, version: int, frame: bytes | bytearray) -> Body:
    """What stands in the frame of an answer."""
    message = response_schema(api_key).message
    return decode_response(message, version, memoryview(frame)[SIZE_SIZE:]).body


def serve(
    world: Surroundings,
    process: SimProcess,
    frame: bytearray,
    peer: Peer,
    way: str,
    finish: Finish,
) -> Cancel | None:
    """Let the broker answer a frame; *way* names the random stream of the answer.

    The result lets it know that nobody waits any more.
    """
    request = decode_request(memoryview(frame)[SIZE_SIZE:], SERVED)
    reply = FrameReply(world, process, request, way, finish)
    cancel = process.dispatch.handle(request, peer, reply)
    # The buffer is somebody else's from here on.
    frame[:] = bytes(len(frame))
    return cancel


class FrameReply:
    """Where the answer to one request goes; see `cluster.broker.handling.Reply`."""

    def __init__(
        self,
        world: Surroundings,
        process: SimProcess,
        request: RequestFrame,
        way: str,
        finish: Finish,
    ) -> None:
        self._world = world
        self._process = process
        self._request = request
        self._way = way
        self._finish = finish
        self._is_given = False

    def __call__(self, body: Body | None) -> None:
        assert not self._is_given, f"{self._request.api_key.name} is answered twice"
        self._is_given = True
        self._process.on_answered(self._request.api_key)
        if body is None:
            return
        key, version = self._request.api_key, self._request.api_version
        frame: bytes | None
        try:
            frame = joined(encode_response(key, version, self._request.correlation_id, body))
        except OSError:
            # A log knows where its last batches begin, and names a range without reading any of it.
            # That the disk has failed is seen by who sends that: the connection ends.
            frame = None
        is_lost = self._world.loses_frame(self._way)
        self._world.after(
            self._world.between(1, 10, self._way) + self._world.held_ms(self._way),
            lambda: self._finish(None if is_lost else frame),
        )

    def in_turns(self, steps: Steps) -> None:
        """Take a few of *steps*, and the others when whatever else is due has had its turn."""
        try:
            for _ in range(STEPS_AT_ONCE):
                next(steps)
        except StopIteration as end:
            if end.value is not None:
                self(end.value)
            return
        self._process.broker.ports.clock.call_later(0, partial(self.in_turns, steps))

    def close(self, reason: str) -> None:
        assert not self._is_given
        self._is_given = True
        self._world.after(self._world.between(1, 10, self._way), lambda: self._finish(None))
