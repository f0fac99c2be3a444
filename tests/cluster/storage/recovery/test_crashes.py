"""What comes back after a machine stopped, or a process was killed, in any operation on its logs.

A seed draws the life of a broker's logs: what is done to them, in which operation of the disk it
ends, whether the machine stops (then some of what was not synced is lost, whole or torn, and it may
stop again while it recovers) or only the process ends, and what follows.  After each start the log
must be a prefix of what it was given, with all that was acknowledged as flushed, or, when only the
process has ended, with all that was acknowledged.  CRASH_SEEDS=20000 in the environment draws more.
"""

import os
import random
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import pytest

from cluster.formats.producer_snapshot import encode
from cluster.formats.record_batch import whole_batches
from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log.producer_replay import replay
from cluster.storage.log.producer_state import ProducerState
from cluster.storage.log.work import FlushWork
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch, marker
from tests.cluster.storage.logs import (
    check_indexes,
    headers_of,
    restart_at,
    stored_bytes,
    truncate,
)
from tests.sim.disk import Crashed, SimDisk
from tests.support.seeds import block_id, blocks

CONFIG: Final = LogConfig(
    segment_size_max=3000, index_interval_size=150, index_size_max=4096, file_delete_delay_ms=0
)
ORDERS: Final = TopicPartition("orders", 0)
GONE: Final = TopicPartition("gone", 0)
IN_TRANSACTIONS: Final = (20, 21)
"""The producers whose batches are of transactions."""
TOPIC_ID: Final = "ldctl0YlR3yfzw_yv9xvVA"

SEEDS: Final = int(os.environ.get("CRASH_SEEDS", "1500"))
SEEDS_IN_A_TEST: Final = 250
STARTS: Final = 3
ACTS_MAX: Final = 30
OPERATIONS_MAX: Final = 150
"""Of the disk, between a start and an end."""


