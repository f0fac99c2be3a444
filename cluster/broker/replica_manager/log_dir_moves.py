"""The moves of replicas to other log directories of this broker, while all go on using them.

One log is copied at a time, in slices that are read and written on a thread; everything that is
decided is decided on the loop, between two slices.  A copy that has everything and is durable takes
the log's place within one turn of the loop.

Source: Kafka's ReplicaManager.alterReplicaLogDirs and ReplicaAlterLogDirsThread.
"""

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Final

from cluster.broker.ports import Ports
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.formats.directory_names import may_be_copied
from cluster.formats.errors import CorruptFileError
from cluster.formats.record_batch import CorruptBatchError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import LeaderEpoch, TopicPartition
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_text
from cluster.replication.throttle import ReplicationThrottle
from cluster.storage.directories.log_directory import LogDirectory
from cluster.storage.directories.properties import read_topic_id
from cluster.storage.errors import DamagedSegment, KafkaStorageError, UnexpectedAppendOffset
from cluster.storage.log.copying import (
    Cut,
    SourceChanged,
    append_slice,
    cut_of,
    follow_start,
    is_whole,
    next_slice,
)
from cluster.storage.log.partition_log import PartitionLog

SLICE_SIZE: Final = 1024**2
BEGUN_AT_ONCE: Final = 10
"""How many copies are begun in a turn of the loop: each makes half a dozen files."""
PAUSE_MS: Final = 100
"""How long to wait until the rate is checked again."""
TAIL_SLICES: Final = 2
"""How many slices are copied on the loop, of what came while the others were made durable."""
FAILURES_MAX: Final = 3
"""How often in a row a log may be found changed, or damaged, before its move is given up."""

FAILURES: Final = (
    CorruptBatchError,
    DamagedSegment,
    KafkaStorageError,
    SourceChanged,
    UnexpectedAppendOffset,
)
"""Errors that a step may end with."""


