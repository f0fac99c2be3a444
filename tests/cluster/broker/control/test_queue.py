"""Orders that wait: in which order they are obeyed, how many may, and when they pause."""

import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.broker.control.queue import (
    HEAVY,
    LIGHT,
    TURN_COST_MAX,
    WAITING_MAX,
    ControlQueue,
    codes_of,
)
from cluster.broker.procedures import Procedure, outcome_of
from cluster.model.error_codes import ErrorCode
from cluster.runtime.network.memory_pool import MemoryPool
from tests.cluster.api.controlling import nothing
from tests.cluster.api.world import Clock
from tests.support.collector import collector_disabled

MIB = 1024**2


class Waits:
    """What orders wait for: each is resumed by `go_on`."""

    def __init__(self) -> None:
        self.resumes: list[Callable[..., None]] = []

    def begin(self, resume: Callable[..., None]) -> None:
        self.resumes.append(resume)

    def go_on(self, *outcome: Any) -> None:
        self.resumes.pop()(*outcome)

    def order(self, begun: list[str], name: str = "") -> Procedure[None]:
        begun.append(name)
        yield self.begin


def queue(memory: MemoryPool | None = None, clock: Clock | None = None) -> ControlQueue:
    return ControlQueue(clock or Clock(), memory or MemoryPool(1, -1))


def test_a_mistake_in_one_order_does_not_keep_the_next_one_waiting():
    line = queue()
    done: list[str] = []

    def fail() -> Procedure[None]:
        yield LIGHT
        raise AssertionError("a mistake")

    def work() -> Procedure[None]:
        yield LIGHT
        done.append("work")

    with pytest.raises(AssertionError, match="a mistake"):
        line.enter(fail(), lambda: done.append("failed"), 1)
    line.enter(work(), nothing, 1)

    assert ["failed", "work"] == done


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 3)), max_size=12), st.randoms())
def test_every_order_has_its_turn_whatever_becomes_of_those_before(
    lives: list[tuple[int, int]], random: Random
):
    """Each order takes so many steps, and fails in one of them, or in none."""
    line = queue()
    begun: list[int] = []
    failed: list[int] = []
    later: list[Callable[..., None]] = []
    under_way: list[int] = []
    refused: list[int] = []

    def order(number: int, step_count: int, failing: int) -> Procedure[None]:
        assert not under_way
        under_way.append(number)
        begun.append(number)
        for at in range(step_count + 1):
            if at == failing:
                under_way.remove(number)
                raise KeyError(number)
            if at < step_count:
                yield later.append
        under_way.remove(number)

    for number, (step_count, fails_at) in enumerate(lives):
        with suppress(KeyError):
            procedure = order(number, step_count, fails_at)
            if not line.enter(procedure, partial(failed.append, number), 1):
                refused.append(number)
        while later and random.random() < 0.3:
            with suppress(KeyError):
                later.pop(0)()
    while later:
        with suppress(KeyError):
            later.pop(0)()

    taken = {at: life for at, life in enumerate(lives) if at not in refused}
    assert list(taken) == begun
    assert [at for at, (count, fails_at) in taken.items() if 0 <= fails_at <= count] == failed
    assert len(lives) > WAITING_MAX or not refused


def test_of_orders_that_end_at_once_none_is_obeyed_within_another():
    line, waits = queue(), Waits()
    depths: list[int] = []
    depth = 0

    def at_once() -> Procedure[None]:
        nonlocal depth
        depth += 1
        depths.append(depth)
        yield LIGHT
        depth -= 1

    line.enter(waits.order([]), nothing, 1)
    for _ in range(5):
        line.enter(at_once(), nothing, 1)
    waits.go_on()

    assert [1] * 5 == depths


