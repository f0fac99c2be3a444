"""Our answers to DescribeConfigs and IncrementalAlterConfigs beside those of a real Kafka.

`scripts.kafka_configs` has recorded what Kafka 3.9.1 answered with `file` in server.properties, and
`for_all` and `own` in ZooKeeper: of itself, of all brokers, and what of its configs may change.
What it says of its own addresses and directories is left out.
"""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.supported_configs import (
    LISTED_WHERE_SET,
    NOT_USED,
    PRODUCER_EXPIRATION_CHECK,
    SUPPORTED_BROKER_CONFIGS,
    SUPPORTED_TOPIC_CONFIGS,
)
from cluster.broker.ports import ApiSettings
from cluster.model.ids import BrokerId
from cluster.model.kafka_broker_configs import KAFKA_BROKER_CONFIGS
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    IncrementalAlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from tests.cluster.api.described import ALL, ALTERATIONS, FILE
from tests.cluster.api.world import World

GOLDEN: Final = Path(__file__).parent / "golden"


def golden(name: str) -> dict[str, Any]:
    document = json.loads((GOLDEN / f"kafka-3.9.1-{name}.json").read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


KAFKA: Final = golden("described")
TOPICS: Final = golden("described-topic")
VERDICTS: Final = golden("altered")["verdicts"]
TOPIC, BROKER = 2, 4

DIFFERENT: Final = {
    # Kafka takes it from its clients, and yet calls it read-only.
    "leader.replication.throttled.rate": {"read_only", "has_documentation"},
    # Kafka shows the default of a key whose synonym is set, beside the synonyms that say otherwise.
    "log.retention.hours": {"value"},
    "log.roll.jitter.hours": {"value"},
    # Without a limit a client may fill the memory with requests that it never ends.
    "queued.max.request.bytes": {"synonyms", "value"},
    # The kernel adapts the sizes of buffers, unless somebody sets them.
    "replica.socket.receive.buffer.bytes": {"synonyms", "value"},
    "socket.receive.buffer.bytes": {"synonyms", "value"},
    "socket.send.buffer.bytes": {"synonyms", "value"},
}
"""What we mean to say otherwise."""

NOT_COMPARED: Final = {"listeners", "log.dirs", "zookeeper.connect"}
"""Where Kafka's were when it answered."""


def world_of(configs: BrokerConfigs) -> World:
    world = World(ApiSettings(configs=configs))
    world.registration.broker_id = BrokerId(0)
    return world


def configured(of: dict[str, Any]) -> World:
    configs = BrokerConfigs(of["file"] | {"node.id": "0"})
    configs.update(of["for_all"], of["own"])
    world = world_of(configs)
    world.tell_all({"orders": {0: [1]}})
    return world


def described(world: World, kind: int, name: str) -> dict[str, dict[str, Any]]:
    resource = DescribeConfigsResource(kind, name, None)
    body = DescribeConfigsRequest([resource], include_synonyms=True, include_documentation=True)
    (result,) = world.ask_now(ApiKey.DESCRIBE_CONFIGS, body).results
    return {one.name: entry(one) for one in result.configs}


def entry(one: Any) -> dict[str, Any]:
    return {
        "value": one.value,
        "source": one.config_source,
        "read_only": one.read_only,
        "sensitive": one.is_sensitive,
        "type": one.config_type,
        "has_documentation": bool(one.documentation),
        "synonyms": [list(synonym) for synonym in one.synonyms],
    }


@pytest.mark.parametrize(("which", "name"), [("broker", "0"), ("all_brokers", "")])
def test_every_config_of_brokers_is_described_as_by_kafka(which: str, name: str) -> None:
    kafkas = KAFKA[which]

    ours = described(configured(KAFKA), BROKER, name)

    assert kafkas.keys() == ours.keys()
    differences = {
        key: {field for field in ours[key] if ours[key][field] != kafkas[key][field]}
        for key in ours.keys() - NOT_COMPARED
    }
    assert {key: DIFFERENT[key] for key in ours if key in DIFFERENT} == {
        key: fields for key, fields in differences.items() if fields
    }


def test_configs_of_topics_are_described_as_by_kafka() -> None:
    kafkas = TOPICS["topic"]

    ours = described(configured(TOPICS), TOPIC, "orders")

    assert {"cleanup.policy"} == SUPPORTED_TOPIC_CONFIGS.keys() - kafkas.keys()
    for key, fields in kafkas.items():
        assert fields == {field: ours[key][field] for field in fields}, key


def test_a_broker_on_which_nobody_has_set_anything_tells_of_what_kafka_does() -> None:
    """Neither of rates nor of Kafka's internal keys."""
    told = described(world_of(BrokerConfigs({})), BROKER, "0").keys()

    public = {name for name, config in KAFKA_BROKER_CONFIGS.items() if not config.is_internal}
    assert public == told
    assert SUPPORTED_BROKER_CONFIGS.keys() - LISTED_WHERE_SET <= told


def test_what_is_seldom_told_is_told_where_it_is_set() -> None:
    rates = ["follower.replication.throttled.rate", "leader.replication.throttled.rate"]
    static = {PRODUCER_EXPIRATION_CHECK: "1000", "kafka.logs.dir": "/logs"}
    configs = BrokerConfigs(static)
    configs.update({rates[0]: "88"}, {rates[1]: "99"})

    assert {*rates, *static} <= described(world_of(configs), BROKER, "0").keys()


def test_what_has_no_effect_here_says_so_in_its_documentation() -> None:
    resource = DescribeConfigsResource(BROKER, "0", None)
    body = DescribeConfigsRequest([resource], include_documentation=True)
    (result,) = world_of(BrokerConfigs({})).ask_now(ApiKey.DESCRIBE_CONFIGS, body).results

    said = {one.name for one in result.configs if one.documentation.startswith(NOT_USED)}

    assert {one.name for one in result.configs} - SUPPORTED_BROKER_CONFIGS.keys() == said


# Changes.


def verdict(world: World, resource: str, key: str, value: str) -> tuple[int, str | None]:
    changes = [IncrementalAlterableConfig(key, 0, value)]
    body = IncrementalAlterConfigsRequest(
        [IncrementalAlterConfigsResource(BROKER, resource, changes)], validate_only=True
    )
    (result,) = world.ask_now(ApiKey.INCREMENTAL_ALTER_CONFIGS, body).responses
    return result.error_code, result.error_message


OTHER_WORDS: Final = (
    "requirement failed: ",
    "Error creating broker listeners",
    "For input string",
    "/ by zero",
    "Invalid value org.apache.kafka.common.config.ConfigException: Validation of dynamic config",
    "Invalid value org.apache.kafka.common.config.ConfigException: Security protocol",
)
"""How texts of Kafka's begin that nobody would understand without its source."""
WRAPPED: Final = "Invalid value org.apache.kafka.common.config.ConfigException: "
WRAPPED_END: Final = " for configuration Invalid dynamic configuration"


STRICTER: Final = {
    f"0 {key}=x"
    for key in (
        "sasl.jaas.config",
        "listener.name.plaintext.sasl.jaas.config",
        "listener.name.plaintext.plain.sasl.jaas.config",
        "listener.name.plaintext.ssl.keystore.password",
    )
}
"""Passwords, which Kafka writes encrypted, and for that needs password.encoder.secret."""


def test_what_may_change_and_what_not_is_what_kafka_says() -> None:
    """Every key, for one broker and for all; with its reasons, where they are clear."""
    configs = BrokerConfigs(FILE | {"node.id": "0", "listeners": "PLAINTEXT://:9092"})
    world = world_of(configs)
    differences = {}

    for resource, key, value in ALTERATIONS:
        case = f"{resource or ALL} {key}={value}"
        code, reason = VERDICTS[case]
        if reason is not None and reason.startswith(OTHER_WORDS):
            reason = None
        elif reason is not None:
            reason = reason.removeprefix(WRAPPED).removesuffix(WRAPPED_END).replace("Hash", "")
        found = verdict(world, resource, key, value)
        if code != found[0] or (reason is not None and reason != found[1]):
            differences[case] = (code, reason, found)

    assert STRICTER == differences.keys(), differences
    assert len(ALTERATIONS) == len(VERDICTS)
