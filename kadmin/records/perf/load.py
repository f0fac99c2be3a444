"""A steady load of producers and consumers on many partitions, for trying failovers.

Each partition gets a record in turn, and its time to be acknowledged and to be read is watched.
"""

import secrets
import struct
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer
from confluent_kafka import TopicPartition as Position

from kadmin.records.client import (
    ConnectionLog,
    client_config,
    create_client,
    leaders_of,
    open_consumer,
    plain_reason,
)
from kadmin.records.perf.availability import Availability, Incident, Partition, incidents
from kadmin.records.perf.clock import wall_ms
from kadmin.records.perf.pace import Pace
from kadmin.records.perf.produce import IN_FLIGHT
from kadmin.records.perf.tally import Tally
from kadmin.records.positions import offsets_of
from kadmin.settings.brokers import BrokerSettings

LATEST: Final = -1
HEAD: Final = struct.Struct(">8sQ")
SIZE_MIN: Final = HEAD.size
BATCH: Final = 500
TICK_S: Final = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTest:
    """A *rate* of records of *size* bytes to all partitions of *topics*, for *seconds*.

    A partition that does not answer for *threshold_s* has an outage.
    """

    settings: BrokerSettings
    topics: tuple[str, ...]
    rate: float
    seconds: float
    size: int = 100
    producers: int = 1
    consumers: int = 1
    interval_s: float = 1.0
    threshold_s: float = 1.0
    producer: Mapping[str, str] = field(default_factory=dict)
    consumer: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadWindow:
    """What happened in the *seconds* that end *at_s* seconds after the start."""

    at_s: float
    seconds: float
    sent: int
    written: Tally
    read: Tally
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """What became of a load; times of incidents are in seconds after *started_ms*.

    *unread* records were acknowledged and never read; *out_of_order* ones were read twice, or
    behind later ones.
    """

    started_ms: int
    seconds: float
    sent: int
    written: Tally
    read: Tally
    write_incidents: tuple[Incident, ...]
    read_incidents: tuple[Incident, ...]
    unread: Mapping[Partition, int]
    out_of_order: int
    partitions: int


