"""Producing: how do many records get to a topic, and what became of each?

Sends what it is handed, in order, and waits until the brokers have answered for all of it.  Knows
neither where the records come from nor how it is told.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from kadmin.errors import KadminError, UnreachableError
from kadmin.records.batch_limit import batch_size_of
from kadmin.records.client import (
    ConnectionLog,
    NoSuchPartition,
    client_config,
    create_client,
    open_consumer,
    partitions_of,
    plain_reason,
)
from kadmin.records.latencies import Latencies
from kadmin.records.record import Record
from kadmin.settings.brokers import BrokerSettings

BUFFER_KB: Final = 128 * 1024
RECORD_SIZE_MAX: Final = 1_000_000_000
"""librdkafka's most, in bytes: brokers and topics have limits of their own, which then count."""

BATCH_SIZE: Final = "batch.size"
IN_FLIGHT: Final = ("max.in.flight", "max.in.flight.requests.per.connection")
"""How many requests a broker may have unanswered, by both of its names.

With more than one, idempotence may lose records.  A leader that knows nothing of a producer takes
any batch for its first: it may refuse one for the moment (it does not lead yet, or the ISR is too
small) and take the one behind it.  librdkafka then believes that it has both.
"""

IN_DOUBT: Final = "a later record was taken, and nobody tells whether this one was"

TICK_S: Final = 0.1
REPORT_EVERY: Final = 200
FAILURES_KEPT: Final = 10

OF_CONNECTIONS: Final = ("sasl.", "ssl.", "security.", "socket.", "enable.ssl.", "client.")
"""How the properties begin that a connection needs, whoever uses it."""

