"""The log of one partition: segments of batches, in Kafka's format.

Appends, reads, flushes, truncates and drops old segments.  Knows offsets and bytes, but neither
replicas nor who asks: the high watermark is an argument.  After a failed operation of the disk
everything raises KafkaStorageError, until the log is opened anew; so whatever stands in memory and
not on the disk then is never used.

What holds at any moment, and what a start relies on (`recovery`):

* neither the log's start nor its recovery point lies behind its end;
* every byte before the recovery point is durable, and is what was appended: it rises only after a
  flush, and falls, durably, before a truncation;
* segments are made at the log's end and dropped from one of the two ends, the outermost first: a
  crash of ours leaves no gap between them.

Appending and rolling wait for no disk: all that they leave undone is the next flush's.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from cluster.model.file_slice import FileSlice
from cluster.model.ids import LeaderEpoch, TopicPartition
from cluster.model.record_batch import (
    CURRENT_MAGIC,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    BatchHeader,
    Buffer,
    PlacedBatch,
    stamp,
    stamp_log_append_time,
)
from cluster.storage.errors import DamagedSegment, OffsetOutOfRange
from cluster.storage.files import File, Files
from cluster.storage.health import DirectoryHealth
from cluster.storage.leader_epochs import FILE_NAME as EPOCHS_FILE_NAME
from cluster.storage.leader_epochs import LeaderEpochs
from cluster.storage.log_config import LogConfig
from cluster.storage.log_reading import aborted_transactions, batches_from, number_of
from cluster.storage.offset_index import RELATIVE_OFFSET_MAX
from cluster.storage.producer_replay import (
    rebuilt_state,
    remove_snapshots,
    snapshot_offsets,
    snapshot_path,
    write_snapshot,
)
from cluster.storage.producer_state import ProducerState
from cluster.storage.properties import topic_id_path
from cluster.storage.retention import expired_count
from cluster.storage.segment import Segment
from cluster.storage.txn_index import AbortedTxn
from cluster.storage.validation import checked_batch, following_batches, runs
from cluster.storage.work import DoomedSegment, FlushWork, Replacement, doomed_segments

DAMAGE_MAX: Final = 100
"""How many damaged places of a log are news."""
PRODUCER_EXPIRATION_MS: Final = 24 * 3600 * 1000
"""Kafka's default of `producer.id.expiration.ms`."""


class AppendOutcome(NamedTuple):
    """What a producer is told."""

    base_offset: int
    last_offset: int
    log_append_time_ms: int
    """NO_TIMESTAMP unless the topic's records carry the broker's time."""
    log_start_offset: int
    is_duplicate: bool
    """Whether the batch was in the log already; the offsets are those that it got then."""
    needs_flush: bool
    """Whether `flush.messages` wants a flush before this is acknowledged."""


