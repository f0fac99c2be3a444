"""Transactions in the part of a log that is cleaned: which batches were aborted, and which markers
are still needed.

Source: Kafka's CleanedTransactionMetadata.
"""

from collections import deque
from collections.abc import Iterable

from cluster.formats.indexes import AbortedTxn
from cluster.formats.record_batch import BatchHeader
from cluster.formats.records import marker_of


class Transactions:
    """The state of transactions while batches are read from an offset on, in order."""

    __slots__ = ("_aborted", "_committed", "_open", "_seen", "retained")

    def __init__(self, aborted: Iterable[AbortedTxn]) -> None:
        """Begin; *aborted* are all transactions whose markers may follow."""
        self._aborted = deque(sorted(set(aborted), key=lambda entry: entry.first_offset))
        self._open: dict[int, AbortedTxn] = {}
        """By producer, the aborted transaction that has begun."""
        self._seen: set[int] = set()
        """The producers of those of which batches were read."""
        self._committed: set[int] = set()
        """The producers with batches of a transaction that will be committed."""
        self.retained: list[AbortedTxn] = []
        """Of the aborted transactions that have ended, those with batches: their markers stay."""

    def is_useless(self, header: BatchHeader, batch: memoryview) -> bool:
        """Return whether the records of *batch*, which is the next one, are not needed any more.

        Those of an aborted transaction are not, nor is a marker whose transaction has no batches
        left.

        Raises:
            CorruptBatchError: the batch should be a marker, and is none.
        """
        self._begin_up_to(header.last_offset)
        if header.is_control:
            return self._end(header, batch)
        if not header.is_transactional:
            return False
        is_aborted = header.producer_id in self._open
        (self._seen if is_aborted else self._committed).add(header.producer_id)
        return is_aborted

    def _begin_up_to(self, offset: int) -> None:
        while self._aborted and self._aborted[0].first_offset <= offset:
            entry = self._aborted.popleft()
            self._open.setdefault(entry.producer_id, entry)

    def _end(self, header: BatchHeader, batch: memoryview) -> bool:
        if header.record_count == 0:
            return True
        producer_id = header.producer_id
        if not marker_of(batch).is_abort:
            was_seen = producer_id in self._committed
            self._committed.discard(producer_id)
            return not was_seen
        entry = self._open.pop(producer_id, None)
        if entry is None or producer_id not in self._seen:
            return True
        self._seen.discard(producer_id)
        self.retained.append(entry)
        return False
