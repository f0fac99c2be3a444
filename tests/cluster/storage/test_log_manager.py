"""Several log directories: whose they are, which of them fails, and what that costs."""

import errno
import gc
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Final, cast

import pytest

from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.model.record_batch import CorruptBatchError
from cluster.sim.disk import Crashed, SimDisk, SimFile
from cluster.storage.checkpoints import LOG_STARTS, RECOVERY_POINTS
from cluster.storage.errors import (
    InvalidLogConfig,
    KafkaStorageError,
    LogDirectoryRefused,
    OffsetOutOfRange,
)
from cluster.storage.files import read_whole, replace_whole
from cluster.storage.findings import Kind
from cluster.storage.log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.log_manager import Loaded, LogManager
from cluster.storage.properties import read_topic_id
from cluster.storage.segment import file_name
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import (
    content_of,
    finish_truncation,
    restart_at,
    stored_bytes,
    truncate,
)
from tests.support.seeds import seeds

CONFIG = LogConfig(segment_size_max=1000, index_interval_size=100, index_size_max=4096)
ORDERS = TopicPartition("orders", 0)
PAYMENTS = TopicPartition("payments", 3)
TOPIC_ID = "ldctl0YlR3yfzw_yv9xvVA"
ID = "0123456789abcdef0123456789abcdef"
EPOCH = LeaderEpoch(0)


def disk_with(*paths: str, seed: int = 0) -> SimDisk:
    disk = SimDisk(seed)
    for path in paths:
        disk.make_directory(path)
    disk.sync_directory("/")
    return disk


def started(
    disk: SimDisk,
    *paths: str,
    broker_id: int = 1,
    cluster_id: str = "c",
    config_of: Callable[[str], LogConfig] = lambda topic: CONFIG,
) -> LogManager:
    manager, _ = loaded(disk, *paths, broker_id=broker_id, cluster_id=cluster_id)
    return manager


def loaded(
    disk: SimDisk,
    *paths: str,
    broker_id: int = 1,
    cluster_id: str = "c",
    config_of: Callable[[str], LogConfig] = lambda topic: CONFIG,
) -> tuple[LogManager, list[Loaded]]:
    manager = LogManager.open(disk, paths or ("/data",), BrokerId(broker_id), cluster_id)
    return manager, list(manager.load(config_of, START_MS))


def create(manager: LogManager, partition: TopicPartition = ORDERS) -> PartitionLog:
    return manager.get_or_create(partition, CONFIG, None, START_MS, is_new=True)


def fill(log: PartitionLog, batches: int = 20) -> None:
    for _ in range(batches):
        log.append(batch(3), EPOCH, START_MS, START_MS)


def names(disk: SimDisk, path: str) -> list[str]:
    return [entry.name for entry in disk.list(path)]


def failing(path: str, number: int) -> Callable[[str, str], OSError | None]:
    """A disk under *path* on which everything that changes something fails."""

    def fault(kind: str, where: str) -> OSError | None:
        if kind != "read" and where.startswith(path):
            return OSError(number, "the disk failed", where)
        return None

    return fault


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
    assert "log directory /a, /b: none of them can be used: [Errno 21] " in said
    assert said.count("[Errno 21]") == 2


def test_a_deleted_log_goes_in_two_steps_and_its_namesake_begins_anew():
    disk = disk_with("/data")
    manager = started(disk)
    log = create(manager)
    fill(log)
    log.flush(START_MS)
    manager.write_checkpoints()
    reading = log.read(0, 100, 60, whole_first=True)

    manager.delete(ORDERS, ID, START_MS)
    manager.settle_deletions()

    assert manager.log(ORDERS) is None
    assert [name for name in names(disk, "/data") if "orders" in name] == [f"orders-0.{ID}-delete"]
    assert reading.size == len(content_of(reading))
    assert manager.take_due_deletions(START_MS + 59_999) == ()
    assert create(manager).log_end_offset == 0
    (deletion,) = manager.take_due_deletions(START_MS + 60_000)
    # The thread that removes files must not free a descriptor that is just being read from.
    assert cast(SimFile, reading.file).is_closed
    deletion.run(disk)
    assert [name for name in names(disk, "/data") if "orders" in name] == ["orders-0"]
    assert manager.take_due_deletions(START_MS + 10**9) == ()


@pytest.mark.parametrize("seed", seeds(6))
def test_deletions_that_are_settled_outlive_a_crash(seed: int):
    disk = disk_with("/data", seed=seed)
    manager = started(disk)
    log = create(manager)
    fill(log)
    log.flush(START_MS)
    create(manager, PAYMENTS).flush(START_MS)
    manager.write_checkpoints()
    manager.write_high_watermarks({ORDERS: 60, PAYMENTS: 0})
    manager.delete(ORDERS, ID, START_MS)
    assert manager.take_due_deletions(START_MS + 60_000) == ()
    manager.settle_deletions()
    disk.crash()

    for name in ("recovery-point-offset-checkpoint", "replication-offset-checkpoint"):
        assert read_whole(disk, f"/data/{name}") == b"0\n1\npayments 3 0\n"
    again = started(disk)
    assert again.log(ORDERS) is None
    assert again.log(PAYMENTS) is not None


