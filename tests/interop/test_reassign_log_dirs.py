"""Do real brokers move replicas between their log directories when kadmin asks, in the words of
Kafka's own tool, and is nothing asked for that they cannot do?"""

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from kafka.protocol.admin import (
    AlterConfigsRequest,
    AlterPartitionReassignmentsRequest,
    AlterReplicaLogDirsRequest,
    IncrementalAlterConfigsRequest,
)

from kadmin.admin.ports import Outcome
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.zookeeper.lease_beside import LeaseBeside
from kadmin.local.zookeeper import ZooKeeperServer
from kadmin.plan.reassignment.journal import ThrottleJournal
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.brokers import RealCluster
from tests.interop.made_topics import create
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import KAFKA
from tests.interop.tools import Tools
from tests.support.cli import KadminRun, done, kadmin
from tests.support.waiting import wait_until
from tests.support.zookeeper import make_chroot

pytestmark = pytest.mark.interop

VALUE = b"v" * 10_000
RECORDS = 500
SLOW = "1000"
"""Bytes per second by which these 5 MB are on their way for as long as a test lasts."""
FAST = "100000000"
WRITES = (
    AlterConfigsRequest,
    AlterPartitionReassignmentsRequest,
    AlterReplicaLogDirsRequest,
    IncrementalAlterConfigsRequest,
)
LEADER_RATE = "leader.replication.throttled.rate"
RATE = "replica.alter.log.dirs.io.max.bytes.per.second"


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(release, marks=pytest.mark.xdist_group(f"log-dirs-{release}"))
        for release in ("2.8.2", "3.9.1")
    ],
)
def kafka(
    request: pytest.FixtureRequest,
    zookeeper: ZooKeeperServer,
    java: str,
    maven: Maven,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RealCluster]:
    """Two brokers, each with two log directories."""
    with needing_maven():
        class_path = maven.class_path(KAFKA[request.param])
    cluster = RealCluster(
        request.param,
        make_chroot(zookeeper),
        java=java,
        class_path=class_path,
        directory=tmp_path_factory.mktemp("dirs"),
        brokers=2,
        # Below the directory in which each of them runs.
        settings={"log.dirs": "data,more"},
    )
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.kill_all()


def reassign(kafka: RealCluster, *arguments: str) -> KadminRun:
    return kadmin("reassign", "--bootstrap-server", kafka.bootstrap, *arguments)


def theirs(kafka: RealCluster, *arguments: str) -> list[str]:
    ran = Tools(kafka).reassign(*arguments, by_brokers=True)
    assert ran.exit_code == 0, ran
    return words_of(ran.stdout)


def words_of(stdout: str) -> list[str]:
    """The lines with something on them, in the words of the last release."""
    lines = (line.rstrip() for line in stdout.splitlines() if line.strip())
    return [line.replace("is complete.", "is completed.") for line in lines]


def file_of(
    directory: Path, topic: str, replicas: list[int], *log_dirs: Path | str
) -> tuple[str, str]:
    """The option for a file that wants partition 0, 1, … on *replicas*, in *log_dirs*."""
    path = directory / f"{topic}.json"
    entries = [
        {
            "topic": topic,
            "partition": number,
            "replicas": replicas,
            "log_dirs": [str(log_dir)] * len(replicas),
        }
        for number, log_dir in enumerate(log_dirs)
    ]
    path.write_text(json.dumps({"version": 1, "partitions": entries}))
    return ("--reassignment-json-file", str(path))


def places(kafka: RealCluster, broker: int, name: str) -> tuple[Path, Path]:
    """The log directory of *broker* with the replica *name*, and the other one."""
    data, more = (kafka.brokers[broker].directory / one for one in ("data", "more"))
    return (data, more) if (data / name).is_dir() else (more, data)


def configs_of(kafka: RealCluster, broker: int) -> dict[str, str]:
    words = ("configs", "--bootstrap-server", kafka.bootstrap, "--describe", "--broker")
    (found,) = json.loads(done(*words, str(broker), "--output", "json"))["entities"]
    configs: dict[str, str] = found["configs"]
    return configs


def rate_of(kafka: RealCluster, broker: int) -> str | None:
    return configs_of(kafka, broker).get(RATE)


