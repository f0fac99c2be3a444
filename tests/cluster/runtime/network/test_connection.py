"""A connection without socket, loop and clock: every event in every state, against the table."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from cluster.broker.handling import Cancel, Peer, Reply
from cluster.runtime.moment import Moment
from cluster.runtime.network.connection import Connection
from cluster.runtime.network.connection_states import CONNECTION_VALID_PREVIOUS, ConnectionState
from cluster.runtime.network.memory_pool import MemoryPool
from cluster.runtime.network.request_metrics import FETCH_CONSUMER, RequestMetrics
from cluster.runtime.network.service import Service
from cluster.runtime.network.transport import Buffer
from cluster.runtime.network.turns import ROUND_NS, SHARE_NS, Turns
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.fetch import FetchRequest, FetchResponse
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from tests.support.metrics import all_of, new_registry
from tests.support.serving import SERVED, refuse_version, request_bytes

AT_ONCE = request_bytes(ApiKey.METADATA, 4, 1, MetadataRequest([MetadataRequestTopic(name="a")]))
PARKED = request_bytes(ApiKey.FETCH, 11, 2, FetchRequest())
LARGE = request_bytes(
    ApiKey.METADATA,
    4,
    3,
    MetadataRequest([MetadataRequestTopic(name="x" * 30_000) for _ in range(10)]),
)
GARBAGE = bytes(100)
SIZE = 4
"""The bytes of a request's size before it."""
POOL_SIZE = 100_000


class FakeTransport:
    """Bytes that a test puts there, and a peer that takes as much as a test lets it."""

    def __init__(self) -> None:
        self.peer = Peer("client", 1, "PLAINTEXT")
        self.incoming = bytearray()
        self.is_over = False
        self.window = 10**9
        self.sent = bytearray()
        self.readable: Callable[[], None] | None = None
        self.writable: Callable[[], None] | None = None
        self.is_closed = False

    def receive_into(self, buffer: memoryview, /) -> int:
        if not self.incoming and not self.is_over:
            raise BlockingIOError
        count = min(len(buffer), len(self.incoming))
        buffer[:count] = self.incoming[:count]
        del self.incoming[:count]
        return count

    def has_ended(self) -> bool:
        if not self.incoming and not self.is_over:
            raise BlockingIOError
        return not self.incoming

    def send(self, buffer: Buffer, /) -> int:
        count = min(len(buffer), self.window)
        if count == 0:
            raise BlockingIOError
        self.sent += buffer[:count]
        self.window -= count
        return count

    def send_gathered(self, buffers: Sequence[Buffer], *, has_more: bool) -> int:
        return self.send(b"".join(buffers))

    def send_file(self, descriptor: int, position: int, size: int) -> int:
        raise AssertionError("no answer here has file slices")

    def on_readable(self, call: Callable[[], None] | None) -> None:
        self.readable = call

    def on_writable(self, call: Callable[[], None] | None) -> None:
        self.writable = call

    def close(self) -> None:
        self.readable = self.writable = None
        self.is_closed = True


class Noted(Connection):
    """Notes each change of its state."""

    def __init__(self, *arguments: Any) -> None:
        self.steps: list[tuple[ConnectionState, ConnectionState]] = []
        super().__init__(*arguments)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "state" and hasattr(self, "state"):
            self.steps.append((self.state, value))
        super().__setattr__(name, value)


class Desk:
    """One connection, and everything around it under a test's control."""

    def __init__(self) -> None:
        self.now_ns = 1_000
        self.soon: deque[Callable[[], None]] = deque()
        self.parked: list[Reply] = []
        self.cancelled = 0
        self.reasons: list[str | None] = []
        self.registry = new_registry(lambda: self.now_ns)
        self.metrics = RequestMetrics(self.registry)
        self.memory = MemoryPool(1_000_000, POOL_SIZE)
        self.transport = FakeTransport()
        self.others_fill_memory = False
        self.handler_ns = 0
        self.service = Service(
            handler=self.handle,
            served=SERVED,
            refuse_version=refuse_version,
            elements_max={},
            memory=self.memory,
            turns=Turns(self.soon.append, lambda: self.now_ns),
            metrics=self.metrics,
            call_soon=self.soon.append,
            now_ns=lambda: self.now_ns,
        )
        self.connection = Noted(self.service, self.transport, self.ended)

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        self.now_ns += self.handler_ns
        if request.api_key == ApiKey.FETCH:
            self.parked.append(reply)
            return self.cancel
        reply(MetadataResponse(cluster_id="c" * 1000))
        return None

    def cancel(self) -> None:
        self.cancelled += 1

    def ended(self, connection: Connection, reason: str | None) -> None:
        self.reasons.append(reason)

    def run_soon(self) -> None:
        while self.soon:
            self.soon.popleft()()

    def tell(self) -> None:
        """What a loop does: it tells of bytes and room, as long as somebody listens."""
        if self.transport.readable is not None and (
            self.transport.incoming or self.transport.is_over
        ):
            self.transport.readable()
        if self.transport.writable is not None and self.transport.window > 0:
            self.transport.writable()
        self.run_soon()

    def wake(self) -> None:
        if self.transport.readable is not None:
            self.transport.readable()

    def receive(self, data: bytes) -> None:
        self.transport.incoming += data
        self.tell()

    def answer(self) -> None:
        if self.parked:
            self.parked.pop()(FetchResponse())
        self.tell()

    @property
    def state(self) -> ConnectionState:
        return self.connection.state


