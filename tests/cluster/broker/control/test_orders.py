"""Which orders are obeyed, and which end their connection?"""

from collections.abc import Callable
from typing import Any, cast

import pytest

from cluster.broker.control.orders import OUTDATED, TOO_MANY, Orders
from cluster.broker.control.queue import LIGHT, WAITING_MAX, ControlQueue
from cluster.broker.handling import MISTAKE
from cluster.broker.procedures import Procedure
from cluster.model.ids import BrokerEpoch, BrokerId
from tests.cluster.api.world import Clock
from tests.sim.ports import SimMemory, SimRegistration

EPOCH = BrokerEpoch(50)


class PauseDetector:
    def __init__(self) -> None:
        self.doubts = False

    def doubts_orders(self) -> bool:
        return self.doubts


class Broker:
    """As much of one as obeys orders."""

    def __init__(self) -> None:
        self.pause_detector = PauseDetector()
        self.orders = Orders(
            ControlQueue(Clock(), SimMemory()),
            cast(Any, self.pause_detector),
            SimRegistration(BrokerId(1), EPOCH),
        )
        self.resumes: list[Callable[..., None]] = []
        self.closed: list[str] = []

    def take(self, broker_epoch: int = EPOCH) -> None:
        self.orders.take(10, broker_epoch, self.obey(), self.closed.append)

    def obey(self) -> Procedure[None]:
        yield self.resumes.append


def test_orders_take_turns() -> None:
    broker = Broker()

    broker.take()
    broker.take()
    assert 1 == len(broker.resumes)
    broker.resumes[0]()

    assert 2 == len(broker.resumes)
    assert not broker.closed


def test_an_order_that_knows_the_epoch_goes_first() -> None:
    broker, obeyed = Broker(), list[str]()
    broker.take()

    def obey(name: str) -> Procedure[None]:
        obeyed.append(name)
        yield broker.resumes.append

    broker.orders.take(10, -1, obey("other"), broker.closed.append)
    broker.orders.take(10, EPOCH, obey("ours"), broker.closed.append)

    broker.resumes[0]()

    assert ["ours"] == obeyed


def test_an_order_from_before_a_pause_is_not_obeyed() -> None:
    broker = Broker()
    broker.pause_detector.doubts = True

    broker.take()

    assert ([], [OUTDATED]) == (broker.resumes, broker.closed)


def test_one_too_many_is_not_obeyed() -> None:
    broker = Broker()

    for _ in range(1 + WAITING_MAX + 1):
        broker.take()

    assert [TOO_MANY] == broker.closed


def test_a_mistake_ends_the_connection_of_its_order() -> None:
    broker = Broker()

    def fail() -> Procedure[None]:
        yield LIGHT
        raise KeyError("a mistake")

    with pytest.raises(KeyError, match="a mistake"):
        broker.orders.take(10, EPOCH, fail(), broker.closed.append)

    assert [MISTAKE] == broker.closed
