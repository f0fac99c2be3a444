"""Logs that cannot be opened, beside others that can."""

import errno
import struct
from collections.abc import Sequence
from typing import Final

import pytest

from cluster.formats.record_batch import CorruptBatchError
from cluster.formats.segment_names import file_name
from cluster.storage.errors import (
    InvalidLogConfig,
    KafkaStorageError,
)
from cluster.storage.files import read_whole, replace_whole
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.findings import Kind
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.log_directories import (
    ID,
    ORDERS,
    PAYMENTS,
    create,
    disk_with,
    failing,
    fill,
    loaded,
    names,
    started,
)
from tests.sim.disk import SimDisk
from tests.support.seeds import seeds


def test_a_log_that_cannot_be_opened_is_named_and_not_begun_anew():
    disk = disk_with("/data")
    manager = started(disk)
    fill(create(manager))
    fill(create(manager, PAYMENTS))
    manager.close(START_MS, -1)
    disk.open(f"/data/orders-0/{file_name(0, '.log.swap')}", create=True).write(0, b"no batch")

    again, reports = loaded(disk)

    assert [(one.partition, one.report is None) for one in reports] == [
        (ORDERS, True),
        (PAYMENTS, False),
    ]
    assert "this is not whole" in (reports[0].problem or "")
    with pytest.raises(KafkaStorageError, match="this is not whole"):
        create(again)
    assert read_whole(disk, f"/data/orders-0/{file_name(0, '.log')}")


def with_damaged_orders(*paths: str) -> SimDisk:
    """A disk after an orderly end, with a log of `orders` that cannot be opened, and payments'."""
    disk = disk_with(*paths)
    manager = started(disk, *paths)
    fill(create(manager))
    fill(create(manager, PAYMENTS))
    manager.close(START_MS, -1)
    swap = f"{paths[0]}/orders-0/{file_name(0, '.log.swap')}"
    disk.open(swap, create=True).write(0, b"no batch")
    return disk


