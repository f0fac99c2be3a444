"""An idempotent producer amid changes of its cluster, and a check of what was acknowledged to it.

One idempotent librdkafka producer with acks=all, which never gives a record up, and whoever reads
everything back.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)

from tests.support.waiting import OUTER_LIMIT_S, wait_until

POLL_S: Final = 0.01
PROGRESS: Final = 100


class Acknowledged:
    """Which value was acknowledged at which offset, by partition."""

    def __init__(self) -> None:
        self.values: dict[int, dict[int, bytes]] = defaultdict(dict)
        self.without_offset: dict[int, set[bytes]] = defaultdict(set)
        """Acknowledged by what the broker said of later ones: the library does not know where."""
        self.count = 0
        self.failures: dict[str, int] = defaultdict(int)
        self.worst_s = 0.0
        self.last_s: dict[int, float] = {}
        """When the last record of each partition was acknowledged, by the steady clock."""

    def note(self, error: KafkaError | None, message: Any) -> None:
        """An answer of the cluster to one record."""
        if error is not None:
            self.failures[error.name()] += 1
            return
        self.count += 1
        self.worst_s = max(self.worst_s, message.latency())
        self.last_s[message.partition()] = time.monotonic()
        if message.offset() is None or message.offset() < 0:
            self.without_offset[message.partition()].add(message.value())
            return
        values = self.values[message.partition()]
        if message.offset() in values:
            # No assertion: it would end the thread that sends, and nobody would hear of it.
            self.failures[f"two were acknowledged at {message.offset()}"] += 1
        values[message.offset()] = message.value()


class AckedProducer:
    """Sends numbers to all partitions of *topic* in turn, in a thread."""

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        partitions: int,
        *,
        per_second: int = 200,
        flush_s: float = OUTER_LIMIT_S,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """*config* is what librdkafka shall go by besides; *flush_s* how long the last answers may
        take.
        """
        self.topic = topic
        self.partitions = partitions
        self._pause_s = 1 / per_second
        self._flush_s = flush_s
        self._library = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "acks": "all",
                "message.timeout.ms": 1000 * OUTER_LIMIT_S,
                **(config or {}),
            }
        )
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="producer", daemon=True)
        self.acknowledged = Acknowledged()
        self.sent = 0
        self.has_given_up = False
        """Whether an error was fatal to the library: it sends nothing any more."""

    def start(self) -> None:
        self._thread.start()

    def _run(self) -> None:
        try:
            self._send()
        except KafkaException as exception:
            self.acknowledged.failures[exception.args[0].str()] += 1
            self.has_given_up = True

    def _send(self) -> None:
        while True:
            try:
                self._library.produce(
                    self.topic,
                    b"%d" % self.sent,
                    partition=self.sent % self.partitions,
                    on_delivery=self.acknowledged.note,
                )
                self.sent += 1
            except BufferError:
                self._library.poll(POLL_S)
            self._library.poll(0)
            if self._is_over.wait(self._pause_s):
                return

    def make_progress(self) -> None:
        """Wait until so many more records are acknowledged that the cluster is seen to work.

        That may take half a minute.  Kafka's leader waits for a follower that is about to join the
        ISR before it counts records as committed.  If that one ends just then, the leader looks
        again only when others fetch news; a producer whose connection waits sends none until the
        30 s of its request are over.
        """
        wanted = self.acknowledged.count + PROGRESS

        def is_reached() -> bool:
            assert not self.has_given_up, f"it sends no more: {self.acknowledged.failures}"
            return self.acknowledged.count >= wanted

        try:
            wait_until(is_reached, what=f"{PROGRESS} more acknowledgements")
        except AssertionError as error:
            raise AssertionError(f"{error}; {self.standing()}") from error

    def standing(self) -> str:
        """Return what tells a library that waits from a cluster that does not answer."""
        now_s = time.monotonic()
        thread = "runs" if self._thread.is_alive() else "has ended"
        ages = {index: round(now_s - at) for index, at in self.acknowledged.last_s.items()}
        return (
            f"{self.sent} were sent and {self.acknowledged.count} acknowledged,"
            f" {len(self._library)} are in the library; its thread {thread};"
            f" seconds since the last of each partition: {ages};"
            f" failures: {dict(self.acknowledged.failures)}"
        )

    def end(self) -> None:
        """Send no more."""
        self._is_over.set()
        self._thread.join()

    def stop(self) -> Acknowledged:
        """Send no more, and wait for the answers to what was sent.

        None come once it has given up.
        """
        self.end()
        if self.has_given_up:
            return self.acknowledged
        left = self._library.flush(self._flush_s)
        assert left == 0, f"{left} records were neither acknowledged nor refused"
        return self.acknowledged

    def finish(self) -> None:
        """Send no more, and wait until all that was sent is acknowledged."""
        assert not self.stop().failures

    def problems(self, bootstrap: str) -> list[str]:
        """What is wrong with what comes back; nothing where each record that was acknowledged is at
        its offset, exactly once, and all are in the order in which they were sent.
        """
        found = read_back(bootstrap, self.topic, self.partitions)
        return [
            f"partition {index}: {text}"
            for index in range(self.partitions)
            for text in problems_of(
                self.acknowledged.values[index],
                self.acknowledged.without_offset[index],
                found[index],
            )
        ]


def read_back(bootstrap: str, topic: str, partitions: int) -> dict[int, list[tuple[int, bytes]]]:
    """All records of *topic* from the beginning to the end, by partition, as consumers get them."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "log_level": 0,
            "group.id": "reader",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    found: dict[int, list[tuple[int, bytes]]] = {index: [] for index in range(partitions)}
    at_end: set[int] = set()
    try:
        consumer.assign(
            [TopicPartition(topic, index, OFFSET_BEGINNING) for index in range(partitions)]
        )
        while len(at_end) < partitions:
            message = consumer.poll(OUTER_LIMIT_S)
            assert message is not None, f"only {sorted(at_end)} were read to the end"
            error, index = message.error(), message.partition()
            assert index is not None
            if error is None:
                offset, value = message.offset(), message.value()
                assert offset is not None
                assert value is not None
                found[index].append((offset, value))
            elif error.code() == KafkaError._PARTITION_EOF:
                at_end.add(index)
    finally:
        consumer.close()
    return found


