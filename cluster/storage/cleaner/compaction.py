"""Compaction of records: of each key, which record is the last, and what is left of the others.

Two passes over batches, as bytes: `index` those of the dirty part of a log, until it ends or the
offset map is full; then `clean` all of the log up to there.  Knows no files.

What is kept (`tests/cluster/storage/cleaner/test_model.py` holds it to that):

* every record at or behind `end_offset`, whatever it is;
* of each key the last record before that, unless it is a tombstone whose time is over;
* the last batch of each producer that may go on, and the last batch of all: without records, if
  none of them is kept, since their sequences and offsets are needed;
* the marker of a transaction as long as there are batches of it, and then as long as a tombstone.

Source: Kafka's LogCleaner.
"""

from collections.abc import Mapping, Sequence
from itertools import compress
from operator import ge, or_
from typing import Final, NamedTuple, Protocol

from cluster.formats.compression import UNPACKED_SIZE_MAX, unpacked
from cluster.formats.indexes import AbortedTxn
from cluster.formats.producer_snapshot import Producer
from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    NO_PRODUCER_ID,
    BatchHeader,
    Buffer,
    CorruptBatchError,
    checksum_matches,
    whole_batches,
)
from cluster.formats.record_columns import RecordColumns, record_columns
from cluster.storage.cleaner.batches import LegacyMessage, batch_of, empty_batch
from cluster.storage.cleaner.offset_map import NOT_FOUND, SLOT_SIZE, OffsetMap
from cluster.storage.cleaner.transactions import Transactions

NOTHING_INDEXED: Final = -1


class CompactionRules(NamedTuple):
    """How the records of one log are compacted."""

    first_dirty_offset: int
    """Before it no key occurs twice."""
    map_size: int
    """Bytes for the table of the offset map."""
    map_latest_size: int
    """Bytes for the latest keys of the offset map."""
    map_load_factor: float
    """The largest part of the table's slots that is filled with keys."""
    wall_ms: int
    delete_retention_ms: int
    """How long a tombstone stays, from the first cleaning that reads it."""
    aborted: tuple[AbortedTxn, ...]
    """All transactions of the log that were aborted."""
    producers: tuple[Producer, ...]
    """Producers that may send more."""


class Cleaned(NamedTuple):
    """What remains of some batches."""

    content: bytes
    aborted: tuple[AbortedTxn, ...]
    """The transactions whose markers are among them, and still needed."""


class CompactionLost(Exception):
    """What was compacting, in a process of its own, is gone."""


class Compactor(Protocol):
    """One compaction of one log, here (`Compaction`) or in another process.

    Each method but `close` may raise CompactionLost where it is in another process.
    """

    @property
    def end_offset(self) -> int: ...

    def index(self, content: Buffer) -> bool: ...

    def skip_to(self, offset: int) -> None: ...

    def begin_cleaning(self) -> None: ...

    def clean(self, content: Buffer, *, keeps_legacy_tombstones: bool) -> Cleaned: ...

    def end_segment(self) -> Cleaned: ...

    def close(self) -> None: ...