def test_a_few_orders_wait_and_who_knows_the_brokers_epoch_goes_first():
    line, waits = queue(), Waits()
    begun: list[str] = []

    line.enter(waits.order(begun, "first"), nothing, 1)
    others = [
        line.enter(waits.order(begun, f"other {number}"), nothing, 1, knows_epoch=False)
        for number in range(1000)
    ]
    own = [line.enter(waits.order(begun, f"own {number}"), nothing, 1) for number in range(1000)]
    while waits.resumes:
        waits.go_on()

    assert WAITING_MAX == sum(others) == sum(own)
    assert [f"own {number}" for number in range(WAITING_MAX)] == begun[1 : WAITING_MAX + 1]
    assert [f"other {number}" for number in range(WAITING_MAX)] == begun[WAITING_MAX + 1 :]


@pytest.mark.parametrize("knows_epoch", [False, True])
def test_orders_that_wait_are_bounded_by_their_bytes_too(knows_epoch: bool):
    memory, waits = MemoryPool(1, -1), Waits()
    line = queue(memory)

    def enter(size: int) -> bool:
        return line.enter(waits.order([]), nothing, size, knows_epoch=knows_epoch)

    assert enter(90 * MIB), "nothing waits"
    assert enter(90 * MIB), "one alone may be of any size"
    assert not enter(1)
    assert 180 * MIB == memory.held_bytes
    waits.go_on()
    assert 90 * MIB == memory.held_bytes
    assert [True, True, False] == [enter(8 * MIB), enter(8 * MIB), enter(1)]
    while waits.resumes:
        waits.go_on()
    assert 0 == memory.held_bytes


def test_an_order_is_resumed_with_the_outcome_of_what_it_waited_for():
    line, waits = queue(), Waits()
    seen: list[str] = []

    def at_once(resume: Callable[[str], None]) -> None:
        resume("at once")

    def obey() -> Procedure[None]:
        later: str = yield waits.begin
        seen.append(later)
        yield waits.begin
        seen.append((yield from outcome_of(at_once)))

    line.enter(obey(), nothing, 1)
    waits.go_on("later")
    waits.go_on()

    assert ["later", "at once"] == seen


@pytest.mark.parametrize("cost", [LIGHT, HEAVY])
def test_an_order_pauses_when_it_has_cost_enough(cost: int):
    clock = Clock()
    line = queue(clock=clock)
    count = TURN_COST_MAX // cost
    done: list[int] = []

    def obey() -> Procedure[None]:
        for number in range(3 * count):
            yield cost
            done.append(number)

    line.enter(obey(), nothing, 1)
    counts = [len(done)]
    while len(done) < 3 * count:
        clock.schedule.run_next(0)
        counts.append(len(done))

    assert [count, 2 * count, 3 * count] == counts


def test_an_order_that_waits_goes_no_further_when_the_queue_is_closed():
    line, waits = queue(), Waits()
    done: list[str] = []

    def obey() -> Procedure[None]:
        yield waits.begin
        done.append("more")

    line.enter(obey(), nothing, 1)
    line.enter(obey(), nothing, 1)
    line.close()
    waits.go_on()
    line.enter(obey(), nothing, 1)

    assert (done, waits.resumes) == ([], [])


def test_a_mistake_with_one_thing_is_its_own_and_goes_on_to_the_loop():
    clock = Clock()
    codes: list[ErrorCode] = []

    def act(number: int) -> ErrorCode:
        if number == 1:
            raise KeyError("a mistake")
        return ErrorCode.NONE

    def obey() -> Procedure[None]:
        codes.extend((yield from codes_of(clock, range(3), act)))

    queue(clock=clock).enter(obey(), nothing, 1)

    assert [ErrorCode.NONE, ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.NONE] == codes
    with pytest.raises(KeyError, match="a mistake"):
        clock.advance(0)


def test_what_an_order_held_goes_with_it():
    """Without the collector of garbage: an order about 10,000 partitions is megabytes."""
    clock = Clock()
    line = queue(clock=clock)
    held: list[weakref.ref[Waits]] = []

    def obey() -> Procedure[None]:
        much = Waits()
        held.append(weakref.ref(much))
        for _ in range(10):
            yield HEAVY
        assert much is not None

    with collector_disabled():
        line.enter(obey(), nothing, 1)
        waited = held[0]() is not None
        clock.advance(0)
        is_held = held[0]() is not None

    assert waited
    assert not is_held
