"""The same few things by each client library: make a topic, produce, consume, ask for offsets."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

WAIT_S = 20
NO_OFFSET = -1
ALL_CODECS = frozenset({"gzip", "snappy", "lz4", "zstd"})


class Sent(NamedTuple):
    """A record as it is sent."""

    value: bytes | None
    key: bytes | None = None
    partition: int = 0
    timestamp_ms: int = 1_700_000_000_000
    headers: tuple[tuple[str, bytes], ...] = ()


class Got(NamedTuple):
    """A record as it comes back."""

    offset: int
    record: Sent


class Driver(Protocol):
    codecs: frozenset[str]
    """What the library compresses by without help of others."""

    def create_topic(
        self, name: str, partitions: int = 1, configs: Mapping[str, str] | None = None
    ) -> None: ...

    def produce(self, topic: str, records: Sequence[Sent], **options: Any) -> list[int]:
        """Send, wait for all answers, and return the offsets; *options* are librdkafka's.

        What stands for offsets with acks=0, when nobody knows them, is the library's.
        """
        ...

    def consume(self, topic: str, partition: int, offset: int, count: int) -> list[Got]:
        """Read *count* records from *offset* on."""
        ...

    def ends(self, topic: str, partition: int) -> tuple[int, int]:
        """The first offset, and the one behind the last."""
        ...

    def offset_at(self, topic: str, partition: int, timestamp_ms: int) -> int | None:
        """The first record that is no older; None without one."""
        ...


class Confluent:
    """librdkafka."""

    codecs = ALL_CODECS

    def __init__(self, bootstrap: str) -> None:
        self.config: dict[str, Any] = {"bootstrap.servers": bootstrap}

    def create_topic(self, name, partitions=1, configs=None) -> None:
        from confluent_kafka.admin import AdminClient
        from confluent_kafka.cimpl import NewTopic

        topic = NewTopic(name, partitions, 1, config=dict(configs or {}))
        admin = AdminClient(self.config)
        for future in admin.create_topics([topic]).values():
            future.result(WAIT_S)

    def produce(self, topic, records, **options) -> list[int]:
        from confluent_kafka import Producer

        named = {name.replace("_", "."): value for name, value in options.items()}
        producer = Producer(self.config | named)
        answers: dict[int, Any] = {}

        def answered(number: int) -> Callable[[Any, Any], None]:
            def note(error: Any, message: Any) -> None:
                answers[number] = (error, message.offset())

            return note

        for number, record in enumerate(records):
            producer.produce(
                topic,
                record.value,
                record.key,
                record.partition,
                answered(number),
                timestamp=record.timestamp_ms,
                headers=list(record.headers),
            )
        assert producer.flush(WAIT_S) == 0
        assert {error for error, _ in answers.values()} == {None}
        return [answers[number][1] for number in range(len(records))]

    def _consumer(self):
        from confluent_kafka import Consumer

        options = {"group.id": "none", "enable.auto.commit": False}
        return Consumer(self.config | options)

    def consume(self, topic, partition, offset, count) -> list[Got]:
        from confluent_kafka import TopicPartition

        consumer = self._consumer()
        consumer.assign([TopicPartition(topic, partition, offset)])
        got: list[Got] = []
        while len(got) < count:
            messages = consumer.consume(count - len(got), WAIT_S)
            assert messages
            for one in messages:
                assert one.error() is None
                record = Sent(
                    one.value(),
                    one.key(),
                    one.partition(),
                    one.timestamp()[1],
                    tuple(one.headers() or ()),
                )
                got.append(Got(one.offset(), record))
        consumer.close()
        return got

    def ends(self, topic, partition) -> tuple[int, int]:
        from confluent_kafka import TopicPartition

        consumer = self._consumer()
        first, last = consumer.get_watermark_offsets(TopicPartition(topic, partition), WAIT_S)
        consumer.close()
        return first, last

    def offset_at(self, topic, partition, timestamp_ms) -> int | None:
        from confluent_kafka import OFFSET_END, TopicPartition

        consumer = self._consumer()
        wanted = TopicPartition(topic, partition, timestamp_ms)
        (found,) = consumer.offsets_for_times([wanted], WAIT_S)
        consumer.close()
        assert found.error is None
        return None if found.offset == OFFSET_END else found.offset


class KafkaPython:
    codecs = frozenset({"gzip"})

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def create_topic(self, name, partitions=1, configs=None) -> None:
        from kafka import KafkaAdminClient
        from kafka.admin import NewTopic

        admin = KafkaAdminClient(bootstrap_servers=self.bootstrap)
        admin.create_topics([NewTopic(name, partitions, 1, topic_configs=dict(configs or {}))])
        admin.close()

    def produce(self, topic, records, **options) -> list[int]:
        from kafka import KafkaProducer

        translated = {
            "compression_type": options.get("compression_type"),
            "acks": options.get("acks", "all"),
            "enable_idempotence": options.get("enable_idempotence", False),
        }
        producer = KafkaProducer(bootstrap_servers=self.bootstrap, **translated)
        futures = [
            producer.send(
                topic,
                record.value,
                record.key,
                list(record.headers),
                record.partition,
                record.timestamp_ms,
            )
            for record in records
        ]
        producer.flush(WAIT_S)
        offsets = [future.get(WAIT_S).offset for future in futures]
        producer.close()
        return offsets

    def _consumer(self):
        from kafka import KafkaConsumer

        return KafkaConsumer(bootstrap_servers=self.bootstrap, enable_auto_commit=False)

    def consume(self, topic, partition, offset, count) -> list[Got]:
        from kafka import TopicPartition

        consumer = self._consumer()
        place = TopicPartition(topic, partition)
        consumer.assign([place])
        consumer.seek(place, offset)
        got: list[Got] = []
        while len(got) < count:
            found = consumer.poll(WAIT_S * 1000, max_records=count - len(got))
            assert found
            for one in found[place]:
                record = Sent(one.value, one.key, one.partition, one.timestamp, tuple(one.headers))
                got.append(Got(one.offset, record))
        consumer.close()
        return got

    def ends(self, topic, partition) -> tuple[int, int]:
        from kafka import TopicPartition

        consumer = self._consumer()
        place = TopicPartition(topic, partition)
        found = consumer.beginning_offsets([place])[place], consumer.end_offsets([place])[place]
        consumer.close()
        return found

    def offset_at(self, topic, partition, timestamp_ms) -> int | None:
        from kafka import TopicPartition

        consumer = self._consumer()
        place = TopicPartition(topic, partition)
        found = consumer.offsets_for_times({place: timestamp_ms})[place]
        consumer.close()
        return None if found is None else found.offset


class Aio:
    """aiokafka; each call has a loop of its own."""

    codecs = ALL_CODECS

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run(asyncio.wait_for(work, WAIT_S))

    def create_topic(self, name, partitions=1, configs=None) -> None:
        from aiokafka.admin import AIOKafkaAdminClient, NewTopic

        async def create() -> None:
            admin = AIOKafkaAdminClient(bootstrap_servers=self.bootstrap)
            await admin.start()
            topic = NewTopic(name, partitions, 1, topic_configs=dict(configs or {}))
            answer = await admin.create_topics([topic])
            await admin.close()
            assert [0] == [error for _, error, *_ in answer.topic_errors]

        self._run(create())

    def produce(self, topic, records, **options) -> list[int]:
        from aiokafka import AIOKafkaProducer

        translated = {
            "compression_type": options.get("compression_type"),
            "acks": options.get("acks", "all"),
            "enable_idempotence": options.get("enable_idempotence", False),
        }

        async def produce() -> list[int]:
            producer = AIOKafkaProducer(bootstrap_servers=self.bootstrap, **translated)
            await producer.start()
            futures = [
                await producer.send(
                    topic,
                    record.value,
                    record.key,
                    record.partition,
                    record.timestamp_ms,
                    list(record.headers),
                )
                for record in records
            ]
            answers = [await future for future in futures]
            await producer.stop()
            return [NO_OFFSET if answer is None else answer.offset for answer in answers]

        offsets: list[int] = self._run(produce())
        return offsets

    def _consume(self, use: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        from aiokafka import AIOKafkaConsumer

        async def consume() -> Any:
            consumer = AIOKafkaConsumer(bootstrap_servers=self.bootstrap, enable_auto_commit=False)
            await consumer.start()
            try:
                return await use(consumer)
            finally:
                await consumer.stop()

        return self._run(consume())

    def consume(self, topic, partition, offset, count) -> list[Got]:
        from aiokafka import TopicPartition

        async def read(consumer: Any) -> list[Got]:
            place = TopicPartition(topic, partition)
            consumer.assign([place])
            consumer.seek(place, offset)
            got: list[Got] = []
            while len(got) < count:
                one = await consumer.getone()
                record = Sent(one.value, one.key, one.partition, one.timestamp, tuple(one.headers))
                got.append(Got(one.offset, record))
            return got

        got: list[Got] = self._consume(read)
        return got

    def ends(self, topic, partition) -> tuple[int, int]:
        from aiokafka import TopicPartition

        async def ask(consumer: Any) -> tuple[int, int]:
            place = TopicPartition(topic, partition)
            first = await consumer.beginning_offsets([place])
            last = await consumer.end_offsets([place])
            return first[place], last[place]

        first, last = self._consume(ask)
        return first, last

    def offset_at(self, topic, partition, timestamp_ms) -> int | None:
        from aiokafka import TopicPartition

        async def ask(consumer: Any) -> int | None:
            place = TopicPartition(topic, partition)
            found = (await consumer.offsets_for_times({place: timestamp_ms}))[place]
            return None if found is None else found.offset

        offset: int | None = self._consume(ask)
        return offset
