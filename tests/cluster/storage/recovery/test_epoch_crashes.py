"""What is known of a log's leader epochs after the machine stopped, in whichever operation.

A replica leads and follows by turns, as one seed says: it begins epochs, appends, truncates to
where another leader's log parts from its own, flushes beside all that, and forgets its oldest
records.  After a stop in one of its operations, epochs and batches must tell the same story.
"""

import random
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import pytest

from cluster.formats.checkpoints import EpochEntry
from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log.work import FlushWork
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import headers_of, opened, sim_disk, truncate
from tests.sim.disk import Crashed, SimDisk
from tests.support.examples import example_count
from tests.support.seeds import block_id, blocks

CONFIG: Final = LogConfig(segment_size_max=900, index_size_max=4096, file_delete_delay_ms=0)
ORDERS: Final = TopicPartition("orders", 0)
SEEDS: Final = example_count(400)
SEEDS_IN_A_TEST: Final = 100
ACTS: Final = 14


@dataclass
class Life:
    """One replica, from its first record to the end of its machine."""

    disk: SimDisk
    chance: random.Random
    epoch: int = 0
    """The newest that any leader had."""
    is_leading: bool = False
    flush: FlushWork | None = None
    """The flush that is under way."""

    def run(self) -> None:
        self.start()
        acts = (self.lead, self.append, self.append, self.follow, self.begin_flush, self.end_flush)
        for _ in range(ACTS):
            self.chance.choice((*acts, self.forget, self.restart))()

    def start(self) -> None:
        self.manager = manager_on(self.disk)
        self.log = self.manager.get_or_create(ORDERS, CONFIG, None, START_MS, is_new=True)
        self.is_leading = False

    def lead(self) -> None:
        self.epoch += 1
        self.log.assign_epoch(LeaderEpoch(self.epoch))
        self.is_leading = True

    def append(self) -> None:
        if not self.is_leading:
            self.lead()
        for _ in range(self.chance.randint(1, 4)):
            self.log.append(self.batch(), LeaderEpoch(self.epoch), START_MS, START_MS)

    def batch(self, base_offset: int = 0, epoch: int = -1) -> bytearray:
        return batch(self.chance.randint(1, 4), base_offset=base_offset, leader_epoch=epoch)

    def follow(self) -> None:
        """Go on as another leader has it, in which one of the epochs lasted longer."""
        self.is_leading = False
        log = self.log
        offsets = [header.base_offset for header in headers_of(content_of(log))]
        offset = self.chance.choice([*offsets, log.log_end_offset])
        truncate(self.manager, {ORDERS: max(offset, log.log_start_offset)}, START_MS)
        headers = headers_of(content_of(log))
        epoch = headers[-1].leader_epoch if headers else 0
        for _ in range(self.chance.randint(1, 5)):
            sent = self.batch(log.log_end_offset, epoch)
            log.append_as_follower(sent, START_MS)
            epoch = self.chance.randint(epoch, self.epoch)

    def begin_flush(self) -> None:
        if self.flush is None:
            self.flush = self.log.begin_flush()

    def end_flush(self) -> None:
        self.begin_flush()
        assert self.flush is not None
        self.flush.run(self.disk)
        self.log.finish_flush(self.flush, START_MS)
        self.flush = None
        self.manager.write_checkpoints()

    def forget(self) -> None:
        start, end = self.log.log_start_offset, self.log.log_end_offset
        self.log.delete_records_before(self.chance.randint(start, end), end)
        self.manager.write_checkpoints()
        self.manager.delete_old_segments(START_MS, START_MS, lambda of: self.log.log_end_offset)

    def restart(self) -> None:
        if self.flush is not None:
            self.end_flush()
        self.manager.close(START_MS, broker_epoch=-1)
        self.start()
        check_epochs(self.log)


def manager_on(disk: SimDisk) -> LogManager:
    manager = LogManager.open(disk, ["/data"], BrokerId(1), "cluster")
    for loaded in manager.load(lambda topic: CONFIG, START_MS):
        assert loaded.problem is None
    return manager


def content_of(log: PartitionLog) -> bytes:
    return b"".join(segment.file.read(0, segment.size) for segment in log.segments)


def told_by_batches(log: PartitionLog) -> tuple[EpochEntry, ...]:
    starts: list[EpochEntry] = []
    for header in headers_of(content_of(log)):
        is_new = not starts or starts[-1].leader_epoch != header.leader_epoch
        if header.next_offset > log.log_start_offset and is_new:
            first_offset = max(header.base_offset, log.log_start_offset)
            starts.append(EpochEntry(header.leader_epoch, first_offset))
    return tuple(starts)


def check_epochs(log: PartitionLog) -> None:
    """What is known is what the batches say; of a log without batches the last epoch may be."""
    known = tuple(start for start in log.epochs.starts if start.start_offset < log.log_end_offset)
    assert known == told_by_batches(log)


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks(SEEDS, SEEDS_IN_A_TEST), ids=block_id)
def test_epochs_and_batches_agree_whenever_the_machine_stops(block: range):
    for seed in block:
        sys.stdout.write(f"seed {seed}\n")
        undisturbed = life(seed)
        undisturbed.run()
        stopped = life(seed)
        stopped.disk.crash_at = random.Random(seed).randrange(len(undisturbed.disk.operations))
        with suppress(Crashed):
            stopped.run()
        stopped.disk.crash()

        log = manager_on(stopped.disk).log(ORDERS)

        if log is not None:
            check_epochs(log)


def life(seed: int) -> Life:
    disk = SimDisk(seed)
    disk.make_directory("/data")
    disk.sync_directory("/")
    return Life(disk, random.Random(seed))


def test_the_beginning_of_an_epoch_does_not_touch_the_disk():
    disk = sim_disk()
    log, _ = opened(disk)
    log.append(batch(3), LeaderEpoch(0), START_MS, START_MS)
    log.flush(START_MS)
    before = list(disk.operations)

    log.assign_epoch(LeaderEpoch(1))

    assert disk.operations == before
    log.append(batch(3), LeaderEpoch(1), START_MS, START_MS)
    log.flush(START_MS)
    assert "rename /data/orders-0/leader-epoch-checkpoint.tmp" in disk.operations