def test_a_replica_changes_its_directory_slowly_is_kept_and_changes_it_after_all(
    kafka: RealCluster, tmp_path: Path
) -> None:
    create(kafka, "within", "0")
    Confluent(kafka.bootstrap).produce("within", [Sent(VALUE)] * RECORDS)
    here, there = places(kafka, 0, "within-0")
    file = file_of(tmp_path, "within", [0], there)
    slowly = ("--replica-alter-log-dirs-throttle", SLOW)

    rollback = tmp_path / "one.json"
    planned = reassign(kafka, "--execute", *file, "--dry-run")
    begun = reassign(kafka, "--execute", *file, *slowly, "--rollback-file", str(rollback))
    slowed = rate_of(kafka, 0)
    moving = reassign(kafka, "--verify", *file), theirs(kafka, "--verify", *file)
    listed = reassign(kafka, "--list")
    slowed_still = rate_of(kafka, 0)
    given_up = reassign(kafka, "--cancel", *file)
    freed = rate_of(kafka, 0)
    missed = reassign(kafka, "--verify", *file)
    begun_by_them = theirs(kafka, "--execute", *file, *slowly)
    another = file_of(tmp_path, "within", [0], here)
    elsewhere = reassign(kafka, "--verify", *another)
    file = file_of(tmp_path, "within", [0], there)
    hastened = reassign(
        kafka,
        *("--execute", *file, "--replica-alter-log-dirs-throttle", FAST, "--wait"),
        *("--rollback-file", str(tmp_path / "two.json")),
    )
    ended = reassign(kafka, "--verify", *file), theirs(kafka, "--verify", *file)

    assert f"within-0-0: {here} -> {there}\n" in planned.stdout
    assert "plan: 1 replica goes to log directories that are asked for, 4.8 MiB to copy" in (
        planned.stdout
    )
    assert begun.exit_code == 0, begun
    assert [str(here)] == json.loads(rollback.read_text())["partitions"][0]["log_dirs"]
    assert (SLOW, SLOW, None) == (slowed, slowed_still, freed)
    assert 3 == moving[0].exit_code
    assert "Reassignment of replica within-0-0 is still in progress." in moving[1]
    assert moving[1] == words_of(moving[0].stdout)
    assert f"within-0-0: {here} -> {there}. left: " in listed.stdout
    assert given_up.exit_code == 0, given_up
    assert given_up.stdout == (
        "Successfully cancelled log directory move for: within-0-0\n"
        "Clearing broker-level throttles on broker 0\n"
    )
    assert 4 == missed.exit_code
    assert f"is not being moved from log dir {here} to {there}." in missed.stdout
    assert unasked(begun_by_them) == unasked(words_of(begun.stdout))
    assert f"is being moved to log dir {there} instead of {here}." in elsewhere.stdout
    assert hastened.exit_code == 0, hastened
    assert 0 == ended[0].exit_code, ended
    assert "Reassignment of replica within-0-0 completed successfully." in ended[1]
    # Theirs clears throttles at all brokers whenever nothing moves.
    assert unthrottled(ended[1]) == unthrottled(words_of(ended[0].stdout))
    assert (False, True) == ((here / "within-0").exists(), (there / "within-0").is_dir())


def test_replicas_come_to_the_directories_asked_for_and_nothing_else_is_begun(
    kafka: RealCluster, tmp_path: Path
) -> None:
    """Also two into the same, where the broker itself would spread them."""
    create(kafka, "between", "0,0")
    more = kafka.brokers[1].directory / "more"
    rollback = tmp_path / "rollback.json"

    wrong = file_of(tmp_path, "between", [1], "/nowhere", "/neither")
    refused = reassign(kafka, "--execute", *wrong, "--rollback-file", str(rollback))
    by_zookeeper = kadmin("reassign", "--zookeeper", kafka.zookeeper_connect, "--execute", *wrong)
    nothing = reassign(kafka, "--list"), rollback.exists()
    to_come = file_of(tmp_path, "between", [1], more, more)
    moved = reassign(kafka, "--execute", *to_come, "--wait", "--rollback-file", str(rollback))
    ended = reassign(kafka, "--verify", *to_come), theirs(kafka, "--verify", *to_come)

    assert (1, False) == (refused.exit_code, nothing[1])
    assert "log directory /nowhere of broker 1 is none of its (" in refused.stderr
    assert "log directory /neither of broker 1 is none of its (" in refused.stderr
    assert 6 == by_zookeeper.exit_code
    assert "--bootstrap-server HOST:PORT instead of --zookeeper" in by_zookeeper.stderr
    assert "No partition reassignments found.\n" == nothing[0].stdout
    assert moved.exit_code == 0, moved
    assert 0 == ended[0].exit_code, ended
    assert unthrottled(ended[1]) == words_of(ended[0].stdout)
    assert ["between-0", "between-1"] == sorted(one.name for one in more.glob("between-*"))


