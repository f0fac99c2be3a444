"""All logs of a broker, and what has to be done to them from time to time.

Spreads logs over the log directories, of which one may fail without the others.  Opening, flushing
and removing take long; the shell decides on which thread they run.  Knows no replicas.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import NamedTuple, Self

from cluster.model.ids import BrokerId, TopicPartition
from cluster.storage.errors import (
    CorruptFileError,
    InvalidLogConfig,
    KafkaStorageError,
    LogDirectoryRefused,
)
from cluster.storage.files import Files
from cluster.storage.log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.log_directory import LogDirectory
from cluster.storage.properties import MetaProperties
from cluster.storage.recovery import RecoveryReport
from cluster.storage.work import DoomedDirectory, DoomedSegment, RunAll, run_in_turn


class Loaded(NamedTuple):
    """What became of one log at the start."""

    partition: TopicPartition
    directory: str
    report: RecoveryReport | None
    """None when the log is not open."""
    problem: str | None
    """Why it is not; its files are as they were."""


class Deletion(NamedTuple):
    """Files that may go now, and the directory that fails if they cannot."""

    doomed: DoomedSegment | DoomedDirectory
    directory: LogDirectory

    def run(self, files: Files) -> None:
        """Remove them.  Any thread may do it."""
        with self.directory.health.guard():
            self.doomed.remove(files)


class LogManager:
    """All logs of one broker.  Made by `open`, then `load` has to be run to its end."""

    def __init__(self, files: Files, directories: Sequence[LogDirectory]) -> None:
        self._files = files
        self._deletions: list[Deletion] = []
        self.directories = tuple(directories)

    @classmethod
    def open(cls, files: Files, paths: Sequence[str], broker_id: BrokerId, cluster_id: str) -> Self:
        """Take the directories at *paths* for the broker; those that fail are offline.

        Raises:
            LogDirectoryRefused: one is another's or in use, or none of them works.
        """
        directories: list[LogDirectory] = []
        try:
            for path in paths:
                directories.append(open_directory(files, path, broker_id, cluster_id))
            manager = cls(files, directories)
            if not manager.online:
                raise LogDirectoryRefused(", ".join(paths), "none of them can be used")
        except LogDirectoryRefused:
            for directory in directories:
                directory.release()
            raise
        return manager

    @property
    def online(self) -> tuple[LogDirectory, ...]:
        return tuple(one for one in self.directories if one.health.failure is None)

    def load(
        self, config_of: Callable[[str], LogConfig], now_ms: int, run_all: RunAll = run_in_turn
    ) -> Iterator[Loaded]:
        """Open every log that is there; *config_of* gives a topic's config.

        Each log is a piece of work for *run_all*, one directory after the other.

        Raises:
            LogDirectoryRefused: two directories have a log of the same partition.
        """
        self._check_places()
        for directory in self.online:
            for name in directory.survey.doomed:
                doomed = DoomedDirectory(f"{directory.path}/{name}", (), now_ms)
                self._deletions.append(Deletion(doomed, directory))
            loaded: list[Loaded] = []
            works = [
                partial(self._load, directory, partition, config_of, now_ms, loaded)
                for partition in directory.survey.partitions
            ]
            # The reason of a failure is in the directory's health; the others go on.
            with suppress(KafkaStorageError):
                directory.begin()
                run_all(works)
                directory.note_boot()
                # What the checkpoints say of logs that are gone must not outlive this start.
                directory.write_checkpoints()
                directory.write_high_watermarks({}, directory.doomed_count)
            yield from loaded

    def _check_places(self) -> None:
        places: dict[TopicPartition, str] = {}
        for directory in self.directories:
            for partition in directory.survey.partitions:
                if partition in places:
                    raise LogDirectoryRefused(
                        directory.path, f"{places[partition]} has a log of {partition} as well"
                    )
                places[partition] = directory.path

    def _load(
        self,
        directory: LogDirectory,
        partition: TopicPartition,
        config_of: Callable[[str], LogConfig],
        now_ms: int,
        loaded: list[Loaded],
    ) -> None:
        """Open one log, and add what became of it to *loaded*.  Any thread may do it."""
        report: RecoveryReport | None = None
        problem: str | None = None
        try:
            _, report = directory.load(partition, config_of(partition.topic), now_ms)
        except (CorruptFileError, InvalidLogConfig) as error:
            directory.unopened[partition] = problem = str(error)
        loaded.append(Loaded(partition, directory.path, report, problem))

    def directory_of(self, partition: TopicPartition) -> LogDirectory | None:
        """The directory with the log of *partition*, offline ones included; None without one."""
        for directory in self.directories:
            if partition in directory.logs:
                return directory
        return None

    def place_of(self, partition: TopicPartition) -> LogDirectory | None:
        """The directory with files of *partition*, also of a log that is not open; or None."""
        for directory in self.directories:
            if partition in directory.logs or partition in directory.unopened:
                return directory
        return None

    def log(self, partition: TopicPartition) -> PartitionLog | None:
        """The log of *partition*; None when there is none.  It may be offline."""
        directory = self.directory_of(partition)
        return None if directory is None else directory.logs[partition]

    def get_or_create(
        self,
        partition: TopicPartition,
        config: LogConfig,
        topic_id: str | None,
        now_ms: int,
        *,
        is_new: bool,
    ) -> PartitionLog:
        """The log of *partition*, begun in the directory with the fewest logs if it is missing.

        Raises:
            KafkaStorageError: its directory is offline; or one is, and the log may be there
                (not when *is_new* says that it was never begun); or it could not be opened.
        """
        log = self.log(partition)
        if log is not None:
            log.health.check()
            return log
        for directory in self.directories:
            if partition in directory.unopened:
                raise KafkaStorageError(directory.path, directory.unopened[partition])
            if not is_new:
                directory.health.check()
        if not self.online:
            self.directories[0].health.check()
        directory = min(self.online, key=lambda one: len(one.logs))
        return directory.create(partition, config, topic_id, now_ms)

    def delete(self, partition: TopicPartition, unique_id: str, now_ms: int) -> None:
        """Take the log of *partition* out of use; its files go when nobody reads them any more.

        It may come back after a crash until `settle_deletions` was called, which is called before
        another log of that name is begun.  One that could not be opened goes as well.  Nothing
        happens when there is none.  *unique_id*: 32 hexadecimal digits never used before.

        Raises:
            KafkaStorageError: its directory is or went offline.
        """
        directory = self.place_of(partition)
        if directory is not None:
            doomed = directory.doom(partition, unique_id, now_ms)
            self._deletions.append(Deletion(doomed, directory))

    def settle_deletions(self) -> None:
        """Make it durable that the deleted logs are gone, in every directory that works.

        Any thread may do it, after `share_with_threads`.
        """
        for directory in self.online:
            # The reason of a failure is in the directory's health; the others go on.
            with suppress(KafkaStorageError):
                directory.settle_doomed()

    def begin_truncation(
        self, offsets: Mapping[TopicPartition, int], restarts: Mapping[TopicPartition, int]
    ) -> None:
        """Trust nothing from the *offsets* on of these partitions' logs, which there are, any more;
        of *restarts* nothing at all, these begin anew at those offsets.

        `write_checkpoints` follows, for all of them together, then `finish_truncation` for each:
        see `LogDirectory.begin_truncation`.  A directory that fails keeps the reason in its health;
        the others go on.
        """
        for directory in self.directories:
            cut = {of: offset for of, offset in offsets.items() if of in directory.logs}
            begun = {of: offset for of, offset in restarts.items() if of in directory.logs}
            with suppress(KafkaStorageError):
                directory.begin_truncation(cut, begun)

    def finish_truncation(self, partition: TopicPartition, now_ms: int) -> None:
        """Cut the log of *partition*, unless that was given up, or the log.

        Raises:
            KafkaStorageError: its directory is or went offline.
        """
        directory = self.directory_of(partition)
        if directory is not None:
            directory.finish_truncation(partition, now_ms)

    def give_up_truncation(self, partition: TopicPartition) -> bool:
        """Leave the log of *partition* as it is; whether it would have been cut."""
        directory = self.directory_of(partition)
        return directory is not None and directory.give_up_truncation(partition)

    def delete_records_before(
        self, partition: TopicPartition, offset: int, high_watermark: int
    ) -> int:
        """Let the log of *partition*, which there is, start at *offset*, durably.

        Returns where it starts.

        Raises:
            OffsetOutOfRange: *offset* is beyond the high watermark.
            KafkaStorageError: its directory is or went offline.
        """
        directory = self._directory(partition)
        start = directory.logs[partition].delete_records_before(offset, high_watermark)
        # Before the answer: records that were said to be deleted do not come back.
        directory.write_checkpoints()
        return start

    def _directory(self, partition: TopicPartition) -> LogDirectory:
        directory = self.directory_of(partition)
        assert directory is not None, f"there is no log of {partition}"
        return directory

    def delete_old_segments(
        self, now_ms: int, high_watermark_of: Callable[[TopicPartition], int]
    ) -> Mapping[TopicPartition, int]:
        """Apply retention to all logs, and return how many segments were dropped of which."""
        dropped: dict[TopicPartition, int] = {}
        for directory in self.online:
            for partition, log in directory.logs.items():
                if log.is_offline:
                    break
                try:
                    count = log.delete_old_segments(now_ms, high_watermark_of(partition))
                except KafkaStorageError:
                    # The reason is in the directory's health; the others go on.
                    break
                if count > 0:
                    dropped[partition] = count
        return dropped

    def take_due_deletions(self, now_ms: int) -> tuple[Deletion, ...]:
        """The files that may go by now, each once and closed; the caller runs the deletions.

        None of a directory in which deletions are not settled: a log that comes back is whole.
        """
        for directory in self.directories:
            for log in directory.logs.values():
                self._deletions += [Deletion(doomed, directory) for doomed in log.take_doomed()]
        due: list[Deletion] = []
        waiting: list[Deletion] = []
        for one in self._deletions:
            is_due = one.doomed.due_ms <= now_ms and one.directory.is_settled
            (due if is_due else waiting).append(one)
        self._deletions = waiting
        for one in due:
            one.doomed.close()
        return tuple(due)

    def share_with_threads(self, make_lock: Callable[[], AbstractContextManager[object]]) -> None:
        """Let checkpoints be written on threads, with locks of *make_lock*."""
        for directory in self.directories:
            directory.checkpointing = make_lock()

    def expire_producers_after(self, expiration_ms: int) -> None:
        """Forget producers after such a silence, in the logs that are open and those to come."""
        for directory in self.directories:
            directory.producer_expiration_ms = expiration_ms
            for log in directory.logs.values():
                log.producer_expiration_ms = expiration_ms

    def write_checkpoints(self) -> None:
        """Make recovery points and log starts durable, in every directory that works.

        Any thread may do it, after `share_with_threads`.
        """
        for directory in self.online:
            try:
                directory.write_checkpoints()
            except KafkaStorageError:
                # Its health keeps the reason, for whoever serves its partitions.  Nothing is lost:
                # the next start goes by the checkpoints before, and reads more of the data.
                continue

    def high_watermarks_work(self, offsets: Mapping[TopicPartition, int]) -> Callable[[], None]:
        """What makes the high watermarks durable, in every directory that works.

        Any thread may call it, after `share_with_threads`; what was deleted by then is left out.
        """
        counts = tuple((directory, directory.doomed_count) for directory in self.online)

        def write() -> None:
            for directory, doomed_count in counts:
                try:
                    directory.write_high_watermarks(offsets, doomed_count)
                except KafkaStorageError:
                    # As for the other checkpoints: its health keeps the reason.
                    continue

        return write

    def write_high_watermarks(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Make the high watermarks durable now."""
        self.high_watermarks_work(offsets)()

    def close(self, now_ms: int, broker_epoch: int, run_all: RunAll = run_in_turn) -> None:
        """Come to an orderly end: the next start reads nothing of the data.

        The logs of a directory are closed by *run_all*, on whatever threads.

        A directory that fails is left without its mark, and will be recovered.
        """
        for directory in self.directories:
            try:
                directory.health.check()
                directory.close(now_ms, broker_epoch, run_all)
            except KafkaStorageError:
                # The others still come to their orderly end; this one only lets go of its lock.
                directory.release()


def open_directory(files: Files, path: str, broker_id: BrokerId, cluster_id: str) -> LogDirectory:
    """Take one directory for the broker.

    Raises:
        LogDirectoryRefused: it is in use, another broker's, another cluster's, or unreadable.
    """
    try:
        directory = LogDirectory.open(files, path)
    except CorruptFileError as error:
        raise LogDirectoryRefused(path, str(error)) from error
    owner = directory.owner
    if owner is not None and owner.broker_id != broker_id:
        directory.release()
        raise LogDirectoryRefused(path, f"it is broker {owner.broker_id}'s, not {broker_id}'s")
    if owner is not None and owner.cluster_id not in (None, cluster_id):
        directory.release()
        raise LogDirectoryRefused(
            path, f"it is of cluster {owner.cluster_id}, this is cluster {cluster_id}"
        )
    try:
        directory.sign(MetaProperties(broker_id, cluster_id))
    except KafkaStorageError:
        # The reason is in the directory's health.
        return directory
    return directory