@dataclass
class Life:
    """What happens to a log, and what may and what must be there afterwards."""

    disk: SimDisk
    chance: random.Random
    content: list[bytes] = field(default_factory=list)
    """The batches that were ever given to the log and not truncated since: also those that were
    deleted as old, which come back if the machine stops before their file's end is durable."""
    others: list[list[bytes]] = field(default_factory=list)
    """What it had before processes ended in a truncation that no disk may know of yet."""
    acknowledged: int = 0
    """How many of them are in the log for certain, as long as the machine runs."""
    durable: int = 0
    """How many of them were acknowledged as flushed."""
    start_min: int = 0
    """The log start that was acknowledged."""
    beginning: int = 0
    """Where the log was last begun anew."""
    epoch: int = 0
    truncations: int = 0
    flush: tuple[FlushWork, int, int] | None = None
    """The flush under way, how many batches it is about, and the truncations before it."""
    log: PartitionLog = field(init=False)
    manager: LogManager = field(init=False)

    def begin(self) -> None:
        """Start the broker."""
        self.flush = None
        self.manager = started(self.disk)
        self.log = create(self.manager, ORDERS)

    def act(self) -> None:
        """Do some of what brokers do to their logs."""
        acts = {
            self.append: 8,
            self.follow: 3,
            self.roll: 4,
            self.flush_all: 3,
            self.begin_flush: 2,
            self.end_flush: 2,
            self.write_checkpoints: 2,
            self.truncate: 2,
            self.truncate_nothing: 1,
            self.restart_behind: 1,
            self.delete_records: 1,
            self.retain: 1,
            self.renew: 1,
            self.end_in_order: 1,
        }
        drawn = self.chance.choices(
            list(acts), list(acts.values()), k=self.chance.randrange(ACTS_MAX)
        )
        for act in drawn:
            act()
            self.acknowledged = len(self.content)

    def append(self) -> None:
        self.epoch += self.chance.random() < 0.15
        known = {producer.producer_id: producer for producer in self.log.producers.producers}
        for _ in range(self.chance.choice((1, 1, 2, 5, 9))):
            # Now and then a batch is larger than a sector, and can be torn.
            count = self.chance.choice((1, 1, 2))
            records = [bytes([n]) * self.chance.choice((20, 20, 20, 700)) for n in range(count)]
            sequence = known[9].last_sequence + 1 if 9 in known else 0
            sent = batch(records, producer_id=9, producer_epoch=0, sequence=sequence)
            self.content.append(b"")
            try:
                self.log.append(sent, LeaderEpoch(self.epoch), START_MS, START_MS)
            finally:
                self.content[-1] = bytes(sent)
            known = {producer.producer_id: producer for producer in self.log.producers.producers}

    def follow(self) -> None:
        """Take batches as a leader has them, whose log has been compacted here and there."""
        offset = self.log.log_end_offset
        added: list[bytes] = []
        for _ in range(self.chance.randrange(1, 6)):
            offset += self.chance.choice((0, 0, 0, 3))
            added.append(self.followed(offset))
            offset = headers_of(added[-1])[0].next_offset
        self.content += added
        self.log.append_as_follower(b"".join(added), START_MS)

    def followed(self, offset: int) -> bytes:
        """A batch of a leader: plain, or of a transaction, or such a one's end."""
        count = self.chance.choice((1, 2))
        producer_id = self.chance.choice((-1, -1, *IN_TRANSACTIONS))
        is_abort = self.chance.choice((None, None, False, True))
        if producer_id < 0:
            return bytes(batch(count, base_offset=offset, leader_epoch=self.epoch))
        if is_abort is not None:
            ended = marker(producer_id, offset, is_abort=is_abort, leader_epoch=self.epoch)
            return bytes(ended)
        return bytes(
            batch(
                count,
                base_offset=offset,
                leader_epoch=self.epoch,
                attributes=0x10,
                producer_id=producer_id,
                producer_epoch=0,
                sequence=0,
            )
        )

    def roll(self) -> None:
        self.log.roll(START_MS)

    def flush_all(self) -> None:
        self.end_flush()
        count = len(self.content)
        self.log.flush(START_MS)
        self.durable = count

    def begin_flush(self) -> None:
        if self.flush is None:
            self.flush = (self.log.begin_flush(), len(self.content), self.truncations)

    def end_flush(self) -> None:
        if self.flush is None:
            return
        work, count, truncations = self.flush
        self.flush = None
        work.run(self.disk)
        self.log.finish_flush(work, START_MS)
        if truncations == self.truncations:
            self.durable = max(self.durable, count)

    def write_checkpoints(self) -> None:
        self.manager.write_checkpoints()

    def truncate(self) -> None:
        """Drop some of the end, now and then all."""
        first, end = self.log.segments[0].base_offset, self.log.log_end_offset
        offset = self.chance.choice((first, end, *[self.chance.randrange(first, end + 1)] * 4))
        kept = [one for one in self.content if headers_of(one)[0].next_offset <= offset]
        self.give_up(len(kept))
        ends = [headers_of(one)[0].next_offset for one in kept if base_of(one) >= first]
        end_min = min(offset, ends[-1] if ends else first)
        self.start_min = min(self.start_min, end_min)
        self.beginning = min(self.beginning, end_min)
        truncate(self.manager, {ORDERS: offset}, START_MS)
        self.content = kept

    def truncate_nothing(self) -> None:
        truncate(self.manager, {ORDERS: self.log.log_end_offset}, START_MS)

    def restart_behind(self) -> None:
        offset = self.log.log_end_offset + self.chance.choice((0, 7, 500))
        self.give_up(0)
        restart_at(self.manager, ORDERS, offset, START_MS)
        self.content = []
        self.start_min = self.beginning = offset

    def give_up(self, count: int) -> None:
        """Expect no more than *count* batches, from before they are gone on."""
        self.truncations += 1
        self.durable = min(self.durable, count)
        self.acknowledged = min(self.acknowledged, count)

    def delete_records(self) -> None:
        start, end = self.log.log_start_offset, self.log.log_end_offset
        offset = self.chance.randrange(start, end + 1)
        start = self.log.delete_records_before(offset, end)
        self.manager.write_checkpoints()
        self.start_min = start

    def retain(self) -> None:
        self.manager.delete_old_segments(START_MS, START_MS, lambda of: self.log.log_end_offset)
        self.manager.settle_deletions()
        for deletion in self.manager.take_due_deletions(START_MS):
            deletion.run(self.disk)

    def renew(self) -> None:
        """Delete another log, and begin its namesake."""
        self.manager.delete(GONE, f"{self.chance.getrandbits(128):032x}", START_MS)
        self.manager.settle_deletions()
        gone = create(self.manager, GONE)
        for _ in range(self.chance.randrange(12)):
            gone.append(batch(4), LeaderEpoch(9), START_MS, START_MS)
        if self.chance.random() < 0.5:
            gone.flush(START_MS)

    def end_in_order(self) -> None:
        self.end_flush()
        self.manager.close(START_MS, broker_epoch=-1)
        self.durable = len(self.content)
        read_before = self.disk.read_size
        end_offset = self.log.log_end_offset
        self.begin()
        assert self.log.log_end_offset == end_offset
        assert self.disk.read_size - read_before < 20_000
        check_indexes(self.log)
        check_producers(self.log, self.beginning)

    def end_somewhere(self) -> bool:
        """Act until the disk has done so much; whether the machine has stopped then."""
        disk = self.disk
        disk.crash_at = len(disk.operations) + self.chance.randrange(OPERATIONS_MAX)
        with suppress(Crashed):
            self.begin()
            self.act()
        stops = self.chance.random() < 0.7
        if stops:
            disk.crash()
        else:
            disk.crash_at = None
            disk.release_locks()
        # Now and then it stops again while it recovers.
        if self.chance.random() < 0.3:
            disk.crash_at = len(disk.operations) + self.chance.randrange(25)
            with suppress(Crashed):
                started(disk)
            disk.crash()
            stops = True
        return stops

    def come_back(self, *, stopped: bool) -> None:
        """Start, and hold what is there against what has to be."""
        self.manager = started(self.disk)
        log = self.manager.log(ORDERS)
        if log is None:
            assert self.durable == 0
            self.content = []
            self.start_min = self.beginning = 0
        else:
            self.log = log
            skipped = check_log(self, log, self.durable if stopped else self.acknowledged)
            self.others = [] if stopped else [*self.others, self.content]
            self.content = [*self.content[:skipped], *batches_of(log)]
        self.durable = len(self.content) if stopped else min(self.durable, len(self.content))
        self.acknowledged = len(self.content)
        self.disk.release_locks()

    def lose_durable_bytes(self) -> None:
        """Let the disk lose what it had, at the end of the log."""
        if not self.content:
            return
        segment = self.log.segments[-1]
        segment.cut(self.chance.randrange(segment.size + 1))
        self.durable = self.acknowledged = 0


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


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks(SEEDS, SEEDS_IN_A_TEST), ids=block_id)
def test_what_was_flushed_comes_back_whenever_the_machine_stops(block: range) -> None:
    for seed in block:
        survive(seed)


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(12600126, id="rolled behind a recovery"),
        pytest.param(12603685, id="stopped within a recovery"),
    ],
)
def test_a_transaction_index_that_was_made_anew_is_durable_before_its_segment_is_trusted(
    seed: int,
) -> None:
    survive(seed)


