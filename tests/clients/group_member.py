"""A member of a group as a process: `python -m tests.clients.group_member LIBRARY …`.

Writes a line of JSON for what happens: its assignment, each record that it has read.  What is read
is committed, again and again until that succeeds; SIGTERM makes the member leave in order.
"""

import asyncio
import json
import signal
import sys
import threading
from collections.abc import Iterable
from typing import Any

SESSION_MS = 2000
HEARTBEAT_MS = 300

stop = threading.Event()
pending: list[str] = []
"""The records that were read and are not committed yet."""


def say(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def take(value: bytes) -> None:
    say(read=value.decode())
    pending.append(value.decode())


def committed() -> None:
    """Say what a commit has kept that was not refused."""
    say(committed=pending[:])
    pending.clear()


def on_assigned(partitions: Iterable[Any]) -> None:
    # Whose commits were refused are read anew, by whoever has them now.
    pending.clear()
    say(assigned=sorted(one.partition for one in partitions))


def run_confluent(bootstrap: str, group: str, topic: str, **options: Any) -> None:
    from confluent_kafka import Consumer, KafkaException

    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": SESSION_MS,
            "heartbeat.interval.ms": HEARTBEAT_MS,
            **options,
        }
    )

    def assigned(_: Any, given: Any) -> None:
        if options:
            # It keeps what it has, and commits it later.
            say(assigned=sorted(one.partition for one in given))
        else:
            on_assigned(given)

    consumer.subscribe([topic], on_assign=assigned)
    while not stop.is_set():
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            take(message.value() or b"")
        if pending:
            try:
                consumer.commit(asynchronous=False)
                committed()
            except KafkaException as error:
                say(failed=repr(error))
    consumer.close()


def run_kafka_python(bootstrap: str, group: str, topic: str) -> None:
    from kafka import ConsumerRebalanceListener, KafkaConsumer
    from kafka.errors import KafkaError

    class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_revoked(self, revoked: Any) -> None:
            pass

        def on_partitions_assigned(self, assigned: Any) -> None:
            on_assigned(assigned)

    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap.split(","),
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        max_poll_records=1,
    )
    consumer.subscribe([topic], listener=Listener())
    # A leader that assigns without the topic's metadata joins again when they come. If that takes
    # longer than a poll, 3.0.12 forgets it: it polls on without partitions and heartbeats.
    consumer.partitions_for_topic(topic)
    while not stop.is_set():
        for records in consumer.poll(200).values():
            for record in records:
                take(record.value)
        if pending:
            try:
                consumer.commit()
                committed()
            except KafkaError as error:
                say(failed=repr(error))
    consumer.close()


async def run_aiokafka(bootstrap: str, group: str, topic: str) -> None:
    from aiokafka import AIOKafkaConsumer
    from aiokafka.abc import ConsumerRebalanceListener
    from aiokafka.errors import KafkaError

    class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
        async def on_partitions_revoked(self, revoked: Any) -> None:
            pass

        async def on_partitions_assigned(self, assigned: Any) -> None:
            on_assigned(assigned)

    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        max_poll_records=1,
    )
    consumer.subscribe([topic], listener=Listener())
    await consumer.start()
    while not stop.is_set():
        for records in (await consumer.getmany(timeout_ms=200)).values():
            for record in records:
                take(record.value)
        if pending:
            try:
                await consumer.commit()
                committed()
            except KafkaError as error:
                say(failed=repr(error))
    await consumer.stop()


def main(library: str, bootstrap: str, group: str, topic: str) -> None:
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    match library:
        case "librdkafka":
            run_confluent(bootstrap, group, topic)
        case "librdkafka-cooperative":
            strategy = "cooperative-sticky"
            run_confluent(bootstrap, group, topic, **{"partition.assignment.strategy": strategy})
        case "kafka-python":
            run_kafka_python(bootstrap, group, topic)
        case "aiokafka":
            asyncio.run(run_aiokafka(bootstrap, group, topic))


if __name__ == "__main__":
    main(*sys.argv[1:])
