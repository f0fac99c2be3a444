"""How are topics configured, and what of that may be changed?"""

from typing import Any

import pytest

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.ports import ApiSettings
from cluster.model.api_error import ApiError
from cluster.model.config_table import TOPIC_CONFIGS
from cluster.model.error_codes import ErrorCode
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
from tests.cluster.api.world import World, versions

TOPIC, LOGGER = 2, 8
TOPIC_SAYS, FILE_SAYS, NOBODY_SAYS = 1, 4, 5
SET, DELETE, APPEND, SUBTRACT = range(4)


@pytest.fixture
def world() -> World:
    made = World(ApiSettings(configs=BrokerConfigs({"log.retention.ms": "3600000"})))
    made.tell_all({"orders": {0: [1]}})
    made.store.configs["orders"] = {"segment.bytes": "1000000", "retention.ms": "5"}
    return made


def describe(
    world: World,
    name: str = "orders",
    kind: int = TOPIC,
    keys: list[str] | None = None,
    *,
    synonyms: bool = False,
    version: int = 4,
):
    resource = DescribeConfigsResource(kind, name, keys)
    body = DescribeConfigsRequest([resource], synonyms)
    (result,) = world.ask_now(ApiKey.DESCRIBE_CONFIGS, body, version).results
    return result


def entries(result: Any) -> dict[str, tuple[str | None, int]]:
    """Value and source of each config in an answer."""
    return {one.name: (one.value, one.config_source) for one in result.configs}


@pytest.mark.parametrize("version", versions(ApiKey.DESCRIBE_CONFIGS))
def test_a_topics_own_configs_stand_beside_the_brokers_and_the_defaults(world: World, version: int):
    result = describe(world, version=version)

    assert (ErrorCode.NONE, TOPIC, "orders") == (
        result.error_code,
        result.resource_type,
        result.resource_name,
    )
    assert set(TOPIC_CONFIGS) == {one.name for one in result.configs}
    values = {one.name: one.value for one in result.configs}
    assert ("5", "1000000", "delete") == (
        values["retention.ms"],
        values["segment.bytes"],
        values["cleanup.policy"],
    )
    if version == 0:
        assert {one.name: False for one in result.configs if not one.is_default} == dict.fromkeys(
            ("retention.ms", "segment.bytes"), False
        )
    else:
        assert NOBODY_SAYS == entries(result)["cleanup.policy"][1]


def test_everyone_who_says_something_is_named_in_order(world: World):
    keys = ["retention.ms", "segment.bytes"]

    both = describe(world, keys=keys, synonyms=True).configs

    assert {
        "retention.ms": [
            ("retention.ms", "5", TOPIC_SAYS),
            ("log.retention.ms", "3600000", FILE_SAYS),
            # The default stands under another key, which speaks of the same.
            ("log.retention.hours", "168", NOBODY_SAYS),
        ],
        "segment.bytes": [
            ("segment.bytes", "1000000", TOPIC_SAYS),
            ("log.segment.bytes", "1073741824", NOBODY_SAYS),
        ],
    } == {one.name: [tuple(synonym) for synonym in one.synonyms] for one in both}


def test_a_default_without_a_brokers_key_has_no_synonym(world: World):
    told = describe(world, synonyms=True).configs

    # As Kafka 3.9.1 answers.
    assert {
        "flush.ms",
        "follower.replication.throttled.replicas",
        "leader.replication.throttled.replicas",
        "remote.log.copy.disable",
        "remote.log.delete.on.disable",
        "remote.storage.enable",
        "segment.jitter.ms",
        "segment.ms",
    } == {one.name for one in told if not one.synonyms}


def test_only_the_keys_that_are_asked_for_are_described(world: World):
    result = describe(world, keys=["retention.ms", "no.such"])

    assert {"retention.ms": ("5", TOPIC_SAYS)} == entries(result)


def test_what_has_no_configs_is_said(world: World):
    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION == describe(world, "nowhere").error_code
    assert ErrorCode.INVALID_REQUEST == describe(world, "1", LOGGER).error_code
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")
    assert ErrorCode.BROKER_NOT_AVAILABLE == describe(world).error_code


def test_damaged_configs_are_the_error_of_their_topic_alone(world: World):
    world.lead("broken")
    world.store.configs["broken"] = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "is not JSON")

    broken = describe(world, "broken")
    tried = replace(world, {"retention.ms": "7"}, name="broken", validates=True)

    assert (ErrorCode.UNKNOWN_SERVER_ERROR, "is not JSON") == (
        broken.error_code,
        broken.error_message,
    )
    assert (ErrorCode.UNKNOWN_SERVER_ERROR, "is not JSON") == (
        tried.error_code,
        tried.error_message,
    )
    assert ErrorCode.NONE == describe(world).error_code


# AlterConfigs.


def replace(world: World, configs: dict[str, str | None], *, version: int = 2, **said: Any):
    resource = AlterConfigsResource(
        said.get("kind", TOPIC),
        said.get("name", "orders"),
        [AlterableConfig(name, value) for name, value in configs.items()],
    )
    body = AlterConfigsRequest([resource], said.get("validates", False))
    (result,) = world.ask_now(ApiKey.ALTER_CONFIGS, body, version).responses
    return result


