"""Commits of groups, and members that only hold their partitions, by librdkafka."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, TopicPartition

from tests.support.waiting import wait_until


def config(bootstrap: str, group: str, **options: Any) -> dict[str, Any]:
    return {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        **{name.replace("_", "."): value for name, value in options.items()},
    }


def commit(bootstrap: str, group: str, topic: str, partition: int, offset: int) -> None:
    """Commit *offset* for *group*, which no member joins for that."""
    consumer = Consumer(config(bootstrap, group))
    try:
        consumer.commit(offsets=[TopicPartition(topic, partition, offset)], asynchronous=False)
    finally:
        consumer.close()


@contextmanager
def joined(bootstrap: str, group: str, topic: str, **options: Any) -> Iterator[Consumer]:
    """A member of *group* that has partitions of *topic*, and leaves at the end."""
    consumer = Consumer(config(bootstrap, group, **options))

    def has_partitions() -> bool:
        consumer.poll(0.1)
        return bool(consumer.assignment())

    try:
        consumer.subscribe([topic])
        wait_until(has_partitions, what=f"a member of {group}")
        yield consumer
    finally:
        consumer.close()
