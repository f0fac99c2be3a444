"""What was acknowledged while the cluster around a producer changed, and is all of it still there?

One idempotent librdkafka producer with acks=all, which never gives a record up.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final

from confluent_kafka import Producer

from tests.clients.confluent import Confluent
from tests.support.waiting import wait_until

PAUSE_S: Final = 0.005
FLUSH_S: Final = 60
PROGRESS: Final = 100
# Kafka's leader waits for a follower that is about to join the ISR before it counts records as
# committed.  If that one ends just then, it looks again only when others fetch news; a producer
# whose connection waits sends none until the 30 s of its request are over.
PROGRESS_S: Final = 60


class SteadyProducer:
    """Sends numbers to all partitions of *topic* in turn, some hundreds a second."""

    def __init__(self, bootstrap: str, topic: str, partitions: int) -> None:
        self.topic = topic
        self.acknowledged: dict[int, dict[int, bytes]] = {n: {} for n in range(partitions)}
        """The value at each offset of each partition."""
        self.without_offset: set[bytes] = set()
        """Acknowledged by what the broker said of later ones: the library does not know where."""
        self.refused: list[Any] = []
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "acks": "all",
                "linger.ms": 5,
                "message.timeout.ms": 120_000,
                "topic.metadata.refresh.interval.ms": 1000,
                "reconnect.backoff.max.ms": 500,
            }
        )
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    @property
    def count(self) -> int:
        """How many records were acknowledged so far."""
        return sum(map(len, self.acknowledged.values())) + len(self.without_offset)

    def _run(self) -> None:
        for number in count():
            if self._ended.wait(PAUSE_S):
                return
            self._producer.produce(
                self.topic,
                b"%d" % number,
                partition=number % len(self.acknowledged),
                on_delivery=self._answered,
            )
            self._producer.poll(0)

    def _answered(self, error: Any, message: Any) -> None:
        if error is not None:
            self.refused.append(error)
            return
        if message.offset() is None:
            self.without_offset.add(message.value())
            return
        offsets = self.acknowledged[message.partition()]
        assert message.offset() not in offsets
        offsets[message.offset()] = message.value()

    def start(self) -> None:
        self._thread.start()

    def make_progress(self) -> None:
        """Wait until so many more records are acknowledged that the cluster is seen to work."""
        wanted = self.count + PROGRESS
        what = f"{PROGRESS} more acknowledgements"
        wait_until(lambda: self.count >= wanted, timeout_s=PROGRESS_S, what=what)

    def end(self) -> None:
        """Send no more."""
        self._ended.set()
        self._thread.join()

    def finish(self) -> None:
        """Send no more, and wait until all that was sent is acknowledged."""
        self.end()
        assert self._producer.flush(FLUSH_S) == 0
        assert not self.refused

    def check(self, bootstrap: str) -> None:
        """All comes back: each record at its offset, exactly once, in the order it was sent."""
        found: set[bytes] = set()
        for partition, offsets in self.acknowledged.items():
            end_offset = Confluent(bootstrap).ends(self.topic, partition)[1]
            got = Confluent(bootstrap).consume(self.topic, partition, 0, end_offset)
            values = {one.offset: one.record.value or b"" for one in got}
            assert list(range(end_offset)) == sorted(values)
            assert offsets.items() <= values.items()
            numbers = [int(values[offset]) for offset in range(end_offset)]
            assert sorted(set(numbers)) == numbers
            found.update(value for offset, value in values.items() if offset not in offsets)
        assert self.without_offset == found


@contextmanager
def steady_producer(bootstrap: str, topic: str, partitions: int) -> Iterator[SteadyProducer]:
    """A producer that sends until it is finished, or the test is."""
    producer = SteadyProducer(bootstrap, topic, partitions)
    producer.start()
    try:
        yield producer
    finally:
        producer.end()
