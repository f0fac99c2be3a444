"""Topics, configs and offsets administered by each client library, unmodified."""

from typing import Any

import pytest
from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]
from confluent_kafka.cimpl import KafkaError, NewTopic

from cluster.model.error_codes import ErrorCode
from tests.clients.confluent import Confluent
from tests.clients.driver import STARTED_MS, Driver, Refused, Sent
from tests.clients.marks import LIBRARIES
from tests.support.brokers import Broker
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = [pytest.mark.clients, *LIBRARIES]


@pytest.fixture
def made(client: Driver, topic: str) -> str:
    """A topic of two partitions."""
    client.create_topic(topic, 2)
    return topic


def need(client: Driver, call: str) -> None:
    if call in client.lacks:
        pytest.skip(f"the library has no call for {call}")


def refusal(call: Any, *arguments: Any) -> int:
    """The code of the error that *call* ends with."""
    with pytest.raises(Refused) as refused:
        call(*arguments)
    return refused.value.code


def test_a_topic_is_made_listed_described_and_deleted(client: Driver, made: str, broker: Broker):
    assert made in client.topics()
    assert {0: [broker.broker_id], 1: [broker.broker_id]} == client.replicas(made)

    client.delete_topic(made)

    assert made not in client.topics()
    wait_until(
        lambda: not list(broker.data.glob(f"{made}-?")),
        what="its logs to be taken out of use",
    )


def is_made(client: Driver, topic: str) -> bool:
    try:
        client.create_topic(topic)
    except Refused as refused:
        if refused.code == ErrorCode.TOPIC_ALREADY_EXISTS:
            return False
        raise
    return True


def test_a_deleted_topic_can_be_made_again(client: Driver, made: str):
    client.produce(made, [Sent(b"old")])
    client.delete_topic(made)

    # For a moment it is marked for deletion still, as with Kafka.
    wait_until(lambda: is_made(client, made), what="the old topic to be gone")

    assert (0, 0) == client.ends(made, 0)


def test_what_cannot_be_made_has_kafkas_error(client: Driver, made: str):
    again = refusal(client.create_topic, made)
    named = refusal(client.create_topic, "a b")
    count = refusal(client.create_topic, made + "-x", 0)
    config = refusal(client.create_topic, made + "-x", 1, {"no.such": "1"})
    policy = refusal(client.create_topic, made + "-x", 1, {"cleanup.policy": "archive"})

    assert [
        ErrorCode.TOPIC_ALREADY_EXISTS,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.INVALID_PARTITIONS,
        ErrorCode.INVALID_CONFIG,
        ErrorCode.INVALID_CONFIG,
    ] == [again, named, count, config, policy]


def test_a_topic_without_enough_brokers_is_not_made(broker: Broker, topic: str):
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    (future,) = admin.create_topics([NewTopic(topic, 1, 3)]).values()

    with pytest.raises(KafkaException) as refused:
        future.result(OUTER_LIMIT_S)

    assert KafkaError.INVALID_REPLICATION_FACTOR == refused.value.args[0].code()


def set_configs(client: Driver, topic: str, configs: dict[str, str]) -> None:
    """Set configs of a topic that has none, by what the library has for it."""
    if "replace_configs" in client.lacks:
        client.change_configs(topic, configs)
    else:
        client.replace_configs(topic, configs)


def test_what_is_not_there_has_kafkas_error(client: Driver, topic: str):
    unknown = [
        refusal(client.delete_topic, topic),
        refusal(client.add_partitions, topic, 3),
        refusal(set_configs, client, topic, {"retention.ms": "1"}),
    ]

    assert [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION] * 3 == unknown


def test_a_topic_gets_more_partitions_and_not_fewer(client: Driver, made: str):
    client.add_partitions(made, 4)

    assert [0] == client.produce(made, [Sent(b"x", partition=3)])
    assert ErrorCode.INVALID_PARTITIONS == refusal(client.add_partitions, made, 3)
    assert 4 == len(client.replicas(made))


