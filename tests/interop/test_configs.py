"""Do configs that kadmin sets take effect in real brokers, and does it read what they wrote?"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interop import znodes
from tests.interop.brokers import RealCluster
from tests.interop.tools import Tools
from tests.support.cli import done
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop

in_admin_api = pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True)
"""Releases whose own tool describes and alters every entity over the brokers."""

with_dynamic_brokers = pytest.mark.parametrize(
    "cluster", ["1.1.1", "2.8.2", "3.9.1"], indirect=True
)
"""Releases whose brokers have dynamic configs of their own."""

BIG_RECORD = "x" * 5_000


def topics(cluster: RealCluster, *arguments: str) -> str:
    return done("topics", "--zookeeper", cluster.zookeeper_connect, *arguments)


def configs(cluster: RealCluster, *arguments: str) -> str:
    return done("configs", "--zookeeper", cluster.zookeeper_connect, *arguments)


def make_topic(cluster: RealCluster, name: str) -> None:
    topics(cluster, "--create", "--topic", name, "--replica-assignment", "0:1")


def log_size(cluster: RealCluster, topic: str) -> int:
    directory: Path = cluster.brokers[0].directory / "data" / f"{topic}-0"
    return sum(segment.stat().st_size for segment in directory.glob("*.log"))


def takes(tools: Tools, topic: str, record: str) -> Callable[[], bool]:
    """Whether the leader appends *record* now; asked by sending it."""

    def ask() -> bool:
        before = log_size(tools.cluster, topic)
        tools.produce(topic, record)
        return log_size(tools.cluster, topic) > before

    return ask


def last_change(cluster: RealCluster) -> object:
    """What the newest change notification says."""
    name = znodes.names(cluster, "/config/changes")[-1]
    return znodes.document(cluster, f"/config/changes/{name}")


def test_a_topic_config_takes_effect_in_the_brokers(cluster: RealCluster, tools: Tools) -> None:
    make_topic(cluster, "limited")
    takes_big_record = takes(tools, "limited", BIG_RECORD)
    assert takes_big_record()

    configs(cluster, "--alter", "--topic", "limited", "--add-config", "max.message.bytes=1000")
    wait_until(lambda: not takes_big_record(), what="the refusal of 5000 bytes")

    configs(cluster, "--alter", "--topic", "limited", "--delete-config", "max.message.bytes")
    wait_until(takes_big_record, what="the end of the limit")


def test_the_brokers_are_told_in_the_form_that_they_read(cluster: RealCluster) -> None:
    make_topic(cluster, "told")
    forms = {
        "0.8.2.2": "told",
        "0.9.0.1": {"version": 1, "entity_type": "topics", "entity_name": "told"},
    }

    configs(cluster, "--alter", "--topic", "told", "--add-config", "flush.messages=7")

    newest = {"version": 2, "entity_path": "topics/told"}
    assert last_change(cluster) == forms.get(cluster.release, newest)


def test_configs_of_kafkas_own_tool_are_described(cluster: RealCluster, tools: Tools) -> None:
    make_topic(cluster, "theirs-configured")

    tools.set_topic_config("theirs-configured", "retention.ms=90000")

    assert (
        configs(cluster, "--describe", "--topic", "theirs-configured")
        == "Configs for topic 'theirs-configured' are retention.ms=90000\n"
    )


@in_admin_api
def test_a_topic_config_is_the_brokers_own_word(cluster: RealCluster, tools: Tools) -> None:
    make_topic(cluster, "shown")

    configs(cluster, "--alter", "--topic", "shown", "--add-config", "retention.ms=70000", "--yes")

    shown = "retention.ms=70000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=70000"
    wait_for_text(tools, shown, "--entity-type", "topics", "--entity-name", "shown")


@with_dynamic_brokers
def test_a_broker_config_takes_effect_in_that_broker(cluster: RealCluster, tools: Tools) -> None:
    broker = ("--entity-type", "brokers", "--entity-name", "1")

    change = ("--alter", "--broker", "1", "--add-config", "log.cleaner.threads=2")
    configs(cluster, *change, "--allow-running-brokers")

    wait_for_text(tools, "synonyms={DYNAMIC_BROKER_CONFIG:log.cleaner.threads=2", *broker)
    configs(cluster, "--alter", "--broker", "1", "--delete-config", "log.cleaner.threads")
    wait_for_no_text(tools, "log.cleaner.threads=2", *broker)


@in_admin_api
def test_a_default_of_the_brokers_takes_effect_in_all(cluster: RealCluster, tools: Tools) -> None:
    change = ("--alter", "--broker-defaults")
    brokers = [("--all", "--entity-type", "brokers", "--entity-name", name) for name in "01"]

    nine = ("--add-config", "background.threads=9", "--allow-running-brokers")
    configs(cluster, *change, *nine)

    for broker in brokers:
        wait_for_text(tools, "{DYNAMIC_DEFAULT_BROKER_CONFIG:background.threads=9", *broker)
    configs(cluster, *change, "--delete-config", "background.threads")
    for broker in brokers:
        wait_for_no_text(tools, "background.threads=9", *broker)


@with_dynamic_brokers
def test_broker_configs_of_kafkas_own_tool_are_described(
    cluster: RealCluster, tools: Tools
) -> None:
    change = ("--alter", "--entity-type", "brokers", "--entity-name", "0")

    tools.configs_over_brokers(*change, "--add-config", "num.io.threads=5")

    described = configs(cluster, "--describe", "--broker", "0")
    assert described == "Configs for brokers '0' are num.io.threads=5\n"
    tools.configs_over_brokers(*change, "--delete-config", "num.io.threads")
    assert configs(cluster, "--describe", "--broker", "0") == "Configs for brokers '0' are \n"


@in_admin_api
def test_a_quota_reaches_the_brokers(cluster: RealCluster, tools: Tools) -> None:
    entity = ("--user", "ann b", "--client", "batch")

    configs(cluster, "--alter", *entity, "--add-config", "producer_byte_rate=1024")

    shown = "user-principal 'ann b', client-id 'batch' are producer_byte_rate=1024.0"
    types = ("--entity-type", "users", "--entity-name", "ann b")
    wait_for_text(tools, shown, *types, "--entity-type", "clients", "--entity-name", "batch")


@in_admin_api
def test_a_quota_of_kafkas_own_tool_is_described(cluster: RealCluster, tools: Tools) -> None:
    entity = ("--entity-type", "clients", "--entity-name", "theirs")

    tools.configs_over_brokers("--alter", *entity, "--add-config", "consumer_byte_rate=2048")

    described = configs(cluster, "--describe", "--client", "theirs")
    assert described == "Configs for client-id 'theirs' are consumer_byte_rate=2048\n"


@pytest.mark.parametrize(
    ("cluster", "mechanism"),
    [("2.8.2", "SCRAM-SHA-512"), ("3.9.1", "SCRAM-SHA-256")],
    indirect=["cluster"],
)
def test_a_user_logs_in_with_the_password_that_kadmin_stored(
    cluster: RealCluster, tools: Tools, mechanism: str
) -> None:
    topic, user = f"for-{mechanism}", f"user-{mechanism}"
    make_topic(cluster, topic)
    credential = f"{mechanism}=[iterations=8192,password=correct horse]"

    configs(cluster, "--alter", "--user", user, "--add-config", credential)

    shown = f"user-principal '{user}' are {mechanism}=iterations=8192"
    wait_for_text(tools, shown, "--entity-type", "users", "--entity-name", user)
    tools.produce_as(topic, mechanism, user, "correct horse", "let in")
    tools.produce_as(topic, mechanism, user, "wrong horse", "kept out")
    tools.produce(topic, "last")
    assert tools.consume(topic, 2) == ["last", "let in"]


def wait_for_text(tools: Tools, text: str, *entity: str) -> None:
    """Wait until the brokers describe *entity* with *text*."""
    wait_until(
        lambda: text in tools.configs_over_brokers("--describe", *entity).stdout,
        what=f"'{text}' from the brokers",
    )


def wait_for_no_text(tools: Tools, text: str, *entity: str) -> None:
    """Wait until the brokers describe *entity* without *text*."""

    def is_gone() -> bool:
        described = tools.configs_over_brokers("--describe", *entity)
        assert described.exit_code == 0, described
        return text not in described.stdout

    wait_until(is_gone, what=f"the end of '{text}' at the brokers")


@pytest.mark.parametrize("cluster", ["2.8.2"], indirect=True)
def test_configs_are_described_in_the_lines_of_the_tool_over_zookeeper(
    cluster: RealCluster, tools: Tools
) -> None:
    make_topic(cluster, "compared")
    # Several keys stand in the order of Java's hash table if Kafka wrote them, and so are printed.
    # Written by kadmin they would stand in another, and whole descriptions would differ by that.
    tools.set_topic_config("compared", "retention.ms=80000,cleanup.policy=[compact,delete]")
    user_and_client = ("--entity-type", "users", "--entity-type", "clients")
    assignments = {
        ("--entity-type", "brokers", "--entity-name", "2"): "leader.replication.throttled.rate=5",
        ("--entity-type", "clients", "--entity-default"): "request_percentage=50",
        ("--entity-type", "users", "--entity-name", "bo b"): "producer_byte_rate=7",
        (*user_and_client, "--entity-name", "bo b", "--entity-name", "c"): "consumer_byte_rate=8",
        ("--entity-type", "ips", "--entity-name", "127.0.0.9"): "connection_creation_rate=9",
    }
    for entity, assignment in assignments.items():
        configs(cluster, "--alter", *entity, "--add-config", assignment)

    try:
        for entity in [*assignments, ("--entity-type", "topics")]:
            theirs = tools.configs_over_zookeeper("--describe", *entity).stdout
            assert lines_of(configs(cluster, "--describe", *entity)) == lines_of(theirs)
    finally:
        # Other tests use the same cluster.
        for entity, assignment in assignments.items():
            key = assignment.partition("=")[0]
            configs(cluster, "--alter", *entity, "--delete-config", key)


def lines_of(described: str) -> list[list[str]]:
    """The lines without the warning of the old tool; lines and keys have no order of their own."""
    lines = [line for line in described.splitlines() if line.startswith("Configs for ")]
    return sorted(sorted(re.split(r" are |,(?=[a-z.]+=)", line)) for line in lines)
