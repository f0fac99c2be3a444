"""Retention's clock follows steps of the machine's clock a day late."""

import pytest

from cluster.broker.settled_clock import STEP_MIN_MS, STEP_STANDS_MS, SettledClock
from cluster.sim.ports import START_MS
from tests.cluster.api.world import Clock

HOUR_MS = 3600 * 1000
LOOK_MS = 300_000
YEAR_MS = 365 * 24 * HOUR_MS


class Settling:
    """A clock, what retention takes it for every five minutes, and what is said."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.warnings: list[str] = []
        self.settled = SettledClock(self.clock, 0, self.warnings.append)

    def ahead_ms(self, for_ms: int = LOOK_MS) -> int:
        """By how much it is ahead of the right time when *for_ms* have gone by."""
        for _ in range(0, for_ms, LOOK_MS):
            self.clock.advance(LOOK_MS)
            found_ms = self.settled.wall_ms()
        return found_ms - START_MS - self.clock.now_ms()


@pytest.mark.parametrize("step_ms", [HOUR_MS, -HOUR_MS, YEAR_MS, -YEAR_MS])
def test_a_step_that_is_taken_back_counts_at_no_time(step_ms: int) -> None:
    settling = Settling()

    for _ in range(3):
        settling.clock.ahead_ms = step_ms
        assert settling.ahead_ms(STEP_STANDS_MS - LOOK_MS) == 0
        settling.clock.ahead_ms = 0
        assert settling.ahead_ms(STEP_STANDS_MS) == 0

    assert len(settling.warnings) == 6


@pytest.mark.parametrize("step_ms", [HOUR_MS, -YEAR_MS])
def test_a_step_that_stands_for_a_day_counts(step_ms: int) -> None:
    settling = Settling()
    settling.ahead_ms()

    settling.clock.ahead_ms = step_ms
    assert settling.ahead_ms(STEP_STANDS_MS) == 0

    assert settling.ahead_ms() == step_ms
    (warning,) = settling.warnings
    assert "was set forward by 1:00:00" in warning or "was set back by 365 days" in warning


def test_a_clock_that_goes_a_little_wrong_is_followed() -> None:
    settling = Settling()

    for number in range(1, 6):
        settling.clock.ahead_ms = number * STEP_MIN_MS
        assert settling.ahead_ms() == number * STEP_MIN_MS

    assert [] == settling.warnings


def test_a_step_while_the_broker_is_away_counts_a_day_late() -> None:
    settling = Settling()
    settling.clock.ahead_ms = YEAR_MS
    settling.settled = SettledClock(settling.clock, YEAR_MS, settling.warnings.append)

    assert settling.ahead_ms(STEP_STANDS_MS - LOOK_MS) == 0
    assert settling.ahead_ms() == YEAR_MS
    assert [] == settling.warnings
