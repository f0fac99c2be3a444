"""The log cleaner of a broker: it compacts the dirtiest log, then the next one.

Reading, compacting and writing are done on threads, one slice at a time, so that no thread is held
up for long and the bytes per second can be bounded; what changes a log is done in the loop.

Source: Kafka's LogCleaner and LogCleanerManager.
"""

from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any, Final, NamedTuple, Self

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.supported_configs import (
    CLEANER_BACKOFF,
    CLEANER_BUFFER_SIZE,
    CLEANER_LOAD_FACTOR,
    CLEANER_MAP_SIZE,
    CLEANER_RATE,
    CLEANER_THREADS,
)
from cluster.broker.ports import Ports
from cluster.broker.procedures import PAUSE, Wait, run
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.formats.errors import CorruptFileError
from cluster.formats.record_batch import CorruptBatchError
from cluster.replication.throttle import NO_RATE, ReplicationThrottle
from cluster.storage.cleaner.cleaning import CleanerLimits, Cleaning, LogChanged
from cluster.storage.cleaner.compaction import Compaction, CompactionLost
from cluster.storage.cleaner.dirtiness import DirtyPart, dirty_part
from cluster.storage.errors import KafkaStorageError
from cluster.storage.log.partition_log import PartitionLog

MEASURED_AT_ONCE: Final = 100
"""How many logs are measured in a turn of the loop."""
THROTTLED_MS: Final = 100
"""How long to wait until the rate is checked again."""
LARGE_SIZE: Final = 32 * 1024**2
"""From this size on a log is compacted in a process of its own, which takes a while to start.
Requests would wait for the cleaner's thread again and again, as Python runs one at a time."""

DAMAGES: Final = (CorruptBatchError, CorruptFileError)
FAILURES: Final = (*DAMAGES, CompactionLost, KafkaStorageError, LogChanged)
"""Errors that a slice may end with."""

Steps = Generator[int | Wait, Any, None]


