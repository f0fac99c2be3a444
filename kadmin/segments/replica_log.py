"""The log of one replica as rows, one per batch, and what is wrong with it by itself.

Records are read only of old compressed messages, whose headers lack their first offset, and of all
batches where that is asked for.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from cluster.formats.batch_walk import WINDOW_SIZE, Walk, WalkedBatch, first_header
from cluster.formats.checkpoints import LEADER_EPOCHS as EPOCHS
from cluster.formats.checkpoints import LOG_STARTS, EpochEntry
from cluster.formats.compression import UNPACKED_SIZE_MAX, unpacked
from cluster.formats.record_batch import CURRENT_MAGIC, BatchHeader, CorruptBatchError
from cluster.formats.records import Record, records_of
from kadmin.segments.index_mismatches import index_mismatches, txn_index_mismatches
from kadmin.segments.record_scan import are_sound
from kadmin.segments.transactions import InTransaction, is_of_transaction, kind_of
from kadmin.segments.values import (
    CHUNK_ROWS,
    ROW,
    Damage,
    DamageKind,
    FirstOffset,
    Rows,
    SegmentFiles,
)

OFFSET_MAX: Final = 2**63 - 2
"""One more is where the next record would go."""

BATCH_OFFSETS_MAX: Final = 2**20
"""A damaged header that claims more offsets is not believed."""

DEEP_WINDOW_SIZE: Final = 4 * WINDOW_SIZE
SCANNED_ROOM: Final = 8 * 1024**2
"""Batches are looked into together until they take so many bytes: more are no faster."""
RECORD_ROOM: Final = 128
"""Bytes that a record takes beside its content while it is looked at."""
ROOM_MAX: Final = 64 * 1024**2
"""A batch that takes more is looked into record by record."""

IDENTITY: Final = (
    *("base_offset", "last_offset", "leader_epoch", "crc", "record_count", "size", "magic"),
)
"""Two batches that have these in common are the same."""


@dataclass(slots=True, kw_only=True)
class ReplicaLog:
    """What a replica has: its rows in the order of offsets, and its damage."""

    segments: Sequence[SegmentFiles]
    rows: Rows
    """The valid batches that are where they belong, by offset."""
    log_start_offset: int
    log_end_offset: int
    high_watermark: int | None
    """As checkpointed; None where no checkpoint names the partition."""
    batch_count: int
    """All batches, those included that no row stands for."""
    damage: list[Damage] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(segment.log.size for segment in self.segments)

    def note_unreadable(self, row: np.void, reason: str) -> None:
        """Note that the records of a batch cannot be read, though its checksum is right."""
        found = damage_at(DamageKind.UNREADABLE_RECORDS, self.segments, row, reason)
        if found not in self.damage:
            self.damage.append(found)

    def records(self, row: np.void) -> Iterator[Record]:
        """Return the records of the batch of *row*.

        Raises:
            CorruptBatchError: they cannot be read.
        """
        log = self.segments[int(row["segment"])].log
        position, size = int(row["position"]), int(row["size"])
        header = first_header(log, position, log.size)
        if header is None or size > UNPACKED_SIZE_MAX:
            raise CorruptBatchError(position, f"a batch of {size} bytes is not read")
        yield from records_of(log.read(position, size), header)


def read_replica(
    segments: Iterable[SegmentFiles],
    *,
    high_watermark: int | None = None,
    log_start_offset: int | None = None,
    cleaned_offset: int = 0,
    is_deep: bool = False,
) -> ReplicaLog:
    """Read the *segments* of a replica, of which there has to be one.

    Offsets below *cleaned_offset* may be missing: compaction takes records away there.  With
    *is_deep* all records are read.  An OSError of a source is let out.
    """
    ordered = sorted(segments, key=lambda segment: segment.base_offset)
    return replica_of(
        ordered,
        [read_segment(each, is_last=each is ordered[-1], is_deep=is_deep) for each in ordered],
        high_watermark=high_watermark,
        log_start_offset=log_start_offset,
        cleaned_offset=cleaned_offset,
    )


def replica_of(
    ordered: Sequence[SegmentFiles],
    read: Iterable["ReadSegment"],
    *,
    high_watermark: int | None,
    log_start_offset: int | None,
    cleaned_offset: int,
    first_offset: FirstOffset | None = None,
    epochs: Sequence[EpochEntry] = (),
    being_deleted: int | None = None,
) -> ReplicaLog:
    """Return the replica with the segments *ordered* by offset, and what was *read* of each.

    It should begin at the *first_offset* or before, or where its *log_start_offset* is behind that,
    there, unless segments from *being_deleted* on are just being deleted.  What is missing before
    the log's start is no damage.  The *epochs* are those of its checkpoint, which was read first.
    """
    rows, damage, blind = gathered(ordered, read)
    placed, out_of_order = placed_rows(rows, ordered[0].base_offset)
    for row in rows[out_of_order]:
        damage.append(damage_at(DamageKind.OUT_OF_ORDER, ordered, row, "it is out of order"))
    end = log_end(rows, placed, out_of_order, ordered[-1].base_offset)
    missing = list(gaps(ordered, rows, placed, out_of_order, blind, cleaned_offset))
    if missing and is_start(log_start_offset, end, high_watermark):
        cleaned_offset = max(cleaned_offset, log_start_offset or 0)
        missing = list(gaps(ordered, rows, placed, out_of_order, blind, cleaned_offset))
    damage += missing
    ended = rows[placed]
    if not out_of_order:
        damage += misnamed(ordered, ended)
    has_damaged_end = len(rows) > (int(placed[-1]) + 1 if len(placed) else 0)
    if high_watermark is not None and end < high_watermark and not has_damaged_end:
        reason = f"the log ends at {end}, before its high watermark of {high_watermark}"
        kind = DamageKind.ENDS_BEFORE_HIGH_WATERMARK
        damage.append(Damage(kind, ordered[-1].name, ordered[-1].log.size, end, reason))
    damage += unknown_epochs(ended, epochs)
    damaged = {one.file for one in damage}
    for number, segment in enumerate(ordered):
        # The indexes of a damaged segment may well be right, and not fit it any more.
        if segment.name not in damaged:
            damage += index_mismatches(segment, ended[ended["segment"] == number])
    if not damaged:
        # With a batch less, what was open when a transaction was aborted is not known.
        damage += txn_index_mismatches(ordered, ended, high_watermark or 0, cleaned_offset)
    start = ordered[0].base_offset
    if log_start_offset is not None and not is_start(log_start_offset, end, high_watermark):
        reason = f"the log begins at {log_start_offset} by it, and ends at {end}"
        kind = DamageKind.CORRUPT_CHECKPOINT
        damage.append(Damage(kind, f"../{LOG_STARTS}", 0, log_start_offset, reason))
        log_start_offset = None
    lost = list(lost_at_the_start(ordered[0], first_offset, log_start_offset))
    damage += [one for one in lost if being_deleted is None or being_deleted > one.offset]
    return ReplicaLog(
        segments=ordered,
        rows=ended,
        log_start_offset=start if log_start_offset is None else max(start, log_start_offset),
        log_end_offset=end,
        high_watermark=high_watermark,
        batch_count=len(rows),
        damage=damage,
    )


def unknown_epochs(rows: Rows, epochs: Sequence[EpochEntry]) -> Iterator[Damage]:
    """Return the first batch whose leader epoch is none of the *epochs*, though they have a later
    one; a log that changed its format has epochs from then on."""
    if not epochs:
        return
    known = [each.leader_epoch for each in epochs]
    of_rows = rows["leader_epoch"]
    is_unknown = (of_rows >= 0) & (of_rows < known[-1]) & ~np.isin(of_rows, known)
    is_unknown &= rows["base_offset"] >= epochs[0].start_offset
    for row in rows[is_unknown][:1]:
        offset = int(row["base_offset"])
        reason = f"it lacks leader epoch {row['leader_epoch']}, of the batch at offset {offset}"
        yield Damage(DamageKind.CORRUPT_CHECKPOINT, EPOCHS, 0, offset, reason)


def cleaned_end(segments: Iterable[SegmentFiles], cleaned_offset: int) -> int:
    """Return below which offset the cleaner of a replica has taken records away.

    Where it has no room for more keys it stops amid a segment, at *cleaned_offset*; up to the end
    of that segment it takes away what was aborted, and old tombstones.
    """
    if cleaned_offset == 0:
        return 0
    bases = (each.base_offset for each in segments if each.base_offset >= cleaned_offset)
    return min(bases, default=cleaned_offset)


def gathered(
    ordered: Sequence[SegmentFiles], read: Iterable["ReadSegment"]
) -> tuple[Rows, list[Damage], list[tuple[int, int]]]:
    """Return the rows of all segments, the damage found in them, and the ranges of offsets of which
    nothing is known since the bytes are damaged."""
    damage: list[Damage] = []
    blind: list[tuple[int, int]] = []
    chunks: list[Rows] = []
    for number, (segment, (rows, found)) in enumerate(zip(ordered, read, strict=True)):
        if any(one.kind in (DamageKind.NO_BATCH, DamageKind.TORN_TAIL) for one in found):
            start = int(rows["last_offset"].max(initial=segment.base_offset - 1)) + 1
            is_last = number == len(ordered) - 1
            blind.append((start, 2**63 if is_last else ordered[number + 1].base_offset))
        rows["segment"] = number
        chunks.append(rows)
        damage += found
    return np.concatenate(chunks), damage, blind


def is_start(log_start_offset: int | None, end: int, high_watermark: int | None) -> bool:
    """Return whether a log that ends there can start at *log_start_offset*, as a
    checkpoint has it."""
    return log_start_offset is not None and log_start_offset <= max(end, high_watermark or 0)


def lost_at_the_start(
    first: SegmentFiles, first_offset: FirstOffset | None, log_start_offset: int | None
) -> Iterator[Damage]:
    """Return what is missing before the *first* segment, though retention has not taken it.

    That raises what the files say; where they do not agree, one of them is older.  Only where they
    say nothing a snapshot counts: it is of an offset that the log had, and not where it begins.
    """
    said = [] if first_offset is None else [first_offset]
    if log_start_offset is not None:
        said = [each for each in said if each.file == EPOCHS]
        said.append(FirstOffset(log_start_offset, LOG_STARTS))
    newest = max(said, default=None)
    if newest is not None and newest.offset < first.base_offset:
        offset, file = newest
        reason = f"offsets {offset} to {first.base_offset - 1}, which {file} names, are missing"
        yield Damage(DamageKind.OFFSET_GAP, first.name, 0, offset, f"{reason} before it")


class ReadSegment(NamedTuple):
    """A row for each batch of a segment, valid or not, in their order, and what is wrong there."""

    rows: Rows
    damage: list[Damage]


def read_segment(segment: SegmentFiles, *, is_last: bool, is_deep: bool) -> ReadSegment:
    """Read a segment; *is_last* if it is the last one of the replica."""
    chunks = list(segment_chunks(segment, is_last=is_last, is_deep=is_deep))
    return ReadSegment(
        np.concatenate([np.empty(0, ROW), *(rows for rows, _ in chunks)]),
        [one for _, damage in chunks for one in damage],
    )


def deepened(
    segment: SegmentFiles, read: ReadSegment, sound: Rows, *, is_last: bool
) -> ReadSegment:
    """Return what was *read* of a segment by its headers, with a look at all records.

    But at those of batches that are among the *sound* ones of another replica, by offset: equal
    checksums of undamaged batches say that what is in them is equal, too.
    """
    rows = read.rows
    unknown = np.flatnonzero(rows["is_valid"] & ~are_among(rows, sound))
    if not len(unknown):
        return read
    rows = rows.copy()
    damage = list(read.damage)
    for run in np.split(unknown, np.flatnonzero(np.diff(unknown) > 1) + 1):
        begin, last = int(rows["position"][run[0]]), rows[run[-1]]
        end = int(last["position"]) + int(last["size"])
        chunks = segment_chunks(segment, is_last=is_last, is_deep=True, begin=begin, end=end)
        at = int(run[0])
        for found, wrong in chunks:
            rows[at : at + len(found)] = found
            damage += wrong
            at += len(found)
    return ReadSegment(rows, sorted(damage, key=lambda one: one.position))


def are_among(rows: Rows, others: Rows) -> npt.NDArray[np.bool_]:
    """Return which of *rows* are the same as one of the *others*, whose offsets rise."""
    if not len(others):
        return np.zeros(len(rows), np.bool_)
    at = np.searchsorted(others["base_offset"], rows["base_offset"])
    at = np.minimum(at, len(others) - 1)
    is_same = np.ones(len(rows), np.bool_)
    for name in IDENTITY:
        is_same &= rows[name] == others[name][at]
    return is_same


def segment_chunks(
    segment: SegmentFiles,
    *,
    is_last: bool,
    is_deep: bool,
    begin: int = 0,
    end: int | None = None,
) -> Iterator[ReadSegment]:
    """Return the batches of a segment from the byte *begin* up to *end*, some at a time.

    A batch that *end* cuts off is damage, as one that the end of the file does.  An OSError of a
    source is let out.
    """
    damage: list[Damage] = []
    gathered: list[tuple[object, ...]] = []
    next_offset = segment.base_offset
    window_size = DEEP_WINDOW_SIZE if is_deep else WINDOW_SIZE
    size = segment.log.size
    end = size if end is None else min(end, size)
    walk = Walk(segment.log, end, position=begin, window_size=window_size)
    for (position, header, is_valid), span, reason, kind in looked_into(walk, is_deep=is_deep):
        base_offset, count = span
        last_offset = header.last_offset
        if not is_valid:
            wrong, reason = DamageKind.WRONG_CHECKSUM, "its checksum is wrong"
        else:
            wrong = DamageKind.UNREADABLE_RECORDS
        if last_offset > OFFSET_MAX:
            # No checksum covers the base offset.
            reason = reason or f"its last offset is {last_offset}, which no log can have"
            base_offset, last_offset = min(base_offset, OFFSET_MAX), OFFSET_MAX
        if reason is None:
            next_offset = header.next_offset
        else:
            damage.append(Damage(wrong, segment.name, position, base_offset, reason))
        gathered.append(
            (
                *(base_offset, last_offset, header.leader_epoch, header.crc, count),
                *(header.size, header.magic, header.max_timestamp, 0, position),
                *(reason is None, header.producer_id, kind),
            )
        )
        if len(gathered) >= CHUNK_ROWS:
            yield ReadSegment(np.array(gathered, ROW), damage)
            gathered, damage = [], []
    tail = walk.tail
    if tail.size > 0:
        is_torn = tail.is_torn and is_last
        wrong = DamageKind.TORN_TAIL if is_torn else DamageKind.NO_BATCH
        damage.append(Damage(wrong, segment.name, tail.position, next_offset, tail.reason))
    yield ReadSegment(np.array(gathered, ROW), damage)


class LookedInto(NamedTuple):
    """A batch, its first offset and how many records it has; why these cannot be read, or None."""

    batch: WalkedBatch
    span: tuple[int, int]
    reason: str | None
    kind: InTransaction = InTransaction.NOTHING


def looked_into(walk: Walk, *, is_deep: bool) -> Iterator[LookedInto]:
    """Return the batches of *walk*; all of their records are read if it *is_deep*."""
    waiting: list[WalkedBatch] = []
    kinds: dict[int, InTransaction] = {}
    contents: list[bytes] = []
    bodies: list[memoryview] = []
    room = 0

    def together() -> Iterator[LookedInto]:
        sound = are_sound(bodies, [batch.header for batch in waiting])
        for batch, content, is_sound in zip(waiting, contents, sound, strict=True):
            yield by_header(batch) if is_sound else one_by_one(batch, content)

    def with_kind(looked: LookedInto) -> LookedInto:
        kind = kinds.pop(looked.batch.position, None)
        return looked if kind is None else looked._replace(kind=kind)

    for batch in walk:
        header = batch.header
        if is_of_transaction(header) and batch.is_valid:
            marker = walk.content(batch) if header.is_control else b""
            kinds[batch.position] = kind_of(header, marker)
        is_wanted = is_deep or (header.magic < CURRENT_MAGIC and header.codec != 0)
        is_wanted = is_wanted and batch.is_valid
        content = walk.content(batch) if is_wanted and header.size <= UNPACKED_SIZE_MAX else None
        body = None if content is None else scannable(content, header)
        if content is not None and body is not None:
            waiting.append(batch)
            contents.append(content)
            bodies.append(body)
            room += len(content) + len(body) + RECORD_ROOM * header.record_count
            if room < SCANNED_ROOM:
                continue
        yield from map(with_kind, together())
        waiting, contents, bodies, room = [], [], [], 0
        if body is None:
            yield with_kind(one_by_one(batch, content) if is_wanted else by_header(batch))
    yield from map(with_kind, together())


def by_header(batch: WalkedBatch) -> LookedInto:
    return LookedInto(batch, (batch.header.base_offset, batch.header.record_count), None)


def one_by_one(batch: WalkedBatch, content: bytes | None) -> LookedInto:
    """Read each record of a batch; there is no content of one that is too large for that."""
    try:
        if content is None:
            raise CorruptBatchError(0, f"a batch of {batch.header.size} bytes is not read")
        return LookedInto(batch, span_of(content, batch.header), None)
    except CorruptBatchError as error:
        return by_header(batch)._replace(reason=error.reason)


def scannable(content: bytes, header: BatchHeader) -> memoryview | None:
    """Return the records of a batch for `are_sound`; None where they are better read one by one.

    Larger batches would take more room, without being faster; batches that cannot be unpacked are
    reported when they are read one by one.
    """
    if header.magic != CURRENT_MAGIC or header.size + RECORD_ROOM * header.record_count > ROOM_MAX:
        return None
    try:
        return memoryview(unpacked(content, header.codec, ROOM_MAX))
    except (CorruptBatchError, struct.error):
        return None


def span_of(content: bytes, header: BatchHeader) -> tuple[int, int]:
    """Return the first offset of a batch and how many records it has, all of them read.

    Raises:
        CorruptBatchError: they cannot be read, or do not agree with the header.
    """
    records = [(each.offset, each.is_valid) for each in records_of(content, header)]
    offsets = [offset for offset, _ in records]
    broken = next((offset for offset, is_valid in records if not is_valid), None)
    if broken is not None:
        raise CorruptBatchError(0, f"the checksum of the record at {broken} is wrong")
    is_current = header.magic == CURRENT_MAGIC
    rises = all(before < after for before, after in pairwise(offsets))
    if offsets and is_current:
        fits = header.base_offset <= offsets[0] and offsets[-1] <= header.last_offset
    else:
        fits = is_current or offsets[-1] == header.last_offset
    if not (rises and fits):
        raise CorruptBatchError(0, f"records of {offsets[0]} to {offsets[-1]} in it")
    return (header.base_offset, header.record_count) if is_current else (offsets[0], len(offsets))


def placed_rows(rows: Rows, base_offset: int) -> tuple[npt.NDArray[np.intp], list[int]]:
    """Return the numbers of the valid rows whose offsets rise, and of those that are out of order.

    None is placed before *base_offset*, that of the first segment.
    """
    valid = np.flatnonzero(rows["is_valid"])
    base, last = rows["base_offset"][valid], rows["last_offset"][valid]
    if len(valid) and rows["magic"][valid[0]] < CURRENT_MAGIC and base[0] < base_offset <= last[0]:
        # A follower calls its first segment by its start, which may lie within a batch of old.
        base_offset = int(base[0])
    if bool(np.all(last[:-1] < base[1:]) and np.all(base[:1] >= base_offset)):
        return valid, []
    placed: list[int] = []
    out_of_order: list[int] = []
    end = base_offset - 1
    for at, number in enumerate(valid.tolist()):
        goes_back = int(base[at]) <= end
        # Unless it goes on where the last one ended, rather this one is wrong than those behind.
        continues = int(base[at]) == end + 1
        leaps = at + 1 < len(valid) and end < int(base[at + 1]) <= int(last[at]) and not continues
        if goes_back or leaps:
            out_of_order.append(number)
        else:
            placed.append(number)
            end = int(last[at])
    return np.array(placed, np.intp), out_of_order


def log_end(
    rows: Rows, placed: npt.NDArray[np.intp], out_of_order: Sequence[int], base_offset: int
) -> int:
    """Return the offset behind the last batch, be that one damaged; *base_offset* of the last
    segment."""
    last = int(placed[-1]) if len(placed) else -1
    end = int(rows["last_offset"][last]) + 1 if len(placed) else base_offset
    for row in rows[sorted({*out_of_order, *range(last + 1, len(rows))})]:
        if int(row["base_offset"]) == end <= int(row["last_offset"]) < end + BATCH_OFFSETS_MAX:
            end = int(row["last_offset"]) + 1
    return max(end, base_offset)


def gaps(
    segments: Sequence[SegmentFiles],
    rows: Rows,
    placed: npt.NDArray[np.intp],
    out_of_order: Sequence[int],
    blind: Sequence[tuple[int, int]],
    cleaned_offset: int,
) -> Iterator[Damage]:
    """Return the offsets that nothing stands for: no batch, nor one that is damaged or out of
    order."""
    in_place = rows[placed]
    base, last = in_place["base_offset"], in_place["last_offset"]
    expected = np.concatenate([[segments[0].base_offset], last + 1])[: len(base)]
    for at in np.flatnonzero(base > expected).tolist():
        start, end = int(expected[at]), int(base[at])
        before = int(placed[at - 1]) if at > 0 else -1
        between = rows[before + 1 : int(placed[at])]
        is_explained = len(between) > 0 or any(
            int(rows["base_offset"][number]) <= start
            and end <= int(rows["last_offset"][number]) + 1
            for number in out_of_order
        )
        is_blind = any(first <= start and end <= behind for first, behind in blind)
        if end > cleaned_offset and not is_explained and not is_blind:
            reason = f"offsets {max(start, cleaned_offset)} to {end - 1} are missing before it"
            yield damage_at(DamageKind.OFFSET_GAP, segments, in_place[at], reason)
    # A segment that is missing at the end of what has batches, before those that have none.
    end = int(last[-1]) + 1 if len(last) else segments[0].base_offset
    behind = segments[-1].base_offset
    is_explained = len(rows) > (int(placed[-1]) + 1 if len(placed) else 0)
    is_blind = any(first <= end and behind <= until for first, until in blind)
    if end < behind and behind > cleaned_offset and not is_explained and not is_blind:
        reason = f"offsets {end} to {behind - 1} are missing before it"
        yield Damage(DamageKind.OFFSET_GAP, segments[-1].name, 0, end, reason)


def misnamed(segments: Sequence[SegmentFiles], rows: Rows) -> Iterator[Damage]:
    """Return the segments behind the first one whose names do not fit what is in them, given the
    *rows* in order: brokers look for an offset by the names alone."""
    firsts = np.searchsorted(rows["segment"], np.arange(len(segments)))
    for number, segment in enumerate(segments[1:], start=1):
        at = int(firsts[number])
        own = rows[at : at + 1]
        before = int(rows["last_offset"][at - 1]) if at > 0 else -1
        if len(own) and own["segment"][0] == number and own["base_offset"][0] < segment.base_offset:
            reason = "it is before the offset that its segment is called by"
            yield damage_at(DamageKind.OUT_OF_ORDER, segments, own[0], reason)
        elif before >= segment.base_offset:
            reason = f"the segment before it ends with offset {before}, not before its name"
            kind = DamageKind.OUT_OF_ORDER
            yield Damage(kind, segment.name, 0, segment.base_offset, reason)


def damage_at(
    kind: DamageKind, segments: Sequence[SegmentFiles], row: np.void, reason: str
) -> Damage:
    name = segments[int(row["segment"])].name
    return Damage(kind, name, int(row["position"]), int(row["base_offset"]), reason)
