"""Plans of which `check` would find something bad: in a pipe nothing is done without --yes."""

import json
import shlex
from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, topic
from tests.support.cli import kadmin
from tests.support.znodes import all_znodes, write_snapshot

pytestmark = pytest.mark.zk

PLANS = (
    (
        "topics --create --topic new --replica-assignment 1:2 --config min.insync.replicas=3",
        "min.insync.replicas=3 is more than the 2 replicas of a partition",
    ),
    ("topics --create --topic new --replica-assignment 1:4", "1 partition is on fewer racks"),
    (
        "topics --create --topic new --replica-assignment 1:2"
        " --config unclean.leader.election.enable=true",
        "unclean.leader.election.enable=true: acknowledged records of new may be lost",
    ),
    (
        "topics --create --topic __consumer_offsets --replica-assignment 1:2"
        " --config cleanup.policy=compact",
        "__consumer_offsets is made by the brokers when it is needed",
    ),
    (
        "topics --alter --topic safe --replica-assignment 1:2,1:4",
        "1 partition is on fewer racks than there are replicas: safe-1",
    ),
    (
        "topics --alter --topic safe --config min.insync.replicas=3",
        "min.insync.replicas=3 is more than the 2 replicas",
    ),
    (
        "configs --alter --topic safe --add-config unclean.leader.election.enable=true",
        "acknowledged records of safe may be lost",
    ),
    (
        "configs --alter --topic own --delete-config min.insync.replicas",
        "min.insync.replicas=2 is more than the 1 replica",
    ),
    (
        "configs --alter --entity-type brokers --entity-default --allow-running-brokers"
        " --add-config min.insync.replicas=4",
        "min.insync.replicas=4 is more than the 2 replicas of a partition",
    ),
    (
        "configs --alter --entity-type brokers --entity-default --allow-running-brokers"
        " --add-config unclean.leader.election.enable=true",
        "in all topics that do not say otherwise",
    ),
    (
        "reassign --execute --topic safe --partitions 0 --replicas 2",
        "min.insync.replicas=2 is more than the 1 replica",
    ),
    (
        "reassign --execute --topic safe --partitions 0 --replicas 1,4",
        "1 partition is on fewer racks than there are replicas: safe-0",
    ),
)


@pytest.mark.usefixtures("quick_waits")
@pytest.mark.parametrize(("command", "warning"), PLANS, ids=[command for command, _ in PLANS])
def test_a_plan_that_makes_it_worse_is_named_and_wants_a_yes(
    chroot: str, command: str, warning: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    default = {"min.insync.replicas": "2"}
    write_snapshot(
        chroot,
        cluster(
            brokers("1:a 2:b 3:b 4:a"),
            topic("safe", "1,2", configs=default),
            topic("own", "1", configs={"min.insync.replicas": "1"}),
            topic("plain", "1,2"),
        ),
    )
    if "own" in command:
        words = "--entity-type brokers --entity-default --allow-running-brokers --add-config"
        more = ("configs", "--alter", *words.split(), "min.insync.replicas=2")
        assert ExitCode.DONE == kadmin(*more, "--yes").exit_code
    before = all_znodes(chroot)

    asked = kadmin(*shlex.split(command))
    shown = kadmin(*shlex.split(command), "--dry-run")

    assert ExitCode.REFUSED == asked.exit_code, asked
    assert warning in asked.stderr
    assert "add --yes to go ahead" in asked.stderr
    assert ExitCode.DONE == shown.exit_code
    assert warning in shown.stdout + shown.stderr
    assert before == all_znodes(chroot)
    done = kadmin(*shlex.split(command), "--yes")
    assert done.exit_code in (ExitCode.DONE, ExitCode.IN_PROGRESS), done
    assert before != all_znodes(chroot)


def test_a_plan_that_makes_nothing_worse_asks_nobody(
    chroot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    bad = {"min.insync.replicas": "3", "unclean.leader.election.enable": "true"}
    write_snapshot(chroot, cluster(brokers("1:a 2:b 3:b"), topic("bad", "1,2 2,3", configs=bad)))

    for command in (
        "topics --create --topic new --replica-assignment 1:2 --no-wait",
        "configs --alter --topic bad --add-config max.message.bytes=1000000",
        "reassign --execute --topic bad --partitions 0 --replicas 3,1",
    ):
        outcome = kadmin(*shlex.split(command))
        assert ExitCode.DONE == outcome.exit_code, outcome
        assert "risk" not in json.dumps(outcome.stderr)
