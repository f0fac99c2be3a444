"""A log against a plain list of batches, by random steps."""

import random
import sys
from dataclasses import dataclass, field

import pytest

from cluster.formats.segment_names import LOG_SUFFIX, file_name
from cluster.model.ids import LeaderEpoch
from cluster.storage.log.offset_lookup import first_at
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import check_indexes, content_of, headers_of, opened, sim_disk
from tests.sim.disk import SimDisk
from tests.support.examples import example_count
from tests.support.seeds import seeds

CONFIG = LogConfig(
    segment_size_max=1200,
    index_interval_size=150,
    index_size_max=96,
    retention_size=5000,
    retention_ms=-1,
    file_delete_delay_ms=0,
)
STEPS = 60


@dataclass
class Model:
    """The log, and beside it what it should be."""

    chance: random.Random
    disk: SimDisk = field(default_factory=sim_disk)
    batches: list[bytes] = field(default_factory=list)
    start: int = 0
    epoch: int = 0

    def __post_init__(self) -> None:
        self.log: PartitionLog = opened(self.disk, config=CONFIG)[0]

    @property
    def end(self) -> int:
        return headers_of(self.batches[-1])[0].next_offset if self.batches else self.start

    def append(self) -> None:
        self.epoch += self.chance.randrange(8) == 0
        count = self.chance.randrange(1, 5)
        times = [START_MS + self.end + self.chance.randrange(30) for _ in range(count)]
        sent = batch([bytes(self.chance.randrange(200))] * count, times=times)
        self.log.append(sent, LeaderEpoch(self.epoch), self.disk.now_ms, self.disk.now_ms)
        self.batches.append(bytes(sent))

    def follow(self) -> None:
        """Take some batches as a leader has them."""
        added: list[bytes] = []
        offset = self.end
        for _ in range(self.chance.randrange(1, 9)):
            count = self.chance.randrange(1, 4)
            added.append(bytes(batch(count, base_offset=offset, leader_epoch=self.epoch)))
            offset += count
        self.log.append_as_follower(b"".join(added), self.disk.now_ms)
        self.batches += added

    def truncate(self) -> None:
        offset = self.chance.randrange(self.log.segments[0].base_offset, self.end + 1)
        self.log.truncate_to(offset, self.disk.now_ms)
        self.batches = [one for one in self.batches if headers_of(one)[0].next_offset <= offset]
        if not self.batches:
            self.start = self.log.log_start_offset
        self.start = min(self.start, self.end)

    def delete(self) -> None:
        offset = self.chance.randrange(self.start, self.end + 1)
        assert self.log.delete_records_before(offset, self.end) == offset
        self.start = offset

    def retain(self) -> None:
        self.log.delete_old_segments(START_MS, START_MS, self.end)
        for deleted in self.log.take_deleted():
            deleted.remove(self.disk)
        base = self.log.segments[0].base_offset
        self.start = max(self.start, base)
        self.batches = [one for one in self.batches if headers_of(one)[0].next_offset > base]
        assert self.log.size <= CONFIG.retention_size + CONFIG.segment_size_max

    def close(self) -> None:
        self.log.close(self.disk.now_ms)
        self.reopen(was_closed=True)

    def stop(self) -> None:
        """End without closing; the disk keeps everything."""
        self.reopen(was_closed=False)

    def reopen(self, *, was_closed: bool) -> None:
        self.log, report = opened(
            self.disk,
            config=CONFIG,
            recovery_point=self.log.recovery_point,
            log_start_offset=self.start,
            was_closed=was_closed,
            now_ms=self.disk.now_ms,
        )
        assert not report.found_damage

    def check(self) -> None:
        written = {
            one.name: self.disk.now_ms - one.age_ms for one in self.disk.list(self.log.directory)
        }
        for segment in self.log.segments:
            assert segment.modified_ms == written[file_name(segment.base_offset, LOG_SUFFIX)]
        assert (self.log.log_start_offset, self.log.log_end_offset) == (self.start, self.end)
        for _ in range(4):
            if self.start < self.end:
                self.check_read(self.chance.randrange(self.start, self.end))
        if self.chance.randrange(4) == 0:
            self.check_time()

    def check_read(self, offset: int) -> None:
        size_max = self.chance.choice((1, 200, 500, 3000))
        limit = self.chance.randrange(offset + 1, self.end + 1)
        found = content_of(self.log.read(offset, size_max, limit, whole_first=True))
        wanted = [
            one
            for one in self.batches
            if headers_of(one)[0].next_offset > offset and headers_of(one)[0].next_offset <= limit
        ]
        count = len(headers_of(found))
        assert found == b"".join(wanted[:count])
        assert count > 0 or wanted == []
        assert count <= 1 or len(found) <= size_max
        if count < len(wanted):
            ends_segment = headers_of(wanted[count])[0].base_offset in {
                segment.base_offset for segment in self.log.segments
            }
            assert ends_segment or len(found) + len(wanted[count]) > size_max

    def check_time(self) -> None:
        target = START_MS + self.chance.randrange(self.end + 40)
        found = first_at(self.log, target, self.end)
        if found is not None:
            assert found.timestamp >= target
            assert self.start <= found.offset < self.end


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(example_count(25)))
def test_a_log_is_a_list_of_batches(seed: int):
    sys.stdout.write(f"seed {seed}\n")
    model = Model(random.Random(seed))
    steps = [model.append] * 8 + [model.follow] * 3
    steps += [model.truncate, model.delete, model.retain, model.close, model.stop]
    steps += [lambda: model.log.roll(model.disk.now_ms), lambda: model.log.flush(model.disk.now_ms)]

    for _ in range(STEPS):
        model.disk.now_ms += model.chance.randrange(1000)
        model.chance.choice(steps)()
        model.check()

    check_indexes(model.log)
