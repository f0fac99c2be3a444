"""Does a copy of a log follow it, and take its place whole, in whatever operation the machine
stops?"""

import random
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from cluster.formats.checkpoints import HIGH_WATERMARKS, LOG_STARTS, RECOVERY_POINTS
from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.runtime.disk.files import Disk
from cluster.storage.directories.checkpoints import read_offsets
from cluster.storage.directories.log_directory import LogDirectory
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import LogDirectoryRefused
from cluster.storage.log.copying import (
    SourceChanged,
    append_slice,
    cut_of,
    follow_start,
    is_whole,
    next_slice,
)
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch, marker
from tests.cluster.storage.logs import check_indexes, restart_at, stored_bytes, truncate
from tests.sim.disk import Crashed, SimDisk

CONFIG = LogConfig(
    segment_size_max=900, index_interval_size=100, index_size_max=400, file_delete_delay_ms=0
)
ORDERS = TopicPartition("orders", 0)
PATHS = ("/here", "/there")
ID = "0123456789abcdef0123456789abcdef"
OTHER_ID = "f" * 32


def started(disk: SimDisk) -> LogManager:
    manager = LogManager.open(disk, PATHS, BrokerId(1), "c")
    list(manager.load(lambda topic: CONFIG, START_MS))
    return manager


def log_of(manager: LogManager) -> PartitionLog:
    log = manager.log(ORDERS)
    assert log is not None
    return log


def fill(log: PartitionLog, batches: int, epoch: int = 0) -> None:
    for number in range(batches):
        log.append(batch([b"%d-%d" % (epoch, number)] * 2), LeaderEpoch(epoch), START_MS, START_MS)


def flush(manager: LogManager) -> None:
    log_of(manager).flush(START_MS)
    manager.write_checkpoints()


def begin(manager: LogManager) -> LogDirectory:
    """Begin a copy in the second directory."""
    manager.settle_deletions()
    target = manager.directories[1]
    target.create_future(ORDERS, CONFIG, None, ID, START_MS)
    return target


def copy_all(manager: LogManager) -> None:
    """Let the copy follow until it has everything, as the broker does."""
    log, target = log_of(manager), manager.future_directory_of(ORDERS)
    assert target is not None
    copy = target.futures[ORDERS]
    for _ in range(200):
        cut = cut_of(log, copy)
        if cut is not None:
            offsets = {ORDERS: cut.offset}
            target.begin_truncation(*(({}, offsets) if cut.restarts else (offsets, {})))
            target.write_checkpoints()
            target.finish_truncation(ORDERS, START_MS)
        elif copy.log_end_offset < log.log_end_offset:
            append_slice(log, next_slice(log, copy, 300), copy, START_MS)
        follow_start(log, copy, START_MS)
        if is_whole(log, copy):
            break
    assert is_whole(log, copy)


def replace(manager: LogManager) -> None:
    target = manager.future_directory_of(ORDERS)
    assert target is not None
    target.futures[ORDERS].flush(START_MS)
    target.write_checkpoints()
    target.write_high_watermarks({ORDERS: log_of(manager).log_end_offset}, target.deletion_count)
    manager.replace_with_future(ORDERS, OTHER_ID, START_MS)
    manager.settle_deletions()


def moved(manager: LogManager) -> None:
    begin(manager)
    copy_all(manager)
    replace(manager)


@pytest.fixture
def disk() -> SimDisk:
    disk = SimDisk()
    for path in PATHS:
        disk.make_directory(path)
    disk.sync_directory("/")
    return disk


def created(disk: SimDisk) -> LogManager:
    manager = started(disk)
    log = manager.get_or_create(ORDERS, CONFIG, None, START_MS, is_new=True)
    assert log.directory == "/here/orders-0"
    return manager


def names(disk: SimDisk, path: str) -> list[str]:
    return [one.name for one in disk.list(path) if one.is_directory]


def test_a_log_is_moved_with_all_that_is_known_of_it(disk: SimDisk) -> None:
    manager = created(disk)
    fill(log_of(manager), 20)
    fill(log_of(manager), 20, epoch=3)
    log_of(manager).delete_records_before(13, 80)
    log_of(manager).delete_old_segments(START_MS, START_MS, 13)
    flush(manager)
    before, epochs = stored_bytes(log_of(manager)), log_of(manager).epochs.starts

    moved(manager)

    after = log_of(manager)
    assert after.directory == "/there/orders-0"
    assert (before, epochs) == (stored_bytes(after), after.epochs.starts)
    assert (13, 80, 80) == (after.log_start_offset, after.log_end_offset, after.recovery_point)
    for name, offset in ((RECOVERY_POINTS, 80), (LOG_STARTS, 13), (HIGH_WATERMARKS, 80)):
        assert {ORDERS: offset} == read_offsets(disk, "/there", name)
        assert {} == read_offsets(disk, "/here", name)
    assert ([f"orders-0.{OTHER_ID}-delete"], ["orders-0"]) == (
        names(disk, "/here"),
        names(disk, "/there"),
    )
    # It goes on under its new name.
    fill(after, 20, epoch=4)
    after.flush(START_MS)
    check_indexes(after)
    again = log_of(restarted(disk))
    assert stored_bytes(after) == stored_bytes(again)
    assert [0, 3, 4] == [one.leader_epoch for one in again.epochs.starts]


