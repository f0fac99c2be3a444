"""The log of one partition as it grows: batches in segments, in Kafka's format.

Appends, reads and flushes; what takes data away again is `log`'s, and so is what holds at any
moment.  Appending and rolling wait for no disk: all that they leave undone is the next flush's.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from cluster.formats.checkpoints import LEADER_EPOCHS as EPOCHS_FILE_NAME
from cluster.formats.indexes import RELATIVE_OFFSET_MAX, AbortedTxn
from cluster.formats.properties import topic_id_path
from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    OFFSET_MAX,
    PREFIX_SIZE,
    STAMP_LAYOUT,
    BatchHeader,
    Buffer,
    stamp_log_append_time,
)
from cluster.model.file_slice import FileSlice
from cluster.model.ids import LeaderEpoch, TopicPartition
from cluster.storage.errors import DamagedSegment, OffsetOutOfRange
from cluster.storage.files import File, Files
from cluster.storage.health import DirectoryHealth
from cluster.storage.log.leader_epochs import LeaderEpochs
from cluster.storage.log.producer_replay import snapshot_path, write_snapshot
from cluster.storage.log.producer_state import ProducerState
from cluster.storage.log.reading import aborted_transactions, batches_from, number_of
from cluster.storage.log.work import DeletedSegment, FlushWork, Replacement
from cluster.storage.log_config import LogConfig
from cluster.storage.records.validation import checked_batch, following_batches, runs
from cluster.storage.segments.segment import Segment

NO_DAMAGE: Final[frozenset[tuple[str, int]]] = frozenset()
"""Shared: an empty set of its own takes 216 bytes of each log."""
DAMAGE_MAX: Final = 100
"""How many damaged places of a log are reported."""


# Makes a named tuple in half the time: its fields need not be counted.
_new: Final = tuple.__new__


class AppendOutcome(NamedTuple):
    """The result of an append, for the producer."""

    base_offset: int
    last_offset: int
    log_append_time_ms: int
    """NO_TIMESTAMP unless the topic's records carry the broker's time."""
    log_start_offset: int
    is_duplicate: bool
    """Whether the batch was in the log already; the offsets are those that it got then."""
    needs_flush: bool
    """Whether `flush.messages` wants a flush before this is acknowledged."""


OutcomeFields: TypeAlias = tuple[int, int, int, int, bool, bool]
"""The same without names: to make a named tuple takes as long as to stamp the batch."""


class GrowingLog:
    """The part of a replica's log that is needed while nothing is removed from it."""

    __slots__ = (
        "_damage",
        "_files",
        "_flushed_ms",
        "_has_new_names",
        "_has_new_start",
        "_is_flushing",
        "_is_new",
        "_producers",
        "_replacing",
        "_segments",
        "_truncations",
        "_unsynced_snapshots",
        "cleaned_offset",
        "config",
        "deleted",
        "directory",
        "epochs",
        "health",
        "is_being_cleaned",
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
        """Begin; with *has_new_names* the names of files, and the log's own, may not be durable."""
        self._files = files
        self.health = health
        self._segments = list(segments)
        self._producers = producers
        # Nearly every log has none, and an empty set would take 200 bytes in each.
        self._damage = NO_DAMAGE
        self.deleted: tuple[DeletedSegment, ...] = ()
        self._unsynced_snapshots: tuple[str, ...] = ()
        self._has_new_names = has_new_names
        self._is_new = has_new_names
        self._has_new_start = False
        """Whether segments were dropped, while the epochs on the disk still begin with them."""
        self._is_flushing = False
        """Whether a flush is under way.  One at a time: it has taken the names that are to be
        synced, and another one that ended before it would count on them."""
        self._flushed_ms = now_ms
        self._truncations = 0
        self._replacing: Iterator[Literal[True]] | None = None
        """What remains to be done for a segment that readers use already in place of others."""
        self.directory = directory
        self.is_deleted = False
        """Whether the directory has been renamed, and its name may belong to another log."""
        self.is_being_cleaned = False
        """Whether segments are about to be replaced: retention drops none of them."""
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
        self.cleaned_offset: int | None = None
        """Before it the log has been compacted; None for one that never was."""
        self._assert_whole()

    def _assert_whole(self) -> None:
        """Assert, where the log opens and closes, that segments, epochs and offsets agree."""
        segments, end_offset = self._segments, self.log_end_offset
        assert segments, "a log has a last segment"
        for before, after in pairwise(segments):
            assert before.base_offset < after.base_offset, "segments follow each other"
        assert segments[0].base_offset <= self.log_start_offset, "a log starts in a segment"
        assert segments[-1].base_offset <= end_offset, "a log ends in its last segment"
        assert self.log_start_offset <= end_offset, "a log starts before its end"
        assert self.recovery_point <= end_offset, "no more is durable than there is"
        assert self._producers.end_offset == end_offset, "producers are known up to the log's end"
        epochs = self.epochs.starts
        assert not epochs or epochs[-1].start_offset <= end_offset, "an epoch begins in the log"

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Return all segments, oldest first; the last one grows."""
        return tuple(self._segments)

    @property
    def segment_count(self) -> int:
        return len(self._segments)

    @property
    def active(self) -> Segment:
        return self._segments[-1]

    @property
    def producers(self) -> ProducerState:
        return self._producers

    @property
    def size(self) -> int:
        """Return bytes of all batches, indexes not counted."""
        return sum([segment.size for segment in self._segments])

    @property
    def truncation_count(self) -> int:
        """Return how often the log has been truncated since it was opened."""
        return self._truncations

    @property
    def is_offline(self) -> bool:
        return self.health.failure is not None

    # Appending.

    def append(
        self,
        buffer: bytearray | memoryview,
        leader_epoch: LeaderEpoch,
        now_ms: int,
        wall_ms: int,
        has_checked_records: bool = False,
    ) -> OutcomeFields:
        """Append the batch that a producer sent, after stamping offset and epoch into *buffer*, and
        return the fields of an AppendOutcome.

        A batch that is in the log already is not appended again.  The times of its records are
        compared with *wall_ms*, or replaced by it.  With *has_checked_records* its
        records were looked at before (`cluster.storage.records.validation.check_heavy_batch`).

        Raises:
            HeavyBatch: that has to be done on another thread first; nothing changed.
            LegacyMessages: *buffer* has to be converted there first; nothing changed.
            CorruptBatchError, InvalidRecord, MessageTooLarge, RecordListTooLarge, InvalidTimestamp,
            InvalidProducerEpoch, OutOfOrderSequence: the batch is refused; nothing changed.
            KafkaStorageError: the directory is or went offline.
        """
        if self.health.failure is not None:
            self.health.check()
        config = self.config
        fields = checked_batch(buffer, config, wall_ms, has_checked_records)
        _, length, _, _, _, _, delta, _, max_ms, producer_id, _, _, _ = fields
        sent = None
        if producer_id != NO_PRODUCER_ID:
            sent = self._producers.duplicate_of(_new(BatchHeader, fields))
        if sent is None:
            if config.uses_log_append_time:
                max_ms = wall_ms
                fields = stamp_log_append_time(buffer, _new(BatchHeader, fields), wall_ms)
            time_ms = wall_ms
            base_offset = self.log_end_offset
            last_offset = base_offset + delta
            STAMP_LAYOUT.pack_into(buffer, 0, base_offset, length, leader_epoch)
            segment = self._write(buffer, base_offset, last_offset, max_ms, now_ms)
            if leader_epoch != self.epochs.latest:
                self.epochs.assign(leader_epoch, base_offset)
            if producer_id != NO_PRODUCER_ID:
                placed = (base_offset, length, leader_epoch, *fields[3:])
                self._producers.note(_new(BatchHeader, placed), now_ms)
            self._count(segment, length + PREFIX_SIZE, last_offset, max_ms)
        else:
            base_offset, last_offset, time_ms = sent.first_offset, sent.last_offset, sent.timestamp
        return (
            base_offset,
            last_offset,
            time_ms if config.uses_log_append_time else NO_TIMESTAMP,
            self.log_start_offset,
            sent is not None,
            self.log_end_offset - self.recovery_point >= config.flush_messages,
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
            (start, first), (position, last) = run[0], run[-1]
            data = view[start : position + last.size]
            max_timestamp = max(header.max_timestamp for _, header in run)
            segment = self._write(data, first.base_offset, last.last_offset, max_timestamp, now_ms)
            for position, header in run:
                self._note(header, view, position, now_ms)
                self._count(segment, header.size, header.last_offset, header.max_timestamp)
        return self.log_end_offset

    def _write(
        self, data: Buffer, first_offset: int, last_offset: int, max_timestamp: int, now_ms: int
    ) -> Segment:
        """Write batches, which lie in *data* without gaps, and return the segment that has them.

        They are in the log when each is counted.
        """
        assert self.log_end_offset <= first_offset <= last_offset, "offsets do not fall"
        segment = self._segments[-1]
        try:
            if not segment.has_room(len(data), max_timestamp, last_offset, now_ms):
                self._make_room(first_offset, last_offset, now_ms)
                segment = self._segments[-1]
            assert segment.base_offset <= last_offset, "its index can say how far it is"
            segment.write(data, now_ms)
        except OSError as error:
            # Any part of the bytes may be there: the directory is offline, and the next start reads
            # the file, not this.
            raise self.health.fail(error) from error
        return segment

    def _note(self, header: BatchHeader, data: Buffer, position: int, now_ms: int) -> None:
        """Note epoch and producer of the batch at *position* in *data*, which a leader sent."""
        if header.leader_epoch != self.epochs.latest or header.magic != CURRENT_MAGIC:
            self._note_epoch(header)
        if header.producer_id != NO_PRODUCER_ID:
            aborted = self._producers.note_batch(header, data, position, now_ms)
            if aborted is not None:
                self._index_aborted(aborted)

    def _count(self, segment: Segment, size: int, last_offset: int, max_timestamp: int) -> None:
        """Count a batch, the next that was written to *segment*: from now on it is in the log."""
        assert last_offset >= self.log_end_offset, "a log's end does not fall by an append"
        try:
            segment.adopt(segment.size, size, last_offset, max_timestamp)
        except OSError as error:
            raise self.health.fail(error) from error
        self.log_end_offset = self._producers.end_offset = last_offset + 1

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
        """Return whether a start after a crash would not read all batches again."""
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
        assert base_offset >= self.log_end_offset, "a segment begins behind all that is there"
        self.active.finish()
        # Before anything else is appended: a snapshot's name is the offset up to which it goes.
        self._write_snapshot()
        segment = Segment(self._files, self.directory, base_offset, self.config, now_ms)
        segment.create()
        self._segments.append(segment)
        self._has_new_names = True

    def _write_snapshot(self) -> None:
        write_snapshot(self._files, self.directory, self._producers)
        self._unsynced_snapshots += (snapshot_path(self.directory, self.log_end_offset),)

    # Reading.

    def read(self, offset: int, size_max: int, end_offset: int, *, whole_first: bool) -> FileSlice:
        """Return the batches from the one that holds *offset* on, as a range of a file.

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
        """Return up to where every transaction is over, and committed: where committed reads
        end.
        """
        undecided = self._producers.first_undecided(high_watermark)
        if undecided is None or undecided >= high_watermark:
            return high_watermark
        return max(undecided, self.log_start_offset)

    def aborted_transactions(self, offset: int, found: FileSlice) -> tuple[AbortedTxn, ...]:
        """Return the aborted transactions that may have records in *found*, which `read` gave for
        *offset*.

        Raises:
            KafkaStorageError: the directory is or went offline.
        """
        with self.health.guard():
            return aborted_transactions(self._segments, offset, found, self.log_end_offset)

    def is_news(self, damage: DamagedSegment) -> bool:
        """Return whether *damage* is found for the first time since the log was opened, and note
        it.
        """
        place = (damage.path, damage.position)
        if place in self._damage or len(self._damage) >= DAMAGE_MAX:
            return False
        self._damage |= {place}
        return True

    # Flushing.

    def flush_is_due(self, now_ms: int) -> bool:
        """Return whether a finished segment, `flush.messages` or `flush.ms` wants a flush."""
        unflushed = self.log_end_offset - self.recovery_point
        if unflushed <= 0:
            return self._has_new_start
        return (
            self.recovery_point < self.active.base_offset
            or unflushed >= self.config.flush_messages
            or now_ms - self._flushed_ms >= self.config.flush_ms
        )

    @property
    def owes_flush(self) -> bool:
        """Return whether `flush.messages` requires that what was appended is durable before it
        counts as committed.
        """
        return self.log_end_offset - self.recovery_point >= self.config.flush_messages

    @property
    def committable_end(self) -> int:
        """Return up to where records may count as committed: while a flush is due, to what is
        durable.
        """
        return self.recovery_point if self.owes_flush else OFFSET_MAX

    def begin_flush(self) -> FlushWork:
        """Return what has to be synced for everything up to the log's end; `finish_flush` follows.

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
        """Return the checkpoint of the epochs, if it has to change: already written, or to be
        replaced.

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
        """Return the small files and the directories that were changed without waiting, each
        once.
        """
        paths = list(self._unsynced_snapshots)
        directories = [self.directory] if self._has_new_names else []
        if self._is_new:
            paths.append(topic_id_path(self.directory))
            directories.append(self.health.directory)
        self._unsynced_snapshots = ()
        self._has_new_names = self._has_new_start = False
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
        assert self.recovery_point <= self.log_end_offset, "no more is durable than there is"
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
        # Epochs may be unsaved all the same: what the checkpoint has of the offsets after the
        # log's end and before its start, a start cuts off.
        with self.health.guard():
            if not is_durable:
                self._write_snapshot()
                self._has_new_names = True
            self.active.finish()
        if not is_durable:
            self.flush(now_ms)
        assert self.recovery_point == self.log_end_offset, "a closed log is durable"
        self._assert_whole()
        for segment in self._segments:
            segment.close()
