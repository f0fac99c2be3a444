"""Does one broker that is gone cost the others little, and is a slow one heard in the end?"""

import pytest

from kadmin.admin.wire import patience
from kadmin.admin.wire.patience import FIRST_S, PAUSE_FACTOR, PAUSE_MIN_S, SILENT_FOR_S, Patience
from tests.support.quick_time import QuickTime


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> QuickTime:
    time = QuickTime()
    monkeypatch.setattr(patience, "time", time)
    return time


def test_at_the_first_look_all_the_time_there_is_later_less_and_never_more() -> None:
    found = Patience()
    limits = []
    for _ in range(3):
        limits.append(found.limit_s(1, 30))
        found.looks += 1

    assert [30, 30, FIRST_S] == limits
    assert 1 == found.limit_s(1, 1)


def test_who_let_it_pass_is_left_aside_for_a_while_and_has_twice_as_long_then(
    clock: QuickTime,
) -> None:
    found = Patience()
    found.looks = 2

    for count in range(4):
        waited_s = FIRST_S * 2**count
        assert waited_s == found.limit_s(1, 60)
        found.note(1, "no answer", renewals=count)
        assert "no answer" == found.silence_of(1, renewals=count + 1)
        clock.sleep(max(PAUSE_MIN_S, PAUSE_FACTOR * waited_s))
        assert found.silence_of(1, renewals=count + 1) is None
    assert FIRST_S == found.limit_s(2, 60)


@pytest.mark.parametrize(("looks", "later"), [(0, None), (1, "no answer")])
def test_silence_counts_in_one_round_where_nobody_looks_again(
    clock: QuickTime, looks: int, later: str | None
) -> None:
    found = Patience()
    found.looks = looks

    found.note(1, "no answer", renewals=1)

    before, after = found.silence_of(1, renewals=1), found.silence_of(1, renewals=2)
    assert ("no answer", later) == (before, after)
    clock.sleep(SILENT_FOR_S)
    assert found.silence_of(1, renewals=1) is None