class LogDirMoves:
    """All moves of one broker."""

    __slots__ = (
        "_failure_count",
        "_is_closed",
        "_is_scheduled",
        "_is_working",
        "_moved",
        "_moves",
        "_partitions",
        "_ports",
        "_throttle",
        "_waiting",
    )

    def __init__(
        self,
        ports: Ports,
        partitions: Partitions,
        throttle: ReplicationThrottle,
        moved: Callable[[HostedPartition], None],
    ) -> None:
        """Begin without moves.

        *throttle* bounds what is copied; *moved* is called when a replica has another log.
        """
        self._ports = ports
        self._partitions = partitions
        self._throttle = throttle
        self._moved = moved
        self._moves: dict[TopicPartition, None] = {}
        """The first of them is in progress."""
        self._failure_count = 0
        """How often it has failed in a row."""
        self._is_scheduled = False
        self._is_working = False
        """Whether a thread is at work on its copy."""
        self._waiting: list[Callable[[], None]] = []
        """What changes copies as well, and waits for that."""
        self._is_closed = False

    def close(self) -> None:
        """Stop copying; the next start continues."""
        self._is_closed = True
        self._moves.clear()
        self._waiting.clear()

    # What is asked for.

    def alter(
        self,
        wanted: Mapping[TopicPartition, str],
        done: Callable[[Mapping[TopicPartition, ErrorCode]], None],
    ) -> None:
        """Move each partition to the log directory that is *wanted* for it, and call *done* with
        the outcomes when the moves have begun.

        One that is not here yet begins there when it comes: REPLICA_NOT_AVAILABLE.
        """

        logs, clock = self._ports.logs, self._ports.clock
        left = deque(wanted.items())
        outcomes: dict[TopicPartition, ErrorCode] = {}

        def begin() -> None:
            some = tuple(islice(left, BEGUN_AT_ONCE))
            for partition, path in some:
                self._drop_other(partition, path)
            if not all(directory.is_settled for directory in logs.online):
                # An earlier copy of the same name must be gone for good before another one begins.
                self._ports.disks.do(logs.settle_deletions, lambda: self._when_idle(begin))
                return
            for partition, path in some:
                outcomes[partition] = self._judged(partition, path)
                left.popleft()
            self._schedule()
            if left:
                clock.call_later(0, lambda: self._when_idle(begin))
            else:
                done(outcomes)

        self._when_idle(begin)

    def _when_idle(self, act: Callable[[], None]) -> None:
        """Call *act*, which changes copies, when no thread does; at once if none does."""
        if self._is_working:
            self._waiting.append(act)
        else:
            act()

    def _drop_other(self, partition: TopicPartition, path: str) -> None:
        """Give up the copy that is made elsewhere than in *path*, if that can be asked for."""
        copied_to = self._ports.logs.future_directory_of(partition)
        if copied_to is not None and copied_to.path != path and self._directory(path) is not None:
            self._drop(partition)

    def _directory(self, path: str) -> LogDirectory | None:
        for directory in self._ports.logs.directories:
            if directory.path == path:
                return directory
        return None

    def _judged(self, partition: TopicPartition, path: str) -> ErrorCode:
        """Begin one move, unless there is nothing to move; the error by which it is refused."""
        logs = self._ports.logs
        if not may_be_copied(partition):
            return ErrorCode.INVALID_TOPIC_EXCEPTION
        target = self._directory(path)
        if target is None:
            return ErrorCode.LOG_DIR_NOT_FOUND
        if target.health.failure is not None or self._partitions.is_lost(partition):
            return ErrorCode.KAFKA_STORAGE_ERROR
        hosted = self._partitions.find(partition)
        if hosted is None:
            if logs.place_of(partition) is None:
                logs.prefer(partition, target)
            return ErrorCode.REPLICA_NOT_AVAILABLE
        if hosted.log.is_offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if partition in target.logs or partition in target.futures:
            return ErrorCode.NONE
        return self._begin(hosted, target)

    def _begin(self, hosted: HostedPartition, target: LogDirectory) -> ErrorCode:
        logs = self._ports.logs
        # A copy may be in a directory that has failed, and would come back with it.
        if len(logs.online) < len(logs.directories):
            return ErrorCode.KAFKA_STORAGE_ERROR
        has_id = hosted.topic_id != NO_TOPIC_ID
        try:
            target.create_future(
                hosted.partition,
                hosted.log.config,
                topic_id_text(hosted.topic_id) if has_id else None,
                self._ports.random_stream.unique_id().hex(),
                self._ports.clock.now_ms(),
            )
        except KafkaStorageError as error:
            self._ports.journal.error(f"{hosted.partition} is not moved to {target.path}: {error}")
            return ErrorCode.KAFKA_STORAGE_ERROR
        self._moves[hosted.partition] = None
        self._ports.journal.info(
            f"{hosted.partition} is moved from {hosted.log.health.directory} to {target.path}"
        )
        return ErrorCode.NONE

    def resume(self, hosted: HostedPartition) -> None:
        """Continue the copy of a partition that this broker has again, if there is one."""
        target = self._ports.logs.future_directory_of(hosted.partition)
        if target is None or hosted.partition in self._moves or target.health.failure is not None:
            return
        if self._is_of(hosted, target.futures[hosted.partition]):
            self._moves[hosted.partition] = None
            self._schedule()
        else:
            self.give_up(hosted.partition)

    def _is_of(self, hosted: HostedPartition, copy: PartitionLog) -> bool:
        """Return whether *copy* is of this topic, and not of an earlier one of its name."""
        try:
            with copy.health.guard():
                text = read_topic_id(self._ports.files, copy.directory)
        except (CorruptFileError, KafkaStorageError):
            return False
        return NO_TOPIC_ID == hosted.topic_id or text in (None, topic_id_text(hosted.topic_id))

    def give_up(self, partition: TopicPartition) -> None:
        """Stop moving *partition*, and remove its copy."""
        self._moves.pop(partition, None)
        if self._ports.logs.future_directory_of(partition) is not None:
            self._when_idle(partial(self._drop, partition))

    def _drop(self, partition: TopicPartition) -> None:
        self._end(partition)
        try:
            self._ports.logs.drop_future(partition, self._ports.clock.now_ms())
        except KafkaStorageError as error:
            self._ports.journal.error(f"the copy of {partition} is not removed: {error}")

    # What is done, one step after the other.

    def _schedule(self, delay_ms: int = 0) -> None:
        if self._moves and not (self._is_scheduled or self._is_working or self._is_closed):
            self._is_scheduled = True
            self._ports.clock.call_later(delay_ms, self._turn)

    def _turn(self) -> None:
        self._is_scheduled = False
        delay_ms = 0
        if self._moves and not self._is_working:
            partition = next(iter(self._moves))
            try:
                delay_ms = self._step(partition)
            except FAILURES as failure:
                self._failed(partition, failure)
        self._schedule(delay_ms)

    def _step(self, partition: TopicPartition) -> int:
        """Take the next step of a move; return after how many ms the following one may be taken."""
        hosted = self._partitions.find(partition)
        target = self._ports.logs.future_directory_of(partition)
        if hosted is None or hosted.log.is_offline or target is None:
            del self._moves[partition]
            return 0
        log, copy = hosted.log, target.futures[partition]
        copy.health.check()
        cut = cut_of(log, copy)
        if cut is not None:
            self._cut(target, copy, cut)
        elif copy.log_end_offset < log.log_end_offset:
            if self._throttle.is_exceeded(self._ports.clock.now_ms()):
                return PAUSE_MS
            self._copy(log, copy)
        else:
            self._make_durable(hosted, target, copy)
        return 0

    def _work(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        """Have *work* done on a thread for the first move, and *then* what follows on the loop."""
        partition = next(iter(self._moves))
        failures: list[Exception] = []

        def act() -> None:
            try:
                work()
            except FAILURES as failure:
                failures.append(failure)

        def worked() -> None:
            self._is_working = False
            # It may have been given up meanwhile.
            if partition in self._moves:
                try:
                    for failure in failures:
                        raise failure
                    then()
                except FAILURES as failure:
                    self._failed(partition, failure)
            waiting, self._waiting = self._waiting, []
            for waits in waiting:
                waits()
            self._schedule()

        self._is_working = True
        self._ports.disks.do(act, worked)

    def _failed(self, partition: TopicPartition, failure: Exception) -> None:
        journal = self._ports.journal
        self._failure_count += 1
        if isinstance(failure, KafkaStorageError):
            # The copy stays as it is: the next start goes on with it if the disk works again.
            self._end(partition)
            journal.error(f"{partition} is not moved any further: {failure}")
        elif self._failure_count >= FAILURES_MAX:
            # Once it may have been truncated, and written again, while it was read.
            self._drop(partition)
            journal.error(f"{partition} is not moved: {failure}")

    def _end(self, partition: TopicPartition) -> None:
        self._moves.pop(partition, None)
        self._failure_count = 0

    def _cut(self, target: LogDirectory, copy: PartitionLog, cut: Cut) -> None:
        offsets = {copy.partition: cut.offset}
        if cut.restarts:
            target.begin_truncation({}, offsets)
        else:
            target.begin_truncation(offsets, {})

        def finish() -> None:
            target.finish_truncation(copy.partition, self._ports.clock.now_ms())
            if not cut.restarts and copy.log_end_offset > cut.offset:
                raise SourceChanged(f"its copy is damaged and cannot be truncated to {cut.offset}")

        self._work(target.write_checkpoints, finish)

    def _copy(self, log: PartitionLog, copy: PartitionLog) -> None:
        now_ms = self._ports.clock.now_ms()
        # A slice of a second at most: the rate bounds them by what was copied before.
        found = next_slice(log, copy, min(SLICE_SIZE, max(1, self._throttle.rate)))
        self._throttle.record(len(found), now_ms)

        def follow() -> None:
            self._failure_count = 0
            follow_start(log, copy, self._ports.clock.now_ms())

        self._work(partial(append_slice, log, found, copy, now_ms), follow)

    def _make_durable(
        self, hosted: HostedPartition, target: LogDirectory, copy: PartitionLog
    ) -> None:
        """Make the copy durable, then try to replace the log by it."""
        now_ms = self._ports.clock.now_ms()
        follow_start(hosted.log, copy, now_ms)
        high_watermark = {hosted.partition: hosted.replica.high_watermark}
        deletion_count = target.deletion_count

        def write() -> None:
            copy.flush(now_ms)
            target.write_checkpoints()
            target.write_high_watermarks(high_watermark, deletion_count)

        self._work(write, lambda: self._replace(hosted, copy))

    def _replace(self, hosted: HostedPartition, copy: PartitionLog) -> None:
        """Replace the log by *copy*, if little was appended meanwhile.

        All within this turn of the loop: nothing is appended, read or promised in between.
        """
        log, ports, partition = hosted.log, self._ports, hosted.partition
        now_ms = ports.clock.now_ms()
        log.health.check()
        for _ in range(TAIL_SLICES):
            if cut_of(log, copy) is None and copy.log_end_offset < log.log_end_offset:
                append_slice(log, next_slice(log, copy, SLICE_SIZE), copy, now_ms)
        # The log's start is durable before a client receives it.  The copy's start is
        # durable since it was set, and must not be earlier.
        if not is_whole(log, copy) or self._partitions.find(partition) is not hosted:
            return
        if log.epochs.latest > copy.epochs.latest:
            # An epoch without records yet.
            copy.assign_epoch(LeaderEpoch(log.epochs.latest))
        # What was durable stays so.
        copy.flush(now_ms)
        if copy.config != log.config:
            copy.reconfigure(log.config)
        assert (copy.log_end_offset, copy.epochs.latest) == (log.log_end_offset, log.epochs.latest)
        assert hosted.replica.high_watermark <= copy.log_end_offset, "it has all that is committed"
        unique_id = ports.random_stream.unique_id().hex()
        ports.logs.replace_with_future(partition, unique_id, now_ms)
        hosted.log = copy
        self._end(partition)
        self._moved(hosted)
        ports.disks.do(ports.logs.settle_deletions, nothing)
        ports.journal.info(f"{partition} is in {copy.health.directory} now")


def nothing() -> None:
    """Do nothing when the deletions are settled."""
