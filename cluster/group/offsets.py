"""The offsets of a group: committed ones, and those that are being appended.

An offset counts once its record is replicated.  Commits of one partition may be answered by the log
in another order than they were appended: the one with the higher offset in the log wins, as it does
when the log is loaded.

Source: Kafka's GroupMetadata, which forgets a commit when a later one of the same partition fails
before it; here each commit is pending by itself.
"""

from collections.abc import Callable, Collection, Mapping
from itertools import chain
from typing import Final, TypeAlias

from cluster.group.answers import FetchedOffset
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import NO_TIMESTAMP, OffsetCommitValue, PlainOffsets
from cluster.model.ids import TopicPartition

Values: TypeAlias = Mapping[TopicPartition, OffsetCommitValue]

NOTHING_COMMITTED = FetchedOffset()
NOWHERE: Final = -1
"""Before all offsets of a log."""
UNSTABLE = FetchedOffset(error=ErrorCode.UNSTABLE_OFFSET_COMMIT)
PLAIN_MAX: Final = 8
"""How many sets of partitions may have offsets that have not been looked at one by one."""


class LoggedOffsets:
    """Offsets by topic and partition, and the base offset in the log of the batch that has each."""

    __slots__ = ("_latest", "_log_offsets", "_plain", "_values")

    def __init__(self) -> None:
        self._values: dict[TopicPartition, OffsetCommitValue] = {}
        self._log_offsets: dict[TopicPartition, int] = {}
        self._plain: dict[object, tuple[int, PlainOffsets]] = {}
        """By partitions, in the order of the log, what the other two do not have yet."""
        self._latest = NOWHERE

    def __bool__(self) -> bool:
        return bool(self._plain or self._values)

    @property
    def values(self) -> Mapping[TopicPartition, OffsetCommitValue]:
        return self._settled()

    def _settled(self) -> dict[TopicPartition, OffsetCommitValue]:
        for log_offset, plain in self._plain.values():
            self._update(log_offset, plain.by_partition())
        self._plain.clear()
        return self._values

    def _update(self, log_offset: int, values: Values) -> None:
        self._values.update(values)
        self._log_offsets.update(dict.fromkeys(values, log_offset))

    def put(self, log_offset: int, partition: TopicPartition, value: OffsetCommitValue) -> None:
        """Take an offset of the batch at *log_offset*, the latest of all, of which others came by
        this as well.
        """
        self._latest = log_offset
        self._values[partition] = value
        self._log_offsets[partition] = log_offset

    def add(self, log_offset: int, values: Values) -> None:
        """Add *values* of the batch at *log_offset*, but for partitions with a later one."""
        if log_offset > self._latest:
            # Nearly always batches come in order.
            self._latest = log_offset
            if isinstance(values, PlainOffsets):
                # Behind those that were there: the order is that of the log.
                self._plain.pop(values.topics, None)
                self._plain[values.topics] = log_offset, values
                if len(self._plain) > PLAIN_MAX:
                    self._settled()
                return
            self._settled()
            self._update(log_offset, values)
            return
        self._settled()
        for partition, value in values.items():
            self._add_one(partition, log_offset, value)

    def add_all(self, others: "LoggedOffsets") -> None:
        """Add what *others* have, but for partitions with a later one."""
        self._settled()
        for partition, value in others.values.items():
            self._add_one(partition, others._log_offsets[partition], value)

    def _add_one(
        self, partition: TopicPartition, log_offset: int, value: OffsetCommitValue
    ) -> None:
        if self._log_offsets.get(partition, NOWHERE) < log_offset:
            self._latest = max(self._latest, log_offset)
            self._values[partition] = value
            self._log_offsets[partition] = log_offset

    def remove(self, partition: TopicPartition) -> None:
        if self._settled().pop(partition, None) is not None:
            del self._log_offsets[partition]