def test_transactions_that_are_aborted_after_the_move_are_known(disk: SimDisk) -> None:
    manager = created(disk)
    fill(log_of(manager), 2)
    moved(manager)
    log = log_of(manager)

    sent = batch(base_offset=4, leader_epoch=0, attributes=16, producer_id=9, producer_epoch=0)
    log.append_as_follower(sent, START_MS)
    log.append_as_follower(marker(9, 5, is_abort=True), START_MS)

    log.flush(START_MS)
    found = log.read(4, 1000, 6, whole_first=True)
    assert [4] == [one.first_offset for one in log.aborted_transactions(4, found)]
    log = log_of(restarted(disk))
    found = log.read(4, 1000, 6, whole_first=True)
    assert [4] == [one.first_offset for one in log.aborted_transactions(4, found)]


def restarted(disk: SimDisk) -> LogManager:
    disk.release_locks()
    return started(disk)


def cut_at_once(manager: LogManager) -> None:
    truncate(manager, {ORDERS: 30}, START_MS)
    fill(log_of(manager), 20, epoch=5)


def begun_anew(manager: LogManager) -> None:
    restart_at(manager, ORDERS, 500, START_MS)
    fill(log_of(manager), 5, epoch=6)


def begun_anew_below(manager: LogManager) -> None:
    """A leader that was elected uncleanly has less than this log has dropped."""
    log_of(manager).delete_records_before(40, 80)
    restart_at(manager, ORDERS, 4, START_MS)
    fill(log_of(manager), 60, epoch=6)


def retained(manager: LogManager) -> None:
    log_of(manager).delete_records_before(71, 80)
    log_of(manager).delete_old_segments(START_MS, START_MS, 71)


def emptied(manager: LogManager) -> None:
    log_of(manager).delete_records_before(80, 80)
    log_of(manager).delete_old_segments(START_MS, START_MS, 80)


@pytest.mark.slow
@pytest.mark.parametrize(
    "happens",
    [cut_at_once, begun_anew, begun_anew_below, retained, emptied],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("copied", [0, 3, 100])
def test_a_copy_follows_what_becomes_of_its_log(
    disk: SimDisk, happens: Callable[[LogManager], None], copied: int
) -> None:
    manager = created(disk)
    fill(log_of(manager), 40)
    copy = begin(manager).futures[ORDERS]
    for _ in range(copied):
        if copy.log_end_offset < log_of(manager).log_end_offset:
            found = next_slice(log_of(manager), copy, 300)
            append_slice(log_of(manager), found, copy, START_MS)

    happens(manager)
    copy_all(manager)

    log = log_of(manager)
    assert stored_bytes(log) == stored_bytes(copy)
    assert (log.log_start_offset, log.log_end_offset) == (
        copy.log_start_offset,
        copy.log_end_offset,
    )
    written = [
        [one for one in each.epochs.starts if one.start_offset < log.log_end_offset]
        for each in (log, copy)
    ]
    assert written[0] == written[1]
    check_indexes(copy)


def test_a_log_that_is_closed_before_its_slice_is_read_has_changed(tmp_path: Path) -> None:
    """On a real disk, which knows no file by a descriptor that is closed."""
    paths = [str(tmp_path / name) for name in ("here", "there")]
    for path in paths:
        Path(path).mkdir()
    manager = LogManager.open(Disk(), paths, BrokerId(1), "c")
    list(manager.load(lambda topic: CONFIG, START_MS))
    log = manager.get_or_create(ORDERS, CONFIG, None, START_MS, is_new=True)
    fill(log, 10)
    copy = begin(manager).futures[ORDERS]
    found = next_slice(log, copy, 300)
    log.close(START_MS)

    with pytest.raises(SourceChanged):
        append_slice(log, found, copy, START_MS)

    assert copy.log_end_offset == 0
    assert all(directory.health.failure is None for directory in manager.directories)


def life(disk: SimDisk, manager: LogManager, chance: random.Random, durable: list[bytes]) -> None:
    """A log that is moved, with a truncation and a flush that is acknowledged in between."""
    log = log_of(manager)
    fill(log, 20)
    flush(manager)
    durable[:] = [stored_bytes(log)]
    begin(manager)
    copy_all(manager)
    fill(log, 5, epoch=1)
    copy_all(manager)
    # What was promised falls with it.
    durable[:] = [durable[0][: len(durable[0]) // 2]]
    truncate(manager, {ORDERS: 30}, START_MS)
    fill(log, chance.randrange(1, 8), epoch=2)
    copy_all(manager)
    flush(manager)
    durable[:] = [stored_bytes(log)]
    replace(manager)
    for deletion in manager.take_due_deletions(START_MS):
        deletion.run(disk)
    after = log_of(manager)
    fill(after, 3, epoch=3)
    flush(manager)
    durable[:] = [stored_bytes(after)]


def disk_has_both(disk: SimDisk) -> bool:
    return all("orders-0" in names(disk, path) for path in PATHS)


LOTS = 16
"""How often the machine stops before a renaming is synced: what is durable then is drawn."""


@pytest.mark.slow
def test_whenever_the_machine_stops_nothing_durable_is_lost_and_the_move_goes_on() -> None:
    """The power fails in each operation of the disk, one after the other; what was not synced is
    lost by lot.  Two logs are left by nothing but a stop between the two renames."""
    refused = goes_on = 0
    for at in count():
        for lot in range(LOTS):
            chance = random.Random(at)
            disk = SimDisk(1000 * lot + at)
            for path in PATHS:
                disk.make_directory(path)
            disk.sync_directory("/")
            manager = created(disk)
            durable: list[bytes] = [b""]
            disk.crash_at = len(disk.operations) + at
            try:
                life(disk, manager, chance, durable)
            except Crashed:
                before_it = disk.operations[-2]
                disk.crash()
            else:
                assert (True, True) == (goes_on > 50, 1 <= refused <= LOTS)
                return
            if disk_has_both(disk):
                refused += 1
                with pytest.raises(LogDirectoryRefused, match="has a log of orders-0 as well"):
                    started(disk)
                assert ["orders-0"] == names(disk, "/there")
                # Each of them will do.
                kept = chance.randrange(2)
                disk.rename(f"{PATHS[kept]}/orders-0", f"{PATHS[kept]}/aside")
                disk.release_locks()
            manager = started(disk)
            log = manager.log(ORDERS)
            if log is None:
                # Its name was not durable, and nothing was promised.
                assert durable == [b""]
            else:
                assert stored_bytes(log).startswith(durable[0])
                check_indexes(log)
                if manager.future_directory_of(ORDERS) is not None:
                    goes_on += 1
                    fill(log, 2, epoch=9)
                    copy_all(manager)
                    before = stored_bytes(log)
                    replace(manager)
                    assert before == stored_bytes(log_of(manager))
                    assert before == stored_bytes(log_of(restarted(disk)))
            if not (before_it.startswith("rename") and before_it.endswith("-future")):
                break


def test_a_copy_without_its_log_goes_with_the_next_start(disk: SimDisk) -> None:
    manager = created(disk)
    fill(log_of(manager), 5)
    flush(manager)
    begin(manager)
    copy_all(manager)
    manager.delete(ORDERS, OTHER_ID, START_MS)
    manager.settle_deletions()

    manager = restarted(disk)

    assert manager.future_directory_of(ORDERS) is None
    assert [f"orders-0.{ID}-delete"] == names(disk, "/there")


def test_a_copy_is_given_up_without_a_trace(disk: SimDisk) -> None:
    manager = created(disk)
    fill(log_of(manager), 5)
    flush(manager)
    begin(manager)
    copy_all(manager)
    manager.directories[1].write_checkpoints()

    manager.drop_future(ORDERS, START_MS)
    manager.settle_deletions()
    for deletion in manager.take_due_deletions(START_MS):
        deletion.run(disk)

    assert [] == names(disk, "/there")
    assert {} == read_offsets(disk, "/there", RECOVERY_POINTS)
    assert log_of(manager).directory == "/here/orders-0"


def test_of_two_copies_none_is_the_one_that_was_asked_for(disk: SimDisk) -> None:
    manager = created(disk)
    fill(log_of(manager), 5)
    flush(manager)
    for unique_id in (ID, OTHER_ID):
        disk.make_directory(f"/there/orders-0.{unique_id}-future")

    manager = restarted(disk)

    assert manager.future_directory_of(ORDERS) is None
    assert log_of(manager).log_end_offset == 10
