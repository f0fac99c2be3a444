"""Resets and deletions by `kadmin groups` with a broker of ours; real ones in `tests/interop`."""

import json
import time
from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.cli.groups.conftest import FIRST_MS, Cluster
from tests.support.asking import AskingKadmin
from tests.support.cli import kadmin
from tests.support.committing import commit, joined

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("one-broker"),
]


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where rollback files are written that have no other name."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def idle(cluster: Cluster, topic: str) -> str:
    """A group without members, at offsets 2 and 5 of five records each."""
    name = f"idle-{topic}"
    commit(cluster.bootstrap, name, topic, 0, 2)
    commit(cluster.bootstrap, name, topic, 1, 5)
    return name


def offsets_of(cluster: Cluster, group: str, topic: str | None = None) -> list[int]:
    found = json.loads(cluster.done("--describe", "--group", group, "--output", "json"))
    (described,) = found["groups"]
    return [
        each["current_offset"]
        for each in described["partitions"]
        if topic is None or each["topic"] == topic
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--all-topics", "--to-earliest"), [0, 0]),
        (("--all-topics", "--to-latest"), [5, 5]),
        (("--all-topics", "--to-current"), [2, 5]),
        (("--topic", "TOPIC", "--to-offset", "3"), [3, 3]),
        (("--topic", "TOPIC:0", "--to-offset", "0"), [0, 5]),
        (("--topic", "TOPIC:1", "--shift-by", "-2"), [2, 3]),
        (("--all-topics", "--shift-by", "2"), [4, 5]),
        (("--all-topics", "--to-datetime", "2023-11-14T22:13:21.000"), [1, 1]),
        (("--all-topics", "--by-duration", "PT1S"), [5, 5]),
    ],
)
def test_every_way_of_saying_it_resets_offsets(
    cluster: Cluster, topic: str, idle: str, words: tuple[str, ...], expected: list[int]
) -> None:
    given = [word.replace("TOPIC", topic) for word in words]
    reset = ("--reset-offsets", "--group", idle, *given)

    planned = cluster.run(*reset)
    before = offsets_of(cluster, idle)
    made = cluster.run(*reset, "--execute")
    after = offsets_of(cluster, idle)
    again = json.loads(cluster.done(*reset, "--execute", "--output", "json"))

    assert (ExitCode.DONE, [2, 5]) == (planned.exit_code, before)
    assert "dry run: nothing was written\n" in planned.stderr
    assert (ExitCode.DONE, expected) == (made.exit_code, after)
    assert planned.stdout == made.stdout
    if "--shift-by" not in given:
        assert {"unchanged"} == {each["outcome"] for each in again["partitions"]}


def test_a_plan_says_what_is_skipped_and_the_rollback_file_puts_it_back(
    cluster: Cluster, topic: str, idle: str, working_directory: Path
) -> None:
    reset = ("--reset-offsets", "--group", idle, "--all-topics", "--to-offset", "4")
    path = working_directory / "back.csv"
    before_ms = time.time_ns() // 1_000_000

    planned = json.loads(cluster.done(*reset, "--dry-run", "--output", "json"))
    made = cluster.run(*reset, "--execute", "--rollback-file", str(path))
    refused = cluster.run(
        *("--reset-offsets", "--group", idle, "--all-topics", "--to-earliest"),
        *("--execute", "--rollback-file", str(path)),
    )
    kept = path.read_text()
    moved = offsets_of(cluster, idle)
    back = cluster.run("--reset-offsets", "--from-file", str(path), "--execute", "--yes")

    skipping, again = planned["partitions"]
    assert ("planned", 2, 4, 2, 0, 2_000) == tuple(
        skipping[name]
        for name in (
            *("outcome", "current_offset", "new_offset"),
            *("records_skipped", "records_again", "span_ms"),
        )
    )
    # From the record at 4 to the end, which is now.
    assert (0, 1) == (again["records_skipped"], again["records_again"])
    assert again["span_ms"] >= before_ms - FIRST_MS - 4000
    assert (
        f"plan: reset 2 partitions of group '{idle}': 2 records skipped, 1 record read again\n"
        f"  {topic}-0: 2 -> 4: skips 2 records, 2 s\n"
    ) in made.stderr
    assert f"{idle},{topic},0,2\n{idle},{topic},1,5\n" == kept
    assert ExitCode.REFUSED == refused.exit_code
    assert "it is there already; nothing was written" in refused.stderr
    assert [4, 4] == moved
    assert (ExitCode.DONE, [2, 5]) == (back.exit_code, offsets_of(cluster, idle))
    assert f"undo it: kadmin --bootstrap-server {cluster.bootstrap} groups" in back.stderr