def problems_of(
    acknowledged: Mapping[int, bytes],
    without_offset: set[bytes],
    records: Sequence[tuple[int, bytes]],
) -> Iterator[str]:
    """What is wrong with the *records* of one partition, offset and value of each."""
    offsets = [offset for offset, _ in records]
    if offsets != list(range(len(offsets))):
        yield "offsets do not rise one by one"
    by_offset = dict(records)
    lost = [offset for offset, value in acknowledged.items() if by_offset.get(offset) != value]
    if lost:
        yield (
            f"{len(lost)} of {len(acknowledged)} acknowledged records are not where they were"
            f" acknowledged, the first at {min(lost)}"
        )
    values = [value for _, value in records]
    twice = len(values) - len(set(values))
    if twice:
        yield f"{twice} records are there twice"
    numbers = list(map(int, values))
    if numbers != sorted(numbers):
        yield "records are not in the order in which they were sent"
    others = {value for offset, value in records if offset not in acknowledged}
    if others != without_offset:
        yield (
            f"{len(without_offset - others)} of {len(without_offset)} records that were"
            f" acknowledged without an offset are nowhere, and {len(others - without_offset)} are"
            " there that were not acknowledged"
        )


@contextmanager
def acked_producer(
    bootstrap: str, topic: str, partitions: int, config: Mapping[str, Any]
) -> Iterator[AckedProducer]:
    """A producer that sends until it is finished, or the test is."""
    producer = AckedProducer(bootstrap, topic, partitions, config=config)
    producer.start()
    try:
        yield producer
    finally:
        producer.end()