def fill_memory(desk: Desk) -> None:
    if not desk.memory.is_full:
        desk.memory.allocate(POOL_SIZE, lambda: None)
        desk.others_fill_memory = True


def free_memory(desk: Desk) -> None:
    if desk.others_fill_memory:
        desk.others_fill_memory = False
        desk.memory.release(POOL_SIZE)
    desk.tell()


def take_nothing(desk: Desk) -> None:
    desk.transport.window = 0


def take_a_little(desk: Desk) -> None:
    desk.transport.window = 10
    desk.tell()


def take_all(desk: Desk) -> None:
    desk.transport.window = 10**9
    desk.tell()


def end_stream(desk: Desk) -> None:
    desk.transport.is_over = True
    desk.tell()


def await_memory(desk: Desk) -> None:
    fill_memory(desk)
    desk.receive(LARGE[:1000])


def be_sending(desk: Desk) -> None:
    take_nothing(desk)
    desk.receive(AT_ONCE)


def be_handling_and_sending(desk: Desk) -> None:
    take_nothing(desk)
    desk.receive(AT_ONCE + PARKED)


def have_no_room_at_all(desk: Desk) -> None:
    fill_memory(desk)
    take_nothing(desk)


def refuse(desk: Desk) -> None:
    if desk.parked:
        desk.parked.pop().close("it must not be")


WAYS: dict[ConnectionState, Callable[[Desk], None]] = {
    ConnectionState.RECEIVING: lambda desk: None,
    ConnectionState.AWAITING_MEMORY: await_memory,
    ConnectionState.HANDLING: lambda desk: desk.receive(PARKED),
    ConnectionState.SENDING: be_sending,
    ConnectionState.HANDLING_AND_SENDING: be_handling_and_sending,
    ConnectionState.CLOSED: lambda desk: desk.connection.close(),
}
"""How a connection gets into each state."""

EVENTS: dict[str, Callable[[Desk], None]] = {
    "nothing, for which it is woken": Desk.wake,
    "a request that is answered at once": lambda desk: desk.receive(AT_ONCE),
    "a request that is parked": lambda desk: desk.receive(PARKED),
    "both": lambda desk: desk.receive(AT_ONCE + PARKED),
    "a part of a large request": lambda desk: desk.receive(LARGE[:1000]),
    "answers and a part of a large request": lambda desk: desk.receive(AT_ONCE + LARGE[:1000]),
    "no room in the pool": fill_memory,
    "no room in the pool, and a peer that takes nothing": have_no_room_at_all,
    "room in the pool": free_memory,
    "garbage": lambda desk: desk.receive(GARBAGE),
    "the end of the stream": end_stream,
    "the answer": Desk.answer,
    "the end instead of the answer": refuse,
    "a peer that takes nothing": take_nothing,
    "a peer that takes a little": take_a_little,
    "a peer that takes everything": take_all,
    "a close from outside": lambda desk: desk.connection.close("enough"),
}


def stories() -> Iterator[tuple[ConnectionState, list[str]]]:
    for state in ConnectionState:
        for first in EVENTS:
            for second in EVENTS:
                yield state, [first, second]


def play(state: ConnectionState, events: Sequence[str]) -> Desk:
    desk = Desk()
    WAYS[state](desk)
    assert desk.state is state
    for event in events:
        EVENTS[event](desk)
    return desk


@pytest.mark.slow
def test_connections_make_exactly_the_steps_of_the_table() -> None:
    """All pairs of events in all states: nothing else happens, and nothing in the table is idle."""
    made = {step for state, events in stories() for step in play(state, events).connection.steps}

    allowed = {
        (before, state)
        for state, previous in CONNECTION_VALID_PREVIOUS.items()
        for before in previous
    }
    assert made == allowed


@pytest.mark.parametrize("target", ConnectionState)
@pytest.mark.parametrize("previous", ConnectionState)
def test_a_step_that_is_not_in_the_table_is_refused(
    previous: ConnectionState, target: ConnectionState
) -> None:
    connection = play(previous, []).connection

    if previous in CONNECTION_VALID_PREVIOUS[target]:
        connection._enter(target)
        assert connection.state is target
    else:
        with pytest.raises(AssertionError, match=f"{previous} -> {target}"):
            connection._enter(target)
        assert connection.state is previous


