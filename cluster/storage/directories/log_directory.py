"""One log directory: its logs, and what is known about them after a restart.

Has the directory's owner and checkpoints; its lock is `directory_lock`'s, and its mark of a clean
shutdown `clean_mark`'s.  Knows no other directory.  Every failed operation of the disk takes the
directory offline.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Final, NamedTuple, Self

from cluster.formats.checkpoints import (
    CLEANED_OFFSETS,
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
)
from cluster.formats.directory_names import (
    Survey,
    deleted_future_name,
    deleted_name,
    directory_name,
    future_name,
    survey,
)
from cluster.formats.errors import CorruptFileError
from cluster.formats.record_batch import CorruptBatchError
from cluster.model.ids import UNKNOWN_BROKER_EPOCH, TopicPartition
from cluster.storage.directories.checkpoints import read_offsets, write_offsets
from cluster.storage.directories.clean_mark import (
    CLEAN_MARK,
    intact_since_in_mark,
    write_clean_mark,
)
from cluster.storage.directories.directory_lock import LOCK, DirectoryLock
from cluster.storage.directories.properties import (
    MetaProperties,
    begin_topic_id,
    read_meta_properties,
    write_meta_properties,
)
from cluster.storage.errors import KafkaStorageError, LogDirectoryRefused
from cluster.storage.files import Files, remove_if_there
from cluster.storage.health import DirectoryHealth
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log.producer_state import PRODUCER_EXPIRATION_MS
from cluster.storage.log.work import DeletedDirectory, RunAll, run_in_turn
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.findings import Kind, KnownOffsets, RecoveryReport
from cluster.storage.recovery.opening import open_log

CHECKPOINTS: Final = (RECOVERY_POINTS, LOG_STARTS, CLEANED_OFFSETS, HIGH_WATERMARKS)


class PlannedEnd(NamedTuple):
    """Where a log will end, and with *restarts* begin; else it is truncated to *offset*."""

    end_offset: int
    restarts: bool = False
    offset: int = 0


class LogDirectory:
    """One of a broker's log directories, and the logs that are open in it."""

    def __init__(self, files: Files, path: str) -> None:
        self._files = files
        self._lock: DirectoryLock | None = None
        self._offsets: dict[str, dict[TopicPartition, int]] = {name: {} for name in CHECKPOINTS}
        self.path = path
        self.health = DirectoryHealth(path)
        self.logs: dict[TopicPartition, PartitionLog] = {}
        self.futures: dict[TopicPartition, PartitionLog] = {}
        """The logs that are copied from other directories, and will take their place.  No partition
        has a log here as well; so the checkpoints name each once, before that and afterwards."""
        self.owner: MetaProperties | None = None
        self.was_closed = False
        """Whether the previous process that had the directory shut down cleanly."""
        self.intact_since = UNKNOWN_BROKER_EPOCH
        """The earliest registration since which no end of a broker has cost a log a record: it was
        an orderly one, or the process was killed and the machine went on.
        """
        self.flushed_since = UNKNOWN_BROKER_EPOCH
        """The same for what was flushed, also where the machine has stopped."""
        self.problems: list[str] = []
        """Checkpoints that could not be read, whose content is found again from the logs; and that
        the directory is an older copy."""
        self.idle_ms = 0
        """How long ago a broker last used the directory, by the machine's clock: it wrote the high
        watermarks, or started.
        """
        self.survey = Survey((), (), (), ())
        self.unopened: dict[TopicPartition, str] = {}
        """The logs that exist and are not open, each with the reason."""
        self.producer_expiration_ms = PRODUCER_EXPIRATION_MS
        """How long producers may send nothing before they expire, in logs that are opened later."""
        self.deletion_count = 0
        """How many logs were taken out of use: their names may be those of other logs now."""
        self._settled_count = 0
        """How many of them are durably deleted."""
        self._truncations: dict[TopicPartition, PlannedEnd] = {}
        """The logs that are about to be truncated."""
        self.checkpointing: AbstractContextManager[object] = nullcontext()
        """Keeps two writers of checkpoints apart; a lock where they are on several threads."""

    @classmethod
    def open(cls, files: Files, path: str) -> Self:
        """Take the directory, made if it is missing, and read what stands beside its logs.

        A disk that fails leaves it offline, with the reason in `health`.

        Raises:
            LogDirectoryRefused: another process has it.
            CorruptFileError: `meta.properties` cannot be read.
        """
        directory = cls(files, path)
        try:
            directory._open()
        except BlockingIOError:
            raise LogDirectoryRefused(path, "another process has its lock") from None
        except OSError as error:
            directory.health.fail(error)
        return directory

    def _open(self) -> None:
        with suppress(FileExistsError):
            self._files.make_directory(self.path)
            self._files.sync_directory(self.path.rpartition("/")[0] or "/")
        # Before anything is read: from here on no other process writes it.
        self._lock = DirectoryLock(self._files, self.path)
        self.owner = read_meta_properties(self._files, self.path)
        for name in CHECKPOINTS:
            self._offsets[name] = self._read(name)
        entries = self._files.list(self.path)
        self.idle_ms = min(
            (one.age_ms for one in entries if one.name in (LOCK, HIGH_WATERMARKS)), default=0
        )
        self.was_closed = any(entry.name == CLEAN_MARK for entry in entries)
        self.flushed_since = self._lock.found_flushed_since
        self.intact_since = intact_since_in_mark(self._files, self.path)
        if self.intact_since == UNKNOWN_BROKER_EPOCH and self._lock.machine_went_on:
            self.intact_since = self._lock.found_intact_since
        self.survey = survey(tuple(entry.name for entry in entries if entry.is_directory))
        self.unopened = dict.fromkeys(self.survey.partitions, "not loaded yet")

    @property
    def incarnation(self) -> int:
        """The number of the last start of the broker that the directory knows; 0 for none."""
        return 0 if self._lock is None else self._lock.incarnation

    def begin_incarnation(self, registered: int, number: int) -> None:
        """Take *number* for this start of the broker; ZooKeeper has *registered* for the last."""
        if self._lock is None:
            return
        if self.incarnation < registered:
            self.intact_since = self.flushed_since = UNKNOWN_BROKER_EPOCH
            if self.survey.partitions:
                self.problems.append(
                    f"{self.path} is of an earlier start of this broker: it may lack records, and"
                    " they are fetched from the other replicas"
                )
        self._lock.incarnation = number

    def _read(self, name: str) -> dict[TopicPartition, int]:
        try:
            return read_offsets(self._files, self.path, name)
        except CorruptFileError as error:
            self.problems.append(str(error))
            return {}

    def sign(self, owner: MetaProperties) -> None:
        """Write *owner* into the directory, unless it is there already."""
        with self.health.guard():
            if self.owner != owner:
                write_meta_properties(self._files, self.path, owner)
                self.owner = owner

    def note_boot(self) -> None:
        """Write the boot of the machine to the lock, durably: the logs are changed in it from now
        on, and have been recovered from what the end of another boot may have lost.  Beside it
        stands since when the directory is intact.

        While one of them has not been recovered, the content stays: the next start has to know for
        that log that the machine has stopped.  It decides about the others by that as well, where
        only another broker can have left a gap.
        """
        if self._lock is None:
            return
        if self.unopened and not self.was_closed and self._lock.machine_stopped:
            return
        with self.health.guard():
            # Also where it stands there: who wrote it may have been killed before this.
            self._lock.note_boot(self.intact_since, self.flushed_since)
            self._files.sync_directory(self.path)

    def note_intact_since(
        self, broker_epoch: int, flushed_since: int = UNKNOWN_BROKER_EPOCH
    ) -> None:
        """Let the next start know, if this process is killed or its machine stops, since when the
        directory is intact, or where that is unknown has what was flushed.

        A directory that has failed is tried as well, without waiting for its disk: what that has
        not taken may be lost.
        """
        if self._lock is not None:
            with suppress(OSError):
                self._lock.note(broker_epoch, flushed_since)
                if broker_epoch not in (UNKNOWN_BROKER_EPOCH, self.intact_since):
                    self._lock.sync()

    def begin(self) -> None:
        """Remove the mark of the clean shutdown, durably, before any log is touched.

        A crash from here on must be detected.
        """
        with self.health.guard():
            if self.was_closed:
                remove_if_there(self._files, f"{self.path}/{CLEAN_MARK}")
                self._files.sync_directory(self.path)

    def load(
        self, partition: TopicPartition, config: LogConfig, now_ms: int
    ) -> tuple[PartitionLog, RecoveryReport]:
        """Open a log that is there.

        Raises:
            CorruptFileError: it cannot be opened; the others can.
            KafkaStorageError: the directory is or went offline.
        """
        path = self.path_of(partition)
        try:
            log, report = self._open_log(path, partition, config, self._known(partition), now_ms)
        except CorruptFileError as error:
            self.unopened[partition] = str(error)
            raise
        self.logs[partition] = log
        del self.unopened[partition]
        if report.found_damage:
            self.intact_since = UNKNOWN_BROKER_EPOCH
        if any(finding.kind is Kind.DAMAGE for finding in report.findings):
            self.flushed_since = UNKNOWN_BROKER_EPOCH
        return log, report

    def load_future(
        self, partition: TopicPartition, name: str, config: LogConfig, now_ms: int
    ) -> RecoveryReport:
        """Open the copy of a log that was being made in the directory *name*.

        Raises:
            CorruptFileError: it cannot be opened.
            KafkaStorageError: the directory is or went offline.
        """
        path = f"{self.path}/{name}"
        log, report = self._open_log(path, partition, config, self._known(partition), now_ms)
        self.futures[partition] = log
        return report

    def _known(self, partition: TopicPartition) -> KnownOffsets:
        return KnownOffsets(
            recovery_point=self._offsets[RECOVERY_POINTS].get(partition, 0),
            log_start_offset=self._offsets[LOG_STARTS].get(partition, 0),
            high_watermark=self._offsets[HIGH_WATERMARKS].get(partition, 0),
            cleaned_offset=self._offsets[CLEANED_OFFSETS].get(partition),
            was_closed=self.was_closed,
            machine_stopped=self._lock is not None and self._lock.machine_stopped,
        )

    def _open_log(
        self, path: str, of: TopicPartition, config: LogConfig, known: KnownOffsets, now_ms: int
    ) -> tuple[PartitionLog, RecoveryReport]:
        expiration_ms = self.producer_expiration_ms
        return open_log(self._files, path, of, config, self.health, known, now_ms, expiration_ms)

    def path_of(self, partition: TopicPartition) -> str:
        return f"{self.path}/{directory_name(partition)}"

    def create(
        self, partition: TopicPartition, config: LogConfig, topic_id: str | None, now_ms: int
    ) -> PartitionLog:
        """Create a log, without waiting for the disk; *topic_id* has 22 characters.

        Its name becomes durable with the first flush: before that, nothing is lost with it.

        Raises:
            KafkaStorageError: it exists but could not be opened, or the directory is offline.
        """
        path = self.path_of(partition)
        if partition in self.unopened:
            raise KafkaStorageError(self.path, f"{path}: {self.unopened[partition]}")
        log = self.logs[partition] = self._begin(path, partition, config, topic_id, now_ms)
        return log

    def create_future(
        self,
        partition: TopicPartition,
        config: LogConfig,
        topic_id: str | None,
        unique_id: str,
        now_ms: int,
    ) -> PartitionLog:
        """Create a copy of the log of *partition*, which another directory has.

        Earlier deletions here are settled: the checkpoints have nothing of an earlier copy.

        Raises:
            KafkaStorageError: the directory is or went offline.
        """
        assert self.is_settled
        assert partition not in self.logs
        path = f"{self.path}/{future_name(partition, unique_id)}"
        log = self.futures[partition] = self._begin(path, partition, config, topic_id, now_ms)
        return log

    def adopt_future(self, partition: TopicPartition) -> None:
        """Let the copy be the log of *partition* from now on; its name is durable.

        Raises:
            KafkaStorageError: the directory is or went offline; then it has one of the two names.
        """
        log = self.futures[partition]
        log.move_to(self.path_of(partition))
        # In this order, and read in the other: a checkpoint that is written meanwhile misses none.
        self.logs[partition] = log
        del self.futures[partition]

    def lose(self, partition: TopicPartition) -> None:
        """Forget the log of *partition*, which is in another directory now, in one that failed."""
        assert self.health.failure is not None
        del self.logs[partition]

    def _begin(
        self,
        path: str,
        partition: TopicPartition,
        config: LogConfig,
        topic_id: str | None,
        now_ms: int,
    ) -> PartitionLog:
        with self.health.guard():
            try:
                self._files.make_directory(path)
            except FileExistsError:
                reason = f"{path} was not there when the broker started, and now is"
                raise KafkaStorageError(self.path, reason) from None
            if topic_id is not None:
                begin_topic_id(self._files, path, topic_id)
        try:
            log, _ = self._open_log(path, partition, config, KnownOffsets(), now_ms)
        except CorruptFileError as error:
            raise KafkaStorageError(self.path, str(error)) from error
        return log

    def _all_logs(self) -> tuple[tuple[TopicPartition, PartitionLog], ...]:
        """Return those that are copied here as well.  Any thread may ask."""
        # By `dict` alone they are those of one moment: pairs, and what `copy` returns, are made
        # while garbage may be collected, and then another thread goes on and changes them.
        futures, logs = dict(self.futures), dict(self.logs)
        return (*futures.items(), *logs.items())

    def _held(self, partition: TopicPartition) -> PartitionLog:
        future = self.futures.get(partition)
        return self.logs[partition] if future is None else future

    def high_watermark(self, partition: TopicPartition) -> int:
        """Return the high watermark of the last checkpoint, within what the log holds now."""
        log = self.logs[partition]
        known = self._offsets[HIGH_WATERMARKS].get(partition, 0)
        return min(max(known, log.log_start_offset), log.log_end_offset)

    def delete(self, partition: TopicPartition, unique_id: str, now_ms: int) -> DeletedDirectory:
        """Take a log out of use: its directory gets another name, and waits to be removed.

        `settle_deletions` makes that durable, for many at once; no namesake is begun before.
        """
        if partition in self.unopened:
            return self._delete_unopened(partition, unique_id, now_ms)
        deleted = self._delete(self.logs[partition], deleted_name(partition, unique_id), now_ms)
        del self.logs[partition]
        return deleted

    def delete_future(self, partition: TopicPartition, now_ms: int) -> DeletedDirectory:
        """Delete the copy of a log, as `delete` does."""
        log = self.futures[partition]
        name = log.directory.rpartition("/")[2]
        deleted = self._delete(log, deleted_future_name(name), now_ms)
        del self.futures[partition]
        return deleted

    def delete_unopened_future(self, name: str, now_ms: int) -> DeletedDirectory:
        """Delete the copy *name*, which is not open, as `delete` does."""
        path = f"{self.path}/{deleted_future_name(name)}"
        with self.health.guard():
            self._files.rename(f"{self.path}/{name}", path)
        self.deletion_count += 1
        return DeletedDirectory(path, (), now_ms)

    def sync_names(self) -> None:
        """Make the names of the logs durable."""
        with self.health.guard():
            self._files.sync_directory(self.path)

    def _delete(self, log: PartitionLog, name: str, now_ms: int) -> DeletedDirectory:
        path = f"{self.path}/{name}"
        # One rename is the deletion.  A crash may bring the old name back, and then the whole log:
        # no file of it goes before the new name is durable.
        with self.health.guard():
            self._files.rename(log.directory, path)
        log.is_deleted = True
        self._truncations.pop(log.partition, None)
        self.deletion_count += 1
        dropped = (deleted.segment for deleted in log.take_deleted())
        due_ms = now_ms + log.config.file_delete_delay_ms
        return DeletedDirectory(path, (*log.segments, *dropped), due_ms)

    def _delete_unopened(
        self, partition: TopicPartition, unique_id: str, now_ms: int
    ) -> DeletedDirectory:
        """Delete a log without readers: its files may be removed at once, or may already be
        missing.
        """
        path = f"{self.path}/{deleted_name(partition, unique_id)}"
        with self.health.guard(), suppress(FileNotFoundError):
            self._files.rename(self.path_of(partition), path)
        del self.unopened[partition]
        self.deletion_count += 1
        return DeletedDirectory(path, (), now_ms)

    @property
    def is_settled(self) -> bool:
        """Return whether it is durable that the deleted logs are gone."""
        return self._settled_count == self.deletion_count

    def settle_deletions(self) -> None:
        """Make it durable that the deleted logs are gone.  Any thread may do it."""
        if self.is_settled:
            return
        # Noted first: a log that is deleted while the disk is waited for is not among these.
        settled_count = self.deletion_count
        with self.health.guard():
            self._files.sync_directory(self.path)
        # A namesake must not be taken to be durable, or committed, up to where one of them was.
        self.write_checkpoints()
        self.write_high_watermarks({}, settled_count)
        self._settled_count = settled_count

    def write_checkpoints(self) -> None:
        """Make durable what the logs' checkpoints contain except high watermarks; of logs that are
        about to be truncated, what they will contain then.

        A crash between the files leaves some of them old.  Each is true without the other, since an
        older one promises less; `begin_truncation`, which lowers them, has the logs changed only
        when both are written.
        """
        with self.checkpointing:
            # First of all: a log that has been truncated by then has the same offset itself.
            planned = dict(self._truncations)
            # Another thread may begin a log or give one up meanwhile: these are those of now.
            logs = self._all_logs()
            points = {of: log.recovery_point for of, log in logs}
            # Kafka leaves out those that begin with their first segment.  But a crash can bring
            # back the segments before it: their names may not be gone for good yet.
            starts = {of: log.log_start_offset for of, log in logs if log.log_start_offset > 0}
            cleaned = {of: log.cleaned_offset for of, log in logs if log.cleaned_offset is not None}
            for of in planned.keys() & points.keys():
                end_offset = planned[of].end_offset
                points[of] = min(points[of], end_offset)
                starts[of] = (
                    end_offset if planned[of].restarts else min(starts.get(of, 0), end_offset)
                )
                if of in cleaned:
                    cleaned[of] = min(cleaned[of], end_offset)
            self._write(RECOVERY_POINTS, points)
            self._write(LOG_STARTS, {of: start for of, start in starts.items() if start > 0})
            self._write(CLEANED_OFFSETS, cleaned)

    def write_high_watermarks(
        self, offsets: Mapping[TopicPartition, int], deletion_count: int
    ) -> None:
        """Make the high watermarks durable; those of logs that *offsets* leaves out stay.

        Does nothing when logs were taken out of use since *offsets* were read, which was when
        `deletion_count` had the given value.
        """
        with self.checkpointing:
            if deletion_count != self.deletion_count:
                return
            known = {**self._offsets[HIGH_WATERMARKS], **offsets}
            self._write(
                HIGH_WATERMARKS, {of: known[of] for of, _ in self._all_logs() if of in known}
            )

    def _write(self, name: str, offsets: dict[TopicPartition, int]) -> None:
        """Replace a checkpoint; its entries of logs that could not be opened stay."""
        before = self._offsets[name]
        kept = {of: before[of] for of in tuple(self.unopened) if of in before} | offsets
        if kept == before:
            return
        with self.health.guard():
            write_offsets(self._files, self.path, name, kept)
        self._offsets[name] = kept

    def begin_truncation(
        self, offsets: Mapping[TopicPartition, int], restarts: Mapping[TopicPartition, int]
    ) -> None:
        """Trust nothing from the *offsets* on of these partitions' logs, which there are, any more.

        Of *restarts* nothing is to be kept: these logs begin anew at those offsets.  Nothing is
        changed yet.  Three steps, each for as many logs as there are, and each relies on the one
        before:

        1. here, on the loop: it is noted where the logs will end and begin;
        2. `write_checkpoints`, on any thread: that is durable.  What is written behind a truncation
           is not durable, although it stands where durable records stood; and a log that begins
           anew has, for a moment, no segment that would say where;
        3. `finish_truncation`, on the loop, one log after the other: it is cut.

        A crash between them leaves logs that are as they were, of which the next start reads more
        than it need, or which it begins anew; their owner finds out again where to cut them.
        """
        for partition, offset in offsets.items():
            log = self._held(partition)
            if offset <= log.segments[0].base_offset:
                self._truncations[partition] = PlannedEnd(offset, restarts=True)
                continue
            # A log that is damaged there is not cut; all others are.
            with suppress(CorruptBatchError):
                self._truncations[partition] = PlannedEnd(log.end_before(offset), offset=offset)
        for partition, offset in restarts.items():
            self._truncations[partition] = PlannedEnd(offset, restarts=True)

    def finish_truncation(self, partition: TopicPartition, now_ms: int) -> None:
        """Truncate the log of *partition*, or restart it; does nothing when that was given up, or
        when the log is damaged at that position.

        Raises:
            KafkaStorageError: the directory is or went offline.
        """
        planned = self._truncations.get(partition)
        if planned is None:
            return
        log = self._held(partition)
        if planned.restarts:
            log.restart_at(planned.end_offset, now_ms)
        else:
            with suppress(CorruptBatchError):
                log.truncate_to(planned.offset, now_ms)
        # Only now: see `write_checkpoints`.
        del self._truncations[partition]

    def give_up_truncation(self, partition: TopicPartition) -> bool:
        """Leave the log of *partition* as it is, and return whether it would have been truncated.

        The next `write_checkpoints` writes where it really begins and how much of it is durable.
        """
        return self._truncations.pop(partition, None) is not None

    def close(
        self,
        now_ms: int,
        broker_epoch: int,
        run_all: RunAll = run_in_turn,
        *,
        intact_since: int = UNKNOWN_BROKER_EPOCH,
    ) -> None:
        """Make everything durable and write the mark of a clean shutdown, then release the
        directory.

        There is no mark while logs are left that were not opened since a crash.

        Each log is a piece of work for *run_all*: they wait for the disk together, which takes a
        fraction of the time that they take one by one.
        """
        # The mark is written last: with it, all before it is durable; and a crash without it
        # makes the next start read what lies beyond the recovery points.
        run_all([partial(log.close, now_ms) for _, log in self._all_logs()])
        self.write_checkpoints()
        if self.unopened and not self.was_closed:
            # A crash may have damaged the logs that were not opened, which is not checked yet: the
            # mark would make the next start trust them.
            self.release()
            return
        with self.health.guard():
            write_clean_mark(self._files, self.path, broker_epoch, intact_since)
        self.release()

    def release(self) -> None:
        """Let another process take the directory."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None
