"""Logs that are truncated, begun anew, or lose their oldest records."""

import errno
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import pytest

from cluster.formats.checkpoints import LOG_STARTS, RECOVERY_POINTS
from cluster.model.ids import TopicPartition
from cluster.storage.directories import log_manager
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import (
    OffsetOutOfRange,
)
from cluster.storage.files import read_whole
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.log_directories import (
    EPOCH,
    ID,
    ORDERS,
    PAYMENTS,
    create,
    disk_with,
    fill,
    names,
    started,
)
from tests.cluster.storage.logs import (
    append,
    check_indexes,
    finish_truncation,
    opened,
    restart_at,
    sim_disk,
    truncate,
)
from tests.sim.disk import Crashed, SimDisk


def test_dropped_segments_of_all_logs_are_removed_when_due():
    disk = disk_with("/data")
    manager = started(disk)
    log = create(manager)
    fill(log)
    log.delete_records_before(60, 60)

    assert {ORDERS} == set(manager.delete_old_segments(START_MS, START_MS, lambda partition: 60))
    due = manager.take_due_deletions(START_MS + 60_000)
    for deletion in due:
        deletion.run(disk)

    assert len(due) > 1
    assert not any("deleted" in name for name in names(disk, "/data/orders-0"))


def test_logs_that_are_deleted_between_the_turns_of_retention_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
):
    """Thousands of logs take long enough for requests to wait."""
    monkeypatch.setattr(log_manager, "CLEARED_AT_ONCE", 1)
    manager = started(disk_with("/data"))
    invoices = TopicPartition("invoices", 0)
    for partition in (ORDERS, PAYMENTS, invoices):
        log = create(manager, partition)
        fill(log)
        log.delete_records_before(60, 60)

    turns = manager.delete_old_segments_in_turns(START_MS, START_MS, lambda partition: 60)
    first = next(turns)
    manager.delete(PAYMENTS, ID, START_MS)

    assert [{ORDERS}, set(), {invoices}] == [set(first), *map(set, turns)]


def test_a_deleted_record_stays_deleted_after_a_crash():
    disk = disk_with("/data")
    manager = started(disk)
    log = create(manager)
    fill(log)
    log.flush(START_MS)
    log.delete_records_before(31, 60)
    manager.write_checkpoints()

    disk.crash()
    again = started(disk).log(ORDERS)

    assert again is not None
    with pytest.raises(OffsetOutOfRange):
        again.read(30, 100, 60, whole_first=True)


def test_a_log_that_began_anew_does_so_again_after_a_crash():
    disk = disk_with("/data")
    manager = started(disk)
    fill(create(manager))
    restart_at(manager, ORDERS, 500, START_MS)
    log = manager.log(ORDERS)
    assert log is not None
    fill(log, 1)
    log.flush(START_MS)

    disk.crash()
    again = started(disk).log(ORDERS)

    assert again is not None
    assert (again.log_start_offset, again.log_end_offset) == (500, 503)


def checkpoint(disk: SimDisk, name: str) -> bytes:
    return read_whole(disk, f"/data/{name}") or b""


def test_no_checkpoint_trusts_what_a_truncation_within_a_batch_takes_along():
    """The log then ends before the offset: what is written next is not durable up to there."""
    disk = disk_with("/data")
    manager = started(disk)
    log = create(manager)
    log.append(batch(2), EPOCH, START_MS, START_MS)
    log.append(batch(4), EPOCH, START_MS, START_MS)
    log.flush(START_MS)
    manager.write_checkpoints()
    assert checkpoint(disk, RECOVERY_POINTS) == b"0\n1\norders 0 6\n"

    truncate(manager, {ORDERS: 5}, START_MS)

    assert log.log_end_offset == 2 == log.recovery_point
    assert checkpoint(disk, RECOVERY_POINTS) == b"0\n1\norders 0 2\n"


@contextmanager
def called_whenever_garbage_is_collected(call: Callable[[], None]) -> Iterator[None]:
    """Let *call* come in between as another thread may: when garbage is collected, as often as that
    can be.
    """

    def callback(phase: str, info: dict[str, int]) -> None:
        if phase == "stop":
            call()

    thresholds = gc.get_threshold()
    # Python keeps small tuples that nobody needs, and to take one of them is no reason to collect.
    gc.collect()
    gc.callbacks.append(callback)
    gc.set_threshold(1)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(callback)


@pytest.mark.slow
@pytest.mark.parametrize("act", [LogManager.settle_deletions, LogManager.write_checkpoints])
def test_logs_may_be_begun_and_given_up_while_a_thread_writes_of_all(
    act: Callable[[LogManager], None],
):
    disk = SimDisk()
    manager = started(disk)
    kept = [TopicPartition("kept", number) for number in range(10)]
    for partition in kept:
        fill(create(manager, partition), batches=2)
    create(manager)
    manager.delete(ORDERS, ID, START_MS)
    (directory,) = manager.directories
    other = PAYMENTS, directory.logs[kept[0]]

    def begin_or_give_up() -> None:
        if directory.logs.pop(PAYMENTS, None) is None:
            directory.logs.update([other])

    with called_whenever_garbage_is_collected(begin_or_give_up):
        act(manager)

    written = checkpoint(disk, RECOVERY_POINTS).decode()
    assert all(f"kept {of.partition} 0\n" in written for of in kept)


def test_many_logs_are_truncated_by_one_write_of_the_checkpoint():
    disk = disk_with("/data", "/other")
    manager = started(disk, "/data", "/other")
    partitions = [TopicPartition("orders", number) for number in range(40)]
    for partition in partitions:
        log = create(manager, partition)
        fill(log)
        log.flush(START_MS)
    manager.write_checkpoints()
    disk.operations.clear()

    truncate(manager, dict.fromkeys(partitions, 30), START_MS)

    ends = {log.log_end_offset for one in manager.directories for log in one.logs.values()}
    assert ends == {30}
    written = [one for one in disk.operations if "checkpoint" in one and one.startswith("rename")]
    assert written == [
        f"rename {path}/recovery-point-offset-checkpoint.tmp" for path in ("/data", "/other")
    ]
    synced = [one for one in disk.operations if one in ("sync /data", "sync /other")]
    assert len(synced) == 2


def test_a_directory_that_fails_in_a_truncation_does_not_hinder_the_others():
    disk = disk_with("/data", "/other")
    manager = started(disk, "/data", "/other")
    partitions = [TopicPartition("orders", number) for number in range(4)]
    for partition in partitions:
        fill(create(manager, partition))
    disk.fault = lambda kind, path: (
        OSError(errno.EIO, "broken") if path.startswith("/data") and kind != "read" else None
    )

    truncate(manager, dict.fromkeys(partitions, 30), START_MS)

    failed, other = manager.directories
    assert failed.health.failure is not None
    assert other.health.failure is None
    assert {log.log_end_offset for log in other.logs.values()} == {30}


def test_a_log_that_is_begun_anew_forgets_its_producers_and_keeps_its_new_start():
    disk = disk_with("/data")
    manager = started(disk)
    log = create(manager)
    for number in range(12):
        sent = batch(3, producer_id=7, producer_epoch=0, sequence=3 * number)
        log.append(sent, EPOCH, START_MS, START_MS)
    log.roll(START_MS)
    log.flush(START_MS)

    restart_at(manager, ORDERS, 36, START_MS)

    assert log.producers.producers == ()
    assert b"orders 0 36" in checkpoint(disk, LOG_STARTS)
    disk.crash()
    again = started(disk).log(ORDERS)
    assert again is not None
    assert (again.log_start_offset, again.log_end_offset) == (36, 36)
    assert again.producers.producers == ()


def test_a_log_that_is_begun_anew_forgets_its_epochs():
    manager = started(disk_with("/data"))
    log = create(manager)
    fill(log)
    assert log.epochs.latest == EPOCH

    restart_at(manager, ORDERS, 500, START_MS)

    assert log.epochs.starts == ()


def flushed(manager: LogManager) -> PartitionLog:
    """A log of 60 durable records, as the checkpoint says."""
    log = create(manager)
    fill(log)
    log.flush(START_MS)
    manager.write_checkpoints()
    return log


