"""A producer of a performance test: as many records as it can send, or a rate of them.

Batches are handed to librdkafka whole, and it calls back for each record: all are counted, some of
each batch are timed.  Which records, and what becomes of the numbers, the caller decides.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from kadmin.records.client import (
    ConnectionLog,
    client_config,
    create_client,
    plain_reason,
)
from kadmin.records.perf.clock import wall_ms
from kadmin.records.perf.pace import Pace
from kadmin.records.perf.peers import Peers
from kadmin.records.perf.records import Records, RecordSpec
from kadmin.records.perf.tally import Result, Tally, Window
from kadmin.settings.brokers import BrokerSettings

BATCH: Final = 1_000
TIMED_MAX: Final = 50
"""How many records of one batch are timed: those of one batch share nearly all of their way."""
BUFFER_BYTES: Final = 32 * 1024 * 1024
"""Of records that wait for their answers, as `buffer.memory` of Java's producer."""
DELIVERY_MS: Final = 120_000
"""As `delivery.timeout.ms` of Java's producer."""
IN_FLIGHT: Final = 5
"""How many requests wait on one connection, as in Java's producer.

A broker handles those of one connection one after another, each until all replicas have it.
librdkafka alone has no limit: it sends every few records at once, and they wait at the broker.
With the limit they wait in the client, and go together.
"""
WAITING_MAX: Final = 400_000
TICK_S: Final = 0.001
STATISTICS_MS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ProduceTest:
    """What one producer does: *records* or *seconds*, at a *rate* or as fast as it can.

    The first *warmup* records are sent besides, and counted apart.
    """

    settings: BrokerSettings
    topic: str
    spec: RecordSpec
    records: int | None
    seconds: float | None = None
    rate: float | None = None
    warmup: int = 0
    interval_s: float = 5.0
    wants_metrics: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)

    def shared_by(self, count: int) -> tuple["ProduceTest", ...]:
        """Return what each of *count* processes does of it."""
        return tuple(
            replace(
                self,
                records=None if self.records is None else share(self.records, count, number),
                warmup=share(self.warmup, count, number),
                rate=None if self.rate is None else self.rate / count,
                spec=replace(self.spec, seed=self.spec.seed + number),
            )
            for number in range(count)
        )


def share(amount: int, count: int, number: int) -> int:
    """Return the share of *number* among *count* in *amount*, which is divided without a rest."""
    return amount * (number + 1) // count - amount * number // count


