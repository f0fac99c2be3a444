"""Producer state: whether a producer has sent a batch before, or has left one out.

The last five batches of every producer id, as Kafka's idempotent producers need it: a retry is
answered with the offset that it got the first time, a gap is refused.  Knows no files.

Source: Kafka's ProducerStateManager and ProducerAppendInfo.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from cluster.formats.batch_walk import Source
from cluster.formats.indexes import AbortedTxn
from cluster.formats.producer_snapshot import NO_EPOCH, NO_OFFSET, NO_SEQUENCE, Producer, SentBatch
from cluster.formats.record_batch import (
    NO_PRODUCER_ID,
    SEQUENCE_MAX,
    TRANSACTIONAL,
    BatchHeader,
    Buffer,
    sequence_after,
)
from cluster.formats.records import marker_of
from cluster.storage.errors import InvalidProducerEpoch, OutOfOrderSequence

BATCHES_MAX: Final = 5
"""How many requests a producer may have in flight."""
PRODUCER_EXPIRATION_MS: Final = 24 * 3600 * 1000
"""Kafka's default of `producer.id.expiration.ms`."""

NO_PRODUCERS: Final[dict[int, Producer]] = {}
NONE_HEARD: Final[dict[int, int]] = {}
NONE_OPEN: Final[Mapping[int, int]] = {}
NONE_ENDED: Final[list[tuple[int, int]]] = []
"""Shared, and never written to: most logs know no producer, and each empty one takes 64 bytes."""


# Makes a named tuple in half the time: its fields need not be counted.
_new: Final = tuple.__new__


