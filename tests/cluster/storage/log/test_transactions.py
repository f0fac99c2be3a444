"""Transactions in a log: open, committed, aborted, and what a consumer of committed records hears.

`golden/kafka-*-transactions.tar.gz` holds a partition that three producers wrote to by turns at a
broker of that release, as it was after `kill -9` and after an orderly end, and what the broker told
of every offset: high watermark, last stable offset, log start, aborted transactions, bytes.
"""

import json
import tarfile
from pathlib import Path
from typing import Any, Final

import pytest

from cluster.formats.batch_walk import headers
from cluster.formats.indexes import TXN_INDEX_SUFFIX as SUFFIX
from cluster.formats.segment_names import file_name
from cluster.model.ids import BrokerId, TopicPartition
from cluster.runtime.disk.files import Disk
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch, marker
from tests.cluster.storage.logs import DIRECTORY, content_of, headers_of, opened, sim_disk
from tests.sim.disk import SimDisk

GOLDEN: Final = Path(__file__).parent.parent / "golden"
PAID: Final = TopicPartition("paid", 0)
CONFIG: Final = LogConfig(segment_size_max=6000, index_size_max=65536, index_interval_size=500)
NOW_MS: Final = 1_795_345_000_000
SMALL: Final = LogConfig(segment_size_max=500, index_size_max=4096, index_interval_size=100)


