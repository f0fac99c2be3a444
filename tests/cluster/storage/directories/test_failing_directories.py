"""Log directories that fail: their logs go offline, and no others."""

import errno

import pytest

from cluster.model.ids import TopicPartition
from cluster.storage.errors import (
    KafkaStorageError,
    LogDirectoryRefused,
)
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.log_directories import (
    CONFIG,
    EPOCH,
    ORDERS,
    PAYMENTS,
    create,
    disk_with,
    failing,
    fill,
    started,
)
from tests.cluster.storage.logs import (
    stored_bytes,
)


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EROFS])
def test_a_failing_directory_takes_its_own_logs_offline_and_no_others(number: int):
    disk = disk_with("/a", "/b")
    manager = started(disk, "/a", "/b")
    orders, payments = create(manager), create(manager, PAYMENTS)
    fill(orders)
    fill(payments)
    orders.flush(START_MS)
    manager.write_checkpoints()
    acknowledged = stored_bytes(orders)

    disk.fault = failing("/a", number)

    with pytest.raises(KafkaStorageError, match="/a is offline"):
        orders.append(batch(1), EPOCH, START_MS, START_MS)
    with pytest.raises(KafkaStorageError):
        orders.read(0, 100, 60, whole_first=True)
    with pytest.raises(KafkaStorageError):
        manager.get_or_create(ORDERS, CONFIG, None, START_MS, is_new=False)
    # A log that nobody has seen may be in the directory that failed.
    with pytest.raises(KafkaStorageError):
        manager.get_or_create(TopicPartition("new", 0), CONFIG, None, START_MS, is_new=False)
    fill(payments)
    assert create(manager, TopicPartition("new", 0)).directory == "/b/new-0"
    assert manager.delete_old_segments(START_MS, START_MS, lambda partition: 0) == {}
    manager.close(START_MS, -1)

    disk.fault = lambda kind, path: None
    disk.crash()
    again = started(disk, "/a", "/b")
    log = again.log(ORDERS)
    assert log is not None
    assert stored_bytes(log) == acknowledged
    assert [directory.was_closed for directory in again.directories] == [False, True]


def test_a_full_disk_takes_a_directory_offline_and_keeps_what_was_flushed():
    disk = disk_with("/data")
    manager = started(disk)
    log = create(manager)
    fill(log)
    log.flush(START_MS)
    kept = stored_bytes(log)
    disk.room = disk.used() + 5

    with pytest.raises(KafkaStorageError, match="no space left"):
        log.append(batch(9), EPOCH, START_MS, START_MS)
    assert manager.online == ()

    disk.room = None
    disk.crash()
    again = started(disk).log(ORDERS)
    assert again is not None
    assert stored_bytes(again) == kept


class FailsAt:
    """A disk on which the operation of a *kind* with a certain number fails, and all behind it."""

    def __init__(self, kind: str, number: int) -> None:
        self.kind = kind
        self.left = number

    def __call__(self, kind: str, path: str) -> OSError | None:
        if kind == self.kind:
            self.left -= 1
        return OSError(errno.EIO, "input/output error", path) if self.left < 0 else None


@pytest.mark.parametrize("kind", ["create", "write", "truncate", "rename", "sync"])
def test_an_operation_that_fails_loses_nothing_that_was_flushed(kind: str):
    is_over = False
    number = 0
    while not is_over:
        disk = disk_with("/data")
        manager = started(disk)
        log = create(manager)
        fill(log, 5)
        log.flush(START_MS)
        kept = stored_bytes(log)
        disk.fault = FailsAt(kind, number)
        try:
            fill(log, 5)
            log.flush(START_MS)
            kept = stored_bytes(log)
            manager.write_checkpoints()
            is_over = manager.online != ()
        except KafkaStorageError:
            assert log.is_offline
        disk.fault = lambda kind, path: None
        disk.crash()
        again = started(disk).log(ORDERS)
        assert again is not None
        assert stored_bytes(again).startswith(kept)
        number += 1
    assert number > 1


def test_a_directory_that_cannot_be_opened_is_offline_from_the_start():
    disk = disk_with("/a", "/b")
    disk.fault = failing("/a", errno.EROFS)

    manager = started(disk, "/a", "/b")

    assert [directory.path for directory in manager.online] == ["/b"]
    assert create(manager).directory == "/b/orders-0"


def test_a_broker_without_any_working_directory_does_not_start():
    """Where a checkpoint is a directory, or a FIFO, it is no disk that a new one would mend."""
    disk = disk_with("/a", "/b")
    disk.fault = failing("/", errno.EISDIR)

    with pytest.raises(LogDirectoryRefused) as refused:
        started(disk, "/a", "/b")

    said = str(refused.value)
    assert "log directory /a, /b: none of them can be used: " in said
    assert said.count(".lock: the disk failed") == 2
