"""What of a log is still there, after an orderly end or after a crash?

Opens the log of one partition.  After an orderly end nothing of the data is read but the headers
behind the last index entry.  After a crash the segments beyond the recovery point are read from
their beginning, up to the first byte that is no whole, undamaged batch; there the log is cut.

Source: Kafka's LogLoader.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from cluster.model.ids import TopicPartition
from cluster.model.record_batch import CURRENT_MAGIC, BatchHeader, CorruptBatchError
from cluster.storage.batch_walk import headers, valid_batches
from cluster.storage.errors import CorruptFileError
from cluster.storage.files import FileEntry, Files
from cluster.storage.health import DirectoryHealth
from cluster.storage.leader_epochs import UNDEFINED, LeaderEpochs
from cluster.storage.log import PRODUCER_EXPIRATION_MS, PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.offset_index import RELATIVE_OFFSET_MAX
from cluster.storage.offset_index import SUFFIX as INDEX_SUFFIX
from cluster.storage.producer_replay import (
    keep_snapshots,
    offsets_in,
    rebuilt_state,
    write_snapshot,
)
from cluster.storage.producer_state import ProducerState
from cluster.storage.segment import LOG_SUFFIX, SUFFIXES, Segment, base_offset_of, file_name
from cluster.storage.time_index import SUFFIX as TIME_INDEX_SUFFIX
from cluster.storage.work import DELETED_SUFFIX, remove_if_there

LEFTOVER_SUFFIXES: Final = (DELETED_SUFFIX, ".cleaned", ".tmp")
"""What an interrupted deletion, compaction or checkpoint leaves: none of it is needed."""
SWAP_SUFFIX: Final = ".swap"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOffsets:
    """What a log directory's checkpoints say of one log; 0 where they are silent."""

    recovery_point: int = 0
    log_start_offset: int = 0
    was_closed: bool = False
    """Whether the broker that had the directory before came to an orderly end."""


class RecoveryReport(NamedTuple):
    """What opening a log has found and done."""

    scanned_size: int
    """Bytes that were read and checked."""
    cut_size: int
    """Bytes that were no whole batch, or stood behind such, in the segment that was cut."""
    dropped: tuple[int, ...]
    """Base offsets of the segments behind that one."""
    reindexed: tuple[int, ...]
    """Base offsets of the segments whose indexes were made anew."""

    @property
    def found_damage(self) -> bool:
        return self.cut_size > 0 or len(self.dropped) > 0


def open_log(
    files: Files,
    directory: str,
    partition: TopicPartition,
    config: LogConfig,
    health: DirectoryHealth,
    known: KnownOffsets,
    now_ms: int,
    producer_expiration_ms: int = PRODUCER_EXPIRATION_MS,
) -> tuple[PartitionLog, RecoveryReport]:
    """Open the log in *directory*, which is there, or begin one in it.

    Raises:
        CorruptFileError: a segment that should be whole is damaged, or a file of a compaction is
            in the way; nothing was changed that matters.
        KafkaStorageError: the disk failed; the directory is offline.
    """
    health.check()
    try:
        loader = Loader(files, directory, config, known, now_ms, producer_expiration_ms)
        loader.load()
        producers = loader.settle()
        known_snapshots = [one for one in loader.snapshots() if one <= producers.end_offset]
        keep_snapshots(files, directory, known_snapshots, loader.segments)
        # A log that nobody uses needs no descriptors: a broker may have more logs than the
        # process may have files.  The first use opens them again.
        loader.segments[-1].close()
    except OSError as error:
        raise health.fail(error) from error
    except CorruptBatchError as error:
        raise CorruptFileError(directory, str(error)) from error
    log = PartitionLog(
        files,
        directory,
        partition,
        config,
        health,
        loader.segments,
        loader.epochs,
        producers,
        loader.log_start_offset,
        min(known.recovery_point, producers.end_offset),
        producer_expiration_ms,
        now_ms,
        has_new_names=loader.has_new_names,
    )
    return log, loader.report()