FAULTS: Final[Sequence[Exception]] = (
    PermissionError(errno.EACCES, "Permission denied", "/data/orders-0"),
    IsADirectoryError(errno.EISDIR, "Is a directory"),
    OSError(errno.ELOOP, "Too many levels of symbolic links"),
    CorruptBatchError(7, "no batch"),
    struct.error("'i' format requires a number"),
    RecursionError("too deep"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("is_closed", [True, False])
def test_whatever_is_wrong_with_one_log_costs_no_other(fault: Exception, is_closed: bool):
    disk = disk_with("/data")
    manager = started(disk)
    fill(create(manager))
    fill(create(manager, PAYMENTS))
    if is_closed:
        manager.close(START_MS, -1)
    else:
        disk.release_locks()

    def fail(kind: str, path: str) -> OSError | None:
        if kind == "read" and path.startswith("/data/orders-0"):
            raise fault
        return None

    disk.fault = fail
    again, reports = loaded(disk)

    assert [None, True] == [one.report and True for one in reports]
    assert str(fault.args[-1]) in (reports[0].problem or "")
    assert again.log(PAYMENTS) is not None
    assert again.directories[0].health.failure is None
    with pytest.raises(KafkaStorageError):
        create(again)
    again.close(START_MS, -1)
    disk.fault = lambda kind, path: None
    repaired, reports = loaded(disk)
    assert [None, None] == [one.problem for one in reports]
    assert repaired.log(ORDERS) is not None


@pytest.mark.parametrize("stops_again", [False, True])
def test_a_lost_tail_ends_a_log_only_when_the_machine_has_stopped(stops_again: bool):
    """A segment that ends early is a gap while the machine runs, whoever killed the broker."""
    disk = disk_with("/data")
    first = started(disk)
    log = create(first)
    fill(log)
    early = log.segments[1]
    for directory in ("/", "/data", "/data/orders-0"):
        disk.sync_directory(directory)
    for name in names(disk, "/data/orders-0"):
        disk.open(f"/data/orders-0/{name}").sync()
    early.cut(142)
    if stops_again:
        disk.crash()
    else:
        first.directories[0].release()

    manager, (report, *_) = loaded(disk)

    again = manager.log(ORDERS)
    assert again is not None
    assert report.report is not None
    kinds = [one.kind for one in report.report.findings]
    if stops_again:
        assert again.log_end_offset == early.base_offset + 3
        assert kinds == [Kind.LOST_TAIL]
    else:
        assert again.log_end_offset == log.log_end_offset
        assert kinds == [Kind.GAP]


def test_a_directory_that_kafka_had_is_recovered_as_kafka_does():
    """Nobody can say whether the machine has stopped since."""
    disk = disk_with("/data")
    log = create(started(disk))
    fill(log)
    log.flush(START_MS)
    log.segments[1].cut(142)
    disk.crash()
    lock = disk.open("/data/.lock")
    lock.truncate(0)

    manager, (report, *_) = loaded(disk)

    assert report.report is not None
    assert [one.kind for one in report.report.findings] == [Kind.GAP]
    again = manager.log(ORDERS)
    assert again is not None
    assert again.log_end_offset == log.log_end_offset


@pytest.mark.parametrize("is_removed_by_hand", [False, True])
def test_a_log_that_cannot_be_opened_can_be_deleted_and_its_namesake_begins_anew(
    is_removed_by_hand: bool,
):
    disk = with_damaged_orders("/data")
    manager = started(disk)
    if is_removed_by_hand:
        for name in names(disk, "/data/orders-0"):
            disk.remove(f"/data/orders-0/{name}")
        disk.remove("/data/orders-0")

    manager.delete(ORDERS, ID, START_MS)
    manager.settle_deletions()

    assert b"orders" not in (
        read_whole(disk, "/data/recovery-point-offset-checkpoint") or b"orders"
    )
    for deletion in manager.take_due_deletions(START_MS):
        deletion.run(disk)
    assert not [name for name in names(disk, "/data") if name.startswith("orders")]
    assert create(manager).log_end_offset == 0
    manager.close(START_MS, -1)
    assert [one.problem for one in loaded(disk)[1]] == [None, None]


def test_a_log_that_cannot_be_opened_is_not_deleted_while_its_disk_fails():
    disk = with_damaged_orders("/data", "/other")
    manager = started(disk, "/data", "/other")
    disk.fault = failing("/data", errno.EIO)

    with pytest.raises(KafkaStorageError):
        manager.delete(ORDERS, ID, START_MS)

    disk.fault = lambda kind, path: None
    assert "orders-0" in names(disk, "/data")
    assert manager.directories[1].health.failure is None


def test_a_topic_whose_config_is_refused_is_named_and_the_others_are_opened():
    disk = disk_with("/data")
    manager = started(disk)
    fill(create(manager))
    fill(create(manager, PAYMENTS))
    manager.close(START_MS, -1)

    def config_of(topic: str) -> LogConfig:
        return LogConfig.parse({"cleanup.policy": "archive"} if topic == "orders" else {})

    again, reports = loaded(disk, config_of=config_of)

    assert "archive" in (reports[0].problem or "")
    assert again.log(PAYMENTS) is not None
    with pytest.raises(InvalidLogConfig):
        config_of("orders")


@pytest.mark.parametrize("seed", seeds(6))
def test_an_orderly_end_vouches_for_no_log_that_was_not_opened_since_a_crash(seed: int):
    """Found by the simulator: the mark made the next start trust what the crash had damaged."""
    disk = disk_with("/data", seed=seed)
    manager = started(disk)
    for partition in (ORDERS, PAYMENTS):
        log = create(manager, partition)
        log.flush(START_MS)
        fill(log)
    disk.crash()

    def config_of(topic: str) -> LogConfig:
        return LogConfig.parse({"cleanup.policy": "archive"} if topic == "orders" else {})

    between, _ = loaded(disk, config_of=config_of)
    between.close(START_MS, -1)

    assert ".kafka_cleanshutdown" not in names(disk, "/data")
    again, reports = loaded(disk)
    assert [None, None] == [one.problem for one in reports]
    again.close(START_MS, -1)
    assert ".kafka_cleanshutdown" in names(disk, "/data")


def test_a_log_that_was_not_opened_since_the_machine_stopped_may_still_have_lost_its_tail():
    """The boot was noted at a start that had not looked at it: what was lost was called a gap."""
    disk = disk_with("/data")
    manager = started(disk)
    log = create(manager)
    fill(log)
    log.flush(START_MS)
    ends = [segment.base_offset for segment in log.segments]
    disk.crash()
    # As if the last batch of the second segment had not been synced.
    shortened = disk.open(f"/data/orders-0/{file_name(ends[1], '.log')}")
    shortened.truncate(shortened.size() - len(batch(3)))

    def config_of(topic: str) -> LogConfig:
        return LogConfig.parse({"cleanup.policy": "archive"})

    between, _ = loaded(disk, config_of=config_of)
    between.close(START_MS, -1)
    again, reports = loaded(disk)

    report = reports[0].report
    assert report is not None
    assert [Kind.LOST_TAIL] == [finding.kind for finding in report.findings]
    found = again.log(ORDERS)
    assert found is not None
    assert ends[2] - 3 == found.log_end_offset


def test_logs_that_were_closed_in_order_need_not_be_opened_to_stay_so():
    disk = disk_with("/data")
    manager = started(disk)
    fill(create(manager))
    manager.close(START_MS, -1)

    def config_of(topic: str) -> LogConfig:
        return LogConfig.parse({"cleanup.policy": "archive"})

    between, _ = loaded(disk, config_of=config_of)
    between.close(START_MS, -1)

    assert ".kafka_cleanshutdown" in names(disk, "/data")


def test_what_is_known_of_orderly_ends_lasts_until_one_is_missing():
    disk = disk_with("/data")
    first = started(disk)
    assert -1 == first.intact_since
    first.close(START_MS, 42, intact_since=17)

    again = started(disk)
    assert 17 == again.intact_since
    again.close(START_MS, 43, intact_since=again.intact_since)
    third = started(disk)
    assert 17 == third.intact_since

    # The last one took the mark away, and was not closed.  Its machine goes on: nothing is lost.
    disk.release_locks()
    assert 17 == started(disk).intact_since

    disk.crash()
    assert -1 == started(disk).intact_since
    disk.release_locks()
    assert -1 == started(disk).intact_since


def test_what_is_noted_while_a_broker_runs_counts_until_its_machine_stops():
    disk = disk_with("/data")
    first = started(disk)
    assert -1 == first.flushed_since, "the directory is new"
    list(first.load(lambda topic: LogConfig(), START_MS))
    first.note_intact_since(42)

    disk.release_locks()
    again = started(disk)
    assert 42 == again.intact_since == again.flushed_since
    # The machine stops: what was flushed is still there.
    disk.crash()
    again = started(disk)
    assert (-1, 42) == (again.intact_since, again.flushed_since)
    # It stops once more, before a controller has noticed: that is still so.
    list(again.load(lambda topic: LogConfig(), START_MS))
    again.note_intact_since(again.intact_since, again.flushed_since)
    disk.crash()
    again = started(disk)
    assert (-1, 42) == (again.intact_since, again.flushed_since)
    # A directory has failed: what it has not taken may be lost.
    list(again.load(lambda topic: LogConfig(), START_MS))
    again.note_intact_since(-1)
    disk.release_locks()
    assert -1 == started(disk).intact_since

    disk.crash()
    last = started(disk)
    assert (-1, -1) == (last.intact_since, last.flushed_since)


def test_a_directory_from_a_backup_counts_as_one_that_has_lost_records_without_its_lock_and_mark():
    disk = disk_with("/data")
    first = started(disk)
    list(first.load(lambda topic: LogConfig(), START_MS))
    first.note_intact_since(42)
    first.close(START_MS, 42, intact_since=42)

    for name in (".lock", ".kafka_cleanshutdown"):
        disk.remove(f"/data/{name}")

    back = started(disk)
    assert (-1, -1) == (back.intact_since, back.flushed_since)


def test_nothing_counts_as_intact_on_a_machine_without_a_boot_id(monkeypatch: pytest.MonkeyPatch):
    disk = disk_with("/data")
    monkeypatch.setattr(disk, "boot_id", lambda: "")
    first = started(disk)
    list(first.load(lambda topic: LogConfig(), START_MS))
    first.note_intact_since(42)

    disk.release_locks()
    assert -1 == started(disk).intact_since


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (b'{"version":0,"brokerEpoch":42,"intactSince":17}', 17),
        (b'{"version":0,"brokerEpoch":42}', -1),
        (b"", -1),
        (b'{"version":0,"intactSince":"17"}', -1),
        (b'{"version":0,"intactSince":true}', -1),
        (b"[17]", -1),
        (b'{"intactSi', -1),
        (b"\xff", -1),
    ],
    ids=["ours", "Kafka's", "Kafka's before 3.7", "text", "truth", "list", "torn", "no text"],
)
def test_what_a_mark_says(mark: bytes, expected: int):
    disk = disk_with("/data")
    started(disk).close(START_MS, 42)
    replace_whole(disk, "/data", ".kafka_cleanshutdown", mark)

    assert expected == started(disk).intact_since


@pytest.mark.parametrize(
    ("sinces", "expected"), [((17, 20), 20), ((20, 17), 20), ((17, -1), -1), ((-1, 17), -1)]
)
def test_a_broker_is_intact_as_far_as_all_of_its_directories_are(
    sinces: tuple[int, int], expected: int
):
    disk = disk_with("/a", "/b")
    for path, since in zip(("/a", "/b"), sinces, strict=True):
        started(disk, path).close(START_MS, 42, intact_since=since)

    assert expected == started(disk, "/a", "/b").intact_since