class CleanerSettings(NamedTuple):
    """The configs of the cleaner."""

    threads: int
    backoff_ms: int
    rate: int
    """Bytes per second."""
    limits: CleanerLimits

    @classmethod
    def of(cls, configs: BrokerConfigs) -> Self:
        """Return the settings of *configs*; each of the threads has its part of the memory."""
        threads = configs.number(CLEANER_THREADS)
        return cls(
            threads,
            configs.number(CLEANER_BACKOFF),
            int(min(float(configs.text(CLEANER_RATE)), NO_RATE)),
            CleanerLimits(
                configs.number(CLEANER_MAP_SIZE) // threads,
                float(configs.text(CLEANER_LOAD_FACTOR)),
                # Half of it is for what is read, half for what is written.
                max(1, configs.number(CLEANER_BUFFER_SIZE) // threads // 2),
            ),
        )


class DirtiestLog(NamedTuple):
    hosted: HostedPartition
    part: DirtyPart


class LogCleaner:
    """All cleanings of one broker: at most one of a log at a time."""

    def __init__(self, ports: Ports, partitions: Partitions, wall_ms: Callable[[], int]) -> None:
        """Begin; *wall_ms* is the time by which tombstones expire."""
        self._ports = ports
        self._partitions = partitions
        self._wall_ms = wall_ms
        self._throttle = ReplicationThrottle()
        self.settings = CleanerSettings.of(ports.settings.configs)
        self._running: set[int] = set()
        """The numbers of the threads that clean, or wait for a dirty log."""
        self._cleanings: set[Cleaning] = set()
        self._uncleanable: set[PartitionLog] = set()
        """The logs that are damaged in their dirty part."""
        self._is_started = False
        self._looked_ms = ports.clock.now_ms()
        """When it last looked for a dirty log."""
        self.max_ratio = 0.0
        """The dirty share of the dirtiest log at that time, whether it was due or not."""
        self.last_took_ms = 0
        """How long the last cleaning took."""
        self.last_recopied = 0.0
        """The share of its bytes that it left."""

    def idle_ms(self) -> int:
        """Return how long ago it last looked for a dirty log."""
        return self._ports.clock.now_ms() - self._looked_ms

    def uncleanable(self) -> tuple[PartitionLog, ...]:
        """Return the logs that are not compacted any more, since they are damaged."""
        return tuple(log for log in self._uncleanable if not log.is_deleted)

    def start(self) -> None:
        self._is_started = True
        self.reconfigure(self._ports.settings.configs)

    def stop(self) -> None:
        """Stop cleaning; give up what is in progress."""
        self._is_started = False
        for cleaning in self._cleanings:
            cleaning.stop()

    def reconfigure(self, configs: BrokerConfigs) -> None:
        """Apply *configs* from the next cleaning on, and their rate at once."""
        self.settings = CleanerSettings.of(configs)
        self._throttle.rate = self.settings.rate
        if self._is_started:
            for number in set(range(self.settings.threads)) - self._running:
                self._running.add(number)
                run(self._ports.clock, self._work(number), partial(self._ended, number))

    def _ended(self, number: int, _outcome: None) -> None:
        self._running.discard(number)

    def _work(self, number: int) -> Steps:
        """Clean one log after the other, and sleep while none is dirty."""
        while self._is_started and number < self.settings.threads:
            dirtiest = yield from self._dirtiest()
            if dirtiest is None:
                yield partial(self._ports.clock.call_later, self.settings.backoff_ms)
            else:
                yield from self._clean(*dirtiest)

    def _dirtiest(self) -> Generator[int | Wait, Any, DirtiestLog | None]:
        """Return the log that needs a cleaning most; None where none needs any."""
        found: DirtiestLog | None = None
        self._looked_ms = self._ports.clock.now_ms()
        max_ratio = 0.0
        self._uncleanable = {log for log in self._uncleanable if not log.is_deleted}
        for number, hosted in enumerate(tuple(self._partitions), start=1):
            if number % MEASURED_AT_ONCE == 0:
                yield PAUSE
            log = hosted.log
            if self._may_be_cleaned(hosted):
                try:
                    part = self._measured(hosted)
                except CorruptBatchError as error:
                    self._set_aside(log, error)
                    continue
                except OSError as error:
                    log.health.fail(error)
                    continue
                max_ratio = max(max_ratio, part.ratio)
                if part.is_due(log.config.min_cleanable_ratio) and (
                    found is None or part.ratio > found.part.ratio
                ):
                    found = DirtiestLog(hosted, part)
        self.max_ratio = max_ratio
        # It may have changed in the turns that the others took.
        return found if found is None or self._may_be_cleaned(found.hosted) else None

    def _may_be_cleaned(self, hosted: HostedPartition) -> bool:
        log = hosted.log
        return (
            log.config.compacts
            and not log.is_being_cleaned
            and not log.is_deleted
            and not log.is_offline
            and log not in self._uncleanable
            and not self._is_moved(hosted)
        )

    def _is_moved(self, hosted: HostedPartition) -> bool:
        """Return whether the log is copied into another directory: it is not cleaned then."""
        return self._ports.logs.future_directory_of(hosted.partition) is not None

    def _measured(self, hosted: HostedPartition) -> DirtyPart:
        stable_offset = hosted.log.last_stable_offset(hosted.replica.high_watermark)
        return dirty_part(hosted.log, stable_offset, self._ports.clock.now_ms(), self._wall_ms())

    def _set_aside(self, log: PartitionLog, reason: Exception) -> None:
        self._uncleanable.add(log)
        self._ports.journal.error(f"{log.partition} is not compacted any more: {reason}")

    # One cleaning.

    def _clean(self, hosted: HostedPartition, part: DirtyPart) -> Steps:
        log, ports = hosted.log, self._ports
        is_large = part.clean_size + part.dirty_size >= LARGE_SIZE
        try:
            cleaning = Cleaning(
                ports.files,
                log,
                part,
                self.settings.limits,
                ports.clock.now_ms(),
                self._wall_ms(),
                ports.begin_large_compaction if is_large else Compaction,
            )
        except CorruptFileError as error:
            self._set_aside(log, error)
            return
        except OSError as error:
            log.health.fail(error)
            return
        log.is_being_cleaned = True
        self._cleanings.add(cleaning)
        try:
            yield from self._report_steps(hosted, cleaning)
            if self._is_started:
                # After the end of the broker the next start does it.
                yield partial(ports.disks.do, cleaning.discard)
        finally:
            self._cleanings.discard(cleaning)
            log.is_being_cleaned = False

    def _report_steps(self, hosted: HostedPartition, cleaning: Cleaning) -> Steps:
        """Take all steps of a cleaning, and write its result to the journal."""
        log, ports = hosted.log, self._ports
        began_ms = ports.clock.now_ms()
        sizes = Sizes()
        try:
            yield from self._take_steps(hosted, cleaning, sizes)
        except LogChanged:
            ports.journal.info(f"{log.partition} has changed: its compaction is given up")
        except DAMAGES as error:
            self._set_aside(log, error)
        except (CompactionLost, KafkaStorageError) as error:
            ports.journal.error(f"{log.partition} is not compacted: {error}")
        else:
            took_ms = ports.clock.now_ms() - began_ms
            self.last_took_ms = took_ms
            self.last_recopied = sizes.after / sizes.before if sizes.before > 0 else 0.0
            ports.journal.info(
                f"compacted {log.partition} up to offset {log.cleaned_offset}: of {sizes.before}"
                f" bytes {sizes.after} are left, in {took_ms} ms"
            )

    def _take_steps(self, hosted: HostedPartition, cleaning: Cleaning, sizes: "Sizes") -> Steps:
        log = hosted.log
        yield from self._slices(hosted, cleaning, cleaning.index())
        for group in cleaning.groups():
            yield from self._slices(hosted, cleaning, cleaning.fill(group))
            if not log.can_replace(group):
                raise LogChanged
            new = cleaning.take_new()
            sizes.before += sum(segment.size for segment in group)
            sizes.after += new.size
            log.begin_replacing(group, new, self._ports.clock.now_ms())
            is_replacing = True
            while is_replacing:
                # Whatever becomes of the log, what has begun is ended.
                yield from self._do(Slices(slice_of(log.sync_names)))
                is_replacing = log.go_on_replacing()
        log.cleaned_offset = cleaning.end_offset
        yield from self._do(Slices(slice_of(self._ports.logs.write_checkpoints)))

    def _slices(self, hosted: HostedPartition, cleaning: Cleaning, slices: Iterator[int]) -> Steps:
        """Have all *slices* done on a thread, one after the other, and no faster than allowed.

        Raises:
            CompactionLost, DamagedSegment, KafkaStorageError, LogChanged: one of them has.
        """
        work = Slices(slices)
        clock = self._ports.clock
        while not work.is_over:
            while self._throttle.is_exceeded(clock.now_ms()) and self._is_started:
                yield partial(clock.call_later, THROTTLED_MS)
            if hosted.log is not self._log_of(hosted) or self._is_moved(hosted):
                cleaning.stop()
            cleaning.check()
            yield from self._do(work)
            self._throttle.record(work.size, clock.now_ms())
        cleaning.check()

    def _do(self, work: "Slices") -> Steps:
        """Have the next slice of *work* done on a thread.

        Raises:
            CompactionLost, DamagedSegment, KafkaStorageError, LogChanged: it has; the broker ends.
        """
        if not self._is_started:
            raise LogChanged
        yield partial(self._ports.disks.do, work.next)
        if work.failure is not None:
            raise work.failure

    def _log_of(self, hosted: HostedPartition) -> PartitionLog | None:
        """Return the log that the partition has now."""
        found = self._partitions.find(hosted.partition)
        return None if found is None else found.log


class Sizes:
    """The bytes of the segments that a cleaning has replaced, and of those in their place."""

    __slots__ = ("after", "before")

    def __init__(self) -> None:
        self.before = self.after = 0


class Slices:
    """Pieces of work that are done on threads, one after the other."""

    def __init__(self, slices: Iterator[int]) -> None:
        self._slices = slices
        self.size = 0
        """How many bytes the last one moved."""
        self.is_over = False
        self.failure: Exception | None = None
        """Why the last one came to nothing."""

    def next(self) -> None:
        # After a mistake of ours, which goes on to the loop, all must not seem to be done.
        self.size, self.failure = 0, LogChanged()
        try:
            self.size = next(self._slices)
        except StopIteration:
            self.is_over = True
        except FAILURES as error:
            self.failure = error
            return
        self.failure = None


def slice_of(work: Callable[[], None]) -> Iterator[int]:
    """Yield *work* as a slice that moves no records."""
    work()
    yield 0