class PartitionLog:
    """The log of one replica.  Made by `cluster.storage.recovery.open_log`."""

    __slots__ = (
        "_damage",
        "_doomed",
        "_files",
        "_flushed_ms",
        "_has_new_names",
        "_is_flushing",
        "_is_new",
        "_producers",
        "_segments",
        "_truncations",
        "_unsynced_snapshots",
        "config",
        "directory",
        "epochs",
        "health",
        "is_deleted",
        "log_end_offset",
        "log_start_offset",
        "partition",
        "producer_expiration_ms",
        "recovery_point",
    )

    def __init__(
        self,
        files: Files,
        directory: str,
        partition: TopicPartition,
        config: LogConfig,
        health: DirectoryHealth,
        segments: Sequence[Segment],
        epochs: LeaderEpochs,
        producers: ProducerState,
        log_start_offset: int,
        recovery_point: int,
        producer_expiration_ms: int,
        now_ms: int,
        *,
        has_new_names: bool,
    ) -> None:
        """With *has_new_names* the names of files, and the log's own, may not be durable."""
        self._files = files
        self.health = health
        self._segments = list(segments)
        self._producers = producers
        # Nearly every log has none, and an empty set would take 200 bytes in each.
        self._damage: frozenset[tuple[str, int]] = frozenset()
        self._doomed: list[DoomedSegment] = []
        self._unsynced_snapshots: list[str] = []
        self._has_new_names = has_new_names
        self._is_new = has_new_names
        self._is_flushing = False
        """Whether a flush is under way.  One at a time: it has taken the names that are to be
        synced, and another one that ended before it would count on them."""
        self._flushed_ms = now_ms
        self._truncations = 0
        self.directory = directory
        self.is_deleted = False
        """Whether the directory has another name now, and may be a namesake's."""
        self.partition = partition
        self.config = config
        self.epochs = epochs
        self.producer_expiration_ms = producer_expiration_ms
        self.log_start_offset = log_start_offset
        """The first offset that may be read; may stand within a batch."""
        self.log_end_offset = producers.end_offset
        """The offset that the next record gets."""
        self.recovery_point = recovery_point
        """Everything before this offset is durable."""

    @property
    def segments(self) -> tuple[Segment, ...]:
        """All segments, oldest first; the last one grows."""
        return tuple(self._segments)

    @property
    def active(self) -> Segment:
        return self._segments[-1]

    @property
    def producers(self) -> ProducerState:
        return self._producers

    @property
    def size(self) -> int:
        """Bytes of all batches, indexes not counted."""
        return sum(segment.size for segment in self._segments)

    @property
    def is_offline(self) -> bool:
        return self.health.failure is not None

    # Appending.

    def append(
        self,
        buffer: bytearray | memoryview,
        leader_epoch: LeaderEpoch,
        now_ms: int,
        *,
        has_checked_records: bool = False,
    ) -> AppendOutcome:
        """Append the batch that a producer sent, after stamping offset and epoch into *buffer*.

        A batch that is in the log already is not appended again.  With *has_checked_records* its
        records were looked at before (`cluster.storage.validation.check_heavy_batch`).

        Raises:
            HeavyBatch: that has to be done on another thread first; nothing changed.
            CorruptBatchError, InvalidRecord, UnsupportedForMessageFormat, MessageTooLarge,
            RecordListTooLarge, InvalidTimestamp, InvalidProducerEpoch, OutOfOrderSequence: the
                batch is refused; nothing changed.
            KafkaStorageError: the directory is or went offline.
        """
        self.health.check()
        header = checked_batch(buffer, self.config, now_ms, has_checked_records=has_checked_records)
        if header.producer_id != NO_PRODUCER_ID:
            sent = self._producers.duplicate_of(header)
            if sent is not None:
                return self._outcome(sent.first_offset, sent.last_offset, sent.timestamp, True)
        if self.config.uses_log_append_time:
            header = stamp_log_append_time(buffer, header, now_ms)
        header = stamp(buffer, header, self.log_end_offset, leader_epoch)
        self._write(buffer, (PlacedBatch(0, header),), header.max_timestamp, now_ms)
        return self._outcome(header.base_offset, header.last_offset, now_ms, False)

    def _outcome(
        self, base_offset: int, last_offset: int, time_ms: int, is_duplicate: bool
    ) -> AppendOutcome:
        return AppendOutcome(
            base_offset,
            last_offset,
            time_ms if self.config.uses_log_append_time else NO_TIMESTAMP,
            self.log_start_offset,
            is_duplicate,
            self.log_end_offset - self.recovery_point >= self.config.flush_messages,
        )

    def append_as_follower(self, buffer: Buffer, now_ms: int) -> int:
        """Append batches as the leader has them, unchanged, and return the new log end.

        A batch that the end of *buffer* cuts off is left out: fetches may end in one.

        Raises:
            CorruptBatchError: one is damaged; nothing of *buffer* was appended.
            UnexpectedAppendOffset: one does not follow the end of the log; nothing was appended.
            KafkaStorageError: the directory is or went offline.
        """
        self.health.check()
        batches = following_batches(buffer, self.log_end_offset)
        view = memoryview(buffer)
        for run in runs(batches, self.config.segment_size_max):
            start = run[0].position
            end = run[-1].position + run[-1].header.size
            placed = tuple(PlacedBatch(position - start, header) for position, header in run)
            max_timestamp = max(header.max_timestamp for _, header in run)
            self._write(view[start:end], placed, max_timestamp, now_ms)
        return self.log_end_offset

    def _write(
        self, data: Buffer, batches: tuple[PlacedBatch, ...], max_timestamp: int, now_ms: int
    ) -> None:
        try:
            last_offset = batches[-1].header.last_offset
            if not self.active.has_room(len(data), max_timestamp, last_offset, now_ms):
                self._make_room(batches[0].header.base_offset, last_offset, now_ms)
            for _, header in batches:
                self._note_epoch(header)
            self.active.append(data, batches, now_ms)
        except OSError as error:
            # Any part of the bytes may be there, and epochs are noted of batches that are not: the
            # directory is offline, and the next start reads the file, not this.
            raise self.health.fail(error) from error
        # What is in the file is counted, whatever becomes of the index.
        for position, header in batches:
            aborted = self._producers.note_batch(header, data, position)
            if aborted is not None:
                self._index_aborted(aborted)
        self.log_end_offset = self._producers.end_offset

    def _index_aborted(self, aborted: AbortedTxn) -> None:
        index = self.active.txn_index
        if not index.has_file:
            self._has_new_names = True
        with self.health.guard():
            index.append(aborted)

    def _note_epoch(self, header: BatchHeader) -> None:
        """Let the batch's leader epoch begin with it, if it is new."""
        if header.magic != CURRENT_MAGIC:
            self.epochs.clear()
        elif header.leader_epoch > self.epochs.latest:
            self.epochs.assign(header.leader_epoch, header.base_offset)

    def _make_room(self, first_offset: int, last_offset: int, now_ms: int) -> None:
        """Begin a new segment for these offsets, unless the last one is empty and good for them.

        A segment begins at the log's end, where no gap can be seen between files.  A leader's batch
        may lie so far behind, as compaction leaves it, that an index could not say how far.
        """
        is_far = last_offset - self.log_end_offset > RELATIVE_OFFSET_MAX
        base_offset = first_offset if is_far else self.log_end_offset
        if self.active.size > 0 or base_offset > self.active.base_offset:
            self._roll(base_offset, now_ms)

    def assign_epoch(self, epoch: LeaderEpoch) -> None:
        """Let *epoch* begin at the log's end, although nothing is written in it yet.

        Raises:
            KafkaStorageError: the directory is offline.
        """
        self.health.check()
        self.epochs.assign(epoch, self.log_end_offset)

    @property
    def _is_trusted(self) -> bool:
        """Whether a start after a crash would not read all batches again."""
        return self.recovery_point > self._segments[0].base_offset

    def roll(self, now_ms: int) -> None:
        """Begin a new segment, unless the last one is empty."""
        if self.active.size == 0:
            return
        with self.health.guard():
            self._roll(self.log_end_offset, now_ms)

    def _roll(self, base_offset: int, now_ms: int) -> None:
        """Finish the last segment, and begin one at *base_offset*.

        Nothing here is synced.  A crash may leave any of it undone: an index that is not cut, or
        that lacks its last entry, is made anew; a snapshot that is torn is passed over; without the
        new segment the last one goes on, and one that is there behind lost records is set aside.
        """
        assert base_offset > self.active.base_offset, "each segment has a name of its own"
        self.active.finish()
        # Before anything is appended behind: a snapshot's name says what it has seen.
        self._write_snapshot()
        segment = Segment(self._files, self.directory, base_offset, self.config, now_ms)
        segment.create()
        self._segments.append(segment)
        self._has_new_names = True

    def _write_snapshot(self) -> None:
        write_snapshot(self._files, self.directory, self._producers)
        self._unsynced_snapshots.append(snapshot_path(self.directory, self.log_end_offset))

    # Reading.

    def read(self, offset: int, size_max: int, end_offset: int, *, whole_first: bool) -> FileSlice:
        """The batches from the one that holds *offset* on, as a range of a file.

        Only whole batches, all before *end_offset* (the high watermark, or the log end), from one
        segment, and at most *size_max* bytes; with *whole_first* the first batch is given also
        when it alone is larger.  May be empty.

        Raises:
            OffsetOutOfRange: the log begins later, or ends before *offset*.
            DamagedSegment: bytes on the way to that batch are none.
            KafkaStorageError: the directory is or went offline.
        """
        self.health.check()
        if not self.log_start_offset <= offset <= self.log_end_offset:
            raise OffsetOutOfRange(offset, self.log_start_offset, self.log_end_offset)
        try:
            return batches_from(
                self._segments, offset, size_max, end_offset, self.log_end_offset, whole_first
            )
        except OSError as error:
            raise self.health.fail(error) from error

    def last_stable_offset(self, high_watermark: int) -> int:
        """Up to where every transaction is over, and committed: where committed reads end."""
        undecided = self._producers.first_undecided(high_watermark)
        if undecided is None or undecided >= high_watermark:
            return high_watermark
        return max(undecided, self.log_start_offset)

    def aborted_transactions(self, offset: int, found: FileSlice) -> tuple[AbortedTxn, ...]:
        """The aborted transactions that may have records in *found*, which `read` gave for
        *offset*.

        Raises:
            KafkaStorageError: the directory is or went offline.
        """
        with self.health.guard():
            return aborted_transactions(self._segments, offset, found, self.log_end_offset)

    def is_news(self, damage: DamagedSegment) -> bool:
        """Whether nobody has met *damage* since the log was opened; afterwards somebody has."""
        place = (damage.path, damage.position)
        if place in self._damage or len(self._damage) >= DAMAGE_MAX:
            return False
        self._damage |= {place}
        return True

    # Flushing.

    def flush_is_due(self, now_ms: int) -> bool:
        """Whether a finished segment, `flush.messages` or `flush.ms` wants a flush."""
        unflushed = self.log_end_offset - self.recovery_point
        if unflushed <= 0:
            return False
        return (
            self.recovery_point < self.active.base_offset
            or unflushed >= self.config.flush_messages
            or now_ms - self._flushed_ms >= self.config.flush_ms
        )

    def begin_flush(self) -> FlushWork:
        """What has to be synced for everything up to the log's end; `finish_flush` follows.

        Nothing for a log that was deleted.  Three steps, and each may rely on the one before:

        1. here, on the loop: all that waits in memory is handed to files, and the end is noted;
        2. `FlushWork.run`, on any thread, while appends go on behind that end;
        3. `finish_flush`, on the loop: the recovery point follows.

        A crash between any two leaves a recovery point that is too low: the next start reads what
        it need not read.
        """
        if self.is_deleted:
            return FlushWork(self.log_end_offset, (), (), (), (), (), self._truncations)
        assert self.recovery_point <= self.log_end_offset, "no more is durable than there is"
        # A segment that ends at the recovery point may have been finished since.
        number = number_of(self._segments, self.recovery_point - 1)
        with self.health.guard():
            assert not self._is_flushing, "names are taken by the flush that syncs them"
            open_files = tuple(
                file for segment in self._segments[number:] for file in segment.open_files()
            )
            written, replaced = self._unsaved_epochs()
        paths, directories = self._unsynced()
        self._is_flushing = True
        return FlushWork(
            self.log_end_offset,
            open_files,
            written,
            replaced,
            paths,
            directories,
            self._truncations,
        )

    def _unsaved_epochs(self) -> tuple[tuple[File, ...], tuple[Replacement, ...]]:
        """The checkpoint of the epochs, if it has to change: already written, or to be replaced.

        Writing it over is cheaper, and does no harm while all batches would be read after a crash.
        """
        if not self.epochs.is_unsaved:
            return (), ()
        if self._is_trusted:
            file = self.epochs.begin_replacing()
            return (), (Replacement(file, self.directory, EPOCHS_FILE_NAME),)
        self._has_new_names = True
        return (self.epochs.begin_saving(),), ()

    def _unsynced(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The small files and the directories that were changed without waiting, each once."""
        paths = list(self._unsynced_snapshots)
        directories = [self.directory] if self._has_new_names else []
        if self._is_new:
            paths.append(topic_id_path(self.directory))
            directories.append(self.health.directory)
        self._unsynced_snapshots.clear()
        self._has_new_names = False
        self._is_new = False
        return tuple(paths), tuple(directories)

    def finish_flush(self, work: FlushWork, now_ms: int) -> None:
        """Count *work* as done, unless the log was truncated in between.

        What was written behind the truncation is not what was synced, though it has its offsets.
        """
        self._is_flushing = False
        if work.truncations == self._truncations:
            assert work.end_offset <= self.log_end_offset, "only a truncation takes records away"
            self.recovery_point = max(self.recovery_point, work.end_offset)
        self._flushed_ms = now_ms
        for segment, after in pairwise(self._segments):
            if after.base_offset <= self.recovery_point:
                segment.close_indexes()

    def flush(self, now_ms: int) -> None:
        """Make everything durable, waiting for the disk.

        Raises:
            KafkaStorageError: the directory is or went offline.
        """
        work = self.begin_flush()
        with self.health.guard():
            work.run(self._files)
        self.finish_flush(work, now_ms)

    def close(self, now_ms: int) -> None:
        """Flush all and cut the indexes, so that the next start need not read the log.

        A log that is durable already does not wait for the disk: an index that is not cut after
        a loss of power is noticed, and made anew.
        """
        is_durable = self.recovery_point == self.log_end_offset and not self._has_new_names
        # Epochs may be unsaved all the same: what the checkpoint says of the offsets behind the
        # log's end and before its start, a start cuts off.
        with self.health.guard():
            if not is_durable:
                self._write_snapshot()
                self._has_new_names = True
            self.active.finish()
        if not is_durable:
            self.flush(now_ms)
        for segment in self._segments:
            segment.close()

    # Giving up data.

    def end_before(self, offset: int) -> int:
        """Where the log would end after `truncate_to`: batches are not cut.

        Raises:
            KafkaStorageError: the directory is or went offline.
        """
        if offset >= self.log_end_offset or offset <= self._segments[0].base_offset:
            return min(offset, self.log_end_offset)
        with self.health.guard():
            return self._segments[number_of(self._segments, offset - 1)].end_before(offset)

    def truncate_to(self, offset: int, now_ms: int) -> None:
        """Drop everything from *offset* on, durably; no records go when the log ends before.

        An epoch that has begun without records always goes: the next leader may not know it.  The
        recovery point in the directory's checkpoint must be at `end_before` or lower already, and
        the log's start, too (`LogDirectory.begin_truncation`): the next start trusts what lies
        before the one, and drops what lies before the other.
        """
        if offset >= self.log_end_offset:
            self.epochs.truncate_from_end(self.log_end_offset)
            return
        if offset <= self._segments[0].base_offset:
            self.restart_at(offset, now_ms)
            return
        with self.health.guard():
            self._truncate_to(offset, now_ms)

    def _truncate_to(self, offset: int, now_ms: int) -> None:
        """Drop segments, cut the one that stays, and let everything else end there.

        A crash in between leaves the log longer than it should be, which its owner finds as he
        found it before; or it brings back segments behind one that is cut.  Since the recovery
        point was lowered first, the next start reads the one that was cut, sees that it ends too
        early, and sets aside what is behind.
        """
        assert self._segments[0].base_offset < offset < self.log_end_offset
        self._trust_to(offset)
        kept = number_of(self._segments, offset - 1) + 1
        # The newest goes first, here and in `restart_at`: what a crash leaves has no hole.
        self._drop(self._segments[: kept - 1 : -1], now_ms)
        del self._segments[kept:]
        self.active.truncate_to(offset)
        self.active.reopen()
        self._end_at(self.active.tail().next_offset, now_ms)

    def restart_at(self, offset: int, now_ms: int) -> None:
        """Drop everything and begin anew at *offset*, durably.

        A follower does this when the leader's log begins behind the end of its own.  The same
        rule for the recovery point holds as for `truncate_to`, and *offset* stands in the
        directory's checkpoint of log starts.
        """
        with self.health.guard():
            self._trust_to(offset)
            self._drop(self._segments[::-1], now_ms)
            remove_snapshots(self._files, self.directory)
            # A crash here leaves the oldest segments, or none: then the next start begins one where
            # the directory's checkpoint says that the log starts.
            segment = Segment(self._files, self.directory, offset, self.config, now_ms)
            segment.create()
            self._segments = [segment]
            self._has_new_names = True
            self.log_start_offset = offset
            # Epochs that began before are those of nothing: the leader would be asked for them.
            self.epochs.clear()
            self._end_at(offset, now_ms)

    def _trust_to(self, offset: int) -> None:
        """Promise nothing from *offset* on, as the checkpoint does: before anything is cut."""
        self.recovery_point = min(self.recovery_point, offset)

    def _end_at(self, offset: int, now_ms: int) -> None:
        """Let epochs, producers and recovery point end with the log at *offset*."""
        # A flush that is under way syncs what is no longer the log.
        self._truncations += 1
        self._trust_to(offset)
        self.log_start_offset = min(self.log_start_offset, offset)
        self.epochs.truncate_from_end(offset)
        self._producers = rebuilt_state(
            self._files,
            self.directory,
            snapshot_offsets(self._files, self.directory),
            self._segments,
            offset,
            now_ms,
            self.producer_expiration_ms,
        )
        # The names are gone before anything is written: a segment or a snapshot that came back
        # after a crash would stand in the middle of it.
        self._files.sync_directory(self.directory)
        self.log_end_offset = offset

    def delete_records_before(self, offset: int, high_watermark: int) -> int:
        """Let the log start at *offset*, and return where it starts: it never moves back.

        The bytes go with the next `delete_old_segments`.  The start is in memory only until the
        directory's checkpoint is written, which comes before the answer.

        Raises:
            OffsetOutOfRange: *offset* is beyond the high watermark.
        """
        self.health.check()
        if not 0 <= offset <= high_watermark:
            raise OffsetOutOfRange(offset, self.log_start_offset, high_watermark)
        self._start_at(max(offset, self.log_start_offset))
        return self.log_start_offset

    def _start_at(self, offset: int) -> None:
        self.log_start_offset = offset
        with self.health.guard():
            self.epochs.truncate_from_start(offset)

    def delete_old_segments(self, now_ms: int, high_watermark: int) -> int:
        """Drop the segments that retention gives up, and return how many.

        Those before the log start, those too old, and the oldest while the log is too large; none
        with records at or beyond the high watermark.  Their files wait in `take_doomed`.
        """
        count = expired_count(
            self._segments,
            self.config,
            now_ms=now_ms,
            log_start_offset=self.log_start_offset,
            log_end_offset=self.log_end_offset,
            high_watermark=high_watermark,
        )
        if count == 0:
            return 0
        with self.health.guard():
            if count == len(self._segments):
                # The end of the log must have a segment when the others go: its name is all that
                # says which offset comes next.
                self._roll(self.log_end_offset, now_ms)
            # The oldest first.  The names are not synced: what a crash brings back is given up once
            # more.
            self._drop(self._segments[:count], now_ms)
        del self._segments[:count]
        assert self._segments, "a log has a last segment"
        self._start_at(max(self.log_start_offset, self._segments[0].base_offset))
        return count

    def _drop(self, segments: Sequence[Segment], now_ms: int) -> None:
        due_ms = now_ms + self.config.file_delete_delay_ms
        self._doomed += doomed_segments(self._files, self.directory, segments, due_ms)

    def take_doomed(self) -> tuple[DoomedSegment, ...]:
        """The segments dropped since the last call: whoever takes them removes them when due."""
        doomed = tuple(self._doomed)
        self._doomed.clear()
        return doomed

    def move_to(self, directory: str) -> None:
        """Give the log's directory another name beside the old one, durably.

        Nothing of the log is written meanwhile on another thread.

        Raises:
            KafkaStorageError: the log directory is or went offline; then either name is there.
        """
        with self.health.guard():
            self._files.rename(self.directory, directory)
            self._files.sync_directory(self.health.directory)
        self.epochs.move_to(directory)
        for segment in self._segments:
            segment.move_to(directory)

        def moved(path: str) -> str:
            return directory + path.removeprefix(self.directory)

        self._unsynced_snapshots = list(map(moved, self._unsynced_snapshots))
        self._doomed = [one._replace(paths=tuple(map(moved, one.paths))) for one in self._doomed]
        self.directory = directory

    def expire_producers(self, now_ms: int) -> None:
        """Forget the producers that have been silent for long."""
        self._producers.expire(now_ms, self.producer_expiration_ms)

    def reconfigure(self, config: LogConfig) -> None:
        """Keep the log by other configs from now on; segments keep the sizes of their indexes."""
        self.config = config
        for segment in self._segments:
            segment.reconfigure(config)
