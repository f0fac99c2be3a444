"""Compacted logs against a plain list of their records, by random steps."""

import random
from dataclasses import dataclass, field
from typing import Final

import pytest

from cluster.formats.record_batch import Buffer, whole_batches
from cluster.storage.cleaner.cleaning import CleanerLimits
from cluster.storage.cleaner.compaction import Cleaned, Compaction
from cluster.storage.cleaner.offset_map import NOT_FOUND, OffsetMap
from cluster.storage.cleaner.transactions import Transactions
from cluster.storage.log.partition_log import PartitionLog
from tests.cluster.storage.batches import marker
from tests.cluster.storage.cleaner.keyed import (
    CONFIG,
    LEGACY_CODECS,
    Keyed,
    clean,
    keyed_batch,
    legacy_batch,
    part_of,
    read_all,
    records_in,
    segment_bytes,
)
from tests.cluster.storage.logs import check_indexes, opened, sim_disk
from tests.sim.disk import SimDisk
from tests.support.examples import example_count
from tests.support.seeds import seeds

NOTHING_LEFT: Final = Cleaned(b"", ())
CODECS: Final = ("none", "none", "gzip", "snappy", "xerial", "lz4", "zstd")


@dataclass
class Model:
    """A log, and beside it every record that was ever in it."""

    chance: random.Random
    has_legacy: bool
    disk: SimDisk = field(default_factory=sim_disk)
    records: dict[int, Keyed] = field(default_factory=dict)
    """By offset: what a consumer of committed records is to see, however old."""
    useless: set[int] = field(default_factory=set)
    """The offsets of records of aborted transactions."""
    doomed: dict[int, int] = field(default_factory=dict)
    """The offsets of tombstones that a cleaning has met, and until when each has to stay."""
    sequence: int = 0

    def __post_init__(self) -> None:
        self.log: PartitionLog = opened(self.disk, config=CONFIG)[0]

    def some(self) -> list[Keyed]:
        chance = self.chance
        return [
            Keyed(
                b"k%d" % chance.randrange(12) if chance.random() < 0.95 else None,
                None if chance.random() < 0.2 else b"v%d" % chance.randrange(1000) * 4,
                self.disk.now_ms + chance.randrange(20),
            )
            for _ in range(chance.randrange(1, 6))
        ]

    def take(self, content: Buffer, records: list[Keyed], *, is_aborted: bool = False) -> None:
        base_offset = self.log.log_end_offset
        self.log.append_as_follower(content, self.disk.now_ms)
        for offset, one in enumerate(records, base_offset):
            if is_aborted:
                self.useless.add(offset)
            else:
                self.records[offset] = one

    def append(self) -> None:
        records = self.some()
        codec = self.chance.choice(CODECS)
        producer_id, sequence = -1, -1
        if self.chance.random() < 0.4:
            producer_id, sequence = 7, self.sequence
            self.sequence += len(records)
        self.take(
            keyed_batch(
                records,
                self.log.log_end_offset,
                codec=codec,
                producer_id=producer_id,
                sequence=sequence,
                headers=[(b"h", b"x")] * self.chance.randrange(2),
            ),
            records,
        )

    def append_legacy(self) -> None:
        if not self.has_legacy:
            return
        records = self.some()
        magic, codec = self.chance.randrange(2), self.chance.choice(list(LEGACY_CODECS))
        base_offset = self.log.log_end_offset
        # By the times of its segments, a tombstone without a horizon may be in its last hour when
        # it is first met.
        until_ms = self.disk.now_ms + CONFIG.delete_retention_ms
        self.doomed |= dict.fromkeys(range(base_offset, base_offset + len(records)), until_ms)
        self.take(legacy_batch(records, base_offset, magic, codec), records)

    def transact(self) -> None:
        producer_id = 100 + self.chance.randrange(3)
        is_abort = self.chance.random() < 0.5
        for _ in range(self.chance.randrange(1, 4)):
            records = self.some()
            content = keyed_batch(
                records,
                self.log.log_end_offset,
                producer_id=producer_id,
                sequence=0,
                is_transactional=True,
            )
            self.take(content, records, is_aborted=is_abort)
            if self.chance.random() < 0.3:
                self.append()
        end = self.log.log_end_offset
        self.log.append_as_follower(marker(producer_id, end, is_abort=is_abort), self.disk.now_ms)

    def wait(self) -> None:
        self.disk.now_ms += self.chance.randrange(600)

    def clean(self) -> None:
        log = self.log
        log.roll(self.disk.now_ms)
        log.flush(self.disk.now_ms)
        size = self.chance.choice([300, 600, 24 * 40, 10**6])
        limits = CleanerLimits(size, self.chance.choice([0.5, 0.9]), self.chance.choice([70, 5000]))
        before = segment_bytes(log)
        end_before = log.log_end_offset
        part = part_of(log, self.disk)
        cleaning = clean(self.disk, log, limits, part)
        assert end_before == log.log_end_offset
        assert len(segment_bytes(log)) <= len(before) + 61 * len(log.segments) + 500
        if part.dirty_size > 0:
            assert cleaning.end_offset > part.first_dirty_offset
        self.check(cleaning.end_offset)

    def check(self, clean_offset: int) -> None:
        """Hold the log to what compaction promises below *clean_offset*, and to all behind."""
        log = self.log
        found = {one.offset: one for one in records_in(log)}
        last = {
            one.key: offset for offset, one in sorted(self.records.items()) if offset < clean_offset
        }
        now_ms = self.disk.now_ms
        for offset, one in self.records.items():
            is_last = one.key is not None and last.get(one.key) == offset
            if offset >= clean_offset or (is_last and one.value is not None):
                assert offset in found, f"{offset} is lost"
            elif is_last:
                until_ms = self.doomed.setdefault(offset, now_ms + CONFIG.delete_retention_ms)
                if now_ms < until_ms:
                    assert offset in found, f"tombstone {offset} is gone before {until_ms}"
            else:
                assert offset not in found, f"{offset} is not the last of {one.key!r}"
        assert not any(offset < clean_offset for offset in self.useless & found.keys())
        for offset, record in found.items():
            if offset in self.records:
                one = self.records[offset]
                assert (one.key, one.value) == (record.key, record.value)
                assert record.timestamp in (one.time_ms, -1)
        check_indexes(log)
        offsets = [header.base_offset for _, header in whole_batches(segment_bytes(log))]
        assert offsets == sorted(offsets)
        assert read_all(log) == segment_bytes(log)

    def reopen(self) -> None:
        log = self.log
        log.close(self.disk.now_ms)
        before = segment_bytes(log)
        state = {one.producer_id: one.last_sequence for one in log.producers.producers}
        log.close(self.disk.now_ms)
        # Without a snapshot all of it is read again.
        for entry in self.disk.list(log.directory):
            if entry.name.endswith(".snapshot"):
                self.disk.remove(f"{log.directory}/{entry.name}")
        cleaned = log.cleaned_offset
        self.log, report = opened(
            self.disk,
            config=CONFIG,
            was_closed=True,
            recovery_point=log.log_end_offset,
            now_ms=self.disk.now_ms,
        )
        self.log.cleaned_offset = cleaned
        assert before == segment_bytes(self.log)
        assert report.reindexed == ()
        # Where a segment ends before the next one begins, a start cannot tell it from a loss.
        assert self.has_legacy or report.findings == ()
        assert state == {one.producer_id: one.last_sequence for one in self.log.producers.producers}


def play(seed: int, has_legacy: bool) -> None:
    model = Model(random.Random(seed), has_legacy)
    steps = [model.append, model.append, model.transact, model.wait, model.append_legacy]

    for _ in range(6):
        for _ in range(model.chance.randrange(4, 14)):
            model.chance.choice(steps)()
        model.clean()
        if model.chance.random() < 0.3:
            model.reopen()


@pytest.mark.slow
@pytest.mark.parametrize("has_legacy", [False, True])
@pytest.mark.parametrize("seed", seeds(example_count(20)))
def test_a_compacted_log_has_the_last_record_of_each_key(seed: int, has_legacy: bool) -> None:
    play(seed, has_legacy)


MUTATIONS: Final[dict[str, tuple[object, str, object]]] = {
    "nothing is dropped": (OffsetMap, "get", lambda _, keys: [NOT_FOUND] * len(keys)),
    "all is dropped that is clean": (OffsetMap, "get", lambda _, keys: [2**60] * len(keys)),
    "the part that is not indexed is cleaned": (
        Compaction,
        "end_offset",
        property(lambda self: self._indexed + 3),
    ),
    "tombstones go at once": (Compaction, "_is_over", lambda *_: True),
    "tombstones of a part that is not clean get their time": (
        Compaction,
        "_horizon_ms",
        property(lambda self: self._rules.wall_ms),
    ),
    "what producers did last is forgotten": (
        Compaction,
        "_is_last_of_producer",
        lambda *_: False,
    ),
    "where a segment ends is forgotten": (Compaction, "end_segment", lambda _: NOTHING_LEFT),
    "aborted records count": (
        Transactions,
        "is_useless",
        lambda self, header, batch: False,
    ),
    "transactions that ended before are open": (
        Transactions,
        "_end",
        lambda self, header, batch: False,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_without_this_some_log_is_wrong(mutation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seeds stay the same: each mutation is found by one of them."""
    owner, name, mutant = MUTATIONS[mutation]
    monkeypatch.setattr(owner, name, mutant)

    def is_found(seed: int) -> bool:
        try:
            play(seed, False)
        except AssertionError:
            return True
        return False

    assert any(map(is_found, range(12)))
