"""Log directories that real brokers wrote: Kafka 2.8.2 and 3.9.1, closed in order and killed.

`golden/` holds some partitions of each, packed; of `plain-0` also the offset and time of every
record as Kafka's own dump tool printed them.  Its brokers had `index.interval.bytes=1024`.
"""

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from cluster.formats import producer_snapshot
from cluster.formats.batch_walk import headers
from cluster.formats.records import record_times
from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.runtime.disk.files import Disk
from cluster.storage.directories.log_manager import Loaded, LogManager
from cluster.storage.log.offset_lookup import first_at, latest_time
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.findings import RecoveryReport
from cluster.storage.segments.segment import Segment
from tests.cluster.storage.batches import batch
from tests.cluster.storage.logs import check_indexes, content_of, headers_of, stored_bytes

GOLDEN: Final = Path(__file__).parent.parent / "golden"
CLUSTERS: Final = {"3.9.1": "ytm6Hm2KQ_OlvePFO86wiw", "2.8.2": "sbGkPAfFQ92stlEuk_de-w"}
NOW_MS: Final = 1_795_259_900_000
CONFIG: Final = LogConfig(
    segment_size_max=16384, index_size_max=65536, index_interval_size=1024, file_delete_delay_ms=0
)

PLAIN_0: Final = TopicPartition("plain", 0)
PLAIN_1: Final = TopicPartition("plain", 1)
TRIMMED: Final = "leader-epoch-checkpoint"
"""At start Kafka and kadmin alike forget an epoch that begins where the log ends."""


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    for release in CLUSTERS:
        with tarfile.open(GOLDEN / f"kafka-{release}.tar.gz") as archive:
            archive.extractall(tmp_path / release, filter="data")
    return tmp_path


def started(directory: Path, broker_id: int) -> tuple[LogManager, list[Loaded]]:
    cluster_id = CLUSTERS[directory.parent.name]
    manager = LogManager.open(Disk(), [str(directory)], BrokerId(broker_id), cluster_id)
    return manager, list(manager.load(lambda topic: CONFIG, NOW_MS))


def report_of(loaded: Loaded) -> RecoveryReport:
    assert loaded.report is not None, loaded
    return loaded.report


def log_of(manager: LogManager, partition: TopicPartition) -> PartitionLog:
    log = manager.log(partition)
    assert log is not None
    return log


