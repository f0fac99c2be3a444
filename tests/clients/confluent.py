"""What do tests ask of librdkafka?"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from confluent_kafka import (
    OFFSET_END,
    Consumer,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka import Producer as Library
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    OffsetSpec,
    ResourceType,
)
from confluent_kafka.cimpl import NewPartitions, NewTopic

from tests.clients.driver import ALL_CODECS, Got, Refused, Sent
from tests.support.waiting import OUTER_LIMIT_S


class Confluent:
    codecs = ALL_CODECS
    lacks = frozenset({"log_sizes", "producers"})

    def __init__(self, bootstrap: str) -> None:
        self.config: dict[str, Any] = {"bootstrap.servers": bootstrap}
        self._admin: AdminClient | None = None

    @property
    def admin(self) -> AdminClient:
        if self._admin is None:
            self._admin = AdminClient(self.config)
        return self._admin

    def close(self) -> None:
        self._admin = None

    @contextmanager
    def producer(self, **options) -> Iterator["ConfluentProducer"]:
        yield ConfluentProducer(Library(self.config | with_dots(options)))

    def produce(self, topic, records, **options) -> list[int]:
        with self.producer(**options) as producer:
            return producer.send(topic, records)

    def refuse_transactions(self) -> None:
        with refusals():
            Library(self.config | {"transactional.id": "t"}).init_transactions(OUTER_LIMIT_S)

    @contextmanager
    def consumer(self, **options) -> Iterator[Consumer]:
        group = {"group.id": "none", "enable.auto.commit": False}
        consumer = Consumer(self.config | group | with_dots(options))
        try:
            with refusals():
                yield consumer
        finally:
            consumer.close()

    def consume(self, topic, partition, offset, count, **options) -> list[Got]:
        return self.consume_several(topic, {partition: offset}, count, **options)

    def consume_several(self, topic, offsets, count, **options) -> list[Got]:
        got: list[Got] = []
        with self.consumer(**options) as consumer:
            consumer.assign([TopicPartition(topic, *place) for place in offsets.items()])
            while len(got) < count:
                messages = consumer.consume(count - len(got), OUTER_LIMIT_S)
                assert messages
                for one in messages:
                    if (error := one.error()) is not None:
                        raise Refused(error.code())
                    got.append(got_of(one))
        return got

    def ends(self, topic, partition) -> tuple[int, int]:
        with self.consumer() as consumer:
            first, last = consumer.get_watermark_offsets(
                TopicPartition(topic, partition), OUTER_LIMIT_S
            )
        return first, last

    def offset_at(self, topic, partition, timestamp_ms) -> int | None:
        wanted = TopicPartition(topic, partition, timestamp_ms)
        with self.consumer() as consumer:
            (found,) = consumer.offsets_for_times([wanted], OUTER_LIMIT_S)
        assert found.error is None
        return None if found.offset == OFFSET_END else found.offset

    def create_topic(self, name, partitions=1, configs=None, *, replicas=None) -> None:
        """Make a topic; *replicas* are those of each partition, else each has one."""
        config = dict(configs or {})
        if replicas is None:
            topic = NewTopic(name, partitions, 1, config=config)
        else:
            topic = NewTopic(name, len(replicas), replica_assignment=replicas, config=config)
        result(self.admin.create_topics([topic]))

    def delete_topic(self, name) -> None:
        result(self.admin.delete_topics([name], operation_timeout=OUTER_LIMIT_S))

    def add_partitions(self, name, count) -> None:
        result(self.admin.create_partitions([NewPartitions(name, count)]))

    def topics(self) -> set[str]:
        return set(self.admin.list_topics(timeout=OUTER_LIMIT_S).topics)

    def replicas(self, topic) -> dict[int, list[int]]:
        described = result(self.admin.describe_topics(TopicCollection([topic])))
        return {one.id: [node.id for node in one.replicas] for one in described.partitions}

    def topic_configs(self, topic) -> dict[str, str]:
        entries = result(self.admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]))
        here = ConfigSource.DYNAMIC_TOPIC_CONFIG.value
        return {name: one.value for name, one in entries.items() if one.source == here}

    def broker_configs(self, broker_id) -> dict[str, str | None]:
        resource = ConfigResource(ResourceType.BROKER, str(broker_id))
        entries = result(self.admin.describe_configs([resource]))
        return {name: one.value for name, one in entries.items()}

    def replace_configs(self, topic, configs) -> None:
        resource = ConfigResource(ResourceType.TOPIC, topic, set_config=dict(configs))
        # The library advises against the request, which older clients send all the same.
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            futures = self.admin.alter_configs([resource])
        result(futures)

    def change_configs(self, topic, configs) -> None:
        entries = [
            ConfigEntry(
                name,
                value,
                incremental_operation=AlterConfigOpType.DELETE
                if value is None
                else AlterConfigOpType.SET,
            )
            for name, value in configs.items()
        ]
        resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=entries)
        result(self.admin.incremental_alter_configs([resource]))

    def log_sizes(self, topic) -> dict[int, int]:
        raise NotImplementedError

    def delete_records(self, topic, partition, before) -> int:
        place = TopicPartition(topic, partition, before)
        low_watermark: int = result(self.admin.delete_records([place])).low_watermark
        return low_watermark

    def listed_offsets(self, topic, partition) -> tuple[int, int]:
        place = TopicPartition(topic, partition)
        first, last = (
            result(self.admin.list_offsets({place: spec})).offset
            for spec in (OffsetSpec.earliest(), OffsetSpec.latest())
        )
        return first, last

    def cluster(self) -> tuple[int, dict[int, int]]:
        described = result({None: self.admin.describe_cluster()})
        return described.controller.id, {node.id: node.port for node in described.nodes}


class ConfluentProducer:
    def __init__(self, library: Library) -> None:
        self.library = library

    def send(self, topic: str, records: Sequence[Sent]) -> list[int]:
        answers: dict[int, Any] = {}

        def answered(number: int) -> Callable[[Any, Any], None]:
            def note(error: Any, message: Any) -> None:
                answers[number] = (error, message.offset())

            return note

        for number, record in enumerate(records):
            self.library.produce(
                topic,
                record.value,
                record.key,
                record.partition,
                answered(number),
                timestamp=record.timestamp_ms,
                headers=list(record.headers),
            )
        assert self.library.flush(OUTER_LIMIT_S) == 0
        for error, _ in answers.values():
            if error is not None:
                raise Refused(error.code())
        return [answers[number][1] for number in range(len(records))]


def with_dots(options: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("_", "."): value for name, value in options.items()}


def got_of(message: Any) -> Got:
    record = Sent(
        message.value(),
        message.key(),
        message.partition(),
        message.timestamp()[1],
        tuple(message.headers() or ()),
    )
    return Got(message.offset(), record)


@contextmanager
def refusals() -> Iterator[None]:
    """Let the library's errors be Refused."""
    try:
        yield
    except KafkaException as error:
        raise Refused(error.args[0].code()) from error


def result(futures: "dict[Any, Future[Any]]") -> Any:
    """The outcome of an operation on one thing."""
    (future,) = futures.values()
    with refusals():
        return future.result(OUTER_LIMIT_S)
