"""Connections between simulated brokers: what comes of what they ask each other?

As with TCP nothing is reordered or doubled on a connection, and whatever is lost ends it.  A
request whose sender has given up may be served all the same, and late.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from cluster.api.dispatch import SERVED
from cluster.broker.handling import Body, Cancel, Peer
from cluster.broker.ports import Endpoint, NoAnswer, PeerConnection
from cluster.model.ids import BrokerId
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import encode_request
from cluster.wire.versions import NEVER
from tests.sim.controller import LISTENER
from tests.sim.network import CORRELATION_ID, body_of, joined, serve
from tests.sim.sim_process import SimProcess
from tests.sim.story import Fault
from tests.sim.surroundings import Surroundings

HOST: Final = "localhost"
FIRST_PORT: Final = 9092
FARTHEST_MS: Final = 10
SLOWEST_MS: Final = 3000
RESET_MS_MAX: Final = 50
"""How long it takes until somebody hears that the other side is gone."""

Done: TypeAlias = Callable[[Body | NoAnswer], None]


def endpoint_of(broker_id: BrokerId) -> Endpoint:
    """Where a broker listens."""
    return Endpoint(HOST, FIRST_PORT + broker_id)


def way_of(sender: BrokerId, receiver: BrokerId) -> str:
    """The way of what a broker asks another, and of the answers."""
    return f"b{sender}-b{receiver}"


class SimPeers:
    """The way from one process to others; see `cluster.broker.ports.Peers`."""

    def __init__(self, world: Surroundings, process: SimProcess) -> None:
        self._world = world
        self._process = process

    def connect(
        self,
        endpoint: Endpoint,
        client_id: str,
        timeout_ms: int,
        opened: Callable[[PeerConnection | NoAnswer], None],
    ) -> Cancel:
        """A receiver that is frozen lets its callers wait, one that is down refuses them."""
        world, process = self._world, self._process
        receiver = BrokerId(endpoint.port - FIRST_PORT)
        way = way_of(process.broker_id, receiver)
        is_over = False

        def finish(result: PeerConnection | NoAnswer) -> None:
            nonlocal is_over
            if not is_over:
                is_over = True
                opened(result)

        def cancel() -> None:
            nonlocal is_over
            is_over = True

        def answer(result: PeerConnection | NoAnswer) -> None:
            process.deliver(lambda: finish(result))

        def arrive() -> None:
            other = world.process_of(receiver)
            delay_ms = world.between(1, FARTHEST_MS, way)
            if not other.is_up or world.loses_frame(way):
                world.after(delay_ms, lambda: answer(NoAnswer("it refuses connections")))
            else:
                connection = SimPeerConnection(world, process, other, client_id, way)
                other.deliver(lambda: world.after(delay_ms, lambda: answer(connection)))

        world.after(world.between(1, FARTHEST_MS, way), arrive)
        world.after(timeout_ms, lambda: answer(NoAnswer("it cannot be reached in time")))
        return cancel


class SimPeerConnection:
    """A connection from *sender* to *receiver*, which ends when either process ends."""

    def __init__(
        self,
        world: Surroundings,
        sender: SimProcess,
        receiver: SimProcess,
        client_id: str,
        way: str,
    ) -> None:
        self._world = world
        self._sender = sender
        self._receiver = receiver
        self._client_id = client_id
        self._way = way
        self._done: Done | None = None
        self._request_count = 0
        self._failure: str | None = None
        self._cancel: Cancel | None = None

    @property
    def is_open(self) -> bool:
        return self._failure is None

    def version(self, api_key: ApiKey, newest: int) -> int | None:
        if api_key in self._world.unknown_apis:
            return None
        return SERVED.get(api_key, NEVER).newest_up_to(newest)

    def send(self, api_key: ApiKey, version: int, body: Body, timeout_ms: int, done: Done) -> None:
        assert self._done is None, "one request at a time"
        world = self._world
        frame = bytearray(
            joined(encode_request(api_key, version, CORRELATION_ID, self._client_id, body))
        )
        self._done = done
        self._request_count += 1
        fail = partial(self._fail, self._request_count)
        if self._failure is not None:
            reason = self._failure
            world.after(0, lambda: fail(reason))
            return
        world.after(timeout_ms, lambda: fail("no response came in time"))
        finish = partial(self._finish, self._request_count, api_key, version)
        is_slow = world.does(Fault.SLOW_PEER, 0.05, self._way)
        slowest_ms = min(2 * timeout_ms, SLOWEST_MS) if is_slow else FARTHEST_MS
        delay_ms = world.between(1, slowest_ms, self._way) + world.held_ms(self._way)
        if world.loses_frame(self._way):
            self._reset(finish)
        else:
            world.after(delay_ms, lambda: self._arrive(frame, finish))

    def _arrive(self, frame: bytearray, finish: Callable[[bytes | None], None]) -> None:
        if self._receiver.is_up:
            self._receiver.deliver(lambda: self._serve(frame, finish))
        else:
            self._reset(finish)

    def _reset(self, finish: Callable[[bytes | None], None]) -> None:
        delay_ms = self._world.between(1, RESET_MS_MAX, self._way)
        self._world.after(delay_ms, lambda: finish(None))

    def _serve(self, frame: bytearray, finish: Callable[[bytes | None], None]) -> None:
        peer = Peer(HOST, 50_000 + self._sender.broker_id, LISTENER)
        self._cancel = serve(self._world, self._receiver, frame, peer, self._way, finish)
        if self._failure is not None:
            self._let_go()

    def _let_go(self) -> None:
        """The receiver hears that nobody waits for its answer any more."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    def _finish(self, number: int, api_key: ApiKey, version: int, answer: bytes | None) -> None:
        if answer is None:
            self._fail(number, "it has ended the connection")
        else:
            self._sender.deliver(lambda: self._take(number, api_key, version, answer))

    def _take(self, number: int, api_key: ApiKey, version: int, answer: bytes) -> None:
        done = self._done
        if done is None or number != self._request_count:
            return
        self._done = self._cancel = None
        frame = bytearray(answer)
        done(body_of(api_key, version, frame))
        # The buffer is used again from here on.
        frame[:] = bytes(len(frame))

    def _fail(self, number: int, reason: str) -> None:
        def fail() -> None:
            done = self._done
            if done is not None and number == self._request_count:
                self._done = None
                self._end(reason)
                done(NoAnswer(reason))

        self._sender.deliver(fail)

    def close(self) -> None:
        self._done = None
        self._end("it was closed here")

    def _end(self, reason: str) -> None:
        if self._failure is None:
            self._failure = reason
            delay_ms = self._world.between(1, FARTHEST_MS, self._way)
            self._world.after(delay_ms, lambda: self._receiver.deliver(self._let_go))
