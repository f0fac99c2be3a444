"""The file of a controller's figures: when it is written, and what a disk may do to it."""

from pathlib import Path

import pytest

from cluster.model.controller_stats import ControllerStats, decode_controller_stats
from cluster.runtime.controller.stats_file import INTERVAL_S, StatsFile
from tests.support.loop_time import pass_time, run_in_manual_time


class Counting:
    """Figures that tell how often they were asked for."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> ControllerStats:
        self.count += 1
        return ControllerStats(
            broker_id=1, pid=2, controller_epoch=self.count, since_ms=3, events=()
        )


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
        for seconds in (INTERVAL_S, 3 * INTERVAL_S):
            await pass_time(seconds)
            found.append(epoch_in(tmp_path))
        file.note_change()
        await pass_time(INTERVAL_S)
        found.append(epoch_in(tmp_path))
        return found

    assert [None, 1, 1, 2] == run_in_manual_time(story())
    assert ["controller-stats.json"] == [path.name for path in tmp_path.iterdir()]


def test_a_disk_that_refuses_is_told_once_and_the_file_comes_when_it_does_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    directory, counting = tmp_path / "logs", Counting()

    async def story() -> None:
        file = StatsFile(str(directory), counting)
        for count in (1, 2, 3):
            if count == 3:
                directory.mkdir()
            file.note_change()
            await pass_time(INTERVAL_S)
            assert counting.count == count

    run_in_manual_time(story())

    assert 3 == epoch_in(directory)
    (told,) = [record.getMessage() for record in caplog.records]
    assert told == f"{directory}/controller-stats.json cannot be written: No such file or directory"
