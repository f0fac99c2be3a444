"""Does Kafka's own dump tool find anything wrong in the files that kadmin's log writes?"""

import random
from pathlib import Path
from typing import Final

import pytest

from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.runtime.disk.files import Disk
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import headers_of, stored_bytes, truncate
from tests.interop.dump import Dump
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import KAFKA

pytestmark = pytest.mark.interop

ORDERS: Final = TopicPartition("orders", 0)
CONFIG: Final = LogConfig(segment_size_max=20_000)
CODECS: Final = ("none", "gzip", "xerial", "lz4", "zstd")


@pytest.fixture(scope="module")
def dump(java: str, maven: Maven) -> Dump:
    with needing_maven():
        return Dump(java, maven.class_path(KAFKA["3.9.1"]))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A log with every compression, truncated, crashed, continued and closed; its batch lines."""
    directory = tmp_path_factory.mktemp("storage") / "data"
    manager = started(directory)
    log = manager.get_or_create(ORDERS, CONFIG, "ldctl0YlR3yfzw_yv9xvVA", START_MS, is_new=True)
    chance = random.Random(7)
    time_ms = fill(log, chance, 200, START_MS)
    truncate(manager, {ORDERS: log.log_end_offset - 90}, time_ms)
    time_ms = fill(log, chance, 60, time_ms)
    # As after `kill -9`: nothing was closed, and the last write is torn.
    manager.directories[0].release()
    with Path(log.active.path(".log")).open("r+b") as file:
        file.truncate(log.active.size - 5)
    manager = started(directory)
    again = manager.log(ORDERS)
    assert again is not None
    fill(again, chance, 40, time_ms)
    lines = [
        f"baseOffset: {header.base_offset} lastOffset: {header.last_offset}"
        for header in headers_of(stored_bytes(again))
    ]
    manager.close(time_ms, broker_epoch=-1)
    return directory / "orders-0", lines


def started(directory: Path) -> LogManager:
    manager = LogManager.open(Disk(), [str(directory)], BrokerId(1), "cluster")
    for loaded in manager.load(lambda topic: CONFIG, START_MS):
        assert loaded.problem is None
    return manager


def fill(log: PartitionLog, chance: random.Random, batches: int, time_ms: int) -> int:
    """Append batches of every kind, and return the time of the last."""
    for _ in range(batches):
        count = chance.randrange(1, 12)
        times = [time_ms + chance.randrange(20) for _ in range(count)]
        known = {producer.producer_id: producer for producer in log.producers.producers}
        producer_id = chance.choice((-1, 1, 2))
        sequence = known[producer_id].last_sequence + 1 if producer_id in known else 0
        is_idempotent = producer_id > 0
        sent = batch(
            count,
            times=times,
            codec=chance.choice(CODECS),
            producer_id=producer_id,
            producer_epoch=0 if is_idempotent else -1,
            sequence=sequence if is_idempotent else -1,
        )
        log.append(
            sent, LeaderEpoch(max(log.epochs.latest, 0) + chance.randrange(2)), time_ms, time_ms
        )
        time_ms += chance.randrange(30)
    return time_ms


def with_suffix(directory: Path, *suffixes: str) -> list[Path]:
    """The files that are not empty: of an index without entries the tool says just that."""
    found = [path for suffix in suffixes for path in sorted(directory.glob(f"*{suffix}"))]
    files = [path for path in found if path.stat().st_size > 0]
    assert len(files) >= 2
    return files


def test_every_batch_and_record_is_valid_and_every_offset_follows(dump: Dump, written):
    directory, batches = written

    lines = dump(with_suffix(directory, ".log"), "--deep-iteration")

    found = [line for line in lines if line.startswith("baseOffset")]
    assert [" ".join(line.split()[:4]) for line in found] == batches
    assert all("isvalid: true" in line for line in found)
    assert {line.split(":")[0].split()[0] for line in lines} == {
        "Dumping",
        "Log",
        "baseOffset",
        "|",
    }


def test_every_index_entry_names_a_batch(dump: Dump, written):
    directory, _ = written

    lines = dump(with_suffix(directory, ".index", ".timeindex"))

    assert {line.split()[0] for line in lines} == {"Dumping", "offset:", "timestamp:"}
    assert len([line for line in lines if line.startswith("offset:")]) > 5


@pytest.mark.parametrize("option", ["--index-sanity-check", "--verify-index-only"])
def test_the_indexes_pass_the_tools_own_checks(dump: Dump, written, option: str):
    directory, _ = written
    files = with_suffix(directory, ".index", ".timeindex")

    lines = dump(files, option)

    passed = [f"{path} passed sanity check." for path in files if option.startswith("--index")]
    assert [line for line in lines if not line.startswith("Dumping")] == passed


def test_the_snapshots_are_read(dump: Dump, written):
    directory, _ = written

    lines = dump(with_suffix(directory, ".snapshot"))

    assert {line.split()[0] for line in lines} == {"Dumping", "producerId:"}
    assert all("coordinatorEpoch: -1" in line for line in lines if "producerId" in line)
