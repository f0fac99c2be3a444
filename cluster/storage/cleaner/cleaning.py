"""The cleaning of one log: its segments are read, compacted in groups, and replaced.

What reads and writes files is done in slices, which any thread may run;
`PartitionLog.begin_replacing` and what follows belongs to the log's own thread.  The groups are
replaced from the oldest on, and none is left out: the records that a tombstone deletes are gone
before the tombstone.

Source: Kafka's Cleaner.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from cluster.formats.indexes import RELATIVE_OFFSET_MAX
from cluster.formats.record_batch import (
    CorruptBatchError,
    parse_header,
    whole_batches,
)
from cluster.formats.segment_names import CLEANED_SUFFIX, INDEX_SUFFIXES, LOG_SUFFIX, file_name
from cluster.storage.cleaner.compaction import Cleaned, Compaction, CompactionRules, Compactor
from cluster.storage.cleaner.dirtiness import DirtyPart
from cluster.storage.cleaner.offset_map import SLOT_SIZE
from cluster.storage.errors import DamagedSegment
from cluster.storage.files import Files, remove_if_there
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.segments.segment import Segment

SLOTS_MIN: Final = 1024
LATEST_SHARE: Final = 8
"""Of the memory of the offset map this part is for the latest keys, of which it knows each in a
fifth of the time."""


class LogChanged(Exception):
    """The log has changed since its cleaning began: the cleaning may start again."""


class CleanerLimits(NamedTuple):
    """What one cleaning may use."""

    map_size: int = 128 * 1024**2
    """Bytes of its offset map."""
    map_load_factor: float = 0.9
    read_size: int = 256 * 1024
    """How much is read at once, unless a batch is larger."""


class Cleaning:
    """One cleaning of one log."""

    def __init__(
        self,
        files: Files,
        log: PartitionLog,
        part: DirtyPart,
        limits: CleanerLimits,
        now_ms: int,
        wall_ms: int,
        begin: Callable[[CompactionRules], Compactor] = Compaction,
    ) -> None:
        """Begin; nothing is read yet.

        Raises:
            CorruptFileError: an index of aborted transactions is damaged.
            OSError: the disk failed.
        """
        self._files = files
        self._log = log
        self._part = part
        self._read_size = limits.read_size
        self._now_ms = now_ms
        self._truncation_count = log.truncation_count
        self._segments = tuple(one for one in log.segments if one.base_offset < part.end_offset)
        self._ends = [one.base_offset for one in log.segments[1:]]
        self._is_stopped = False
        self.new: Segment | None = None
        """The segment that `fill` has made."""
        record_count = part.end_offset - part.first_dirty_offset
        slots = int(record_count / max(limits.map_load_factor, 0.01)) + SLOTS_MIN
        latest_size = limits.map_size // LATEST_SHARE
        self._compaction = begin(
            CompactionRules(
                part.first_dirty_offset,
                min(limits.map_size - latest_size, SLOT_SIZE * slots),
                latest_size,
                limits.map_load_factor,
                wall_ms,
                log.config.delete_retention_ms,
                tuple(entry for one in log.segments for entry in one.txn_index.entries),
                log.producers.producers,
            )
        )
        clean = [one for one in self._segments if one.base_offset < part.first_dirty_offset]
        self._legacy_horizon_ms = (
            clean[-1].modified_ms - log.config.delete_retention_ms if clean else None
        )

    @property
    def end_offset(self) -> int:
        """Return up to where the log is clean when all groups are replaced."""
        return min(self._compaction.end_offset, self._part.end_offset)

    def stop(self) -> None:
        """Let the next slice raise LogChanged.  Any thread may call it."""
        self._is_stopped = True

    def check(self) -> None:
        """Raise LogChanged where it makes no sense to continue.  Any thread may call it."""
        log = self._log
        if (
            self._is_stopped
            or log.is_deleted
            or log.truncation_count != self._truncation_count
            or not log.config.compacts
        ):
            raise LogChanged
        log.health.check()

    # On any thread.

    def index(self) -> Iterator[int]:
        """Note the last offset of each key of the dirty part; each step yields how much it read.

        Raises:
            CompactionLost: the other process that it is in is gone.
            DamagedSegment: a segment contains bytes that are no batch.
            KafkaStorageError: the directory is or went offline.
            LogChanged: the log was changed by another thread.
        """
        first = self._part.first_dirty_offset
        for segment, end_offset in zip(self._segments, self._ends, strict=False):
            if end_offset <= first:
                continue
            for position, content in self._windows(segment):
                with self._placed(segment, position):
                    has_room = self._compaction.index(content)
                if not has_room:
                    return
                yield len(content)
            self._compaction.skip_to(end_offset)

    def groups(self) -> Iterator[Sequence[Segment]]:
        """Yield the segments that are replaced together, as far as the keys of the log are known.

        Each has room in a segment, and so have its offsets and indexes.
        """
        self._compaction.begin_cleaning()
        config = self._log.config
        entries_max = config.index_size_max // 12
        group: list[Segment] = []
        for segment, end_offset in zip(self._segments, self._ends, strict=False):
            if segment.base_offset >= self.end_offset:
                break
            together = [*group, segment]
            if group and (
                sum(one.size for one in together) > config.segment_size_max
                or sum(one.offset_index.count for one in together) > entries_max
                or sum(one.time_index.count for one in together) > entries_max
                or end_offset - 1 - group[0].base_offset > RELATIVE_OFFSET_MAX
            ):
                yield group
                group = []
            group.append(segment)
        if group:
            yield group

    def fill(self, group: Sequence[Segment]) -> Iterator[int]:
        """Write what is left of *group* into `new`, durably; a slice yields how much it moved.

        Raises:
            As `index`.
        """
        self.check()
        with self._disk():
            new = self.new = self._log.begin_replacement(group[0].base_offset, self._now_ms)
        for segment in group:
            horizon_ms = self._legacy_horizon_ms
            keeps = horizon_ms is None or segment.modified_ms > horizon_ms
            for position, content in self._windows(segment):
                with self._placed(segment, position):
                    left = self._compaction.clean(content, keeps_legacy_tombstones=keeps)
                self._write(new, left)
                yield len(content) + len(left.content)
        self._write(new, self._compaction.end_segment())
        new.modified_ms = group[-1].modified_ms
        self.check()
        with self._disk():
            self._log.finish_replacement(new)

    def take_new(self) -> Segment:
        """Return what `fill` has made, for the log to have it."""
        new, self.new = self.new, None
        assert new is not None
        return new

    def discard(self) -> None:
        """End it: return its memory, and remove what `fill` has made and no caller has taken.

        Any thread may call it.
        """
        self._compaction.close()
        new, self.new = self.new, None
        if new is None:
            return
        new.close()
        if self._log.is_deleted or self._log.is_offline:
            return
        with suppress(OSError):
            for kind in (LOG_SUFFIX, *INDEX_SUFFIXES):
                name = file_name(new.base_offset, kind) + CLEANED_SUFFIX
                remove_if_there(self._files, f"{new.directory}/{name}")

    def _windows(self, segment: Segment) -> Iterator[tuple[int, bytes]]:
        """Yield the batches of *segment*, some at a time, with where they begin."""
        self.check()
        path, end = segment.path(LOG_SUFFIX), segment.size
        with self._disk():
            file = self._files.open(path)
        try:
            position, read_size = 0, self._read_size
            while position < end:
                self.check()
                with self._disk():
                    content = file.read(position, min(read_size, end - position))
                with self._placed(segment, position):
                    size = whole_size(content)
                    if size == 0:
                        size = parse_header(content).size
                        if size > end - position:
                            raise CorruptBatchError(0, f"{end - position} bytes are left of {size}")
                        # The next ones may be as large: they need not be read twice.
                        read_size = max(read_size, size)
                        with self._disk():
                            content = file.read(position, size)
                yield position, content[:size]
                position += size
        finally:
            file.close()

    def _write(self, new: Segment, left: Cleaned) -> None:
        with self._disk():
            if left.content:
                new.append(left.content, tuple(whole_batches(left.content)), self._now_ms)
            for entry in left.aborted:
                new.txn_index.append(entry)

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """Translate a failure of the disk: a file may be missing because the log has changed."""
        try:
            yield
        except FileNotFoundError as error:
            raise LogChanged from error
        except OSError as error:
            raise self._log.health.fail(error) from error

    @contextmanager
    def _placed(self, segment: Segment, position: int) -> Iterator[None]:
        """Add the position in the log to the error about a damaged batch."""
        try:
            yield
        except CorruptBatchError as error:
            at = position + error.position
            raise DamagedSegment(segment.path(LOG_SUFFIX), at, error.reason) from error


def whole_size(content: bytes) -> int:
    """Return how many bytes of *content* are whole batches."""
    batches = tuple(whole_batches(content))
    return batches[-1].position + batches[-1].header.size if batches else 0
