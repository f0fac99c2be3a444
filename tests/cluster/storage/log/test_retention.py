"""Which segments go, by time, size and log start, and which never do."""

import pytest

from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import EPOCH, fresh_log, opened, sim_disk

HOUR_MS = 3600 * 1000
YEAR_MS = 365 * 24 * HOUR_MS


def hourly(batches: int = 6, **configs: int) -> PartitionLog:
    """A log with a batch an hour, each a segment of its own of 88 bytes."""
    log = fresh_log(LogConfig(index_size_max=4096, **configs))  # type: ignore[arg-type]
    for number in range(batches):
        log.roll(START_MS)
        log.append(batch(1, times=[START_MS + number * HOUR_MS]), EPOCH, START_MS, START_MS)
    assert {segment.size for segment in log.segments} == {88}
    return log


def bases(log: PartitionLog) -> list[int]:
    return [segment.base_offset for segment in log.segments]


@pytest.mark.parametrize(
    ("hours", "kept"),
    [(0, [0, 1, 2, 3, 4, 5]), (2, [0, 1, 2, 3, 4, 5]), (3, [1, 2, 3, 4, 5]), (7, [5]), (8, [6])],
)
def test_a_segment_goes_when_its_latest_record_is_too_old(hours: int, kept: list[int]):
    log = hourly(retention_ms=2 * HOUR_MS)

    log.delete_old_segments(
        START_MS + hours * HOUR_MS, START_MS + hours * HOUR_MS, high_watermark=6
    )

    assert bases(log) == kept
    assert log.log_start_offset == kept[0]
    assert log.log_end_offset == 6


def test_a_young_segment_keeps_the_old_ones_behind_it():
    log = fresh_log(LogConfig(retention_ms=HOUR_MS, index_size_max=4096))
    for hour in (0, 9, 1):
        log.roll(START_MS)
        log.append(batch(1, times=[START_MS + hour * HOUR_MS]), EPOCH, START_MS, START_MS)

    log.delete_old_segments(START_MS + 8 * HOUR_MS, START_MS + 8 * HOUR_MS, high_watermark=3)

    assert bases(log) == [1, 2]


@pytest.mark.parametrize(
    ("size", "kept"),
    [
        (0, [6]),
        (87, [5]),
        (88, [5]),
        (263, [3, 4, 5]),
        (264, [3, 4, 5]),
        (9999, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_the_oldest_segments_go_while_the_rest_is_still_large_enough(size: int, kept: list[int]):
    log = hourly(retention_ms=-1, retention_size=size)

    log.delete_old_segments(START_MS + 10**12, START_MS + 10**12, high_watermark=6)

    assert bases(log) == kept


@pytest.mark.parametrize("high_watermark", range(7))
def test_nothing_beyond_the_high_watermark_goes(high_watermark: int):
    log = hourly(retention_ms=0, retention_size=0)

    log.delete_old_segments(START_MS + 10**12, START_MS + 10**12, high_watermark)

    assert bases(log)[0] == high_watermark


def test_an_empty_log_stays_as_it_is():
    log = fresh_log(LogConfig(retention_ms=0, retention_size=0))

    assert log.delete_old_segments(START_MS + 10**12, START_MS + 10**12, high_watermark=0) == 0


def test_unlimited_retention_keeps_everything():
    log = hourly(retention_ms=-1)

    assert log.delete_old_segments(START_MS + 10**15, START_MS + 10**15, high_watermark=6) == 0


@pytest.mark.parametrize("is_opened_again", [False, True])
def test_a_segment_without_times_counts_by_its_last_change(is_opened_again: bool):
    disk = sim_disk()
    config = LogConfig(retention_ms=HOUR_MS, index_size_max=4096)
    log, _ = opened(disk, config=config)
    log.append(batch(1, times=[-1]), EPOCH, START_MS, START_MS)
    if is_opened_again:
        log.close(START_MS)
        disk.now_ms += 1000
        log, _ = opened(disk, config=config, recovery_point=1, was_closed=True, now_ms=disk.now_ms)

    for year in (-YEAR_MS, 0, YEAR_MS):
        now_ms = START_MS + HOUR_MS
        assert log.delete_old_segments(now_ms, now_ms + year, high_watermark=1) == 0
    assert log.delete_old_segments(now_ms + 1, now_ms + 1 - YEAR_MS, high_watermark=1) == 1


def test_records_without_a_time_are_as_old_as_the_last_append_to_their_segment():
    disk = sim_disk()
    log, _ = opened(disk, config=LogConfig(retention_ms=HOUR_MS, index_size_max=4096))
    for hour in (0, 1, 2):
        disk.now_ms = START_MS + hour * HOUR_MS
        log.append(batch(1, times=[-1]), EPOCH, disk.now_ms, disk.now_ms)

    log.delete_old_segments(START_MS + 3 * HOUR_MS, START_MS + 3 * HOUR_MS, high_watermark=3)
    assert bases(log) == [0]
    log.close(START_MS)
    log, _ = opened(disk, config=log.config, was_closed=True, recovery_point=3, now_ms=disk.now_ms)
    log.delete_old_segments(START_MS + 3 * HOUR_MS, START_MS + 3 * HOUR_MS, high_watermark=3)
    assert bases(log) == [0]
    log.delete_old_segments(
        START_MS + 3 * HOUR_MS + 1, START_MS + 3 * HOUR_MS + 1, high_watermark=3
    )
    assert bases(log) == [3]
