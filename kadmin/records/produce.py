"""Producing: sends records to a topic, and reports the outcome of each.

Sends what it is handed, in order, and waits until the brokers have answered for all of it.  The
caller supplies the records and shows the report.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from kadmin.records.batch_limit import batch_size_of
from kadmin.records.client import (
    ROUND_S,
    ConnectionLog,
    NoSuchPartition,
    client_config,
    create_client,
    leaders_of,
    open_consumer,
    plain_reason,
)
from kadmin.records.delivery import (
    BrokenOff,
    Delivery,
    Failure,
    NotDelivered,
    NotTaken,
    TopicGone,
    not_delivered,
)
from kadmin.records.first_batches import ANYWHERE, FirstBatches, Place
from kadmin.records.record import Record
from kadmin.settings.brokers import BrokerSettings

BUFFER_KB: Final = 128 * 1024
RECORD_SIZE_MAX: Final = 1_000_000_000
"""librdkafka's most, in bytes: brokers and topics have limits of their own, which then count."""

BATCH_SIZE: Final = "batch.size"
USUAL_PARTITIONER: Final = "consistent_random"
TICK_S: Final = 0.1
REPORT_EVERY: Final = 200

OF_CONNECTIONS: Final = ("sasl.", "ssl.", "security.", "socket.", "enable.ssl.", "client.")
"""How the properties begin that any connection needs."""

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

UNSURE: Final = frozenset(
    (
        KafkaError._MSG_TIMED_OUT,
        KafkaError._TIMED_OUT,
        KafkaError._TRANSPORT,
        KafkaError._PURGE_INFLIGHT,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER,
        KafkaError.UNKNOWN_PRODUCER_ID,
        KafkaError.UNKNOWN,
    )
)
"""Failures after which a record may be in the topic all the same."""

OF_TOPICS: Final = frozenset(
    (
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError._MSG_TIMED_OUT,
    )
)
"""Errors of a topic whose deletion librdkafka has not noticed yet."""

UNSENT: Final = "it was not sent, since another one had failed"
NO_OFFSET: Final = "a later record was accepted, and no broker says whether this one was"
"""What librdkafka calls delivered without saying where: it believes it for the sake of others."""


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
        leaders: Mapping[int, int],
        report: Callable[[Delivery], None],
    ) -> None:
        """Take the *leaders* of all partitions, -1 for none."""
        self.producer = producer
        self.timeout_s = settings.timeout_s
        self.request = request
        self.log = log
        self.partition_count = len(leaders)
        self.is_idempotent = request.is_really_idempotent
        self.first_batches = FirstBatches(
            # Only of an idempotent producer librdkafka believes what no broker said.
            self.partition_count if self.is_idempotent else 0,
            [partition for partition, leader in leaders.items() if leader >= 0],
            request.properties.get("partitioner", USUAL_PARTITIONER),
        )
        self.report = report
        self.summary = Delivery()
        self.stopping: KafkaError | None = None

    def send(self, line: int, record: Record) -> None:
        """Hand *record* over, waiting while the buffer is full.

        Raises:
            NoSuchPartition: it names a partition that the topic does not have.
        """
        if record.partition is not None:
            self.require_partition(record.partition)

        batches = self.first_batches
        partition, first = ANYWHERE if record.partition is None else record.partition, None

        def settled(error: KafkaError | None, message: Message) -> None:
            if first is not None:
                batches.settle(first, message.partition() if error is None else None)
            if error is not None:
                self.fail(line, error)
            elif self.is_idempotent and message.offset() is None:
                self.summary.note_failure(Failure(line, NO_OFFSET, is_in_doubt=True))
            else:
                self.summary.delivered += 1
                self.summary.bytes += len(message)
                latency_s = message.latency()
                if latency_s is not None:
                    self.summary.latencies.add(latency_s)

        while self.stopping is None:
            if not batches.are_over:
                place = self.await_place(record)
                if place is None:
                    break
                partition, first = place
            try:
                self.producer.produce(
                    self.request.topic,
                    record.value,
                    record.key,
                    partition,
                    on_delivery=settled,
                    timestamp=record.timestamp_ms or 0,
                    headers=list(record.headers) or None,
                )
                self.summary.sent += 1
                return
            except BufferError:
                self.take_back(first)
                self.poll(TICK_S)
            except KafkaException as error:
                self.take_back(first)
                self.summary.sent += 1
                self.fail(line, error.args[0])
                return
        self.summary.sent += 1
        self.summary.note_failure(Failure(line, UNSENT, is_in_doubt=False))

    def require_partition(self, partition: int) -> None:
        """Raise NoSuchPartition unless the topic has *partition*."""
        if partition >= self.partition_count:
            raise NoSuchPartition(self.request.topic, partition, self.partition_count)

    def await_place(self, record: Record) -> Place | None:
        """Return where *record* goes, once it may be sent; None when nothing is sent any more."""
        while (place := self.first_batches.place_of(record.partition, record.key)) is None:
            # What waits to become a larger batch would be waited for as well.
            self.poll_with(lambda: self.producer.flush(TICK_S))
            if self.stopping is not None:
                return None
        return place

    def take_back(self, first: int | None) -> None:
        """Note that the record that was to be the *first* of its partition is not sent."""
        if first is not None:
            self.first_batches.settle(first, None)

    def fail(self, line: int, error: KafkaError) -> None:
        code = error.code()
        cause = error
        if code == KafkaError._PURGE_INFLIGHT and self.stopping is not None:
            cause = self.stopping
        reason = UNSENT if code == KafkaError._PURGE_QUEUE else plain_reason(cause)
        self.summary.note_failure(Failure(line, reason, code in UNSURE))
        if code not in OF_ONE_RECORD and self.stopping is None:
            self.stopping = error

    def poll(self, seconds: float) -> None:
        """Take the answers that are there, waiting up to *seconds* for the first."""
        self.poll_with(lambda: self.producer.poll(seconds))

    def poll_with(self, poll: Callable[[], object]) -> None:
        try:
            poll()
        except KafkaException as error:
            # It cannot go on: what it holds will be purged.
            if self.stopping is None:
                self.stopping = error.args[0]
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
            # What cannot be delivered any more is reported as failed, and not tried for ever.
            self.producer.purge()
            while len(self.producer):
                self.poll(TICK_S)

    def check(self) -> None:
        """Raise what stopped the sending, or that records failed, if so."""
        if self.stopping is not None:
            self.log.check()
            if self.stopping.fatal():
                raise BrokenOff(self.summary, plain_reason(self.stopping))
            if self.stopping.code() in OF_TOPICS and self.is_topic_gone():
                raise TopicGone(self.request.topic, self.summary)
            if self.stopping.code() == KafkaError._MSG_TIMED_OUT and not self.log.are_all_down:
                topic, reason = self.request.topic, self.log.reason
                raise NotTaken(topic, self.summary, self.timeout_s, reason)
            raise self.log.failure(self.stopping, not_delivered(self.summary))
        if self.summary.failed:
            raise NotDelivered(self.summary)

    def is_topic_gone(self) -> bool:
        """Return whether brokers say that there is no such topic; not where none answers soon."""
        topic = self.request.topic
        try:
            found = self.producer.list_topics(topic, timeout=ROUND_S).topics[topic]
        except KafkaException:
            return False
        return found.error is not None and found.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART


@contextmanager
def open_sender(
    settings: BrokerSettings,
    request: ProduceRequest,
    report: Callable[[Delivery], None],
    *,
    debug: bool = False,
) -> Iterator[Sender]:
    """Yield a sender to the topic of *request*, which is known to be there.

    Raises:
        BrokersUnreachable, BrokersDenied, NoSuchTopic: as `leaders_of`.
        UsageError: properties that librdkafka does not take.
    """
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    config = {
        **client_config(settings, {}, log, debug=debug),
        "acks": request.acks,
        "enable.idempotence": request.is_idempotent,
        "compression.type": request.compression,
        # A topic that is deleted meanwhile stays deleted.
        "allow.auto.create.topics": False,
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
        leaders = leaders_of(consumer, request.topic, log, settings.timeout_s)
    finally:
        consumer.close()
    if BATCH_SIZE not in request.properties:
        batch_size = batch_size_of(settings, request.topic, security, debug=debug)
        if batch_size is not None:
            producer = create_client(Producer, {**config, BATCH_SIZE: batch_size})
    yield Sender(producer, request, settings, log, leaders, report)


def produce(
    sender: Sender,
    records: Iterable[tuple[int, Record]],
    interrupted: Callable[[int], None] = lambda count: None,
) -> None:
    """Send *records* (each with its line) at the rate of the request, and settle all of them.

    After the last record, an error in the records or Ctrl-C, answers for what was sent are waited
    for.  After Ctrl-C *interrupted* is called with the number of these records; a second one gives
    them up.

    Raises:
        NotDelivered: some were refused; the others have been delivered.
        BrokersUnreachable, BrokersDenied: the rest was given up.
    """
    try:
        send_all(sender, records)
    except KeyboardInterrupt:
        if count := len(sender.producer):
            interrupted(count)
        sender.finish()
        raise
    finally:
        sender.summary.give_up()
    sender.check()


def send_all(sender: Sender, records: Iterable[tuple[int, Record]]) -> None:
    """Send *records*, and wait for the answers, whatever but Ctrl-C ends them."""
    try:
        send_each(sender, records)
    except Exception:
        sender.finish()
        raise
    sender.finish()


def send_each(sender: Sender, records: Iterable[tuple[int, Record]]) -> None:
    """Send *records* until one fails for a reason that the others would fail for as well."""
    rate = sender.request.rate
    started = time.monotonic()
    for line, record in records:
        sender.summary.unsent_from = line
        if rate is not None:
            sender.wait_until(started + sender.summary.sent / rate)
        sender.send(line, record)
        sender.summary.unsent_from = None
        if rate is not None or sender.summary.sent % REPORT_EVERY == 0:
            sender.poll(0)
        if sender.stopping is not None:
            sender.summary.unsent_from = line + 1
            return
