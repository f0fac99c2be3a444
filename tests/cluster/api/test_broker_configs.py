"""The configs of brokers as they are described, and what of them may be changed.

Texts, sources and synonyms are those with which Kafka 3.9.1 answered the same requests.
"""

from typing import Any

import pytest

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.listeners import LISTENER_KEYS
from cluster.broker.configs.supported_configs import (
    LISTED_WHERE_SET,
    SUPPORTED_BROKER_CONFIGS,
    SUPPORTED_TOPIC_CONFIGS,
    TOPIC_DEFAULTS,
)
from cluster.broker.control.queue import HEAVY, TURN_COST_MAX
from cluster.broker.ports import ApiSettings
from cluster.model.api_error import ApiError
from cluster.model.config_table import THROTTLE_NAMES
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.model.kafka_broker_configs import READ_ONLY_BROKER_CONFIGS
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
    DescribeConfigsRequest,
    DescribeConfigsResource,
    IncrementalAlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from tests.cluster.api.world import EPOCH, TOPIC_ID, World, versions

TOPIC, BROKER = 2, 4
OWN_SAYS, ALL_SAY, FILE_SAYS, NOBODY_SAYS = 2, 3, 4, 5
SET, DELETE, APPEND, SUBTRACT = range(4)
FILE = {"log.retention.hours": "1", "num.partitions": "3", "log.segment.bytes": "1000"}
OWN, ALL = "brokers/1", "brokers/<default>"
RETENTION = "log.retention.ms"


@pytest.fixture
def world() -> World:
    return World(ApiSettings(configs=configs()))


def configs(**found: dict[str, str]) -> BrokerConfigs:
    """Those of FILE, and what was found in ZooKeeper for all and for the broker's *own*."""
    made = BrokerConfigs(FILE)
    made.update(found.get("for_all", {}), found.get("own", {}))
    return made


def of_world(world: World) -> BrokerConfigs:
    return world.broker.ports.settings.configs


def describe(world: World, name: str = "1", *keys: str, kind: int = BROKER, version: int = 4):
    resource = DescribeConfigsResource(kind, name, keys or None)
    body = DescribeConfigsRequest([resource], include_synonyms=True)
    (result,) = world.ask_now(ApiKey.DESCRIBE_CONFIGS, body, version).results
    return result


def entry(world: World, key: str, name: str = "1", kind: int = BROKER):
    (only,) = describe(world, name, key, kind=kind).configs
    return only


def change(world: World, name: str, *changes: tuple[str, int, str | None], validates: bool = False):
    resource = IncrementalAlterConfigsResource(
        BROKER, name, [IncrementalAlterableConfig(*one) for one in changes]
    )
    body = IncrementalAlterConfigsRequest([resource], validates)
    (result,) = world.ask_now(ApiKey.INCREMENTAL_ALTER_CONFIGS, body).responses
    return result.error_code, result.error_message


def replace(world: World, name: str, values: dict[str, str | None]):
    resource = AlterConfigsResource(BROKER, name, [AlterableConfig(*one) for one in values.items()])
    (result,) = world.ask_now(ApiKey.ALTER_CONFIGS, AlterConfigsRequest([resource])).responses
    return result.error_code, result.error_message


def synonyms(one: Any) -> list[tuple[str, str | None, int]]:
    return [tuple(synonym) for synonym in one.synonyms]


# Which value wins.


def test_a_broker_goes_before_all_brokers_these_before_the_file_and_this_before_defaults() -> None:
    found = configs(for_all={RETENTION: "9", "log.roll.ms": "7"}, own={RETENTION: "8"})

    assert {"retention.ms": "8", "segment.ms": "7", "segment.bytes": "1000"} == dict(
        found.topic_defaults
    )
    assert ("8", "2147483647") == (found.text(RETENTION), found.text("max.connections"))
    found.update({}, {})
    assert {"retention.ms": "3600000", "segment.bytes": "1000"} == dict(found.topic_defaults)