@pytest.fixture(params=["1.1.1", "3.9.1"])
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(GOLDEN / f"kafka-{request.param}-transactions.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def log_in(directory: Path) -> PartitionLog:
    properties = (directory / "meta.properties").read_text()
    # Kafka 1.1 did not write it.
    cluster_id = properties.partition("cluster.id=")[2].partition("\n")[0] or "any"
    manager = LogManager.open(Disk(), [str(directory)], BrokerId(0), cluster_id)
    for loaded in manager.load(lambda topic: CONFIG, NOW_MS):
        assert (loaded.problem, loaded.report and loaded.report.findings) == (None, ())
    log = manager.log(PAID)
    assert log is not None
    return log


def check_told(log: PartitionLog, told: list[Any]) -> None:
    (stable, high_watermark), *rows = told
    assert (log.last_stable_offset(high_watermark), log.log_end_offset) == (stable, high_watermark)
    for offset, _, _, start, aborted, size in rows:
        found = log.read(offset, 2**30, stable, whole_first=True) if offset < stable else None
        assert (0 if found is None else found.size) == size
        if found is not None:
            # How many more than these are told depends on the entries of an index that Kafka 1.1
            # made otherwise; consumers pass over what begins behind the records.
            end_offset = headers_of(content_of(found))[-1].next_offset
            listed = [
                [one.producer_id, one.first_offset]
                for one in log.aborted_transactions(offset, found)
            ]
            assert [one for one in listed if one[1] < end_offset] == [
                one for one in aborted if one[1] < end_offset
            ]
        assert log.log_start_offset == start


@pytest.mark.slow
def test_what_kafka_tells_of_its_transactions_is_told_of_its_directory(golden: Path):
    """Also without any index, and as after a crash, when all are made anew from the batches."""
    told = json.loads((golden / "told.json").read_text())

    check_told(log_in(golden / "killed"), told)
    log = log_in(golden / "closed")
    check_told(log, told)
    written = {path.name: path.read_bytes() for path in indexes(golden / "closed")}
    for path in indexes(golden / "closed"):
        path.unlink()
    for path in (golden / "closed" / "paid-0").glob("*.index"):
        path.unlink()
    log.health.check()
    (golden / "closed" / ".kafka_cleanshutdown").touch()
    check_told(log_in(golden / "closed"), told)
    assert {path.name: path.read_bytes() for path in indexes(golden / "closed")} == written
    for path in indexes(golden / "closed"):
        path.unlink()
    (golden / "closed" / "recovery-point-offset-checkpoint").unlink()
    (golden / "closed" / ".kafka_cleanshutdown").unlink(missing_ok=True)
    check_told(log_in(golden / "closed"), told)
    assert {path.name: path.read_bytes() for path in indexes(golden / "closed")} == written


def indexes(directory: Path) -> list[Path]:
    """The transaction indexes that are not empty."""
    found = sorted((directory / "paid-0").glob(f"*{SUFFIX}"))
    return [path for path in found if path.stat().st_size > 0]


def follow(log: PartitionLog, producer_id: int, count: int = 1) -> int:
    """Let a transaction go on; the offset of the first record."""
    offset = log.log_end_offset
    sequence = next(
        (
            one.last_sequence + 1
            for one in log.producers.producers
            if one.producer_id == producer_id
        ),
        0,
    )
    sent = batch(
        count,
        base_offset=offset,
        leader_epoch=0,
        attributes=0x10,
        producer_id=producer_id,
        producer_epoch=0,
        sequence=sequence,
    )
    log.append_as_follower(sent, START_MS)
    return offset


def end(log: PartitionLog, producer_id: int, *, is_abort: bool) -> None:
    offset = log.log_end_offset
    log.append_as_follower(marker(producer_id, offset, is_abort=is_abort), START_MS)


def entries(log: PartitionLog) -> list[tuple[int, ...]]:
    return [tuple(one) for segment in log.segments for one in segment.txn_index.entries]


@pytest.fixture
def disk() -> SimDisk:
    return sim_disk()


def written(disk: SimDisk) -> PartitionLog:
    """Producer 1 commits, 2 aborts over several segments, 3 aborts, and 4 has begun before."""
    log, _ = opened(disk, config=SMALL)
    follow(log, 4)  # 0
    follow(log, 1)  # 1
    follow(log, 2)  # 2
    end(log, 1, is_abort=False)  # 3
    follow(log, 2, 20)  # 4 to 23
    follow(log, 3)  # 24
    end(log, 3, is_abort=True)  # 25
    end(log, 2, is_abort=True)  # 26
    follow(log, 1)  # 27
    return log


ENTRIES: Final = [(3, 24, 25, 0), (2, 2, 26, 0)]


def test_the_last_stable_offset_is_before_what_is_undecided(disk: SimDisk):
    log = written(disk)

    assert log.last_stable_offset(28) == 0
    end(log, 4, is_abort=False)  # 28
    # Its marker is not committed yet: a new leader may not know of it.
    assert log.last_stable_offset(28) == 0
    assert log.last_stable_offset(29) == 27
    end(log, 1, is_abort=True)
    assert log.last_stable_offset(30) == 30
    assert entries(log) == [*ENTRIES, (1, 27, 29, 30)]


def test_aborted_transactions_are_found_from_the_segments_before_their_markers(disk: SimDisk):
    log = written(disk)
    assert len(log.segments) > 2

    def told(offset: int) -> list[int]:
        found = log.read(offset, 2**20, log.log_end_offset, whole_first=True)
        return [one.producer_id for one in log.aborted_transactions(offset, found)]

    assert told(0) == [2]
    assert told(24) == [3, 2]
    assert told(26) == [2]
    assert told(27) == []


def test_aborted_transactions_are_found_for_an_offset_that_compaction_took(disk: SimDisk):
    """Its segment ends before it: what is read stands in the next one."""
    log = written(disk)
    shortened, following = log.segments[:2]
    *_, last = headers(shortened.file, 0, shortened.size)
    shortened.file.truncate(last.position)
    shortened.size = last.position
    gone = following.base_offset - 1

    found = log.read(gone, 2**20, log.log_end_offset, whole_first=True)

    assert found.file is following.file
    assert log.aborted_transactions(gone, found) == log.aborted_transactions(gone + 1, found) != ()


@pytest.mark.parametrize("was_closed", [False, True])
def test_the_index_of_transactions_outlives_a_start(disk: SimDisk, was_closed: bool):
    log = written(disk)
    log.close(START_MS)

    again, _ = opened(disk, config=SMALL, was_closed=was_closed, recovery_point=28)

    assert entries(again) == ENTRIES
    assert again.last_stable_offset(28) == 0
    assert [one.name for one in disk.list(DIRECTORY) if one.name.endswith(SUFFIX)] == [
        file_name(segment.base_offset, SUFFIX)
        for segment in again.segments
        if segment.txn_index.entries
    ]


@pytest.mark.parametrize(
    "content", [bytes(34), b"12345", b"\0\1" + bytes(32)], ids=["zeros", "half", "version"]
)
def test_a_damaged_index_of_transactions_is_made_anew(disk: SimDisk, content: bytes):
    log = written(disk)
    paths = [one.path(SUFFIX) for one in log.segments if one.txn_index.has_file]
    log.close(START_MS)
    for path in paths:
        file = disk.open(path)
        file.truncate(0)
        file.write(0, content)

    again, _ = opened(disk, config=SMALL, was_closed=True, recovery_point=28)

    assert entries(again) == ENTRIES


def test_a_truncation_opens_transactions_again(disk: SimDisk):
    log = written(disk)

    log.truncate_to(26, START_MS)

    assert entries(log) == ENTRIES[:1]
    follow(log, 5)
    end(log, 4, is_abort=False)
    assert log.last_stable_offset(28) == 2
    end(log, 2, is_abort=True)
    assert entries(log) == [ENTRIES[0], (2, 2, 28, 26)]


def test_segments_take_their_indexes_of_transactions_along(disk: SimDisk):
    log = written(disk)
    log.delete_records_before(27, 28)

    log.delete_old_segments(START_MS, START_MS, 28)

    for deleted in log.take_deleted():
        deleted.remove(disk)
    kept = {file_name(one.base_offset, SUFFIX) for one in log.segments}
    assert {one.name for one in disk.list(DIRECTORY) if SUFFIX in one.name} <= kept
    assert log.last_stable_offset(28) == 27


def test_what_was_indexed_is_durable_with_its_segment(disk: SimDisk):
    log = written(disk)
    log.flush(START_MS)
    disk.crash()

    again, _ = opened(disk, config=SMALL, recovery_point=28, machine_stopped=True)

    assert entries(again) == ENTRIES
