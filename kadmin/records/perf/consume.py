"""A consumer of a performance test: how fast do records come, and how old are they?"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as Position

from kadmin.records.client import ConnectionLog, open_consumer
from kadmin.records.perf.clock import wall_ms
from kadmin.records.perf.peers import Peers
from kadmin.records.perf.produce import STATISTICS_MS, flat
from kadmin.records.perf.tally import Result, Tally, Window
from kadmin.settings.brokers import BrokerSettings

BATCH: Final = 10_000
TICK_S: Final = 0.05
TIMED_MAX: Final = 50
"""How many records of one call are timed."""
PROPERTIES: Final = {
    "enable.partition.eof": False,
    "partition.assignment.strategy": "range",
    # A full queue stops the requests for so long: the usual second would be measured, not brokers.
    "fetch.queue.backoff.ms": 5,
    "queued.max.messages.kbytes": 256 * 1024,
    "queued.min.messages": 1_000_000,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumeTest:
    """What one consumer does: read *topic* as a member of *group*, until all its members together
    have *records*, or none has come for *idle_s*.

    With *is_timed* the age of records is measured, by their timestamps and the clock here.
    """

    settings: BrokerSettings
    topic: str
    group: str
    records: int
    idle_s: float = 10.0
    from_latest: bool = False
    is_timed: bool = False
    interval_s: float = 5.0
    wants_metrics: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)


class ConsumeRun:
    """One consumer while it runs; *emit* takes each window."""

    def __init__(self, test: ConsumeTest, emit: Callable[[Window], None]) -> None:
        self.test = test
        self.emit = emit
        self.log = ConnectionLog(test.settings.bootstrap, has_tls=test.settings.tls)
        properties: dict[str, Any] = {
            **PROPERTIES,
            "group.id": test.group,
            "auto.offset.reset": "latest" if test.from_latest else "earliest",
            # Nothing: a group that a test joins reads on where it was.
            "enable.auto.commit": False,
            **test.properties,
        }
        self.statistics: dict[str, float] = {}
        if test.wants_metrics:
            properties |= {
                "statistics.interval.ms": STATISTICS_MS,
                "stats_cb": self.note_statistics,
            }
        self.consumer = open_consumer(test.settings, properties, self.log, debug=False)
        self.tally, self.total = Tally(), Tally()
        self.windows: list[Window] = []
        self.started = self.cut_at = 0.0
        self.joining_since: float | None = None
        self.is_interrupted = False
        self.rebalance_s = self.reported_rebalance_s = 0.0

    def note_statistics(self, text: str) -> None:
        self.statistics = dict(flat(json.loads(text)))

    def run(self, peers: Peers) -> Result:
        """Read until all that is wanted has come, or nothing more comes.

        No member leaves before: the others would read its partitions again.
        """
        peers.ready()
        started_ms = wall_ms()
        self.started = self.cut_at = time.perf_counter()
        self.joining_since = self.started
        self.consumer.subscribe(
            [self.test.topic], on_assign=self.on_assign, on_revoke=self.on_revoke
        )
        try:
            self.read(peers)
        except KeyboardInterrupt:
            self.is_interrupted = True
        ended = time.perf_counter()
        self.cut(ended)
        return Result(
            tally=self.total,
            seconds=ended - self.started,
            windows=tuple(self.windows),
            rebalance_s=self.rebalance_s,
            started_ms=started_ms,
            is_interrupted=self.is_interrupted,
            metrics=self.statistics,
        )

    def read(self, peers: Peers) -> None:
        done, last_at = 0, self.started
        while done < self.test.records:
            batch = self.consumer.consume(min(BATCH, self.test.records - done), TICK_S)
            now = time.perf_counter()
            before, done = done, peers.add(self.count(batch))
            if done > before or self.is_joining(now):
                last_at = now
            elif now - last_at >= self.test.idle_s:
                break
            self.log.check()
            if now - self.cut_at >= self.test.interval_s:
                self.cut(now)

    def is_joining(self, now: float) -> bool:
        """Return whether the group still has to assign partitions, for which it has its time."""
        since = self.joining_since
        return since is not None and now - since < self.test.settings.timeout_s

    def count(self, batch: list[Message]) -> int:
        """Count the records of *batch*, and return how many these are."""
        errors = [error for error in (one.error() for one in batch) if error is not None]
        if errors:
            self.check(errors)
            batch = [one for one in batch if one.error() is None]
        tally = self.tally
        tally.records += len(batch)
        tally.bytes += sum(map(len, batch))
        if batch and batch[0].key() is not None:
            tally.bytes += sum(len(one.key() or b"") for one in batch)
        if self.test.is_timed:
            now_ms = wall_ms()
            for one in batch[:: -(-len(batch) // TIMED_MAX) or 1]:
                tally.time((now_ms - one.timestamp()[1]) / 1000)
        return len(batch)

    def check(self, errors: list[KafkaError]) -> None:
        """Raise what cannot pass; a lost connection is tried again."""
        for error in errors:
            if error.code() not in (KafkaError._PARTITION_EOF, KafkaError._ALL_BROKERS_DOWN):
                raise self.log.failure(error, f"reading topic '{self.test.topic}'")

    def on_assign(self, _consumer: Consumer, _partitions: list[Position]) -> None:
        if self.joining_since is not None:
            self.rebalance_s += time.perf_counter() - self.joining_since
            self.joining_since = None

    def on_revoke(self, _consumer: Consumer, _partitions: list[Position]) -> None:
        self.joining_since = time.perf_counter()

    def cut(self, now: float) -> None:
        part, self.tally = self.tally, Tally()
        self.total.add(part)
        window = Window(
            at_s=now - self.started,
            seconds=now - self.cut_at,
            tally=part,
            rebalance_s=self.rebalance_s - self.reported_rebalance_s,
        )
        self.reported_rebalance_s = self.rebalance_s
        self.windows.append(window)
        self.emit(window)
        self.cut_at = now


def run_consumer(test: ConsumeTest, emit: Callable[[Window], None], peers: Peers) -> Result:
    """Run *test* in this process, beside its *peers*; *emit* takes each window.

    Raises:
        KadminError: no broker answers, or they refuse.
    """
    run = ConsumeRun(test, emit)
    try:
        return run.run(peers)
    except KafkaException as error:
        raise run.log.failure(error.args[0], f"reading topic '{test.topic}'") from error
    finally:
        run.consumer.close()
