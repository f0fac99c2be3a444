"""When do benchmarks take a broker for one that has nothing left to do?"""

import pytest

from bench.broker_loads import BUSY_SHARE, IDLE_SHARE, STEADY_LOOKS, is_at_rest


def test_nobody_is_at_rest_whom_nobody_has_looked_at() -> None:
    assert not is_at_rest([])


def test_who_uses_next_to_nothing_is_at_rest_at_once() -> None:
    assert is_at_rest([0.9, BUSY_SHARE])


def test_who_uses_a_little_all_the_time_is_at_rest_after_some_looks() -> None:
    followers_ask = [0.10, 0.08, 0.11, 0.07, 0.09, 0.10]

    assert len(followers_ask) == STEADY_LOOKS
    assert not is_at_rest(followers_ask[1:])
    assert is_at_rest([0.9, *followers_ask])


@pytest.mark.parametrize("late", range(STEADY_LOOKS))
def test_who_was_busy_a_moment_ago_is_not_at_rest(late: int) -> None:
    looks = [0.10] * STEADY_LOOKS
    looks[late] = 2 * IDLE_SHARE

    assert not is_at_rest(looks)
