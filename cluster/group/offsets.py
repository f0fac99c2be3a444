"""The offsets of a group: committed ones, and those that are being appended.

An offset counts once its record is replicated.  Commits of one partition may be answered by the log
in another order than they were appended: the one with the higher offset in the log wins, as it does
when the log is loaded.

Source: Kafka's GroupMetadata, which forgets a commit when a later one of the same partition fails
before it; here each commit is pending by itself.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from cluster.group.answers import FetchedOffset
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import NO_TIMESTAMP, OffsetCommitValue
from cluster.model.ids import TopicPartition

Values: TypeAlias = Mapping[TopicPartition, OffsetCommitValue]

NOTHING_COMMITTED = FetchedOffset()
UNSTABLE = FetchedOffset(error=ErrorCode.UNSTABLE_OFFSET_COMMIT)


class Committed(NamedTuple):
    """An offset, and the base offset in the log of the batch that has it."""

    log_offset: int
    value: OffsetCommitValue


class GroupOffsets:
    """The offsets of one group, by topic and partition."""

    __slots__ = ("_committed", "_pending", "_transactional")

    def __init__(self) -> None:
        self._committed: dict[TopicPartition, Committed] = {}
        self._pending: dict[TopicPartition, set[int]] = {}
        """The ids of the appends that have not been answered yet."""
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
        return partition in self._pending or any(
            partition in offsets for offsets in self._transactional.values()
        )

    def load(self, committed: dict[TopicPartition, Committed]) -> None:
        """Take the offsets of the log, and keep the dictionary."""
        self._committed = committed

    def load_transactional(self, producer_id: int, held: dict[TopicPartition, Committed]) -> None:
        """Take the offsets of a transaction that is open in the log."""
        self._transactional[producer_id] = held

    # Commits.

    def begin(self, append_id: int, partitions: Iterable[TopicPartition]) -> None:
        """Note that the append *append_id* is to commit offsets of *partitions*."""
        for partition in partitions:
            self._pending.setdefault(partition, set()).add(append_id)

    def complete(self, append_id: int, log_offset: int, values: Values) -> None:
        """Commit *values*, but for partitions whose offsets were deleted since `begin`."""
        for partition, value in values.items():
            if self._is_done(append_id, partition):
                self._commit(partition, Committed(log_offset, value))

    def fail(self, append_id: int, partitions: Iterable[TopicPartition]) -> None:
        for partition in partitions:
            self._is_done(append_id, partition)

    def _is_done(self, append_id: int, partition: TopicPartition) -> bool:
        """Return whether the append was pending for *partition*; it no longer is."""
        pending = self._pending.get(partition)
        if pending is None or append_id not in pending:
            return False
        pending.discard(append_id)
        if not pending:
            del self._pending[partition]
        return True

    def _commit(self, partition: TopicPartition, committed: Committed) -> None:
        current = self._committed.get(partition)
        if current is None or current.log_offset < committed.log_offset:
            self._committed[partition] = committed

    # Commits of transactions.

    def hold(self, producer_id: int, append_id: int, log_offset: int, values: Values) -> None:
        """Keep *values*, which are in the log, until the producer's transaction ends."""
        for partition, value in values.items():
            if self._is_done(append_id, partition):
                held = self._transactional.setdefault(producer_id, {})
                held[partition] = Committed(log_offset, value)

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """Commit the offsets of the producer's transaction, or drop them."""
        held = self._transactional.pop(producer_id, {})
        if is_commit:
            for partition, committed in held.items():
                self._commit(partition, committed)

    # Removal.

    def remove_all(self) -> tuple[TopicPartition, ...]:
        """Drop everything; return the partitions that the log may have offsets of."""
        return self.remove(tuple(self._committed.keys() | self._pending.keys()))

    def remove(self, partitions: Collection[TopicPartition]) -> tuple[TopicPartition, ...]:
        """Drop the offsets of *partitions*; return those that the log may have offsets of.

        A pending commit is before the tombstone in the log, and must not come back.
        """
        for producer_id, held in tuple(self._transactional.items()):
            for partition in partitions:
                held.pop(partition, None)
            if not held:
                del self._transactional[producer_id]
        removed = []
        for partition in partitions:
            was_pending = self._pending.pop(partition, None) is not None
            if self._committed.pop(partition, None) is not None or was_pending:
                removed.append(partition)
        return tuple(removed)

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
        return tuple(
            partition
            for partition, (_, value) in self._committed.items()
            if partition.topic not in subscribed
            and partition not in self._pending
            and now_ms >= expires_at_ms(value, since_ms(value) + retention_ms)
        )


def expires_at_ms(value: OffsetCommitValue, by_default_ms: int) -> int:
    has_its_own = value.expire_timestamp != NO_TIMESTAMP
    return value.expire_timestamp if has_its_own else by_default_ms
