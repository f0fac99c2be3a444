"""A broker that has stood still for as long as its session lasts does not trust what it knows."""

import pytest

from cluster.broker.control.orders import OUTDATED
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.leader_and_isr import LeaderAndIsrRequest
from cluster.wire.messages.stop_replica import StopReplicaRequest
from cluster.wire.messages.update_metadata import UpdateMetadataRequest
from tests.cluster.api.world import EPOCH, ME, World
from tests.cluster.storage.batches import batch

TIMEOUT_MS = 18_000
DOUBT_MS = 1000
HOUR_MS = 3600 * 1000
STEPS_MS = [TIMEOUT_MS, HOUR_MS, 365 * 24 * HOUR_MS]
ORDERS = [
    (ApiKey.LEADER_AND_ISR, LeaderAndIsrRequest, 5),
    (ApiKey.STOP_REPLICA, StopReplicaRequest, 3),
    (ApiKey.UPDATE_METADATA, UpdateMetadataRequest, 7),
]


def started() -> World:
    world = World()
    world.lead("orders")
    world.broker.start()
    world.clock.advance(TIMEOUT_MS)
    return world


def stand_still(world: World, for_ms: int) -> None:
    """Let time go by, and nothing that was to be done meanwhile."""
    world.clock.schedule.now_ms += for_ms


def is_obeyed(world: World, key: ApiKey, message: type, version: int) -> bool:
    body = message(controller_id=ME, controller_epoch=1, broker_epoch=EPOCH)
    answer = world.ask(key, body, version)
    world.settle()
    assert answer.closed in (None, OUTDATED)
    return answer.closed is None


@pytest.mark.parametrize("order", ORDERS)
def test_what_was_ordered_before_is_not_obeyed(order):
    world = started()

    stand_still(world, TIMEOUT_MS)

    assert not is_obeyed(world, *order)
    world.clock.advance(DOUBT_MS - 1)
    assert not is_obeyed(world, *order)
    world.clock.advance(1)
    assert is_obeyed(world, *order)
    (line,) = world.journal.warnings
    assert line.startswith("This broker has stood still for 1")


@pytest.mark.parametrize("step_ms", STEPS_MS)
@pytest.mark.parametrize("order", ORDERS)
def test_a_step_of_the_clock_is_no_pause(order, step_ms: int):
    """Also one that is taken back: once, that made a broker refuse orders for as long as it was."""
    world = started()

    for ahead_ms in (step_ms, 0, -step_ms, 0):
        world.clock.ahead_ms = ahead_ms

        assert is_obeyed(world, *order)
        assert not world.broker.pause_detector.doubts_leadership()
        world.clock.advance(TIMEOUT_MS)
    assert [] == world.journal.warnings


def test_once_registered_again_orders_are_told_apart_by_their_broker_epoch():
    world = started()
    stand_still(world, TIMEOUT_MS)
    assert not is_obeyed(world, *ORDERS[0])

    world.registration.broker_epoch = BrokerEpoch(EPOCH + 1)
    answer = world.ask_now(
        ApiKey.LEADER_AND_ISR,
        LeaderAndIsrRequest(controller_id=ME, controller_epoch=1, broker_epoch=EPOCH),
        5,
    )

    assert ErrorCode.STALE_BROKER_EPOCH == answer.error_code


def test_a_short_pause_is_ignored():
    world = started()

    stand_still(world, TIMEOUT_MS // 2 - TIMEOUT_MS // 10)

    assert is_obeyed(world, *ORDERS[0])
    assert [] == world.journal.warnings


def test_a_gap_of_a_producers_sequence_may_be_filled_at_another_leader():
    """librdkafka takes OUT_OF_ORDER_SEQUENCE_NUMBER for the end, and asks after this one again."""
    world = started()
    assert 0 == produced(world, 0)
    assert ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER == produced(world, 7)

    stand_still(world, TIMEOUT_MS)

    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == produced(world, 7)
    assert 0 == produced(world, 1)
    world.clock.advance(TIMEOUT_MS)
    assert ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER == produced(world, 7)


def produced(world: World, sequence: int) -> int:
    """The error of a batch of one record of producer 5."""
    answer = world.produce(batch(1, producer_id=5, producer_epoch=0, sequence=sequence), acks=1)
    (part,) = answer.body.responses[0].partition_responses
    return int(part.error_code)


def test_a_broker_that_has_stopped_looks_no_more():
    world = started()
    world.broker.stop()

    stand_still(world, TIMEOUT_MS)
    world.clock.advance(TIMEOUT_MS)

    assert [] == world.journal.warnings
