"""`kadmin log-dirs` against brokers of ours; real ones in `tests/interop`."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kadmin.errors import ExitCode
from kadmin.local.zookeeper import ZooKeeperServer
from tests.support.brokers import Broker, running_broker
from tests.support.cli import KadminRun, done, kadmin
from tests.support.waiting import wait_until
from tests.support.zookeeper import make_chroot

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("log-dirs"),
]


class Cluster:
    """Two brokers; the first has two directories."""

    def __init__(self, zookeeper: str, directory: Path, *brokers: Broker) -> None:
        self.zookeeper = zookeeper
        self.directory = directory
        self.bootstrap = ",".join(broker.bootstrap for broker in brokers)

    def run(self, *arguments: str) -> KadminRun:
        return kadmin("log-dirs", *arguments, "--bootstrap-server", self.bootstrap)

    def done(self, *arguments: str) -> str:
        return done("log-dirs", *arguments, "--bootstrap-server", self.bootstrap)

    def document(self, *arguments: str) -> Any:
        return json.loads(self.done(*arguments, "--output", "json"))


@pytest.fixture(scope="module")
def cluster(
    tmp_path_factory: pytest.TempPathFactory, zookeeper: ZooKeeperServer
) -> Iterator[Cluster]:
    connect = make_chroot(zookeeper)
    directory = tmp_path_factory.mktemp("brokers")
    dirs = {"log.dirs": f"{directory / 'a'},{directory / 'b'}"}
    with (
        running_broker(directory / "1", connect, 1, dirs) as one,
        running_broker(directory / "2", connect, 2) as two,
    ):
        made = Cluster(connect, directory, one, two)
        for name, layout in (("small", "1:2"), ("large", "1:2,2:1")):
            create = ("topics", "--create", "--topic", name, "--zookeeper", connect)
            done(*create, "--replica-assignment", layout)
        records = directory / "records"
        records.write_text("x" * 1000 + "\n")
        for name in ("small", "large", "large"):
            wire = ("--topic", name, "--bootstrap-server", made.bootstrap)
            done("produce", *wire, "--file", str(records), "--acks", "all")
        yield made


def test_every_directory_has_a_row(cluster: Cluster) -> None:
    told = cluster.document()

    assert ("kadmin.log-dirs/1", "dir") == (told["schema"], told["by"])
    assert [
        (1, str(cluster.directory / "a")),
        (1, str(cluster.directory / "b")),
        (2, str(cluster.directory / "2/data")),
    ] == [(row["broker"], row["log_dir"]) for row in told["rows"]]
    assert 6 == sum(row["replicas"] for row in told["rows"]) == told["total"]["replicas"]
    assert all(0 < row["usable_bytes"] < row["total_bytes"] for row in told["rows"])
    assert [] == told["silent_brokers"] == told["dead_brokers"]


def test_topics_are_summed_up_over_their_replicas(cluster: Cluster) -> None:
    rows = list(csv.DictReader(cluster.done("--by", "topic", "--output", "csv").splitlines()))
    largest = cluster.run("--by", "topic", "--sort-by", "size", "--limit", "1")

    assert [("large", "4"), ("small", "2")] == [(row["topic"], row["replicas"]) for row in rows]
    large, small = (int(row["size_bytes"]) for row in rows)
    assert 4000 < large
    assert 2000 < small < large
    assert f"Topic: large\tReplicas: 4\tSizeBytes: {large}\t" in largest.stdout
    assert 1 == len(largest.stdout.splitlines())
    assert largest.stderr.endswith("in 3 log directories; 1 row not shown\n")


def test_lines_are_those_of_kafka_s_tool(cluster: Cluster) -> None:
    lines = cluster.done("--describe", "--broker-list", "2", "--topic-list", "large").splitlines()

    assert "Received log directory information from brokers 2" == lines[1]
    (broker,) = json.loads(lines[2])["brokers"]
    assert 2 == broker["broker"]
    assert ["large-0", "large-1"] == [
        log["partition"] for log in broker["logDirs"][0]["partitions"]
    ]


def test_an_order_and_a_limit_want_rows_which_kafka_s_lines_have_none_of(cluster: Cluster) -> None:
    limited = cluster.run("--limit", "1")
    largest = cluster.done("--sort-by", "size").splitlines()

    assert 1 == len(limited.stdout.splitlines())
    assert limited.stdout.startswith("Broker: 1\tLogDir: ")
    assert limited.stderr.endswith("2 rows not shown\n")
    sizes = [int(line.split("SizeBytes: ")[1].split("\t")[0]) for line in largest]
    assert 3 == len(sizes)
    assert sorted(sizes, reverse=True) == sizes


def test_zookeeper_tells_whom_to_ask(cluster: Cluster) -> None:
    words = ("log-dirs", "--by", "replica", "--topic", "small", "--zookeeper", cluster.zookeeper)

    lines = done(*words).splitlines()

    assert ["Broker: 1", "Broker: 2"] == [line.split("\t")[2] for line in lines]


def test_what_is_not_there_is_named(cluster: Cluster) -> None:
    broker = cluster.run("--broker", "2,9")
    topic = cluster.run("--topic", "smal")

    assert (ExitCode.FAILED, "") == (broker.exit_code, broker.stdout)
    assert "kadmin: there is no broker 9\n" in broker.stderr
    assert "kadmin: there is no topic 'smal'\nhint: did you mean small?\n" in topic.stderr


def test_a_directory_that_has_failed_is_a_finding(tmp_path: Path, chroot: str) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    bad.write_text("a file, where a directory belongs")

    with running_broker(tmp_path, chroot, 1, {"log.dirs": f"{good},{bad}"}) as broker:
        outcome = kadmin("log-dirs", "--by", "dir", "--bootstrap-server", broker.bootstrap)

    assert ExitCode.FOUND == outcome.exit_code
    assert [f"LogDir: {bad}", f"LogDir: {good}"] == [
        line.split("\t")[1] for line in outcome.stdout.splitlines()
    ]
    assert f"warning: log directory {bad} of broker 1 has failed\n" in outcome.stderr
    assert "; 1 offline\n" in outcome.stderr


def test_a_broker_that_is_dead_is_told_of(tmp_path: Path, chroot: str) -> None:
    with running_broker(tmp_path, chroot, 1) as broker:
        create = ("topics", "--create", "--topic", "t", "--replica-assignment", "1:7")
        done(*create, "--zookeeper", chroot, "--allow-unknown-brokers")
        cluster = Cluster(chroot, tmp_path, broker)

        wait_until(
            lambda: '"dead_brokers": [7]' in cluster.run("--output", "json").stdout,
            what="the topic",
        )
        all_of_them = cluster.run("--by", "broker")
        dead_one = cluster.run("--broker", "7")
        versions = kadmin("api-versions", "--broker", "7", "--bootstrap-server", broker.bootstrap)
        summary = kadmin(
            "topics", "--describe", "--summary", "--bootstrap-server", broker.bootstrap
        )

    rows = all_of_them.stdout.splitlines()
    assert (ExitCode.UNREACHABLE, 1) == (all_of_them.exit_code, len(rows))
    assert "warning: broker 7 is dead: its log directories are not included\n" in all_of_them.stderr
    assert "kadmin: broker 7 did not answer\n" in all_of_them.stderr
    assert "warning: the sizes are without broker 7: no answer\n" == summary.stderr
    assert (ExitCode.FAILED, "") == (dead_one.exit_code, dead_one.stdout)
    assert (ExitCode.FAILED, dead_one.stderr) == (versions.exit_code, versions.stderr)
    assert dead_one.stderr.startswith(
        "kadmin: broker 7 is not alive, so it cannot answer\nhint: kadmin "
    )


def test_a_replica_is_moved_by_its_broker_held_to_a_rate_and_let_go(
    tmp_path: Path, chroot: str
) -> None:
    """By way of `kadmin reassign`, while records come; nothing is lost or given twice."""
    dirs = {"log.dirs": f"{tmp_path / 'a'},{tmp_path / 'b'}"}
    lines = [f"{number:05} {'r' * 1000}" for number in range(500)]
    records, plan = tmp_path / "records", tmp_path / "plan.json"
    records.write_text("".join(f"{line}\n" for line in lines))
    with running_broker(tmp_path, chroot, 1, dirs) as broker:
        cluster = Cluster(chroot, tmp_path, broker)
        wire = ("--bootstrap-server", cluster.bootstrap)
        create = ("topics", "--create", "--topic", "moved", "--replica-assignment", "1")
        done(*create, "--zookeeper", chroot)
        send = ("produce", "--topic", "moved", *wire, "--file", str(records), "--acks", "all")
        # A batch each: the first one is copied at once, whatever the rate.
        for _ in range(3):
            done(*send)
        ((here, _),) = places(cluster)
        (there,) = {str(tmp_path / "a"), str(tmp_path / "b")} - {here}
        wanted = {"topic": "moved", "partition": 0, "replicas": [1], "log_dirs": [there]}
        plan.write_text(json.dumps({"version": 1, "partitions": [wanted]}))
        reassign = ("reassign", *wire, "--reassignment-json-file", str(plan))
        at_most = "--replica-alter-log-dirs-throttle"
        rollbacks = [("--rollback-file", str(tmp_path / name)) for name in ("one", "two")]

        slow = kadmin(*reassign, "--execute", "--dry-run", at_most, "1")
        begun = kadmin(*reassign, "--execute", at_most, "1000", *rollbacks[0])
        moving = kadmin(*reassign, "--verify"), places(cluster)
        done(*send)
        again = ("--execute", "--additional", "--wait", *rollbacks[1])
        hastened = kadmin(*reassign, *again, at_most, "100000000")
        ended = kadmin(*reassign, "--verify"), places(cluster)
        consume = ("consume", "--topic", "moved", "--partition", "0", "--from-beginning", *wire)
        got = done(*consume, "--max-messages", "2000").splitlines()

    assert "the throttle of 1 B/s at broker 1 lets the copying take about" in slow.stderr
    assert begun.exit_code == 0, begun
    assert (3, {(here, False), (there, True)}) == (moving[0].exit_code, moving[1])
    assert hastened.exit_code == 0, hastened
    assert (0, {(there, False)}) == (ended[0].exit_code, ended[1])
    assert lines * 4 == got


def places(cluster: Cluster) -> set[tuple[str, bool]]:
    """The directories with a log of a replica, and whether it is a copy."""
    rows = cluster.document("--by", "replica")["rows"]
    return {(row["log_dir"], row["is_future"]) for row in rows}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--broker", "x"), "'x' is no id of a broker"),
        (("--by", "rack"), "'rack' is not one of"),
        (("--limit", "0"), "0 is not in the range"),
    ],
)
def test_wrong_usage_is_refused_before_any_broker_is_asked(
    arguments: tuple[str, ...], reason: str
) -> None:
    outcome = kadmin("log-dirs", *arguments, "--bootstrap-server", "127.0.0.1:1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr


def test_a_summary_of_topics_has_their_sizes(cluster: Cluster) -> None:
    words = ("topics", "--describe", "--summary", "--output", "csv")
    ways = (("--zookeeper", cluster.zookeeper), ("--bootstrap-server", cluster.bootstrap))
    by_log_dirs = csv.DictReader(cluster.done("--by", "topic", "--output", "csv").splitlines())
    expected = {row["topic"]: row["size_bytes"] for row in by_log_dirs}

    for way in ways:
        rows = list(csv.DictReader(done(*words, "--sort-by", "size", *way).splitlines()))
        (small,) = csv.DictReader(done(*words, "--topic", "small", *way).splitlines())

        assert ["large", "small"] == [row["topic"] for row in rows]
        assert expected == {row["topic"]: row["size_bytes"] for row in rows}
        assert expected["small"] == small["size_bytes"]
