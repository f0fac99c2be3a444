"""Our answers to DescribeConfigs beside those of a Kafka that is configured in the same way.

`golden/kafka-3.9.1-described.json` has what Kafka 3.9.1 answered with `file` in server.properties,
and `for_all` and `own` in ZooKeeper: of itself as far as we support its keys, of all brokers, and
of a topic without overrides.  What it says of its own addresses and directories is left out.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.supported_configs import (
    LEADER_RATE,
    LISTED_WHERE_SET,
    PRODUCER_EXPIRATION_CHECK,
    SUPPORTED_BROKER_CONFIGS,
    SUPPORTED_TOPIC_CONFIGS,
)
from cluster.broker.ports import ApiSettings
from cluster.model.ids import BrokerId
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.configs import DescribeConfigsRequest, DescribeConfigsResource
from tests.cluster.api.world import World

KAFKA: dict[str, Any] = json.loads(
    (Path(__file__).parent / "golden" / "kafka-3.9.1-described.json").read_text(encoding="utf-8")
)
TOPIC, BROKER = 2, 4

DIFFERENT = {
    "advertised.listeners": {"read_only"},
    "listener.security.protocol.map": {"read_only", "synonyms", "value"},
    # Kafka takes it from its clients, and yet calls it read-only.
    "leader.replication.throttled.rate": {"read_only"},
    # Kafka shows the default of a key whose synonym is set, beside the synonyms that say otherwise.
    "log.retention.hours": {"value"},
    # Without a limit a client may fill the memory with requests that it never ends.
    "queued.max.request.bytes": {"synonyms", "value"},
    # The kernel adapts the sizes of buffers, unless somebody sets them.
    "replica.socket.receive.buffer.bytes": {"synonyms", "value"},
    "socket.receive.buffer.bytes": {"synonyms", "value"},
    "socket.send.buffer.bytes": {"synonyms", "value"},
}
"""What we mean to say otherwise: listeners do not change while our brokers run."""


NOT_COMPARED = {
    # Where Kafka's were when it answered.
    "kafka.logs.dir",
    "listeners",
    "log.dirs",
    "zookeeper.connect",
    *(LISTED_WHERE_SET - {LEADER_RATE}),
    # Supported since it answered.
    "auto.leader.rebalance.enable",
    "leader.imbalance.check.interval.seconds",
    "leader.imbalance.per.broker.percentage",
    # We support one of its values.
    "log.cleanup.policy",
}
"""Our configs of brokers that are not in the recorded answer."""


def test_every_config_that_is_supported_is_compared() -> None:
    assert NOT_COMPARED == SUPPORTED_BROKER_CONFIGS.keys() - KAFKA["broker"].keys()
    assert {"cleanup.policy"} == SUPPORTED_TOPIC_CONFIGS.keys() - KAFKA["topic"].keys()


@pytest.mark.parametrize(
    ("which", "kind", "name"),
    [("broker", BROKER, "0"), ("all_brokers", BROKER, ""), ("topic", TOPIC, "orders")],
)
def test_configs_are_described_as_by_kafka(which: str, kind: int, name: str) -> None:
    configs = BrokerConfigs(KAFKA["file"])
    configs.update(KAFKA["for_all"], KAFKA["own"])
    world = World(ApiSettings(configs=configs))
    world.registration.broker_id = BrokerId(0)
    world.tell_all({"orders": {0: [1]}})

    resource = DescribeConfigsResource(kind, name, list(KAFKA[which]))
    body = DescribeConfigsRequest([resource], include_synonyms=True)
    (result,) = world.ask_now(ApiKey.DESCRIBE_CONFIGS, body).results

    ours = {one.name: entry(one) for one in result.configs}
    assert KAFKA[which].keys() == ours.keys()
    differences = {
        key: {field for field in ours[key] if ours[key][field] != KAFKA[which][key][field]}
        for key in ours
    }
    assert {key: DIFFERENT[key] for key in ours if key in DIFFERENT} == {
        key: fields for key, fields in differences.items() if fields
    }


def test_all_that_is_told_of_a_broker_is_what_kafka_tells() -> None:
    """A broker on which nobody has set them tells neither of rates nor of Kafka's internal keys."""
    told = configs_told(BrokerConfigs({}))

    assert NOT_COMPARED - LISTED_WHERE_SET == told - KAFKA["broker"].keys()
    assert not LISTED_WHERE_SET & told


def test_what_is_seldom_told_is_told_where_it_is_set() -> None:
    check = PRODUCER_EXPIRATION_CHECK
    rates = sorted(LISTED_WHERE_SET - {check})
    configs = BrokerConfigs({check: "1000"})
    configs.update({rates[0]: "88"}, {rates[1]: "99", rates[2]: "77"})

    assert LISTED_WHERE_SET <= configs_told(configs)


def configs_told(configs: BrokerConfigs) -> set[str]:
    """What a broker answers that is asked for all its configs."""
    world = World(ApiSettings(configs=configs))
    world.registration.broker_id = BrokerId(0)
    resource = DescribeConfigsResource(BROKER, "0", None)
    (result,) = world.ask_now(ApiKey.DESCRIBE_CONFIGS, DescribeConfigsRequest([resource])).results
    return {one.name for one in result.configs}


def entry(one: Any) -> dict[str, Any]:
    return {
        "value": one.value,
        "source": one.config_source,
        "read_only": one.read_only,
        "sensitive": one.is_sensitive,
        "type": one.config_type,
        "synonyms": [list(synonym) for synonym in one.synonyms],
    }
