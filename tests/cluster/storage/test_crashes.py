"""What comes back after the machine stopped, in every operation of a day in a log's life.

The simulated disk counts all operations that change something.  Each test run stops in one of
them, keeps by a seed some of what was not synced, whole or torn, and opens the logs again.
"""

import random
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import pytest

from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.sim.disk import Crashed, SimDisk
from cluster.storage.log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.log_manager import LogManager
from cluster.storage.producer_replay import replay
from cluster.storage.producer_snapshot import encode
from cluster.storage.producer_state import ProducerState
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import check_indexes, headers_of, stored_bytes

CONFIG: Final = LogConfig(
    segment_size_max=3000, index_interval_size=150, index_size_max=4096, file_delete_delay_ms=0
)
ORDERS: Final = TopicPartition("orders", 0)
GONE: Final = TopicPartition("gone", 0)
TOPIC_ID: Final = "ldctl0YlR3yfzw_yv9xvVA"


@dataclass
class Day:
    """What happens to a log, and what may and what must be there afterwards."""

    disk: SimDisk
    chance: random.Random
    content: list[bytes] = field(default_factory=list)
    """The batches that were ever given to the log and not truncated since."""
    durable: int = 0
    """How many of them were acknowledged as flushed."""
    deleted_before: int = 0
    """The log start that was acknowledged."""
    sequence: int = 0

    def run(self) -> None:
        manager = started(self.disk)
        log = create(manager, ORDERS)
        gone = create(manager, GONE)
        fill(gone)
        gone.flush(START_MS)
        for step in range(3):
            self.append(log, 9, LeaderEpoch(2 * step))
            self.flush(manager, log)
            self.append(log, 7, LeaderEpoch(2 * step + 1))
        self.truncate(manager, log, 40)
        self.append(log, 8, LeaderEpoch(7))
        manager.delete(GONE, "0" * 32, START_MS)
        manager.settle_deletions()
        self.flush(manager, log)
        self.deleted_before = manager.delete_records_before(ORDERS, 17, log.log_end_offset)
        manager.delete_old_segments(START_MS, lambda partition: log.recovery_point)
        for deletion in manager.take_due_deletions(START_MS):
            deletion.run(self.disk)
        self.append(log, 3, LeaderEpoch(7))
        manager.close(START_MS, broker_epoch=-1)
        self.durable = len(self.content)
        manager = started(self.disk)
        log = create(manager, ORDERS)
        self.append(log, 25, LeaderEpoch(8))
        fill(create(manager, GONE))

    def append(self, log: PartitionLog, count: int, epoch: LeaderEpoch) -> None:
        for _ in range(count):
            # Now and then a batch is larger than a sector, and can be torn.
            records = [bytes([number]) * self.chance.choice((20, 20, 20, 700)) for number in (1, 2)]
            sent = batch(records, producer_id=9, producer_epoch=0, sequence=self.sequence)
            self.sequence += len(records)
            self.content.append(b"")
            try:
                log.append(sent, epoch, START_MS)
            finally:
                self.content[-1] = bytes(sent)

    def flush(self, manager: LogManager, log: PartitionLog) -> None:
        count = len(self.content)
        log.flush(START_MS)
        self.durable = count
        manager.write_checkpoints()

    def truncate(self, manager: LogManager, log: PartitionLog, offset: int) -> None:
        kept = [one for one in self.content if headers_of(one)[0].next_offset <= offset]
        self.durable = min(self.durable, len(kept))
        manager.truncate_to(ORDERS, offset, START_MS)
        self.content = kept
        self.sequence = headers_of(kept[-1])[0].last_sequence + 1


def started(disk: SimDisk) -> LogManager:
    manager = LogManager.open(disk, ["/data"], BrokerId(1), "cluster")
    for loaded in manager.load(lambda topic: CONFIG, START_MS):
        assert loaded.problem is None
    return manager


def create(manager: LogManager, partition: TopicPartition) -> PartitionLog:
    return manager.get_or_create(partition, CONFIG, TOPIC_ID, START_MS, is_new=True)


