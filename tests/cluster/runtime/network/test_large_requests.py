"""A connection's large requests and answers: in turns, whole, and gone when the connection is."""

from collections.abc import Generator
from typing import Any

import pytest

from cluster.broker.handling import Cancel, Peer, Reply
from cluster.runtime.network.connection import WHOLE_SIZE_MAX
from cluster.runtime.network.connection_states import ConnectionState
from cluster.runtime.network.turns import STEPS_AT_ONCE
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame, decode_response
from cluster.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseTopic,
)
from tests.cluster.runtime.network.test_connection import PARKED, Desk
from tests.support.serving import request_bytes

COUNT = 5_000
SHORT = "a"
LONG = "x" * (6 * WHOLE_SIZE_MAX // COUNT)


def asking_for(count: int, name: str, correlation_id: int = 1) -> bytes:
    topics = [MetadataRequestTopic(name=name)] * count
    return request_bytes(ApiKey.METADATA, 4, correlation_id, MetadataRequest(topics))


LARGE = asking_for(COUNT, LONG)
SMALL = asking_for(COUNT, SHORT)


class SlowDesk(Desk):
    """Each look at its clock takes 0.3 ms; answers have a topic for each that was asked for."""

    def __init__(self) -> None:
        self._ns = 0
        self.steps = 0
        self.fails_at = -1
        super().__init__()

    @property
    def now_ns(self) -> int:
        self._ns += 300_000
        return self._ns

    @now_ns.setter
    def now_ns(self, value: int) -> None:
        self._ns = value

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        if request.api_key == ApiKey.FETCH:
            return super().handle(request, peer, reply)
        reply.in_turns(self.answer_to(request.body))
        return None

    def answer_to(self, body: Any) -> Generator[None, None, MetadataResponse]:
        topics = []
        for topic in body.topics:
            topics.append(MetadataResponseTopic(0, topic.name))
            self.steps += 1
            if self.steps == self.fails_at:
                raise RuntimeError("a mistake")
            yield
        return MetadataResponse(topics=topics)

    def run_soon(self) -> None:
        """Rounds of the loop are made by the test."""

    def round(self) -> bool:
        """One round; false when there was nothing to do."""
        calls = len(self.soon)
        for _ in range(calls):
            self.soon.popleft()()
        return calls > 0

    def run_to_end(self) -> None:
        while self.round():
            pass

    def answers(self) -> list[int]:
        """How many topics each answer has that was sent."""
        counts = []
        sent = bytes(self.transport.sent)
        while sent:
            size = int.from_bytes(sent[:4], "big")
            frame = decode_response(MetadataResponse, 4, memoryview(sent[4 : 4 + size]))
            counts.append(len(frame.body.topics))
            sent = sent[4 + size :]
        return counts


@pytest.mark.parametrize("frame", [SMALL, LARGE], ids=["small frame", "large frame"])
def test_a_long_answer_takes_many_rounds_and_is_whole(frame: bytes) -> None:
    desk = SlowDesk()
    desk.receive(frame)
    rounds = 0
    while not desk.transport.sent:
        assert desk.round()
        assert ConnectionState.HANDLING == desk.state or desk.transport.sent
        rounds += 1

    assert COUNT // 100 < rounds
    assert [COUNT] == desk.answers()


def test_a_short_answer_is_there_at_once_also_to_a_large_frame() -> None:
    for count, name in ((STEPS_AT_ONCE - 1, SHORT), (10, "x" * 30_000)):
        desk = SlowDesk()
        desk.receive(asking_for(count, name))

        assert [count] == desk.answers()
        assert not desk.connection.has_request


def test_what_comes_behind_a_large_request_is_answered_after_it() -> None:
    desk = SlowDesk()
    desk.receive(LARGE + asking_for(3, SHORT))
    while desk.round():
        desk.tell()

    assert [COUNT, 3] == desk.answers()
    assert ConnectionState.RECEIVING == desk.state


@pytest.mark.parametrize("rounds", [0, 5, 60, 200])
def test_a_connection_that_ends_ends_its_work(rounds: int) -> None:
    desk = SlowDesk()
    desk.receive(LARGE)
    for _ in range(rounds):
        desk.round()
    assert not desk.transport.sent
    desk.connection.close("enough")
    steps = desk.steps
    desk.run_to_end()

    assert steps == desk.steps
    assert ["enough"] == desk.reasons
    assert 0 == desk.memory.allocated_bytes


def test_what_is_malformed_far_behind_ends_the_connection() -> None:
    broken = bytearray(LARGE)
    broken[-1000] = 0xFF
    desk = SlowDesk()
    desk.receive(bytes(broken))
    desk.run_to_end()

    assert ["MetadataRequest v4: text that is not UTF-8"] == desk.reasons
    assert 0 == desk.memory.allocated_bytes


@pytest.mark.slow
def test_a_mistake_far_behind_ends_the_connection_and_is_told_to_the_loop() -> None:
    desk = SlowDesk()
    desk.fails_at = COUNT - 1
    desk.receive(LARGE)
    with pytest.raises(RuntimeError, match="a mistake"):
        desk.run_to_end()

    assert ["its request made the broker fail"] == desk.reasons
    assert not desk.connection.has_request


def test_memory_is_taken_until_a_large_request_is_answered() -> None:
    desk = SlowDesk()
    desk.receive(LARGE[:-1])
    taken = desk.memory.allocated_bytes
    desk.receive(LARGE[-1:])

    assert 0 < taken == desk.memory.allocated_bytes
    desk.run_to_end()
    assert 0 == desk.memory.allocated_bytes


def test_answers_that_are_parked_are_not_held_up() -> None:
    desk = SlowDesk()
    desk.receive(LARGE + PARKED)
    while desk.round():
        desk.tell()

    assert 1 == len(desk.parked)
    desk.answer()
    assert ConnectionState.RECEIVING == desk.state