def test_a_key_of_the_file_does_not_outlive_a_synonym_that_is_set_for_all() -> None:
    assert "9" == configs(for_all={RETENTION: "9"}).topic_defaults["retention.ms"]


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        (RETENTION, "x", (True, "Not a number of type LONG; it is ignored")),
        (RETENTION, "0", (True, "Value must be at least 1 or equal to -1; it is ignored")),
        ("num.partitions", "5", (True, "num.partitions is ignored: it cannot be changed")),
        ("kafka.logs.dir", "/x", (True, "kafka.logs.dir is ignored: it cannot be changed")),
        ("max.connections.per.ip.overrides", "a", (True, "'a' is not address:count; it is")),
        ("listeners", "OTHER://:1", (True, "listeners is ignored: listener OTHER has no")),
        (
            "advertised.listeners",
            "PLAINTEXT://0.0.0.0:1",
            (True, "advertised.listeners is ignored"),
        ),
        ("listener.security.protocol.map", "A:B", (True, "protocol.map is ignored: 'B' is no")),
        ("inter.broker.listener.name", "A", (True, "is ignored: it cannot be changed")),
        ("listener.name.a.ssl.key.password", "enc", (False, "password is not honoured")),
        ("ssl.client.auth", "required", (False, "ssl.client.auth is not honoured")),
        ("num.io.threads", "9", (False, "num.io.threads is not honoured")),
        ("background.threads", "9", (False, "background.threads is not honoured")),
        ("foo.bar", "secret", (False, "foo.bar is not honoured")),
    ],
)
def test_what_is_wrong_in_zookeeper_is_told_by_its_key_and_costs_nothing_else(
    name: str, value: str, told: tuple[bool, str]
) -> None:
    found = BrokerConfigs(FILE)

    (remark,) = found.update({}, {name: value, "log.roll.ms": "7"}).remarks

    is_error, text = told
    assert is_error == remark.is_error
    assert text in remark.text
    assert remark.text.startswith("In ZooKeeper, for this broker: ")
    assert "secret" not in remark.text
    assert "enc" not in remark.text
    assert "7" == found.topic_defaults["segment.ms"]
    assert "3" == found.text("num.partitions")
    assert found.values()[name] != value if name in SUPPORTED_BROKER_CONFIGS else True


# Telling it.


def test_every_key_that_is_supported_is_described_and_only_those_that_can_change_are_open(
    world: World,
) -> None:
    described = describe(world).configs

    described_keys = {one.name for one in described}
    assert SUPPORTED_BROKER_CONFIGS.keys() - LISTED_WHERE_SET <= described_keys
    open_keys = {one.name for one in described if not one.read_only}
    assert {RETENTION, "max.connections", "message.max.bytes", "log.cleanup.policy"} <= open_keys
    assert not open_keys & READ_ONLY_BROKER_CONFIGS
    assert LISTENER_KEYS <= open_keys


def test_values_come_with_all_who_say_something(world: World) -> None:
    of_world(world).update({RETENTION: "9900000"}, {RETENTION: "7200000", "log.roll.ms": "5"})

    one = entry(world, RETENTION)

    assert ("7200000", OWN_SAYS, False, 5) == (
        one.value,
        one.config_source,
        one.is_sensitive,
        one.config_type,
    )
    assert [
        (RETENTION, "7200000", OWN_SAYS),
        (RETENTION, "9900000", ALL_SAY),
        ("log.retention.hours", "1", FILE_SAYS),
        ("log.retention.hours", "168", NOBODY_SAYS),
    ] == synonyms(one)
    assert [
        ("log.roll.ms", "5", OWN_SAYS),
        ("log.roll.hours", "168", NOBODY_SAYS),
    ] == synonyms(entry(world, "log.roll.ms"))
    assert ("3", FILE_SAYS) == (
        entry(world, "num.partitions").value,
        entry(world, "num.partitions").config_source,
    )


def test_a_value_that_another_key_gives_is_called_a_default(world: World) -> None:
    world.tell_all({"orders": {0: [1]}})

    unset = entry(world, RETENTION)
    of_topic = entry(world, "retention.ms", "orders", TOPIC)

    assert (None, NOBODY_SAYS, []) == (unset.value, unset.config_source, synonyms(unset))
    assert ("3600000", NOBODY_SAYS, []) == (
        of_topic.value,
        of_topic.config_source,
        synonyms(of_topic),
    )


def test_a_topic_shows_what_brokers_say_for_it(world: World) -> None:
    world.tell_all({"orders": {0: [1]}})
    world.store.configs["orders"] = {"retention.ms": "1"}
    of_world(world).update({RETENTION: "9"}, {RETENTION: "8", "compression.type": "lz4"})

    one = entry(world, "retention.ms", "orders", TOPIC)
    unsupported = entry(world, "compression.type", "orders", TOPIC)

    assert [
        ("retention.ms", "1", 1),
        (RETENTION, "8", OWN_SAYS),
        (RETENTION, "9", ALL_SAY),
        ("log.retention.hours", "1", FILE_SAYS),
        ("log.retention.hours", "168", NOBODY_SAYS),
    ] == synonyms(one)
    assert ("producer", NOBODY_SAYS) == (unsupported.value, unsupported.config_source)


