"""The offsets of a group: committed ones, and those that are being appended.

An offset counts once its record is replicated.  Commits of one partition may be answered by the log
in another order than they were appended: the one with the higher offset in the log wins, as it does
when the log is loaded.

Source: Kafka's GroupMetadata, which forgets a commit when a later one of the same partition fails
before it; here each commit is pending by itself.
"""

from collections.abc import Callable, Collection, Mapping
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from cluster.group.answers import FetchedOffset
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import NO_TIMESTAMP, OffsetCommitValue
from cluster.model.ids import TopicPartition

Values: TypeAlias = Mapping[TopicPartition, OffsetCommitValue]

NOTHING_COMMITTED = FetchedOffset()
UNSTABLE = FetchedOffset(error=ErrorCode.UNSTABLE_OFFSET_COMMIT)

# Makes a named tuple in half the time: its fields need not be counted.
_new: Final = tuple.__new__


class Committed(NamedTuple):
    """An offset, and the base offset in the log of the batch that has it."""

    log_offset: int
    value: OffsetCommitValue


class GroupOffsets:
    """The offsets of one group, by topic and partition."""

    __slots__ = ("_committed", "_pending", "_transactional")

    def __init__(self) -> None:
        self._committed: dict[TopicPartition, Committed] = {}
        self._pending: dict[int, Values] = {}
        """By the ids of the appends that have not been answered yet, what they are to commit."""
        self._transactional: dict[int, dict[TopicPartition, Committed]] = {}
        """By producer, what its open transaction has in the log."""

    @property
    def is_empty(self) -> bool:
        """Return whether there are no offsets, and none is being appended."""
        return not (self._committed or self._pending or self._transactional)

    @property
    def committed(self) -> Mapping[TopicPartition, Committed]:
        return self._committed

    def fetch(self, partition: TopicPartition, *, requires_stable: bool) -> FetchedOffset:
        """Return what OffsetFetch answers for *partition*."""
        if requires_stable and self._is_unstable(partition):
            return UNSTABLE
        committed = self._committed.get(partition)
        if committed is None:
            return NOTHING_COMMITTED
        return FetchedOffset(*committed.value[:3])

    def _is_unstable(self, partition: TopicPartition) -> bool:
        uncertain = chain(self._pending.values(), self._transactional.values())
        return any(partition in offsets for offsets in uncertain)

    def load(self, committed: dict[TopicPartition, Committed]) -> None:
        """Take the offsets of the log, and keep the dictionary."""
        self._committed = committed

    def load_transactional(self, producer_id: int, held: dict[TopicPartition, Committed]) -> None:
        """Take the offsets of a transaction that is open in the log."""
        self._transactional[producer_id] = held

    # Commits.

    def begin(self, append_id: int, values: Values) -> None:
        """Note that the append *append_id* is to commit *values*."""
        self._pending[append_id] = values

    def complete(self, append_id: int, log_offset: int) -> None:
        """Commit the values of an append, but for partitions whose offsets were deleted since."""
        self._commit(self._appended(append_id, log_offset))

    def _appended(self, append_id: int, log_offset: int) -> dict[TopicPartition, Committed]:
        """Return the values of an append, which is pending no more, as the log has them."""
        return {
            partition: _new(Committed, (log_offset, value))
            for partition, value in self._pending.pop(append_id, {}).items()
        }

    def _commit(self, offsets: Mapping[TopicPartition, Committed]) -> None:
        committed = self._committed
        for partition, one in offsets.items():
            current = committed.get(partition)
            if current is None or current[0] < one[0]:
                committed[partition] = one

    def fail(self, append_id: int) -> None:
        self._pending.pop(append_id, None)

    # Commits of transactions.

    def hold(self, producer_id: int, append_id: int, log_offset: int) -> None:
        """Keep the values of an append, which are in the log, until the producer's transaction
        ends."""
        if held := self._appended(append_id, log_offset):
            self._transactional.setdefault(producer_id, {}).update(held)

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """Commit the offsets of the producer's transaction, or drop them."""
        held = self._transactional.pop(producer_id, {})
        if is_commit:
            self._commit(held)

    # Removal.

    def remove_all(self) -> tuple[TopicPartition, ...]:
        """Drop everything; return the partitions that the log may have offsets of."""
        return self.remove(tuple({**self._committed, **self._pending_values()}))

    def remove(self, partitions: Collection[TopicPartition]) -> tuple[TopicPartition, ...]:
        """Drop the offsets of *partitions*; return those that the log may have offsets of.

        A pending commit is before the tombstone in the log, and must not come back.
        """
        for producer_id, held in tuple(self._transactional.items()):
            for partition in partitions:
                held.pop(partition, None)
            if not held:
                del self._transactional[producer_id]
        pending = self._pending_values()
        removed = tuple(one for one in partitions if one in pending or one in self._committed)
        for partition in removed:
            self._committed.pop(partition, None)
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
            for partition, (_, value) in self._committed.items()
            if partition.topic not in subscribed
            and partition not in pending
            and now_ms >= expires_at_ms(value, since_ms(value) + retention_ms)
        )


def expires_at_ms(value: OffsetCommitValue, by_default_ms: int) -> int:
    has_its_own = value.expire_timestamp != NO_TIMESTAMP
    return value.expire_timestamp if has_its_own else by_default_ms