class InterruptedWrite:
    """Ends the command, as Ctrl-C does, before its *survived* plus first write."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, survived: int) -> None:
        self.left = survived
        send, keep = WireConnection.send, LeaseBeside.write

        def send_or_die(connection: WireConnection, request: object, *others: Any) -> Any:
            if isinstance(request, WRITES):
                self.count()
            return send(connection, request, *others)

        def keep_or_die(lease: LeaseBeside, kept: ThrottleJournal) -> Outcome | None:
            self.count()
            return keep(lease, kept)

        monkeypatch.setattr(WireConnection, "send", send_or_die)
        monkeypatch.setattr(LeaseBeside, "write", keep_or_die)

    def count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


def test_whoever_is_killed_at_any_write_runs_the_command_again(
    kafka: RealCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the journal, configs of a topic and two brokers, the journal, a directory for a replica to
    come, the move, and the directory for the replica that is there."""
    create(kafka, "cut", "0")
    alter = ("configs", "--bootstrap-server", kafka.bootstrap, "--alter", "--broker", "0")
    done(*alter, "--add-config", f"{LEADER_RATE}=777", "--yes")
    # The broker that took it hears of it a moment later, as all do.
    wait_until(
        lambda: configs_of(kafka, 0) == {LEADER_RATE: "777"},
        what="the operator's own throttle",
    )
    outcomes = []
    for survived in count():
        target = (survived + 1) % 2
        directory = kafka.brokers[target].directory / ("data", "more")[survived // 2 % 2]
        execute = (
            *("--execute", *file_of(tmp_path, "cut", [target], directory)),
            *("--throttle", FAST, "--replica-alter-log-dirs-throttle", FAST),
        )
        file = execute[1:3]
        with monkeypatch.context() as patch:
            InterruptedWrite(patch, survived)
            rollback = ("--rollback-file", str(tmp_path / f"{survived}-killed.json"))
            killed = reassign(kafka, *execute, *rollback)
        rollback = ("--rollback-file", str(tmp_path / f"{survived}-again.json"))
        again = reassign(kafka, *execute, "--additional", "--wait", *rollback)
        with monkeypatch.context() as patch:
            InterruptedWrite(patch, survived)
            verify_killed = reassign(kafka, "--verify", *file)
        verified = reassign(kafka, "--verify", *file)

        assert 0 == again.exit_code, again
        assert verify_killed.exit_code in (0, 130)
        assert 0 == verified.exit_code, verified
        assert (directory / "cut-0").is_dir()
        assert [{LEADER_RATE: "777"}, {}] == [configs_of(kafka, broker) for broker in (0, 1)]
        outcomes.append(killed.exit_code)
        if killed.exit_code != 130:
            break

    assert [130] * 8 + [0] == outcomes
    done(*alter, "--delete-config", LEADER_RATE, "--yes")


def unthrottled(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith("Clearing ")]


def unasked(lines: list[str]) -> list[str]:
    """*lines* without what their tool asks of the controller though nothing is to be moved, and as
    the last release puts it that a replica moves."""
    older = r"Successfully started log directory move for: (\S+-\d+)-(\d+)"
    newer = r"Successfully started moving log directory to \S+ for replica (\S+) with broker (\d+)"
    words = r"move of \1 on \2"
    return [
        re.sub(newer, words, re.sub(older, words, line))
        for line in lines
        if not line.startswith("Successfully started partition reassignment")
    ]
