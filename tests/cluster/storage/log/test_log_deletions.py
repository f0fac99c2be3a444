"""Logs that are deleted, and their namesakes."""

from typing import cast

import pytest

from cluster.model.ids import LeaderEpoch, TopicPartition
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.directories.properties import read_topic_id
from cluster.storage.errors import (
    KafkaStorageError,
)
from cluster.storage.files import read_whole
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.log_directories import (
    CONFIG,
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
    content_of,
)
from tests.sim.disk import SimDisk, SimFile
from tests.support.seeds import seeds

TOPIC_ID = "ldctl0YlR3yfzw_yv9xvVA"


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
