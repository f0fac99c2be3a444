"""`kadmin groups --verdict` with a broker of ours."""

import json
import re

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.cli.groups.conftest import Cluster
from tests.support.cli import kadmin
from tests.support.committing import commit, joined

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("one-broker"),
]

QUICK = ("--window", "0.05")


def test_a_group_is_ok_stopped_or_stalled(cluster: Cluster, topic: str) -> None:
    name = f"judged-{topic}"
    of_group = ("--verdict", "--group", name, *QUICK)
    for partition in (0, 1):
        commit(cluster.bootstrap, name, topic, partition, 5)
    read = cluster.run(*of_group)
    commit(cluster.bootstrap, name, topic, 1, 2)
    stopped = cluster.run(*of_group, "--output", "json")
    forgiven = cluster.run(*of_group, "--behind-after", "1000000000")
    with joined(cluster.bootstrap, name, topic, client_id="reader"):
        stalled = cluster.run(*of_group)

    (found,) = json.loads(stopped.stdout)["groups"]
    (partition,) = found["partitions"]
    assert (ExitCode.DONE, [name, "ok", "Empty", "0", "0", "0s", "-", "-"]) == (
        read.exit_code,
        read.stdout.splitlines()[1].split(),
    )
    assert (ExitCode.FOUND, "stopped", 3) == (stopped.exit_code, found["verdict"], found["lag"])
    assert (1, "stopped", 2, 5) == (
        partition["partition"],
        partition["verdict"],
        partition["current_offset"],
        partition["log_end_offset"],
    )
    assert ExitCode.DONE == forgiven.exit_code
    assert ExitCode.FOUND == stalled.exit_code
    assert [name, "stalled", "Stable", "1"] == stalled.stdout.splitlines()[1].split()[:4]
    assert re.search(r"has committed nothing for \d+ s$", stalled.stdout.strip())
    assert "looking again in 0.05 s" in stalled.stderr


def test_one_look_knows_no_rates(cluster: Cluster, topic: str) -> None:
    name = f"glanced-{topic}"
    commit(cluster.bootstrap, name, topic, 0, 5)

    outcome = cluster.run("--verdict", "--group", name, "--window", "0", "--output", "json")

    (found,) = json.loads(outcome.stdout)["groups"]
    assert (ExitCode.DONE, None, "ok") == (
        outcome.exit_code,
        found["read_per_s"],
        found["verdict"],
    )
    assert "" == outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "--verdict needs --group, --all-groups or --topic"),
        (("--group", "g", "--members"), "--members does not go with --verdict"),
        (("--group", "g", "--window", "-1"), "--window"),
    ],
)
def test_wrong_usage_is_refused_before_any_broker_is_asked(
    arguments: tuple[str, ...], reason: str
) -> None:
    outcome = kadmin("groups", "--verdict", *arguments, "--bootstrap-server", "127.0.0.1:1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr
