"""The log of one partition: segments of batches, in Kafka's format.

Grows as `growing_log` describes, is truncated, and drops old segments.  Knows offsets and bytes,
but neither replicas nor clients: the high watermark is an argument.  After a failed operation of
the disk everything raises KafkaStorageError, until the log is opened again; so what is then in
memory and not on the disk is never used.

What holds at any moment, and what a start relies on (`recovery`):

* neither the log's start nor its recovery point is after its end;
* every byte before the recovery point is durable, and is what was appended: it rises only after a
  flush, and falls, durably, before a truncation;
* segments are made at the log's end and dropped from one of the two ends, the outermost first: a
  crash of the broker leaves no gap between them.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Literal

from cluster.formats.record_batch import Buffer
from cluster.formats.segment_names import CLEANED_SUFFIX, INDEX_SUFFIXES, SUFFIXES, SWAP_SUFFIX
from cluster.storage.errors import OffsetOutOfRange
from cluster.storage.log.growing_log import GrowingLog
from cluster.storage.log.producer_replay import rebuilt_state, remove_snapshots, snapshot_offsets
from cluster.storage.log.producer_state import ProducerState
from cluster.storage.log.reading import number_of
from cluster.storage.log.retention import expired_count
from cluster.storage.log.work import DeletedSegment, deleted_segments
from cluster.storage.log_config import LogConfig
from cluster.storage.records.validation import offset_before_start
from cluster.storage.segments.segment import Segment


class PartitionLog(GrowingLog):
    """The log of one replica.  Made by `cluster.storage.recovery.opening.open_log`."""

    __slots__ = ()

    def append_as_follower(self, buffer: Buffer, now_ms: int) -> int:
        """Append batches as `GrowingLog` does; an empty log takes one that straddles its start.

        The leader's records may have been deleted up to within a batch.  This log then begins with
        the first offset of that batch, and starts where it did.  The checkpoints need not be
        lowered first: what they promise of this log is before the end of that batch.  So a start
        after a crash reads the segment, and begins it anew if the batch is not whole.

        Source: Kafka's Partition.appendRecordsToFollowerOrFutureReplica (KAFKA-6975).
        """
        self.health.check()
        start_offset = self.log_start_offset
        if start_offset == self.log_end_offset:
            first_offset = offset_before_start(buffer, start_offset)
            if first_offset is not None:
                self.restart_at(first_offset, now_ms)
                end_offset = super().append_as_follower(buffer, now_ms)
                self._start_at(start_offset)
                return end_offset
        return super().append_as_follower(buffer, now_ms)

    def end_before(self, offset: int) -> int:
        """Return where the log would end after `truncate_to`: batches are not cut.

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

        Raises:
            CorruptBatchError: what would stay of the last segment is damaged; the log is not cut.
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
        """Drop segments, truncate the one that stays, and let everything else end there.

        A crash in between leaves the log longer than it should be, as its owner found it before; or
        it brings back segments after a truncated one.  Since the recovery point was lowered first,
        the next start reads the truncated segment, finds that it ends too early, and sets aside
        what follows.
        """
        assert self._segments[0].base_offset < offset < self.log_end_offset
        self.end_replacing()
        kept = number_of(self._segments, offset - 1) + 1
        # What stays is read before anything is cut: it may be damaged.
        end_offset = self._segments[kept - 1].end_before(offset)
        producers = self._producers_up_to(end_offset, self._segments[:kept], now_ms)
        self._trust_to(offset)
        # The newest goes first, here and in `restart_at`: what a crash leaves has no hole.
        self._drop(self._segments[: kept - 1 : -1], now_ms)
        del self._segments[kept:]
        self.active.truncate_to(offset)
        self.active.reopen()
        self._end_at(end_offset, producers)

    def restart_at(self, offset: int, now_ms: int) -> None:
        """Drop everything and restart at *offset*, durably.

        A follower does this when the leader's log begins after the end of its own.  The same rule
        for the recovery point holds as for `truncate_to`, and *offset* is in the directory's
        checkpoint of log starts.
        """
        self.end_replacing()
        with self.health.guard():
            self._trust_to(offset)
            self._drop(self._segments[::-1], now_ms)
            remove_snapshots(self._files, self.directory)
            # A crash here leaves the oldest segments, or none: then the next start begins one where
            # the log starts by the directory's checkpoint.
            segment = Segment(self._files, self.directory, offset, self.config, now_ms)
            segment.create()
            self._segments = [segment]
            self._has_new_names = True
            self.log_start_offset = offset
            # Epochs that began before are those of nothing: the leader would be asked for them.
            self.epochs.clear()
            self._end_at(offset, self._producers_up_to(offset, self._segments, now_ms))

    def _trust_to(self, offset: int) -> None:
        """Lower recovery point and cleaned offset to *offset*, before anything is truncated."""
        self.recovery_point = min(self.recovery_point, offset)
        if self.cleaned_offset is not None:
            self.cleaned_offset = min(self.cleaned_offset, offset)

    def _producers_up_to(
        self, offset: int, segments: Sequence[Segment], now_ms: int
    ) -> ProducerState:
        snapshots = snapshot_offsets(self._files, self.directory)
        return rebuilt_state(self._files, self.directory, snapshots, segments, offset, now_ms)

    def _end_at(self, offset: int, producers: ProducerState) -> None:
        """Let epochs, producers and recovery point end with the log at *offset*."""
        # A flush that is under way syncs what is no longer the log.
        self._truncations += 1
        self._trust_to(offset)
        self.log_start_offset = min(self.log_start_offset, offset)
        self.epochs.truncate_from_end(offset)
        self._producers = producers
        # The names are gone before anything is written: a segment or a snapshot that came back
        # after a crash would stand in the middle of it.
        self._files.sync_directory(self.directory)
        assert self.active.base_offset <= offset, "a log ends in its last segment"
        assert self._producers.end_offset == offset, "producers are known up to the log's end"
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
        assert self.log_start_offset <= offset, "the log's start does not fall"
        assert offset <= self.log_end_offset, "a log starts before its end"
        self.log_start_offset = offset
        with self.health.guard():
            self.epochs.truncate_from_start(offset)

    def delete_old_segments(self, now_ms: int, wall_ms: int, high_watermark: int) -> int:
        """Drop the segments that retention expires, and return how many; none while the log is
        cleaned, whose result would be lost.

        Those before the log start, those too old by *wall_ms*, and the oldest while the log is too
        large; none with records at or beyond the high watermark.  Their files wait in
        `take_deleted`.
        """
        if self.is_being_cleaned:
            return 0
        count = expired_count(
            self._segments,
            self.config,
            now_ms=now_ms,
            wall_ms=wall_ms,
            log_start_offset=self.log_start_offset,
            log_end_offset=self.log_end_offset,
            high_watermark=high_watermark,
        )
        if count == 0:
            return 0
        self.end_replacing()
        with self.health.guard():
            if count == len(self._segments):
                # The end of the log must have a segment when the others go: only its name
                # has the next offset.
                self._roll(self.log_end_offset, now_ms)
            # The oldest first.  The names are not synced: what a crash brings back is given up once
            # more.
            self._drop(self._segments[:count], now_ms)
        del self._segments[:count]
        assert self._segments, "a log has a last segment"
        assert self._segments[0].base_offset <= high_watermark, "what is not committed stays"
        self._start_at(max(self.log_start_offset, self._segments[0].base_offset))
        # Who compares the files of replicas would miss the segments that the epochs name.
        self._has_new_start = self.epochs.is_unsaved
        return count

    def begin_replacement(self, base_offset: int, now_ms: int) -> Segment:
        """Make an empty segment beside the log that shall replace segments of it.

        The caller appends to it, indexes the transactions that its markers abort, and hands it to
        `finish_replacement`; any thread may do that.  After a crash before that, a start removes
        it.

        Raises:
            OSError: the disk failed, or the log was deleted meanwhile.
        """
        segment = Segment(
            self._files, self.directory, base_offset, self.config, now_ms, CLEANED_SUFFIX
        )
        segment.create()
        return segment

    def replace(self, old: Sequence[Segment], new: Segment, now_ms: int) -> None:
        """Put *new*, made by `begin_replacement`, into the place of the segments *old*, durably.

        All at once; `finish_replacement` is for any thread, and between the steps that follow it
        `sync_names`.  A crash at any point leaves all of *old* or *new*:

        R1 The files of *new* become durable, as `.cleaned`, and so do these names: a start removes
           what has them, and every `.swap` beside them.
        R2 They become `.swap`.  Once all of them are, durably, a start finishes what follows.
        R3 The files of *old* become `.deleted`, and wait in `take_deleted`.  A start removes those
           that still have their names; so these are gone durably before
        R4 *new* gets its own names.

        All of *old* is durable already: a start does not believe in a gap behind a segment that a
        crash may have damaged, and what compaction leaves has gaps.

        Raises:
            KafkaStorageError: the directory is or went offline.

        Source: Kafka's UnifiedLog.replaceSegments.
        """
        with self.health.guard():
            self.finish_replacement(new)
        self.begin_replacing(old, new, now_ms)
        self.end_replacing()

    def finish_replacement(self, new: Segment) -> None:
        """Make a new segment durable (R1).  Any thread may do it.

        Raises:
            OSError: the disk failed, or the log was deleted meanwhile.
        """
        new.finish()
        for file in new.open_files():
            file.sync()
        self._files.sync_directory(new.directory)

    def can_replace(self, old: Sequence[Segment]) -> bool:
        """Return whether the segments *old* are still neighbours in this log, and none of them
        grows.
        """
        if self.is_deleted or self._replacing is not None or old[0] not in self._segments[:-1]:
            return False
        first = self._segments.index(old[0])
        return list(old) == self._segments[first:-1][: len(old)]

    def begin_replacing(self, old: Sequence[Segment], new: Segment, now_ms: int) -> None:
        """Read from *new*, which is durable, instead of *old* from now on, and begin to rename
        their files (R2); `go_on_replacing` follows whenever the names of now are durable.
        """
        assert self.can_replace(old), "neighbours, in their order, of which none grows"
        self._replacing = self._replacing_steps(old, new, now_ms)
        self.go_on_replacing()

    def go_on_replacing(self) -> bool:
        """Take the next step of a replacement: the names that the last one made are durable.

        Returns whether there is another one behind it.

        Raises:
            KafkaStorageError: the directory is or went offline.
        """
        if self._replacing is None or self.is_deleted:
            return False
        with self.health.guard():
            if next(self._replacing, None) is None:
                self._replacing = None
        return self._replacing is not None

    def end_replacing(self) -> None:
        """Take all remaining steps of a replacement, before the segments change otherwise."""
        while self._replacing is not None and not self.is_deleted:
            self.sync_names()
            self.go_on_replacing()

    def sync_names(self) -> None:
        """Make the names of the files durable.  Any thread may do it.

        Raises:
            KafkaStorageError: the directory is or went offline.
        """
        # The directory of a log that was deleted meanwhile has another name.
        with self.health.guard(), suppress(FileNotFoundError):
            self._files.sync_directory(self.directory)

    def _replacing_steps(
        self, old: Sequence[Segment], new: Segment, now_ms: int
    ) -> Iterator[Literal[True]]:
        first = self._segments.index(old[0])
        behind = first + len(old)
        assert self._segments[behind].base_offset <= self.recovery_point, "old ones are durable"
        assert new.base_offset == old[0].base_offset
        new.move_to(self.directory)
        new.change_suffix(SWAP_SUFFIX)
        self._segments[first:behind] = [new]
        yield True
        # A snapshot of producers is right whatever batches are gone before it.
        self._drop(old[:1], now_ms, INDEX_SUFFIXES)
        self._drop(old[1:], now_ms)
        yield True
        new.change_suffix("")
        yield True
        # As every segment but the last, it is opened by its first reader.
        new.close_indexes()

    def _drop(
        self, segments: Sequence[Segment], now_ms: int, suffixes: Sequence[str] = SUFFIXES
    ) -> None:
        due_ms = now_ms + self.config.file_delete_delay_ms
        self.deleted += deleted_segments(self._files, self.directory, segments, due_ms, suffixes)

    def take_deleted(self) -> tuple[DeletedSegment, ...]:
        """Return the segments dropped since the last call; the caller removes them when due."""
        deleted, self.deleted = self.deleted, ()
        return deleted

    def move_to(self, directory: str) -> None:
        """Give the log's directory another name beside the old one, durably.

        Nothing of the log is written meanwhile on another thread.

        Raises:
            KafkaStorageError: the log directory is or went offline; then either name is there.
        """
        self.end_replacing()
        with self.health.guard():
            self._files.rename(self.directory, directory)
            self._files.sync_directory(self.health.directory)
        self.epochs.move_to(directory)
        for segment in self._segments:
            segment.move_to(directory)

        def moved(path: str) -> str:
            return directory + path.removeprefix(self.directory)

        self._unsynced_snapshots = tuple(map(moved, self._unsynced_snapshots))
        self.deleted = tuple(
            one._replace(paths=tuple(map(moved, one.paths))) for one in self.deleted
        )
        self.directory = directory

    def close(self, now_ms: int) -> None:
        """Do as `GrowingLog` does, after a replacement of segments that is in progress."""
        self.end_replacing()
        super().close(now_ms)

    def expire_producers(self, now_ms: int) -> None:
        """Expire the producers that have sent nothing for long."""
        self._producers.expire(now_ms, self.producer_expiration_ms)

    def reconfigure(self, config: LogConfig) -> None:
        """Apply other configs to the log from now on; segments keep the sizes of their indexes."""
        self.config = config
        for segment in self._segments:
            segment.reconfigure(config)