class ProducerState:
    """All producers of one log, up to `end_offset`."""

    __slots__ = ("_ended", "_heard_ms", "_open", "_producers", "end_offset")

    def __init__(self, end_offset: int, now_ms: int, producers: Iterable[Producer] = ()) -> None:
        """Begin with *producers*, which count as active at *now_ms*."""
        self.end_offset = end_offset
        known = {producer.producer_id: producer for producer in producers}
        self._producers = known or NO_PRODUCERS
        self._heard_ms = dict.fromkeys(known, now_ms) or NONE_HEARD
        """When the last batch of each was appended to this log; the times of its records are those
        of the producer's clock.
        """
        self._open: Mapping[int, int] = {
            producer.producer_id: producer.transaction_offset
            for producer in known.values()
            if producer.transaction_offset != NO_OFFSET
        } or NONE_OPEN
        """The first offsets of the transactions that are open."""
        self._ended = NONE_ENDED
        """First offset and marker's offset of those that are over, but not yet committed."""

    @property
    def count(self) -> int:
        return len(self._producers)

    @property
    def producers(self) -> tuple[Producer, ...]:
        return tuple(self._producers.values())

    def duplicate_of(self, header: BatchHeader) -> SentBatch | None:
        """Return the batch in the log that *header* repeats; None for a new one, which may follow.

        Raises:
            InvalidProducerEpoch: a newer instance of the producer has taken over.
            OutOfOrderSequence: the batch does not follow the producer's last one.
        """
        producer = self._producers.get(header.producer_id)
        if producer is None:
            # What is known of a producer can be gone by age: any sequence may go on from there.
            return None
        if header.producer_epoch == producer.epoch:
            sequence, batches = header.base_sequence, producer.batches
            # The last sequence of the last batch, without two calls: each batch asks for it.
            if batches and sequence == (batches[-1][0] + 1) & SEQUENCE_MAX:
                # Nearly always: what is repeated began earlier.
                return None
            for batch in batches:
                if batch.first_sequence == sequence and batch.last_sequence == header.last_sequence:
                    return batch
        self._check_order(producer, header)
        return None

    def awaited_sequence(self, producer_id: int, epoch: int) -> int | None:
        """Return the sequence with which the producer's next batch of *epoch* begins; None if any
        may.
        """
        producer = self._producers.get(producer_id)
        if producer is None:
            return None
        if epoch != producer.epoch or producer.last_sequence == NO_SEQUENCE:
            return 0
        return sequence_after(producer.last_sequence, 1)

    def _check_order(self, producer: Producer, header: BatchHeader) -> None:
        if header.producer_epoch < producer.epoch:
            raise InvalidProducerEpoch(producer.producer_id, header.producer_epoch, producer.epoch)
        awaited = self.awaited_sequence(producer.producer_id, header.producer_epoch)
        if header.base_sequence != awaited:
            raise OutOfOrderSequence(
                producer.producer_id, header.base_sequence, producer.last_sequence
            )

    def first_undecided(self, high_watermark: int) -> int | None:
        """Return the first offset of a transaction that is open, or whose end is not committed; or
        None.

        The high watermark does not fall: what it has passed is forgotten.
        """
        if not self._open and not self._ended:
            return None
        self._ended = [one for one in self._ended if one[1] >= high_watermark]
        firsts = (*self._open.values(), *(first for first, _ in self._ended))
        return min(firsts, default=None)

    def note_batch(
        self, header: BatchHeader, data: Buffer, position: int, now_ms: int
    ) -> AbortedTxn | None:
        """Count the batch at *position* in *data*, which is in the log now.

        Returns the transaction that it aborts, if it does.

        Raises:
            CorruptBatchError: it is to be a transaction's marker, and is none.
        """
        if header.is_control:
            return self._note_control(header, data, position, now_ms)
        self.note(header, now_ms)
        return None

    def note_stored(
        self, source: Source, position: int, header: BatchHeader, now_ms: int
    ) -> AbortedTxn | None:
        """Count the batch at *position* of a segment's file, as `note_batch`; its records are read
        only where they are a marker."""
        data = source.read(position, header.size) if header.is_control else b""
        return self.note_batch(header, data, 0, now_ms)

    def _note_control(
        self, header: BatchHeader, data: Buffer, position: int, now_ms: int
    ) -> AbortedTxn | None:
        if header.record_count == 0:
            # The cleaner has taken the marker out, and left the batch for its offset.
            self.end_offset = header.next_offset
            return None
        marker = marker_of(memoryview(data)[position : position + header.size])
        self._note_marker(header, marker.coordinator_epoch, now_ms)
        first_offset = self._open.get(header.producer_id, NO_OFFSET)
        if first_offset == NO_OFFSET:
            return None
        self._open = {of: at for of, at in self._open.items() if of != header.producer_id}
        self._ended = self._ended or []
        self._ended.append((first_offset, header.last_offset))
        if not marker.is_abort:
            return None
        stable = min(self._open.values(), default=header.next_offset)
        return AbortedTxn(header.producer_id, first_offset, header.last_offset, stable)

    def note(self, header: BatchHeader, now_ms: int) -> None:
        """Note a batch of records that is in the log now, wherever it was checked."""
        base_offset, _, _, _, _, flags, delta, _, max_ms, producer_id, epoch, sequence, _ = header
        last_offset = base_offset + delta
        self.end_offset = last_offset + 1
        if producer_id == NO_PRODUCER_ID:
            return
        before = self._producers.get(producer_id)
        batches: tuple[SentBatch, ...] = ()
        coordinator_epoch = NO_EPOCH
        if before is not None:
            coordinator_epoch = before.coordinator_epoch
            if before.epoch == epoch:
                batches = before.batches[-(BATCHES_MAX - 1) :]
        # What `last_sequence` of the header is.
        last_sequence = (sequence + delta) & SEQUENCE_MAX if sequence >= 0 else -1
        first_offset = NO_OFFSET
        if flags & TRANSACTIONAL and header.is_transactional:
            if producer_id not in self._open:
                self._open = {**self._open, producer_id: base_offset}
            first_offset = first_of_transaction(before, header)
        batches = (*batches, _new(SentBatch, (last_sequence, last_offset, delta, max_ms)))
        self._keep(
            _new(Producer, (producer_id, epoch, batches, max_ms, coordinator_epoch, first_offset)),
            now_ms,
        )

    def _note_marker(self, header: BatchHeader, coordinator_epoch: int, now_ms: int) -> None:
        """Count a transaction's marker that a Kafka broker wrote: its transaction is over."""
        self.end_offset = header.next_offset
        before = self._producers.get(header.producer_id)
        keeps = before is not None and before.epoch == header.producer_epoch
        self._keep(
            Producer(
                producer_id=header.producer_id,
                epoch=header.producer_epoch,
                batches=before.batches if keeps and before is not None else (),
                last_timestamp=header.max_timestamp,
                coordinator_epoch=coordinator_epoch,
            ),
            now_ms,
        )

    def _keep(self, producer: Producer, now_ms: int) -> None:
        if not self._producers:
            self._producers, self._heard_ms = {}, {}
        self._producers[producer.producer_id] = producer
        self._heard_ms[producer.producer_id] = now_ms

    def expire(self, now_ms: int, expiration_ms: int) -> None:
        """Expire the producers that sent nothing for *expiration_ms* and have nothing open."""
        self._producers = {
            producer_id: producer
            for producer_id, producer in self._producers.items()
            if producer.transaction_offset != NO_OFFSET
            or now_ms - self._heard_ms[producer_id] < expiration_ms
        } or NO_PRODUCERS
        self._heard_ms = {of: self._heard_ms[of] for of in self._producers} or NONE_HEARD


def first_of_transaction(before: Producer | None, header: BatchHeader) -> int:
    if before is not None and before.transaction_offset != NO_OFFSET:
        return before.transaction_offset
    return header.base_offset
