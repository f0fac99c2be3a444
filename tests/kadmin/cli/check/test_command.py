"""`kadmin check` on clusters that lie in ZooKeeper only, and on brokers of ours that die."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kazoo.security import make_digest_acl

from cluster.zk import paths
from kadmin.cli.check.command import KINDS
from kadmin.errors import ExitCode
from kadmin.local.zookeeper import ZooKeeperServer
from kadmin.plan.check.findings import Kind
from tests.kadmin.builders import brokers, cluster, topic
from tests.support.brokers import Broker, running_broker, start_broker
from tests.support.checkout import CHECKOUT
from tests.support.cli import done, kadmin
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.znodes import write_snapshot
from tests.support.zookeeper import client_of, make_chroot

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("check"),
]

SINCE = r" without a leader since at least \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"


def test_every_kind_can_be_ignored() -> None:
    assert list(KINDS) == [kind.value for kind in Kind]


@pytest.fixture
def calm(chroot: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Two brokers that are registered, and a topic with nothing to say about it."""
    write_snapshot(chroot, cluster(brokers("0:a 1:b"), topic("t", "0,1 1,0")))
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    return chroot


def test_a_healthy_cluster_takes_one_line(calm: str) -> None:
    outcome = kadmin("check", "--no-brokers")

    assert (
        ExitCode.DONE,
        "2 brokers, controller 0, 1 topic, 2 partitions: healthy\n"
        "not checked: log directories and versions of brokers (--no-brokers)\n",
    ) == (outcome.exit_code, outcome.stdout)


LOCKED = [make_digest_acl("kafka", "secret", all=True)]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (paths.BROKER_IDS, "/brokers/ids: may not be read by this user"),
        ("/brokers/ids/1", "/brokers/ids/1: may not be read by this user"),
        (paths.TOPICS, "/brokers/topics: may not be read by this user"),
        ("/brokers/topics/t", "/brokers/topics/t: may not be read by this user"),
        (paths.state("t", 1), "/brokers/topics/t/partitions/1/state: may not be read by this user"),
        (paths.CONTROLLER, "/controller: may not be read by this user"),
        (paths.CONTROLLER_EPOCH, "/controller_epoch: may not be read by this user"),
        (paths.DELETE_TOPICS, "/admin/delete_topics: may not be read by this user"),
        (paths.PREFERRED_ELECTION, "no permission for /admin/preferred_replica_election"),
        (paths.REASSIGN_PARTITIONS, "/admin/reassign_partitions: may not be read by this user"),
        ("/config/topics/t", "/config/topics/t: may not be read by this user"),
        ("/config/brokers", "no permission for /config/brokers"),
        ("/config/brokers/1", "/config/brokers/1: may not be read by this user"),
        ("/config/brokers/<default>", "/config/brokers/<default>: may not be read by this user"),
    ],
)
def test_what_may_not_be_read_is_named_once_and_the_rest_is_checked(
    calm: str, path: str, told: str
) -> None:
    with client_of(calm) as client:
        client.ensure_path("/config/brokers")
        if client.exists(path) is None:
            client.create(path, b'{"version":1,"config":{}}')
        client.set_acls(path, LOCKED)

    by_default = kadmin("check", "--no-brokers", "--output", "json")
    note = kadmin("check", "--no-brokers", "--unreadable", "note")
    nagios = kadmin("check", "--no-brokers", "--nagios", "--unreadable", "critical")

    findings = json.loads(by_default.stdout)["findings"]
    assert [("warning", "unreadable")] == [(each["severity"], each["kind"]) for each in findings]
    assert findings[0]["text"].endswith(told)
    assert [ExitCode.FOUND, ExitCode.DONE, 2] == [
        each.exit_code for each in (by_default, note, nagios)
    ]
    assert 1 == note.stdout.count("cannot be read")