class GroupOffsets:
    """The offsets of one group, by topic and partition."""

    __slots__ = ("_committed", "_pending", "_transactional")

    def __init__(self) -> None:
        self._committed = LoggedOffsets()
        self._pending: dict[int, Values] = {}
        """By the ids of the appends that have not been answered yet, what they are to commit."""
        self._transactional: dict[int, LoggedOffsets] = {}
        """By producer, what its open transaction has in the log."""

    @property
    def is_empty(self) -> bool:
        """Return whether there are no offsets, and none is being appended."""
        return not (self._committed or self._pending or self._transactional)

    @property
    def committed(self) -> Values:
        return self._committed.values

    def fetch(self, partition: TopicPartition, *, requires_stable: bool) -> FetchedOffset:
        """Return what OffsetFetch answers for *partition*."""
        if requires_stable and self._is_unstable(partition):
            return UNSTABLE
        committed = self._committed.values.get(partition)
        return NOTHING_COMMITTED if committed is None else FetchedOffset(*committed[:3])

    def _is_unstable(self, partition: TopicPartition) -> bool:
        held = (one.values for one in self._transactional.values())
        return any(partition in offsets for offsets in chain(self._pending.values(), held))

    def load(self, committed: LoggedOffsets) -> None:
        """Take the offsets of the log."""
        self._committed = committed

    def load_transactional(self, producer_id: int, held: LoggedOffsets) -> None:
        """Take the offsets of a transaction that is open in the log."""
        self._transactional[producer_id] = held

    # Commits.

    def begin(self, append_id: int, values: Values) -> None:
        """Note that the append *append_id* is to commit *values*."""
        self._pending[append_id] = values

    def complete(self, append_id: int, log_offset: int) -> None:
        """Commit the values of an append, but for partitions whose offsets were deleted since."""
        self._committed.add(log_offset, self._pending.pop(append_id, {}))

    def commit(self, log_offset: int, values: Values) -> None:
        """Commit *values*, which are in the log already."""
        self._committed.add(log_offset, values)

    def fail(self, append_id: int) -> None:
        self._pending.pop(append_id, None)

    # Commits of transactions.

    def hold(self, producer_id: int, append_id: int, log_offset: int) -> None:
        """Keep the values of an append, which are in the log, until the producer's transaction
        ends."""
        values = self._pending.pop(append_id, {})
        if values:
            self._transactional.setdefault(producer_id, LoggedOffsets()).add(log_offset, values)

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """Commit the offsets of the producer's transaction, or drop them."""
        held = self._transactional.pop(producer_id, None)
        if held is not None and is_commit:
            self._committed.add_all(held)

    # Removal.

    def remove_all(self) -> tuple[TopicPartition, ...]:
        """Drop everything; return the partitions that the log may have offsets of."""
        return self.remove(tuple({**self.committed, **self._pending_values()}))

    def remove(self, partitions: Collection[TopicPartition]) -> tuple[TopicPartition, ...]:
        """Drop the offsets of *partitions*; return those that the log may have offsets of.

        A pending commit is before the tombstone in the log, and must not come back.
        """
        for producer_id, held in tuple(self._transactional.items()):
            for partition in partitions:
                held.remove(partition)
            if not held:
                del self._transactional[producer_id]
        pending = self._pending_values()
        removed = tuple(one for one in partitions if one in pending or one in self.committed)
        for partition in removed:
            self._committed.remove(partition)
        if not pending.keys().isdisjoint(removed):
            gone = frozenset(removed)
            self._pending = {
                append_id: {one: value for one, value in values.items() if one not in gone}
                for append_id, values in self._pending.items()
            }
        return removed

    def _pending_values(self) -> Values:
        """Return what the appends that have not been answered are to commit, of all of them."""
        return dict(chain.from_iterable(values.items() for values in self._pending.values()))

    def expired(
        self,
        now_ms: int,
        retention_ms: int,
        since_ms: Callable[[OffsetCommitValue], int],
        subscribed: Collection[str] = (),
    ) -> tuple[TopicPartition, ...]:
        """Return the partitions whose offsets have been kept for *retention_ms*, counted from
        *since_ms*.

        A commit with a retention of its own expires by that.  None of a topic in *subscribed*.
        """
        pending = self._pending_values()
        return tuple(
            partition
            for partition, value in self.committed.items()
            if partition.topic not in subscribed
            and partition not in pending
            and now_ms >= expires_at_ms(value, since_ms(value) + retention_ms)
        )


def expires_at_ms(value: OffsetCommitValue, by_default_ms: int) -> int:
    has_its_own = value.expire_timestamp != NO_TIMESTAMP
    return value.expire_timestamp if has_its_own else by_default_ms
