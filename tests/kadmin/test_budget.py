"""Is a command's time spent once, shared with what comes later, and given back while it waits for
nobody?"""

import threading

import pytest

from kadmin import budget
from kadmin.budget import Budget
from tests.support.quick_time import QuickTime
from tests.support.waiting import OUTER_LIMIT_S


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> QuickTime:
    time = QuickTime()
    monkeypatch.setattr(budget, "time", time)
    return time


def test_all_waits_spend_the_same_time(clock: QuickTime) -> None:
    found = Budget(10)
    for _ in range(2):
        with found.spending() as left_s:
            clock.sleep(3)
    found.pause(0.5)

    assert (7, 3.5, 6.5) == (left_s, found.left_s(), found.spent_s)
    assert clock.monotonic() + 3.5 == found.end_s()


def test_questions_at_the_same_time_spend_it_once(clock: QuickTime) -> None:
    found = Budget(10)
    with found.spending(), found.spending():
        clock.sleep(4)

    assert 6 == found.left_s()


def test_it_ends_and_a_pause_ends_with_it(clock: QuickTime) -> None:
    found = Budget(1)
    with found.spending():
        clock.sleep(0.9)
    found.pause(60)
    found.pause(60)

    assert (0, 1) == (found.left_s(), clock.monotonic())


def test_what_comes_later_has_its_share_whatever_an_earlier_wait_takes(clock: QuickTime) -> None:
    found = Budget(16)
    with found.sharing():
        with found.sharing(), found.spending() as inner_s:
            clock.sleep(inner_s)
        outer_s = found.left_s()
    with found.sharing(3), found.spending() as limited_s:
        pass

    assert (4, 4, 12, 3) == (inner_s, outer_s, found.left_s(), limited_s)


@pytest.mark.parametrize(("idle_s", "left_s"), [(0.1, 4), (2, 6), (3600, 10)])
def test_time_in_which_no_server_is_waited_for_fills_it_up(
    clock: QuickTime, idle_s: float, left_s: float
) -> None:
    found = Budget(10)
    with found.spending():
        clock.sleep(6)
    clock.sleep(idle_s)

    assert left_s == found.left_s()


def test_another_look_has_all_of_it(clock: QuickTime) -> None:
    found = Budget(10)
    with found.spending():
        clock.sleep(20)
    found.renew()

    assert (10, 1) == (found.left_s(), found.renewals)


def test_it_is_shared_by_threads() -> None:
    found = Budget(OUTER_LIMIT_S)
    threads = [threading.Thread(target=found.pause, args=(0.01,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with found.spending() as left_s:
        assert 0 < left_s <= OUTER_LIMIT_S
