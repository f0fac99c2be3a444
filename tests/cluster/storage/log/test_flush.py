"""When a log wants to be flushed, and what a flush that runs beside it may claim."""

import pytest

from cluster.model.ids import LeaderEpoch
from cluster.storage.files import read_whole
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import append, fresh_log, opened, sim_disk
from tests.support.seeds import seeds

SMALL = LogConfig(segment_size_max=500, index_size_max=4096)


def test_nothing_wants_a_flush_by_default():
    log = fresh_log()

    assert not append(log, 100).needs_flush
    assert not log.flush_is_due(START_MS + 10**12)


def test_so_many_messages_want_one_before_they_are_acknowledged():
    log = fresh_log(LogConfig(flush_messages=5))

    assert not append(log, 4).needs_flush
    assert append(log, 1).needs_flush
    assert log.flush_is_due(START_MS)
    log.flush(START_MS)

    assert log.recovery_point == 5
    assert not append(log, 4).needs_flush


def test_so_much_time_wants_one():
    log = fresh_log(LogConfig(flush_ms=1000))
    assert not log.flush_is_due(START_MS + 5000)

    append(log)
    assert not log.flush_is_due(START_MS + 999)
    assert log.flush_is_due(START_MS + 1000)
    log.flush(START_MS + 1000)

    assert not log.flush_is_due(START_MS + 5000)


def test_a_finished_segment_wants_one():
    log = fresh_log(SMALL)
    append(log, 3)
    assert not log.flush_is_due(START_MS)

    for _ in range(5):
        append(log, 3)

    assert log.flush_is_due(START_MS)


def test_what_was_appended_while_a_flush_ran_is_not_counted_as_durable():
    disk = sim_disk()
    log, _ = opened(disk)
    append(log, 3)

    work = log.begin_flush()
    append(log, 3)
    work.run(disk)
    log.finish_flush(work, START_MS)

    assert log.recovery_point == 3


def test_a_flush_that_a_truncation_overtook_claims_nothing():
    disk = sim_disk()
    log, _ = opened(disk)
    append(log, 3)
    append(log, 3)

    work = log.begin_flush()
    work.run(disk)
    log.truncate_to(3, START_MS)
    append(log, 3)
    log.finish_flush(work, START_MS)

    assert log.recovery_point == 0


def test_a_flush_passes_over_segments_that_went_in_between():
    disk = sim_disk()
    log, _ = opened(disk, config=SMALL)
    for _ in range(12):
        append(log, 3)

    work = log.begin_flush()
    log.delete_records_before(36, 36)
    log.delete_old_segments(START_MS, START_MS, 36)
    for deleted in log.take_deleted():
        deleted.remove(disk)
    work.run(disk)
    log.finish_flush(work, START_MS)

    assert log.recovery_point == 36


@pytest.mark.parametrize("seed", seeds(6))
def test_what_a_flush_wrote_of_epochs_is_there_after_a_crash(seed: int):
    disk = sim_disk(seed)
    log, _ = opened(disk, config=SMALL)
    append(log, 3)
    log.flush(START_MS)
    disk.crash()

    assert b"0\n1\n0 0\n" == read_whole(disk, f"{log.directory}/leader-epoch-checkpoint")


@pytest.mark.parametrize("seed", seeds(6))
def test_an_epoch_that_begins_while_the_first_flush_runs_endangers_no_earlier_one(seed: int):
    disk = sim_disk(seed)
    log, _ = opened(disk, config=SMALL)
    for _ in range(5):
        append(log, 3)
    work = log.begin_flush()
    log.append(batch(3), LeaderEpoch(4), START_MS, START_MS)
    work.run(disk)
    log.finish_flush(work, START_MS)
    log.begin_flush()
    disk.crash()

    again, _ = opened(disk, config=SMALL, recovery_point=log.recovery_point)

    assert again.epochs.starts[0] == (0, 0)


def test_a_log_that_gave_up_segments_is_flushed_for_its_epochs_alone():
    """Its files would say otherwise that it has lost what the epochs name."""
    disk = sim_disk()
    log, _ = opened(disk, config=LogConfig(segment_size_max=1000, retention_size=0))
    for _ in range(20):
        append(log, 3)
    log.flush(START_MS)
    assert not log.flush_is_due(START_MS)

    assert log.delete_old_segments(START_MS, START_MS, log.log_end_offset) > 1

    assert log.flush_is_due(START_MS)
    log.flush(START_MS)
    assert not log.flush_is_due(START_MS)
    content = read_whole(disk, f"{log.directory}/leader-epoch-checkpoint") or b""
    assert f"0 {log.log_start_offset}".encode() == content.splitlines()[-1]