@pytest.mark.parametrize("version", versions(ApiKey.ALTER_CONFIGS))
def test_what_a_topic_is_given_is_all_that_it_has(world: World, version: int):
    result = replace(world, {"retention.ms": "7"}, version=version)

    assert (ErrorCode.NONE, TOPIC, "orders") == (
        result.error_code,
        result.resource_type,
        result.resource_name,
    )
    assert {"retention.ms": "7"} == world.store.configs["orders"]


def test_configs_that_are_only_tried_are_not_changed(world: World):
    before = dict(world.store.configs["orders"])

    good = replace(world, {"retention.ms": "7"}, validates=True)
    bad = replace(world, {"retention.ms": "x"}, validates=True)
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")
    unreachable = replace(world, {"retention.ms": "7"}, validates=True)

    assert [ErrorCode.NONE, ErrorCode.INVALID_CONFIG, ErrorCode.BROKER_NOT_AVAILABLE] == [
        one.error_code for one in (good, bad, unreachable)
    ]
    assert before == world.store.configs["orders"]


@pytest.mark.parametrize(
    ("configs", "said", "error"),
    [
        ({"retention.ms": None}, {}, ErrorCode.INVALID_REQUEST),
        ({"retention.ms": "x"}, {}, ErrorCode.INVALID_CONFIG),
        ({"no.such": "1"}, {}, ErrorCode.INVALID_CONFIG),
        ({"cleanup.policy": "archive"}, {}, ErrorCode.INVALID_CONFIG),
        (
            {"min.compaction.lag.ms": "9", "max.compaction.lag.ms": "8"},
            {},
            ErrorCode.INVALID_CONFIG,
        ),
        ({}, {"name": "nowhere"}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({}, {"kind": LOGGER, "name": "1"}, ErrorCode.INVALID_REQUEST),
    ],
)
def test_configs_that_cannot_be_are_refused(world: World, configs, said, error):
    before = dict(world.store.configs["orders"])

    result = replace(world, configs, **said)

    assert error == result.error_code
    assert result.error_message
    assert before == world.store.configs["orders"]


def test_a_resource_that_is_named_twice_is_refused(world: World):
    resource = AlterConfigsResource(TOPIC, "orders", [])

    body = world.ask_now(ApiKey.ALTER_CONFIGS, AlterConfigsRequest([resource, resource]))

    assert [ErrorCode.INVALID_REQUEST] == [one.error_code for one in body.responses]


# IncrementalAlterConfigs.


def change(world: World, *changes: tuple[str, int, str | None], version: int = 1):
    resource = IncrementalAlterConfigsResource(
        TOPIC, "orders", [IncrementalAlterableConfig(*one) for one in changes]
    )
    body = IncrementalAlterConfigsRequest([resource])
    (result,) = world.ask_now(ApiKey.INCREMENTAL_ALTER_CONFIGS, body, version).responses
    return result


@pytest.mark.parametrize("version", versions(ApiKey.INCREMENTAL_ALTER_CONFIGS))
def test_what_is_not_named_stays(world: World, version: int):
    result = change(world, ("retention.ms", DELETE, None), ("flush.ms", SET, "9"), version=version)

    assert ErrorCode.NONE == result.error_code
    assert {"segment.bytes": "1000000", "flush.ms": "9"} == world.store.configs["orders"]


def test_lists_grow_and_shrink(world: World):
    throttled = "leader.replication.throttled.replicas"
    change(world, (throttled, SET, "0:1"))
    change(world, (throttled, APPEND, "1:2,0:1"))
    grown = world.store.configs["orders"][throttled]

    change(world, (throttled, SUBTRACT, "0:1"))

    assert ("0:1,1:2", "1:2") == (grown, world.store.configs["orders"][throttled])


def test_a_list_grows_from_what_counts_where_the_topic_says_nothing(world: World):
    assert ErrorCode.NONE == change(world, ("cleanup.policy", APPEND, "delete")).error_code
    assert "delete" == world.store.configs["orders"]["cleanup.policy"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ([("retention.ms", SET, None)], ErrorCode.INVALID_REQUEST),
        ([("retention.ms", APPEND, "1")], ErrorCode.INVALID_CONFIG),
        ([("no.such", SUBTRACT, "1")], ErrorCode.INVALID_CONFIG),
        ([("cleanup.policy", APPEND, "archive")], ErrorCode.INVALID_CONFIG),
        ([("retention.ms", 9, "1")], ErrorCode.INVALID_REQUEST),
        ([("flush.ms", SET, "1"), ("flush.ms", SET, "2")], ErrorCode.INVALID_REQUEST),
    ],
)
def test_changes_that_cannot_be_are_refused_as_a_whole(world: World, changes, error):
    before = dict(world.store.configs["orders"])

    result = change(world, ("segment.ms", SET, "1000"), *changes)

    assert error == result.error_code
    assert before == world.store.configs["orders"]
