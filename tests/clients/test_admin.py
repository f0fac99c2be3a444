"""Topics, configs and offsets administered by real clients, unmodified."""

from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    OffsetSpec,
    ResourceType,
)
from confluent_kafka.cimpl import KafkaError, NewPartitions, NewTopic

from tests.clients.drivers import WAIT_S, Confluent, Sent
from tests.support.brokers import Broker
from tests.support.waiting import wait_until

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


@pytest.fixture
def admin(broker: Broker) -> AdminClient:
    return AdminClient({"bootstrap.servers": broker.bootstrap})


@pytest.fixture
def made(broker: Broker, topic: str) -> str:
    """A topic of two partitions."""
    Confluent(broker.bootstrap).create_topic(topic, 2)
    return topic


def error_of(futures) -> int:
    """The error of an operation on one thing."""
    (future,) = futures.values()
    with pytest.raises(KafkaException) as refused:
        future.result(WAIT_S)
    return int(refused.value.args[0].code())


def test_a_topic_is_made_listed_described_and_deleted(
    admin: AdminClient, made: str, broker: Broker
):
    (described,) = admin.list_topics(made, WAIT_S).topics.values()
    assert {0: [broker.broker_id], 1: [broker.broker_id]} == {
        index: one.replicas for index, one in described.partitions.items()
    }

    for future in admin.delete_topics([made], operation_timeout=WAIT_S).values():
        future.result(WAIT_S)

    assert made not in admin.list_topics(timeout=WAIT_S).topics
    wait_until(
        lambda: not list(broker.data.glob(f"{made}-?")),
        timeout_s=WAIT_S,
        what="its logs to be taken out of use",
    )


def is_made(driver: Confluent, topic: str) -> bool:
    try:
        driver.create_topic(topic)
    except KafkaException as refused:
        if refused.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS:
            return False
        raise
    return True


def test_a_deleted_topic_can_be_made_again(admin: AdminClient, made: str, broker: Broker):
    driver = Confluent(broker.bootstrap)
    driver.produce(made, [Sent(b"old")])
    for future in admin.delete_topics([made], operation_timeout=WAIT_S).values():
        future.result(WAIT_S)

    # For a moment it is marked for deletion still, as with Kafka.
    wait_until(lambda: is_made(driver, made), timeout_s=WAIT_S, what="the old topic to be gone")

    assert (0, 0) == driver.ends(made, 0)


def test_what_cannot_be_made_has_kafkas_error(admin: AdminClient, made: str):
    again = error_of(admin.create_topics([NewTopic(made, 1, 1)]))
    named = error_of(admin.create_topics([NewTopic("a b", 1, 1)]))
    factor = error_of(admin.create_topics([NewTopic(made + "-x", 1, 3)]))
    config = error_of(admin.create_topics([NewTopic(made + "-x", 1, 1, config={"no.such": "1"})]))
    compacted = {"cleanup.policy": "compact"}
    policy = error_of(admin.create_topics([NewTopic(made + "-x", 1, 1, config=compacted)]))

    assert [
        KafkaError.TOPIC_ALREADY_EXISTS,
        KafkaError.TOPIC_EXCEPTION,
        KafkaError.INVALID_REPLICATION_FACTOR,
        KafkaError.INVALID_CONFIG,
        KafkaError.INVALID_CONFIG,
    ] == [again, named, factor, config, policy]


def test_what_is_not_there_cannot_be_deleted(admin: AdminClient, topic: str):
    assert KafkaError.UNKNOWN_TOPIC_OR_PART == error_of(admin.delete_topics([topic]))


def test_a_topic_gets_more_partitions_and_not_fewer(admin: AdminClient, made: str, broker: Broker):
    for future in admin.create_partitions([NewPartitions(made, 4)]).values():
        future.result(WAIT_S)

    assert [0] == Confluent(broker.bootstrap).produce(made, [Sent(b"x", partition=3)])
    fewer = error_of(admin.create_partitions([NewPartitions(made, 3)]))
    assert KafkaError.INVALID_PARTITIONS == fewer


def described(admin: AdminClient, resource: ConfigResource) -> dict[str, tuple[str, int]]:
    (future,) = admin.describe_configs([resource]).values()
    return {name: (one.value, one.source) for name, one in future.result(WAIT_S).items()}


def change(admin: AdminClient, topic: str, name: str, value: str):
    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    (future,) = admin.incremental_alter_configs([resource]).values()
    return future


def test_a_topics_configs_are_changed_and_take_effect(
    admin: AdminClient, made: str, broker: Broker
):
    change(admin, made, "max.message.bytes", "100").result(WAIT_S)
    driver = Confluent(broker.bootstrap)

    def is_refused() -> bool:
        try:
            driver.produce(made, [Sent(b"x" * 200)])
        except AssertionError:
            return True
        return False

    assert ("100", 1) == described(admin, ConfigResource(ResourceType.TOPIC, made))[
        "max.message.bytes"
    ]
    wait_until(is_refused, timeout_s=WAIT_S, what="the broker to hear of the change")


def test_a_wrong_value_is_refused(admin: AdminClient, made: str):
    refused = change(admin, made, "retention.ms", "soon")

    assert KafkaError.INVALID_CONFIG == error_of({made: refused})


def test_a_broker_describes_itself(admin: AdminClient, broker: Broker):
    configs = described(admin, ConfigResource(ResourceType.BROKER, str(broker.broker_id)))

    assert ("2", 4) == configs["num.partitions"]


def test_records_are_deleted_and_offsets_listed(admin: AdminClient, made: str, broker: Broker):
    driver = Confluent(broker.bootstrap)
    driver.produce(made, [Sent(b"x", timestamp_ms=1000 + number) for number in range(10)])

    (future,) = admin.delete_records([TopicPartition(made, 0, 4)]).values()

    assert 4 == future.result(WAIT_S).low_watermark
    place = TopicPartition(made, 0)
    found = [
        next(iter(admin.list_offsets({place: spec}).values())).result(WAIT_S).offset
        for spec in (OffsetSpec.earliest(), OffsetSpec.latest(), OffsetSpec.max_timestamp())
    ]
    assert [4, 10, 9] == found


def test_the_cluster_is_described(admin: AdminClient, broker: Broker):
    cluster = admin.describe_cluster().result(WAIT_S)

    assert broker.broker_id == cluster.controller.id
    assert [(broker.broker_id, broker.port)] == [(node.id, node.port) for node in cluster.nodes]


@pytest.fixture
def kafka_python(broker: Broker) -> Iterator[object]:
    from kafka import KafkaAdminClient

    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    yield admin
    admin.close()


def test_kafka_python_administers_as_well(kafka_python, made: str, broker: Broker):
    from kafka.admin import ConfigResource as Resource
    from kafka.admin import ConfigResourceType
    from kafka.admin import NewPartitions as More

    kafka_python.create_partitions({made: More(3)})
    kafka_python.alter_configs([Resource(ConfigResourceType.TOPIC, made, {"retention.ms": "9"})])

    assert made in kafka_python.list_topics()
    (about,) = kafka_python.describe_topics([made])
    assert 3 == len(about["partitions"])
    assert broker.port in [node["port"] for node in kafka_python.describe_cluster()["brokers"]]
    kafka_python.delete_topics([made])
    assert made not in kafka_python.list_topics()


def test_log_directories_are_described_to_kafka_python(kafka_python, made: str, broker: Broker):
    Confluent(broker.bootstrap).produce(made, [Sent(b"x")])

    described = kafka_python.describe_log_dirs()

    text = str(described)
    assert str(broker.data) in text
    assert made in text