def test_a_flush_that_ends_before_a_truncation_makes_nothing_trusted_that_is_cut():
    """Checkpoints are written by a timer, too: also between the steps of a truncation."""
    disk = disk_with("/data")
    manager = started(disk)
    log = flushed(manager)
    end_offset = log.log_end_offset
    manager.begin_truncation({ORDERS: 30}, {})
    manager.write_checkpoints()

    work = log.begin_flush()
    work.run(disk)
    log.finish_flush(work, START_MS)
    manager.write_checkpoints()

    assert log.recovery_point == end_offset
    assert checkpoint(disk, RECOVERY_POINTS) == b"0\n1\norders 0 30\n"
    manager.finish_truncation(ORDERS, START_MS)
    assert log.recovery_point == log.log_end_offset == 30


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "end"), [(({ORDERS: 30}, {}), 30), (({}, {ORDERS: 0}), 0)])
def test_a_log_that_is_being_cut_promises_nothing_of_what_goes(plan, end):
    """In memory neither: the simulator holds what a crash leaves against it."""
    ends = set()
    for number in count(1):
        disk = disk_with("/data", seed=number)
        manager = started(disk)
        log = flushed(manager)
        manager.begin_truncation(*plan)
        manager.write_checkpoints()
        disk.crash_at = len(disk.operations) + number
        try:
            manager.finish_truncation(ORDERS, START_MS)
        except Crashed:
            disk.crash()
        else:
            break

        left = started(disk).log(ORDERS)
        assert left is not None
        ends.add(left.log_end_offset)
        assert end == log.recovery_point
    assert {end, 60} <= ends


@pytest.mark.parametrize("plan", [({ORDERS: 30}, {}), ({}, {ORDERS: 500})])
def test_a_truncation_that_is_given_up_leaves_no_trace(plan):
    disk = disk_with("/data")
    manager = started(disk)
    log = flushed(manager)
    log.delete_records_before(3, 36)
    manager.write_checkpoints()
    before = [checkpoint(disk, name) for name in (RECOVERY_POINTS, LOG_STARTS)]
    manager.begin_truncation(*plan)
    manager.write_checkpoints()
    assert before != [checkpoint(disk, name) for name in (RECOVERY_POINTS, LOG_STARTS)]

    assert manager.give_up_truncation(ORDERS)
    assert not manager.give_up_truncation(ORDERS)
    finish_truncation(manager, [ORDERS], START_MS)

    assert before == [checkpoint(disk, name) for name in (RECOVERY_POINTS, LOG_STARTS)]
    assert (log.log_start_offset, log.log_end_offset) == (3, log.recovery_point)


def test_a_namesake_of_a_deleted_log_is_not_cut_in_its_place():
    manager = started(disk_with("/data"))
    flushed(manager)
    manager.begin_truncation({ORDERS: 30}, {})
    manager.delete(ORDERS, ID, START_MS)
    manager.settle_deletions()
    log = create(manager)
    fill(log)
    end_offset = log.log_end_offset

    finish_truncation(manager, [ORDERS], START_MS)

    assert log.log_end_offset == end_offset


def test_a_log_that_is_gone_is_not_cut():
    manager = started(disk_with("/data"))

    assert not manager.give_up_truncation(ORDERS)
    manager.finish_truncation(ORDERS, START_MS)


def test_records_that_were_deleted_do_not_come_back_with_their_segments():
    """Retention renames files without waiting: after a stop they may have their old names."""
    for seed in range(12):
        disk = disk_with("/data", seed=seed)
        manager = started(disk)
        log = create(manager)
        fill(log)
        log.flush(START_MS)
        start = log.segments[2].base_offset
        log.delete_records_before(start, log.log_end_offset)
        ends = {ORDERS: log.log_end_offset}
        assert manager.delete_old_segments(START_MS, START_MS, ends.__getitem__) == {ORDERS: 2}
        manager.write_checkpoints()
        disk.crash()

        again = started(disk).log(ORDERS)

        assert again is not None
        assert again.log_start_offset == start


def test_a_segment_that_was_cut_counts_anew_until_its_next_entry() -> None:
    """An entry of the first batch is one that no start believes."""
    disk = sim_disk()
    config = LogConfig(index_interval_size=1)
    log, _ = opened(disk, config=config)
    append(log, 3)

    log.truncate_to(1, START_MS)
    append(log, 3)
    log.close(START_MS)

    known, report = opened(disk, config=config, recovery_point=3, was_closed=True)
    check_indexes(known)
    assert (3, ()) == (known.log_end_offset, report.reindexed)
