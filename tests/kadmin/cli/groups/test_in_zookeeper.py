"""`kadmin groups --in-zookeeper`: groups of old consumers, with a real ZooKeeper and a broker.

What real old consumers make is in `tests/interop`.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.cli.groups.conftest import FIRST_MS, Cluster, OldGroups
from tests.support.asking import AskingKadmin
from tests.support.cli import done, kadmin
from tests.support.committing import commit
from tests.support.one_broker import OneBroker
from tests.support.zookeeper import client_of

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("one-broker"),
]


def fields(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def group_in(text: str) -> dict[str, Any]:
    (found,) = json.loads(text)["groups"]
    assert isinstance(found, dict)
    return found


def test_groups_are_listed_and_described_with_their_lag(
    cluster: Cluster, old: OldGroups, topic: str, idle: str
) -> None:
    joined = old.join(idle, topic)
    live = old.run("--describe", "--group", idle)
    members = old.done("--describe", "--group", idle, "--members", "--verbose")
    states = old.done("--describe", "--group", idle, "--state")
    stable = old.done("--list", "--state", "stable")
    old.leave(idle, topic, joined)
    found = group_in(old.done("--describe", "--group", idle, "--output", "json"))
    judged = old.run("--verdict", "--group", idle, "--window", "0", "--behind-after", "1")

    consumer = joined.rpartition("/")[2]
    assert [idle, topic, "0", "2", "5", "3", consumer, "app-1", "-"] == fields(live.stdout)[2]
    assert [idle, topic, "1", "5", "5", "0", "-", "-", "-"] == fields(live.stdout)[3]
    assert "" == live.stderr
    assert [idle, consumer, "app-1", "-", "1", f"{topic}(0)"] == fields(members)[2]
    assert [idle, "-", "Stable", "1"] == fields(states)[2]
    assert [idle, "Stable"] in fields(stable)
    assert [idle] == old.done("--list", "--topic", f"{topic}:0").splitlines()
    assert ("Empty", FIRST_MS + 2000) == (found["state"], found["partitions"][0]["unread_since_ms"])
    assert (ExitCode.FOUND, "stopped") == (judged.exit_code, fields(judged.stdout)[1][1])


def test_brokers_groups_are_others_and_each_leads_to_the_other(
    cluster: Cluster, old: OldGroups, topic: str, idle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(cluster.bootstrap, f"new-{topic}", topic, 0, 1)

    by_zookeeper_alone = done("groups", "--list", *old.zookeeper)
    by_both = done("groups", "--list", *old.zookeeper, *cluster.wire)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", old.connect)
    listed = kadmin("groups", "--list")
    missing = kadmin("groups", "--describe", "--group", idle)
    other = kadmin("groups", "--in-zookeeper", "--describe", "--group", f"new-{topic}")

    assert idle in by_zookeeper_alone.splitlines()
    assert f"new-{topic}" in by_both.splitlines()
    assert idle not in listed.stdout.splitlines()
    command = "kadmin groups --in-zookeeper"
    assert f"in ZooKeeper: '{command} --list'\n" in listed.stderr
    assert idle in old.done("--list").splitlines()
    assert ExitCode.FAILED == missing.exit_code == other.exit_code
    shown = f"{command} --describe --group {idle}"
    assert f"it is a group of old consumers: '{shown}'\n" in missing.stderr
    assert f"consumer group 'new-{topic}' does not exist" in other.stderr
    assert f"'{command} --list' lists all there are" in other.stderr


def test_the_shell_offers_the_groups_that_may_be_meant(
    cluster: Cluster, old: OldGroups, topic: str, idle: str, chroot: str
) -> None:
    commit(cluster.bootstrap, f"new-{topic}", topic, 0, 1)
    with client_of(chroot) as client:
        client.create("/consumers/alone", makepath=True)
    values = ("completion", "--values", "groups", "--current")

    by_zookeeper = done(*values, "", *old.zookeeper).splitlines()
    by_brokers = done(*values, "", *cluster.wire).splitlines()
    without_brokers = done(*values, "al", "--zookeeper", chroot)

    assert {idle, f"new-{topic}"} <= {*by_zookeeper}
    assert idle not in by_brokers
    assert "alone\n" == without_brokers


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--all-topics", "--to-earliest"), ["0", "0"]),
        (("--topic", "TOPIC:0", "--to-latest"), ["5", "5"]),
        (("--all-topics", "--shift-by", "-1"), ["1", "4"]),
        (("--all-topics", "--to-datetime", "2023-11-14T22:13:21.000"), ["1", "1"]),
        (("--all-topics", "--to-offset", "9"), ["5", "5"]),
    ],
)
def test_offsets_are_reset_by_a_plan(
    old: OldGroups, topic: str, idle: str, words: tuple[str, ...], expected: list[str]
) -> None:
    given = [word.replace("TOPIC", topic) for word in words]
    reset = ("--reset-offsets", "--group", idle, *given)

    planned = old.run(*reset)
    before = old.offsets(idle, topic)
    made = old.run(*reset, "--execute", "--rollback-file", "back.csv")
    after = old.offsets(idle, topic)
    kept = Path("back.csv").read_text()
    back = old.run("--reset-offsets", "--from-file", "back.csv", "--execute")

    assert (ExitCode.DONE, ["2", "5"]) == (planned.exit_code, before)
    assert f"next: kadmin --zookeeper {old.connect} groups --reset-offsets" in planned.stderr
    assert (ExitCode.DONE, expected) == (made.exit_code, after)
    assert planned.stdout == made.stdout
    undo = "groups --in-zookeeper --reset-offsets --from-file back.csv --execute"
    assert f"to undo it: kadmin --zookeeper {old.connect} {undo}\n" in made.stderr
    assert set(kept.splitlines()) <= {f"{idle},{topic},0,2", f"{idle},{topic},1,5"}
    assert (ExitCode.DONE, ["2", "5"]) == (back.exit_code, old.offsets(idle, topic))


def test_a_group_with_members_is_refused_with_their_names(
    old: OldGroups, topic: str, idle: str
) -> None:
    reset = ("--reset-offsets", "--group", idle, "--all-topics", "--to-earliest", "--execute")
    joined = old.join(idle, topic)
    refused = old.run(*reset)
    kept = old.run("--delete", "--group", idle, "--yes")
    offsets = old.run("--delete-offsets", "--group", idle, "--topic", topic, "--yes")
    old.leave(idle, topic, joined)
    with AskingKadmin("groups", "--in-zookeeper", *reset, *old.zookeeper) as asking:
        asking.read_until("[y/N]: ")
        old.join(idle, topic)
        asking.answer("y")
        exit_code = asking.exit_code()

    consumer = joined.rpartition("/")[2]
    assert ExitCode.REFUSED == refused.exit_code == kept.exit_code
    words = f"has members; nothing was written: it is Stable, with {consumer} on app-1\n"
    assert f"group '{idle}' {words}" in refused.stderr
    assert (ExitCode.FAILED, ExitCode.FAILED) == (offsets.exit_code, exit_code)
    assert f"{topic}-1: the group has members: {consumer}" in offsets.stderr
    assert f"the group has members: {consumer}" in asking.said.replace("\r\n", "")
    assert ["2", "5"] == old.offsets(idle, topic)


def test_offsets_and_groups_are_deleted_and_can_be_put_back(
    old: OldGroups, topic: str, idle: str
) -> None:
    old.put(f"{idle}/ids")
    words = ("--delete-offsets", "--group", idle, "--topic", f"{topic}:0", "--yes")
    offsets = old.run(*words, "--rollback-file", "one.csv")
    again = old.run(*words)
    left = old.offsets(idle, topic)
    deleted = old.run("--delete", "--group", idle, "--yes", "--rollback-file", "two.csv")
    is_there = old.client.exists(f"/consumers/{idle}")
    gone = old.run("--delete", "--group", idle, "--yes")
    for name in ("one.csv", "two.csv"):
        old.done("--reset-offsets", "--from-file", name, "--execute")

    assert [topic, "0", "Successful"] == offsets.stdout.splitlines()[-1].split()
    assert (ExitCode.DONE, [None, "5"]) == (again.exit_code, left)
    assert f"Deletion of requested consumer groups ('{idle}') was successful.\n" == deleted.stdout
    assert is_there is None
    assert ExitCode.FAILED == gone.exit_code
    assert ["2", "5"] == old.offsets(idle, topic)


def test_garbage_is_named_and_stops_nothing_else(old: OldGroups, topic: str, idle: str) -> None:
    old.put(f"{idle}/offsets/{topic}/0", "two")
    old.put(f"{idle}/notes", "mine")

    outcome = old.run("--describe", "--group", idle)
    reset = ("--reset-offsets", "--group", idle, "--topic", topic, "--to-earliest", "--execute")
    made = old.run(*reset)
    kept = old.run("--delete", "--group", idle, "--yes")

    node = f"/consumers/{idle}/offsets/{topic}/0"
    assert ExitCode.DONE == outcome.exit_code == made.exit_code
    assert f"left out: {node} (zkVersion 1): the offset is not an integer: 'two'" in outcome.stderr
    assert f"left out: /consumers/{idle}/notes: no consumer makes this node\n" in outcome.stderr
    assert [topic, "1", "5", "5", "0"] == fields(outcome.stdout)[2][1:6]
    assert ["0", "0"] == old.offsets(idle, topic)
    assert ExitCode.FAILED == kept.exit_code
    assert f"/consumers/{idle} has children that no consumer makes" in kept.stderr


def test_the_lag_is_not_known_where_no_broker_is_alive(chroot: str) -> None:
    with client_of(chroot) as client:
        client.create("/consumers/g/offsets/t/0", b"3", makepath=True)
        client.create("/brokers/ids", makepath=True)
        client.create("/brokers/topics/t", b'{"version":1,"partitions":{"0":[1]}}', makepath=True)
    of_group = ("--in-zookeeper", "--group", "g", "--zookeeper", chroot)

    described = kadmin("groups", "--describe", *of_group)
    reset = kadmin("groups", "--reset-offsets", "--all-topics", "--to-latest", *of_group)
    deleted = done("groups", "--delete", "--dry-run", *of_group)

    assert ExitCode.UNREACHABLE == described.exit_code
    assert ["g", "t", "0", "3", "-", "-", "-", "-", "-"] == fields(described.stdout)[2]
    assert "no broker is alive: none is registered" in described.stderr
    assert ExitCode.FAILED == reset.exit_code
    assert "nothing is reset: t-0: no broker is alive" in reset.stderr
    assert "plan: delete 1 group with 1 committed offset\n" in deleted


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--list", "--type="), "--type is about groups that brokers keep"),
        (("--list", "--of-brokers"), "--of-brokers does not go with --in-zookeeper"),
        (("--describe", "--group", "a/b"), "ZooKeeper has no place for a group called 'a/b'"),
    ],
)
def test_wrong_usage_is_refused(
    one_broker: OneBroker, arguments: tuple[str, ...], reason: str
) -> None:
    outcome = kadmin("groups", "--in-zookeeper", *arguments, "--zookeeper", one_broker.zookeeper)

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr


def test_a_zookeeper_has_to_be_named(one_broker: OneBroker) -> None:
    servers = ("--bootstrap-server", one_broker.broker.bootstrap)

    outcome = kadmin("groups", "--in-zookeeper", "--list", *servers)

    assert ExitCode.USAGE == outcome.exit_code
    assert "only brokers are named, and this command asks ZooKeeper" in outcome.stderr
