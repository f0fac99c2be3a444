"""The way of one record after another: sent, acknowledged, and read, before the next is sent."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka import TopicPartition as Position

from kadmin.errors import KadminError, UnreachableError
from kadmin.records.client import (
    ConnectionLog,
    client_config,
    create_client,
    leaders_of,
    open_consumer,
    plain_reason,
)
from kadmin.records.perf.clock import wall_ms
from kadmin.records.perf.records import LETTERS
from kadmin.records.perf.tally import Result, Tally
from kadmin.records.positions import offsets_of
from kadmin.settings.brokers import BrokerSettings

LATEST: Final = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class EndToEndTest:
    """*records* of *size* bytes one by one through *topic*; *warmup* more before them."""

    settings: BrokerSettings
    topic: str
    records: int
    size: int = 100
    acks: int = -1
    warmup: int = 0
    producer: Mapping[str, str] = field(default_factory=dict)
    consumer: Mapping[str, str] = field(default_factory=dict)


class NotReadBack(UnreachableError):
    """A record was acknowledged and did not come back in time."""

    def __init__(self, topic: str, number: int, timeout_s: float) -> None:
        super().__init__(
            f"record {number} was sent to topic '{topic}', and was not read within {timeout_s:g} s",
            hint=f"kadmin topics --describe --topic {topic} --unavailable-partitions",
        )


class OtherRecords(KadminError):
    """What was read is not what was sent: there is another producer."""

    def __init__(self, topic: str) -> None:
        super().__init__(
            f"topic '{topic}' has records of another producer, too",
            hint="--create-topic makes a topic for this test alone",
        )


def run_end_to_end(test: EndToEndTest, emit: Callable[[int, float], None]) -> Result:
    """Send and read the records; *emit* takes the number of each that counts, and its ms.

    Raises:
        KadminError: a record is refused, is not read, or others write to the topic as well.
    """
    log = ConnectionLog(test.settings.bootstrap, has_tls=test.settings.tls)
    consumer = open_consumer(
        test.settings,
        {"enable.partition.eof": False, "fetch.wait.max.ms": 500, **test.consumer},
        log,
        debug=False,
    )
    config = {
        **client_config(test.settings, {}, log, debug=False),
        "acks": test.acks,
        "linger.ms": 0,
        "allow.auto.create.topics": False,
        "message.timeout.ms": round(test.settings.timeout_s * 1000),
        **test.producer,
    }
    try:
        producer = create_client(Producer, config)
        return carry(test, producer, consumer, log, emit)
    except KafkaException as error:
        raise log.failure(error.args[0], f"topic '{test.topic}'") from error
    finally:
        consumer.close()


def carry(
    test: EndToEndTest,
    producer: Producer,
    consumer: Consumer,
    log: ConnectionLog,
    emit: Callable[[int, float], None],
) -> Result:
    begin_at_end(test, consumer, log)
    chance = random.Random(0)
    total, warmup = Tally(), Tally()
    started_ms, started = wall_ms(), time.perf_counter()
    for number in range(-test.warmup, test.records):
        if number == 0:
            started_ms, started = wall_ms(), time.perf_counter()
        value = bytes(chance.choices(LETTERS, k=test.size))
        seconds = round_trip(test, producer, consumer, log, value, number)
        tally = warmup if number < 0 else total
        tally.records += 1
        tally.bytes += test.size
        tally.time(seconds)
        if number >= 0:
            emit(number, seconds * 1000)
    return Result(
        tally=total,
        warmup=warmup,
        seconds=time.perf_counter() - started,
        started_ms=started_ms,
    )


def begin_at_end(test: EndToEndTest, consumer: Consumer, log: ConnectionLog) -> None:
    """Let *consumer* read what comes from now on."""
    timeout_s = test.settings.timeout_s
    leaders = leaders_of(consumer, test.topic, log, timeout_s)
    ends = offsets_of(
        consumer,
        [Position(test.topic, partition, LATEST) for partition in leaders],
        log,
        timeout_s,
        waits_for_leaders=True,
    )
    consumer.assign([Position(test.topic, *place) for place in zip(leaders, ends, strict=True)])


def round_trip(
    test: EndToEndTest,
    producer: Producer,
    consumer: Consumer,
    log: ConnectionLog,
    value: bytes,
    number: int,
) -> float:
    """Return the seconds from before a record is sent until it is read; it is acknowledged
    meanwhile."""
    failures: list[KafkaError] = []

    def settled(error: KafkaError | None, _message: object) -> None:
        if error is not None:
            failures.append(error)

    began = time.perf_counter()
    producer.produce(test.topic, value, on_delivery=settled)
    producer.flush(test.settings.timeout_s)
    log.check()
    if failures:
        raise KadminError(
            f"record {number} was not delivered to topic '{test.topic}':"
            f" {plain_reason(failures[0])}",
            hint=f"kadmin topics --describe --topic {test.topic}",
        )
    deadline = began + test.settings.timeout_s
    while (left_s := deadline - time.perf_counter()) > 0:
        message = consumer.poll(left_s)
        if message is None or message.error() is not None:
            log.check()
            continue
        seconds = time.perf_counter() - began
        if message.value() != value:
            raise OtherRecords(test.topic)
        return seconds
    raise NotReadBack(test.topic, number, test.settings.timeout_s)
