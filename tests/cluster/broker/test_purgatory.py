"""Is each request that waits answered once, in time, and does it watch nothing afterwards?"""

from collections.abc import Callable

import pytest

from cluster.broker.purgatory import DelayedOperation, Look
from tests.cluster.api.world import Clock

TIMEOUT_MS = 500


class Thing:
    """Something that is awaited."""

    def __init__(self) -> None:
        self.look: Look | None = None
        self.is_there = self.has_expired = False
        self.look_count = 0

    def watch(self, look: Look) -> object:
        self.look = look
        return self

    def unwatch(self, key: object) -> None:
        assert key is self
        self.look = None

    def has_come(self) -> bool:
        self.look_count += 1
        return self.is_there

    def expire(self) -> None:
        self.has_expired = True

    def come(self, is_there: bool = True) -> None:
        self.is_there = is_there
        assert self.look is not None
        self.look(1)


class Request:
    """One that waits for things."""

    def __init__(self, count: int) -> None:
        self.clock = Clock()
        self.things = [Thing() for _ in range(count)]
        self.answer_count = 0
        self.operation = DelayedOperation(self.clock, self.answer)

    def answer(self) -> None:
        self.answer_count += 1

    def begin(self) -> None:
        self.operation.begin(self.things, TIMEOUT_MS)

    @property
    def watched(self) -> list[bool]:
        return [thing.look is not None for thing in self.things]


def test_it_is_answered_once_when_all_has_come() -> None:
    request = Request(2)
    request.begin()

    request.things[1].come()
    assert (0, [True, False]) == (request.answer_count, request.watched)
    request.things[0].come(is_there=False)
    assert 0 == request.answer_count
    request.things[0].come()
    request.clock.advance(TIMEOUT_MS)

    assert (1, [False, False]) == (request.answer_count, request.watched)
    assert not any(thing.has_expired for thing in request.things)


def test_only_that_to_which_something_has_happened_is_looked_at() -> None:
    request = Request(3)
    request.begin()

    request.things[1].come(is_there=False)

    assert [0, 1, 0] == [thing.look_count for thing in request.things]


def test_what_has_not_come_in_time_expires() -> None:
    request = Request(2)
    request.begin()
    request.things[0].come()

    request.clock.advance(TIMEOUT_MS - 1)
    assert 0 == request.answer_count
    request.clock.advance(1)

    assert (1, [False, False]) == (request.answer_count, request.watched)
    assert [False, True] == [thing.has_expired for thing in request.things]


def test_a_request_without_things_is_answered_at_once() -> None:
    request = Request(0)

    request.begin()

    assert 1 == request.answer_count


@pytest.mark.parametrize("time_out", [0, -1])
def test_without_time_it_is_answered_from_the_loop(time_out: int) -> None:
    request = Request(1)

    request.operation.begin(request.things, time_out)
    assert 0 == request.answer_count
    request.clock.advance(0)

    assert 1 == request.answer_count


def cancelled_while_it_waits(request: Request) -> None:
    request.begin()
    request.operation.cancel()


def cancelled_before_it_waits(request: Request) -> None:
    request.operation.cancel()
    request.begin()


@pytest.mark.parametrize("cancel", [cancelled_while_it_waits, cancelled_before_it_waits])
def test_what_is_cancelled_is_not_answered(cancel: Callable[[Request], None]) -> None:
    request = Request(2)

    cancel(request)
    request.clock.advance(TIMEOUT_MS)
    request.operation.expire()

    assert (0, [False, False]) == (request.answer_count, request.watched)


def test_a_look_that_comes_late_harms_nothing() -> None:
    request = Request(1)
    request.begin()
    look = request.things[0].look
    assert look is not None
    request.things[0].come()

    look(1)

    assert (1, 1) == (request.answer_count, request.things[0].look_count)