class Compaction:
    """One compaction of one log."""

    def __init__(self, rules: CompactionRules) -> None:
        self._rules = rules
        slot_count = max(rules.map_size // SLOT_SIZE, 2)
        self._map = OffsetMap(slot_count, rules.map_latest_size)
        self._keys_max = min(max(int(slot_count * rules.map_load_factor), 1), slot_count - 1)
        # Those that ended before have no batches in what follows.
        self._transactions = Transactions(
            entry for entry in rules.aborted if entry.last_offset >= rules.first_dirty_offset
        )
        self._indexed = NOTHING_INDEXED
        """The last offset that has been indexed."""
        self._has_strays = False
        """Whether a batch has a record with an offset that its header does not have."""
        self._last_dropped: BatchHeader | None = None
        self._last_batches = last_batches(rules.producers)

    @property
    def end_offset(self) -> int:
        """Return up to where the log will be clean."""
        return max(self._indexed + 1, self._rules.first_dirty_offset)

    def close(self) -> None:
        """Return the memory of the offset map; nothing else may be called then."""
        self._map.close()

    # First pass.

    def index(self, content: Buffer) -> bool:
        """Note the keys in whole batches; False where there is no room for more.

        Raises:
            CorruptBatchError: with the position in *content*, at a batch that is damaged.
        """
        for batch, header, position in checked_batches(content):
            if not self._index_batch(batch, header, position):
                return False
            if header.last_offset >= self._rules.first_dirty_offset:
                self._indexed = max(self._indexed, header.last_offset)
        return True

    def skip_to(self, offset: int) -> None:
        """Note that there are no more records before *offset*."""
        self._indexed = max(self._indexed, offset - 1)

    def _index_batch(self, batch: memoryview, header: BatchHeader, position: int) -> bool:
        if self._transactions.is_useless(header, batch) or header.is_control:
            return True
        offsets, keys = keys_from(self._rules.first_dirty_offset, batch, header, position)
        if self._map.size_max + len(keys) > self._keys_max:
            if self._indexed == NOTHING_INDEXED:
                # One batch has to fit: without it the log would never get clean.
                assert self._map.size == 0
                self._map.close()
                self._map = OffsetMap(2 * len(keys) + 2, self._rules.map_latest_size)
            elif self._map.size + len(keys) > self._keys_max and not self._fit(keys):
                return False
        self._map.put(keys, offsets)
        if keys and (min(offsets) < header.base_offset or max(offsets) > header.last_offset):
            self._has_strays = True
        return True

    def _fit(self, keys: Sequence[bytes]) -> bool:
        """Return whether there is room for those of *keys* that are new."""
        new = self._map.get(list(set(keys))).count(NOT_FOUND)
        return self._map.size + new <= self._keys_max

    # Second pass.

    def begin_cleaning(self) -> None:
        """Start again from the beginning of the log: the batches of all segments before the end
        offset.
        """
        self._transactions = Transactions(self._rules.aborted)

    def clean(self, content: Buffer, *, keeps_legacy_tombstones: bool) -> Cleaned:
        """Return what remains of *content*, whole batches one after the other.

        Tombstones of magic 0 and 1 have no time of their own: *keeps_legacy_tombstones* decides
        whether they are kept.

        Raises:
            CorruptBatchError: with the position in *content*, at a batch that is damaged.
        """
        kept: list[Buffer] = []
        for batch, header, position in checked_batches(content):
            left = self._left_of(batch, header, position, keeps_legacy_tombstones)
            self._last_dropped = header if left is None else None
            if left is not None:
                kept.append(left)
        return self._cleaned(kept)

    def end_segment(self) -> Cleaned:
        """Return what has to end a new segment, so that its last offset is known.

        Messages of magic 0 and 1 cannot be empty: after these, offsets are missing.
        """
        last, self._last_dropped = self._last_dropped, None
        if last is None or last.magic != CURRENT_MAGIC:
            return self._cleaned([])
        return self._cleaned([empty_batch(last)])

    def _cleaned(self, kept: Sequence[Buffer]) -> Cleaned:
        content = b"".join(kept)
        aborted = tuple(self._transactions.retained)
        self._transactions.retained.clear()
        return Cleaned(content, aborted)

    def _left_of(
        self, batch: memoryview, header: BatchHeader, position: int, keeps_legacy_tombstones: bool
    ) -> Buffer | None:
        """Return what is left of one batch; None for nothing."""
        if header.magic != CURRENT_MAGIC:
            return self._left_of_legacy(batch, header, position, keeps_legacy_tombstones)
        is_useless = self._transactions.is_useless(header, batch)
        if header.is_control:
            left = self._left_of_marker(batch, header, is_useless)
        else:
            left = None if is_useless else self._left_of_records(batch, header, position)
        if left is None and self._is_last_of_producer(header):
            return empty_batch(header)
        return left

    def _is_over(self, header: BatchHeader) -> bool:
        """Return whether tombstones in the batch have been there for as long as they have to."""
        return header.has_delete_horizon and header.base_timestamp <= self._rules.wall_ms

    @property
    def _horizon_ms(self) -> int:
        return self._rules.wall_ms + self._rules.delete_retention_ms

    def _left_of_marker(
        self, batch: memoryview, header: BatchHeader, is_useless: bool
    ) -> Buffer | None:
        if header.record_count == 0 or (is_useless and self._is_over(header)):
            return None
        if not is_useless or header.has_delete_horizon:
            return batch
        body, columns = columns_of(batch, header, 0)
        return batch_of(header, body, columns, range(header.record_count), self._horizon_ms)

    def _left_of_records(
        self, batch: memoryview, header: BatchHeader, position: int
    ) -> Buffer | None:
        if (
            self._rules.first_dirty_offset <= header.base_offset
            and header.last_offset <= self._indexed
            and not self._has_strays
            and not self._map.may_have_between(header.base_offset, header.last_offset)
        ):
            # Most batches of a log whose keys come again and again: it has been read already.
            return None
        body, columns = columns_of(batch, header, position)
        offsets = offsets_of(header, columns)
        is_kept = list(map(ge, offsets, self._map.get(columns.keys)))
        for number in columns.keyless:
            is_kept[number] = False
        tombstones = columns.tombstones
        if self._indexed < max(offsets, default=NOT_FOUND):
            is_behind = [offset > self._indexed for offset in offsets]
            is_kept = list(map(or_, is_kept, is_behind))
            # The values which they delete are still there: Kafka begins their time early.
            tombstones = [number for number in tombstones if not is_behind[number]]
        if tombstones and self._is_over(header):
            for number in tombstones:
                is_kept[number] = False
            tombstones = []
        if not any(is_kept):
            return None
        horizon_ms = None
        if not header.has_delete_horizon and any(is_kept[number] for number in tombstones):
            horizon_ms = self._horizon_ms
        elif all(is_kept):
            return batch
        kept = list(compress(range(header.record_count), is_kept))
        return batch_of(header, body, columns, kept, horizon_ms)

    def _left_of_legacy(
        self, batch: memoryview, header: BatchHeader, position: int, keeps_tombstones: bool
    ) -> Buffer | None:
        try:
            message = LegacyMessage(bytes(batch), header)
            kept = [
                number
                for number, offset in enumerate(message.offsets)
                if self._keeps_legacy(offset, *message.key_and_value(number), keeps_tombstones)
            ]
            if len(kept) == len(message.offsets):
                return batch
            return message.with_only(kept) if kept else None
        except CorruptBatchError as error:
            raise CorruptBatchError(position, error.reason) from error

    def _keeps_legacy(
        self, offset: int, key: bytes | None, has_value: bool, keeps_tombstones: bool
    ) -> bool:
        if offset > self._indexed:
            return True
        is_last = key is not None and offset >= self._map.get([key])[0]
        return is_last and (has_value or keeps_tombstones)

    def _is_last_of_producer(self, header: BatchHeader) -> bool:
        """Return whether the batch has the last sequence number of its producer."""
        if header.producer_id == NO_PRODUCER_ID:
            return False
        last_offset, epoch = self._last_batches.get(header.producer_id, (None, None))
        if last_offset is not None:
            return header.last_offset == last_offset
        return header.is_control and header.producer_epoch == epoch


def last_batches(producers: tuple[Producer, ...]) -> Mapping[int, tuple[int | None, int]]:
    """Return by producer the last offset of its last batch, None behind a mere marker, and its
    epoch.
    """
    return {
        one.producer_id: (one.batches[-1].last_offset if one.batches else None, one.epoch)
        for one in producers
    }


class CheckedBatch(NamedTuple):
    """A whole batch, and the byte at which it begins in its buffer."""

    batch: memoryview
    header: BatchHeader
    position: int


def checked_batches(content: Buffer) -> list[CheckedBatch]:
    """Return the batches of *content*, which are whole.

    Raises:
        CorruptBatchError: one is damaged.
    """
    view = memoryview(content)
    found = []
    for position, header in whole_batches(content):
        if not checksum_matches(content, header, position):
            raise CorruptBatchError(position, "its checksum is wrong")
        found.append(CheckedBatch(view[position : position + header.size], header, position))
    return found


def columns_of(
    batch: memoryview, header: BatchHeader, position: int
) -> tuple[bytes, RecordColumns]:
    """Return the unpacked body of a batch of magic 2, and its records."""
    try:
        body = bytes(unpacked(batch, header.codec, UNPACKED_SIZE_MAX))
        return body, record_columns(body, header.record_count)
    except CorruptBatchError as error:
        raise CorruptBatchError(position, error.reason) from error


def offsets_of(header: BatchHeader, columns: RecordColumns) -> list[int]:
    base_offset = header.base_offset
    return [base_offset + delta for delta in columns.offset_deltas]


def keys_from(
    first_offset: int, batch: memoryview, header: BatchHeader, position: int
) -> tuple[list[int], list[bytes]]:
    """Return the offsets and the keys of the records that have one, from *first_offset* on."""
    if header.magic == CURRENT_MAGIC:
        _, columns = columns_of(batch, header, position)
        offsets, keys, keyless = offsets_of(header, columns), columns.keys, columns.keyless
    else:
        try:
            message = LegacyMessage(bytes(batch), header)
            numbers = range(len(message.offsets))
            found = [message.key_and_value(number)[0] for number in numbers]
        except CorruptBatchError as error:
            raise CorruptBatchError(position, error.reason) from error
        offsets, keys = message.offsets, [key or b"" for key in found]
        keyless = [number for number, key in enumerate(found) if key is None]
    if not keyless and min(offsets, default=first_offset) >= first_offset:
        return offsets, keys
    left_out = set(keyless)
    numbers_kept = [
        number
        for number, offset in enumerate(offsets)
        if offset >= first_offset and number not in left_out
    ]
    return [offsets[number] for number in numbers_kept], [keys[number] for number in numbers_kept]
