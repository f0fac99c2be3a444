"""Is it the same to ask ZooKeeper of configs and to ask brokers, and to change them by either?"""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.interop.brokers import RealCluster
from tests.interop.tools import Tools
from tests.support.cli import KadminRun, done, kadmin
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop

since_1_1 = pytest.mark.parametrize("cluster", ["1.1.1", "2.8.2", "3.9.1"], indirect=True)
"""Releases whose brokers tell who says a value; the first takes all configs anew."""

since_2_8 = pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True)
"""Releases whose brokers tell and take the configs of every kind of entity."""

PASSWORD = "listener.name.sasl_plaintext.plain.sasl.jaas.config"


def by_wire(cluster: RealCluster, *arguments: str) -> KadminRun:
    return kadmin("configs", *arguments, "--bootstrap-server", cluster.bootstrap)


def changed(cluster: RealCluster, *arguments: str) -> str:
    outcome = by_wire(cluster, "--alter", *arguments, "--yes")
    assert outcome.exit_code == 0, outcome
    return outcome.stderr


def wait_until_the_same(cluster: RealCluster, expected: str, *entity: str) -> None:
    """Both ways describe *entity* so, once the brokers have heard of what was written."""
    describe = ("configs", "--describe", *entity)

    def are_the_same() -> bool:
        here = done(*describe, "--zookeeper", cluster.zookeeper_connect)
        there = done(*describe, "--bootstrap-server", cluster.bootstrap)
        return here == there == expected

    wait_until(are_the_same, what=f"'{expected}' both ways")


def wait_until_nothing_is_set(cluster: RealCluster, name: str, *entity: str) -> None:
    """Both ways show no configs, or refuse the name as unknown.

    Kafka 2.8 leaves an empty znode of a user who had configs, which brokers do not show.
    """
    ways = ("--zookeeper", cluster.zookeeper_connect), ("--bootstrap-server", cluster.bootstrap)

    def are_shown() -> bool:
        runs = [kadmin("configs", "--describe", *entity, *way) for way in ways]
        return all(
            each.stdout == f"Configs for {name} are \n"
            or (each.stdout == "" and each.stderr.startswith("kadmin: there is no "))
            for each in runs
        )

    wait_until(are_shown, what=f"that nothing is set for {name}, both ways")


def documents(cluster: RealCluster, *entity: str) -> tuple[Any, Any]:
    describe = ("configs", "--describe", *entity, "--output", "json")
    here = json.loads(done(*describe, "--zookeeper", cluster.zookeeper_connect))
    return here, json.loads(done(*describe, "--bootstrap-server", cluster.bootstrap))


def make_topic(cluster: RealCluster, name: str) -> tuple[str, str]:
    done(
        *("topics", "--create", "--topic", name, "--replica-assignment", "0:1"),
        *("--zookeeper", cluster.zookeeper_connect, "--if-not-exists", "--yes"),
    )
    wait_until(
        lambda: by_wire(cluster, "--describe", "--topic", name).exit_code == 0,
        what=f"topic '{name}' at the brokers",
    )
    return ("--topic", name)


def assert_as_kafka_tells(cluster: RealCluster, tools: Tools, *entity: str) -> None:
    """All values, with where they come from, stand in the lines of Kafka's own tool.

    That of 2.8 has them in no order.
    """
    describe = ("--describe", "--all", "--entity-type", *entity)

    ours = by_wire(cluster, *describe)
    theirs = tools.configs_over_brokers(*describe)

    heading, *lines = ours.stdout.splitlines()
    names = [line.partition("=")[0] for line in lines]
    assert sorted(theirs.stdout.splitlines()) == sorted([heading, *lines])
    assert sorted(names) == names
    assert (0, "") == (ours.exit_code, ours.stderr)