def test_an_export_is_read_again(cluster: Cluster, topic: str, idle: str, tmp_path: Path) -> None:
    of_group = ("--reset-offsets", "--group", idle)
    exported = cluster.done(*of_group, "--all-topics", "--to-current", "--export")
    path = tmp_path / "offsets.csv"
    path.write_text(f"{topic},1,1\n")
    read = cluster.run(*of_group, "--from-file", str(path), "--execute")
    unnamed = cluster.run("--reset-offsets", "--from-file", str(path), "--execute")

    assert f"{topic},0,2\n{topic},1,5\n" == exported
    assert (ExitCode.DONE, [2, 1]) == (read.exit_code, offsets_of(cluster, idle))
    assert ExitCode.USAGE == unnamed.exit_code
    assert "--reset-offsets needs --group or --all-groups" in unnamed.stderr


def test_any_name_of_a_group_is_exported_and_put_back(
    cluster: Cluster, topic: str, tmp_path: Path
) -> None:
    """A group of consumers that only commit may have no name, also one of other tests."""
    odd, path, back = (
        f'{topic},"\r\n\x1bc\u2028',
        tmp_path / "offsets.csv",
        tmp_path / "back.csv",
    )
    to_end = ("--topic", f"{topic}:0", "--to-latest", "--execute")
    cluster.done("--reset-offsets", "--group", odd, "--group", "", *to_end)
    of_both = ("--reset-offsets", "--group", odd, "--group", "")

    path.write_bytes(cluster.done(*of_both, "--all-topics", "--to-earliest", "--export").encode())
    from_file = ("--reset-offsets", "--from-file")
    cluster.done(*from_file, str(path), "--execute", "--rollback-file", str(back))
    moved = [offsets_of(cluster, name, topic) for name in ("", odd)]
    cluster.done(*from_file, str(back), "--execute")
    put_back = [offsets_of(cluster, name, topic) for name in ("", odd)]
    refused = cluster.run("--delete-offsets", "--group", "", "--topic", topic, "--yes")
    cluster.done("--delete", "--group", "", "--yes")

    assert ([[0], [0]], [[5], [5]]) == (moved, put_back)
    assert ExitCode.FAILED == refused.exit_code
    assert "a group with an empty name but all of it, by --delete" in refused.stderr


def test_offsets_outside_of_the_log_are_moved_into_it(cluster: Cluster, topic: str) -> None:
    name = f"made-{topic}"
    outcome = cluster.run(
        "--reset-offsets", "--group", name, "--topic", topic, "--to-offset", "9", "--execute"
    )

    assert (ExitCode.DONE, [5, 5]) == (outcome.exit_code, offsets_of(cluster, name))
    assert f"warning: there is no group '{name}' yet: it will be made\n" in outcome.stderr
    assert (
        f"warning: new offset (9) is higher than latest offset for topic partition {topic}-0: it is"
        " set to the latest, 5\n" in outcome.stderr
    )


def test_a_group_with_members_is_refused_with_their_names(
    cluster: Cluster, topic: str, idle: str, working_directory: Path
) -> None:
    reset = ("--reset-offsets", "--group", idle, "--all-topics", "--to-earliest")
    with joined(cluster.bootstrap, idle, topic, client_id="reader"):
        refused = cluster.run(*reset, "--execute")
        kept = cluster.run("--delete", "--group", idle, "--yes")
        planned = cluster.run(*reset)
        subscribed = cluster.run("--delete-offsets", "--group", idle, "--topic", topic, "--yes")
        others = cluster.run("--delete", "--group", f"{idle}*", "--yes")
        after = offsets_of(cluster, idle)

    assert ExitCode.REFUSED == refused.exit_code == kept.exit_code
    assert f"group '{idle}' has members; nothing was written: it is Stable, with" in refused.stderr
    assert "reader (reader-" in refused.stderr
    assert ") on /127.0.0.1\n" in refused.stderr
    assert ExitCode.DONE == planned.exit_code
    assert "as long as it is, this is refused\n" in planned.stderr
    assert ExitCode.FAILED == subscribed.exit_code
    assert f"{topic}-0: " in subscribed.stderr
    assert (ExitCode.DONE, "") == (others.exit_code, others.stdout)
    assert f"warning: left out: group '{idle}' is Stable" in others.stderr
    assert [2, 5] == after


def test_a_member_that_joins_while_it_is_asked_wins(
    cluster: Cluster, topic: str, idle: str
) -> None:
    reset = ("--reset-offsets", "--group", idle, "--all-topics", "--to-earliest", "--execute")
    with AskingKadmin("groups", *reset, *cluster.wire) as asking:
        asking.read_until("[y/N]: ")
        with joined(cluster.bootstrap, idle, topic):
            asking.answer("y")
            exit_code = asking.exit_code()
            after = offsets_of(cluster, idle)

    assert f"Reset the offsets of 2 partitions of group '{idle}'? [y/N]: " in asking.said
    assert (ExitCode.FAILED, [2, 5]) == (exit_code, after)
    assert "the group has members again" in asking.said


