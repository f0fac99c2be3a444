"""The config table against what Kafka's own classes print and accept.

`golden/kafka-3.9.1-configs.json` was printed by Kafka 3.9.1: its keys with type and default, the
brokers' synonyms and scopes, and for each key and each of `values` whether ConfigDef takes it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from cluster.model.config_entity import EntityKind
from cluster.model.config_spec import UpdateMode
from cluster.model.config_table import (
    CONFIGS,
    TOPIC_CONFIGS,
    broker_default_problem,
    config_problem,
    conflict_of,
    find_spec,
    suggest,
    topic_config_problem,
)

KAFKA: dict[str, Any] = json.loads(
    (Path(__file__).parent / "golden" / "kafka-3.9.1-configs.json").read_text(encoding="utf-8")
)
NOT_RELEASED_BY_3_9 = {("message.format.version", "4.0-IV0")}


@pytest.mark.parametrize("kind", EntityKind)
def test_every_key_of_kafka_is_in_the_table_with_its_type(kind: EntityKind) -> None:
    kafka = {name: type_ for name, (type_, _default) in KAFKA["keys"][kind].items()}
    ours = {name: str(spec.kind) for name, spec in CONFIGS[kind].items()}
    only_behind_a_listener = set(KAFKA["scopes"]["per_listener_or_mechanism"])

    assert kafka == {
        name: type_
        for name, type_ in ours.items()
        if name in kafka or name not in only_behind_a_listener
    }


@pytest.mark.parametrize("kind", [EntityKind.TOPICS, EntityKind.BROKERS])
def test_defaults_are_those_of_kafka(kind: EntityKind) -> None:
    # What Kafka derives from other settings has no default of its own there.
    derived = {"log.retention.ms", "log.roll.ms", "log.roll.jitter.ms"}
    for name, (type_, printed) in KAFKA["keys"][kind].items():
        spec = CONFIGS[kind][name]
        if name in derived or spec.default is None:
            continue
        expected = printed.strip("[]").replace(", ", ",") if type_ == "LIST" else printed
        expected = expected.removeprefix("class ") if type_ == "CLASS" else expected

        assert expected == spec.default, name


def test_a_topic_key_names_the_brokers_key_that_gives_its_default() -> None:
    ours = {name: spec.synonym for name, spec in TOPIC_CONFIGS.items() if spec.synonym is not None}

    assert KAFKA["synonyms"] == ours


def test_every_default_is_legal() -> None:
    for kind, table in CONFIGS.items():
        for name, spec in table.items():
            if spec.default is None or spec.update_mode is UpdateMode.PER_LISTENER:
                continue
            for default in (spec.default, *(value for _, value in spec.earlier_defaults)):
                assert config_problem(kind, name, default) is None


@pytest.mark.parametrize("kind", EntityKind)
def test_nothing_that_kafka_refuses_is_taken(kind: EntityKind) -> None:
    for name, verdicts in KAFKA["verdicts"][kind].items():
        for value, verdict in zip(KAFKA["values"], verdicts, strict=True):
            if verdict == "-":
                assert config_problem(kind, name, value) is not None, (name, value)


def test_what_kafka_takes_for_a_topic_is_taken_but_for_what_is_no_number() -> None:
    refused = {
        (name, value)
        for name, verdicts in KAFKA["verdicts"]["topics"].items()
        for value, verdict in zip(KAFKA["values"], verdicts, strict=True)
        if verdict == "+" and topic_config_problem(name, value) is not None
    }

    assert refused == {("min.cleanable.dirty.ratio", "NaN"), *NOT_RELEASED_BY_3_9}


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        (
            "retention.ms",
            "abc",
            "Invalid value abc for configuration retention.ms: Not a number of type LONG",
        ),
        (
            "segment.bytes",
            "2147483648",
            "Invalid value 2147483648 for configuration segment.bytes: Not a number of type INT",
        ),
        (
            "retention.ms",
            "-2",
            "Invalid value -2 for configuration retention.ms: Value must be at least -1",
        ),
        (
            "min.cleanable.dirty.ratio",
            "1.1",
            "Invalid value 1.1 for configuration min.cleanable.dirty.ratio:"
            " Value must be no more than 1",
        ),
        (
            "compression.gzip.level",
            "0",
            "Invalid value 0 for configuration compression.gzip.level:"
            " Value must be between 1 and 9 or equal to -1",
        ),
        (
            "cleanup.policy",
            "keep",
            "Invalid value keep for configuration cleanup.policy:"
            " String must be one of: compact, delete",
        ),
        (
            "preallocate",
            "yes",
            "Invalid value yes for configuration preallocate:"
            " Expected value to be either true or false",
        ),
        (
            "message.format.version",
            "9.9",
            "Invalid value 9.9 for configuration message.format.version:"
            " Version 9.9 is not a valid version",
        ),
        ("no.such", "1", "Unknown topic config name: no.such"),
    ],
)
def test_a_bad_value_is_refused_in_kafkas_words(name: str, value: str, problem: str) -> None:
    assert topic_config_problem(name, value) == problem


@pytest.mark.parametrize(
    ("kind", "name", "is_sensitive"),
    [
        (EntityKind.BROKERS, "listener.name.ssl.ssl.key.password", True),
        (EntityKind.BROKERS, "sasl.jaas.config", True),
        (EntityKind.USERS, "SCRAM-SHA-512", True),
        (EntityKind.USERS, "producer_byte_rate", False),
        (EntityKind.BROKERS, "listener.name.ssl.ssl.keystore.location", False),
    ],
)
def test_secrets_are_known_as_such(kind: EntityKind, name: str, is_sensitive: bool) -> None:
    spec = find_spec(kind, name)

    assert spec is not None
    assert spec.is_sensitive == is_sensitive


@pytest.mark.parametrize(
    "name",
    [
        "listener.name.internal.ssl.keystore.location",
        "listener.name.internal.scram-sha-256.sasl.jaas.config",
        "listener.name.internal.max.connections",
        "listener.name.internal.connections.max.reauth.ms",
    ],
)
def test_a_listeners_prefix_leads_to_the_key_behind_it(name: str) -> None:
    spec = find_spec(EntityKind.BROKERS, name)

    assert spec is not None
    assert name.endswith(spec.name)


@pytest.mark.parametrize(
    "name",
    [
        "listener.name.internal",
        "listener.name.internal.",
        "listener.name.internal.retention.ms",
        "listener.name.internal.log.cleaner.threads",
        "listener.name.internal.leader.replication.throttled.rate",
    ],
)
def test_a_listeners_prefix_does_not_go_with_every_key(name: str) -> None:
    assert find_spec(EntityKind.BROKERS, name) is None
    assert config_problem(EntityKind.BROKERS, name, "1") == f"Unknown broker config name: {name}"


@pytest.mark.parametrize("name", KAFKA["scopes"]["per_listener"])
def test_a_security_config_needs_its_listener(name: str) -> None:
    problem = config_problem(EntityKind.BROKERS, name, "x")

    assert problem is not None
    assert f"listener.name.<listener in lower case>.{name}" in problem
    assert config_problem(EntityKind.BROKERS, f"listener.name.ssl.{name}", "x") is None


def test_what_kafka_keeps_to_one_broker_cannot_be_set_for_all() -> None:
    for name in CONFIGS[EntityKind.BROKERS]:
        is_kept = (
            name in KAFKA["scopes"]["per_broker"]
            or name in (KAFKA["scopes"]["per_listener_or_mechanism"])
        )

        assert (broker_default_problem(name) is not None) == is_kept, name


def test_a_listeners_config_can_be_set_for_all_brokers_only_where_kafka_reads_it_there() -> None:
    for name in KAFKA["scopes"]["cluster_wide_listener"]:
        assert broker_default_problem(f"listener.name.internal.{name}") is None
    assert broker_default_problem("listener.name.internal.ssl.keystore.type") is not None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("retention.m", "retention.ms"),
        ("retentionms", "retention.ms"),
        ("min.insync.replica", "min.insync.replicas"),
        ("max.message.byte", "max.message.bytes"),
        ("cleanup.polciy", "cleanup.policy"),
        ("nothing.like.it", None),
    ],
)
def test_a_misspelt_key_leads_to_the_one_that_was_meant(typed: str, meant: str | None) -> None:
    assert suggest(EntityKind.TOPICS, typed) == meant


@pytest.mark.parametrize(
    ("values", "is_conflict"),
    [
        ({"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "10"}, False),
        ({"min.compaction.lag.ms": "11", "max.compaction.lag.ms": "10"}, True),
        ({"min.compaction.lag.ms": "11"}, False),
        ({"local.retention.ms": "6", "retention.ms": "5"}, True),
        ({"local.retention.ms": "-1", "retention.ms": "5"}, True),
        ({"local.retention.ms": "-2", "retention.ms": "5"}, False),
        ({"local.retention.ms": "-1", "retention.ms": "-1"}, False),
        ({"local.retention.bytes": "0", "retention.bytes": "0"}, False),
        ({"local.retention.bytes": "6", "retention.bytes": "x"}, False),
    ],
)
def test_configs_that_exclude_each_other_are_found(
    values: dict[str, str], is_conflict: bool
) -> None:
    assert (conflict_of(values) is not None) == is_conflict
