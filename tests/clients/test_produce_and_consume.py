"""Records through the broker by each client library, unmodified."""

import threading
from typing import Any

import pytest

from tests.clients.drivers import Confluent, Driver, Got, Sent
from tests.support.brokers import Broker

pytestmark = [
    pytest.mark.clients,
    pytest.mark.zk,
    # kafka-python reads its schemas by a function that Python is about to drop.
    pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning"),
    # What a library leaves to the collector of garbage says nothing about the broker.
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning"
    ),
]

START_MS = 1_700_000_000_000


def records(count: int, partition: int = 0) -> list[Sent]:
    return [
        Sent(
            b"value %d" % number,
            None if number % 3 == 0 else b"key %d" % number,
            partition,
            START_MS + number,
            (("number", b"%d" % number), ("empty", b"")) if number % 2 else (),
        )
        for number in range(count)
    ]


def numbered(sent: list[Sent], first: int = 0) -> list[Got]:
    return [Got(first + number, record) for number, record in enumerate(sent)]


@pytest.mark.parametrize("acks", [0, 1, "all"])
def test_records_come_back_as_they_were_sent(client: Driver, topic: str, acks: Any):
    client.create_topic(topic)
    sent = records(50)

    offsets = client.produce(topic, sent, acks=acks)

    # Nobody answers a producer without acks, so nobody tells it offsets.
    assert acks == 0 or list(range(50)) == offsets
    assert numbered(sent) == client.consume(topic, 0, 0, 50)


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_compressed_records_come_back_and_are_found_by_their_times(
    client: Driver, topic: str, codec: str
):
    if codec not in client.codecs:
        pytest.skip(f"the library needs another one for {codec}")
    client.create_topic(topic)
    sent = records(100)

    client.produce(topic, sent, compression_type=codec)

    assert numbered(sent) == client.consume(topic, 0, 0, 100)
    assert 42 == client.offset_at(topic, 0, START_MS + 42)


def test_an_idempotent_producer_works(client: Driver, topic: str):
    client.create_topic(topic)

    first = client.produce(topic, records(10), enable_idempotence=True)
    second = client.produce(topic, records(10), enable_idempotence=True)

    assert list(range(20)) == first + second


def test_partitions_are_apart(client: Driver, topic: str):
    client.create_topic(topic, 3)

    client.produce(topic, records(5, partition=2))

    assert [(0, 0), (0, 0), (0, 5)] == [client.ends(topic, index) for index in range(3)]
    assert numbered(records(5, partition=2))[3:] == client.consume(topic, 2, 3, 2)


def test_times_are_found(client: Driver, topic: str):
    client.create_topic(topic)
    client.produce(topic, records(20))

    assert [0, 7, None] == [
        client.offset_at(topic, 0, START_MS + after) for after in (-1000, 7, 1000)
    ]


def test_a_consumer_that_waits_gets_what_is_sent_meanwhile(client: Driver, topic: str):
    client.create_topic(topic)
    got: list[Got] = []
    reader = threading.Thread(target=lambda: got.extend(client.consume(topic, 0, 0, 3)))
    reader.start()

    client.produce(topic, records(3))
    reader.join(30)

    assert numbered(records(3)) == got


def test_large_records_come_back(client: Driver, topic: str):
    client.create_topic(topic)
    sent = [Sent(bytes([number]) * 400_000) for number in range(5)]

    client.produce(topic, sent)

    assert numbered(sent) == client.consume(topic, 0, 0, 5)


def test_a_topic_that_nobody_made_is_made_for_a_producer(client: Driver, topic: str):
    assert [0, 1] == client.produce(topic, records(2))
    assert (0, 0) == client.ends(topic, 1)


def test_the_brokers_times_are_told(client: Driver, topic: str):
    client.create_topic(topic, 1, {"message.timestamp.type": "LogAppendTime"})
    client.produce(topic, records(2))

    times = {got.record.timestamp_ms for got in client.consume(topic, 0, 0, 2)}

    assert min(times) > START_MS + 1000


def test_many_records_come_through_in_order(broker: Broker, topic: str):
    driver = Confluent(broker.bootstrap)
    driver.create_topic(topic)
    sent = [Sent(b"%100d" % number) for number in range(50_000)]

    driver.produce(topic, sent, linger_ms=5, enable_idempotence=True)

    assert sent == [got.record for got in driver.consume(topic, 0, 0, len(sent))]


def test_a_transactional_producer_gets_a_clear_error(broker: Broker):
    from confluent_kafka import KafkaException, Producer

    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": "t"})

    with pytest.raises(KafkaException) as refused:
        producer.init_transactions(10)
    assert not refused.value.args[0].retriable()
