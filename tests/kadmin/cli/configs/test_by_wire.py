"""`kadmin configs --bootstrap-server` against a broker of ours; real ones in `tests/interop`."""

import csv
import io
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kadmin.errors import ExitCode
from kadmin.local.zookeeper import ZooKeeperServer
from tests.support.asking import AskingKadmin
from tests.support.brokers import Broker, running_broker
from tests.support.cli import KadminRun, done, kadmin, offered
from tests.support.waiting import wait_until
from tests.support.watching import shown
from tests.support.zookeeper import make_chroot

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("configs-by-wire"),
]

NUMBERS = count(1)


class Cluster:
    """A broker, and kadmin's two ways to its configs."""

    def __init__(self, broker: Broker, zookeeper: str) -> None:
        self.broker = broker
        self.zookeeper = zookeeper

    def by_wire(self, *arguments: str) -> KadminRun:
        return kadmin("configs", *arguments, "--bootstrap-server", self.broker.bootstrap)

    def done(self, *arguments: str) -> str:
        """What kadmin prints for *arguments*, of which it must not ask anything."""
        outcome = self.by_wire(*arguments, *(("--yes",) if "--alter" in arguments else ()))
        assert outcome.exit_code == 0, outcome
        return outcome.stdout

    def document(self, *arguments: str) -> Any:
        return json.loads(self.done(*arguments, "--output", "json"))

    def by_zookeeper(self, *arguments: str) -> str:
        return done("configs", *arguments, "--zookeeper", self.zookeeper)

    def make_topic(self, name: str) -> None:
        create = ("topics", "--create", "--topic", name, "--partitions", "1")
        done(*create, "--replication-factor", "1", "--bootstrap-server", self.broker.bootstrap)

    def refused(self, *arguments: str, exit_code: ExitCode = ExitCode.FAILED) -> str:
        outcome = self.by_wire(*arguments)
        assert (exit_code, "") == (outcome.exit_code, outcome.stdout), outcome
        return outcome.stderr


@pytest.fixture(scope="module")
def cluster(
    tmp_path_factory: pytest.TempPathFactory, zookeeper: ZooKeeperServer
) -> Iterator[Cluster]:
    connect = make_chroot(zookeeper)
    settings = {"log.retention.ms": "777000"}
    with running_broker(tmp_path_factory.mktemp("broker"), connect, settings=settings) as broker:
        yield Cluster(broker, connect)


@pytest.fixture
def topic(cluster: Cluster) -> str:
    """A topic that nobody has used before."""
    name = f"configured-{next(NUMBERS)}"
    cluster.make_topic(name)
    return name


def test_configs_of_a_topic_are_set_described_and_deleted(cluster: Cluster, topic: str) -> None:
    add = ("--alter", "--topic", topic, "--add-config", "retention.ms=5,cleanup.policy=[delete]")

    planned = cluster.by_wire(*add, "--dry-run")
    assert (
        f"plan: configs of topic '{topic}'\n  + cleanup.policy=delete\n  + retention.ms=5\n"
        "  may delete records older than 5 ms\n  may delete records by age and size\n"
        == planned.stdout
    )
    assert "dry run: nothing was written" in planned.stderr
    assert f"Configs for topic '{topic}' are \n" == cluster.done("--describe", "--topic", topic)

    assert f"Completed updating config for entity: topic '{topic}'.\n" == cluster.done(*add)
    expected = f"Configs for topic '{topic}' are cleanup.policy=delete,retention.ms=5\n"
    assert expected == cluster.done("--describe", "--topic", topic)
    assert expected == cluster.by_zookeeper("--describe", "--topic", topic)
    assert "stay as they are" in cluster.by_wire(*add).stderr

    cluster.done("--alter", "--topic", topic, "--delete-config", "cleanup.policy")
    assert f"Configs for topic '{topic}' are retention.ms=5\n" == (
        cluster.done("--describe", "--topic", topic)
    )
    told = cluster.refused("--alter", "--topic", topic, "--delete-config", "cleanup.policy")
    assert "Invalid config(s): cleanup.policy: not set" in told
    here = f"kadmin --bootstrap-server {cluster.broker.bootstrap} configs"
    assert f"hint: {here} --describe --topic {topic}\n" in told