def test_all_brokers_have_what_stands_for_all_and_nothing_else(world: World) -> None:
    of_world(world).update({RETENTION: "9", "foo": "secret", "num.io.threads": "4"}, {"a.b": "c"})

    common = describe(world, "").configs

    assert {
        RETENTION: ("9", ALL_SAY, False, False, [(RETENTION, "9", ALL_SAY)]),
        "foo": (None, ALL_SAY, True, True, [("foo", None, ALL_SAY)]),
        "num.io.threads": ("4", ALL_SAY, False, False, [("num.io.threads", "4", ALL_SAY)]),
    } == {
        one.name: (
            one.value,
            one.config_source,
            one.read_only,
            one.is_sensitive,
            synonyms(one),
        )
        for one in common
    }


def test_passwords_and_what_nobody_knows_are_never_told(world: World) -> None:
    password = "listener.name.a.ssl.key.password"
    of_world(world).update({}, {password: "secret", "foo.bar": "secret"})

    told = [entry(world, name) for name in (password, "foo.bar")]

    assert [(None, True, [None])] * 2 == [
        (one.value, one.is_sensitive, [synonym.value for synonym in one.synonyms]) for one in told
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("7", "Unexpected broker id, expected 1 or empty string, but received 7"),
        ("x", "Broker id must be an integer, but it is: x"),
        ("9" * 5000, f"Broker id must be an integer, but it is: {'9' * 5000}"),
    ],
)
def test_another_broker_has_to_be_asked_itself(world: World, name: str, message: str) -> None:
    result = describe(world, name)

    assert (ErrorCode.INVALID_REQUEST, message) == (result.error_code, result.error_message)


@pytest.mark.parametrize("version", versions(ApiKey.DESCRIBE_CONFIGS))
def test_every_version_tells_what_is_no_default(world: World, version: int) -> None:
    of_world(world).update({}, {RETENTION: "8"})

    (one,) = describe(world, "1", RETENTION, version=version).configs

    assert ("8", False, False) == (one.value, one.read_only, one.is_default)


def test_texts_are_told_to_whoever_asks_for_them(world: World) -> None:
    world.tell_all({"orders": {0: [1]}})
    resources = [
        DescribeConfigsResource(BROKER, "1", [RETENTION]),
        DescribeConfigsResource(TOPIC, "orders", ["retention.ms"]),
    ]

    told = [
        [
            result.configs[0].documentation
            for result in world.ask_now(
                ApiKey.DESCRIBE_CONFIGS,
                DescribeConfigsRequest(resources, include_documentation=is_asked),
            ).results
        ]
        for is_asked in (True, False)
    ]

    of_topic = "The age at which segments go; -1: never."
    of_broker = f"{of_topic} Topics may say otherwise, by retention.ms."
    assert [[of_broker, of_topic], [None, None]] == told


def test_every_key_that_is_supported_has_a_text() -> None:
    assert all(row.doc for row in SUPPORTED_BROKER_CONFIGS.values())
    assert all(row.doc for row in SUPPORTED_TOPIC_CONFIGS.values())
    assert set(TOPIC_DEFAULTS.values()) == {
        name for name, row in SUPPORTED_TOPIC_CONFIGS.items() if row.spec.synonym is not None
    }


# Changing it.


def test_changes_are_written_for_this_broker_or_for_all(world: World) -> None:
    assert (0, None) == change(world, "1", (RETENTION, SET, "8"), ("log.roll.ms", SET, "7"))
    assert (0, None) == change(world, "", (RETENTION, SET, "9"))
    assert (0, None) == change(world, "1", ("log.roll.ms", DELETE, None))

    assert {OWN: {RETENTION: "8"}, ALL: {RETENTION: "9"}} == world.store.configs


