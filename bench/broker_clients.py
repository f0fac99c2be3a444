"""Real clients that produce and consume without Python code for each record.

librdkafka is called ten thousand records at a time, through the library of confluent-kafka; kcat
and Kafka's own performance tool are separate processes.
"""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from bench.broker_wire import Wire, end_offset
from bench.measure import kafka_tool, run

PRODUCER: Final = 0
COPY: Final = 2
ALL_PARTITIONS: Final = -1
"""A partition of its own choice for each batch."""
BATCH: Final = 10_000
QUEUE_MAX: Final = 500_000
PAUSE_MS: Final = 5
FLUSH_MS: Final = 120_000
TOOL_TIMEOUT_S: Final = 300
REPORT: Final = re.compile(r"^(\d+) records sent, ([\d.]+) records/sec .*", re.MULTILINE)


class Message(ctypes.Structure):
    """`rd_kafka_message_t`."""

    _fields_ = (
        ("err", ctypes.c_int),
        ("topic", ctypes.c_void_p),
        ("partition", ctypes.c_int32),
        ("payload", ctypes.c_char_p),
        ("size", ctypes.c_size_t),
        ("key", ctypes.c_void_p),
        ("key_size", ctypes.c_size_t),
        ("offset", ctypes.c_int64),
        ("private", ctypes.c_void_p),
    )


class Librdkafka:
    """The producer of librdkafka."""

    def __init__(self) -> None:
        import confluent_kafka

        place = Path(confluent_kafka.__file__).parent.with_name("confluent_kafka.libs")
        (library,) = place.glob("librdkafka-*")
        c = self.c = ctypes.CDLL(str(library))
        pointer, text = ctypes.c_void_p, ctypes.c_char_p
        c.rd_kafka_conf_new.restype = pointer
        c.rd_kafka_conf_set.argtypes = [pointer, text, text, text, ctypes.c_size_t]
        c.rd_kafka_new.restype = pointer
        c.rd_kafka_new.argtypes = [ctypes.c_int, pointer, text, ctypes.c_size_t]
        c.rd_kafka_topic_new.restype = pointer
        c.rd_kafka_topic_new.argtypes = [pointer, text, pointer]
        c.rd_kafka_topic_destroy.argtypes = [pointer]
        c.rd_kafka_destroy.argtypes = [pointer]
        c.rd_kafka_poll.argtypes = [pointer, ctypes.c_int]
        c.rd_kafka_flush.argtypes = [pointer, ctypes.c_int]
        number, messages = ctypes.c_int, ctypes.POINTER(Message)
        c.rd_kafka_produce_batch.argtypes = [pointer, ctypes.c_int32, number, messages, number]

    def produce(
        self,
        bootstrap: str,
        topic: str,
        records: int,
        record_size: int,
        acks: int = 1,
        partition: int = 0,
    ) -> None:
        """Send *records* to *partition*, or to ALL_PARTITIONS; returns when all are acknowledged by
        *acks*.
        """
        c = self.c
        settings = {
            "bootstrap.servers": bootstrap,
            "acks": str(acks),
            "linger.ms": "5",
            "batch.num.messages": str(BATCH),
            "queue.buffering.max.messages": str(QUEUE_MAX),
            "queue.buffering.max.kbytes": "1000000",
        }
        said = ctypes.create_string_buffer(500)
        conf = c.rd_kafka_conf_new()
        for name, value in settings.items():
            if c.rd_kafka_conf_set(conf, name.encode(), value.encode(), said, len(said)) != 0:
                raise SystemExit(said.value.decode())
        client = c.rd_kafka_new(PRODUCER, conf, said, len(said))
        if client is None:
            raise SystemExit(said.value.decode())
        handle = c.rd_kafka_topic_new(client, topic.encode(), None)
        payload = b"v" * record_size
        messages = (Message * BATCH)()
        for message in messages:
            message.payload, message.size = payload, record_size
        sent = 0
        while sent < records:
            count = min(BATCH, records - sent)
            taken = c.rd_kafka_produce_batch(handle, partition, COPY, messages, count)
            sent += taken
            if taken < count:
                c.rd_kafka_poll(client, PAUSE_MS)
        if c.rd_kafka_flush(client, FLUSH_MS) != 0:
            raise SystemExit(f"librdkafka still had records after {FLUSH_MS} ms")
        c.rd_kafka_topic_destroy(handle)
        c.rd_kafka_destroy(client)

    def produce_checked(self, wire: Wire, bootstrap: str, topic: str, count: int, size: int) -> int:
        """As `produce`, and check the log's end, since there are no reports of single records
        here.
        """
        before = end_offset(wire, topic)
        self.produce(bootstrap, topic, count, size)
        arrived = end_offset(wire, topic) - before
        if arrived != count:
            raise SystemExit(f"{arrived} of {count} records arrived")
        return arrived


def has_kcat() -> bool:
    return shutil.which("kcat") is not None


def kcat_consume(bootstrap: str, topic: str, count: int) -> None:
    """Read *count* records of all partitions from their beginnings.

    librdkafka sends no request for half a second when its queue is full: without a long queue this
    would measure how often a broker is fast enough for that, and not how fast.
    """
    words = ("-C", "-b", bootstrap, "-t", topic, "-o", "beginning", "-q", "-f", "")
    queue = ("-X", "queued.min.messages=10000000", "-X", "queued.max.messages.kbytes=1000000")
    run(["kcat", *words, *queue, "-c", str(count)])


def perf_tool(class_path: str, bootstrap: str, topic: str, count: int, size: int) -> float:
    """Run kafka-producer-perf-test; returns the time that it reports for sending, in s."""
    command = kafka_tool(
        class_path,
        "org.apache.kafka.tools.ProducerPerformance",
        *("--topic", topic, "--num-records", str(count), "--record-size", str(size)),
        *("--throughput", "-1", "--producer-props", f"bootstrap.servers={bootstrap}"),
        *("acks=1", "batch.size=131072", "linger.ms=5", "enable.idempotence=false"),
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=TOOL_TIMEOUT_S)
    found = REPORT.findall(done.stdout)
    if done.returncode != 0 or not found or int(found[-1][0]) != count:
        raise SystemExit(f"kafka-producer-perf-test failed:\n{done.stdout}\n{done.stderr}")
    return count / float(found[-1][1])
