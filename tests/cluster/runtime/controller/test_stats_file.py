"""The file of a controller's figures: when it is written, and what a disk may do to it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.model.controller_stats import ControllerStats, decode_controller_stats
from cluster.runtime.controller import stats_file
from cluster.runtime.controller.stats_file import StatsFile
from tests.support.waiting import OUTER_LIMIT_S

PAUSE_S = 0.01


class Counting:
    """Figures that tell how often they were asked for."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> ControllerStats:
        self.count += 1
        return ControllerStats(
            broker_id=1, pid=2, controller_epoch=self.count, since_ms=3, events=()
        )


@pytest.fixture(autouse=True)
def _short_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats_file, "INTERVAL_S", PAUSE_S)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(OUTER_LIMIT_S):
        while not is_so():
            await asyncio.sleep(PAUSE_S)


def epoch_in(directory: Path) -> int | None:
    try:
        stats = decode_controller_stats((directory / "controller-stats.json").read_bytes())
    except FileNotFoundError:
        return None
    assert stats is not None, "a reader finds no half of a file"
    return stats.controller_epoch


def test_many_changes_are_written_once_and_the_next_again(tmp_path: Path) -> None:
    async def story() -> list[int | None]:
        file = StatsFile(str(tmp_path), Counting())
        found = [epoch_in(tmp_path)]
        for _ in range(100):
            file.note_change()
        await until(lambda: epoch_in(tmp_path) is not None)
        await asyncio.sleep(3 * PAUSE_S)
        found.append(epoch_in(tmp_path))
        file.note_change()
        await until(lambda: epoch_in(tmp_path) != found[-1])
        found.append(epoch_in(tmp_path))
        return found

    assert [None, 1, 2] == asyncio.run(story())
    assert ["controller-stats.json"] == [path.name for path in tmp_path.iterdir()]


def test_a_disk_that_refuses_is_told_once_and_the_file_comes_when_it_does_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    directory, counting = tmp_path / "logs", Counting()

    async def story() -> None:
        file = StatsFile(str(directory), counting)
        file.note_change()
        await until(lambda: counting.count == 1)
        file.note_change()
        await until(lambda: counting.count == 2)
        directory.mkdir()
        file.note_change()
        await until(lambda: epoch_in(directory) is not None)

    asyncio.run(story())

    assert 3 == epoch_in(directory)
    (told,) = [record.getMessage() for record in caplog.records]
    assert told == f"{directory}/controller-stats.json cannot be written: No such file or directory"