@since_1_1
def test_configs_of_a_topic_are_changed_alike_by_the_wire(cluster: RealCluster) -> None:
    topic = make_topic(cluster, "wire-configured")
    name = "Configs for topic 'wire-configured' are "
    add = ("--add-config", "retention.ms=70000,cleanup.policy=[compact,delete]")

    changed(cluster, *topic, *add, "--dry-run")
    wait_until_the_same(cluster, f"{name}\n", *topic)
    changed(cluster, *topic, *add)
    expected = f"{name}cleanup.policy=compact,delete,retention.ms=70000\n"
    wait_until_the_same(cluster, expected, *topic)
    assert "stay as they are" in changed(cluster, *topic, *add)
    changed(cluster, *topic, "--delete-config", "cleanup.policy")
    wait_until_the_same(cluster, f"{name}retention.ms=70000\n", *topic)

    here, there = documents(cluster, *topic)
    assert here == there
    again = by_wire(cluster, "--alter", *topic, "--delete-config", "cleanup.policy")
    assert (1, "") == (again.exit_code, again.stdout)
    assert "Invalid config(s): cleanup.policy: not set" in again.stderr


@since_2_8
def test_all_values_stand_in_the_lines_of_kafkas_tool(cluster: RealCluster, tools: Tools) -> None:
    topic = make_topic(cluster, "wire-all")
    changed(cluster, *topic, "--add-config", "retention.ms=70000")
    wait_until_the_same(cluster, "Configs for topic 'wire-all' are retention.ms=70000\n", *topic)

    assert_as_kafka_tells(cluster, tools, "topics", "--entity-name", "wire-all")
    assert_as_kafka_tells(cluster, tools, "brokers", "--entity-name", "1")


@since_1_1
def test_configs_of_brokers_are_changed_alike_by_the_wire(
    cluster: RealCluster, tools: Tools
) -> None:
    """Each broker tells and takes its own, any of them those of all."""
    one, all_of_them = ("--broker", "1"), ("--broker-defaults",)

    changed(cluster, *one, "--add-config", "log.cleaner.threads=2")
    changed(cluster, *all_of_them, "--add-config", "background.threads=9")
    wait_until_the_same(cluster, "Configs for brokers '1' are log.cleaner.threads=2\n", *one)
    default = "Configs for default brokers are background.threads=9\n"
    wait_until_the_same(cluster, default, *all_of_them)

    told = tools.configs_over_brokers("--describe", "--entity-type", "brokers", "--all")
    if cluster.release != "1.1.1":  # It has no --all, and wants a name.
        assert "{DYNAMIC_BROKER_CONFIG:log.cleaner.threads=2, DEFAULT" in told.stdout
        assert told.stdout.count("{DYNAMIC_DEFAULT_BROKER_CONFIG:background.threads=9") > 2
    here, there = documents(cluster, *one)
    assert here == there
    # The broker itself refuses that, also when it is only asked.
    steep = ("--alter", *one, "--add-config", "num.io.threads=50")
    for refused in (by_wire(cluster, *steep, "--dry-run"), by_wire(cluster, *steep)):
        assert (1, "") == (refused.exit_code, refused.stdout)
        assert "the brokers refuse to change configs of brokers '1': " in refused.stderr
        assert "should not be greater than double the current value" in refused.stderr

    changed(cluster, *one, "--add-config", "num.io.threads=9")
    expected = "Configs for brokers '1' are log.cleaner.threads=2,num.io.threads=9\n"
    wait_until_the_same(cluster, expected, *one)
    changed(cluster, *one, "--delete-config", "log.cleaner.threads,num.io.threads")
    changed(cluster, *all_of_them, "--delete-config", "background.threads")
    wait_until_the_same(cluster, "Configs for brokers '1' are \n", *one)
    wait_until_the_same(cluster, "Configs for default brokers are \n", *all_of_them)


