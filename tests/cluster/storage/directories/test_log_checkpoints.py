"""Checkpoints and producers of all logs, and locks that are given back."""

import pytest

from cluster.formats.checkpoints import CLEANED_OFFSETS
from cluster.model.ids import BrokerId
from cluster.storage.directories.checkpoints import read_offsets
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import (
    LogDirectoryRefused,
)
from cluster.storage.log.partition_log import PartitionLog
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.log_directories import (
    CONFIG,
    EPOCH,
    ORDERS,
    PAYMENTS,
    create,
    disk_with,
    fill,
    started,
)
from tests.cluster.storage.logs import restart_at, truncate
from tests.sim.disk import SimDisk

OTHER_ID = "0" * 31 + "1"


def test_a_damaged_checkpoint_is_named_and_made_anew_from_the_logs():
    disk = disk_with("/data")
    manager = started(disk)
    fill(create(manager))
    manager.close(START_MS, -1)
    file = disk.open("/data/recovery-point-offset-checkpoint")
    file.truncate(0)
    file.write(0, b"0\n7\norders 0 60\n")

    again = started(disk)

    assert len(again.directories[0].problems) == 1
    log = again.log(ORDERS)
    assert log is not None
    assert log.log_end_offset == 60


def test_producers_are_forgotten_as_soon_as_is_said_in_all_logs_and_after_the_next_start() -> None:
    disk = disk_with("/data")
    manager = started(disk)
    logs = [create(manager)]
    manager.expire_producers_after(1000)
    logs.append(create(manager, PAYMENTS))
    sent = bytes(batch(1, producer_id=7, producer_epoch=0, sequence=0))

    def repeats(log: PartitionLog) -> bool:
        *_, is_duplicate, _ = log.append(bytearray(sent), EPOCH, START_MS, START_MS)
        return is_duplicate

    assert [False, False, True, True] == [repeats(log) for log in logs * 2]
    for after_ms, is_known in ((999, True), (1000, False)):
        for log in logs:
            log.expire_producers(START_MS + after_ms)
        assert [is_known] * 2 == [repeats(log) for log in logs]

    manager.close(START_MS, 0)
    later = LogManager.open(disk, ("/data",), BrokerId(1), "c")
    later.expire_producers_after(1000)
    list(later.load(lambda topic: CONFIG, START_MS + 1000))
    opened_again = later.log(ORDERS)
    assert opened_again is not None
    opened_again.expire_producers(START_MS + 1000 + 1000)
    assert not repeats(opened_again)


def test_directories_are_given_back_when_another_one_is_refused() -> None:
    """Else nobody could have them, not even the same process with better settings."""
    disk = SimDisk()
    LogManager.open(disk, ["/b"], BrokerId(2), "the-cluster").directories[0].release()
    with pytest.raises(LogDirectoryRefused):
        LogManager.open(disk, ["/a", "/b"], BrokerId(1), "the-cluster")

    manager = LogManager.open(disk, ["/a"], BrokerId(1), "the-cluster")

    assert ["/a"] == [directory.path for directory in manager.online]


def cleaned_offsets(disk: SimDisk, path: str = "/data") -> dict[str, int]:
    return {str(of): offset for of, offset in read_offsets(disk, path, CLEANED_OFFSETS).items()}


def test_where_a_log_is_clean_outlives_a_start_and_follows_truncations() -> None:
    disk = disk_with("/data")
    manager = started(disk)
    log = create(manager)
    fill(log)
    create(manager, PAYMENTS)
    log.cleaned_offset = 40
    manager.write_checkpoints()
    assert cleaned_offsets(disk) == {"orders-0": 40}
    manager.close(START_MS, -1)

    manager = started(disk)
    again = manager.log(ORDERS)
    assert again is not None
    assert again.cleaned_offset == 40
    truncate(manager, {ORDERS: 30}, START_MS)
    assert (again.cleaned_offset, cleaned_offsets(disk)) == (30, {"orders-0": 30})
    restart_at(manager, ORDERS, 10, START_MS)
    assert (again.cleaned_offset, cleaned_offsets(disk)) == (10, {"orders-0": 10})

    manager.delete(ORDERS, OTHER_ID, START_MS)
    manager.settle_deletions()
    assert cleaned_offsets(disk) == {}
    assert create(manager).cleaned_offset is None


def test_where_a_log_is_clean_moves_with_it_to_another_directory() -> None:
    disk = disk_with("/data", "/more")
    manager = LogManager.open(disk, ("/data", "/more"), BrokerId(1), "c")
    list(manager.load(lambda topic: CONFIG, START_MS))
    log = create(manager)
    fill(log)
    log.cleaned_offset = 40
    other = next(one for one in manager.directories if one.path != log.health.directory)
    copy = other.create_future(ORDERS, CONFIG, None, OTHER_ID, START_MS)
    manager.write_checkpoints()
    assert cleaned_offsets(disk, other.path) == {}
    for segment in log.segments:
        copy.append_as_follower(segment.file.read(0, segment.size), START_MS)

    manager.replace_with_future(ORDERS, OTHER_ID, START_MS)
    manager.settle_deletions()
    manager.write_checkpoints()

    assert cleaned_offsets(disk, other.path) == {"orders-0": 40}
    assert cleaned_offsets(disk, log.health.directory) == {}
