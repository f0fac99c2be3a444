"""What do tests ask of Kafka's own client, in Java?

It is driven call by call through py4j: there is no Java of ours in between.  A number that fits
into 32 bits arrives as an Integer, so times must be later than 1970 where Java wants a Long in a
map.  Knows not which release it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from py4j.java_gateway import JavaGateway, JavaMember
from py4j.protocol import STATIC_PREFIX, Py4JJavaError

from tests.clients.driver import ALL_CODECS, BEGINNING, END, Got, Refused, Sent
from tests.support.waiting import OUTER_LIMIT_S

SERIALIZATION: Final = "org.apache.kafka.common.serialization.ByteArray"
PRODUCING: Final = {
    "key.serializer": f"{SERIALIZATION}Serializer",
    "value.serializer": f"{SERIALIZATION}Serializer",
}
CONSUMING: Final = {
    "key.deserializer": f"{SERIALIZATION}Deserializer",
    "value.deserializer": f"{SERIALIZATION}Deserializer",
    "enable.auto.commit": "false",
}
SET_FOR_TOPIC: Final = "DYNAMIC_TOPIC_CONFIG"
BROKER_ID: Final = 1


class JavaClient:
    """The client in the JVM behind *gateway*."""

    codecs = ALL_CODECS

    def __init__(self, gateway: JavaGateway, bootstrap: str) -> None:
        self.gateway = gateway
        self.bootstrap = bootstrap
        self.java = gateway.jvm.java
        self.kafka = gateway.jvm.org.apache.kafka
        self._admin: Any = None

    @property
    def lacks(self) -> frozenset[str]:
        """What came with a release that may be younger than this one."""
        methods = self.java.lang.Class.forName("org.apache.kafka.clients.admin.Admin").getMethods()
        is_there = any(one.getName() == "describeProducers" for one in methods)
        return frozenset() if is_there else frozenset({"producers"})

    @property
    def admin(self) -> Any:
        if self._admin is None:
            self._admin = self.kafka.clients.admin.Admin.create(self._properties({}, {}))
        return self._admin

    def close(self) -> None:
        if self._admin is not None:
            self._admin.close(self._wait())
            self._admin = None

    def _properties(self, settings: Mapping[str, str], options: Mapping[str, Any]) -> Any:
        """A java.util.Map of *settings* and of *options*, which have Python's form."""
        properties = self.java.util.HashMap({"bootstrap.servers": self.bootstrap, **settings})
        for name, value in options.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            properties.put(name.replace("_", "."), text)
        return properties

    def _wait(self) -> Any:
        return self.java.time.Duration.ofSeconds(OUTER_LIMIT_S)

    def result(self, future: Any) -> Any:
        with self.refusals():
            return future.get(OUTER_LIMIT_S, self.java.util.concurrent.TimeUnit.SECONDS)

    @contextmanager
    def refusals(self) -> Iterator[None]:
        """Let Kafka's exceptions be Refused."""
        try:
            yield
        except Py4JJavaError as error:
            thrown = error.java_exception
            if thrown.getClass().getSimpleName() == "ExecutionException":
                thrown = thrown.getCause()
            code = self.kafka.common.protocol.Errors.forException(thrown).code()
            raise Refused(code) from error

    @contextmanager
    def producer(self, **options) -> Iterator["JavaProducer"]:
        properties = self._properties(PRODUCING, options)
        library = self.kafka.clients.producer.KafkaProducer(properties)
        try:
            yield JavaProducer(self, library)
        finally:
            library.close(self._wait())

    def produce(self, topic, records, **options) -> list[int]:
        with self.producer(**options) as producer:
            return producer.send(topic, records)

    def refuse_transactions(self) -> None:
        with self.producer(transactional_id="t") as producer, self.refusals():
            producer.library.initTransactions()

    @contextmanager
    def consumer(self, **options: Any) -> Iterator[Any]:
        properties = self._properties(CONSUMING, options)
        consumer = self.kafka.clients.consumer.KafkaConsumer(properties)
        try:
            with self.refusals():
                yield consumer
        finally:
            consumer.close(self._wait())

    def _place(self, topic: str, partition: int) -> Any:
        return self.kafka.common.TopicPartition(topic, partition)

    def consume(self, topic, partition, offset, count, **options) -> list[Got]:
        return self.consume_several(topic, {partition: offset}, count, **options)

    def consume_several(self, topic, offsets, count, **options) -> list[Got]:
        got: list[Got] = []
        places = {self._place(topic, partition): at for partition, at in offsets.items()}
        with self.consumer(**options) as consumer:
            consumer.assign(list(places))
            for place, offset in places.items():
                seek(consumer, place, offset)
            while len(got) < count:
                found = consumer.poll(self._wait())
                assert not found.isEmpty()
                got += [got_of(one) for place in places for one in found.records(place)]
        return got[:count]

    def ends(self, topic, partition) -> tuple[int, int]:
        place = self._place(topic, partition)
        with self.consumer() as consumer:
            first = consumer.beginningOffsets([place])[place]
            return first, consumer.endOffsets([place])[place]

    def offset_at(self, topic, partition, timestamp_ms) -> int | None:
        place = self._place(topic, partition)
        with self.consumer() as consumer:
            found = consumer.offsetsForTimes({place: timestamp_ms})[place]
            return None if found is None else found.offset()

    def create_topic(self, name, partitions=1, configs=None) -> None:
        topic = self.kafka.clients.admin.NewTopic(name, partitions, 1)
        self.result(self.admin.createTopics([topic.configs(dict(configs or {}))]).all())

    def delete_topic(self, name) -> None:
        self.result(self.admin.deleteTopics([name]).all())

    def add_partitions(self, name, count) -> None:
        more = {name: self.kafka.clients.admin.NewPartitions.increaseTo(count)}
        self.result(self.admin.createPartitions(more).all())

    def topics(self) -> set[str]:
        return set(self.result(self.admin.listTopics().names()))

    def replicas(self, topic) -> dict[int, list[int]]:
        described = self.result(self.admin.describeTopics([topic]).all())[topic]
        return {
            one.partition(): [node.id() for node in one.replicas()]
            for one in described.partitions()
        }

    def _resource(self, kind: str, name: str) -> Any:
        resource = self.kafka.common.config.ConfigResource
        return resource(getattr(resource.Type, kind), name)

    def _configs(self, kind: str, name: str) -> list[Any]:
        resource = self._resource(kind, name)
        described = self.result(self.admin.describeConfigs([resource]).all())[resource]
        return list(described.entries().toArray())

    def topic_configs(self, topic) -> dict[str, str]:
        entries = self._configs("TOPIC", topic)
        return {one.name(): one.value() for one in entries if one.source().name() == SET_FOR_TOPIC}

    def broker_configs(self, broker_id) -> dict[str, str | None]:
        return {one.name(): one.value() for one in self._configs("BROKER", str(broker_id))}

    def replace_configs(self, topic, configs) -> None:
        admin = self.kafka.clients.admin
        entries = [admin.ConfigEntry(name, value) for name, value in configs.items()]
        changes = {self._resource("TOPIC", topic): admin.Config(entries)}
        self.result(self.admin.alterConfigs(changes).all())

    def change_configs(self, topic, configs) -> None:
        admin = self.kafka.clients.admin
        kinds = admin.AlterConfigOp.OpType
        changes = [
            admin.AlterConfigOp(
                admin.ConfigEntry(name, value), kinds.DELETE if value is None else kinds.SET
            )
            for name, value in configs.items()
        ]
        changed = {self._resource("TOPIC", topic): changes}
        self.result(self.admin.incrementalAlterConfigs(changed).all())

    def log_sizes(self, topic) -> dict[int, int]:
        brokers = self.result(self.admin.describeLogDirs([BROKER_ID]).allDescriptions())
        sizes: dict[int, int] = {}
        for directory in brokers[BROKER_ID].values():
            for place, replica in directory.replicaInfos().items():
                if place.topic() == topic:
                    sizes[place.partition()] = replica.size()
        return sizes

    def producers(self, topic, partition) -> list[int]:
        place = self._place(topic, partition)
        described = self.admin.describeProducers([place]).partitionResult(place)
        return [one.lastSequence() for one in self.result(described).activeProducers()]

    def delete_records(self, topic, partition, before) -> int:
        place = self._place(topic, partition)
        deleted = self.admin.deleteRecords({place: self._below(before)}).lowWatermarks()[place]
        low_watermark: int = self.result(deleted).lowWatermark()
        return low_watermark

    def _below(self, offset: int) -> Any:
        # The class has a static method and another one of the same name, of which py4j sees one.
        records = f"{STATIC_PREFIX}org.apache.kafka.clients.admin.RecordsToDelete"
        return JavaMember("beforeOffset", None, records, self.gateway._gateway_client)(offset)

    def listed_offsets(self, topic, partition) -> tuple[int, int]:
        place = self._place(topic, partition)
        kinds = self.kafka.clients.admin.OffsetSpec
        first, last = (
            self.result(self.admin.listOffsets({place: spec}).partitionResult(place)).offset()
            for spec in (kinds.earliest(), kinds.latest())
        )
        return first, last

    def cluster(self) -> tuple[int, dict[int, int]]:
        described = self.admin.describeCluster()
        nodes = self.result(described.nodes()).toArray()
        controller: int = self.result(described.controller()).id()
        return controller, {node.id(): node.port() for node in nodes}


class JavaProducer:
    def __init__(self, client: JavaClient, library: Any) -> None:
        self.client = client
        self.library = library

    def send(self, topic: str, records: Sequence[Sent]) -> list[int]:
        with self.client.refusals():
            futures = [self.library.send(self._record(topic, record)) for record in records]
            self.library.flush()
        return [self.client.result(future).offset() for future in futures]

    def _record(self, topic: str, record: Sent) -> Any:
        common = self.client.kafka.common
        headers = [common.header.internals.RecordHeader(*header) for header in record.headers]
        return self.client.kafka.clients.producer.ProducerRecord(
            topic, record.partition, record.timestamp_ms, record.key, record.value, headers
        )


def seek(consumer: Any, place: Any, offset: int) -> None:
    if offset == BEGINNING:
        consumer.seekToBeginning([place])
    elif offset == END:
        consumer.seekToEnd([place])
    else:
        consumer.seek(place, offset)


def got_of(record: Any) -> Got:
    headers = tuple((one.key(), one.value()) for one in record.headers().toArray())
    sent = Sent(record.value(), record.key(), record.partition(), record.timestamp(), headers)
    return Got(record.offset(), sent)