def test_what_is_not_named_stays_though_nobody_here_can_read_it(world: World) -> None:
    world.store.configs[OWN] = {
        "listener.name.a.ssl.key.password": "encrypted",
        "log.roll.ms": "x",
        "num.partitions": "5",
    }

    assert (0, None) == change(world, "1", (RETENTION, SET, "8"), ("num.partitions", DELETE, None))

    assert {
        OWN: {
            "listener.name.a.ssl.key.password": "encrypted",
            "log.roll.ms": "x",
            RETENTION: "8",
        }
    } == world.store.configs


def test_what_a_broker_is_given_at_once_is_all_that_it_has(world: World) -> None:
    world.store.configs[OWN] = {RETENTION: "8"}

    assert (0, None) == replace(world, "1", {"log.roll.ms": "7"})
    assert {OWN: {"log.roll.ms": "7"}} == world.store.configs
    refused = replace(world, "1", {"num.partitions": "4"})
    assert (42, "Cannot update these configs dynamically: Set(num.partitions)") == refused
    assert {OWN: {"log.roll.ms": "7"}} == world.store.configs


def test_changes_that_are_only_tried_are_not_made(world: World) -> None:
    assert (0, None) == change(world, "1", (RETENTION, SET, "8"), validates=True)
    refused = change(world, "", ("broker.id", SET, "8"), validates=True)
    assert (42, "Cannot update these configs dynamically: Set(broker.id)") == refused
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")
    unreachable = change(world, "1", (RETENTION, SET, "8"), validates=True)
    assert (ErrorCode.BROKER_NOT_AVAILABLE, "no session") == unreachable

    assert {} == world.store.configs


@pytest.mark.parametrize(
    ("name", "changes", "error", "message"),
    [
        (
            "1",
            [("num.partitions", SET, "3"), ("broker.id", SET, "3")],
            42,
            "Cannot update these configs dynamically: Set(num.partitions, broker.id)",
        ),
        (
            "1",
            [("listeners", SET, "PLAINTEXT://:1,SSL://:2")],
            42,
            "Invalid value PLAINTEXT://:1,SSL://:2 for configuration listeners:"
            " listener SSL speaks SSL, which is not supported: only PLAINTEXT is",
        ),
        (
            "1",
            [
                ("listener.security.protocol.map", SET, "OTHER:PLAINTEXT"),
                ("listeners", SET, "OTHER://:1"),
            ],
            42,
            "Invalid value  for configuration advertised.listeners: the listener PLAINTEXT, by"
            " which brokers reach this one, is missing",
        ),
        (
            "1",
            [("listener.name.plaintext.ssl.keystore.password", SET, "topsecret")],
            40,
            "Passwords are not taken, as this broker cannot encrypt them:"
            " Set(listener.name.plaintext.ssl.keystore.password)",
        ),
        (
            "",
            [("listener.name.plaintext.ssl.keystore.location", SET, "/x")],
            42,
            "Cannot update these configs at default cluster level, broker id must be specified:"
            " Set(listener.name.plaintext.ssl.keystore.location)",
        ),
        (
            "",
            [("listeners", SET, "PLAINTEXT://:1")],
            42,
            "Cannot update these configs at default cluster level, broker id must be specified:"
            " Set(listeners)",
        ),
        (
            "1",
            [(RETENTION, SET, "x")],
            42,
            "Invalid value x for configuration log.retention.ms: Not a number of type LONG",
        ),
        (
            "1",
            [("leader.replication.throttled.rate", SET, "-1")],
            42,
            "Invalid value -1 for configuration leader.replication.throttled.rate:"
            " Value must be at least 0",
        ),
        (
            "1",
            [("min.insync.replicas", SET, "0")],
            42,
            "Invalid value 0 for configuration min.insync.replicas: Value must be at least 1",
        ),
        (
            "",
            [("log.cleanup.policy", APPEND, "archive")],
            42,
            "Invalid value delete,archive for configuration log.cleanup.policy: String must be"
            " one of: compact, delete",
        ),
        (
            "1",
            [("max.connections.per.ip.overrides", SET, "127.0.0.1:5,::1:x")],
            42,
            "Invalid value 127.0.0.1:5,::1:x for configuration max.connections.per.ip.overrides:"
            " '::1:x' is not address:count",
        ),
        ("1", [(RETENTION, SET, None)], 42, "Null value not supported for : log.retention.ms"),
        (
            "1",
            [(RETENTION, SET, "5"), (RETENTION, SET, "6")],
            42,
            "Error due to duplicate config keys",
        ),
        (
            "1",
            [(RETENTION, APPEND, "5")],
            40,
            "Config value append is not allowed for config key: log.retention.ms",
        ),
        (
            "1",
            [("foo", SUBTRACT, "5")],
            40,
            "Config value subtract is not allowed for config key: foo",
        ),
        ("1", [(RETENTION, 9, "5")], 42, "Unknown operations type 9"),
        ("7", [(RETENTION, SET, "5")], 42, "Unexpected broker id, expected 1, but received 7"),
        ("x", [(RETENTION, SET, "5")], 42, "Node id must be an integer, but it is: x"),
    ],
)
def test_changes_that_cannot_be_are_refused_as_kafka_does(
    world: World, name: str, changes: list[Any], error: int, message: str
) -> None:
    refused = change(world, name, ("log.roll.ms", SET, "7"), *changes)

    assert (error, message) == refused
    assert {} == world.store.configs