@since_1_1
def test_password_of_a_broker_is_encrypted_by_it_and_never_lost(cluster: RealCluster) -> None:
    broker = ("--broker", "0")
    hidden = f"Configs for brokers '0' are {PASSWORD}=***\n"

    told = changed(cluster, *broker, "--add-config", f"{PASSWORD}=[{login('swordfish')}]")
    assert f"+ {PASSWORD}=***" in told
    assert "others can read it on its way" in told
    wait_until_the_same(cluster, hidden, *broker)
    shown = by_wire(cluster, "--describe", *broker, "--all").stdout
    assert f"  {PASSWORD}=null sensitive=true synonyms={{DYNAMIC_BROKER_CONFIG:{PASSWORD}=null" in (
        shown
    )
    assert "swordfish" not in shown + told

    other = ("--alter", *broker, "--add-config", "log.cleaner.threads=2")
    if cluster.release == "1.1.1":
        refused = by_wire(cluster, *other)
        assert (6, "") == (refused.exit_code, refused.stdout)
        assert f"do not return {PASSWORD} of brokers '0': nothing was written" in refused.stderr
        with_it = f"log.cleaner.threads=2,{PASSWORD}=[{login('catfish')}]"
        changed(cluster, *broker, "--add-config", with_it)
    else:
        assert by_wire(cluster, *other).exit_code == 0
    both = f"Configs for brokers '0' are {PASSWORD}=***,log.cleaner.threads=2\n"
    wait_until_the_same(cluster, both, *broker)
    changed(cluster, *broker, "--delete-config", f"log.cleaner.threads,{PASSWORD}")
    wait_until_the_same(cluster, "Configs for brokers '0' are \n", *broker)


def login(password: str) -> str:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    return f'{module} required username="ann" password="{password}";'


@since_2_8
def test_quotas_of_every_kind_are_changed_alike_by_the_wire(
    cluster: RealCluster, tools: Tools
) -> None:
    quotas = {
        ("--client", "w/b c%"): ("client-id 'w/b c%'", "consumer_byte_rate=9223372036854775807"),
        ("--client-defaults",): ("default client-id", "request_percentage=50.5"),
        ("--user", "wire"): ("user-principal 'wire'", "controller_mutation_rate=5.0"),
        ("--user-defaults",): ("default user-principal", "producer_byte_rate=7"),
        ("--user", "<default>"): ("user-principal '<default>'", "producer_byte_rate=8"),
        ("--user", "wire", "--client", "c"): (
            "user-principal 'wire', client-id 'c'",
            "producer_byte_rate=9",
        ),
        ("--user-defaults", "--client-defaults"): (
            "default user-principal, default client-id",
            "producer_byte_rate=10",
        ),
        ("--ip", "127.0.0.77"): ("ips '127.0.0.77'", "connection_creation_rate=11"),
        ("--ip-defaults",): ("default ips", "connection_creation_rate=12"),
    }

    for entity, (name, quota) in quotas.items():
        changed(cluster, *entity, "--add-config", quota)
        wait_until_the_same(cluster, f"Configs for {name} are {quota}\n", *entity)
        assert "stay as they are" in changed(cluster, *entity, "--add-config", quota)

    told = tools.configs_over_brokers("--describe", "--entity-type", "users").stdout
    assert "user-principal 'wire' are controller_mutation_rate=5.0\n" in told
    listed = by_wire(cluster, "--describe", "--entity-type", "users", "--entity-type", "clients")
    assert "Configs for user-principal 'wire', client-id 'c' are producer_byte_rate=9\n" in (
        listed.stdout
    )
    assert "Configs for user-principal 'wire' are " not in listed.stdout
    here, there = documents(cluster, "--user", "wire", "--client", "c")
    assert here == there
    for entity, (name, quota) in quotas.items():
        changed(cluster, *entity, "--delete-config", quota.partition("=")[0])
        wait_until_nothing_is_set(cluster, name, *entity)


