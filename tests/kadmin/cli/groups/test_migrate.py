"""`kadmin groups migrate-offsets`, from ZooKeeper to a broker of ours and back."""

import json
import shlex
from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.cli.groups.conftest import Cluster, OldGroups
from tests.support.asking import AskingKadmin
from tests.support.cli import KadminRun, done, kadmin
from tests.support.committing import commit, joined
from tests.support.one_broker import OneBroker
from tests.support.zookeeper import client_of

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("one-broker"),
]


def migrate(old: OldGroups, *arguments: str) -> KadminRun:
    return kadmin("groups", "migrate-offsets", *arguments, *old.zookeeper)


def offsets_of(cluster: Cluster, group: str) -> list[int]:
    found = json.loads(cluster.done("--describe", "--group", group, "--output", "json"))
    (described,) = found["groups"]
    return [each["current_offset"] for each in described["partitions"]]


def test_offsets_go_to_the_brokers_by_a_plan_and_back(
    cluster: Cluster, old: OldGroups, topic: str, idle: str
) -> None:
    new = f"new-{topic}"
    there = ("--from-zookeeper", "--group", idle, "--to-group", new)
    back = ("--to-zookeeper", "--group", new, "--to-group", idle)

    planned = migrate(old, *there, "--dry-run")
    in_pipe = migrate(old, *there)
    made = migrate(old, *there, "--yes")
    committed = offsets_of(cluster, new)
    by_zookeeper = done("groups", "--of-brokers", "--list", *old.zookeeper)
    again = migrate(old, *there, "--yes", "--output", "json")
    cluster.done(
        "--reset-offsets", "--group", new, "--topic", f"{topic}:0", "--to-offset", "4", "--execute"
    )
    returned = migrate(old, *back, "--yes", "--rollback-file", "back.csv")
    after = old.offsets(idle, topic)
    old.done("--reset-offsets", "--from-file", "back.csv", "--execute")

    assert (ExitCode.DONE, ExitCode.REFUSED) == (planned.exit_code, in_pipe.exit_code)
    assert (
        f"from group '{idle}' (ZooKeeper) to group '{new}' (brokers):\n"
        f"plan: reset 2 partitions of group '{new}'\n"
        f"  {topic}-0: nothing -> 2\n"
        f"  {topic}-1: nothing -> 5 (the end)\n"
    ) in planned.stderr
    assert (ExitCode.DONE, [2, 5]) == (made.exit_code, committed)
    assert planned.stdout == made.stdout
    assert new in by_zookeeper.splitlines()
    assert [(idle, "unchanged")] * 2 == [
        (each["from_group"], each["outcome"]) for each in json.loads(again.stdout)["partitions"]
    ]
    assert (ExitCode.DONE, ["4", "5"]) == (returned.exit_code, after)
    assert f"{idle},{topic},0,2\n" == Path("back.csv").read_text()
    assert "groups --in-zookeeper --reset-offsets --from-file back.csv --execute" in returned.stderr
    assert ["2", "5"] == old.offsets(idle, topic)


def test_the_way_back_works_as_it_is_noted(
    cluster: Cluster, old: OldGroups, topic: str, idle: str
) -> None:
    commit(cluster.bootstrap, idle, topic, 0, 1)

    made = migrate(old, "--from-zookeeper", "--group", idle, "--topic", f"{topic}:0", "--yes")
    migrated = offsets_of(cluster, idle)
    _, _, command = made.stderr.partition("to undo it: ")
    program, *words = shlex.split(command.splitlines()[0])
    back = kadmin(*words)

    assert [2] == migrated
    assert ("kadmin", ExitCode.DONE) == (program, back.exit_code)
    assert [1] == offsets_of(cluster, idle)
    assert ["2", "5"] == old.offsets(idle, topic)


def test_offsets_that_do_not_fit_are_moved_or_left_out(
    cluster: Cluster, old: OldGroups, topic: str, idle: str
) -> None:
    old.put(f"{idle}/offsets/{topic}/0", "9")
    old.put(f"{idle}/offsets/{topic}/1", "five")
    old.put(f"{idle}/offsets/gone-{topic}/0", "1")

    outcome = migrate(old, "--from-zookeeper", "--group", f"{idle[:-1]}[{idle[-1]}]", "--yes")

    assert (ExitCode.DONE, [5]) == (outcome.exit_code, offsets_of(cluster, idle))
    for warning in (
        f"left out, since they do not exist any more: gone-{topic}-0\n",
        f"new offset (9) is higher than latest offset for topic partition {topic}-0: it is set",
        f"left out: /consumers/{idle}/offsets/{topic}/1",
    ):
        assert warning in outcome.stderr


