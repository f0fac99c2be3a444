"""Cleanings that a crash interrupts, in each operation of the disk; logs that change meanwhile."""

import re
from collections.abc import Callable
from typing import Final

import pytest

from cluster.storage.cleaner.cleaning import CleanerLimits, Cleaning, LogChanged
from cluster.storage.errors import DamagedSegment, KafkaStorageError
from cluster.storage.log.partition_log import PartitionLog
from tests.cluster.storage.batches import START_MS, marker
from tests.cluster.storage.cleaner.keyed import (
    CONFIG,
    Keyed,
    clean,
    keyed_batch,
    part_of,
    read_all,
    records_in,
    segment_bytes,
)
from tests.cluster.storage.logs import DIRECTORY, check_indexes, opened, sim_disk
from tests.sim.disk import Crashed, SimDisk
from tests.support.seeds import seeds

KEYS: Final = 7
RECORDS: Final = 60
LIMITS: Final = CleanerLimits(read_size=300)
LATER_MS: Final = START_MS + 10_000
"""When the time of tombstones is over that were met at the start."""


def filled(seed: int = 0) -> tuple[SimDisk, PartitionLog]:
    """A durable log of several segments; every fifth record is a tombstone, and the transactions
    in it were aborted."""
    disk = sim_disk(seed)
    log, _ = opened(disk, config=CONFIG)
    for number in range(RECORDS):
        one = Keyed(b"k%d" % (number % KEYS), b"v%d" % number if number % 5 else None)
        log.append_as_follower(keyed_batch([one], log.log_end_offset), START_MS)
        if number % 20 == 10:
            one = Keyed(b"k1", b"aborted")
            batch = keyed_batch([one], log.log_end_offset, producer_id=5, is_transactional=True)
            log.append_as_follower(batch, START_MS)
            log.append_as_follower(marker(5, log.log_end_offset, is_abort=True), START_MS)
    log.roll(START_MS)
    log.append_as_follower(keyed_batch([Keyed(b"end", b"")], log.log_end_offset), START_MS)
    log.flush(START_MS)
    assert len(log.segments) > 4
    return disk, log


def state_of(log: PartitionLog) -> dict[bytes, bytes]:
    """What a consumer makes of the log: the last value of each key."""
    state: dict[bytes, bytes] = {}
    for one in records_in(log):
        if one.value == b"aborted":
            continue
        assert one.key is not None
        if one.value is None:
            state.pop(one.key, None)
        else:
            state[one.key] = one.value
    return state


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(2))
def test_a_crash_in_a_cleaning_changes_no_value_and_the_next_one_ends_it(seed: int) -> None:
    operation = 0
    has_crashed = True
    while has_crashed:
        disk, log = filled(seed + operation)
        clean(disk, log, LIMITS)
        disk.now_ms = LATER_MS
        state, end_offset = state_of(log), log.log_end_offset
        aborted = [entry for one in log.segments for entry in one.txn_index.entries]
        # The second cleaning removes the tombstones whose time is over.
        log.cleaned_offset = 0
        disk.crash_at = len(disk.operations) + operation
        try:
            clean(disk, log, LIMITS)
            has_crashed = False
        except Crashed:
            pass
        disk.crash()

        log, report = opened(
            disk, config=CONFIG, recovery_point=end_offset, machine_stopped=True, now_ms=LATER_MS
        )

        assert state == state_of(log), operation
        assert log.log_end_offset == end_offset
        assert not report.found_damage
        assert {one.last_offset for one in aborted} >= {
            entry.last_offset for one in log.segments for entry in one.txn_index.entries
        }
        check_indexes(log)
        names = [entry.name for entry in disk.list(DIRECTORY)]
        assert [] == [name for name in names if re.search(r"\.(swap|cleaned|deleted)$", name)]
        clean(disk, log, LIMITS)
        assert state == state_of(log)
        assert sum(one.value is None for one in records_in(log)) == 0
        operation += 1
    assert operation > 20


