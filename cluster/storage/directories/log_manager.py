"""All logs of a broker, and the regular work on them.

Spreads logs over the log directories, of which one may fail without the others.  Opening, flushing
and removing take long; the shell decides on which thread they run.  Knows no replicas.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from itertools import islice
from typing import Final, NamedTuple, Self

from cluster.formats.errors import CorruptFileError
from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerEpoch, BrokerId, TopicPartition
from cluster.storage.directories.log_directory import LogDirectory
from cluster.storage.directories.properties import MetaProperties
from cluster.storage.errors import InvalidLogConfig, KafkaStorageError, LogDirectoryRefused
from cluster.storage.files import Files
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log.work import DeletedDirectory, DeletedSegment, RunAll, run_in_turn
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.findings import RecoveryReport

PREFERRED_MAX: Final = 100_000
"""How many partitions that do not exist yet may have a preferred directory."""
CLEARED_AT_ONCE: Final = 200
"""Retention is applied to so many logs before requests go on."""


class Loaded(NamedTuple):
    """The result of opening one log at the start."""

    partition: TopicPartition
    directory: str
    report: RecoveryReport | None
    """None when the log is not open."""
    problem: str | None
    """Why it is not open; its files are unchanged."""


class Deletion(NamedTuple):
    """Files that may be deleted now, and the directory that fails if they cannot."""

    deleted: DeletedSegment | DeletedDirectory
    directory: LogDirectory

    def run(self, files: Files) -> None:
        """Remove them.  Any thread may do it."""
        with self.directory.health.guard():
            self.deleted.remove(files)


class LogManager:
    """All logs of one broker.  Made by `open`, then `load` has to be run to its end."""

    def __init__(self, files: Files, directories: Sequence[LogDirectory]) -> None:
        self._files = files
        self._deletions: list[Deletion] = []
        self._preferred: dict[TopicPartition, LogDirectory] = {}
        self.directories = tuple(directories)
        self.incarnation = 0
        """The number of this start of the broker; see `begin_incarnation`."""

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
                failures = [one.health.failure for one in directories]
                reasons = "; ".join(failure.reason for failure in failures if failure is not None)
                reason = f"none of them can be used: {reasons}"
                raise LogDirectoryRefused(", ".join(paths), reason)
        except LogDirectoryRefused:
            for directory in directories:
                directory.release()
            raise
        return manager

    def begin_incarnation(self, registered: int) -> None:
        """Count one more start of the broker than the directories know, and ZooKeeper, at
        *registered*; `load` notes it in them.

        A directory that does not know the start that was registered is an older copy of itself, out
        of a backup for example: it may lack what was acknowledged since.
        """
        self.incarnation = 1 + max(registered, *(one.incarnation for one in self.directories))
        for directory in self.directories:
            directory.begin_incarnation(registered, self.incarnation)

    @property
    def intact_since(self) -> BrokerEpoch:
        """Return the earliest registration since which no end of this broker has cost any log a
        record.

        Unknown where a directory is offline or may have lost something: its machine has stopped
        before it was closed, a log was damaged, another broker had it, or it is new or restored.
        """
        return self._since([one.intact_since for one in self.directories])

    @property
    def flushed_since(self) -> BrokerEpoch:
        """Return the same of what was flushed, which a machine that stops does not lose."""
        return self._since(
            [
                one.flushed_since if one.intact_since == UNKNOWN_BROKER_EPOCH else one.intact_since
                for one in self.directories
            ]
        )

    def _since(self, sinces: Sequence[BrokerEpoch]) -> BrokerEpoch:
        if len(self.online) < len(sinces) or UNKNOWN_BROKER_EPOCH in sinces:
            return UNKNOWN_BROKER_EPOCH
        return max(sinces)

    def note_intact_since(
        self, broker_epoch: int, flushed_since: int = UNKNOWN_BROKER_EPOCH
    ) -> None:
        """Store for the next start, if this process is killed, what `intact_since` is then, and
        `flushed_since` where that is unknown.
        """
        for directory in self.directories:
            directory.note_intact_since(broker_epoch, flushed_since)

    @property
    def idle_ms(self) -> int:
        """Return how long ago a broker last used the directories, by the machine's clock."""
        return min(one.idle_ms for one in self.online)

    @property
    def online(self) -> tuple[LogDirectory, ...]:
        return tuple(one for one in self.directories if one.health.failure is None)

    def load(
        self, config_of: Callable[[str], LogConfig], now_ms: int, run_all: RunAll = run_in_turn
    ) -> Iterator[Loaded]:
        """Open every existing log; *config_of* returns a topic's config.

        Each log is a piece of work for *run_all*, one directory after the other.

        Raises:
            LogDirectoryRefused: two directories have a log of the same partition.
        """
        self._check_places()
        wanted = self._wanted_futures()
        for directory in self.online:
            for name in directory.survey.deleted:
                deleted = DeletedDirectory(f"{directory.path}/{name}", (), now_ms)
                self._deletions.append(Deletion(deleted, directory))
            loaded: list[Loaded] = []
            copies: list[tuple[TopicPartition, str]] = []
            broken: list[str] = []
            for partition, name in directory.survey.futures:
                if partition in wanted and partition not in directory.unopened:
                    copies.append((partition, name))
                else:
                    broken.append(name)
            works = [
                partial(self._load, directory, of, config_of, now_ms, loaded, copy, broken)
                for of, copy in (*((of, None) for of in directory.survey.partitions), *copies)
            ]
            # The reason of a failure is in the directory's health; the others go on.
            with suppress(KafkaStorageError):
                directory.begin()
                run_all(works)
                for name in broken:
                    deleted = directory.delete_unopened_future(name, now_ms)
                    self._deletions.append(Deletion(deleted, directory))
                directory.note_boot()
                # What the checkpoints say of logs that are gone must not outlive this start.
                directory.write_checkpoints()
                directory.write_high_watermarks({}, directory.deletion_count)
            yield from loaded

    def _check_places(self) -> None:
        places: dict[TopicPartition, str] = {}
        for directory in self.directories:
            for partition in directory.survey.partitions:
                if partition in places:
                    raise LogDirectoryRefused(
                        directory.path,
                        f"{places[partition]} has a log of {partition} as well; where a directory"
                        " failed while the log was moved to the other one, remove the one in it",
                    )
                places[partition] = directory.path

    def _wanted_futures(self) -> frozenset[TopicPartition]:
        """Return the partitions with a copy that can still be used.

        Not those without a log in any directory: their deletion was interrupted.  Not those with
        several copies either: it is unknown which one was requested last.
        """
        counts = Counter(of for one in self.directories for of, _ in one.survey.futures)
        there = {of for one in self.directories for of in one.survey.partitions}
        # The log may be in a directory that has failed.
        may_be_away = len(self.online) < len(self.directories)
        return frozenset(
            of for of, count in counts.items() if count == 1 and (of in there or may_be_away)
        )

    def _load(
        self,
        directory: LogDirectory,
        partition: TopicPartition,
        config_of: Callable[[str], LogConfig],
        now_ms: int,
        loaded: list[Loaded],
        copy: str | None = None,
        broken: list[str] | None = None,
    ) -> None:
        """Open one log, and add what became of it to *loaded*.  Any thread may do it.

        The name *copy* is that of a log that was being copied: where it cannot be opened it goes to
        *broken*, and its owner has it made anew.
        """
        report: RecoveryReport | None = None
        problem: str | None = None
        try:
            config = config_of(partition.topic)
            if copy is None:
                _, report = directory.load(partition, config, now_ms)
            else:
                report = directory.load_future(partition, copy, config, now_ms)
        except KafkaStorageError:
            raise
        except Exception as error:  # noqa: BLE001 - one log must not keep the broker from its start
            problem = reason_of(error)
            if copy is None:
                directory.unopened[partition] = problem
            else:
                problem = f"{copy} is given up: {problem}"
                assert broken is not None
                broken.append(copy)
        loaded.append(Loaded(partition, directory.path, report, problem))

    def directory_of(self, partition: TopicPartition) -> LogDirectory | None:
        """Return the directory with the log of *partition*, offline ones included; None without
        one.
        """
        for directory in self.directories:
            if partition in directory.logs:
                return directory
        return None

    def place_of(self, partition: TopicPartition) -> LogDirectory | None:
        """Return the directory with files of *partition*, also of a log that is not open; or
        None.
        """
        for directory in self.directories:
            if partition in directory.logs or partition in directory.unopened:
                return directory
        return None

    def log(self, partition: TopicPartition) -> PartitionLog | None:
        """Return the log of *partition*; None when there is none.  It may be offline."""
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
        """Return the log of *partition*; if it is missing, create it in its preferred directory,
        else in the one with the fewest logs.

        Raises:
            KafkaStorageError: its directory is offline; or one is, and may have the log
                (not with *is_new*: then the log was never created); or it could not be opened.
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
        chosen = self._preferred.pop(partition, None)
        if chosen is None or chosen.health.failure is not None:
            chosen = min(self.online, key=lambda one: len(one.logs))
        return chosen.create(partition, config, topic_id, now_ms)

    # Logs that are moved to another directory.

    def prefer(self, partition: TopicPartition, directory: LogDirectory) -> None:
        """Create the log of *partition*, which does not exist yet, in *directory*.

        At most PREFERRED_MAX partitions have such a directory, the latest ones.
        """
        self._preferred.pop(partition, None)
        self._preferred[partition] = directory
        if len(self._preferred) > PREFERRED_MAX:
            del self._preferred[next(iter(self._preferred))]

    def future_directory_of(self, partition: TopicPartition) -> LogDirectory | None:
        """Return the directory that the log of *partition* is copied into; None when it is in
        none.
        """
        for directory in self.directories:
            if partition in directory.futures:
                return directory
        return None

    def drop_future(self, partition: TopicPartition, now_ms: int) -> None:
        """Give up the copy of the log of *partition*; nothing happens when there is none.

        Raises:
            KafkaStorageError: its directory is or went offline.
        """
        directory = self.future_directory_of(partition)
        if directory is not None:
            deleted = directory.delete_future(partition, now_ms)
            self._deletions.append(Deletion(deleted, directory))

    def replace_with_future(self, partition: TopicPartition, unique_id: str, now_ms: int) -> None:
        """Replace the log of *partition* by its copy, which has all of its content, durably.

        *unique_id* as for `delete`.  Two renames, each durable before the next: the copy gets the
        partition's own name, then the old log that of a deleted one.  After a crash before them,
        the copy is resumed from where it ends.  After a crash between them there are two logs, each
        with all of the content: the next start is refused, as Kafka's is, since it cannot know that
        they are equal.  In the other order the copy would be the only log, and nothing would detect
        that.

        Raises:
            KafkaStorageError: the copy's directory is or went offline; the old log stays.
        """
        old, new = self._directory(partition), self.future_directory_of(partition)
        assert new is not None
        # Nothing was compacted while it was copied.
        new.futures[partition].cleaned_offset = old.logs[partition].cleaned_offset
        new.adopt_future(partition)
        try:
            deleted = old.delete(partition, unique_id, now_ms)
            self._deletions.append(Deletion(deleted, old))
            old.sync_names()
        except KafkaStorageError:
            # The reason is in the health of the directory that the log has left in time.
            if partition in old.logs:
                old.lose(partition)

    def delete(self, partition: TopicPartition, unique_id: str, now_ms: int) -> None:
        """Take the log of *partition* out of use; its files are removed when no reader has them
        open.

        It may reappear after a crash until `settle_deletions` was called, which happens before
        another log of that name is created.  A log that could not be opened is deleted as well.
        Does nothing when there is none.  *unique_id*: 32 hexadecimal digits never used before.

        Raises:
            KafkaStorageError: its directory is or went offline.
        """
        directory = self.place_of(partition)
        if directory is not None:
            deleted = directory.delete(partition, unique_id, now_ms)
            self._deletions.append(Deletion(deleted, directory))

    def settle_deletions(self) -> None:
        """Make it durable that the deleted logs are gone, in every directory that works.

        Any thread may do it, after `share_with_threads`.
        """
        for directory in self.online:
            # The reason of a failure is in the directory's health; the others go on.
            with suppress(KafkaStorageError):
                directory.settle_deletions()

    def begin_truncation(
        self, offsets: Mapping[TopicPartition, int], restarts: Mapping[TopicPartition, int]
    ) -> None:
        """Distrust everything from the *offsets* on in the existing logs of these partitions; of
        *restarts* everything: these logs restart at those offsets.

        `write_checkpoints` follows, for all of them together, then `finish_truncation` for each:
        see `LogDirectory.begin_truncation`.  A directory that fails keeps the reason in its health;
        the others continue.
        """
        for directory in self.directories:
            cut = {of: offset for of, offset in offsets.items() if of in directory.logs}
            begun = {of: offset for of, offset in restarts.items() if of in directory.logs}
            with suppress(KafkaStorageError):
                directory.begin_truncation(cut, begun)

    def finish_truncation(self, partition: TopicPartition, now_ms: int) -> None:
        """Truncate the log of *partition*, unless the truncation or the log was given up.

        Raises:
            KafkaStorageError: its directory is or went offline.
        """
        directory = self.directory_of(partition)
        if directory is not None:
            directory.finish_truncation(partition, now_ms)

    def give_up_truncation(self, partition: TopicPartition) -> bool:
        """Leave the log of *partition* as it is, and return whether it would have been
        truncated.
        """
        directory = self.directory_of(partition)
        return directory is not None and directory.give_up_truncation(partition)

    def _directory(self, partition: TopicPartition) -> LogDirectory:
        directory = self.directory_of(partition)
        assert directory is not None, f"there is no log of {partition}"
        return directory

    def delete_old_segments(
        self, now_ms: int, wall_ms: int, high_watermark_of: Callable[[TopicPartition], int]
    ) -> Mapping[TopicPartition, int]:
        """Apply retention to all logs, and return how many segments were dropped of which."""
        dropped: dict[TopicPartition, int] = {}
        for some in self.delete_old_segments_in_turns(now_ms, wall_ms, high_watermark_of):
            dropped |= some
        return dropped

    def delete_old_segments_in_turns(
        self, now_ms: int, wall_ms: int, high_watermark_of: Callable[[TopicPartition], int]
    ) -> Iterator[Mapping[TopicPartition, int]]:
        """Apply retention to some logs at a time, and return how many segments were dropped of
        which; logs may come and go in between.
        """
        for directory in tuple(self.online):
            partitions = iter(tuple(directory.logs))
            while some := tuple(islice(partitions, CLEARED_AT_ONCE)):
                dropped: dict[TopicPartition, int] = {}
                # When a directory fails, its health keeps the reason, and the others go on.
                with suppress(KafkaStorageError):
                    for partition in some:
                        log = directory.logs.get(partition)
                        if log is None or log.is_offline:
                            continue
                        end = high_watermark_of(partition)
                        count = log.delete_old_segments(now_ms, wall_ms, end)
                        if count > 0:
                            dropped[partition] = count
                yield dropped

    def take_due_deletions(self, now_ms: int) -> tuple[Deletion, ...]:
        """Return the files that may go by now, each once and closed; the caller runs the deletions.

        None of a directory in which deletions are not settled: a log that comes back is whole.
        """
        for directory in self.directories:
            for log in directory.logs.values():
                if log.deleted:
                    deletions = (Deletion(deleted, directory) for deleted in log.take_deleted())
                    self._deletions += deletions
        due: list[Deletion] = []
        waiting: list[Deletion] = []
        for one in self._deletions:
            is_due = one.deleted.due_ms <= now_ms and one.directory.is_settled
            (due if is_due else waiting).append(one)
        self._deletions = waiting
        for one in due:
            one.deleted.close()
        return tuple(due)

    def share_with_threads(self, make_lock: Callable[[], AbstractContextManager[object]]) -> None:
        """Let checkpoints be written on threads, with locks of *make_lock*."""
        for directory in self.directories:
            directory.checkpointing = make_lock()

    def expire_producers_after(self, expiration_ms: int) -> None:
        """Expire producers that send nothing for that long, in the open logs and in later ones."""
        for directory in self.directories:
            directory.producer_expiration_ms = expiration_ms
            for log in (*directory.futures.values(), *directory.logs.values()):
                log.producer_expiration_ms = expiration_ms

    def write_checkpoints(self) -> None:
        """Make recovery points and log starts durable, in every directory that works.

        Any thread may do it, after `share_with_threads`.
        """
        for directory in self.online:
            # Its health keeps the reason, for requests for its partitions.  Nothing is lost: the
            # next start reads the checkpoints before, and more of the data.
            with suppress(KafkaStorageError):
                directory.write_checkpoints()

    def high_watermarks_work(self, offsets: Mapping[TopicPartition, int]) -> Callable[[], None]:
        """Return what makes the high watermarks durable, in every directory that works.

        Any thread may call it, after `share_with_threads`; what was deleted by then is left out.
        """
        counts = tuple((directory, directory.deletion_count) for directory in self.online)

        def write() -> None:
            for directory, deletion_count in counts:
                # As for the other checkpoints: its health keeps the reason.
                with suppress(KafkaStorageError):
                    directory.write_high_watermarks(offsets, deletion_count)

        return write

    def write_high_watermarks(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Make the high watermarks durable now."""
        self.high_watermarks_work(offsets)()

    def close(
        self,
        now_ms: int,
        broker_epoch: int,
        run_all: RunAll = run_in_turn,
        *,
        intact_since: int = UNKNOWN_BROKER_EPOCH,
    ) -> None:
        """Shut down cleanly: the next start reads no data.

        *intact_since* is stored for it: see the property.

        The logs of a directory are closed by *run_all*, on whatever threads.

        A directory that fails is left without its mark, and will be recovered.
        """
        for directory in self.directories:
            try:
                directory.health.check()
                directory.close(now_ms, broker_epoch, run_all, intact_since=intact_since)
            except KafkaStorageError:
                # The others still come to their orderly end; this one only lets go of its lock.
                directory.release()


def reason_of(error: Exception) -> str:
    """Return why a log cannot be opened: a known reason, or an error of this program."""
    if isinstance(error, CorruptFileError | InvalidLogConfig):
        return str(error)
    return f"opening it made this broker fail: {error!r}"


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
    # The reason of a failure is in the directory's health.
    with suppress(KafkaStorageError):
        directory.sign(MetaProperties(broker_id, cluster_id))
    return directory
