from itertools import count

from cluster.controller.channel import RETRY_BACKOFF_MS, Channels
from cluster.controller.effects import CloseChannel, OpenChannel
from cluster.controller.orders import StopReplica
from cluster.model.broker import BrokerRegistration
from cluster.model.ids import BrokerEpoch, BrokerId, ControllerEpoch

ONE, TWO = BrokerId(1), BrokerId(2)


def registration(broker_id: BrokerId) -> BrokerRegistration:
    return BrokerRegistration(broker_id=broker_id, endpoints=(), version=5)


def order(number: int) -> StopReplica:
    return StopReplica(
        controller_id=ONE,
        controller_epoch=ControllerEpoch(number),
        broker_epoch=BrokerEpoch(0),
        partitions=(),
    )


def opened(*broker_ids: BrokerId) -> Channels:
    channels = Channels(count())
    for broker_id in broker_ids:
        channels.open(registration(broker_id))
    return channels


def sent(channels: Channels) -> list[tuple[int, int, int]]:
    """Broker, correlation id and number of each order that goes out."""
    return [
        (broker_id, correlation_id, sending.controller_epoch)
        for broker_id, correlation_id, sending in (
            (s.broker_id, s.correlation_id, s.order) for s in channels.sendings(0)
        )
    ]


def test_a_broker_gets_one_order_at_a_time_and_in_order() -> None:
    channels = opened(ONE, TWO)
    for broker_id, number in ((ONE, 1), (ONE, 2), (TWO, 3)):
        channels.push(broker_id, order(number))

    assert sent(channels) == [(1, 0, 1), (2, 1, 3)]
    assert sent(channels) == []
    assert channels.answered(ONE, 0) == order(1)
    assert sent(channels) == [(1, 2, 2)]


def test_an_answer_counts_once_and_only_for_what_is_under_way() -> None:
    channels = opened(ONE)
    channels.push(ONE, order(1))
    sent(channels)

    assert channels.answered(ONE, 5) is None
    assert channels.answered(TWO, 0) is None
    assert channels.answered(ONE, 0) == order(1)
    assert channels.answered(ONE, 0) is None


def test_a_failed_order_is_sent_again_after_a_while_before_any_other() -> None:
    channels = opened(ONE)
    channels.push(ONE, order(1))
    channels.push(ONE, order(2))
    sent(channels)

    channels.failed(ONE, 0, now_ms=500)
    assert channels.next_deadline() == 500 + RETRY_BACKOFF_MS
    channels.on_deadline(500 + RETRY_BACKOFF_MS - 1)
    assert sent(channels) == []
    channels.on_deadline(500 + RETRY_BACKOFF_MS)

    assert sent(channels) == [(1, 1, 1)]
    assert channels.next_deadline() is None


def test_a_late_answer_to_a_sending_that_failed_is_no_answer_to_the_next() -> None:
    channels = opened(ONE)
    channels.push(ONE, order(1))
    sent(channels)
    channels.failed(ONE, 0, now_ms=0)
    channels.failed(ONE, 0, now_ms=50)
    channels.on_deadline(RETRY_BACKOFF_MS)
    sent(channels)

    assert channels.answered(ONE, 0) is None
    assert channels.answered(ONE, 1) == order(1)


def test_a_broker_that_comes_back_begins_with_an_empty_queue() -> None:
    channels = opened(ONE)
    channels.push(ONE, order(1))
    sent(channels)
    channels.push(ONE, order(2))

    assert channels.close(ONE) == CloseChannel(ONE)
    assert channels.open(registration(ONE)) == OpenChannel(registration(ONE))

    assert channels.answered(ONE, 0) is None
    assert sent(channels) == []


def test_orders_for_a_broker_that_is_gone_are_dropped() -> None:
    channels = opened(ONE)
    channels.push(ONE, order(1))
    channels.close(ONE)
    channels.push(ONE, order(2))
    channels.failed(ONE, 0, now_ms=0)

    assert sent(channels) == []
    assert channels.next_deadline() is None


def test_closing_all_says_so_for_each() -> None:
    assert opened(ONE, TWO).close_all() == (CloseChannel(ONE), CloseChannel(TWO))


def test_an_order_knows_how_long_it_waited_for_its_turn() -> None:
    channels = opened(ONE)

    def queue_times(now_ms: int) -> list[int | None]:
        return [sending.queue_ms for sending in channels.sendings(now_ms)]

    channels.push(ONE, order(1))
    channels.push(ONE, order(2))
    assert queue_times(10) == [0]
    channels.push(ONE, order(3))
    assert queue_times(15) == []
    channels.answered(ONE, 0)
    assert queue_times(20) == [10]
    channels.failed(ONE, 1, 21)
    channels.push(ONE, order(4))
    assert queue_times(25) == []
    # One that is sent again has been counted.
    channels.on_deadline(21 + RETRY_BACKOFF_MS)
    assert queue_times(121) == [None]
    channels.answered(ONE, 2)
    assert queue_times(130) == [115]
    channels.answered(ONE, 3)
    assert queue_times(130) == [105]
