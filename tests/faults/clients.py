"""Producers that note what was acknowledged, and whoever reads it back."""

import threading
import time
from collections import defaultdict
from typing import Any, Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)

POLL_S: Final = 0.01
FLUSH_S: Final = 120
READ_S: Final = 60


class Acknowledged:
    """Which value was acknowledged at which offset, by partition."""

    def __init__(self) -> None:
        self.values: dict[int, dict[int, bytes]] = defaultdict(dict)
        self.without_offset: dict[int, set[bytes]] = defaultdict(set)
        """Those that the library knows of by the answers to later ones only."""
        self.count = 0
        self.failures: dict[str, int] = defaultdict(int)
        self.worst_s = 0.0

    def note(self, error: KafkaError | None, message: Any) -> None:
        """An answer of the cluster to one record."""
        if error is not None:
            self.failures[error.name()] += 1
            return
        self.count += 1
        self.worst_s = max(self.worst_s, message.latency())
        if message.offset() is None or message.offset() < 0:
            self.without_offset[message.partition()].add(message.value())
            return
        before = self.values[message.partition()].setdefault(message.offset(), message.value())
        assert before == message.value(), f"two records were acknowledged at {message.offset()}"


class SteadyProducer:
    """Sends numbered records to all partitions in turn, acks=all and idempotent, in a thread."""

    def __init__(self, bootstrap: str, topic: str, partitions: int, per_second: int) -> None:
        self._topic = topic
        self._partitions = partitions
        self._pause_s = 1 / per_second
        self._library = Producer(
            {
                "bootstrap.servers": bootstrap,
                "log_level": 0,
                "enable.idempotence": True,
                "acks": "all",
                "linger.ms": 2,
                "message.timeout.ms": 1000 * FLUSH_S,
                "socket.timeout.ms": 5000,
                "reconnect.backoff.max.ms": 1000,
            }
        )
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="producer")
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
        while not self._is_over.is_set():
            try:
                self._library.produce(
                    self._topic,
                    b"%d" % self.sent,
                    partition=self.sent % self._partitions,
                    on_delivery=self.acknowledged.note,
                )
                self.sent += 1
            except BufferError:
                self._library.poll(POLL_S)
            self._library.poll(0)
            time.sleep(self._pause_s)

    def stop(self) -> Acknowledged:
        """Send nothing more, and wait for the answers to what was sent.

        None come once it has given up.
        """
        self._is_over.set()
        self._thread.join()
        if self.has_given_up:
            return self.acknowledged
        left = self._library.flush(FLUSH_S)
        assert left == 0, f"{left} records were neither acknowledged nor refused in {FLUSH_S} s"
        return self.acknowledged


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
        deadline = time.monotonic() + READ_S
        while len(at_end) < partitions:
            assert time.monotonic() < deadline, f"only {sorted(at_end)} were read to the end"
            message = consumer.poll(1.0)
            if message is None:
                continue
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


def problems(acknowledged: Acknowledged, found: dict[int, list[tuple[int, bytes]]]) -> list[str]:
    """What is wrong with what was read back; empty when nothing is."""
    wrong = []
    for index, values in acknowledged.values.items():
        records = found.get(index, [])
        offsets = [offset for offset, _ in records]
        if offsets != sorted(set(offsets)):
            wrong.append(f"partition {index}: offsets do not rise")
        by_offset = dict(records)
        lost = [offset for offset, value in values.items() if by_offset.get(offset) != value]
        if lost:
            wrong.append(
                f"partition {index}: {len(lost)} of {len(values)} acknowledged records are not"
                f" where they were acknowledged, the first at {min(lost)}"
            )
        seen = [value for _, value in records]
        missing = acknowledged.without_offset[index] - set(seen)
        if missing:
            wrong.append(
                f"partition {index}: {len(missing)} records were acknowledged without an offset,"
                f" and are nowhere, as {min(missing).decode()}"
            )
        if len(set(seen)) != len(seen):
            wrong.append(f"partition {index}: {len(seen) - len(set(seen))} records are there twice")
        numbers = [int(value) for value in seen]
        if numbers != sorted(numbers):
            wrong.append(f"partition {index}: records are not in the order in which they were sent")
    return wrong