def test_a_segment_that_was_deleted_as_old_may_come_back() -> None:
    survive(12600433)


def test_epochs_that_a_process_wrote_before_it_ended_are_durable_before_they_are_trusted() -> None:
    survive(3090081)


def survive(seed: int) -> SimDisk:
    sys.stdout.write(f"seed {seed}\n")
    life = Life(machine(seed), random.Random(seed))
    for _ in range(STARTS):
        stopped = life.end_somewhere()
        life.come_back(stopped=stopped)
        if life.chance.random() < 0.15:
            life.lose_durable_bytes()
            life.come_back(stopped=False)
    check_end(life)
    return life.disk


def check_end(life: Life) -> None:
    """A log that was recovered is one like others: it grows, is flushed, and ends in order."""
    life.begin()
    end_offset = life.log.log_end_offset
    for number in range(20):
        sent = batch(2, producer_id=10, producer_epoch=0, sequence=2 * number)
        life.log.append(sent, LeaderEpoch(life.epoch + 1), START_MS, START_MS)
    life.log.flush(START_MS)
    life.disk.crash()
    life.begin()
    assert life.log.log_end_offset == end_offset + 40
    check_producers(life.log, life.beginning)
    life.end_in_order()


def batches_of(log: PartitionLog) -> list[bytes]:
    content = b"".join(segment.file.read(0, segment.size) for segment in log.segments)
    batches: list[bytes] = []
    for header in headers_of(content):
        batches.append(content[: header.size])
        content = content[header.size :]
    return batches


