"""Which orders are obeyed, and which end their connection?"""

from typing import Any, cast

import pytest

from cluster.broker.control.orders import OUTDATED, TOO_MANY, Orders
from cluster.broker.control.queue import WAITING_MAX, ControlQueue, Turn
from cluster.broker.handling import MISTAKE
from cluster.model.ids import BrokerEpoch, BrokerId
from tests.sim.ports import SimMemory, SimRegistration

EPOCH = BrokerEpoch(50)


class Standstill:
    def __init__(self) -> None:
        self.doubts = False

    def doubts_orders(self) -> bool:
        return self.doubts


class Broker:
    """As much of one as obeys orders."""

    def __init__(self) -> None:
        self.standstill = Standstill()
        self.orders = Orders(
            ControlQueue(SimMemory()),
            cast(Any, self.standstill),
            SimRegistration(BrokerId(1), EPOCH),
        )
        self.turns: list[Turn] = []
        self.closed: list[str] = []

    def take(self, broker_epoch: int = EPOCH) -> None:
        self.orders.take(10, broker_epoch, self.turns.append, self.closed.append)


def test_orders_take_turns() -> None:
    broker = Broker()

    broker.take()
    broker.take()
    assert 1 == len(broker.turns)
    broker.turns[0].finish()

    assert 2 == len(broker.turns)
    assert not broker.closed


def test_an_order_that_knows_the_epoch_goes_first() -> None:
    broker, obeyed = Broker(), list[str]()
    broker.take()
    broker.orders.take(10, -1, lambda turn: obeyed.append("other"), broker.closed.append)
    broker.orders.take(10, EPOCH, lambda turn: obeyed.append("ours"), broker.closed.append)

    broker.turns[0].finish()

    assert ["ours"] == obeyed


def test_an_order_from_before_a_standstill_is_not_obeyed() -> None:
    broker = Broker()
    broker.standstill.doubts = True

    broker.take()

    assert ([], [OUTDATED]) == (broker.turns, broker.closed)


def test_one_too_many_is_not_obeyed() -> None:
    broker = Broker()

    for _ in range(1 + WAITING_MAX + 1):
        broker.take()

    assert [TOO_MANY] == broker.closed


def test_a_mistake_ends_the_connection_of_its_order() -> None:
    broker = Broker()

    def fail(turn: Turn) -> None:
        raise KeyError("a mistake")

    with pytest.raises(KeyError, match="a mistake"):
        broker.orders.take(10, EPOCH, fail, broker.closed.append)

    assert [MISTAKE] == broker.closed