def test_neither_side_may_have_members(
    cluster: Cluster, old: OldGroups, topic: str, idle: str
) -> None:
    there = ("--from-zookeeper", "--group", idle)
    path = old.join(idle, topic)
    read_there = migrate(old, *there, "--yes")
    old.leave(idle, topic, path)
    with joined(cluster.bootstrap, idle, topic, client_id="reader"):
        read_here = migrate(old, *there, "--yes")
        back = migrate(old, "--to-zookeeper", "--group", idle, "--yes")
    with AskingKadmin("groups", "migrate-offsets", *there, *old.zookeeper) as asking:
        asking.read_until("[y/N]: ")
        path = old.join(idle, topic)
        asking.answer("y")
        exit_code = asking.exit_code()

    for outcome, member in ((read_there, "on app-1"), (read_here, "reader ("), (back, "reader (")):
        assert ExitCode.REFUSED == outcome.exit_code
        assert f"group '{idle}' has members; nothing was written: it is Stable" in outcome.stderr
        assert member in outcome.stderr
    assert ExitCode.REFUSED == exit_code
    assert f"Commit the offsets of 2 partitions for group '{idle}'? [y/N]: " in asking.said
    assert idle not in cluster.done("--list", "--topic", f"{topic}:0").splitlines()


def test_what_is_not_there_is_an_error(
    cluster: Cluster, old: OldGroups, topic: str, idle: str
) -> None:
    commit(cluster.bootstrap, f"here-{topic}", topic, 0, 1)

    missing = migrate(old, "--from-zookeeper", "--group", f"{idle}x", "--yes")
    nothing = migrate(old, "--from-zookeeper", "--group", idle, "--topic", "other", "--yes")
    back = migrate(old, "--to-zookeeper", "--group", f"here-{topic}x", "--yes")
    unfit = migrate(old, "--to-zookeeper", "--group", f"here-{topic}", "--to-group", "a/b", "--yes")

    for outcome, reason, hint in (
        (missing, f"consumer group '{idle}x' does not exist", "groups --in-zookeeper --list'"),
        (nothing, f"group '{idle}' has committed nothing to these topics", "--in-zookeeper"),
        (back, f"consumer group 'here-{topic}x' does not exist", "groups --of-brokers --list'"),
    ):
        assert (ExitCode.FAILED, "") == (outcome.exit_code, outcome.stdout)
        assert reason in outcome.stderr
        assert hint in outcome.stderr
    assert ExitCode.USAGE == unfit.exit_code
    assert "ZooKeeper has no place for a group called 'a/b'" in unfit.stderr


def test_groups_whose_names_zookeeper_cannot_keep_hold_up_no_other(
    cluster: Cluster, old: OldGroups, topic: str
) -> None:
    commit(cluster.bootstrap, f"a/{topic}", topic, 0, 1)
    commit(cluster.bootstrap, f"a-{topic}", topic, 0, 1)

    outcome = migrate(old, "--to-zookeeper", "--group", f"a?{topic}", "--yes")
    unnamed = migrate(old, "--to-zookeeper", "--group", f"a-{topic}", "--to-group", "", "--yes")

    assert (ExitCode.DONE, ["1", None]) == (outcome.exit_code, old.offsets(f"a-{topic}", topic))
    assert f"left out: ZooKeeper has no place for a group called 'a/{topic}'\n" in outcome.stderr
    assert ExitCode.USAGE == unnamed.exit_code
    assert "--to-group was given an empty name" in unnamed.stderr


def test_brokers_of_another_cluster_are_refused(
    one_broker: OneBroker, chroot: str, topic: str
) -> None:
    with client_of(chroot) as client:
        client.create("/cluster/id", b'{"version":"1","id":"another"}', makepath=True)
        client.create(f"/consumers/g/offsets/{topic}/0", b"3", makepath=True)
    servers = ("--zookeeper", chroot, "--bootstrap-server", one_broker.broker.bootstrap)

    outcome = kadmin(
        "groups", "migrate-offsets", "--from-zookeeper", "--all-groups", "--yes", *servers
    )

    assert (ExitCode.REFUSED, "") == (outcome.exit_code, outcome.stdout)
    assert "are of another cluster than ZooKeeper at" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--group", "g"), "give exactly one of --from-zookeeper, --to-zookeeper"),
        (("--from-zookeeper",), "migrate-offsets needs --group or --all-groups"),
        (("--from-zookeeper", "--group", "g", "--all-groups"), "both say which groups"),
        (
            ("--from-zookeeper", "--group", "g", "--group", "h", "--to-group", "i"),
            "--to-group goes with one --group",
        ),
        (("--from-zookeeper", "--group", "g*", "--to-group", "i"), "which is no glob"),
        (
            ("--from-zookeeper", "--all-groups", "--to-group", "i"),
            "--all-groups does not go with --to-group",
        ),
        (("--from-zookeeper", "--group", "g", "--topic", "t:x"), "invalid partition 'x'"),
        (("--from-zookeeper", "--group", "g"), "only brokers are named"),
    ],
)
def test_wrong_usage_is_refused_before_any_server_is_asked(
    arguments: tuple[str, ...], reason: str
) -> None:
    words = ("groups", "migrate-offsets", *arguments, "--bootstrap-server", "127.0.0.1:1")

    outcome = kadmin(*words)

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr


def test_options_of_groups_do_not_go_with_it() -> None:
    outcome = kadmin("groups", "--list", "migrate-offsets", "--from-zookeeper", "--group", "g")

    assert ExitCode.USAGE == outcome.exit_code
    assert "--list does not go with 'kadmin groups migrate-offsets'" in outcome.stderr