def test_brokers_beside_zookeeper_check_their_configs_while_they_run(cluster: Cluster) -> None:
    both = ("--zookeeper", cluster.zookeeper, "--bootstrap-server", cluster.broker.bootstrap)
    change = ("configs", "--alter", "--broker", "1", *both)
    threads = "log.cleaner.threads"
    refused = kadmin(*change, "--add-config", f"{threads}=0")
    assert (ExitCode.FAILED, "") == (refused.exit_code, refused.stdout), refused

    done(*change, "--add-config", f"{threads}=2")
    assert f"{threads}=2" in cluster.by_zookeeper("--describe", "--broker", "1")
    done(*change, "--delete-config", threads)


def test_watching_shows_configs_as_they_change(cluster: Cluster, topic: str) -> None:
    way = ("--bootstrap-server", cluster.broker.bootstrap)
    with shown("configs", "--describe", "--topic", topic, "--watch", "0.1", *way) as watching:
        before = next(watching)
        cluster.done("--alter", "--topic", topic, "--add-config", "segment.bytes=1048576")
        after = next(line for line in watching if line != before)

    assert f"Configs for topic '{topic}' are \n" == before
    assert f"Configs for topic '{topic}' are segment.bytes=1048576\n" == after


def test_every_form_says_the_same_both_ways(cluster: Cluster, topic: str) -> None:
    cluster.done("--alter", "--topic", topic, "--add-config", "retention.ms=5,segment.ms=7")

    for form in ("json", "yaml", "csv", "text"):
        describe = ("--describe", "--topic", topic, "--output", form)
        assert cluster.by_zookeeper(*describe) == cluster.done(*describe)
    everyone = cluster.done("--describe", "--entity-type", "topics")
    assert cluster.by_zookeeper("--describe", "--entity-type", "topics") == everyone


def test_all_values_are_told_with_what_stands_in_the_brokers_own_file(
    cluster: Cluster, topic: str
) -> None:
    cluster.done("--alter", "--topic", topic, "--add-config", "segment.ms=7200000")
    describe = ("--describe", "--topic", topic, "--all")

    outcome = cluster.by_wire(*describe)
    lines = outcome.stdout.splitlines()

    assert f"All configs for topic {topic} are:" == lines[0]
    for value, origin in (
        ("retention.ms=777000", "STATIC_BROKER_CONFIG:log.retention.ms=777000"),
        ("segment.ms=7200000", "DYNAMIC_TOPIC_CONFIG:segment.ms=7200000"),
    ):
        start = f"  {value} sensitive=false synonyms={{{origin}"
        assert any(line.startswith(start) for line in lines)
    assert "" == outcome.stderr
    [entity] = cluster.document(*describe)["entities"]
    by_name = {value["name"]: value for value in entity["configs"]}
    assert by_name["retention.ms"]["source"] == "STATIC_BROKER_CONFIG"
    assert by_name["retention.ms"]["value"] == "777000"
    assert by_name["retention.ms"]["type"] == "LONG"
    rows = list(csv.reader(io.StringIO(cluster.done(*describe, "--output", "csv"))))
    assert ["topics", topic, "", "segment.ms", "7200000", "DYNAMIC_TOPIC_CONFIG"] in rows


def test_several_topics_are_asked_about_and_changed(cluster: Cluster) -> None:
    for name in ("many-a", "many-b"):
        cluster.make_topic(name)
    change = ("--alter", "--topic", "many-*", "--add-config", "retention.ms=9")
    wire = ("--bootstrap-server", cluster.broker.bootstrap)

    assert "add --yes" in cluster.refused(*change, exit_code=ExitCode.REFUSED)
    with AskingKadmin("configs", *change, *wire) as asking:
        asking.read_until(
            "Change the configs of these 2 entities, which may delete records? [y/N]: "
        )
        asking.answer("yes")
        assert asking.exit_code() == 0

    assert (
        "Configs for topic 'many-a' are retention.ms=9\n"
        "Configs for topic 'many-b' are retention.ms=9\n"
    ) == cluster.done("--describe", "--topic", "many-*")


def test_topic_that_is_not_there_is_named(cluster: Cluster) -> None:
    assert "there is no topic 'nosuch'" in cluster.refused("--describe", "--topic", "nosuch")
    change = ("--alter", "--topic", "nosuch", "--add-config", "retention.ms=1")
    assert "there is no topic 'nosuch'" in cluster.refused(*change)