class Load:
    """A load while it runs; *emit* takes each window."""

    def __init__(self, test: LoadTest, emit: Callable[[LoadWindow], None]) -> None:
        self.test = test
        self.emit = emit
        self.log = ConnectionLog(test.settings.bootstrap, has_tls=test.settings.tls)
        self.mark = secrets.token_bytes(8)
        """How its records begin, and no others."""
        self.places: list[Partition] = []
        self.consumers: list[Consumer] = []
        self.producers: list[Producer] = []
        self.writes = Availability(test.threshold_s)
        self.reads = Availability(test.threshold_s)
        self.written, self.read = Tally(), Tally()
        self.all_written, self.all_read = Tally(), Tally()
        self.sent = self.sent_before = 0
        self.unread: set[int] = set()
        """Numbers of records that are acknowledged and not read."""
        self.early: set[int] = set()
        """Numbers of records that were read before their acknowledgement came."""
        self.last_read: dict[Partition, int] = {}
        self.out_of_order = 0
        self.pace = Pace(test.rate, 0.0)
        self.cut_at = 0.0

    def open(self) -> None:
        """Connect all clients; the consumers begin at the ends of the partitions."""
        test, timeout_s = self.test, self.test.settings.timeout_s
        for _ in range(max(1, test.consumers)):
            properties = {"enable.partition.eof": False, "fetch.wait.max.ms": 100, **test.consumer}
            self.consumers.append(open_consumer(test.settings, properties, self.log, debug=False))
        first = self.consumers[0]
        for topic in test.topics:
            partitions = leaders_of(first, topic, self.log, timeout_s)
            self.places += [(topic, partition) for partition in partitions]
        wanted = [Position(*place, LATEST) for place in self.places]
        ends = offsets_of(first, wanted, self.log, timeout_s, waits_for_leaders=True)
        starts = [Position(*place, end) for place, end in zip(self.places, ends, strict=True)]
        for number, consumer in enumerate(self.consumers):
            consumer.assign(starts[number :: len(self.consumers)] if test.consumers else [])
        self.producers = [
            create_client(Producer, self.producer_config()) for _ in range(test.producers)
        ]
        for producer in self.producers:
            producer.list_topics(test.topics[0], timeout=timeout_s)

    def producer_config(self) -> dict[str, Any]:
        return {
            **client_config(self.test.settings, {}, self.log, debug=False),
            "acks": -1,
            "allow.auto.create.topics": False,
            "max.in.flight": IN_FLIGHT,
            "queue.buffering.max.messages": 1_000_000,
            **self.test.producer,
        }

    def run(self) -> LoadResult:
        started_ms = wall_ms()
        started = self.cut_at = time.perf_counter()
        self.pace = Pace(self.test.rate, started)
        end = started + self.test.seconds
        try:
            while (now := time.perf_counter()) < end:
                self.send(now)
                self.turn()
            seconds = time.perf_counter() - started
            self.drain()
        except KeyboardInterrupt:
            # Ctrl-C ends the load, and what was found by then is the result.
            seconds = time.perf_counter() - started
        self.cut(time.perf_counter(), started)
        return self.result(started_ms, started, seconds)

    def drain(self) -> None:
        """Wait for answers and records that are still to come, as long as servers may take."""
        deadline = time.perf_counter() + self.test.settings.timeout_s
        while time.perf_counter() < deadline and (
            any(map(len, self.producers)) or (self.test.consumers and self.unread)
        ):
            self.turn()
        for producer in self.producers:
            producer.purge()
            producer.flush(self.test.settings.timeout_s)

    def send(self, now: float) -> None:
        for number in range(self.sent, self.sent + self.pace.due(now, self.sent, BATCH)):
            place = self.places[number % len(self.places)]
            value = HEAD.pack(self.mark, number).ljust(self.test.size, b".")
            producer = self.producers[number % len(self.producers)]
            try:
                producer.produce(
                    place[0], value, None, place[1], on_delivery=partial(self.settled, number)
                )
            except BufferError:
                return
            self.sent += 1

    def turn(self) -> None:
        """Take the answers and the records that have come."""
        for number, producer in enumerate(self.producers):
            producer.poll(0 if number else TICK_S)
        for consumer in self.consumers:
            for message in consumer.consume(BATCH, 0):
                self.received(message)
        now = time.perf_counter()
        if now - self.cut_at >= self.test.interval_s:
            self.log.check()
            self.cut(now, self.pace.started)

    def settled(self, number: int, error: KafkaError | None, _message: Message) -> None:
        place, now = self.places[number % len(self.places)], time.perf_counter()
        intended = self.pace.intended(number, now)
        if error is not None:
            self.written.failed += 1
            self.written.reasons[plain_reason(error)] += 1
            self.writes.failed(place, intended)
            return
        self.writes.settled(place, intended, now)
        self.written.records += 1
        self.written.bytes += self.test.size
        self.written.time(now - intended)
        if number in self.early:
            self.early.discard(number)
        else:
            self.unread.add(number)

    def received(self, message: Message) -> None:
        value = message.value()
        error = message.error()
        if error is not None:
            self.read.failed += 1
            self.read.reasons[plain_reason(error)] += 1
            return
        if not isinstance(value, bytes) or not value.startswith(self.mark):
            return  # Another producer's.
        _, number = HEAD.unpack_from(value)
        place, now = self.places[number % len(self.places)], time.perf_counter()
        if number <= self.last_read.get(place, -1):
            self.out_of_order += 1
            self.unread.discard(number)
            return
        self.last_read[place] = number
        intended = self.pace.intended(number, now)
        self.reads.settled(place, intended, now)
        self.read.records += 1
        self.read.bytes += len(value)
        self.read.time(now - intended)
        if number in self.unread:
            self.unread.discard(number)
        else:
            self.early.add(number)

    def cut(self, now: float, started: float) -> None:
        written, self.written = self.written, Tally()
        read, self.read = self.read, Tally()
        self.all_written.add(written)
        self.all_read.add(read)
        window = LoadWindow(
            at_s=now - started,
            seconds=now - self.cut_at,
            sent=self.sent - self.sent_before,
            written=written,
            read=read,
            waiting=sum(map(len, self.producers)),
        )
        self.sent_before, self.cut_at = self.sent, now
        self.emit(window)

    def result(self, started_ms: int, started: float, seconds: float) -> LoadResult:
        unread: dict[Partition, int] = defaultdict(int)
        if self.test.consumers:
            for number in self.unread:
                unread[self.places[number % len(self.places)]] += 1
        return LoadResult(
            started_ms=started_ms,
            seconds=seconds,
            sent=self.sent,
            written=self.all_written,
            read=self.all_read,
            write_incidents=since(started, incidents(self.writes.outages())),
            read_incidents=since(started, incidents(self.reads.outages())),
            unread=dict(unread),
            out_of_order=self.out_of_order,
            partitions=len(self.places),
        )


def since(started: float, found: Sequence[Incident]) -> tuple[Incident, ...]:
    """Return the incidents with times in seconds after *started*."""
    return tuple(
        Incident(
            one.began - started, None if one.ended is None else one.ended - started, one.partitions
        )
        for one in found
    )


def run_load(test: LoadTest, emit: Callable[[LoadWindow], None]) -> LoadResult:
    """Run *test*; *emit* takes each window.  Ctrl-C ends it early, with its result.

    Raises:
        KadminError: no broker answers at the start, or they refuse.
    """
    load = Load(test, emit)
    try:
        load.open()
        return load.run()
    except KafkaException as error:
        raise load.log.failure(error.args[0], "the load") from error
    finally:
        for consumer in load.consumers:
            consumer.close()
