"""`kadmin check --groups` with a broker of ours, and the commands that it prints."""

import json
import shlex
from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.cli.groups.conftest import Cluster
from tests.support.cli import kadmin
from tests.support.committing import commit
from tests.support.one_broker import OneBroker
from tests.support.znodes import write_snapshot

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("one-broker"),
]

GROUPS = ("--groups", "--window", "0", "--behind-after", "1", "--output", "json")


@pytest.mark.parametrize("option", ["--zookeeper", "--bootstrap-server"])
def test_groups_are_judged_where_that_is_asked_for_and_the_command_shows_more(
    one_broker: OneBroker, tmp_path: Path, option: str
) -> None:
    groups = Cluster(one_broker.broker)
    name = groups.new_topic(tmp_path)
    commit(groups.bootstrap, f"stopped-{name}", name, 0, 2)
    commit(groups.bootstrap, f"read-{name}", name, 0, 5)
    where = (option, {"--zookeeper": one_broker.zookeeper}.get(option, groups.bootstrap))

    judged = kadmin("check", *GROUPS, *where)
    unasked = json.loads(kadmin("check", "--output", "json", *where).stdout)

    assert ExitCode.FOUND == judged.exit_code
    (stopped,) = [
        each
        for each in json.loads(judged.stdout)["findings"]
        if f"stopped-{name}" in each["groups"]
    ]
    assert ("warning", "stuck-group") == (stopped["severity"], stopped["kind"])
    assert f"read-{name}" not in stopped["groups"]
    program, *words = shlex.split(stopped["command"])
    shown = kadmin(*words)
    assert ("kadmin", ExitCode.DONE) == (program, shown.exit_code)
    assert stopped["groups"][0] in shown.stdout
    assert not any(each["groups"] for each in unasked["findings"])


def test_brokers_that_are_down_leave_the_rest_of_the_check(chroot: str) -> None:
    write_snapshot(chroot, cluster(brokers("0"), topic("t", "0")))

    outcome = kadmin("check", *GROUPS, "--zookeeper", chroot)

    found = json.loads(outcome.stdout)
    assert 1 == found["topics"]
    assert any("groups of consumers: " in each for each in found["not_looked_at"])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--window", "5"), "--window needs --groups"),
        (("--behind-after", "5"), "--behind-after needs --groups"),
        (("--groups", "--no-brokers"), "--no-brokers does not go with --groups"),
    ],
)
def test_wrong_usage_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    outcome = kadmin("check", *arguments, "--zookeeper", "127.0.0.1:1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr
