"""Which figures does the controller give of how long its tasks wait, and take?"""

from typing import get_args

import pytest

from cluster.controller.controller_state import ControllerState
from cluster.controller.core import ANSWERS, HINTS, REQUESTS, CoalescedEvent, kind_of
from cluster.controller.events import (
    BrokersChanged,
    IsrChangesNotified,
    Requested,
    SessionExpired,
    UncleanElectionEnabled,
)
from cluster.controller.orders import Order
from cluster.controller.requests import ControlledShutdown, ControllerRequest
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.zk.requests import ZkReply
from tests.cluster.controller.asked import Asked, ReadBrokers, ReadIsrChanges, WriteStates
from tests.cluster.controller.harness import Harness
from tests.cluster.controller.test_notifications import with_topic


def take_time(harness: Harness, kind: type[Asked], time_ms: int) -> None:
    """Let ZooKeeper take so long for each request of *kind*."""

    def before(request: Asked) -> ZkReply | None:
        if isinstance(request, kind):
            harness.now_ms += time_ms
        return None

    harness.before = before


def test_a_task_takes_what_it_waits_for_zookeeper() -> None:
    harness = with_topic((2, 1))
    harness.tasks.clear()
    take_time(harness, ReadIsrChanges, 400)

    harness.step(IsrChangesNotified())

    (task,) = harness.tasks
    assert (task.kind, task.queue_ms) == (ControllerState.ISR_CHANGE, 0)
    assert 400 <= task.took_ms < 410


def test_what_waits_behind_another_task_is_told_apart_from_its_own_time() -> None:
    harness = with_topic((2, 1))
    harness.tasks.clear()

    def before(request: Asked) -> ZkReply | None:
        if isinstance(request, ReadBrokers):
            harness.before = harness.do_nothing
            harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))
            harness.now_ms += 300
        return None

    harness.before = before
    harness.step(BrokersChanged())

    first, second = harness.tasks[:2]
    assert (first.kind, first.queue_ms) == (ControllerState.BROKER_CHANGE, 0)
    assert first.took_ms >= 300
    assert second.kind is ControllerState.CONTROLLED_SHUTDOWN
    assert 300 <= second.queue_ms <= first.took_ms
    assert second.took_ms < 100


def test_answers_are_told_apart_by_their_orders() -> None:
    harness = Harness(1, 2)
    harness.register_controller()
    harness.create_topic("t", (2, 1))
    harness.settle()

    kinds = {task.kind for task in harness.tasks}
    assert {
        ControllerState.CONTROLLER_CHANGE,
        ControllerState.LEADER_AND_ISR_RESPONSE_RECEIVED,
        ControllerState.UPDATE_METADATA_RESPONSE_RECEIVED,
    } <= kinds


def test_what_the_end_of_a_session_breaks_off_is_noted_once() -> None:
    harness = with_topic((2, 1))
    harness.tasks.clear()

    def before(request: Asked) -> ZkReply | None:
        if isinstance(request, WriteStates):
            harness.before = harness.do_nothing
            harness.now_ms += 50
            harness.step(SessionExpired())
        return None

    harness.before = before
    harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))

    (task,) = harness.tasks
    assert task.kind is ControllerState.CONTROLLED_SHUTDOWN
    assert task.took_ms >= 50


def test_what_nobody_serves_is_no_task() -> None:
    harness = Harness(1)

    harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))
    harness.step(BrokersChanged())

    assert harness.tasks == []


@pytest.mark.parametrize("answered", get_args(Order))
def test_answers_to_every_kind_of_order_have_figures(answered: type) -> None:
    assert answered in ANSWERS


@pytest.mark.parametrize("asked", get_args(ControllerRequest))
def test_every_kind_of_request_has_figures(asked: type) -> None:
    assert asked in REQUESTS


@pytest.mark.parametrize("hint", [*get_args(CoalescedEvent)])
def test_every_kind_of_hint_has_figures(hint: type) -> None:
    assert hint in HINTS


def test_every_figure_of_kafka_s_is_kept_of_something() -> None:
    of_one_topic = kind_of(UncleanElectionEnabled("t"))
    kept = {*ANSWERS.values(), *REQUESTS.values(), *HINTS.values(), of_one_topic}

    assert kept == set(ControllerState)