def partition_files(directory: Path) -> dict[str, bytes]:
    """What is in the directories of partitions."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.glob("*-*/*"))
        if path.name != TRIMMED
    }


@pytest.mark.parametrize("release", CLUSTERS)
def test_a_directory_that_kafka_closed_is_taken_over_and_left_as_it_was(unpacked, release):
    directory = unpacked / release / "data-0"
    before = partition_files(directory)

    manager, loaded = started(directory, 0)

    assert [
        (one.problem, report_of(one).scanned_size, report_of(one).reindexed) for one in loaded
    ] == [(None, 0, ())] * 2
    for one in loaded:
        log = log_of(manager, one.partition)
        assert log.recovery_point == log.log_end_offset
        assert manager.directories[0].high_watermark(one.partition) == log.log_end_offset
        check_indexes(log)
    manager.close(NOW_MS, broker_epoch=-1)
    assert partition_files(directory) == before


def test_a_directory_of_a_killed_broker_is_recovered_whole(unpacked):
    directory = unpacked / "3.9.1" / "data-1"
    before = partition_files(directory)

    manager, loaded = started(directory, 1)

    assert {one.partition.topic: report_of(one).scanned_size for one in loaded} == {
        "appendtime": 4661,
        "plain": 15011,
    }
    assert not any(report_of(one).found_damage for one in loaded)
    log = log_of(manager, PLAIN_1)
    assert log.log_end_offset == 481 == manager.directories[0].high_watermark(PLAIN_1)
    check_indexes(log)
    after = partition_files(directory)
    assert [name for name in before if name.endswith(".log") and before[name] != after[name]] == []


def test_indexes_made_anew_are_those_of_the_broker(unpacked):
    directory = unpacked / "3.9.1" / "data-0"
    compared = 0
    for path in directory.glob("*/*.log"):
        wanted = {
            suffix: path.with_suffix(suffix).read_bytes() for suffix in (".index", ".timeindex")
        }
        segment = Segment(Disk(), str(path.parent), int(path.stem), CONFIG, NOW_MS)
        segment.begin_rebuild(NOW_MS)
        for position, header in headers(segment.file, 0, path.stat().st_size):
            segment.adopt(position, header.size, header.last_offset, header.max_timestamp)
        segment.finish()
        segment.close()

        for suffix, content in wanted.items():
            assert path.with_suffix(suffix).read_bytes() == content, path
            compared += len(content)
    assert compared > 100


def test_a_snapshot_of_the_broker_is_written_again_byte_for_byte(unpacked):
    contents = [path.read_bytes() for path in unpacked.glob("*/*/*/*.snapshot")]

    again = [
        producer_snapshot.encode(producer_snapshot.decode(content, "")) for content in contents
    ]

    assert again == contents
    assert max(map(len, contents)) == 470


@pytest.mark.parametrize("kept", ["00000000000000000409.snapshot", None])
def test_producers_read_from_the_log_are_those_of_the_brokers_snapshot(unpacked, kept):
    directory = unpacked / "3.9.1" / "data-0"
    newest = directory / "plain-0" / "00000000000000000499.snapshot"
    wanted = producer_snapshot.decode(newest.read_bytes(), "")
    for path in directory.glob("plain-0/*.snapshot"):
        if path.name != kept:
            path.unlink()

    manager, _ = started(directory, 0)

    found = log_of(manager, PLAIN_0).producers.producers
    assert producer_snapshot.encode(sorted(found)) == producer_snapshot.encode(sorted(wanted))


def test_records_have_the_offsets_and_times_that_kafka_prints(unpacked):
    manager, _ = started(unpacked / "3.9.1" / "data-0", 0)
    log = log_of(manager, PLAIN_0)

    found = [
        f"{record.offset} {record.timestamp}"
        for segment in log.segments
        for record in times_in(segment)
    ]

    assert found == (unpacked / "3.9.1" / "plain-0.times").read_text().splitlines()


def times_in(segment: Segment) -> Iterator:
    for position, header in headers(segment.file, 0, segment.size):
        yield from record_times(segment.file.read(position, header.size), header)


def test_a_time_is_found_where_the_dump_has_it(unpacked):
    manager, _ = started(unpacked / "3.9.1" / "data-0", 0)
    log = log_of(manager, PLAIN_0)
    lines = (unpacked / "3.9.1" / "plain-0.times").read_text().splitlines()
    records = [tuple(map(int, line.split())) for line in lines]

    for target in {time for _, time in records} | {records[0][1] - 1, records[-1][1] + 1}:
        wanted = next((offset for offset, time in records if time >= target), None)
        found = first_at(log, target, log.log_end_offset)
        assert (None if found is None else found.offset) == wanted, target
    newest = max(time for _, time in records)
    found = latest_time(log, log.log_end_offset)
    assert found is not None
    assert (found.offset, found.timestamp) == next(one for one in records if one[1] == newest)


@pytest.mark.parametrize("topic", ["oldformat", "v0format"])
def test_a_log_in_an_old_format_can_be_read_and_continued_by_a_leader(unpacked, topic):
    directory = unpacked / "2.8.2" / "data-0"
    (directory / ".kafka_cleanshutdown").unlink()
    (directory / "recovery-point-offset-checkpoint").unlink()
    before = partition_files(directory)

    manager, loaded = started(directory, 0)

    assert [report_of(one).found_damage for one in loaded] == [False, False]
    log = log_of(manager, TopicPartition(topic, 0))
    assert log.log_end_offset == 120
    last = headers_of(content_of(log.read(119, 10**6, 120, whole_first=True)))[0]
    assert (last.magic, last.last_offset) == (1 if topic == "oldformat" else 0, 119)
    assert stored_bytes(log) == before[f"{topic}-0/00000000000000000000.log"]
    base_offset, *_ = log.append(batch(1), LeaderEpoch(3), NOW_MS, NOW_MS)
    assert base_offset == 120
    assert log.epochs.starts == ((3, 120),)
