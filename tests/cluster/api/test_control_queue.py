"""Orders that wait: in which order they are obeyed, and how many may."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.broker.control.orders import TOO_MANY
from cluster.broker.control.queue import (
    WAITING_MAX,
    ControlQueue,
    Obey,
    Turn,
)
from cluster.model.error_codes import ErrorCode
from cluster.runtime.network.memory_pool import MemoryPool
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from tests.cluster.api.controlling import nothing
from tests.cluster.api.orders import outcome
from tests.cluster.api.world import EPOCH, ME, TOPIC_ID, Answer, World

MIB = 1024**2


def test_a_mistake_in_one_order_does_not_keep_the_next_one_waiting():
    line = ControlQueue(MemoryPool(1, -1))
    done: list[str] = []

    def fail(turn: Turn) -> None:
        raise AssertionError("a mistake")

    def work(turn: Turn) -> None:
        done.append("work")
        turn.finish()

    with pytest.raises(AssertionError, match="a mistake"):
        line.enter(fail, lambda: done.append("failed"), 1)
    line.enter(work, nothing, 1)

    assert ["failed", "work"] == done


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 3)), max_size=12), st.randoms())
def test_every_order_has_its_turn_whatever_becomes_of_those_before(
    lives: list[tuple[int, int]], random: Random
):
    """Each order takes so many steps, and fails in one of them, or in none."""
    line = ControlQueue(MemoryPool(1, -1))
    begun: list[int] = []
    failed: list[int] = []
    later: list[Callable[[], None]] = []
    under_way: list[int] = []
    refused: list[int] = []

    def order(number: int, step_count: int, failing: int) -> Obey:
        def step(turn: Turn, at: int) -> None:
            if at == failing:
                under_way.remove(number)
                raise KeyError(number)
            if at < step_count:
                later.append(partial(turn.step(step), turn, at + 1))
            else:
                under_way.remove(number)
                turn.finish()
                turn.finish()

        def obey(turn: Turn) -> None:
            assert not under_way
            under_way.append(number)
            begun.append(number)
            step(turn, 0)

        return obey

    for number, (step_count, fails_at) in enumerate(lives):
        with suppress(KeyError):
            obey = order(number, step_count, fails_at)
            if not line.enter(obey, partial(failed.append, number), 1):
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
    line = ControlQueue(MemoryPool(1, -1))
    first: list[Turn] = []
    depths: list[int] = []
    depth = 0

    def at_once(turn: Turn) -> None:
        nonlocal depth
        depth += 1
        depths.append(depth)
        turn.finish()
        depth -= 1

    line.enter(first.append, nothing, 1)
    for _ in range(5):
        line.enter(at_once, nothing, 1)
    first[0].finish()

    assert [1] * 5 == depths


def test_a_few_orders_wait_and_who_knows_the_brokers_epoch_goes_first():
    line = ControlQueue(MemoryPool(1, -1))
    begun: list[str] = []
    turns: list[Turn] = []

    def order(name: str) -> Obey:
        def obey(turn: Turn) -> None:
            begun.append(name)
            turns.append(turn)

        return obey

    line.enter(order("first"), nothing, 1)
    others = [
        line.enter(order(f"other {number}"), nothing, 1, knows_epoch=False)
        for number in range(1000)
    ]
    own = [line.enter(order(f"own {number}"), nothing, 1) for number in range(1000)]
    while turns:
        turns.pop().finish()

    assert WAITING_MAX == sum(others) == sum(own)
    assert [f"own {number}" for number in range(WAITING_MAX)] == begun[1 : WAITING_MAX + 1]
    assert [f"other {number}" for number in range(WAITING_MAX)] == begun[WAITING_MAX + 1 :]


@pytest.mark.parametrize("knows_epoch", [False, True])
def test_orders_that_wait_are_bounded_by_their_bytes_too(knows_epoch: bool):
    memory = MemoryPool(1, -1)
    line = ControlQueue(memory)
    turns: list[Turn] = []

    def enter(size: int) -> bool:
        return line.enter(turns.append, nothing, size, knows_epoch=knows_epoch)

    assert enter(90 * MIB), "nothing waits"
    assert enter(90 * MIB), "one alone may be of any size"
    assert not enter(1)
    assert 180 * MIB == memory.held_bytes
    turns.pop().finish()
    assert 90 * MIB == memory.held_bytes
    assert [True, True, False] == [enter(8 * MIB), enter(8 * MIB), enter(1)]
    while turns:
        turns.pop().finish()
    assert 0 == memory.held_bytes


def test_an_order_counts_as_memory_of_requests_until_it_is_obeyed(world: World):
    states = [
        LeaderAndIsrPartitionState(
            partition_index=index,
            controller_epoch=1,
            leader=ME,
            leader_epoch=0,
            isr=[ME],
            replicas=[ME],
        )
        for index in range(200)
    ]
    body = LeaderAndIsrRequest(
        controller_id=ME,
        controller_epoch=1,
        broker_epoch=EPOCH,
        topic_states=[LeaderAndIsrTopicState("orders", TOPIC_ID, states)],
    )

    answer = world.ask(ApiKey.LEADER_AND_ISR, body, 5)

    assert world.memory.held_bytes > 200 * 20
    for _ in range(200):
        world.settle()
        world.clock.advance(1)

    assert 0 == answer.body.error_code
    assert 0 == world.memory.held_bytes


def test_a_controllers_order_is_taken_however_many_wait_that_somebody_else_has_sent(world: World):
    world.tell_all({"orders": {0: [1]}})

    def ask(epoch: int, leader_epoch: int) -> Answer:
        body = LeaderAndIsrRequest(
            controller_id=ME,
            controller_epoch=1,
            broker_epoch=epoch,
            topic_states=[
                LeaderAndIsrTopicState(
                    "orders",
                    TOPIC_ID,
                    [
                        LeaderAndIsrPartitionState(
                            topic_name="orders",
                            controller_epoch=1,
                            leader=ME,
                            leader_epoch=leader_epoch,
                            isr=[ME],
                            replicas=[ME],
                        )
                    ],
                )
            ],
        )
        return world.ask(ApiKey.LEADER_AND_ISR, body, 5)

    impostors = [ask(-1, 0) for _ in range(100)]
    order = ask(EPOCH, 1)
    world.settle()
    world.clock.advance(100)
    world.settle()

    assert [TOO_MANY] * (100 - 1 - WAITING_MAX) == [
        one.closed for one in impostors if one.closed is not None
    ]
    assert order.body.error_code == 0
    assert outcome(order.body) is ErrorCode.NONE
    hosted = world.broker.partitions.find_index("orders", 0)
    assert hosted is not None
    assert 1 == hosted.replica.leader_epoch
