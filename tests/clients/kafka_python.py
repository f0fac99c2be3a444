"""What do tests ask of kafka-python?"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewPartitions, NewTopic, OffsetSpec
from kafka.errors import KafkaError

from tests.clients.driver import BEGINNING, END, Got, Refused, Sent
from tests.support.waiting import OUTER_LIMIT_S

SET_FOR_TOPIC = "DYNAMIC_TOPIC_CONFIG"
"""The source of a config that was set for the topic itself."""


class KafkaPython:
    codecs = frozenset({"gzip"})
    lacks = frozenset({"replace_configs"})

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self._admin: KafkaAdminClient | None = None

    @property
    def admin(self) -> KafkaAdminClient:
        if self._admin is None:
            self._admin = KafkaAdminClient(bootstrap_servers=self.bootstrap)
        return self._admin

    def close(self) -> None:
        if self._admin is not None:
            self._admin.close()
            self._admin = None

    @contextmanager
    def producer(self, **options) -> Iterator["KafkaPythonProducer"]:
        chosen = {"acks": "all", "enable_idempotence": False} | options
        library = KafkaProducer(bootstrap_servers=self.bootstrap, **chosen)
        try:
            yield KafkaPythonProducer(library)
        finally:
            library.close(OUTER_LIMIT_S)

    def produce(self, topic, records, **options) -> list[int]:
        with self.producer(**options) as producer:
            return producer.send(topic, records)

    def refuse_transactions(self) -> None:
        with refusals():
            library = KafkaProducer(bootstrap_servers=self.bootstrap, transactional_id="t")
            try:
                library.init_transactions()
            finally:
                library.close(OUTER_LIMIT_S)

    @contextmanager
    def consumer(self, **options) -> Iterator[KafkaConsumer]:
        chosen = {"enable_auto_commit": False} | options
        consumer = KafkaConsumer(bootstrap_servers=self.bootstrap, **chosen)
        try:
            with refusals():
                yield consumer
        finally:
            consumer.close()

    def consume(self, topic, partition, offset, count, **options) -> list[Got]:
        return self.consume_several(topic, {partition: offset}, count, **options)

    def consume_several(self, topic, offsets, count, **options) -> list[Got]:
        places = {TopicPartition(topic, partition): at for partition, at in offsets.items()}
        got: list[Got] = []
        with self.consumer(**options) as consumer:
            consumer.assign(list(places))
            for place, offset in places.items():
                seek(consumer, place, offset)
            while len(got) < count:
                found = consumer.poll(OUTER_LIMIT_S * 1000, max_records=count - len(got))
                assert found
                got += [got_of(one) for records in found.values() for one in records]
        return got

    def ends(self, topic, partition) -> tuple[int, int]:
        place = TopicPartition(topic, partition)
        with self.consumer() as consumer:
            first = consumer.beginning_offsets([place])[place]
            return first, consumer.end_offsets([place])[place]

    def offset_at(self, topic, partition, timestamp_ms) -> int | None:
        place = TopicPartition(topic, partition)
        with self.consumer() as consumer:
            found = consumer.offsets_for_times({place: timestamp_ms})[place]
        return None if found is None else found.offset

    def create_topic(self, name, partitions=1, configs=None) -> None:
        topic = NewTopic(name, partitions, 1, topic_configs=dict(configs or {}))
        with refusals():
            self.admin.create_topics([topic])

    def delete_topic(self, name) -> None:
        with refusals():
            self.admin.delete_topics([name])

    def add_partitions(self, name, count) -> None:
        with refusals():
            self.admin.create_partitions({name: NewPartitions(count)})

    def topics(self) -> set[str]:
        return set(self.admin.list_topics())

    def replicas(self, topic) -> dict[int, list[int]]:
        (described,) = self.admin.describe_topics([topic])
        if described["error_code"]:
            raise Refused(described["error_code"])
        return {one["partition_index"]: one["replica_nodes"] for one in described["partitions"]}

    def _configs(self, kind: ConfigResourceType, name: str) -> Any:
        # A resource that is not there has no configs for the library, which tells no error.
        with refusals():
            found = self.admin.describe_configs([ConfigResource(kind, name)], config_filter="all")
        return found[kind.name.lower()][name]

    def topic_configs(self, topic) -> dict[str, str]:
        found = self._configs(ConfigResourceType.TOPIC, topic)
        return {
            name: one["value"]
            for name, one in found.items()
            if one["config_source"] == SET_FOR_TOPIC
        }

    def broker_configs(self, broker_id) -> dict[str, str | None]:
        found = self._configs(ConfigResourceType.BROKER, str(broker_id))
        return {name: one["value"] for name, one in found.items()}

    def replace_configs(self, topic, configs) -> None:
        # By the request that would do so, the library sends what was set before as well.
        raise NotImplementedError

    def change_configs(self, topic, configs) -> None:
        changes = {
            name: ("DELETE", None) if value is None else ("SET", value)
            for name, value in configs.items()
        }
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, changes)
        # Of errors the library hands over nothing but a text.
        said = self.admin.alter_configs([resource], raise_on_unknown=False)["topic"][topic]
        if said != "OK":
            code = re.match(r"\[Error (\d+)\]", said)
            assert code, said
            raise Refused(int(code[1]))

    def log_sizes(self, topic) -> dict[int, int]:
        (broker,) = self.admin.describe_log_dirs([topic])
        return {
            partition["partition_index"]: partition["partition_size"]
            for directory in broker["log_dirs"]
            for each in directory["topics"]
            for partition in each["partitions"]
        }

    def producers(self, topic, partition) -> list[int]:
        place = TopicPartition(topic, partition)
        with refusals():
            described = self.admin.describe_producers([place])[place]
        return [one.last_sequence for one in described.active_producers]

    def delete_records(self, topic, partition, before) -> int:
        place = TopicPartition(topic, partition)
        with refusals():
            low_watermark: int = self.admin.delete_records({place: before})[place]["low_watermark"]
        return low_watermark

    def listed_offsets(self, topic, partition) -> tuple[int, int]:
        place = TopicPartition(topic, partition)
        with refusals():
            first, last = (
                self.admin.list_partition_offsets({place: spec})[place].offset
                for spec in (OffsetSpec.EARLIEST, OffsetSpec.LATEST)
            )
        return first, last

    def cluster(self) -> tuple[int, dict[int, int]]:
        described = self.admin.describe_cluster()
        ports = {node["broker_id"]: node["port"] for node in described["brokers"]}
        return described["controller_id"], ports


class KafkaPythonProducer:
    def __init__(self, library: KafkaProducer) -> None:
        self.library = library

    def send(self, topic: str, records: Sequence[Sent]) -> list[int]:
        futures = [
            self.library.send(
                topic,
                record.value,
                record.key,
                list(record.headers),
                record.partition,
                record.timestamp_ms,
            )
            for record in records
        ]
        with refusals():
            self.library.flush(OUTER_LIMIT_S)
            return [future.get(OUTER_LIMIT_S).offset for future in futures]


def seek(consumer: KafkaConsumer, place: TopicPartition, offset: int) -> None:
    if offset == BEGINNING:
        consumer.seek_to_beginning(place)
    elif offset == END:
        consumer.seek_to_end(place)
    else:
        consumer.seek(place, offset)


def got_of(one: Any) -> Got:
    record = Sent(one.value, one.key, one.partition, one.timestamp, tuple(one.headers))
    return Got(one.offset, record)


@contextmanager
def refusals() -> Iterator[None]:
    """Let the library's errors be Refused."""
    try:
        yield
    except KafkaError as error:
        raise Refused(getattr(error, "errno", Refused.NO_CODE)) from error
