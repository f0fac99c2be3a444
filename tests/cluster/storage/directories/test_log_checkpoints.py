"""Checkpoints and producers of all logs, and locks that are given back."""

import pytest

from cluster.model.ids import BrokerId
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
from tests.sim.disk import SimDisk


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
        return log.append(bytearray(sent), EPOCH, START_MS, START_MS).is_duplicate

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
