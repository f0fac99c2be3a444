"""Consuming: which records do some partitions hold, from here to there, as they come?

Reads the partitions itself: no group, nothing committed.  Knows not how a record is shown.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as Position

from kadmin.errors import UnreachableError
from kadmin.records.client import (
    ConnectionLog,
    NoSuchPartition,
    answers,
    leaders_of,
    open_consumer,
)
from kadmin.records.positions import Place, Span, Start, find_spans
from kadmin.settings.brokers import BrokerSettings

BATCH_MAX: Final = 2_000
TICK_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumeRequest:
    """What to read: *partitions* of *topics*, all when empty, from *start* on.

    It ends after *records_max* records, at the ends of now with *stops_at_end*, or when none came
    for *idle_s*; with none of these, never.  *rate* is in records a second.
    """

    topics: tuple[str, ...]
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
    """A consumer of *spans*, which gives up after *silence_max_s* without an answer."""

    def __init__(
        self,
        consumer: Consumer,
        request: ConsumeRequest,
        spans: Sequence[Span],
        log: ConnectionLog,
        silence_max_s: float,
    ) -> None:
        self.consumer = consumer
        self.request = request
        self.log = log
        self.spans = spans
        self.silence_max_s = silence_max_s
        self.ends = {
            (span.topic, span.partition): span.end
            for span in spans
            if span.end is not None and not span.is_empty
        }
        self.left = request.records_max

    @property
    def is_done(self) -> bool:
        return self.left == 0 or (self.request.stops_at_end and not self.ends)

    def batches(self) -> Iterator[list[Message]]:
        """Yield the records in batches, those of a partition in order; an empty batch when none
        came.

        Raises:
            KadminError: reading failed; BrokersUnreachable or Stalled after a long silence of
                brokers that have more records.
        """
        self.consumer.assign(
            [
                Position(span.topic, span.partition, span.start)
                for span in self.spans
                if not span.is_empty
            ]
        )
        started = last_record = time.monotonic()
        count = 0
        while not self.is_done:
            size = BATCH_MAX if self.left is None else min(BATCH_MAX, self.left)
            if self.request.rate is not None:
                size = max(1, min(size, int(self.request.rate * TICK_S)))
            batch = self.wanted(self.consumer.consume(size, TICK_S))
            self.log.check()
            now = time.monotonic()
            if not batch and now - last_record >= self.silence_max_s:
                self.check_silence()
            if batch:
                last_record = now
                count += len(batch)
                self.left = None if self.left is None else self.left - len(batch)
            yield batch
            if self.request.idle_s is not None and now - last_record >= self.request.idle_s:
                return
            if self.request.rate is not None:
                time.sleep(max(0.0, started + count / self.request.rate - time.monotonic()))

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
            return [message for message in messages if not self.is_error(message)]
        found = []
        for message in messages:
            place = (str(message.topic()), int(message.partition() or 0))
            end, offset = self.ends.get(place), message.offset()
            if self.is_error(message):
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

    def is_error(self, message: Message) -> bool:
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


@contextmanager
def open_reader(
    settings: BrokerSettings, request: ConsumeRequest, *, debug: bool = False
) -> Iterator[Reader]:
    """Yield a reader of what *request* asks for, whose offsets are known.

    Raises:
        BrokersUnreachable, BrokersDenied, NoSuchTopic: as `leaders_of`.
        NoSuchPartition, NoSuchOffset, NoLeader: what is asked for is not there.
        UsageError: properties that librdkafka does not take.
    """
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    properties = {"isolation.level": request.isolation, **request.properties}
    consumer = open_consumer(settings, properties, log, debug=debug)
    try:
        places = [
            (topic, partition)
            for topic in request.topics
            for partition in chosen_partitions(
                topic,
                tuple(leaders_of(consumer, topic, log, settings.timeout_s)),
                request.partitions,
            )
        ]
        spans = find_spans(
            consumer,
            places,
            request.start,
            log,
            stops_at_end=request.stops_at_end,
            timeout_s=settings.timeout_s,
        )
        yield Reader(consumer, request, spans, log, settings.timeout_s)
    except KafkaException as error:
        raise log.failure(error.args[0], "reading") from error
    finally:
        consumer.close()


def chosen_partitions(topic: str, known: Sequence[int], wanted: Sequence[int]) -> Sequence[int]:
    for partition in wanted:
        if partition not in known:
            raise NoSuchPartition(topic, partition, len(known))
    return wanted or known