@pytest.mark.parametrize("name", ["foo.bar", "num.io.threads", *sorted(THROTTLE_NAMES)])
def test_what_is_not_supported_here_may_be_set_for_others(world: World, name: str) -> None:
    assert (0, None) == change(world, "", (name, SET, "9"))
    assert {ALL: {name: "9"}} == world.store.configs


def test_thread_counts_are_compared_with_those_of_before(world: World) -> None:
    """Of the broker itself, where somebody has set one: what is set for all does not count then."""
    of_world(world).update({"num.io.threads": "16"}, {})
    assert (0, None) == change(world, "", ("num.io.threads", SET, "32"))
    of_world(world).update({"num.io.threads": "16"}, {"num.io.threads": "4"})

    assert 42 == change(world, "1", ("num.io.threads", SET, "9"))[0]
    assert (0, None) == change(world, "1", ("num.io.threads", SET, "8"))
    assert (0, None) == change(world, "", ("num.io.threads", SET, "99"))
    # Without its own it would have those of all: four times as many.
    assert 42 == change(world, "1", ("num.io.threads", DELETE, None))[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("found", "changes", "code"),
    [
        ({}, [("log.cleaner.threads", SET, "2")], 0),
        ({}, [("log.cleaner.threads", SET, "3")], 42),
        ({"log.cleaner.threads": "8"}, [("log.cleaner.threads", SET, "3")], 42),
        ({"log.cleaner.threads": "8"}, [("log.cleaner.threads", DELETE, None)], 42),
        ({"log.cleaner.threads": "8"}, [("log.cleaner.dedupe.buffer.size", SET, "7340032")], 42),
        ({"log.cleaner.threads": "8"}, [("log.cleaner.dedupe.buffer.size", SET, "8388608")], 0),
        # A retention of one hour, by the file.
        ({}, [("log.local.retention.ms", SET, "3600000")], 0),
        ({}, [("log.local.retention.ms", SET, "3600001")], 42),
        ({}, [("log.local.retention.ms", SET, "-1")], 42),
        ({}, [("log.local.retention.ms", SET, "3600001"), (RETENTION, SET, "-1")], 0),
        ({"log.local.retention.ms": "9", RETENTION: "9"}, [(RETENTION, SET, "8")], 42),
        ({}, [("log.local.retention.bytes", SET, "7"), ("log.retention.bytes", SET, "6")], 42),
        ({"listener.name.a.num.network.threads": "4"}, [("num.network.threads", SET, "6")], 0),
        ({}, [("listener.name.a.num.network.threads", SET, "7")], 42),
        (
            {"listener.name.a.num.network.threads": "4"},
            [("listener.name.a.num.network.threads", SET, "8")],
            0,
        ),
        ({}, [("metric.reporters", SET, "")], 0),
        ({}, [("metric.reporters", SET, "com.example.Mine")], 42),
    ],
)
def test_a_broker_goes_over_only_to_what_kafka_would(
    world: World, found: dict[str, str], changes: list[Any], code: int
) -> None:
    of_world(world).update({}, found)
    world.store.configs[OWN] = found

    assert code == change(world, "1", *changes)[0]


def test_the_listeners_of_one_broker_may_change_together(world: World) -> None:
    protocols = "PLAINTEXT:PLAINTEXT,SECOND:PLAINTEXT"
    both = "PLAINTEXT://:9092,SECOND://:9093"
    new = [("listener.security.protocol.map", SET, protocols), ("listeners", SET, both)]
    assert (0, None) == change(world, "1", *new)
    of_world(world).update({}, world.store.configs[OWN])

    assert ["PLAINTEXT", "SECOND"] == [one.listener for one in of_world(world).listeners().bound]
    # The second one would be left without a protocol.
    assert 42 == change(world, "1", ("listener.security.protocol.map", DELETE, None))[0]
    assert (0, None) == change(world, "1", ("listeners", DELETE, None))


