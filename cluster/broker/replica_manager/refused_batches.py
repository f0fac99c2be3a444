"""Batches of idempotent producers that were refused for the moment, and the batches after them.

A producer has up to five requests in flight.  If the first is refused because this broker does not
lead the partition yet, or because its ISR is too small, and the second arrives when that is over,
then the log finds that sequence numbers are missing before the second.  librdkafka takes that for a
sign that it has lost count, and sends all that is not acknowledged under a new epoch: records that
were appended without its knowledge are then in the log twice.  A log without state of the producer
even takes the second for the first one; then the first is lost.  So the second is refused as the
first was, and the producer sends both again, in order.  The first may also have been refused by the
previous leader; so a leader that was just elected refuses a batch before which others are missing.

Source: none; Kafka answers OUT_OF_ORDER_SEQUENCE_NUMBER, or takes it.
"""

from collections import OrderedDict
from typing import Final, NamedTuple, TypeAlias

from cluster.broker.ports import Clock
from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    NO_PRODUCER_ID,
    SEQUENCE_MAX,
    BatchHeader,
    CorruptBatchError,
    parse_header,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.model.topic_name import can_be
from cluster.storage.log.producer_state import ProducerState

REMEMBERED_MS: Final = 10_000
"""All requests that were under way have come by then; a producer may give up what was refused."""
REMEMBERED_MAX: Final = 10_000

Key: TypeAlias = tuple[str, int, int]
"""Topic, partition and producer id."""


class Refused(NamedTuple):
    """Sequences that a producer sent one behind the other, and the first error that it got."""

    epoch: int
    first: int
    last: int
    error: ErrorCode
    since_ms: int


class RefusedBatches:
    """What was refused lately, by partition and producer."""

    __slots__ = ("_clock", "by_producer")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.by_producer: OrderedDict[Key, Refused] = OrderedDict()
        """Those that were refused first come first.  Always the same: who finds it empty need not
        ask.
        """

    def note(self, topic: str, index: int, records: object, error: ErrorCode) -> None:
        """Remember that *records*, which are not in the log, were refused for the moment."""
        header = header_of(records)
        if header is None or not can_be(TopicPartition(topic, index)):
            # There is no such topic, and its name may have 32,767 characters.
            return
        now_ms = self._clock.now_ms()
        key = (topic, index, header.producer_id)
        before = self.by_producer.pop(key, None)
        first = header.base_sequence
        if before is not None and before.epoch == header.producer_epoch:
            # Behind those before it, or one of them again.
            first = before.first if distance(before.first, first) >= 0 else first
        self.by_producer[key] = Refused(
            header.producer_epoch, first, header.last_sequence, error, now_ms
        )
        self._forget(now_ms)

    def error_behind(
        self, topic: str, index: int, records: object, producers: ProducerState
    ) -> ErrorCode | None:
        """Return why a batch was refused that is missing before *records*; then so are these.

        None where none is missing, or whatever is was not refused here, or long ago.
        """
        self._forget(self._clock.now_ms())
        header = header_of(records)
        if header is None:
            return None
        key = (topic, index, header.producer_id)
        refused = self.by_producer.get(key)
        if refused is None or refused.epoch != header.producer_epoch:
            return None
        awaited = producers.awaited_sequence(header.producer_id, header.producer_epoch)
        if awaited is None:
            awaited = refused.first
        was_refused = 0 <= distance(refused.first, awaited) <= distance(refused.first, refused.last)
        if not was_refused or distance(awaited, header.base_sequence) <= 0:
            return None
        # Not any later: the producer may have given up what is missing.
        self.by_producer[key] = refused._replace(last=header.last_sequence)
        return refused.error

    def _forget(self, now_ms: int) -> None:
        while self.by_producer:
            oldest = next(iter(self.by_producer.values()))
            is_over = oldest.since_ms + REMEMBERED_MS <= now_ms
            if not is_over and len(self.by_producer) <= REMEMBERED_MAX:
                return
            self.by_producer.popitem(last=False)


def may_be_behind(records: object, producers: ProducerState) -> bool:
    """Return whether a batch is missing before *records* that the leader before this one may have
    refused, as only the producer knows.
    """
    header = header_of(records)
    if header is None:
        return False
    awaited = producers.awaited_sequence(header.producer_id, header.producer_epoch)
    return distance(awaited or 0, header.base_sequence) > 0


def header_of(records: object) -> BatchHeader | None:
    """Return the header of an idempotent producer's batch; None for others, and for no batch at
    all.
    """
    if not isinstance(records, memoryview):
        return None
    try:
        header = parse_header(records)
    except CorruptBatchError:
        return None
    is_idempotent = header.magic == CURRENT_MAGIC and header.producer_id != NO_PRODUCER_ID
    return header if is_idempotent and header.base_sequence >= 0 else None


def distance(sequence: int, later: int) -> int:
    """Return how far *later* is behind *sequence*, or, negative, before it; behind the highest
    comes 0.
    """
    steps = (later - sequence) & SEQUENCE_MAX
    return steps if steps <= SEQUENCE_MAX // 2 else steps - SEQUENCE_MAX - 1