@pytest.mark.usefixtures("sick")
def test_a_sick_cluster_tells_the_worst_first() -> None:
    outcome = kadmin("check", "--no-brokers")
    found: Any = json.loads(kadmin("check", "--no-brokers", "--output", "json").stdout)
    rows = list(csv.DictReader(kadmin("check", "--output", "csv").stdout.splitlines()))

    assert ExitCode.FOUND == outcome.exit_code
    assert [
        ("critical", "offline", ["orders-2"]),
        ("critical", "under-min-isr", ["orders-1"]),
        ("warning", "dead-broker", []),
        ("warning", "deletion", []),
        ("note", "not-preferred", ["orders-0"]),
    ] == [(each["severity"], each["kind"], each["partitions"]) for each in found["findings"]]
    assert re.search(
        "CRITICAL: 1 partition is offline until broker 7 is back, the only ISR member;"
        rf"{SINCE}: orders-2\n  kadmin topics --describe --unavailable-partitions\n",
        outcome.stdout,
    )
    assert (False, "critical") == (found["healthy"], found["worst"])
    assert "offline" == rows[0]["kind"]
    # There are no brokers behind these registrations.
    assert any(row["kind"] == "offline" for row in rows)


def test_commands_go_to_the_cluster_that_was_named(
    sick: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KADMIN_ZOOKEEPER")

    text = kadmin("check", "--no-brokers", "--zookeeper", sick).stdout

    command = f"  kadmin --zookeeper {sick} topics --describe --unavailable-partitions\n"
    assert command in text


@pytest.mark.usefixtures("sick")
def test_what_is_ignored_does_not_count() -> None:
    ignored = [word for kind in KINDS for word in ("--ignore", kind) if kind != "not-preferred"]

    outcome = kadmin("check", "--no-brokers", *ignored)

    assert ExitCode.DONE == outcome.exit_code
    assert "NOTE: 1 partition is not led by broker 0" in outcome.stdout


def test_what_was_left_in_zookeeper_is_told(calm: str) -> None:
    with client_of(calm) as client:
        client.ensure_path(f"{paths.DELETE_TOPICS}/gone")
        client.create(
            paths.PREFERRED_ELECTION, b'{"version":1,"partitions":[{"topic":"t","partition":0}]}'
        )
        config = b'{"version":1,"config":{"leader.replication.throttled.rate":"1000"}}'
        client.create("/config/brokers/1", config, makepath=True)

    found: Any = json.loads(kadmin("check", "--no-brokers", "--output", "json").stdout)

    assert [
        "1 topic is marked for deletion and does not exist",
        "broker 1 limits the rate of replication, and nothing is moved",
        "an election was asked for of 1 partition, and is not over",
    ] == [each["text"] for each in found["findings"]]


def test_brokers_that_do_not_answer_are_no_reason_to_tell_nothing(calm: str) -> None:
    outcome = kadmin("check")

    assert ExitCode.FOUND == outcome.exit_code
    assert "WARNING: brokers 0 and 1 are registered and did not answer\n" in outcome.stdout
    assert "not checked: log directories and versions of brokers: cannot reach" in outcome.stdout


@pytest.mark.usefixtures("sick")
def test_nagios_is_told_in_its_way() -> None:
    sick = kadmin("check", "--nagios", "--no-brokers")
    ignored = [word for kind in KINDS for word in ("--ignore", kind) if kind != "dead-broker"]
    warning = kadmin("check", "--nagios", "--no-brokers", *ignored)

    assert 2 == sick.exit_code
    assert sick.stdout.startswith("KADMIN CRITICAL - 1 partition is offline until broker 7")
    assert "| critical=2 warning=2 offline=1 under_min_isr=1 " in sick.stdout
    assert 1 == len(sick.stdout.splitlines())
    assert (1, True) == (
        warning.exit_code,
        warning.stdout.startswith("KADMIN WARNING - broker 7 is dead"),
    )


def test_nagios_is_told_that_nobody_knows() -> None:
    outcome = kadmin("check", "--nagios", "--zookeeper", "127.0.0.1:1", "--timeout", "1")

    assert 3 == outcome.exit_code
    assert outcome.stdout.startswith("KADMIN UNKNOWN - ")


def test_an_id_of_the_cluster_that_no_broker_understands_is_found(calm: str) -> None:
    with client_of(calm) as client:
        client.create(paths.CLUSTER_ID, b"{", makepath=True)
    outcome = kadmin("check", "--no-brokers")

    assert ExitCode.FOUND == outcome.exit_code
    assert "WARNING: this cannot be read: /cluster/id (zkVersion 0): is not JSON" in outcome.stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--nagios", "--watch"), "--watch does not go with --nagios"),
        (("--watch", "--wait-healthy"), "--watch does not go with --wait-healthy"),
        (("--ignore", "weather"), "'weather' is not one of"),
    ],
)
def test_wrong_usage_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    outcome = kadmin("check", *arguments, "--zookeeper", "127.0.0.1:1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr


class Pair:
    """Two brokers, of which a test stops the second one."""

    def __init__(self, connect: str, directory: Path, first: Broker) -> None:
        self.connect = connect
        self.directory = directory
        self.first = first
        self.second = self.start_second()

    def start_second(self) -> Broker:
        self.second = start_broker(self.directory / "2", self.connect, 2)
        return self.second

    def ways(self) -> tuple[tuple[str, str], ...]:
        return (
            ("--zookeeper", self.connect),
            ("--bootstrap-server", self.first.bootstrap),
        )

    def findings(self, *way: str) -> list[str]:
        body = json.loads(kadmin("check", *way, "--output", "json").stdout)
        return [each["text"] for each in body["findings"] if each["severity"] != "note"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, zookeeper: ZooKeeperServer) -> Iterator[Pair]:
    connect = make_chroot(zookeeper)
    directory = tmp_path_factory.mktemp("pair")
    with running_broker(directory / "1", connect, 1) as first:
        made = Pair(connect, directory, first)
        create = ("topics", "--create", "--zookeeper", connect)
        done(*create, "--topic", "both", "--replica-assignment", "1:2,1:2")
        done(*create, "--topic", "alone", "--replica-assignment", "2")
        try:
            yield made
        finally:
            made.second.kill()


def undated(texts: list[str]) -> list[str]:
    """*texts* of findings, the first of which tells since when; only ZooKeeper knows it."""
    first, dated = re.subn(f";{SINCE}$", "", texts[0]) if texts else ("", 0)
    return [first, *texts[1:]] if dated else []


def test_brokers_that_die_and_come_back_are_told_both_ways(pair: Pair) -> None:
    way, other = pair.ways()
    before = [kadmin("check", *each) for each in (way, other)]
    pair.second.terminate()
    expected = [
        "1 partition is offline until broker 2 is back, the only ISR member",
        "broker 2 is dead: 3 replicas, the preferred leader of 1 partition",
        "2 partitions lack broker 2, which is dead; when the last one is lost, too, they have no"
        " leader",
    ]
    wait_until(
        lambda: expected == undated(pair.findings(*way)) == pair.findings(*other),
        what="the broker to be missed",
    )
    waiting = subprocess.Popen(
        [sys.executable, "-m", "kadmin", "check", "--wait-healthy", "50", *way],
        cwd=CHECKOUT,
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert waiting.stderr is not None
    first_note = waiting.stderr.readline()
    pair.start_second()
    told, _ = waiting.communicate(timeout=OUTER_LIMIT_S)

    assert [ExitCode.DONE] * 2 == [each.exit_code for each in before], before
    assert "waiting: 1 critical, 2 warnings\n" == first_note
    assert (0, True) == (waiting.returncode, "3 partitions: healthy\n" in told)
    assert "not looked at" not in told


def test_waiting_ends_with_the_time_and_what_is_wrong(pair: Pair) -> None:
    way, _ = pair.ways()
    name = "too-few"
    create = ("topics", "--create", "--topic", name, "--replica-assignment", "1")
    done(*create, "--config", "min.insync.replicas=2", "--yes", *way)

    outcome = kadmin("check", "--wait-healthy", "1", *way)
    done("topics", "--delete", "--topic", name, "--yes", "--wait", *way)

    assert ExitCode.FOUND == outcome.exit_code
    assert "waiting: 1 critical\n" in outcome.stderr
    assert "CRITICAL: 1 partition has fewer replicas than min.insync.replicas" in outcome.stdout


def test_a_topic_that_brokers_do_not_serve_is_asked_about_and_told_both_ways(pair: Pair) -> None:
    """Until its configs are mended."""
    way, other = pair.ways()
    name = "archived"
    reason = "broker 1 does not serve 1 partition, which it should lead: Invalid value archive for"

    # No command of ours writes this, nor does a broker.
    with client_of(pair.connect) as client:
        invalid = b'{"version":1,"config":{"cleanup.policy":"archive"}}'
        client.create(paths.topic_config(name), invalid)
        client.create(paths.topic(name), b'{"version":1,"partitions":{"0":[1]}}')
    wait_until(lambda: any(reason in each for each in pair.findings(*way)), what="its reason")
    told = [pair.findings(*each) for each in (way, other)]
    described = kadmin("topics", "--describe", "--unavailable-partitions", *way)
    by_name = kadmin("topics", "--describe", "--topic", name, *other)
    mend = ("configs", "--alter", "--topic", name, "--delete-config", "cleanup.policy")
    done(*mend, "--yes", *way)
    wait_until(lambda: not pair.findings(*way) and not pair.findings(*other), what="its service")
    done("topics", "--delete", "--topic", name, "--yes", "--wait", *way)

    assert told[0] == told[1]
    assert "Topic: archived\tPartition: 0\tLeader: 1" in described.stdout
    for told_by in (described, by_name):
        assert "broker 1 does not serve archived-0: Invalid value archive" in told_by.stderr


def test_logs_of_a_topic_that_somebody_removed_from_zookeeper_are_told(pair: Pair) -> None:
    way, _ = pair.ways()
    done("topics", "--create", "--topic", "left", "--replica-assignment", "1:2", *way)
    with client_of(pair.connect) as client:
        znode, _ = client.get(paths.topic("left"))
        client.delete(paths.topic("left"), recursive=True)
        told = json.loads(kadmin("check", *way, "--output", "json").stdout)["findings"]
        # So that the controller has them deleted.
        client.create(paths.topic("left"), znode)
    done("topics", "--delete", "--topic", "left", "--yes", "--wait", *way)
    wait_until(lambda: not pair.findings(*way), what="the end of its logs")

    (found,) = [each for each in told if each["kind"] == "stray-log"]
    assert (["left-0"], [1, 2]) == (found["partitions"], found["brokers"])
    assert "brokers 1 and 2 keep 2 logs (0 B) of topics that do not exist: left-0;" in found["text"]


def test_watching_shows_it_again_and_again(pair: Pair) -> None:
    way, _ = pair.ways()
    with subprocess.Popen(
        [sys.executable, "-m", "kadmin", "check", "--watch", "0.1", "--plain", *way],
        cwd=CHECKOUT,
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        shown: list[str] = []
        while sum("2 brokers, controller" in line for line in shown) < 2:
            shown.append(process.stdout.readline())
            assert shown[-1], shown
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=OUTER_LIMIT_S)

    assert ExitCode.INTERRUPTED == process.returncode


@pytest.mark.parametrize(
    "command", ["log-dirs --broker 1 --by dir", "api-versions --differences", "brokers --describe"]
)
def test_commands_that_ask_brokers_work_both_ways(pair: Pair, command: str) -> None:
    for way in pair.ways():
        done(*command.split(), *way)
