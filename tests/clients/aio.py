"""What do tests ask of aiokafka?

Each call has a loop of its own, and a producer that stays open as well.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaConnectionError, KafkaError

from tests.clients.driver import ALL_CODECS, BEGINNING, END, NO_OFFSET, Got, Refused, Sent
from tests.support.waiting import OUTER_LIMIT_S

NAMES = {"batch_size": "max_batch_size"}
"""Options that have a name of their own in this library."""

SET_FOR_TOPIC = 1
"""The source of a config that was set for the topic itself."""


class Aio:
    codecs = ALL_CODECS
    lacks = frozenset({"change_configs", "log_sizes", "listed_offsets", "producers"})

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def close(self) -> None:
        """Nothing is kept."""

    @contextmanager
    def producer(self, **options) -> Iterator["AioProducer"]:
        chosen = {NAMES.get(name, name): value for name, value in options.items()}
        chosen = {"acks": "all", "enable_idempotence": False} | chosen

        async def start() -> AIOKafkaProducer:
            library = AIOKafkaProducer(bootstrap_servers=self.bootstrap, **chosen)
            await library.start()
            return library

        with asyncio.Runner() as runner:
            with refusals():
                library = runner.run(start())
            try:
                yield AioProducer(runner, library)
            finally:
                runner.run(library.stop())

    def produce(self, topic, records, **options) -> list[int]:
        with self.producer(**options) as producer:
            return producer.send(topic, records)

    def refuse_transactions(self) -> None:
        async def begin() -> None:
            library = AIOKafkaProducer(bootstrap_servers=self.bootstrap, transactional_id="t")
            try:
                await library.start()
            finally:
                await library.stop()

        run(begin())

    def _consume(self, use: Callable[[Any], Coroutine[Any, Any, Any]], **options: Any) -> Any:
        async def consume() -> Any:
            consumer = await self._consumer(**options)
            try:
                return await use(consumer)
            finally:
                await consumer.stop()

        return run(consume())

    async def _consumer(self, **options: Any) -> Any:
        """A consumer that has found a broker: unlike others, this library tries only once."""
        chosen = {"enable_auto_commit": False} | options
        while True:
            consumer = AIOKafkaConsumer(bootstrap_servers=self.bootstrap, **chosen)
            try:
                await consumer.start()
            except KafkaConnectionError:
                await consumer.stop()
            else:
                return consumer

    def consume(self, topic, partition, offset, count, **options) -> list[Got]:
        return self.consume_several(topic, {partition: offset}, count, **options)

    def consume_several(self, topic, offsets, count, **options) -> list[Got]:
        places = {TopicPartition(topic, partition): at for partition, at in offsets.items()}

        async def read(consumer: Any) -> list[Got]:
            consumer.assign(list(places))
            for place, offset in places.items():
                await seek(consumer, place, offset)
            return [got_of(await consumer.getone()) for _ in range(count)]

        got: list[Got] = self._consume(read, **options)
        return got

    def ends(self, topic, partition) -> tuple[int, int]:
        place = TopicPartition(topic, partition)

        async def ask(consumer: Any) -> tuple[int, int]:
            first = await consumer.beginning_offsets([place])
            last = await consumer.end_offsets([place])
            return first[place], last[place]

        first, last = self._consume(ask)
        return first, last

    def offset_at(self, topic, partition, timestamp_ms) -> int | None:
        place = TopicPartition(topic, partition)

        async def ask(consumer: Any) -> int | None:
            found = (await consumer.offsets_for_times({place: timestamp_ms}))[place]
            return None if found is None else found.offset

        offset: int | None = self._consume(ask)
        return offset

    def _administer(self, use: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        async def administer() -> Any:
            async with administering(self.bootstrap) as admin:
                return await use(admin)

        return run(administer())

    def create_topic(self, name, partitions=1, configs=None) -> None:
        topic = NewTopic(name, partitions, 1, topic_configs=dict(configs or {}))
        answer = self._administer(lambda admin: admin.create_topics([topic]))
        check(code for _, code, *_ in answer.topic_errors)

    def delete_topic(self, name) -> None:
        answer = self._administer(lambda admin: admin.delete_topics([name]))
        check(code for _, code, *_ in answer.topic_error_codes)

    def add_partitions(self, name, count) -> None:
        more = {name: NewPartitions(count)}
        self._administer(lambda admin: admin.create_partitions(more))

    def topics(self) -> set[str]:
        return set(self._administer(lambda admin: admin.list_topics()))

    def replicas(self, topic) -> dict[int, list[int]]:
        (described,) = self._administer(lambda admin: admin.describe_topics([topic]))
        check([described["error_code"]])
        return {one["partition"]: one["replicas"] for one in described["partitions"]}

    def _configs(self, kind: ConfigResourceType, name: str) -> list[Any]:
        resource = ConfigResource(kind, name)
        (answer,) = self._administer(lambda admin: admin.describe_configs([resource]))
        ((code, _, _, _, entries),) = answer.resources
        check([code])
        return list(entries)

    def topic_configs(self, topic) -> dict[str, str]:
        entries = self._configs(ConfigResourceType.TOPIC, topic)
        return {name: value for name, value, _, source, *_ in entries if source == SET_FOR_TOPIC}

    def broker_configs(self, broker_id) -> dict[str, str | None]:
        entries = self._configs(ConfigResourceType.BROKER, str(broker_id))
        return {name: value for name, value, *_ in entries}

    def replace_configs(self, topic, configs) -> None:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, dict(configs))
        (answer,) = self._administer(lambda admin: admin.alter_configs([resource]))
        check(code for code, *_ in answer.resources)

    def change_configs(self, topic, configs) -> None:
        raise NotImplementedError

    def log_sizes(self, topic) -> dict[int, int]:
        raise NotImplementedError

    def delete_records(self, topic, partition, before) -> int:
        place = TopicPartition(topic, partition)
        wanted = {place: RecordsToDelete(before)}
        low_watermark: int = self._administer(lambda admin: admin.delete_records(wanted))[place]
        return low_watermark

    def listed_offsets(self, topic, partition) -> tuple[int, int]:
        raise NotImplementedError

    def cluster(self) -> tuple[int, dict[int, int]]:
        described = self._administer(lambda admin: admin.describe_cluster())
        ports = {node["node_id"]: node["port"] for node in described["brokers"]}
        return described["controller_id"], ports


class AioProducer:
    def __init__(self, runner: asyncio.Runner, library: AIOKafkaProducer) -> None:
        self.runner = runner
        self.library = library

    def send(self, topic: str, records: Sequence[Sent]) -> list[int]:
        with refusals():
            return self.runner.run(asyncio.wait_for(self._send(topic, records), OUTER_LIMIT_S))

    async def _send(self, topic: str, records: Sequence[Sent]) -> list[int]:
        futures = [
            await self.library.send(
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
        return [NO_OFFSET if answer is None else answer.offset for answer in answers]


@asynccontextmanager
async def administering(bootstrap: str) -> AsyncIterator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    try:
        yield admin
    finally:
        await admin.close()


async def seek(consumer: Any, place: TopicPartition, offset: int) -> None:
    if offset == BEGINNING:
        await consumer.seek_to_beginning(place)
    elif offset == END:
        await consumer.seek_to_end(place)
    else:
        consumer.seek(place, offset)


def got_of(one: Any) -> Got:
    record = Sent(one.value, one.key, one.partition, one.timestamp, tuple(one.headers))
    return Got(one.offset, record)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    with refusals():
        return asyncio.run(asyncio.wait_for(work, OUTER_LIMIT_S))


def check(codes: Iterator[int] | Sequence[int]) -> None:
    for code in codes:
        if code:
            raise Refused(code)


@contextmanager
def refusals() -> Iterator[None]:
    """Let the library's errors be Refused."""
    try:
        yield
    except KafkaError as error:
        raise Refused(getattr(error, "errno", Refused.NO_CODE)) from error
