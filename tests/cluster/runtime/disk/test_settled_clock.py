"""Retention's clock follows steps of the machine's clock a day late."""

import pytest

from cluster.model.ids import BrokerId
from cluster.runtime.disk.settled_clock import NAME, STEP_MIN_MS, STEP_STANDS_MS, SettledClock
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.log_config import LogConfig
from tests.cluster.api.world import Clock
from tests.sim.disk import SimDisk
from tests.sim.ports import START_MS

HOUR_MS = 3600 * 1000
LOOK_MS = 300_000
YEAR_MS = 365 * 24 * HOUR_MS


class Settling:
    """A clock, what retention takes it for every five minutes, and what is said."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.warnings: list[str] = []
        self.disk = SimDisk(0)
        self.start()

    def start(self) -> None:
        """As a broker does: the log directory is there from the second time on."""
        self.disk.now_ms = self.clock.wall_ms()
        self.disk.release_locks()
        logs = LogManager.open(self.disk, ("/data",), BrokerId(1), "c")
        self.settled = SettledClock(self.clock, self.disk, logs, self.warnings.append)
        list(logs.load(lambda topic: LogConfig(), self.clock.now_ms()))

    def ahead_ms(self, for_ms: int = LOOK_MS) -> int:
        """By how much it is ahead of the right time when *for_ms* have gone by."""
        for _ in range(0, for_ms, LOOK_MS):
            self.clock.advance(LOOK_MS)
            self.settled.note()
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


@pytest.mark.parametrize("step_ms", [HOUR_MS, YEAR_MS])
def test_a_step_forward_while_the_broker_is_away_counts_a_day_late(step_ms: int) -> None:
    settling = Settling()
    settling.clock.ahead_ms = step_ms
    settling.start()

    assert settling.ahead_ms(STEP_STANDS_MS - LOOK_MS) == 0
    assert settling.ahead_ms() == step_ms
    assert [] == settling.warnings


@pytest.mark.parametrize("step_ms", [HOUR_MS, -HOUR_MS, YEAR_MS, -YEAR_MS])
@pytest.mark.parametrize("is_crash", [False, True])
def test_starts_behind_a_step_know_of_it(step_ms: int, is_crash: bool) -> None:
    """Once, the second start took the clock for right: files had its time by then."""
    settling = Settling()
    settling.clock.ahead_ms = step_ms
    settling.settled.wall_ms()

    for _ in range(3):
        if is_crash:
            settling.disk.crash()
        settling.start()
        assert settling.ahead_ms(HOUR_MS) == 0
    settling.clock.ahead_ms = 0
    settling.start()

    assert settling.ahead_ms() == 0


def test_nothing_is_noted_while_the_clock_is_right() -> None:
    settling = Settling()
    settling.ahead_ms(HOUR_MS)
    names = {entry.name for entry in settling.disk.list("/data")}
    settling.clock.ahead_ms = YEAR_MS
    settling.ahead_ms()
    noted = {entry.name for entry in settling.disk.list("/data")}
    settling.ahead_ms(STEP_STANDS_MS)

    assert {NAME} == noted - names
    assert names == {entry.name for entry in settling.disk.list("/data")}
