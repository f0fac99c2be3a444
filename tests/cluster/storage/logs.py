"""Logs on simulated and real disks, and what is in them."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final, cast

from cluster.formats.record_batch import BatchHeader, whole_batches
from cluster.model.file_slice import FileSlice
from cluster.model.ids import LeaderEpoch, TopicPartition
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import KafkaStorageError
from cluster.storage.files import File, Files
from cluster.storage.health import DirectoryHealth
from cluster.storage.log.growing_log import AppendOutcome
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.findings import KnownOffsets, RecoveryReport
from cluster.storage.recovery.opening import open_log
from tests.cluster.storage.batches import START_MS, batch
from tests.sim.disk import SimDisk

PARTITION: Final = TopicPartition("orders", 0)
DIRECTORY: Final = "/data/orders-0"
EPOCH: Final = LeaderEpoch(0)


def sim_disk(seed: int = 0) -> SimDisk:
    """A disk with an empty, durable directory for one partition."""
    disk = SimDisk(seed)
    disk.now_ms = START_MS
    disk.make_directory("/data")
    disk.make_directory(DIRECTORY)
    disk.sync_directory("/")
    disk.sync_directory("/data")
    disk.operations.clear()
    return disk


def opened(
    files: Files,
    directory: str = DIRECTORY,
    *,
    config: LogConfig | None = None,
    recovery_point: int = 0,
    log_start_offset: int = 0,
    high_watermark: int = 0,
    cleaned_offset: int | None = None,
    was_closed: bool = False,
    machine_stopped: bool = False,
    now_ms: int = START_MS,
) -> tuple[PartitionLog, RecoveryReport]:
    """The log in *directory*, whose health starts anew."""
    known = KnownOffsets(
        recovery_point=recovery_point,
        log_start_offset=log_start_offset,
        high_watermark=high_watermark,
        cleaned_offset=cleaned_offset,
        was_closed=was_closed,
        machine_stopped=machine_stopped,
    )
    health = DirectoryHealth(directory.rpartition("/")[0])
    return open_log(files, directory, PARTITION, config or LogConfig(), health, known, now_ms)


def fresh_log(config: LogConfig | None = None) -> PartitionLog:
    """An empty log on a disk that does as it is told."""
    log, _ = opened(sim_disk(), config=config)
    return log


def append(log: PartitionLog, count: int = 1, now_ms: int = START_MS) -> AppendOutcome:
    """Append a batch of *count* records."""
    return AppendOutcome(*log.append(batch(count), EPOCH, now_ms, now_ms))


def stored_bytes(log: PartitionLog) -> bytes:
    """All batches from the log's start on, as a consumer would get them."""
    return b"".join(slices(log))


def slices(log: PartitionLog, size_max: int = 2**31) -> Iterator[bytes]:
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        found = log.read(offset, size_max, log.log_end_offset, whole_first=True)
        content = content_of(found)
        yield content
        offset = headers_of(content)[-1].next_offset


def content_of(found: FileSlice) -> bytes:
    """The bytes that are meant."""
    return cast(File, found.file).read(found.position, found.size)


def headers_of(content: bytes) -> list[BatchHeader]:
    return [placed.header for placed in whole_batches(content)]


def check_indexes(log: PartitionLog) -> None:
    """Hold every index entry against the batches, as Kafka's dump tool does."""
    for segment in log.segments:
        placed = list(whole_batches(segment.file.read(0, segment.size)))
        last_offset_at = {position: header.last_offset for position, header in placed}
        for number in range(segment.offset_index.count):
            relative, position = segment.offset_index.entry(number)
            assert last_offset_at[position] == segment.base_offset + relative
        before = -1
        for number in range(segment.time_index.count):
            timestamp, relative = segment.time_index.entry(number)
            offset = segment.base_offset + relative
            assert timestamp > before
            assert timestamp == max(
                header.max_timestamp for _, header in placed if header.last_offset <= offset
            )
            before = timestamp


def truncate(manager: LogManager, offsets: Mapping[TopicPartition, int], now_ms: int) -> None:
    """Cut logs, in the three steps that it takes."""
    manager.begin_truncation(offsets, {})
    finish_truncation(manager, offsets, now_ms)


def restart_at(manager: LogManager, partition: TopicPartition, offset: int, now_ms: int) -> None:
    """Begin a log anew, in the three steps that it takes."""
    manager.begin_truncation({}, {partition: offset})
    finish_truncation(manager, (partition,), now_ms)


def finish_truncation(
    manager: LogManager, partitions: Iterable[TopicPartition], now_ms: int
) -> None:
    manager.write_checkpoints()
    for partition in partitions:
        # The reason of a failure is in the directory's health.
        with suppress(KafkaStorageError):
            manager.finish_truncation(partition, now_ms)