@pytest.mark.parametrize("seed", seeds(6))
def test_a_deletion_outlives_a_crash_also_when_no_checkpoint_named_the_log(seed: int):
    disk = disk_with("/data", seed=seed)
    manager = started(disk)
    create(manager).flush(START_MS)
    manager.delete(ORDERS, ID, START_MS)
    manager.settle_deletions()
    disk.crash()

    assert started(disk).log(ORDERS) is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(6))
def test_a_log_that_was_flushed_outlives_a_crash_with_its_name_and_topic_id(seed: int):
    disk = disk_with("/data", seed=seed)
    log = started(disk).get_or_create(ORDERS, CONFIG, TOPIC_ID, START_MS, is_new=True)
    fill(log)
    log.flush(START_MS)
    disk.crash()

    again = started(disk).log(ORDERS)

    assert again is not None
    assert again.log_end_offset == 60
    assert again.epochs.starts == log.epochs.starts
    assert read_topic_id(disk, again.directory) == TOPIC_ID


def test_a_flush_that_a_deletion_overtook_harms_no_other_log():
    disk = disk_with("/data")
    manager = started(disk)
    log = create(manager)
    fill(log)
    work = log.begin_flush()
    manager.delete(ORDERS, ID, START_MS)

    with log.health.guard():
        work.run(disk)

    assert create(manager, PAYMENTS).log_end_offset == 0


def test_the_epochs_of_a_deleted_log_do_not_become_those_of_its_namesake():
    disk = disk_with("/data")
    manager = started(disk)
    old = create(manager)
    fill(old)
    old.flush(START_MS)
    old.append(batch(3), LeaderEpoch(7), START_MS, START_MS)
    work = old.begin_flush()
    manager.delete(ORDERS, ID, START_MS)
    manager.settle_deletions()
    fill(create(manager), batches=60)
    create(manager).flush(START_MS)

    work.run(disk)

    manager.close(START_MS, broker_epoch=1)
    log = started(disk).log(ORDERS)
    assert log is not None
    assert log.epochs.starts == ((0, 0),)


def test_a_deleted_log_that_is_flushed_once_more_costs_no_directory():
    disk = disk_with("/data")
    manager = started(disk)
    log = create(manager)
    fill(log)
    manager.delete(ORDERS, ID, START_MS)

    log.flush(START_MS)

    assert manager.online == manager.directories


def test_a_deletion_that_somebody_did_by_hand_is_done():
    disk = disk_with("/data")
    manager = started(disk)
    create(manager)
    manager.delete(ORDERS, ID, START_MS)
    manager.settle_deletions()
    for entry in disk.list(f"/data/orders-0.{ID}-delete"):
        disk.remove(f"/data/orders-0.{ID}-delete/{entry.name}")
    disk.remove(f"/data/orders-0.{ID}-delete")

    for deletion in manager.take_due_deletions(START_MS + 60_000):
        deletion.run(disk)

    assert manager.online != ()


def test_a_directory_that_appeared_meanwhile_is_not_taken_for_a_log():
    disk = disk_with("/data")
    manager = started(disk)
    disk.make_directory("/data/orders-0")

    with pytest.raises(KafkaStorageError, match="was not there"):
        create(manager)

    assert create(manager, PAYMENTS).log_end_offset == 0


def test_a_deletion_that_a_stop_interrupted_is_finished_after_the_start():
    disk = disk_with("/data")
    manager = started(disk)
    fill(create(manager))
    manager.delete(ORDERS, ID, START_MS)
    manager.settle_deletions()
    manager.close(START_MS, -1)

    again = started(disk)

    assert again.log(ORDERS) is None
    for deletion in again.take_due_deletions(START_MS):
        deletion.run(disk)
    assert not any("orders" in name for name in names(disk, "/data"))


def test_a_topic_with_a_long_name_can_be_deleted():
    disk = disk_with("/data")
    manager = started(disk)
    partition = TopicPartition("x" * 249, 12)
    create(manager, partition)

    manager.delete(partition, ID, START_MS)
    manager.settle_deletions()

    assert max(map(len, names(disk, "/data"))) == 255
    assert len(started_again(disk, manager).take_due_deletions(START_MS)) == 1


def started_again(disk: SimDisk, manager: LogManager) -> LogManager:
    manager.close(START_MS, -1)
    return started(disk)


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
        return LogConfig.parse({"cleanup.policy": "compact"} if topic == "orders" else {})

    again, reports = loaded(disk, config_of=config_of)

    assert "compact" in (reports[0].problem or "")
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
        return LogConfig.parse({"cleanup.policy": "compact"} if topic == "orders" else {})

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
        return LogConfig.parse({"cleanup.policy": "compact"})

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
        return LogConfig.parse({"cleanup.policy": "compact"})

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

    # The last one took the mark away, and was not closed.
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
