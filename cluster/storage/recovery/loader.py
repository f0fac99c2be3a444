"""The loader of a log: it opens the segments of one directory, oldest first.

It decides which segments it trusts, where the log ends, and what to report to an operator; its
assumptions are in `opening`.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from cluster.formats.batch_walk import WINDOW_SIZE, Flaw, flaw_at, headers, is_zero, valid_batches
from cluster.formats.errors import CorruptFileError
from cluster.formats.indexes import (
    INDEX_SUFFIX,
    RELATIVE_OFFSET_MAX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
)
from cluster.formats.record_batch import BatchHeader, CorruptBatchError, checksum_matches
from cluster.formats.segment_names import LOG_SUFFIX, base_offset_of, file_name
from cluster.storage.files import FileEntry, Files
from cluster.storage.log.leader_epochs import LeaderEpochs
from cluster.storage.log.producer_replay import (
    offsets_in,
    rebuilt_state,
    remove_snapshots,
    write_snapshot,
)
from cluster.storage.log.producer_state import ProducerState
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.epochs import EpochRecovery
from cluster.storage.recovery.findings import UNKNOWN, Finding, Kind, KnownOffsets, RecoveryReport
from cluster.storage.recovery.leftovers import clean_up
from cluster.storage.recovery.rebuilding import rebuild
from cluster.storage.recovery.set_aside import SetAside
from cluster.storage.segments.segment import Segment, Tail


class Ending(NamedTuple):
    """Why a log ends within a segment, or at its end, although more exists."""

    kind: Kind
    reason: str
    is_torn: bool = False
    """Whether the bytes after it are the beginning of a batch, or nothing at all."""


class Loader:
    """The loading of one directory, segment by segment, oldest first."""

    def __init__(
        self,
        files: Files,
        directory: str,
        config: LogConfig,
        known: KnownOffsets,
        now_ms: int,
    ) -> None:
        self._files = files
        self._directory = directory
        self._config = config
        self._known = known
        self._now_ms = now_ms
        self._producers: ProducerState | None = None
        self._entries: dict[str, FileEntry] = {}
        self._scanned_size = 0
        self._cut_size = 0
        self._reindexed: list[int] = []
        self._findings: list[Finding] = []
        self._gone: set[int] = set()
        """Base offsets of segments of which only an index was left."""
        self._split_at: int | None = None
        """The base offset of what the segment that was opened last had no room for."""
        self._set_aside = SetAside(files, directory, self._entries)
        self._epochs = EpochRecovery(files, directory, self._rebuilt_epochs)
        self.segments: list[Segment] = []
        self.log_start_offset = known.log_start_offset
        self.has_new_names = not known.was_closed
        """Whether a file's name may not be durable."""

    @property
    def epochs(self) -> LeaderEpochs:
        return self._epochs.epochs

    def report(self) -> RecoveryReport:
        return RecoveryReport(
            self._scanned_size,
            self._cut_size,
            tuple(self._set_aside.segments_gone),
            tuple(self._reindexed),
            tuple(self._findings),
        )

    def load(self) -> None:
        """Open all segments, and let the log end where it is damaged."""
        self._entries = {entry.name: entry for entry in self._files.list(self._directory)}
        self._set_aside = SetAside(self._files, self._directory, self._entries)
        self._clean_up()
        offsets = [base_offset_of(name, LOG_SUFFIX) for name in self._entries]
        bases = sorted(offset for offset in offsets if offset is not None)
        self._epochs.load(
            [
                self._entries[file_name(base_offset, LOG_SUFFIX)]
                for base_offset, following in zip_longest(bases, bases[1:])
                if self._is_trusted(following)
            ],
            is_trusted=self._is_trusted(bases[1] if len(bases) > 1 else None),
        )
        self._look_at_start(bases)
        number = 0
        while number < len(bases):
            base_offset = bases[number]
            is_last = number == len(bases) - 1
            segment = Segment(self._files, self._directory, base_offset, self._config, self._now_ms)
            txn_index = file_name(base_offset, TXN_INDEX_SUFFIX)
            segment.txn_index.has_file = txn_index in self._entries
            self.segments.append(segment)
            next_base_offset = None if is_last else bases[number + 1]
            if self._is_trusted(next_base_offset):
                ending = self._load(segment, next_base_offset)
            else:
                ending = self._scan(segment, next_base_offset)
            if ending is not None:
                self._end(segment, ending, bases[number + 1 :])
                break
            if self._split_at is not None:
                if self._split_at not in bases:
                    bases.insert(number + 1, self._split_at)
                self._split_at = None
            number += 1
            if number < len(bases):
                # As many descriptors as a log has segments would be too many.
                segment.close()
        self._epochs.check(self.segments)

    def _rebuilt_epochs(self, reason: str) -> None:
        self.has_new_names = True
        self._find(Kind.REBUILT, f"{reason}; made anew from the batches")

    def _look_at_start(self, bases: list[int]) -> None:
        """Report first segments that are missing after a clean shutdown.

        The checkpoint of the directory has where the log starts, but Kafka's lacks a log that
        starts with its first segment; the oldest epoch begins there as well.
        """
        epochs = self.epochs.starts
        start = max(self._known.log_start_offset, epochs[0].start_offset if epochs else 0)
        is_known = self._known.log_start_offset > 0 or bool(epochs)
        if self._known.was_closed and is_known and bases and start < bases[0]:
            reason = "the first segments, which had them, are gone; the log starts behind them"
            self._find(Kind.GAP, reason, start, bases[0])

    def _find(
        self,
        kind: Kind,
        reason: str,
        first_offset: int = UNKNOWN,
        end_offset: int = UNKNOWN,
        size: int = 0,
        set_aside: Sequence[str] = (),
    ) -> None:
        self._findings.append(
            Finding(kind, reason, first_offset, end_offset, size, tuple(set_aside))
        )

    def _clean_up(self) -> None:
        finished, self._gone = clean_up(self._files, self._directory, self._entries)
        if finished is not None:
            segments = [one for one in finished.replaced if one.endswith(LOG_SUFFIX)]
            reason = f"a compaction was interrupted; it has replaced {len(segments)} segments now"
            self._find(Kind.FINISHED, reason, finished.first_offset, finished.end_offset)

    def _is_trusted(self, next_base_offset: int | None) -> bool:
        """Return whether a segment that ends at *next_base_offset* (None: the last) was made
        durable.
        """
        if self._known.was_closed:
            return True
        return next_base_offset is not None and next_base_offset <= self._known.recovery_point

    def _load(self, segment: Segment, next_base_offset: int | None) -> Ending | None:
        """Take over a trusted segment; return why the log ends in it, if it does."""
        log = self._entries[file_name(segment.base_offset, LOG_SUFFIX)]
        index = self._entries.get(file_name(segment.base_offset, INDEX_SUFFIX))
        time_index = self._entries.get(file_name(segment.base_offset, TIME_INDEX_SUFFIX))
        try:
            if index is None or time_index is None:
                raise CorruptFileError(
                    segment.path(INDEX_SUFFIX), "it or its time index is missing"
                )
            segment.load(log.size, self._now_ms - log.age_ms, index.size, time_index.size)
            if segment.txn_index.has_file:
                segment.txn_index.load(segment.base_offset)
        except CorruptFileError:
            self._reindex(segment, log)
            log = self._entries[log.name]
            if segment.size < log.size and next_base_offset is not None:
                raise CorruptFileError(
                    segment.path(LOG_SUFFIX), f"no batch at byte {segment.size}, which was durable"
                ) from None
        self._epochs.take(segment)
        if self._split_at is not None:
            return None
        if next_base_offset is not None:
            self._look_at_end(segment, log, next_base_offset)
            return None
        try:
            tail = segment.tail()
        except CorruptBatchError:
            return self._scan(segment, None)
        if tail.position < log.size:
            return self._scan(segment, None)
        self._take_tail(segment, log, tail)
        if self._split_at is None:
            self._look_at_last(segment, tail)
        return None

    def _look_at_last(self, segment: Segment, tail: Tail) -> None:
        """Report whether the very last batch is damaged within; it stays as it is.

        It was durable, and consumers and followers may have it.
        """
        if tail.last is None or tail.last.header.size > WINDOW_SIZE:
            return
        position, header = tail.last
        if not checksum_matches(segment.file.read(position, header.size), header):
            name = file_name(segment.base_offset, LOG_SUFFIX)
            reason = f"{name}, byte {position}: its checksum is wrong; it was durable and is kept"
            self._find(Kind.DAMAGE, reason, header.base_offset, header.next_offset)

    def _take_tail(self, segment: Segment, log: FileEntry, tail: Tail) -> None:
        """Compare indexes and epochs of a trusted segment with its end."""
        if tail.last is not None:
            self._epochs.note_last(tail.last.header)
        offsets, times = segment.offset_index, segment.time_index
        end_offset = tail.next_offset
        if (
            times.max_timestamp < tail.max_timestamp
            or (end_offset > segment.base_offset and times.reaches(end_offset))
            or offsets.reaches(end_offset)
            or any(one.last_offset >= end_offset for one in segment.txn_index.entries)
        ):
            # The records were durable before the segment was finished, its indexes were not.
            self._reindex(segment, log)

    def _look_at_end(self, segment: Segment, log: FileEntry, next_base_offset: int) -> None:
        """Report what is wrong at the end of a trusted segment, which stays as it is.

        A cheap check: the headers after the last index entry, and no record.
        """
        try:
            tail = segment.tail()
            position = tail.position
            is_whole = position == segment.size
            reason = "" if is_whole else flaw_at(segment.file, position, segment.size).reason
        except CorruptBatchError as error:
            is_whole, position, reason = False, error.position, error.reason
        if is_whole:
            self._take_tail(segment, log, tail)
            if self._split_at is None:
                self._compare_ends(tail.next_offset, next_base_offset)
        elif segment.is_walkable():
            # No batch begins where the index says: it is damaged, the log is not.
            self._reindex(segment, log)
        else:
            name = file_name(segment.base_offset, LOG_SUFFIX)
            reason = f"{name}, byte {position}: {reason}; it was durable and is kept"
            self._find(Kind.DAMAGE, reason)

    def _compare_ends(self, end_offset: int, next_base_offset: int) -> None:
        if end_offset < next_base_offset:
            if end_offset < (self._known.cleaned_offset or 0):
                # Kafka's cleaner may have left nothing of the end of a segment.
                return
            reason = "no segment has them (compacted, or a file is gone); what follows is kept"
            self._find(Kind.GAP, reason, end_offset, next_base_offset)
        elif end_offset > next_base_offset:
            reason = "two segments have them; both are kept"
            self._find(Kind.DAMAGE, reason, next_base_offset, end_offset)

    def _reindex(self, segment: Segment, log: FileEntry) -> None:
        """Rebuild the indexes of a trusted segment from its headers."""
        self._reindexed.append(segment.base_offset)
        segment.begin_rebuild(self._now_ms - log.age_ms)
        try:
            state = self._producers_up_to(segment.base_offset, is_trusted=True)
            batches = headers(segment.file, 0, log.size)
            rebuilt = rebuild(segment, batches, log.size, state, self._now_ms)
        except CorruptBatchError as error:
            raise CorruptFileError(segment.path(LOG_SUFFIX), str(error)) from error
        if rebuilt.order_flaw is not None:
            damage = CorruptBatchError(segment.size, rebuilt.order_flaw.reason)
            raise CorruptFileError(segment.path(LOG_SUFFIX), str(damage))
        if rebuilt.beyond is not None:
            self._split(segment, log, rebuilt.end_offset, rebuilt.beyond)
        segment.finish()

    def _scan(self, segment: Segment, next_base_offset: int | None) -> Ending | None:
        """Read a segment that a crash may have damaged; return why the log ends in it, if it
        does.
        """
        log = self._entries[file_name(segment.base_offset, LOG_SUFFIX)]
        if segment.base_offset not in self._reindexed:
            self._reindexed.append(segment.base_offset)
        segment.begin_rebuild(self._now_ms - log.age_ms)
        if self._producers is None:
            self._producers = self._producers_up_to(segment.base_offset)
        batches = valid_batches(segment.file, log.size)
        end_offset, flaw, beyond = rebuild(
            segment, batches, log.size, self._producers, self._now_ms, self._epochs
        )
        if beyond is not None:
            next_base_offset = self._split(segment, log, end_offset, beyond)
            log = self._entries[log.name]
        self._scanned_size += segment.size
        if segment.size < log.size:
            return self._ending_at(segment, flaw or flaw_at(segment.file, segment.size, log.size))
        if next_base_offset is None:
            segment.finish()
            return None
        return self._go_on(segment, end_offset, next_base_offset)

    def _split(self, segment: Segment, log: FileEntry, end_offset: int, header: BatchHeader) -> int:
        """Move what follows the batches of *segment*, which end at *end_offset*, to a segment of
        its own, which *header* begins; return its base offset.

        The offsets are too far from the base of this one for its indexes.  Kafka 1.1 and older
        wrote such segments.  First the copy is made, durably and with its own name, then this one
        is truncated; a crash in between leaves both, and the copy is found.

        Raises:
            CorruptFileError: there is another segment of that name, or no room for this one.

        Source: Kafka's LogLoader.retryOnOffsetOverflow (KAFKA-6264).
        """
        # At the end where it can be, as `PartitionLog` rolls: there no gap can be seen.
        is_far = header.last_offset - end_offset > RELATIVE_OFFSET_MAX
        base_offset = header.base_offset if is_far else end_offset
        size = log.size - segment.size
        name = file_name(base_offset, LOG_SUFFIX)
        copy = self._entries.get(name)
        if copy is None:
            self._set_aside.split(segment, log.size, name)
        elif copy.size != size:
            reason = f"what begins at {header.base_offset} is too far from its base, and in {name}"
            raise CorruptFileError(segment.path(LOG_SUFFIX), reason)
        segment.cut(segment.size)
        self._entries[name] = log._replace(name=name, size=size)
        self._entries[log.name] = log._replace(size=segment.size)
        self._split_at = base_offset
        return base_offset

    def _ending_at(self, segment: Segment, flaw: Flaw) -> Ending:
        reason = f"{file_name(segment.base_offset, LOG_SUFFIX)}, byte {segment.size}: {flaw.reason}"
        is_lost = flaw.is_torn or self._known.machine_stopped
        kind = Kind.LOST_TAIL if is_lost and not self._known.was_closed else Kind.DAMAGE
        return Ending(kind, reason, flaw.is_torn)

    def _go_on(self, segment: Segment, end_offset: int, next_base_offset: int) -> Ending | None:
        """End a scanned segment, whole as it is, and prepare for the next one, if it may follow."""
        if end_offset > next_base_offset:
            return Ending(Kind.DAMAGE, f"the next segment begins at {next_base_offset}")
        if end_offset < next_base_offset:
            # An operator removed the file of a segment, not its indexes: no crash leaves only them.
            # And what no segment can hold that begins there, this one has never had.
            is_near = next_base_offset - segment.base_offset <= RELATIVE_OFFSET_MAX + 1
            if self._known.machine_stopped and is_near and end_offset not in self._gone:
                name = file_name(segment.base_offset, LOG_SUFFIX)
                return Ending(Kind.LOST_TAIL, f"{name} ends at offset {end_offset} since the crash")
            self._compare_ends(end_offset, next_base_offset)
        segment.finish()
        assert self._producers is not None
        self._producers.end_offset = next_base_offset
        # As rolling would have left it: a recovery that begins with the next segment needs it.
        write_snapshot(self._files, self._directory, self._producers)
        return None

    def _end(self, segment: Segment, ending: Ending, later: Sequence[int]) -> None:
        """Let the log end with what was read of *segment*, and set all else aside.

        First the segments after it, then its own rest, both durably; then it is truncated.  A crash
        in between leaves what can be found again: were the segment truncated first, those after it
        would follow a gap.
        """
        assert self._producers is not None
        end_offset = self._producers.end_offset
        log = self._entries[file_name(segment.base_offset, LOG_SUFFIX)]
        after, size, names = self._set_aside.segments(later)
        cut_size = log.size - segment.size
        is_preallocated = False
        if cut_size > 0 and is_zero(segment.file, segment.size, log.size):
            reason = f"{log.name} was made as long, and nothing was written from {segment.size} on"
            ending = Ending(Kind.LOST_TAIL, reason)
            is_preallocated = self._config.preallocates and not later
        elif cut_size > 0:
            # Half of a last batch may be given up: no consumer has seen it, and a broker that waits
            # for room cannot give any.
            spared_max = self._config.message_size_max if ending.is_torn else 0
            names += self._set_aside.tail(segment, log.size, ending.reason, spared_max)
        if names:
            self._files.sync_directory(self._directory)
        if cut_size > 0:
            self._cut_size += cut_size
            segment.cut(segment.size)
        segment.finish()
        if not is_preallocated:
            self._find(ending.kind, ending.reason, end_offset, after, size + cut_size, names)

    def snapshots(self) -> tuple[int, ...]:
        """Return the offsets of the snapshots that were there; some may have been removed since."""
        return offsets_in(self._entries)

    def _producers_up_to(self, offset: int, *, is_trusted: bool = False) -> ProducerState:
        """Return the producers up to *offset*; what snapshots say beyond it stays only if it is
        trusted
        """
        snapshots = self.snapshots()
        if is_trusted:
            snapshots = tuple(one for one in snapshots if one <= offset)
        return rebuilt_state(
            self._files,
            self._directory,
            snapshots,
            self.segments,
            offset,
            self._now_ms,
        )

    def settle(self) -> ProducerState:
        """Make start, end and epochs agree, and return the state of the producers."""
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
            bases = [segment.base_offset for segment in self.segments]
            _, size, names = self._set_aside.segments(bases)
            # A follower may have begun a log before its start, and have got no batch yet.
            if size > 0:
                reason = f"the log ends at {end_offset}, before its start"
                start_offset = self.log_start_offset
                self._find(Kind.LOST_TAIL, reason, start_offset, size=size, set_aside=names)
            self._begin(self.log_start_offset)
            end_offset = self.log_start_offset
        elif end_offset < self._known.recovery_point:
            reason = "they were durable once, and nothing is left of them"
            self._find(Kind.LOST_TAIL, reason, end_offset, self._known.recovery_point)
        elif end_offset < self._known.high_watermark and not any(
            finding.first_offset == end_offset for finding in self._findings
        ):
            reason = "they were committed once, and nothing is left of them"
            self._find(Kind.LOST_TAIL, reason, end_offset, self._known.high_watermark)
        self.log_start_offset = max(self.log_start_offset, self.segments[0].base_offset)
        assert self.log_start_offset <= end_offset, "a log does not start behind its end"
        self.epochs.truncate_from_end(end_offset)
        self.epochs.truncate_from_start(self.log_start_offset)
        if self._producers is None or self._producers.end_offset != end_offset:
            self._producers = self._producers_up_to(end_offset)
        return self._producers

    def _begin(self, offset: int) -> None:
        segment = Segment(self._files, self._directory, offset, self._config, self._now_ms)
        segment.create()
        self.segments = [segment]
        remove_snapshots(self._files, self._directory)
        self._producers = None
        self.has_new_names = True
