"""Several log directories: whose they are, which of them fails, and what that costs."""

from copy import deepcopy

import pytest

from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerId, TopicPartition
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import (
    LogDirectoryRefused,
)
from cluster.storage.files import read_whole
from tests.cluster.storage.batches import START_MS
from tests.cluster.storage.log_directories import (
    CONFIG,
    ORDERS,
    PAYMENTS,
    create,
    disk_with,
    fill,
    loaded,
    names,
    started,
)
from tests.sim.disk import SimDisk


def test_a_directory_is_signed_at_its_first_start():
    disk = SimDisk()

    started(disk, "/data").close(START_MS, broker_epoch=42)

    assert read_whole(disk, "/data/meta.properties") == (
        b"#\nbroker.id=1\nversion=0\ncluster.id=c\n"
    )
    assert read_whole(disk, "/data/.kafka_cleanshutdown") == b'{"version":0,"brokerEpoch":42}'


@pytest.mark.parametrize(
    ("broker_id", "cluster_id", "text"),
    [(2, "c", "broker 1's"), (1, "other", "of cluster c")],
)
def test_somebody_elses_directory_is_refused(broker_id: int, cluster_id: str, text: str):
    disk = disk_with("/data")
    started(disk).close(START_MS, -1)

    with pytest.raises(LogDirectoryRefused, match=text):
        started(disk, broker_id=broker_id, cluster_id=cluster_id)

    assert started(disk).online != ()


def test_a_directory_is_used_by_one_process_at_a_time():
    disk = disk_with("/data")
    first = started(disk)

    with pytest.raises(LogDirectoryRefused, match="another process"):
        started(disk)

    first.close(START_MS, -1)
    started(disk)


@pytest.mark.parametrize("content", [b"version=1\nnode.id=1\n", b"\xff\xfe", b"broker.id=x"])
def test_a_directory_whose_owner_cannot_be_read_is_refused(content: bytes):
    disk = disk_with("/data")
    disk.open("/data/meta.properties", create=True).write(0, content)

    with pytest.raises(LogDirectoryRefused, match=r"meta\.properties"):
        started(disk)


def test_a_directory_that_does_not_know_the_last_start_may_have_lost_records():
    """One of two is restored from a backup of the start before."""
    disk = SimDisk()

    def start(registered: int) -> LogManager:
        manager = LogManager.open(disk, ("/a", "/b"), BrokerId(1), "c")
        manager.begin_incarnation(registered)
        list(manager.load(lambda topic: CONFIG, START_MS))
        return manager

    first = start(registered=0)
    create(first, ORDERS)
    first.close(START_MS, 40, intact_since=40)
    backup = deepcopy(disk._directory("/a"))
    second = start(registered=first.incarnation)
    assert (second.intact_since, second.incarnation) == (40, 2)
    second.close(START_MS, 50, intact_since=40)
    disk._root.entries["a"] = backup

    third = start(registered=second.incarnation)

    assert [-1, 40] == [one.intact_since for one in third.directories]
    assert third.intact_since == third.flushed_since == UNKNOWN_BROKER_EPOCH
    (problem,) = (text for one in third.directories for text in one.problems)
    assert problem.startswith("/a is of an earlier start of this broker")
    third.close(START_MS, -1)
    # It did not register, and the directory knows of it: what was lost stays lost.
    fourth = start(registered=second.incarnation)
    assert (fourth.intact_since, fourth.incarnation) == (UNKNOWN_BROKER_EPOCH, 4)
    fourth.close(START_MS, 60, intact_since=60)
    # ZooKeeper may be another one, which has not counted as far.
    assert (start(registered=0).intact_since, fourth.incarnation) == (60, 4)


def test_what_is_not_ours_is_named_and_left_alone():
    disk = disk_with("/data")
    foreign = [
        "lost+found",
        "orders-0-future",
        "orders-0-stray",
        "orders-007",
        "__cluster_metadata-0",
        "backup",
    ]
    for name in foreign:
        disk.make_directory(f"/data/{name}")
        disk.open(f"/data/{name}/file", create=True).write(0, b"x")

    manager = started(disk)

    assert sorted(manager.directories[0].survey.foreign) == sorted(foreign)
    manager.close(START_MS, -1)
    assert all(names(disk, f"/data/{name}") == ["file"] for name in foreign)


def test_new_logs_go_where_the_fewest_are():
    manager = started(SimDisk(), "/a", "/b")

    for number in range(5):
        create(manager, TopicPartition("t", number))

    assert [len(directory.logs) for directory in manager.directories] == [3, 2]


def test_logs_are_there_again_after_an_orderly_end_with_all_that_is_known_of_them():
    disk = SimDisk()
    manager = started(disk, "/a", "/b")
    orders, payments = (create(manager, partition) for partition in (ORDERS, PAYMENTS))
    fill(orders)
    fill(payments)
    orders.delete_records_before(7, 60)
    manager.write_high_watermarks({ORDERS: 50, PAYMENTS: 1000})
    manager.close(START_MS, -1)
    before = disk.read_size

    again, reports = loaded(disk, "/a", "/b")

    assert [(one.report is not None, one.problem) for one in reports] == [(True, None)] * 2
    assert disk.read_size - before < 30_000
    first, second = again.directories
    assert (first.high_watermark(ORDERS), second.high_watermark(PAYMENTS)) == (50, 60)
    log = again.log(ORDERS)
    assert log is not None
    assert (log.log_start_offset, log.recovery_point, log.log_end_offset) == (7, 60, 60)


def test_high_watermarks_from_before_a_deletion_are_not_given_to_a_namesake():
    disk = disk_with("/data")
    manager = started(disk)
    fill(create(manager))
    late = manager.high_watermarks_work({ORDERS: 20})
    manager.delete(ORDERS, "0" * 32, START_MS)
    manager.settle_deletions()
    fill(create(manager))
    late()

    assert manager.directories[0].high_watermark(ORDERS) == 0
    manager.high_watermarks_work({ORDERS: 20})()
    assert manager.directories[0].high_watermark(ORDERS) == 20


def test_the_same_partition_in_two_directories_is_refused():
    disk = disk_with("/a", "/b")
    disk.make_directory("/a/orders-0")
    disk.make_directory("/b/orders-0")

    with pytest.raises(LogDirectoryRefused, match="orders-0"):
        loaded(disk, "/a", "/b")