def test_a_topics_configs_are_replaced_as_a_whole(client: Driver, made: str):
    need(client, "replace_configs")
    client.replace_configs(made, {"retention.ms": "9", "max.message.bytes": "1000"})
    client.replace_configs(made, {"retention.ms": "10"})

    assert {"retention.ms": "10"} == client.topic_configs(made)


def test_a_topics_configs_are_changed_one_by_one(client: Driver, topic: str):
    need(client, "change_configs")
    client.create_topic(topic, 1, {"retention.ms": "9", "max.message.bytes": "1000"})

    client.change_configs(topic, {"max.message.bytes": None, "segment.bytes": "5000"})

    assert {"retention.ms": "9", "segment.bytes": "5000"} == client.topic_configs(topic)


def test_a_changed_config_takes_effect(client: Driver, made: str):
    set_configs(client, made, {"max.message.bytes": "100"})

    def is_refused() -> bool:
        try:
            client.produce(made, [Sent(b"x" * 200)])
        except Refused as refused:
            return refused.code == ErrorCode.MESSAGE_TOO_LARGE
        return False

    wait_until(is_refused, what="the broker to hear of the change")


def test_a_wrong_value_is_refused(client: Driver, made: str):
    wrong = {"retention.ms": "soon"}

    assert ErrorCode.INVALID_CONFIG == refusal(set_configs, client, made, wrong)


def test_a_broker_describes_itself(client: Driver, broker: Broker):
    configs = client.broker_configs(broker.broker_id)

    assert ("2", str(broker.data)) == (configs["num.partitions"], configs["log.dirs"])


def test_records_are_deleted(client: Driver, made: str):
    client.produce(made, [Sent(b"x") for _ in range(10)])

    assert 4 == client.delete_records(made, 0, 4)
    assert ErrorCode.OFFSET_OUT_OF_RANGE == refusal(client.delete_records, made, 0, 11)
    assert (4, 10) == client.ends(made, 0)
    from_below = client.consume(made, 0, 0, 6, auto_offset_reset="earliest")
    assert list(range(4, 10)) == [got.offset for got in from_below]


def test_offsets_are_listed(client: Driver, made: str):
    need(client, "listed_offsets")
    client.produce(made, [Sent(b"x") for _ in range(10)])
    client.delete_records(made, 0, 3)

    assert [(3, 10), (0, 0)] == [client.listed_offsets(made, index) for index in (0, 1)]


def test_the_offset_of_the_latest_time_is_listed(broker: Broker, topic: str):
    driver = Confluent(broker.bootstrap)
    driver.create_topic(topic)
    driver.produce(topic, [Sent(b"x", timestamp_ms=STARTED_MS + (n + 5) % 10) for n in range(10)])

    place = TopicPartition(topic, 0)
    (listed,) = driver.admin.list_offsets({place: OffsetSpec.max_timestamp()}).values()

    assert 4 == listed.result(OUTER_LIMIT_S).offset


def test_sizes_of_logs_are_described(client: Driver, made: str, broker: Broker):
    need(client, "log_sizes")
    client.produce(made, [Sent(b"x" * 1000, partition=1)])

    sizes = client.log_sizes(made)

    (log,) = (broker.data / f"{made}-1").glob("*.log")
    assert {0: 0, 1: log.stat().st_size} == sizes
    assert sizes[1] > 1000


def test_idempotent_producers_are_described(client: Driver, made: str):
    need(client, "producers")
    client.produce(made, [Sent(b"first")], enable_idempotence=False)
    client.produce(made, [Sent(b"x")] * 3, enable_idempotence=True)

    assert [2] == client.producers(made, 0)
    assert [] == client.producers(made, 1)


def test_the_cluster_is_described(client: Driver, broker: Broker):
    assert (broker.broker_id, {broker.broker_id: broker.port}) == client.cluster()