def test_offsets_and_groups_are_deleted_and_can_be_put_back(
    cluster: Cluster, topic: str, idle: str, working_directory: Path
) -> None:
    in_pipe = cluster.run("--delete", "--group", idle)
    words = ("--delete-offsets", "--group", idle, "--topic", f"{topic}:0", "--yes")
    planned = cluster.done(*words, "--dry-run")
    offsets = cluster.run(*words, "--rollback-file", "one.csv")
    again = cluster.run(*words)
    mistyped = cluster.run("--delete-offsets", "--group", idle, "--topic", f"{topic}x", "--yes")
    left = offsets_of(cluster, idle)
    deleted = cluster.run("--delete", "--group", idle, "--yes", "--rollback-file", "two.csv")
    gone = cluster.run("--delete", "--group", idle, "--yes")
    for name in ("one.csv", "two.csv"):
        cluster.done("--reset-offsets", "--from-file", name, "--execute")

    assert ExitCode.REFUSED == in_pipe.exit_code
    assert f"plan: delete 1 committed offset of group '{idle}'\n  {topic}-0: 2\n" == planned
    assert (
        f"Request succeed for deleting offsets with topic {topic} group {idle}\n"
        == offsets.stdout.partition("\n\n")[0] + "\n"
    )
    assert [topic, "0", "Successful"] == offsets.stdout.splitlines()[-1].split()
    assert (ExitCode.DONE, [5]) == (again.exit_code, left)
    assert "nothing to delete: no offset is committed there\n" in again.stderr
    assert ExitCode.FAILED == mistyped.exit_code
    assert f"there is no topic '{topic}x'" in mistyped.stderr
    assert f"Deletion of requested consumer groups ('{idle}') was successful.\n" == deleted.stdout
    assert ExitCode.FAILED == gone.exit_code
    assert f"consumer group '{idle}' does not exist" in gone.stderr
    assert [2, 5] == offsets_of(cluster, idle)


def test_what_cannot_be_reset_changes_nothing(
    cluster: Cluster, topic: str, idle: str, tmp_path: Path
) -> None:
    path = tmp_path / "offsets.csv"
    path.write_text(f"{topic},0,1\n{topic},7,1\n")
    of_group = ("--reset-offsets", "--group", idle, "--execute")

    no_partition = cluster.run(*of_group, "--from-file", str(path))
    no_topic = cluster.run(*of_group, "--topic", f"{topic}x", "--to-latest")
    too_many = cluster.run(*of_group, "--topic", f"{topic}:0,7", "--to-latest")
    no_group = cluster.run(
        *("--reset-offsets", "--group", f"{idle}x", "--execute"), "--all-topics", "--to-latest"
    )

    for outcome, reason in (
        (no_partition, f"nothing is reset: there is no partition {topic}-7"),
        (no_topic, f"there is no topic '{topic}x'"),
        (too_many, f"topic '{topic}' has no partition 7"),
        (no_group, f"consumer group '{idle}x' does not exist"),
    ):
        assert (ExitCode.FAILED, "") == (outcome.exit_code, outcome.stdout)
        assert reason in outcome.stderr
    assert "topics --describe shows the partitions" in no_partition.stderr
    assert [2, 5] == offsets_of(cluster, idle)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--reset-offsets", "--group", "g", "--to-latest"), "one of the reset scopes should be"),
        (("--reset-offsets", "--group", "g", "--all-topics"), "give exactly one of --to-earliest"),
        (
            ("--reset-offsets", "--all-topics", "--to-latest", "--to-offset", "0", "--group", "g"),
            "give exactly one of",
        ),
        (("--reset-offsets", "--all-topics", "--to-latest"), "needs --group or --all-groups"),
        (
            ("--reset-offsets", "--group", "g", "--topic", "t", "--all-topics", "--to-latest"),
            "--topic does not go with --all-topics",
        ),
        (
            ("--reset-offsets", "--group", "g", "--all-topics", "--shift-by", "x"),
            "'x' is no number of records",
        ),
        (
            ("--reset-offsets", "--group", "g", "--all-topics", "--by-duration", "2h"),
            "'2h' is no duration",
        ),
        (
            ("--reset-offsets", "--group", "g", "--all-topics", "--to-datetime", "soon"),
            "'soon' is no time",
        ),
        (
            (
                *("--reset-offsets", "--group", "g", "--all-topics", "--to-latest"),
                *("--execute", "--dry-run"),
            ),
            "give only one of --execute, --dry-run",
        ),
        (("--reset-offsets", "--group", "g", "--from-file", "/no/file"), "cannot read /no/file"),
        (("--delete",), "--delete needs --group or --all-groups"),
        (("--delete-offsets", "--group", "g"), "--delete-offsets needs --topic"),
        (("--delete", "--group", "g", "--topic", "t"), "--topic does not go with --delete"),
        (("--delete", "--group", "g", "--all-groups"), "both say which groups"),
    ],
)
def test_wrong_usage_is_refused_before_any_broker_is_asked(
    arguments: tuple[str, ...], reason: str
) -> None:
    outcome = kadmin("groups", *arguments, "--bootstrap-server", "127.0.0.1:1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr
