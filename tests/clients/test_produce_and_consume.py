"""Records through the broker by each client library, unmodified."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from confluent_kafka import KafkaError

from cluster.model.error_codes import ErrorCode
from tests.clients.confluent import Confluent
from tests.clients.driver import BEGINNING, END, STARTED_MS, Driver, Got, Refused, Sent
from tests.clients.marks import LIBRARIES
from tests.support.brokers import Broker
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = [pytest.mark.clients, *LIBRARIES]

START_MS = STARTED_MS - 3_600_000


def records(count: int, partition: int = 0) -> list[Sent]:
    return [
        Sent(
            None if number % 6 == 1 else b"value %d" % number if number % 6 else b"",
            b"key %d" % number if number % 3 else None,
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


@pytest.mark.smoke
def test_one_consumer_follows_several_partitions(client: Driver, topic: str):
    client.create_topic(topic, 3)
    client.produce(topic, records(4, partition=2))
    places = {0: BEGINNING, 1: 0, 2: 3}
    with ThreadPoolExecutor(1) as pool, client.producer() as producer:
        reading = pool.submit(client.consume_several, topic, places, 13)

        for partition in (0, 1, 2, 0):
            producer.send(topic, records(3, partition))
        got = reading.result(OUTER_LIMIT_S)

    offsets = [[one.offset for one in got if one.record.partition == index] for index in range(3)]
    assert [list(range(6)), list(range(3)), list(range(3, 7))] == offsets


def test_times_are_found(client: Driver, topic: str):
    client.create_topic(topic)
    client.produce(topic, records(20))

    assert [0, 7, None] == [
        client.offset_at(topic, 0, START_MS + after) for after in (-1000, 7, 1000)
    ]


def test_a_consumer_that_waits_gets_what_is_sent_meanwhile(client: Driver, topic: str):
    client.create_topic(topic)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(client.consume, topic, 0, 0, 3)

        client.produce(topic, records(3))

        assert numbered(records(3)) == reading.result(OUTER_LIMIT_S)


def test_a_consumer_at_the_end_gets_what_is_sent_from_then_on(client: Driver, topic: str):
    client.create_topic(topic)
    client.produce(topic, records(5))
    with ThreadPoolExecutor(1) as pool, client.producer() as producer:
        reading = pool.submit(client.consume, topic, 0, END, 2)

        # Nobody can tell when a consumer has found the end, so this goes on until it got something.
        while not reading.done():
            producer.send(topic, [Sent(b"later")])
        first, second = reading.result()

    assert (Sent(b"later"), Sent(b"later")) == (first.record, second.record)
    assert 5 <= first.offset == second.offset - 1


def test_a_consumer_at_the_beginning_gets_what_is_left(client: Driver, topic: str):
    client.create_topic(topic)
    client.produce(topic, records(10))
    client.delete_records(topic, 0, 6)

    got = client.consume(topic, 0, BEGINNING, 4)

    assert numbered(records(10))[6:] == got


def test_a_consumer_of_what_is_committed_gets_everything(client: Driver, topic: str):
    client.create_topic(topic)
    client.produce(topic, records(10), enable_idempotence=True)

    got = client.consume(topic, 0, BEGINNING, 10, isolation_level="read_committed")

    assert numbered(records(10)) == got


def test_large_records_come_back(client: Driver, topic: str):
    client.create_topic(topic)
    sent = [Sent(bytes([number]) * 400_000) for number in range(5)]

    client.produce(topic, sent)

    assert numbered(sent) == client.consume(topic, 0, 0, 5)


def test_a_batch_of_many_records_comes_back(client: Driver, topic: str):
    client.create_topic(topic)
    sent = [Sent(b"%01000d" % number) for number in range(500)]

    offsets = client.produce(topic, sent, batch_size=900_000, linger_ms=100)

    assert list(range(500)) == offsets
    assert numbered(sent) == client.consume(topic, 0, 0, 500)


def test_what_the_topic_does_not_allow_is_refused_and_the_rest_goes_on(client: Driver, topic: str):
    limits = {"max.message.bytes": "1000", "message.timestamp.before.max.ms": "1000"}
    client.create_topic(topic, 1, limits)
    now_ms = time.time_ns() // 1_000_000
    with client.producer() as producer:

        def code_of(record: Sent) -> int:
            with pytest.raises(Refused) as refused:
                producer.send(topic, [record])
            return refused.value.code

        large = code_of(Sent(b"x" * 2000, timestamp_ms=now_ms))
        old = code_of(Sent(b"x", timestamp_ms=now_ms - 3_600_000))
        offsets = producer.send(topic, [Sent(b"x", timestamp_ms=now_ms + 3_600_000)])

    assert [ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.INVALID_TIMESTAMP] == [large, old]
    assert [0] == offsets


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


def test_a_transactional_producer_gets_a_clear_error(client: Driver):
    with pytest.raises(Refused) as refused:
        client.refuse_transactions()

    # What libraries call a request that the broker does not know; aiokafka has no code for that.
    assert refused.value.code in (
        ErrorCode.UNSUPPORTED_VERSION,
        ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        KafkaError._UNSUPPORTED_FEATURE,
        Refused.NO_CODE,
    )
