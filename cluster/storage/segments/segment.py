"""A segment of a log: a file of batches with its two indexes.

Appends, finds batches by offset and by time, and knows when it is full.  The log decides which
segment an offset belongs to, and what a batch must look like.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from cluster.formats.batch_walk import first_header, headers
from cluster.formats.indexes import (
    INDEX_SUFFIX,
    RELATIVE_OFFSET_MAX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
)
from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    NO_TIMESTAMP,
    BatchHeader,
    Buffer,
    CorruptBatchError,
    PlacedBatch,
)
from cluster.formats.segment_names import LOG_SUFFIX, file_name
from cluster.storage.files import File, Files
from cluster.storage.log_config import LogConfig
from cluster.storage.segments.indexes import Entry, OffsetIndex, TimeIndex
from cluster.storage.segments.txn_index import TransactionIndex

BEYOND: Final = "it goes on behind the end of the file"
BOUNDARIES_MAX: Final = 8
"""How many beginnings of batches a segment remembers, twice: those of its tail are asked for again
and again, by consumers that follow it and by the high watermark.  As many older ones go together,
since to drop one for each that comes costs three times as much as to note it."""

NO_BOUNDARIES: Final[Mapping[int, int]] = {}
"""Shared: most segments have few, and an empty dictionary of its own takes 64 bytes of each."""


class Tail(NamedTuple):
    """The end of the last whole batch of a segment."""

    next_offset: int
    position: int
    max_timestamp: int
    """The latest of the batches behind the last index entry."""
    last: PlacedBatch | None = None
    """That batch; None in a segment without batches."""


class Segment:
    """Batches from `base_offset` on, in one file."""

    __slots__ = (
        "_boundaries",
        "_config",
        "_file",
        "_files",
        "_first_timestamp",
        "_older_boundaries",
        "_suffix",
        "_unindexed_size",
        "base_offset",
        "created_ms",
        "directory",
        "max_timestamp",
        "max_timestamp_offset",
        "modified_ms",
        "offset_index",
        "size",
        "time_index",
        "txn_index",
    )

    def __init__(
        self,
        files: Files,
        directory: str,
        base_offset: int,
        config: LogConfig,
        now_ms: int,
        suffix: str = "",
    ) -> None:
        """Begin; its files' names end with *suffix* while it is not part of the log."""
        self._files = files
        self._suffix = suffix
        self._config = config
        self._file: File | None = None
        self._first_timestamp: int | None = None
        self._unindexed_size = 0
        self._boundaries: dict[int, int] = {}
        self._older_boundaries = NO_BOUNDARIES
        self.directory = directory
        self.base_offset = base_offset
        self.created_ms = now_ms
        self.modified_ms = now_ms
        self.size = 0
        self.max_timestamp = NO_TIMESTAMP
        self.max_timestamp_offset = base_offset
        name = file_name(base_offset, INDEX_SUFFIX) + suffix
        self.offset_index = OffsetIndex(files, directory, name, base_offset, config.index_size_max)
        name = file_name(base_offset, TIME_INDEX_SUFFIX) + suffix
        self.time_index = TimeIndex(files, directory, name, base_offset, config.index_size_max)
        name = file_name(base_offset, TXN_INDEX_SUFFIX) + suffix
        self.txn_index = TransactionIndex(files, directory, name)

    def path(self, suffix: str) -> str:
        """Return the path of one of its files, by what it is."""
        return f"{self.directory}/{file_name(self.base_offset, suffix)}{self._suffix}"

    def change_suffix(self, suffix: str) -> None:
        """Rename all files to names with *suffix* behind them; their descriptors stay open."""
        kinds = [LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX]
        if self.txn_index.has_file:
            kinds.append(TXN_INDEX_SUFFIX)
        paths = [self.path(kind) for kind in kinds]
        self._suffix = suffix
        for path, kind in zip(paths, kinds, strict=True):
            self._files.rename(path, self.path(kind))
        self.offset_index.name = file_name(self.base_offset, INDEX_SUFFIX) + suffix
        self.time_index.name = file_name(self.base_offset, TIME_INDEX_SUFFIX) + suffix
        self.txn_index.name = file_name(self.base_offset, TXN_INDEX_SUFFIX) + suffix

    def move_to(self, directory: str) -> None:
        """Find the files in *directory* from now on, which is the old one by another name."""
        self.directory = directory
        self.offset_index.directory = directory
        self.time_index.directory = directory
        self.txn_index.directory = directory

    @property
    def file(self) -> File:
        """Return the file of batches, opened when it is first needed."""
        if self._file is None:
            self._file = self._files.open(self.path(LOG_SUFFIX), create=True)
        return self._file

    def create(self) -> None:
        """Make the three files, empty, over whatever an interrupted start left there."""
        self.file.truncate(0)
        if self._config.preallocates:
            self.file.truncate(self._config.segment_size_max)
        self.offset_index.create()
        self.time_index.create()

    def load(self, size: int, modified_ms: int, index_size: int, time_index_size: int) -> None:
        """Take over files that were closed in order.

        Raises:
            CorruptFileError: an index is not that of this log.
        """
        self.size = size
        self.modified_ms = modified_ms
        self.offset_index.load(index_size, size)
        self.time_index.load(time_index_size, size)
        self._note_indexed_time()
        self._assert_indexed()

    def begin_rebuild(self, modified_ms: int) -> None:
        """Start with empty indexes beside a file of batches that `adopt` then goes through.

        The transaction index stays; it is replaced when all its entries are known.
        """
        self.size = 0
        self._unindexed_size = 0
        self.modified_ms = modified_ms
        self.offset_index.create()
        self.time_index.create()
        self._note_indexed_time()

    def _note_indexed_time(self) -> None:
        self.max_timestamp = self.time_index.max_timestamp
        self.max_timestamp_offset = self.time_index.max_timestamp_offset

    def append(self, data: Buffer, batches: Iterable[PlacedBatch], now_ms: int) -> None:
        """Write *data*, whose *batches* are placed in it, behind the last batch, and count them."""
        start = self.size
        self.write(data, now_ms)
        for position, header in batches:
            self.adopt(start + position, header.size, header.last_offset, header.max_timestamp)

    def write(self, data: Buffer, now_ms: int) -> None:
        """Write *data* behind the last batch: one write, whatever the number of batches.

        The batches count only when they are adopted: a write that fails in its middle leaves bytes
        behind the end.
        """
        (self._file or self.file).write(self.size, data)
        self.modified_ms = now_ms

    def adopt(self, position: int, size: int, last_offset: int, max_timestamp: int) -> None:
        """Count and index the batch that stands at *position*, which is the end so far."""
        assert position == self.size
        if position == 0:
            self._first_timestamp = max_timestamp
        if max_timestamp > self.max_timestamp:
            self.max_timestamp = max_timestamp
            self.max_timestamp_offset = last_offset
        if self._unindexed_size > self._config.index_interval_size:
            if not self.offset_index.is_full:
                self.offset_index.append(last_offset, position)
            self.time_index.append_if_later(self.max_timestamp, self.max_timestamp_offset)
            self._unindexed_size = 0
        self._unindexed_size += size
        self.size = end = position + size
        # `_remember` without the call.
        if len(self._boundaries) >= BOUNDARIES_MAX:
            self.forget_oldest()
        self._boundaries[last_offset + 1] = end

    def _remember(self, offset: int, position: int) -> None:
        """Remember that the batch with *offset* begins, or will begin, at *position*."""
        if len(self._boundaries) >= BOUNDARIES_MAX:
            self.forget_oldest()
        self._boundaries[offset] = position

    def forget_oldest(self) -> None:
        """Make room for as many boundaries as there are new ones."""
        self._older_boundaries = self._boundaries
        self._boundaries = {}

    def _forget_boundaries(self) -> None:
        self._boundaries = {}
        self._older_boundaries = NO_BOUNDARIES

    def has_room(self, size: int, max_timestamp: int, last_offset: int, now_ms: int) -> bool:
        """Return whether *size* more bytes may be appended, or a new segment has to begin.

        Source: Kafka's LogSegment.shouldRoll.  By age a segment is full when the batch is more
        than `segment.ms` later than its first one; without timestamps, than its making.
        """
        config, filled_size = self._config, self.size
        if filled_size + size > config.segment_size_max:
            return False
        if filled_size > 0:
            first = self._first_timestamp
            if first is None or first < 0 or max_timestamp < 0:
                age_ms = self._age_at(max_timestamp, now_ms)
            else:
                age_ms = max_timestamp - first
            if age_ms > config.segment_ms:
                return False
        # `is_full` without the calls.
        offset_index, time_index = self.offset_index, self.time_index
        return (
            offset_index.count < offset_index.entries_max
            and time_index.count < time_index.entries_max - 1
            and last_offset - self.base_offset <= RELATIVE_OFFSET_MAX
        )

    def holds(self, header: BatchHeader) -> bool:
        """Return whether the indexes can name the offsets of a batch, which are relative to the
        base.
        """
        return header.last_offset - self.base_offset <= RELATIVE_OFFSET_MAX

    def first_timestamp(self) -> int:
        """Return the greatest timestamp of the first batch; NO_TIMESTAMP without one."""
        if self._first_timestamp is None:
            first = next(headers(self.file, 0, self.size), None)
            self._first_timestamp = NO_TIMESTAMP if first is None else first.header.max_timestamp
        return self._first_timestamp

    def _age_at(self, timestamp: int, now_ms: int) -> int:
        first_timestamp = self.first_timestamp()
        if first_timestamp >= 0 and timestamp >= 0:
            return timestamp - first_timestamp
        return now_ms - self.created_ms

    def position_of(self, offset: int) -> int | None:
        """Return where the first batch begins that ends at *offset* or later; None when all end
        before.
        """
        known = self._boundaries.get(offset)
        if known is None:
            known = self._older_boundaries.get(offset)
        if known is not None:
            return known if known < self.size else None
        end = self._indexed_start(OffsetIndex.OFFSET, offset - self.base_offset)
        for position, header in headers(self.file, end, self.size):
            if header.last_offset >= offset:
                return position
            end = position + header.size
        if end < self.size:
            # A reader that took it for the end of the segment would continue with the next one, and
            # miss the rest.
            raise CorruptBatchError(end, BEYOND)
        return None

    def _indexed_start(self, field: int, target: int) -> int:
        """Return where the batch begins of the last entry of the offset index whose *field* is at
        most *target*; 0 without one, and where that entry is damaged.
        """
        entry = self.offset_index.last_at_most(field, target)
        return entry[OffsetIndex.POSITION] if entry is not None and self._is_right(entry) else 0

    def _is_right(self, entry: Entry) -> bool:
        """Return whether a batch begins where an *entry* of the offset index points."""
        if not self.offset_index.is_of_log(entry, self.size):
            return False
        header = first_header(self.file, entry[OffsetIndex.POSITION], self.size)
        return header is not None and self._may_name(entry, header)

    def _may_name(self, entry: Entry, header: BatchHeader) -> bool:
        """Return whether *entry* may be of the batch with *header*, which has its offset or begins
        before it.

        Kafka's have the last offset of all the batches that were appended at once, at the first;
        before 1.0 their first offset.  Compressed messages do not say where they begin.
        """
        offset = self.base_offset + entry[OffsetIndex.OFFSET]
        is_before = header.magic < CURRENT_MAGIC or header.base_offset <= offset
        return self.base_offset <= header.base_offset and is_before

    def _is_right_time(self, entry: Entry) -> bool:
        """Return whether the batch that an *entry* of the time index names has its timestamp."""
        position = self.position_of(self.base_offset + entry[TimeIndex.OFFSET])
        header = None if position is None else first_header(self.file, position, self.size)
        return header is not None and header.max_timestamp == entry[TimeIndex.TIMESTAMP]

    def offset_before_time(self, timestamp: int) -> int:
        """Return an offset at or before the first one that can be later than *timestamp*."""
        entry = self.time_index.last_at_most(TimeIndex.TIMESTAMP, timestamp)
        if entry is None or not self._is_right_time(entry):
            return self.base_offset
        return self.base_offset + entry[TimeIndex.OFFSET]

    def end_before(self, offset: int) -> int:
        """Return where the last batch ends that ends at *offset* or before; without one, the base
        offset.

        That is where a segment ends that is truncated to *offset*.
        """
        for start in (self._indexed_start(OffsetIndex.OFFSET, offset - 1 - self.base_offset), 0):
            end = None
            for _, header in headers(self.file, start, self.size):
                if header.last_offset >= offset:
                    break
                end = header.next_offset
            if end is not None:
                return end
        return self.base_offset

    def end_within(self, start: int, limit: int) -> int:
        """Return the last end of a batch at or before *limit*, from a beginning at *start* on.

        *start* itself when not even its batch ends there.
        """
        if limit >= self.size:
            return self.size
        end = max(start, self._indexed_start(OffsetIndex.POSITION, limit))
        next_offset = None
        try:
            for position, header in headers(self.file, end, limit):
                end = position + header.size
                next_offset = header.next_offset
        except CorruptBatchError:
            # What is before the damage can be read; the next read raises the error.
            if end <= start:
                raise
        if next_offset is not None:
            # Where this answer ends, the same reader goes on.
            self._remember(next_offset, end)
        return end

    def offset_beyond(self, position: int) -> int | None:
        """Return an indexed offset whose batch begins at *position* or behind; None without one.

        As rough as Kafka's LogSegment.fetchUpperBoundOffset.
        """
        index = self.offset_index
        number = index.number_at_most(index.POSITION, position - 1) + 1
        if number >= index.count or not self._is_right(entry := index.entry(number)):
            return None
        return self.base_offset + entry[index.OFFSET]

    def end_of_batch(self, start: int) -> int:
        """Return where the batch that begins at *start*, before the end of the segment, ends."""
        for position, header in headers(self.file, start, self.size):
            self._remember(header.next_offset, position + header.size)
            return position + header.size
        raise CorruptBatchError(start, BEYOND)

    def tail(self) -> Tail:
        """Return the end of the last batch, found from the last indexed batch on.

        Raises:
            CorruptBatchError: what stands there is no batch, or not that of the entry.
        """
        last = self.offset_index.last
        start = 0 if last is None else last[OffsetIndex.POSITION]
        tail = Tail(self.base_offset, start, NO_TIMESTAMP)
        for position, header in headers(self.file, start, self.size):
            if tail.last is None and last is not None and not self._may_name(last, header):
                raise CorruptBatchError(
                    start, f"it begins at {header.base_offset}, not where its index has it"
                )
            max_timestamp = max(tail.max_timestamp, header.max_timestamp)
            placed = PlacedBatch(position, header)
            tail = Tail(header.next_offset, position + header.size, max_timestamp, placed)
        return tail

    def is_walkable(self) -> bool:
        """Return whether each batch leads to the next, up to the end of the file."""
        end = 0
        with suppress(CorruptBatchError):
            for position, header in headers(self.file, 0, self.size):
                end = position + header.size
        return end == self.size

    def age_ms(self, now_ms: int, wall_ms: int) -> int:
        """Return how old it is for retention: by the times of its records, else since its last
        change.
        """
        if self.max_timestamp >= 0:
            return wall_ms - self.max_timestamp
        return now_ms - self.modified_ms

    def truncate_to(self, offset: int) -> bool:
        """Drop the batch that holds *offset* and all after it; return whether there was any."""
        position = self.position_of(offset)
        if position is None:
            return False
        self._forget_boundaries()
        # The indexes first: no entry may point behind the end of the batches.
        self.offset_index.truncate_to(offset)
        self.time_index.truncate_to(offset)
        self.txn_index.truncate_to(offset)
        self.cut(position)
        # An entry of the first batch, at 0, is one that `load` does not believe.
        self._unindexed_size = 0
        if position == 0:
            self._first_timestamp = None
        last, timed = self.offset_index.last, self.time_index.last
        if (last is not None and not self._is_right(last)) or (
            timed is not None and not self._is_right_time(timed)
        ):
            # Nobody looks at the entries in an index's middle before a cut makes one the last.
            self._index_anew()
            return True
        self._note_indexed_time()
        start = 0 if last is None else last[OffsetIndex.POSITION]
        # Where a batch is damaged, the times of those behind it are not known.
        with suppress(CorruptBatchError):
            for _, header in headers(self.file, start, position):
                if header.max_timestamp > self.max_timestamp:
                    self.max_timestamp = header.max_timestamp
                    self.max_timestamp_offset = header.last_offset
        return True

    def _index_anew(self) -> None:
        """Make both indexes from the headers of the batches."""
        size = self.size
        self.begin_rebuild(self.modified_ms)
        # Without the rest of its indexes a damaged segment is searched from its beginning.
        with suppress(CorruptBatchError):
            for position, header in headers(self.file, 0, size):
                self.adopt(position, header.size, header.last_offset, header.max_timestamp)
        self.size = size

    def cut(self, size: int) -> None:
        """Truncate the file of batches, durably.

        What is appended next must not be followed by what was cut off: after a crash such batches
        would be whole, and their offsets might continue those of the new ones.
        """
        assert size <= self.size, "a cut adds nothing"
        self.file.truncate(size)
        self.file.sync()
        self.size = size

    def finish(self) -> None:
        """Close the segment for appends: last time entry, indexes truncated to their entries.

        `load` checks their sizes after a clean shutdown; after a crash an index with zeros at its
        end is not trusted, and is rebuilt.
        """
        self.time_index.append_if_later(
            self.max_timestamp, self.max_timestamp_offset, is_closing=True
        )
        self.offset_index.trim()
        self.time_index.trim()
        self._assert_indexed()
        if self._config.preallocates:
            self.file.truncate(self.size)
        self._forget_boundaries()

    def _assert_indexed(self) -> None:
        """Assert that the indexes fit the file: neither points beyond the end of its batches."""
        last, timed = self.offset_index.last, self.time_index.last
        assert last is None or 0 < last[OffsetIndex.POSITION] < self.size, "an entry in the file"
        assert timed is None or timed[TimeIndex.TIMESTAMP] <= self.max_timestamp, "a known time"

    def reopen(self) -> None:
        """Prepare a finished segment for appends again."""
        self._assert_indexed()
        self.offset_index.grow()
        self.time_index.grow()
        if self._config.preallocates and self.size < self._config.segment_size_max:
            self.file.truncate(self._config.segment_size_max)

    def open_files(self) -> tuple[File, ...]:
        """Return the three or four files, opened: what has to be synced for the segment to be
        durable.
        """
        self.offset_index.write_out()
        self.time_index.write_out()
        files = (self.file, self.offset_index.file, self.time_index.file)
        return (*files, self.txn_index.file) if self.txn_index.has_file else files

    def reconfigure(self, config: LogConfig) -> None:
        """Determine room and age by *config* from now on; the indexes keep their sizes."""
        self._config = config

    def close(self) -> None:
        """Close all descriptors; the next use opens the files again."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self.offset_index.close()
        self.time_index.close()
        self.txn_index.close()

    def close_indexes(self) -> None:
        """Close the indexes' descriptors: a segment that is not the last is seldom read."""
        self.offset_index.close()
        self.time_index.close()
        self.txn_index.close()
