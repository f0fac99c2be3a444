"""Scheduled tasks of the logs, each on a timer of its own.

Due flushes, retention, deletion of files, checkpoints, and the search for failed log directories.
`disk_threads` does what blocks.

Source: the tasks that Kafka's LogManager and ReplicaManager give to their scheduler.
"""

import logging
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Protocol

from cluster.model.ids import TopicPartition
from cluster.runtime.disk.disk_threads import DiskThreads
from cluster.runtime.disk.periodic_tasks import PeriodicTasks
from cluster.runtime.disk.settled_clock import SettledClock
from cluster.runtime.environment import LoopClock
from cluster.settings.broker_settings import BrokerSettings
from cluster.storage.directories.log_directory import LogDirectory
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import KafkaStorageError
from cluster.storage.log.partition_log import PartitionLog

LOOK_MS: Final = 1000
"""The interval of the search for due flushes, files to remove and failed directories."""
LOOKED_AT_ONCE: Final = 500
"""How many logs are looked at before requests go on."""

logger: Final = logging.getLogger(__name__)


class Replicas(Protocol):
    """High watermarks of partitions, and the receiver of moved log starts."""

    def high_watermark(self, partition: TopicPartition) -> int:
        """The offset up to which retention may drop records."""
        ...

    def some_high_watermarks(self) -> Iterable[Mapping[TopicPartition, int]]:
        """Those of all replicas of this broker, some at a time."""
        ...

    def log_starts_moved(self, partitions: Iterable[TopicPartition]) -> None:
        """Note that their logs may start later now."""
        ...


class LogScheduler:
    """The timers of one broker."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        settings: BrokerSettings,
        logs: LogManager,
        disk: DiskThreads,
        replicas: Replicas,
        directory_failed: Callable[[LogDirectory], None],
        settled_clock: SettledClock,
        expire_offsets: Callable[[int], None],
    ) -> None:
        """*directory_failed* is called once for each log directory that goes offline, and
        *expire_offsets* periodically with the time of the settled clock."""
        self._settings = settings
        self._logs = logs
        self._disk = disk
        self._replicas = replicas
        self._directory_failed = directory_failed
        self._clock = LoopClock(loop)
        self._settled_clock = settled_clock
        self._expire_offsets = expire_offsets
        self._tasks = PeriodicTasks(loop)
        self._known_failures = {
            directory.path for directory in logs.directories if directory.health.failure is not None
        }

    def start(self) -> None:
        """Start the timers; nothing runs at once."""
        settings, every = self._settings, self._tasks.every
        every(min(LOOK_MS, settings.flush_interval_ms), "look", self.look)
        every(settings.retention_interval_ms, "retention", self.drop_old_segments)
        every(
            min(settings.recovery_point_interval_ms, settings.log_start_interval_ms),
            "checkpoints",
            self.write_checkpoints,
        )
        every(settings.high_watermark_interval_ms, "watermarks", self.write_watermarks)
        every(settings.producer_expiration_interval_ms, "producers", self.expire_producers)
        every(settings.groups.expiration_interval_ms, "offsets", self.expire_offsets)

    def stop(self) -> None:
        self._settled_clock.note()
        self._tasks.stop()

    def look(self) -> Iterator[None]:
        """Flush what is due, remove due files, and report directories that have failed.

        A change of the machine's clock is noted first, before any file gets its time.
        """
        self._settled_clock.wall_ms()
        now_ms = self._clock.now_ms()
        for log in self._each_log():
            if log is None:
                yield
            elif log.flush_is_due(now_ms) and not self._disk.is_flushing(log):
                self._disk.flush(log, ignore)
        self._disk.delete(self._logs.take_due_deletions(now_ms))
        self._look_for_failures()

    def _look_for_failures(self) -> None:
        for directory in self._logs.directories:
            failure = directory.health.failure
            if failure is not None and directory.path not in self._known_failures:
                self._known_failures.add(directory.path)
                logger.error("%s; its %d partitions are offline", failure, len(directory.logs))
                self._directory_failed(directory)

    def drop_old_segments(self) -> Iterator[None]:
        """Apply retention; the files are deleted later."""
        count = 0
        for dropped in self._logs.delete_old_segments_in_turns(
            self._clock.now_ms(), self._settled_clock.wall_ms(), self._replicas.high_watermark
        ):
            self._replicas.log_starts_moved(dropped)
            count += sum(dropped.values())
            yield
        self._settled_clock.note()
        if count > 0:
            logger.info("Retention has dropped %d segments", count)

    def write_checkpoints(self) -> None:
        self._disk.run("checkpoints", self._logs.write_checkpoints)

    def write_watermarks(self) -> Iterator[None]:
        offsets: dict[TopicPartition, int] = {}
        # Made before they are read: it leaves all as it is if a log is deleted meanwhile.
        work = self._logs.high_watermarks_work(offsets)
        for some in self._replicas.some_high_watermarks():
            offsets |= some
            yield
        # A changed clock is noted before: the file's mtime would make it look right.
        self._settled_clock.wall_ms()
        self._disk.run("watermarks", work)

    def expire_offsets(self) -> None:
        self._expire_offsets(self._settled_clock.wall_ms())

    def expire_producers(self) -> Iterator[None]:
        now_ms = self._clock.now_ms()
        for log in self._each_log():
            if log is None:
                yield
            else:
                log.expire_producers(now_ms)

    def _each_log(self) -> Iterator[PartitionLog | None]:
        """Return all logs that are online, and None from time to time, when others may change
        them: those that are gone then are left out."""
        for directory in tuple(self._logs.online):
            for number, partition in enumerate(tuple(directory.logs), start=1):
                log = directory.logs.get(partition)
                if log is not None and not log.is_offline:
                    yield log
                if number % LOOKED_AT_ONCE == 0:
                    yield None


def ignore(error: KafkaStorageError | None) -> None:
    """The callback of a flush: its failure is in the directory's health, where `look` finds it."""