def interrupted_at(
    stage: int, change: Callable[[SimDisk, PartitionLog], object]
) -> tuple[SimDisk, PartitionLog]:
    """A log whose first segments are replaced, and that *change* meets after so many steps."""
    disk, log = filled()
    cleaning = Cleaning(disk, log, part_of(log, disk), LIMITS, START_MS, START_MS)
    for _ in cleaning.index():
        pass
    group = next(cleaning.groups())
    for _ in cleaning.fill(group):
        pass
    log.begin_replacing(group, cleaning.take_new(), START_MS)
    for _ in range(stage):
        log.sync_names()
        log.go_on_replacing()
    change(disk, log)
    return disk, log


def truncated(disk: SimDisk, log: PartitionLog) -> None:
    log.truncate_to(20, START_MS)
    assert log.log_end_offset <= 20


def restarted(disk: SimDisk, log: PartitionLog) -> None:
    log.restart_at(1000, START_MS)
    assert log.log_end_offset == 1000


def closed(disk: SimDisk, log: PartitionLog) -> None:
    log.close(START_MS)


def dropped(disk: SimDisk, log: PartitionLog) -> None:
    log.delete_records_before(50, log.log_end_offset)
    log.delete_old_segments(START_MS, START_MS, log.log_end_offset)


@pytest.mark.parametrize("change", [truncated, restarted, closed, dropped])
@pytest.mark.parametrize("stage", range(4))
def test_a_log_changes_while_segments_of_it_are_replaced(
    stage: int, change: Callable[[SimDisk, PartitionLog], None]
) -> None:
    disk, log = interrupted_at(stage, change)

    # Whoever had synced the names for it comes too late, which does no harm.
    log.go_on_replacing()
    names = [entry.name for entry in disk.list(DIRECTORY)]
    assert not any(name.endswith((".swap", ".cleaned")) for name in names)
    content, end_offset = read_all(log), log.log_end_offset
    assert content == b"" if change is restarted else content != b""
    log.close(START_MS)
    log, report = opened(
        disk,
        config=CONFIG,
        was_closed=True,
        recovery_point=end_offset,
        log_start_offset=log.log_start_offset,
    )
    assert (content, end_offset) == (read_all(log), log.log_end_offset)
    assert report.reindexed == ()


def taken(disk: SimDisk, log: PartitionLog) -> None:
    log.is_deleted = True


def not_compacted(disk: SimDisk, log: PartitionLog) -> None:
    log.reconfigure(CONFIG.__class__())


def gone(disk: SimDisk, log: PartitionLog) -> None:
    disk.remove(log.segments[1].path(".log"))


@pytest.mark.parametrize("change", [truncated, restarted, taken, not_compacted, gone])
def test_a_cleaning_is_given_up_when_its_log_changes(
    change: Callable[[SimDisk, PartitionLog], None],
) -> None:
    disk, log = filled()
    cleaning = Cleaning(disk, log, part_of(log, disk), LIMITS, START_MS, START_MS)
    slices = cleaning.index()
    next(slices)

    change(disk, log)

    with pytest.raises(LogChanged):
        list(slices)


def test_what_was_written_for_a_cleaning_that_is_given_up_is_removed() -> None:
    disk, log = filled()
    before = {entry.name for entry in disk.list(DIRECTORY)}
    content = segment_bytes(log)
    cleaning = Cleaning(disk, log, part_of(log, disk), LIMITS, START_MS, START_MS)
    list(cleaning.index())
    slices = cleaning.fill(next(cleaning.groups()))
    next(slices)
    cleaning.stop()

    with pytest.raises(LogChanged):
        list(slices)
    cleaning.discard()

    assert before == {entry.name for entry in disk.list(DIRECTORY)}
    assert content == segment_bytes(log)


def test_a_damaged_batch_is_named_and_nothing_is_replaced() -> None:
    disk, log = filled()
    segment = log.segments[2]
    segment.file.write(segment.size - 3, b"\xff\xff")
    content = segment_bytes(log)

    with pytest.raises(DamagedSegment) as caught:
        clean(disk, log, LIMITS)

    assert caught.value.path == segment.path(".log")
    assert "checksum" in caught.value.reason
    assert content == segment_bytes(log)


def test_a_full_disk_takes_the_directory_offline() -> None:
    disk, log = filled()
    disk.room = disk.used() + 100

    with pytest.raises(KafkaStorageError):
        clean(disk, log, LIMITS)

    assert log.is_offline