def machine(seed: int) -> SimDisk:
    disk = SimDisk(seed)
    disk.make_directory("/data")
    disk.sync_directory("/")
    disk.operations.clear()
    return disk


def fill(log: PartitionLog) -> None:
    for _ in range(30):
        log.append(batch(4), LeaderEpoch(9), START_MS)


def operation_count() -> int:
    disk = machine(0)
    Day(disk, random.Random(0)).run()
    return len(disk.operations)


OPERATIONS: Final = operation_count()
SHARDS: Final = 8


@pytest.mark.parametrize("shard", range(SHARDS))
def test_what_was_flushed_comes_back_whenever_the_machine_stops(shard: int):
    for number in range(shard, OPERATIONS, SHARDS):
        survive(number, seed=number)


def survive(number: int, seed: int) -> None:
    sys.stdout.write(f"stopped in operation {number}, seed {seed}\n")
    disk = machine(seed)
    day = Day(disk, random.Random(0))
    disk.crash_at = number
    with pytest.raises(Crashed):
        day.run()
    disk.crash()
    # Now and then it stops again while it recovers.
    chance = random.Random(seed)
    if chance.random() < 0.5:
        disk.crash_at = len(disk.operations) + chance.randrange(20)
        with suppress(Crashed):
            started(disk)
        disk.crash()
    check(day, disk)


def check(day: Day, disk: SimDisk) -> None:
    manager = started(disk)
    log = manager.log(ORDERS)
    if log is None:
        assert day.durable == 0
        return
    check_log(day, log, disk)
    end_offset = log.log_end_offset
    for number in range(20):
        sent = batch(2, producer_id=10, producer_epoch=0, sequence=2 * number)
        log.append(sent, LeaderEpoch(9), START_MS)
    log.flush(START_MS)
    if manager.log(GONE) is None:
        # What was known of its namesake must not be believed of this one.
        fill(create(manager, GONE))
    disk.crash()
    manager = started(disk)
    again = manager.log(ORDERS)
    assert again is not None
    assert again.log_end_offset == end_offset + 40
    check_producers(again)
    check_orderly_end(manager, disk, end_offset + 40)


def check_orderly_end(manager: LogManager, disk: SimDisk, end_offset: int) -> None:
    manager.close(START_MS, broker_epoch=-1)
    read_before = disk.read_size
    log = started(disk).log(ORDERS)
    assert log is not None
    assert log.log_end_offset == end_offset
    assert disk.read_size - read_before < 20_000
    check_indexes(log)
    check_producers(log)


def check_log(day: Day, log: PartitionLog, disk: SimDisk) -> None:
    came_back = b"".join(segment.file.read(0, segment.size) for segment in log.segments)
    base = log.segments[0].base_offset
    given = [one for one in day.content if headers_of(one)[0].base_offset >= base]
    skipped = len(day.content) - len(given)
    assert b"".join(given).startswith(came_back)
    assert len(headers_of(came_back)) >= day.durable - skipped
    assert log.log_start_offset >= day.deleted_before
    check_indexes(log)
    check_producers(log)
    for header in headers_of(stored_bytes(log)):
        assert log.epochs.epoch_at(header.base_offset) in (header.leader_epoch, -1)


def check_producers(log: PartitionLog) -> None:
    """Hold what is known of the producers against the batches themselves."""
    replayed = ProducerState(log.segments[0].base_offset)
    replay(replayed, log.segments, log.log_end_offset)
    # A snapshot knows one batch of a producer, the log may still hold more of them.
    assert encode(sorted(log.producers.producers)) == encode(sorted(replayed.producers))


def test_the_scenario_reaches_what_it_is_about():
    disk = machine(0)
    Day(disk, random.Random(0)).run()
    kinds = {operation.split()[0] for operation in disk.operations}

    assert kinds == {"create", "mkdir", "rename", "remove", "sync", "truncate", "write"}
    assert OPERATIONS > 200