class Loader:
    """Goes through one directory, segment by segment, oldest first."""

    def __init__(
        self,
        files: Files,
        directory: str,
        config: LogConfig,
        known: KnownOffsets,
        now_ms: int,
        producer_expiration_ms: int,
    ) -> None:
        self._files = files
        self._directory = directory
        self._config = config
        self._known = known
        self._now_ms = now_ms
        self._producer_expiration_ms = producer_expiration_ms
        self._producers: ProducerState | None = None
        self._entries: dict[str, FileEntry] = {}
        self._scanned_size = 0
        self._cut_size = 0
        self._dropped: list[int] = []
        self._reindexed: list[int] = []
        self.segments: list[Segment] = []
        self.epochs = LeaderEpochs(files, directory)
        self.log_start_offset = known.log_start_offset
        self.has_new_names = not known.was_closed
        """Whether a file's name may not be durable."""

    def report(self) -> RecoveryReport:
        return RecoveryReport(
            self._scanned_size, self._cut_size, tuple(self._dropped), tuple(self._reindexed)
        )

    def load(self) -> None:
        """Open all segments, and cut the log where it is damaged."""
        self._entries = {entry.name: entry for entry in self._files.list(self._directory)}
        self._clean_up()
        offsets = [base_offset_of(name, LOG_SUFFIX) for name in self._entries]
        bases = sorted(offset for offset in offsets if offset is not None)
        self._load_epochs(bases)
        for number, base_offset in enumerate(bases):
            is_last = number == len(bases) - 1
            segment = Segment(self._files, self._directory, base_offset, self._config, self._now_ms)
            self.segments.append(segment)
            next_base_offset = None if is_last else bases[number + 1]
            if self._is_trusted(next_base_offset):
                is_whole = self._load(segment, is_last)
            else:
                is_whole = self._scan(segment, next_base_offset)
            if not is_whole:
                self._drop(bases[number + 1 :])
                return

    def _load_epochs(self, bases: list[int]) -> None:
        """Read the checkpoint of the epochs; a damaged one is not needed where all is read anyway.

        A crash can leave it torn before anything of the log was durable.
        """
        try:
            self.epochs.load()
        except CorruptFileError:
            if self._is_trusted(bases[1] if len(bases) > 1 else None):
                raise

    def _clean_up(self) -> None:
        """Remove what is left of interrupted work, and indexes without a log."""
        for name in tuple(self._entries):
            if name.endswith(SWAP_SUFFIX):
                raise CorruptFileError(
                    f"{self._directory}/{name}", "a compaction was interrupted; Kafka can finish it"
                )
            if name.endswith(LEFTOVER_SUFFIXES) or self._is_orphan(name):
                self._remove(name)

    def _is_orphan(self, name: str) -> bool:
        for suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX):
            base_offset = base_offset_of(name, suffix)
            if base_offset is not None:
                return file_name(base_offset, LOG_SUFFIX) not in self._entries
        return False

    def _remove(self, name: str) -> None:
        # A snapshot may have gone already, with those that lie beyond what is certain.
        remove_if_there(self._files, f"{self._directory}/{name}")
        del self._entries[name]

    def _is_trusted(self, next_base_offset: int | None) -> bool:
        """Whether a segment that ends at *next_base_offset* (None: the last) was made durable."""
        if self._known.was_closed:
            return True
        return next_base_offset is not None and next_base_offset <= self._known.recovery_point

    def _load(self, segment: Segment, is_last: bool) -> bool:
        """Take over a trusted segment; whether its end is that of its file."""
        log = self._entries[file_name(segment.base_offset, LOG_SUFFIX)]
        index = self._entries.get(file_name(segment.base_offset, INDEX_SUFFIX))
        time_index = self._entries.get(file_name(segment.base_offset, TIME_INDEX_SUFFIX))
        try:
            if index is None or time_index is None:
                raise CorruptFileError(
                    segment.path(INDEX_SUFFIX), "it or its time index is missing"
                )
            segment.load(log.size, log.modified_ms, index.size, time_index.size)
        except CorruptFileError:
            self._reindex(segment, log)
            if segment.size < log.size and not is_last:
                raise CorruptFileError(
                    segment.path(LOG_SUFFIX), f"no batch at byte {segment.size}, which was durable"
                ) from None
        if not is_last:
            return True
        try:
            is_whole = segment.tail().position == log.size
        except CorruptBatchError:
            is_whole = False
        if not is_whole:
            return self._scan(segment, None)
        return True

    def _reindex(self, segment: Segment, log: FileEntry) -> None:
        """Make the indexes of a trusted segment anew, from its headers."""
        self._reindexed.append(segment.base_offset)
        segment.begin_rebuild(log.modified_ms)
        try:
            for position, header in headers(segment.file, 0, log.size):
                segment.adopt(position, header)
        except CorruptBatchError as error:
            raise CorruptFileError(segment.path(LOG_SUFFIX), str(error)) from error
        segment.finish()

    def _scan(self, segment: Segment, next_base_offset: int | None) -> bool:
        """Read a segment that a crash may have damaged, and cut it; whether it was whole.

        It is not, either, when it ends before the next one begins: a write that never reached the
        disk can leave no trace but that.
        """
        log = self._entries[file_name(segment.base_offset, LOG_SUFFIX)]
        if segment.base_offset not in self._reindexed:
            self._reindexed.append(segment.base_offset)
        segment.begin_rebuild(log.modified_ms)
        if self._producers is None:
            self._producers = self._producers_up_to(segment.base_offset)
        expected = segment.base_offset
        last_offset_max = segment.base_offset + RELATIVE_OFFSET_MAX
        for position, (start, header), window in valid_batches(segment.file, log.size):
            if header.base_offset < expected or header.last_offset > last_offset_max:
                break
            segment.adopt(position, header)
            self._producers.note_batch(header, window, start)
            self._note_epoch(header)
            expected = header.next_offset
        self._scanned_size += segment.size
        cut_size = log.size - segment.size
        if cut_size > 0:
            self._cut_size += cut_size
            segment.cut(segment.size)
        segment.finish()
        if next_base_offset == expected:
            write_snapshot(self._files, self._directory, self._producers)
        return cut_size == 0 and next_base_offset in (None, expected)

    def _note_epoch(self, header: BatchHeader) -> None:
        """Let the epochs agree with a batch: it is right, whatever the checkpoint says."""
        if header.magic != CURRENT_MAGIC:
            self.epochs.clear()
        elif header.leader_epoch != UNDEFINED:
            self.epochs.hold(header.leader_epoch, header.base_offset, header.last_offset)

    def _drop(self, base_offsets: list[int]) -> None:
        """Remove the segments behind a damaged one, newest first, so that no hole is left."""
        for base_offset in reversed(base_offsets):
            for suffix in (*SUFFIXES, LOG_SUFFIX):
                name = file_name(base_offset, suffix)
                if name in self._entries:
                    self._remove(name)
            self._dropped.append(base_offset)
        self._files.sync_directory(self._directory)

    def snapshots(self) -> tuple[int, ...]:
        """The offsets of the snapshots that were there; some may have been removed since."""
        return offsets_in(self._entries)

    def _producers_up_to(self, offset: int) -> ProducerState:
        return rebuilt_state(
            self._files,
            self._directory,
            self.snapshots(),
            self.segments,
            offset,
            self._now_ms,
            self._producer_expiration_ms,
        )

    def settle(self) -> ProducerState:
        """Bring start, end and epochs into agreement, and return what the producers did."""
        if not self.segments:
            self._begin(self.log_start_offset)
        for segment in self.segments[:-1]:
            segment.close()
        self.segments[-1].reopen()
        end_offset = self.segments[-1].tail().next_offset
        if end_offset < self.log_start_offset:
            # The records up to the log's start were deleted on purpose, those behind it are lost.
            for segment in self.segments:
                segment.close()
            self._drop([segment.base_offset for segment in self.segments])
            self._begin(self.log_start_offset)
            end_offset = self.log_start_offset
        self.log_start_offset = max(self.log_start_offset, self.segments[0].base_offset)
        self.epochs.truncate_from_end(end_offset)
        self.epochs.truncate_from_start(self.log_start_offset)
        if self._producers is None or self._producers.end_offset != end_offset:
            self._producers = self._producers_up_to(end_offset)
        return self._producers

    def _begin(self, offset: int) -> None:
        segment = Segment(self._files, self._directory, offset, self._config, self._now_ms)
        segment.create()
        self.segments = [segment]
        self.has_new_names = True