OF_ONE_RECORD: Final = frozenset(
    (
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.INVALID_MSG,
        KafkaError.INVALID_MSG_SIZE,
        KafkaError.INVALID_RECORD,
        KafkaError.INVALID_TIMESTAMP,
        KafkaError._BAD_MSG,
    )
)
"""Failures that say something of one record only; after any other the rest would fail as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProduceRequest:
    """Where records go, and how; *acks* is 0, 1 or -1, *rate* records a second."""

    topic: str
    acks: int = -1
    is_idempotent: bool = True
    compression: str = "none"
    rate: float | None = None
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_really_idempotent(self) -> bool:
        """Whether it is, by the properties as well, which win."""
        given = self.properties.get("enable.idempotence")
        return self.is_idempotent if given is None else given.lower() in ("true", "t", "1")

    @property
    def may_skip(self) -> bool:
        """Whether librdkafka may call a record delivered that is not; it has no offset then."""
        in_flight = [self.properties.get(name, "1") for name in IN_FLIGHT]
        return self.is_really_idempotent and any(value != "1" for value in in_flight)


@dataclass(slots=True)
class ProduceSummary:
    """What became of the records so far; *bytes* are those of delivered values.

    *failures* has (line, reason) of the first few that were not delivered.
    """

    sent: int = 0
    delivered: int = 0
    failed: int = 0
    bytes: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)
    latencies: Latencies = field(default_factory=Latencies)


class NotDelivered(KadminError):
    """Some records were not delivered; the first ones have been told by their lines."""

    def __init__(self, summary: ProduceSummary) -> None:
        super().__init__(
            f"{summary.failed} of {summary.sent} records were not delivered",
            hint="the lines that failed are named above; the others are in the topic",
        )


class NotTaken(UnreachableError):
    """Some brokers were there, and not all records were taken in time.

    *reason* is what connections to others failed of; empty if none did.
    """

    def __init__(self, topic: str, summary: ProduceSummary, timeout_s: float, reason: str) -> None:
        super().__init__(
            f"the brokers did not take {summary.failed} of {summary.sent} records of topic"
            f" '{topic}' within {timeout_s:g} s" + (f" ({reason})" if reason else ""),
            hint=f"'kadmin topics --describe --topic {topic}' shows partitions without a leader or"
            " with too small an ISR",
        )


class Sender:
    """A producer with what became of its records in *summary*.

    *report* is called now and then, and with each of the first failures.
    """

    def __init__(
        self,
        producer: Producer,
        request: ProduceRequest,
        settings: BrokerSettings,
        log: ConnectionLog,
        partition_count: int,
        report: Callable[[ProduceSummary], None],
    ) -> None:
        self.producer = producer
        self.timeout_s = settings.timeout_s
        self.request = request
        self.log = log
        self.partition_count = partition_count
        self.report = report
        self.summary = ProduceSummary()
        self.stopping: KafkaError | None = None

    def send(self, line: int, record: Record) -> None:
        """Hand *record* over, waiting while the buffer is full.

        Raises:
            NoSuchPartition: it names a partition that the topic does not have.
        """
        if record.partition is not None and record.partition >= self.partition_count:
            raise NoSuchPartition(self.request.topic, record.partition, self.partition_count)

        may_skip = self.request.may_skip

        def settled(error: KafkaError | None, message: Message) -> None:
            if error is not None:
                self.fail(line, error)
            elif may_skip and message.offset() is None:
                self.note_failure(line, IN_DOUBT)
            else:
                self.summary.delivered += 1
                self.summary.bytes += len(message)
                latency_s = message.latency()
                if latency_s is not None:
                    self.summary.latencies.add(latency_s)

        self.summary.sent += 1
        while self.stopping is None:
            try:
                self.producer.produce(
                    self.request.topic,
                    record.value,
                    record.key,
                    -1 if record.partition is None else record.partition,
                    on_delivery=settled,
                    timestamp=record.timestamp_ms or 0,
                    headers=list(record.headers) or None,
                )
                return
            except BufferError:
                self.poll(TICK_S)
            except KafkaException as error:
                self.fail(line, error.args[0])
                return
        self.fail(line, self.stopping)

    def fail(self, line: int, error: KafkaError) -> None:
        self.note_failure(line, plain_reason(error))
        if error.code() not in OF_ONE_RECORD and self.stopping is None:
            self.stopping = error

    def note_failure(self, line: int, reason: str) -> None:
        self.summary.failed += 1
        if len(self.summary.failures) < FAILURES_KEPT:
            self.summary.failures.append((line, reason))

    def poll(self, seconds: float) -> None:
        """Take the answers that are there, waiting up to *seconds* for the first."""
        self.producer.poll(seconds)
        self.report(self.summary)

    def wait_until(self, moment: float) -> None:
        """Take answers until *moment* of the monotonic clock."""
        while (left_s := moment - time.monotonic()) > 0 and self.stopping is None:
            self.poll(min(left_s, TICK_S))

    def finish(self) -> None:
        """Wait for the answers to all that was sent, or for the failure that stops the rest."""
        while len(self.producer) and self.stopping is None:
            self.poll(TICK_S)
        if len(self.producer):
            # What cannot be delivered any more is told as failed, and not tried for ever.
            self.producer.purge()
            while len(self.producer):
                self.poll(TICK_S)

    def check(self) -> None:
        """Raise what stopped the sending, or that records failed, if so."""
        if self.stopping is not None:
            self.log.check()
            if self.stopping.code() == KafkaError._MSG_TIMED_OUT and not self.log.are_all_down:
                topic, reason = self.request.topic, self.log.reason
                raise NotTaken(topic, self.summary, self.timeout_s, reason)
            what = f"{self.summary.failed} of {self.summary.sent} records were not delivered"
            raise self.log.failure(self.stopping, what)
        if self.summary.failed:
            raise NotDelivered(self.summary)


@contextmanager
def open_sender(
    settings: BrokerSettings,
    request: ProduceRequest,
    report: Callable[[ProduceSummary], None],
    *,
    debug: bool = False,
) -> Iterator[Sender]:
    """A sender to the topic of *request*, which is known to be there.

    Raises:
        BrokersUnreachable, BrokersDenied, NoSuchTopic: as `partitions_of`.
        UsageError: properties that librdkafka does not take.
    """
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    config = {
        **client_config(settings, {}, log, debug=debug),
        "acks": request.acks,
        "enable.idempotence": request.is_idempotent,
        "compression.type": request.compression,
        **({IN_FLIGHT[0]: 1} if request.is_really_idempotent else {}),
        "message.timeout.ms": round(settings.timeout_s * 1000),
        "message.max.bytes": RECORD_SIZE_MAX,
        "queue.buffering.max.kbytes": BUFFER_KB,
        **request.properties,
    }
    # First, since it takes half a second to get its id for idempotence.
    producer = create_client(Producer, config)
    security = {
        name: value for name, value in request.properties.items() if name.startswith(OF_CONNECTIONS)
    }
    # A producer that asks for a topic may create it; a consumer never does.
    consumer = open_consumer(settings, security, log, debug=debug)
    try:
        partitions = partitions_of(consumer, request.topic, log, settings.timeout_s)
    finally:
        consumer.close()
    if BATCH_SIZE not in request.properties:
        batch_size = batch_size_of(settings, request.topic, security, debug=debug)
        if batch_size is not None:
            producer = create_client(Producer, {**config, BATCH_SIZE: batch_size})
    yield Sender(producer, request, settings, log, len(partitions), report)


def produce(sender: Sender, records: Iterable[tuple[int, Record]]) -> None:
    """Send *records* (each with its line) at the rate of the request, and settle all of them.

    Whatever ends the records (their end, an error in them, Ctrl-C), what was sent before is waited
    for.

    Raises:
        NotDelivered: some were refused; the others have been delivered.
        BrokersUnreachable, BrokersDenied: the rest was given up.
    """
    rate = sender.request.rate
    started = time.monotonic()
    try:
        for line, record in records:
            if rate is not None:
                sender.wait_until(started + sender.summary.sent / rate)
            sender.send(line, record)
            if rate is not None or sender.summary.sent % REPORT_EVERY == 0:
                sender.poll(0)
            if sender.stopping is not None:
                break
    finally:
        sender.finish()
    sender.check()
