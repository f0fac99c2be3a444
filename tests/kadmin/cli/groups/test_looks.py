"""`kadmin groups --list` and `--describe` with a broker of ours; real ones in `tests/interop`."""

import csv
import json
import time
from pathlib import Path
from typing import Any

import pytest

from kadmin.cli.groups.looks import unanswered_texts
from kadmin.errors import ExitCode
from tests.kadmin.cli.groups.conftest import FIRST_MS, Cluster
from tests.support.cli import done, kadmin
from tests.support.committing import commit, joined

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


def test_a_group_without_members_is_listed_and_described(cluster: Cluster, topic: str) -> None:
    name = f"idle-{topic}"
    commit(cluster.bootstrap, name, topic, 0, 2)

    outcome = cluster.run("--describe", "--group", name)

    assert [name, "Empty"] in fields(cluster.done("--list", "--state"))
    assert name in cluster.done("--list", "--state", "empty,stable", "--type=classic")
    assert name not in cluster.done("--list", "--state=Stable")
    assert [name, topic, "0", "2", "5", "3", "-", "-", "-"] == fields(outcome.stdout)[2]
    assert f"Consumer group '{name}' has no active members.\n" == outcome.stderr
    assert [name] == cluster.done("--list", "--topic", f"{topic}:0").splitlines()
    assert "" == cluster.done("--list", "--topic", f"{topic}:1")


def test_members_have_their_partitions_and_their_hosts(cluster: Cluster, topic: str) -> None:
    name = f"live-{topic}"
    options = {"client_id": "reader", "group_instance_id": "one"}
    with joined(cluster.bootstrap, name, topic, **options):
        offsets = cluster.run("--describe", "--group", name)
        verbose = cluster.done("--describe", "--group", name, "--members", "--verbose")
        states = cluster.done("--describe", "--group", name, "--state", "--verbose")
        hosts = cluster.done("--describe", "--group", name, "--members", "--by-host")
        by_topic = cluster.done("--describe", "--topic", f"{topic}:1")

    assert "" == offsets.stderr
    assert [(topic, "0", "-", "5", "-"), (topic, "1", "-", "5", "-")] == [
        tuple(row[1:6]) for row in fields(offsets.stdout)[2:]
    ]
    assert ["/127.0.0.1", "reader"] == fields(offsets.stdout)[2][7:]
    (member,) = fields(verbose)[2:]
    assert ["one", "/127.0.0.1", "reader", "2", f"{topic}(0,1)"] == member[2:]
    (state,) = fields(states)[2:]
    assert [name, cluster.bootstrap, "(1)", "range", "Stable", "1"] == state
    assert [name, "/127.0.0.1", "1", "2"] == fields(hosts)[1]
    assert [[name, topic, "1"]] == [row[:3] for row in fields(by_topic)[2:]]


def test_the_time_of_the_first_unread_record_is_exact(cluster: Cluster, topic: str) -> None:
    name = f"timed-{topic}"
    commit(cluster.bootstrap, name, topic, 0, 2)
    commit(cluster.bootstrap, name, topic, 1, 5)
    before_ms = time.time_ns() // 1_000_000

    found = group_in(cluster.done("--describe", "--group", name, "--output", "json"))
    rows = list(
        csv.DictReader(cluster.done("--describe", "--group", name, "--output", "csv").splitlines())
    )

    behind, read = found["partitions"]
    assert FIRST_MS + 2000 == behind["unread_since_ms"]
    assert behind["lag_ms"] == found["lag_ms"] >= before_ms - FIRST_MS - 2000
    assert (3, "reading", False) == (
        behind["lag"],
        behind["condition"],
        behind["lag_ms_is_lower_bound"],
    )
    assert (0, 0, None) == (read["lag"], read["lag_ms"], read["unread_since_ms"])
    assert [("0", "3"), ("1", "0")] == [(row["partition"], row["lag"]) for row in rows]


def test_commits_that_do_not_fit_the_log_are_named(
    cluster: Cluster, topic: str, tmp_path: Path
) -> None:
    name, gone = f"odd-{topic}", cluster.new_topic(tmp_path)
    commit(cluster.bootstrap, name, topic, 0, 1)
    commit(cluster.bootstrap, name, topic, 1, 7)
    commit(cluster.bootstrap, name, gone, 0, 1)
    cut = ("delete-records", "--topic", topic, "--partitions", "0", "--before-offset", "3")
    done(*cut, "--yes", *cluster.wire)
    done("topics", "--delete", "--topic", gone, "--yes", "--wait", *cluster.wire)

    outcome = cluster.run("--describe", "--group", name)
    found = group_in(cluster.done("--describe", "--group", name, "--output", "json"))

    before, beyond = found["partitions"][:2]
    # The broker drops the offsets of a topic that is deleted, when it comes to it.
    assert all(each["condition"] == "no_partition" for each in found["partitions"][2:])
    assert ("before_start", 2, True, FIRST_MS + 3000) == (
        before["condition"],
        before["lag"],
        before["lag_ms_is_lower_bound"],
        before["unread_since_ms"],
    )
    assert ("beyond_end", 0) == (beyond["condition"], beyond["lag"])
    assert [topic, "1", "7", "5", "-2"] == fields(outcome.stdout)[3][1:6]
    warning = f"{name}: {topic}-1: offset 7: beyond the end of the log"
    assert f"warning: {warning}\n" in outcome.stderr


