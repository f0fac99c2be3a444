"""Which logs does the cleaner of a broker compact, when, and what else may happen to them?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import pytest

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.ports import ApiSettings
from cluster.broker.replica_manager import log_cleaner
from cluster.broker.replica_manager.log_cleaner import LogCleaner
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.formats.checkpoints import CLEANED_OFFSETS
from cluster.formats.record_batch import Buffer
from cluster.model.ids import TopicPartition
from cluster.storage.cleaner.compaction import (
    Compaction,
    CompactionLost,
    CompactionRules,
    Compactor,
)
from cluster.storage.directories.checkpoints import read_offsets
from tests.cluster.api.world import World
from tests.cluster.storage.cleaner.keyed import Keyed, keyed_batch, records_in

COMPACTED: Final = {
    "cleanup.policy": "compact",
    "segment.bytes": "1000",
    "index.interval.bytes": "100",
}
BACKOFF_MS: Final = 15_000
KEYS: Final = 4
VALUE: Final = bytes(50)


def world_of(
    topics: Mapping[str, Mapping[str, str]] | None = None, **configs: str
) -> tuple[World, LogCleaner]:
    """A broker that leads these topics, with what they override, and its cleaner."""
    given = {name.replace("_", "."): configs[name] for name in configs}
    world = World(ApiSettings(configs=BrokerConfigs(given)), directories=("/data", "/more"))
    for topic, overrides in (topics or {"orders": COMPACTED}).items():
        world.store.configs[topic] = dict(overrides)
        world.lead(topic)
    broker = world.broker
    cleaner = LogCleaner(broker.ports, broker.partitions, world.clock.wall_ms)
    return world, cleaner


def hosted_of(world: World, topic: str = "orders") -> HostedPartition:
    hosted = world.broker.partitions.find(TopicPartition(topic, 0))
    assert hosted is not None
    return hosted


def write(world: World, count: int = 40, topic: str = "orders") -> None:
    """Append records with a few keys, one a batch, and make all durable."""
    for number in range(count):
        key = b"k%d" % (number % KEYS)
        records = keyed_batch([Keyed(key, VALUE, world.clock.wall_ms())], 0)
        assert world.produced(records, topic).error_code == 0
    hosted_of(world, topic).log.flush(world.clock.now_ms())


def go_on(world: World, for_ms: int = 0) -> None:
    """Let everything that is due be done, and what follows from it."""
    world.clock.advance(for_ms)
    for _ in range(1000):
        world.clock.advance(0)
        if not world.disks.waiting:
            break
        world.settle()


def count_of(world: World, topic: str = "orders") -> int:
    return len(records_in(hosted_of(world, topic).log))


def test_a_dirty_log_is_compacted_and_the_checkpoint_says_up_to_where() -> None:
    world, cleaner = world_of()
    write(world)
    log = hosted_of(world).log
    grown = log.active.base_offset

    cleaner.start()
    go_on(world)

    assert KEYS + log.log_end_offset - grown == count_of(world)
    assert log.cleaned_offset == grown
    offsets = read_offsets(world.files, log.health.directory, CLEANED_OFFSETS)
    assert offsets == {TopicPartition("orders", 0): grown}
    names = [entry.name for entry in world.files.list(log.directory)]
    assert not any(".cleaned" in name or ".swap" in name for name in names)
    assert any("compacted orders-0 up to offset" in line for line in world.journal.infos)


def test_a_log_that_gets_dirty_later_is_found_after_the_backoff() -> None:
    world, cleaner = world_of()
    cleaner.start()
    go_on(world)
    write(world)
    go_on(world, BACKOFF_MS - 1)
    assert count_of(world) == 40

    go_on(world, 1)

    assert count_of(world) < 40


def test_a_large_log_whose_process_is_lost_is_compacted_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_cleaner, "LARGE_SIZE", 2000)
    begun: list[type[Compaction]] = []

    class Lost(Compaction):
        def index(self, content: Buffer) -> bool:
            raise CompactionLost("its process has ended")

    def begin(rules: CompactionRules) -> Compactor:
        begun.append(Compaction if begun else Lost)
        return begun[-1](rules)

    world, _ = world_of()
    broker = world.broker
    ports = replace(broker.ports, begin_large_compaction=begin)
    write(world)

    LogCleaner(ports, broker.partitions, world.clock.wall_ms).start()
    go_on(world)

    assert [Lost, Compaction] == begun
    assert count_of(world) < 40
    assert world.journal.errors == ["orders-0 is not compacted: its process has ended"]


@pytest.mark.parametrize(
    ("overrides", "is_compacted"),
    [
        ({}, True),
        ({"cleanup.policy": "delete"}, False),
        ({"cleanup.policy": "compact,delete"}, True),
        ({"min.cleanable.dirty.ratio": "1"}, False),
        ({"min.cleanable.dirty.ratio": "1", "max.compaction.lag.ms": "1000"}, True),
        ({"min.compaction.lag.ms": "4000"}, False),
        ({"min.compaction.lag.ms": "2000"}, True),
    ],
)
def test_which_logs_are_compacted(overrides: Mapping[str, str], is_compacted: bool) -> None:
    world, cleaner = world_of({"orders": {**COMPACTED, **overrides}})
    write(world)
    go_on(world, 3000)

    cleaner.start()
    go_on(world)

    assert (count_of(world) < 40) == is_compacted


def test_the_dirtiest_log_comes_first() -> None:
    world, cleaner = world_of({"some": COMPACTED, "more": COMPACTED})
    for topic in ("some", "more"):
        write(world, topic=topic)
    cleaner.start()
    go_on(world)
    cleaner.stop()
    write(world, 40, "some")
    write(world, 400, "more")
    world.journal.infos.clear()

    cleaner.start()
    go_on(world, BACKOFF_MS)

    order = [line.split()[1] for line in world.journal.infos if line.startswith("compacted")]
    assert order[:2] == ["more-0", "some-0"]


def test_a_log_is_left_alone_while_it_moves_to_another_directory() -> None:
    world, cleaner = world_of()
    write(world)
    hosted = hosted_of(world)
    other = next(one for one in world.logs.directories if one.path != hosted.log.health.directory)
    other.create_future(hosted.partition, hosted.log.config, None, "0" * 32, 0)

    cleaner.start()
    go_on(world)
    assert count_of(world) == 40
    world.logs.drop_future(hosted.partition, 0)
    go_on(world, BACKOFF_MS)

    assert count_of(world) < 40


def test_the_end_of_the_broker_gives_a_cleaning_up() -> None:
    world, cleaner = world_of()
    write(world)
    log = hosted_of(world).log
    cleaner.start()
    for _ in range(6):
        world.disks.waiting.popleft()()

    cleaner.stop()
    go_on(world)
    log.close(world.clock.now_ms())

    assert count_of(world) == 40
    assert not log.is_being_cleaned


def test_damage_keeps_one_log_from_being_compacted_and_no_other() -> None:
    world, cleaner = world_of({"some": COMPACTED, "more": COMPACTED})
    for topic in ("some", "more"):
        write(world, topic=topic)
    damaged = hosted_of(world, "some").log.segments[1]
    damaged.file.write(damaged.size - 3, b"\xff\xff")

    cleaner.start()
    go_on(world, 4 * BACKOFF_MS)

    assert count_of(world, "more") < 40
    assert ["some-0 is not compacted any more"] == [
        line.split(":")[0] for line in world.journal.errors
    ]
    assert count_of(world, "some") == 40


def test_no_more_bytes_are_moved_than_allowed() -> None:
    rate = 1000
    world, cleaner = world_of(log_cleaner_io_max_bytes_per_second=str(rate))
    write(world, 100)
    size = hosted_of(world).log.size
    began_ms = world.clock.now_ms()

    cleaner.start()
    while hosted_of(world).log.cleaned_offset is None:
        go_on(world, 100)

    # All of it is read twice, and a little is written.
    assert world.clock.now_ms() - began_ms > 1000 * (2 * size - 3000) // rate


def test_retention_leaves_a_log_alone_while_it_is_compacted_and_holds_for_it_then() -> None:
    overrides = {**COMPACTED, "cleanup.policy": "compact,delete", "retention.bytes": "1000"}
    world, cleaner = world_of({"orders": overrides})
    write(world)
    log = hosted_of(world).log
    cleaner.start()
    world.disks.waiting.popleft()()

    def drop() -> int:
        end = log.log_end_offset
        return log.delete_old_segments(world.clock.now_ms(), world.clock.wall_ms(), end)

    assert drop() == 0
    write_ms = world.clock.now_ms()
    go_on(world)
    write(world)
    assert drop() > 0
    assert write_ms <= world.clock.now_ms()