def test_what_the_broker_refuses_is_told_with_its_reason_and_before_anything_is_asked(
    cluster: Cluster, topic: str
) -> None:
    change = ("--alter", "--topic", topic, "--add-config", "no.such=1", "--allow-unknown-configs")

    for dry_run in ((), ("--dry-run",)):
        told = cluster.refused(*change, *dry_run)
        assert f"the brokers refuse to change configs of topic '{topic}': " in told
        assert "no.such" in told
        assert "plan:" not in told


def test_broker_tells_its_own_configs_and_those_of_all(cluster: Cluster) -> None:
    number = str(cluster.broker.broker_id)

    assert (
        f"Configs for default brokers are \nConfigs for brokers '{number}' are \n"
    ) == cluster.done("--describe", "--entity-type", "brokers")
    told = cluster.done("--describe", "--broker", number, "--all")
    assert f"All configs for broker {number} are:\n" in told
    assert (
        "  log.retention.ms=777000 sensitive=false synonyms={STATIC_BROKER_CONFIG:"
        "log.retention.ms=777000"
    ) in told


def test_broker_that_does_not_exist_is_named(cluster: Cluster) -> None:
    for action in (("--describe",), ("--alter", "--add-config", "num.io.threads=3")):
        told = cluster.refused(*action, "--broker", "77")
        assert "there is no broker 77" in told
        assert "brokers --describe' lists all there are" in told


@pytest.mark.faults
def test_broker_that_does_not_answer_is_named(chroot: str, tmp_path: Path) -> None:
    """One that was just killed is alive to the others until its session is over."""
    with (
        running_broker(tmp_path / "1", chroot, 1) as one,
        running_broker(tmp_path / "2", chroot, 2) as other,
    ):
        cluster = Cluster(one, chroot)
        wait_until(
            lambda: "brokers '2'" in cluster.done("--describe", "--entity-type", "brokers"),
            what="both brokers",
        )
        other.kill()

        run = cluster.by_wire("--describe", "--broker", "2")

    assert (ExitCode.UNREACHABLE, "") == (run.exit_code, run.stdout)
    assert f"cannot reach the brokers at {one.bootstrap}: broker 2: " in run.stderr


@pytest.mark.parametrize(
    "entity",
    [
        ("--client", "c"),
        ("--user", "u"),
        ("--user", "u", "--client-defaults"),
        ("--ip", "10.0.0.1"),
        ("--entity-type", "users"),
    ],
)
def test_quotas_are_refused_by_name_where_brokers_do_not_serve_them(
    cluster: Cluster, entity: tuple[str, ...]
) -> None:
    assert "do not serve client quotas; Kafka does from 2.6 on" in (
        cluster.refused("--describe", *entity)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--entity-type", "broker-loggers"], "kadmin knows no configs of broker-loggers"),
        (["--broker-logger", "1"], "kadmin knows no configs of broker-loggers"),
        (["--group", "g"], "kadmin knows no configs of groups"),
    ],
)
def test_what_only_kafkas_tool_knows_is_refused_with_its_name(
    cluster: Cluster, arguments: list[str], message: str
) -> None:
    told = cluster.refused("--describe", *arguments, exit_code=ExitCode.USAGE)

    assert message in told
    assert "hint: kafka-configs --bootstrap-server HOST:PORT --entity-type" in told


def test_topic_that_goes_and_comes_is_described_anew(cluster: Cluster, topic: str) -> None:
    wire = ("--bootstrap-server", cluster.broker.bootstrap)
    cluster.done("--alter", "--topic", topic, "--add-config", "retention.ms=5")

    done("topics", "--delete", "--topic", topic, "--yes", "--wait", *wire)
    assert f"there is no topic '{topic}'" in cluster.refused("--describe", "--topic", topic)
    cluster.make_topic(topic)

    wait_until(
        lambda: (
            cluster.by_wire("--describe", "--topic", topic).stdout
            == f"Configs for topic '{topic}' are \n"
        ),
        what="the new topic without the configs of the old one",
    )


def test_tab_knows_topics_and_brokers_that_brokers_tell_of(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.make_topic("offered")
    monkeypatch.setenv("KADMIN_BOOTSTRAP_SERVER", cluster.broker.bootstrap)

    assert ["offered"] == offered("topics", "--current", "offer")
    assert [str(cluster.broker.broker_id)] == offered("brokers")
