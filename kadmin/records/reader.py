"""Readers: which records do some partitions hold, from here to there, as they come?

Knows not how a record is shown.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, Message
from confluent_kafka import TopicPartition as Position

from kadmin.errors import UnreachableError
from kadmin.records.client import ConnectionLog, answers
from kadmin.records.positions import Place, Span, Start, offsets_of

BATCH_MAX: Final = 2_000
TICK_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """The *group* to join, as which static member, if any, and with which assignor.

    Both are None where librdkafka's own choice is meant.  A group of old consumers *is in
    ZooKeeper*, and not with a coordinator.
    """

    group: str
    instance_id: str | None = None
    assignor: str | None = None
    is_in_zookeeper: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumeRequest:
    """What to read: *partitions* of *topics*, all when empty, from *start* on.

    As a member of a group, if a *membership* is given: those partitions that the group assigns,
    from its commits on, and from *start* only where it has none.  It ends after *records_max*
    records, at the ends of now with *stops_at_end*, or when none came for *idle_s*; with none of
    these, never.  *rate* is in records a second.
    """

    topics: tuple[str, ...]
    membership: Membership | None = None
    partitions: tuple[int, ...] = ()
    start: Start = Place.LATEST
    stops_at_end: bool = False
    records_max: int | None = None
    idle_s: float | None = None
    rate: float | None = None
    isolation: str = "read_uncommitted"
    properties: Mapping[str, str] = field(default_factory=dict)


class Stalled(UnreachableError):
    """Brokers answer, but hand out no record before an end that is not reached."""

    def __init__(self, places: Sequence[tuple[str, int]], silence_s: float) -> None:
        topic, partition = places[0]
        super().__init__(
            f"no record came within {silence_s:g} s, and the end of {topic}-{partition} is not"
            " reached",
            hint=f"kadmin topics --describe --topic {topic} --unavailable-partitions",
        )


class Reader:
    """A consumer of records, which gives up after *silence_max_s* without an answer.

    Subclasses decide which partitions it has.
    """

    def __init__(
        self,
        consumer: Consumer,
        request: ConsumeRequest,
        log: ConnectionLog,
        silence_max_s: float,
    ) -> None:
        self.consumer = consumer
        self.request = request
        self.log = log
        self.silence_max_s = silence_max_s
        self.ends: dict[tuple[str, int], int] = {}
        """The ends that are not reached yet, where it stops at them."""
        self.left = request.records_max
        self.quiet_since = time.monotonic()
        """Since when no record has come that could have."""

    @property
    def is_done(self) -> bool:
        return self.left == 0 or (self.request.stops_at_end and not self.ends)

    def begin(self) -> None:
        """Take the partitions, or ask for them."""
        raise NotImplementedError

    def take(self, count: int) -> list[Message]:
        """Return up to *count* records that have come, waiting for the first of them for a tick."""
        return self.wanted(self.consumer.consume(count, TICK_S))

    def acknowledge(self, batch: Sequence[Message]) -> None:
        """Note that the caller is done with *batch*."""

    def batches(self) -> Iterator[list[Message]]:
        """Yield the records in batches, those of a partition in order; an empty batch when none
        came.

        Who asks for the next batch is done with the one before.

        Raises:
            KadminError: reading failed; BrokersUnreachable or Stalled after a long silence of
                brokers that have more records.
        """
        self.begin()
        started = self.quiet_since = time.monotonic()
        count = 0
        while not self.is_done:
            size = BATCH_MAX if self.left is None else min(BATCH_MAX, self.left)
            if self.request.rate is not None:
                size = max(1, min(size, int(self.request.rate * TICK_S)))
            batch = self.take(size)
            self.log.check()
            now = time.monotonic()
            if not batch and now - self.quiet_since >= self.silence_max_s:
                self.check_silence()
            if batch:
                self.quiet_since = now
                count += len(batch)
                self.left = None if self.left is None else self.left - len(batch)
            yield batch
            self.acknowledge(batch)
            if self.request.idle_s is not None and now - self.quiet_since >= self.request.idle_s:
                return
            if self.request.rate is not None:
                time.sleep(max(0.0, started + count / self.request.rate - time.monotonic()))

    def first_offsets(self, partitions: Sequence[tuple[str, int]]) -> list[int]:
        """Return where the request begins in *partitions*, as offsets."""
        is_earliest = self.request.start is Place.EARLIEST
        return self.offsets(partitions, OFFSET_BEGINNING if is_earliest else OFFSET_END)

    def note_ends(self, starts: Mapping[tuple[str, int], int]) -> None:
        """Note where the partitions end now that are read from these *starts* on, if it matters."""
        if self.request.stops_at_end and starts:
            ends = self.offsets(list(starts), OFFSET_END)
            found = zip(starts.items(), ends, strict=True)
            self.ends |= {name: end for (name, start), end in found if start < end}

    def offsets(self, partitions: Sequence[tuple[str, int]], place: int) -> list[int]:
        wanted = [Position(*name, place) for name in partitions]
        return offsets_of(
            self.consumer, wanted, self.log, self.silence_max_s, waits_for_leaders=True
        )

    def check_silence(self) -> None:
        """Raise that brokers are away, or behind, unless nothing was to be expected of them."""
        if not self.log.are_all_down and not self.ends:
            return
        if not answers(self.consumer, self.request.topics[0]):
            raise self.log.unreachable()
        self.log.are_all_down = False
        if self.ends:
            raise Stalled(sorted(self.ends), self.silence_max_s)

    def wanted(self, messages: Sequence[Message]) -> list[Message]:
        """Return the records of *messages* that lie before the ends; notes which ends are
        reached."""
        if not self.request.stops_at_end:
            return [message for message in messages if not self.is_event(message)]
        found = []
        for message in messages:
            place = (str(message.topic()), int(message.partition() or 0))
            end, offset = self.ends.get(place), message.offset()
            if self.is_event(message):
                # The end of the partition, which may be behind records that are not handed to
                # consumers.
                if end is not None and offset is not None and offset >= end:
                    self.reach_end(place)
            elif end is not None and offset is not None:
                if offset < end:
                    found.append(message)
                if offset >= end - 1:
                    self.reach_end(place)
        return found

    def reach_end(self, place: tuple[str, int]) -> None:
        del self.ends[place]
        self.consumer.pause([Position(*place)])

    def is_event(self, message: Message) -> bool:
        """Return whether *message* is an event and no record.

        Raises:
            KadminError: the event is a failure.
        """
        error = message.error()
        if error is None:
            return False
        if error.code() not in (KafkaError._PARTITION_EOF, KafkaError._ALL_BROKERS_DOWN):
            raise self.log.failure(error, f"reading {message.topic()}-{message.partition()}")
        return True


class SpanReader(Reader):
    """A reader of *spans*, in no group: it commits nothing."""

    def __init__(
        self,
        consumer: Consumer,
        request: ConsumeRequest,
        spans: Sequence[Span],
        log: ConnectionLog,
        silence_max_s: float,
    ) -> None:
        super().__init__(consumer, request, log, silence_max_s)
        self.spans = [span for span in spans if not span.is_empty]
        self.ends = {
            (span.topic, span.partition): span.end for span in self.spans if span.end is not None
        }

    def begin(self) -> None:
        self.consumer.assign([Position(one.topic, one.partition, one.start) for one in self.spans])