def test_wrong_listeners_in_zookeeper_leave_all_of_them_as_they_were() -> None:
    found = BrokerConfigs(FILE)

    found.update({}, {"listeners": "PLAINTEXT://:1", "advertised.listeners": "A://:1"})

    assert ["PLAINTEXT://:9092"] == [str(one) for one in found.listeners().bound]


# Applying it.


def log_of(world: World, topic: str, index: int = 0) -> Any:
    return world.logs.log(TopicPartition(topic, index))


def test_new_defaults_hold_for_all_topics_that_do_not_override_them(world: World) -> None:
    world.store.configs["own"] = {"retention.ms": "1"}
    world.lead("own")
    world.lead("plain")

    of_world(world).update({RETENTION: "9", "log.segment.bytes": "77"}, {})
    world.broker.role_changer.topic_defaults_changed()

    assert [(1, 77), (9, 77)] == [
        (log_of(world, topic).config.retention_ms, log_of(world, topic).config.segment_size_max)
        for topic in ("own", "plain")
    ]
    world.broker.role_changer.change_topic_configs("own", {})
    assert 9 == log_of(world, "own").config.retention_ms


def test_a_lower_min_isr_for_all_lets_waiting_producers_go(world: World) -> None:
    of_world(world).update({"min.insync.replicas": "2"}, {})
    world.lead(replicas=(1, 2), isr=(1,))
    refused = world.produced().error_code

    of_world(world).update({}, {})
    world.broker.role_changer.topic_defaults_changed()

    assert [ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NONE] == [refused, world.produced().error_code]


def test_defaults_that_change_before_a_partition_is_taken_over_hold_for_its_log(
    world: World,
) -> None:
    world.lead("orders")
    world.logs.close(world.clock.now_ms(), EPOCH)
    again = World(ApiSettings(configs=configs()), disk=world.files)
    of_world(again).update({RETENTION: "9"}, {})
    again.broker.role_changer.topic_defaults_changed()
    before = log_of(again, "orders").config.retention_ms

    again.lead("orders", leader_epoch=1, is_new=False)

    assert (9, True) == (log_of(again, "orders").config.retention_ms, before != 9)


def test_overrides_that_change_while_their_topic_is_taken_over_hold_for_it(world: World) -> None:
    slices = dict.fromkeys(range(TURN_COST_MAX // HEAVY + 1), (1,))
    world.tell_all({"orders": slices})
    states = [
        LeaderAndIsrPartitionState(
            topic_name="orders",
            partition_index=index,
            controller_epoch=1,
            leader=1,
            isr=(1,),
            replicas=(1,),
            is_new=True,
        )
        for index in slices
    ]
    order = LeaderAndIsrRequest(
        controller_id=1,
        controller_epoch=1,
        broker_epoch=EPOCH,
        topic_states=[LeaderAndIsrTopicState("orders", TOPIC_ID, states)],
    )
    answer = world.ask(ApiKey.LEADER_AND_ISR, order)
    world.settle()
    world.broker.role_changer.change_topic_configs("orders", {"retention.ms": "5"})
    of_world(world).update({"log.roll.ms": "6"}, {})
    world.broker.role_changer.topic_defaults_changed()
    was_waiting = answer.is_waiting
    world.clock.advance(0)

    assert was_waiting
    assert not answer.is_waiting
    assert {(5, 6)} == {
        (log.config.retention_ms, log.config.segment_ms)
        for index in slices
        for log in (log_of(world, "orders", index),)
    }


def test_defaults_that_a_topic_does_not_go_with_leave_it_as_it_was(world: World) -> None:
    world.store.configs["orders"] = {"retention.ms": "1"}
    world.lead("orders")
    world.broker.role_changer.change_topic_configs("orders", {"cleanup.policy": "archive"})

    of_world(world).update({"log.roll.ms": "9"}, {})
    world.broker.role_changer.topic_defaults_changed()

    assert 1 == log_of(world, "orders").config.retention_ms
    assert ["topic orders keeps its configs"] * 2 == [
        line.partition(":")[0] for line in world.journal.errors
    ]