class Phase:
    """The records of the warm-up or of the rest, as their answers come."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.total = Tally()
        self.sent_bytes = self.sent = 0
        self.started = self.ended = 0.0

    def counted(self, error: KafkaError | None, _message: Message) -> None:
        if error is None:
            self.tally.records += 1
        else:
            self.fail(error)

    def timed(self, late_s: float, error: KafkaError | None, message: Message) -> None:
        """Count a record, which was handed over *late_s* later than it was intended."""
        if error is None:
            self.tally.records += 1
            self.tally.time((message.latency() or 0.0) + late_s)
        else:
            self.fail(error)

    def fail(self, error: KafkaError, count: int = 1) -> None:
        self.tally.failed += count
        self.tally.reasons[plain_reason(error)] += count

    def cut(self) -> Tally:
        """Return what came since the last call."""
        part, self.tally = self.tally, Tally()
        part.bytes = part.records * self.sent_bytes // self.sent if self.sent else 0
        self.total.add(part)
        return part


class ProduceRun:
    """One producer while it runs; *emit* takes each window, and is called from `run`."""

    def __init__(self, test: ProduceTest, emit: Callable[[Window], None]) -> None:
        self.test = test
        self.emit = emit
        self.log = ConnectionLog(test.settings.bootstrap, has_tls=test.settings.tls)
        self.statistics: dict[str, float] = {}
        self.producer = create_client(Producer, self.config())
        self.records = Records(test.spec)
        self.waiting_max = max(BATCH, min(WAITING_MAX, BUFFER_BYTES // max(1, test.spec.mean_size)))
        self.warmup, self.phase = Phase(), Phase()
        self.windows: list[Window] = []
        self.started = self.cut_at = 0.0
        self.number = 0
        self.is_stopped = self.is_interrupted = False

    def config(self) -> dict[str, Any]:
        test = self.test
        config = {
            **client_config(test.settings, {}, self.log, debug=False),
            "acks": -1,
            "allow.auto.create.topics": False,
            "message.timeout.ms": DELIVERY_MS,
            "max.in.flight": IN_FLIGHT,
            "queue.buffering.max.messages": 2 * WAITING_MAX,
            "queue.buffering.max.kbytes": 4 * BUFFER_BYTES // 1024,
            **test.properties,
        }
        if test.wants_metrics:
            config |= {"statistics.interval.ms": STATISTICS_MS, "stats_cb": self.note_statistics}
        return config

    def note_statistics(self, text: str) -> None:
        self.statistics = dict(flat(json.loads(text)))

    def run(self, peers: Peers) -> Result:
        """Send all, and return the result when the last answer has come; waits for its *peers*
        first.

        Raises:
            BrokersDenied: the credentials are refused.
        """
        self.producer.list_topics(self.test.topic, timeout=self.test.settings.timeout_s)
        peers.ready()
        started_ms = wall_ms()
        self.started = self.cut_at = time.perf_counter()
        try:
            self.send_all(Pace(self.test.rate, self.started))
            self.drain()
        except KeyboardInterrupt:
            self.is_interrupted = True
            self.end()
        self.cut(time.perf_counter())
        return self.result(started_ms)

    def send_all(self, pace: Pace) -> None:
        wanted_at = self.started
        while not self.is_over():
            now = time.perf_counter()
            count = self.next_count(pace, now)
            if count:
                self.send(count, pace, wanted_at)
                wanted_at = time.perf_counter()
            self.producer.poll(0 if count else TICK_S)
            self.look(now)

    def end(self) -> None:
        """Wait for the answers to what was sent, and after another Ctrl-C no more."""
        try:
            self.drain()
        except KeyboardInterrupt:
            self.producer.purge()
            self.drain()

    def drain(self) -> None:
        """Wait for the answers to all that was sent."""
        while len(self.producer):
            self.producer.poll(TICK_S)
            self.look(time.perf_counter())

    def is_over(self) -> bool:
        test = self.test
        if self.is_stopped:
            return True
        if test.records is not None and self.number >= test.records + test.warmup:
            return True
        since = self.phase.started
        return (
            test.seconds is not None and since > 0 and time.perf_counter() - since >= test.seconds
        )

    def next_count(self, pace: Pace, now: float) -> int:
        """Return how many records to hand over now."""
        test = self.test
        most = min(BATCH, self.waiting_max - len(self.producer))
        if self.number < test.warmup:
            most = min(most, test.warmup - self.number)
        elif test.records is not None:
            most = min(most, test.records + test.warmup - self.number)
        return pace.due(now, self.number, most) if most > 0 else 0

    def send(self, count: int, pace: Pace, wanted_at: float) -> None:
        phase = self.warmup if self.number < self.test.warmup else self.phase
        batch = self.records.take(self.number, count)
        handed_at = time.perf_counter()
        if phase.sent == 0:
            phase.started = handed_at
        for place in range(0, count, -(-count // TIMED_MAX)):
            late_s = handed_at - pace.intended(self.number + place, wanted_at)
            batch[place] = {**batch[place], "callback": partial(phase.timed, late_s)}
        phase.sent += count
        phase.sent_bytes += sum(len(one["value"]) for one in batch)
        self.number += count
        taken = self.producer.produce_batch(self.test.topic, batch, on_delivery=phase.counted)
        if taken < count:
            self.refuse(phase, batch, count - taken)

    def refuse(self, phase: Phase, batch: list[dict[str, Any]], count: int) -> None:
        """Count what librdkafka has not even taken, and send no more: it would take none."""
        codes = [one.pop("_error").code() for one in batch if "_error" in one]
        phase.fail(KafkaError(codes[0] if codes else KafkaError._QUEUE_FULL), count)
        self.is_stopped = True

    def look(self, now: float) -> None:
        """Cut a window when it is time, and see that the brokers take the credentials."""
        if now - self.cut_at >= self.test.interval_s:
            self.log.check()
            self.cut(now)

    def cut(self, now: float) -> None:
        for phase, is_warmup in ((self.warmup, True), (self.phase, False)):
            part = phase.cut()
            if part.records or part.failed:
                phase.ended = now
                window = Window(
                    at_s=now - self.started,
                    seconds=now - max(self.cut_at, phase.started),
                    tally=part,
                    is_warmup=is_warmup,
                )
                self.windows.append(window)
                self.emit(window)
        self.cut_at = now

    def result(self, started_ms: int) -> Result:
        if self.test.wants_metrics:
            deadline = time.perf_counter() + 2 * STATISTICS_MS / 1000
            while not self.statistics and time.perf_counter() < deadline:
                self.producer.poll(TICK_S)
        return Result(
            tally=self.phase.total,
            warmup=self.warmup.total,
            seconds=self.phase.ended - self.phase.started,
            windows=tuple(self.windows),
            started_ms=started_ms,
            metrics=self.statistics,
            is_interrupted=self.is_interrupted,
        )


def run_producer(test: ProduceTest, emit: Callable[[Window], None], peers: Peers) -> Result:
    """Run *test* in this process, beside its *peers*; *emit* takes each window.

    Raises:
        KadminError: no broker answers, or they refuse.
    """
    run = ProduceRun(test, emit)
    try:
        return run.run(peers)
    except KafkaException as error:
        raise run.log.failure(error.args[0], f"topic '{test.topic}'") from error


def flat(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Return the numbers of a JSON document, each with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, float(value)
