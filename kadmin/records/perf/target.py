"""The topics of a performance test: what is in them, and those that are made for it alone."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka import TopicPartition as Position
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from kadmin.errors import KadminError
from kadmin.jvm.interrupts import deferring_interrupts, ending_as_by_ctrl_c
from kadmin.records.client import (
    ConnectionLog,
    NoSuchTopic,
    client_config,
    create_client,
    leaders_of,
    open_consumer,
    plain_reason,
)
from kadmin.records.positions import offsets_of
from kadmin.settings.brokers import BrokerSettings

EARLIEST: Final = -2
LATEST: Final = -1
TICK_S: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A topic as it is before the test; *records* counts what is between its offsets."""

    topic: str
    partitions: int
    records: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTarget:
    """A topic that is made for the test."""

    topic: str
    partitions: int
    replicas: int
    configs: Mapping[str, str]


def look_at(settings: BrokerSettings, topics: Sequence[str]) -> list[Target]:
    """Return *topics* as they are.

    Raises:
        BrokersUnreachable, BrokersDenied, NoSuchTopic: as `leaders_of`.
    """
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    consumer = open_consumer(settings, {}, log, debug=False)
    try:
        found = []
        for topic in topics:
            partitions = leaders_of(consumer, topic, log, settings.timeout_s)
            ends, begins = (
                offsets_of(
                    consumer,
                    [Position(topic, partition, place) for partition in partitions],
                    log,
                    settings.timeout_s,
                    waits_for_leaders=True,
                )
                for place in (LATEST, EARLIEST)
            )
            records = sum(ends) - sum(begins)
            found.append(Target(topic=topic, partitions=len(partitions), records=records))
        return found
    finally:
        consumer.close()


@contextmanager
def made_for_test(settings: BrokerSettings, topics: Sequence[NewTarget]) -> Iterator[None]:
    """Create *topics* for the block, and delete them behind it, also where a signal ends it.

    Raises:
        KadminError: one exists, or cannot be made; then none is left.
    """
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    admin = create_client(AdminClient, client_config(settings, {}, log, debug=False))
    made: list[str] = []
    # A client that is just made has no connection yet: this fails soon where it gets none.
    look_for_brokers(settings)
    with ending_as_by_ctrl_c():
        try:
            for topic in topics:
                # A topic that is made and not noted would be left.
                with deferring_interrupts():
                    create(admin, settings, log, topic)
                    made.append(topic.topic)
            for topic in topics:
                wait_for_leaders(settings, topic.topic, topic.partitions)
            yield
        finally:
            if made:
                delete(admin, settings, made)


def create(
    admin: AdminClient, settings: BrokerSettings, log: ConnectionLog, topic: NewTarget
) -> None:
    new = NewTopic(topic.topic, topic.partitions, topic.replicas, config=dict(topic.configs))
    try:
        for future in admin.create_topics([new], operation_timeout=settings.timeout_s).values():
            future.result()
    except KafkaException as error:
        reason: KafkaError = error.args[0]
        if reason.code() == KafkaError.TOPIC_ALREADY_EXISTS:
            raise KadminError(
                f"topic '{topic.topic}' exists: --create-topic makes one for this test, and deletes"
                " it",
                hint="leave out --create-topic to write to the topic as it is, or name another",
            ) from error
        raise log.failure(reason, f"making topic '{topic.topic}'") from error


def look_for_brokers(settings: BrokerSettings) -> None:
    """See that brokers answer; raises as `leaders_of`, but for topics."""
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    consumer = open_consumer(settings, {}, log, debug=False)
    try:
        leaders_of(consumer, "__kadmin_no_topic", log, settings.timeout_s)
    except NoSuchTopic:
        pass
    finally:
        consumer.close()


def count_brokers(settings: BrokerSettings) -> int:
    """Return how many brokers are alive.

    Raises:
        BrokersUnreachable, BrokersDenied: as `leaders_of`.
    """
    look_for_brokers(settings)
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    admin = create_client(AdminClient, client_config(settings, {}, log, debug=False))
    return len(admin.list_topics(timeout=settings.timeout_s).brokers)


def wait_for_leaders(settings: BrokerSettings, topic: str, partitions: int) -> None:
    """Wait until brokers know *topic* with a leader for each of its *partitions*."""
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    consumer = open_consumer(settings, {}, log, debug=False)
    deadline = time.monotonic() + settings.timeout_s
    try:
        while True:
            try:
                leaders = leaders_of(consumer, topic, log, settings.timeout_s)
            except NoSuchTopic:
                leaders = {}
            if len(leaders) == partitions and min(leaders.values()) >= 0:
                return
            if time.monotonic() > deadline:
                raise KadminError(
                    f"topic '{topic}' was made, and has no leaders within {settings.timeout_s:g} s",
                    hint=f"kadmin topics --describe --topic {topic}",
                )
            time.sleep(TICK_S)
    finally:
        consumer.close()


def delete(admin: AdminClient, settings: BrokerSettings, topics: Sequence[str]) -> None:
    """Delete *topics* that were made for a test.

    Raises:
        KadminError: one is left.
    """
    futures = admin.delete_topics(list(topics), operation_timeout=settings.timeout_s)
    for topic, future in futures.items():
        try:
            future.result()
        except KafkaException as error:
            reason: KafkaError = error.args[0]
            if reason.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                continue  # Another has deleted it, or an answer was lost.
            raise KadminError(
                f"topic '{topic}' was made for this test, and is left: {plain_reason(reason)}",
                hint=f"kadmin topics --delete --topic {topic}",
            ) from error