@pytest.mark.slow
def test_no_state_is_a_trap() -> None:
    """Whatever has happened: with memory, answers and a peer that takes them it goes on or ends."""
    stuck = []
    for state, events in stories():
        desk = play(state, events)
        free_memory(desk)
        take_all(desk)
        for _ in range(5):
            desk.answer()
        if desk.state is ConnectionState.CLOSED:
            if not desk.transport.is_closed or len(desk.reasons) != 1:
                stuck.append((state, events, "closed by halves"))
        elif desk.state is not ConnectionState.RECEIVING or desk.transport.incoming:
            stuck.append((state, events, str(desk.state)))

    assert stuck == []


@pytest.mark.slow
def test_what_was_held_is_free_when_a_connection_ends_in_any_state() -> None:
    for state, events in stories():
        desk = play(state, events)
        desk.connection.close()
        free_memory(desk)

        assert desk.memory.allocated_bytes == 0
        assert desk.cancelled <= 1
        assert desk.transport.is_closed


# Turns.


@pytest.mark.slow
def test_of_many_who_ask_for_much_each_has_a_share_in_each_round() -> None:
    """Else the last one waited until all that the others had asked for was done."""
    desk = Desk()
    desk.handler_ns = SHARE_NS // 4
    count, asked = 300, 60
    transports = [FakeTransport() for _ in range(count)]
    for transport in transports:
        Connection(desk.service, transport, desk.ended)
        transport.incoming += AT_ONCE * asked
    transports[-1].incoming = bytearray(AT_ONCE)
    began_ns = desk.now_ns

    def tell() -> None:
        for transport in transports:
            if transport.readable is not None and transport.incoming:
                transport.readable()

    tell()

    assert transports[-1].sent, "the last one is answered in the first round"
    assert desk.now_ns - began_ns <= ROUND_NS + count * (SHARE_NS + desk.handler_ns)
    assert len(transports[0].sent) > 50 * len(transports[-1].sent), "the first had all at once"
    while desk.soon:
        desk.run_soon()
        tell()
    assert {len(transports[0].sent)} == {len(one.sent) for one in transports[:-1]}


def test_what_was_received_before_the_end_of_the_stream_is_handled() -> None:
    """A producer with acks=0 sends its last batches and goes."""
    desk = Desk()

    desk.receive(PARKED + AT_ONCE)
    end_stream(desk)
    assert desk.state is ConnectionState.HANDLING
    desk.answer()
    desk.tell()

    assert desk.metrics.kind(ApiKey.METADATA).histogram(0).count == 1
    assert (desk.state, desk.cancelled) == (ConnectionState.CLOSED, 0)


def test_nothing_is_waited_for_when_the_stream_ends_behind_a_request() -> None:
    desk = Desk()

    desk.receive(PARKED)
    end_stream(desk)

    assert (desk.state, desk.cancelled) == (ConnectionState.CLOSED, 1)


# What is measured.


def test_the_times_of_a_request_are_told_apart() -> None:
    desk = Desk()
    desk.handler_ns = 30

    desk.receive(AT_ONCE + PARKED)
    desk.now_ns += 500
    desk.answer()

    at_once = desk.metrics.kind(ApiKey.METADATA).reservoir.pending
    parked = desk.metrics.kind(ApiKey.FETCH).reservoir.pending
    # In all, handled, before that, after that; bytes and version.
    assert at_once == [(30, 30, 0, 0, len(AT_ONCE) - SIZE, 4)]
    assert parked == [(560, 30, 30, 500, len(PARKED) - SIZE, 11)]
    assert desk.metrics.kind(FETCH_CONSUMER).reservoir.pending == parked


def test_a_request_arrives_when_the_loop_woke_up_or_the_one_before_was_answered() -> None:
    desk = Desk()
    desk.handler_ns = 30
    moment = Moment()
    service = replace(desk.service, moment=moment)
    transports = FakeTransport(), FakeTransport()
    for transport in transports:
        Connection(service, transport, desk.ended)
        transport.incoming += AT_ONCE
    moment.ns = desk.now_ns - 5
    for transport in transports:
        assert transport.readable is not None
        transport.readable()

    times = [row[0] for row in desk.metrics.kind(ApiKey.METADATA).reservoir.pending]
    assert times == [35, 30]


def test_the_time_that_a_client_takes_to_let_its_answer_in_is_its_own() -> None:
    desk = Desk()
    take_nothing(desk)

    desk.receive(AT_ONCE)
    desk.now_ns += 700
    take_a_little(desk)
    desk.now_ns += 700
    take_all(desk)

    metrics = all_of(desk.registry)
    name = "kafka.network:type=RequestMetrics,name={},request=Metadata"
    total, send = metrics[name.format("TotalTimeMs")], metrics[name.format("ResponseSendTimeMs")]
    assert (total["Count"], total["Max"]) == (1, 0)
    assert (send["Count"], send["Max"]) == (1, 1400 / 1_000_000)


def test_a_connection_is_active_when_something_is_received_or_sent() -> None:
    desk = Desk()
    take_nothing(desk)
    times = []
    for event in (lambda: desk.receive(AT_ONCE), lambda: take_a_little(desk), desk.tell):
        desk.now_ns += 100
        event()
        times.append(desk.connection.active_ns)

    assert times == [1_100, 1_200, 1_200]