def base_of(content: bytes) -> int:
    return headers_of(content)[0].base_offset


def check_log(life: Life, log: PartitionLog, count_min: int) -> int:
    """Hold *log* against what is known of it; how many old batches it has given up."""
    came_back = b"".join(batches_of(log))
    base = log.segments[0].base_offset
    given = [
        [one for one in content if base_of(one) >= base] for content in (life.content, *life.others)
    ]
    skipped = len(life.content) - len(given[0])
    assert any(b"".join(content).startswith(came_back) for content in given)
    assert len(headers_of(came_back)) >= count_min - skipped
    assert log.log_start_offset >= life.start_min
    check_indexes(log)
    check_producers(log, life.beginning)
    for header in headers_of(stored_bytes(log)):
        assert log.epochs.epoch_at(header.base_offset) in (header.leader_epoch, -1)
    return skipped


def check_producers(log: PartitionLog, beginning: int) -> None:
    """Hold what is known of the producers against the batches themselves.

    Those whose batches have all gone with old segments are known still.
    """
    base = log.segments[0].base_offset
    replayed = ProducerState(base, START_MS)
    replay(replayed, log.segments, log.log_end_offset, START_MS)
    if base > beginning:
        # Of a transaction that began in a segment that has gone, more is known than can be read.
        told = (one for one in replayed.producers if one.producer_id not in IN_TRANSACTIONS)
        replayed = ProducerState(replayed.end_offset, START_MS, told)
    here = {producer.producer_id for producer in replayed.producers}
    known = log.producers.producers
    # A snapshot knows one batch of a producer, the log may still hold more of them.
    assert encode(sorted(replayed.producers)) == encode(
        sorted(one for one in known if one.producer_id in here)
    )
    for producer in known:
        if producer.producer_id in here or producer.producer_id in IN_TRANSACTIONS:
            continue
        assert beginning <= producer.batches[-1].last_offset < base
    if base == beginning:
        check_transactions(log)


def check_transactions(log: PartitionLog) -> None:
    """Hold the transactions that are known against the batches, from the log's beginning on."""
    state = ProducerState(log.segments[0].base_offset, START_MS)
    for segment in log.segments:
        content = segment.file.read(0, segment.size)
        found = (state.note_batch(one, content, at, START_MS) for at, one in whole_batches(content))
        assert [one for one in found if one is not None] == list(segment.txn_index.entries)
    end_offset = log.log_end_offset
    assert log.producers.first_undecided(end_offset) == state.first_undecided(end_offset)


@pytest.mark.slow
def test_the_lives_reach_what_they_are_about():
    """A count over fixed seeds."""
    kinds = set()
    for seed in range(40):
        kinds |= {operation.split()[0] for operation in survive(seed).operations}

    assert kinds == {"create", "mkdir", "rename", "remove", "sync", "truncate", "write"}


def test_a_log_that_begins_before_its_start_is_whole_or_empty_after_a_crash() -> None:
    """The machine stops at each operation of a follower that takes a batch across its start."""
    content = batch(99, base_offset=1, leader_epoch=3)
    found: set[tuple[int, int]] = set()
    for number in range(100):
        disk = machine(number)
        manager = started(disk)
        log = create(manager, ORDERS)
        log.append(batch(30), LeaderEpoch(2), START_MS, START_MS)
        log.flush(START_MS)
        restart_at(manager, ORDERS, 50, START_MS)
        disk.crash_at = len(disk.operations) + number
        with suppress(Crashed):
            log.append_as_follower(content, START_MS)
            log.flush(START_MS)
            manager.write_checkpoints()
            disk.crash_at = None
        is_over = disk.crash_at is None
        disk.crash()

        again = started(disk).log(ORDERS)

        assert again is not None
        assert 50 == again.log_start_offset
        assert again.log_end_offset in (50, 100)
        found.add((again.log_start_offset, again.log_end_offset))
        assert stored_bytes(again) in (b"", bytes(content))
        if is_over:
            assert 100 == again.log_end_offset
            break
    assert {(50, 50), (50, 100)} == found