@since_2_8
def test_user_logs_in_with_the_password_that_was_set_by_the_wire(
    cluster: RealCluster, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By Kafka's own client, and by kadmin, over the listener that wants a password."""
    user = ("--user", "wire-user")
    topic, mechanism = "for-wire-user", "SCRAM-SHA-512"
    make_topic(cluster, topic)
    credential = f"{mechanism}=[iterations=8192,password=correct horse]"

    changed(cluster, *user, "--add-config", credential)
    shown = f"user-principal 'wire-user' are {mechanism}=iterations=8192"
    wait_until_the_same(cluster, f"Configs for {shown}\n", *user)
    told = tools.configs_over_brokers(
        *("--describe", "--entity-type", "users", "--entity-name", "wire-user")
    )
    assert f"SCRAM credential configs for {shown}\n" in told.stdout
    tools.produce_as(topic, mechanism, "wire-user", "correct horse", "let in")
    assert ["let in"] == tools.consume(topic, 1)

    login = ("--broker-sasl", "scram-sha-512", "--broker-user", "wire-user")
    describe = ("configs", "--describe", *user, "--bootstrap-server", cluster.sasl_bootstrap)
    monkeypatch.setenv("KADMIN_BROKER_PASSWORD", "correct horse")
    assert f"Configs for {shown}\n" == done(*describe, *login)
    monkeypatch.setenv("KADMIN_BROKER_PASSWORD", "wrong horse")
    denied = kadmin(*describe, *login)
    assert denied.exit_code == 1
    assert "denied access: " in denied.stderr

    both = ("--add-config", f"producer_byte_rate=5,{credential}")
    refused = by_wire(cluster, "--alter", *user, *both)
    assert (6, "") == (refused.exit_code, refused.stdout)
    assert "cannot be changed at once over the wire" in refused.stderr
    changed(cluster, *user, "--add-config", "producer_byte_rate=5")
    expected = f"Configs for {shown},producer_byte_rate=5\n"
    wait_until_the_same(cluster, expected, *user)
    assert expected in by_wire(cluster, "--describe", "--entity-type", "users").stdout
    changed(cluster, *user, "--delete-config", mechanism)
    changed(cluster, *user, "--delete-config", "producer_byte_rate")
    wait_until_nothing_is_set(cluster, "user-principal 'wire-user'", *user)


@since_2_8
def test_files_of_kafkas_own_clients_log_in_everywhere(
    cluster: RealCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands by kafka-python and by librdkafka, with the same file: SCRAM and tokens."""
    topic = "for-files"
    make_topic(cluster, topic)
    changed(cluster, "--user", "ann", "--add-config", "SCRAM-SHA-256=[password=the horse]")
    head = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism={}\nsasl.jaas.config={}\n"
    logins = {
        "SCRAM-SHA-256": 'a.ScramLoginModule required username="ann" password="the horse";',
        "OAUTHBEARER": 'a.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="ann";',
    }
    for number, (mechanism, login) in enumerate(logins.items(), start=1):
        path = tmp_path / f"{mechanism}.properties"
        path.write_text(head.format(mechanism, login))
        path.chmod(0o600)
        way = ("--bootstrap-server", cluster.sasl_bootstrap, "--command-config", str(path))

        assert topic in done("topics", "--list", *way)
        assert topic in done("offsets", "--topic", topic, *way)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"by file\n")))
        done("produce", "--topic", topic, *way)
        read = done("consume", "--topic", topic, "--from-beginning", "--until-end", *way)
        assert ["by file"] * number == read.splitlines()

        path.write_text(path.read_text().replace("ann", "bob"))
        denied = kadmin("topics", "--list", *way)
        assert (mechanism == "OAUTHBEARER") == (denied.exit_code == 0)
        assert "horse" not in denied.stderr


@pytest.mark.parametrize("cluster", ["1.1.1"], indirect=True)
@pytest.mark.parametrize("action", ["--describe", "--alter"])
def test_brokers_without_quotas_are_named_with_the_release_that_has_them(
    cluster: RealCluster, action: str
) -> None:
    change = ("--add-config", "producer_byte_rate=5") if action == "--alter" else ()

    outcome = by_wire(cluster, action, "--client", "c", *change)

    assert (1, "") == (outcome.exit_code, outcome.stdout)
    assert "do not serve client quotas; Kafka does from 2.6 on" in outcome.stderr
    assert "hint: kadmin configs --zookeeper HOST:PORT" in outcome.stderr


@pytest.mark.parametrize("cluster", ["3.9.1"], indirect=True)
def test_broker_that_is_not_there_is_named(cluster: RealCluster) -> None:
    outcome = by_wire(cluster, "--describe", "--broker", "77")

    assert (1, "") == (outcome.exit_code, outcome.stdout)
    assert "there is no broker 77" in outcome.stderr
