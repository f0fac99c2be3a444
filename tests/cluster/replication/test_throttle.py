"""Are throttled replicas held back to their rate, and only they?"""

import pytest

from cluster.model.ids import BrokerId
from cluster.replication.throttle import ReplicationThrottle, throttled_partitions

ME = BrokerId(1)


@pytest.mark.parametrize(
    ("text", "throttled"),
    [
        ("*", {0, 1, 7}),
        ("", set()),
        ("0:1,1:2,7:1", {0, 7}),
        ("0:1,", {0}),
        ("0:11", set()),
    ],
)
def test_a_list_names_partitions_for_each_broker(text: str, throttled: set[int]) -> None:
    found = throttled_partitions(text, ME)

    assert throttled == {index for index in (0, 1, 7) if index in found}


def test_topics_are_held_back_and_released() -> None:
    throttle = ReplicationThrottle()
    throttle.throttle("orders", {0})

    assert throttle.is_throttled("orders", 0)
    assert not throttle.is_throttled("orders", 1)
    assert not throttle.is_throttled("others", 0)

    throttle.release("orders")
    throttle.release("orders")

    assert not throttle.is_throttled("orders", 0)


def test_without_a_rate_nothing_is_too_much() -> None:
    throttle = ReplicationThrottle()
    throttle.record(2**60, 0)

    assert not throttle.is_exceeded(0)


def test_a_burst_is_too_much_until_enough_time_has_passed() -> None:
    throttle = ReplicationThrottle()
    throttle.rate = 100
    throttle.record(500, 10_000)

    assert throttle.is_exceeded(10_000)
    assert throttle.is_exceeded(14_999)
    assert not throttle.is_exceeded(15_000)


def test_the_rate_of_a_first_moment_is_that_of_a_whole_second() -> None:
    throttle = ReplicationThrottle()
    throttle.rate = 100
    throttle.record(100, 0)

    assert not throttle.is_exceeded(1)
    throttle.record(1, 1)
    assert throttle.is_exceeded(1)


def test_what_was_moved_long_ago_is_forgotten() -> None:
    throttle = ReplicationThrottle()
    throttle.rate = 1
    throttle.record(10**6, 0)

    assert throttle.is_exceeded(10_999)
    assert not throttle.is_exceeded(11_000)


@pytest.mark.slow
@pytest.mark.parametrize("step_ms", [1, 50, 333, 2500])
def test_whoever_moves_only_when_he_may_moves_at_the_rate(step_ms: int) -> None:
    throttle = ReplicationThrottle()
    throttle.rate = 10_000
    moved = 0
    for now_ms in range(0, 100_000, step_ms):
        if not throttle.is_exceeded(now_ms):
            throttle.record(700, now_ms)
            moved += 700

    fastest = 700 * len(range(0, 100_000, step_ms))
    assert min(fastest, 950_000) <= moved <= 1_130_000


def test_a_rate_that_is_raised_holds_at_once() -> None:
    throttle = ReplicationThrottle()
    throttle.rate = 10
    throttle.record(500, 0)
    assert throttle.is_exceeded(1000)

    throttle.rate = 1000

    assert not throttle.is_exceeded(1000)