def test_many_groups_come_sorted_and_cut(cluster: Cluster, topic: str) -> None:
    for number in (1, 2, 3):
        commit(cluster.bootstrap, f"sorted-{topic}-{number}", topic, 0, number)

    outcome = cluster.run(
        *("--describe", "--group", f"sorted-{topic}-*"), "--sort-by", "lag", "--limit", "2"
    )

    rows = [row for row in fields(outcome.stdout) if row and row[0] != "GROUP"]
    assert [f"sorted-{topic}-1", f"sorted-{topic}-2"] == [row[0] for row in rows]
    assert "1 partition not shown\n" in outcome.stderr


@pytest.mark.parametrize(
    "words",
    ["--describe", "--describe --members", "--verdict", "--list"],
    ids=["offsets", "members", "verdict", "list"],
)
def test_a_topic_that_does_not_exist_is_an_error(cluster: Cluster, words: str) -> None:
    everyone = () if words == "--list" else ("--all-groups",)
    missing = cluster.run(*words.split(), *everyone, "--topic", "nope")

    assert ExitCode.FAILED == missing.exit_code
    assert "there is no topic 'nope'" in missing.stderr


def test_groups_that_are_left_out_are_warned_of_by_reason() -> None:
    silent = {f"g{number}": "broker 1: no answer" for number in range(15_000)}

    assert [
        "left out: group 'a': denied",
        "left out: 15,000 groups (g0, g1, g10, g100, g1000, …): broker 1: no answer",
    ] == [*unanswered_texts({"a": "denied", **silent})]


@pytest.mark.parametrize("is_of_topic", [False, True], ids=["of all topics", "of a topic"])
@pytest.mark.parametrize("look", [("--describe",), ("--verdict", "--window", "0")], ids=" ".join)
def test_a_group_that_does_not_exist_is_an_error(
    cluster: Cluster, topic: str, look: tuple[str, ...], *, is_of_topic: bool
) -> None:
    commit(cluster.bootstrap, f"there-{topic}", topic, 0, 1)
    of_topic = ("--topic", topic) if is_of_topic else ()

    missing = cluster.run(*look, "--group", f"ther-{topic}", *of_topic)

    assert (ExitCode.FAILED, "") == (missing.exit_code, missing.stdout.strip())
    assert f"kadmin: consumer group 'ther-{topic}' does not exist\n" in missing.stderr
    assert f"did you mean 'there-{topic}'?" in missing.stderr


@pytest.mark.parametrize("section", ["--offsets", "--state"])
def test_beside_a_group_that_does_not_exist_the_others_are_described(
    cluster: Cluster, topic: str, section: str
) -> None:
    there = ("--describe", section, "--group", f"beside-{topic}")
    commit(cluster.bootstrap, there[-1], topic, 0, 1)

    both = cluster.run(*there, "--group", "nowhere")

    assert (ExitCode.FAILED, cluster.done(*there)) == (both.exit_code, both.stdout)
    assert "kadmin: consumer group 'nowhere' does not exist\n" in both.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--describe",), "--describe needs --group, --all-groups or --topic"),
        (("--describe", "--group", "g", "--all-groups"), "both say which groups"),
        (("--describe", "--group", "g", "--members", "--offsets"), "give only one of --offsets"),
        (("--describe", "--group", "g", "--state=Stable"), "--state takes states only with --list"),
        (("--describe", "--group", "g", "--members", "--limit", "1"), "--limit is about offsets"),
        (("--describe", "--topic", "t", "--state"), "give it without --state"),
        (("--list", "--state=nix"), "invalid state list 'nix'"),
        (("--list", "--type", "nix"), "invalid types list 'nix'"),
        (("--list", "--topic", "t:x"), "invalid partition 'x' specified in topic arg 't:x'"),
        (("--list", "--describe"), "give exactly one of --list, --describe, --verdict, --reset"),
    ],
)
def test_wrong_usage_is_refused_before_any_broker_is_asked(
    arguments: tuple[str, ...], reason: str
) -> None:
    outcome = kadmin("groups", *arguments, "--bootstrap-server", "127.0.0.1:1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr
