"""`kadmin throttle` by ZooKeeper: whose throttle is which, and what is left when they go."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from kazoo.security import make_digest_acl

from kadmin.admin.zookeeper.throttle_journal import JOURNAL_PATH
from kadmin.admin.zookeeper.transaction import RUNS_PATH
from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.kadmin.cli.reassign.steps import (
    CLUSTER,
    RATES,
    config_in,
    controlled,
    execute,
    set_config,
    settled,
    targets_file,
)
from tests.support.cli import KadminRun, kadmin
from tests.support.znodes import all_znodes, write_snapshot
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

LISTS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


@pytest.fixture
def small(chroot: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Three brokers and two topics, named by the environment, in a directory of one's own."""
    write_snapshot(chroot, CLUSTER)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    monkeypatch.chdir(tmp_path)
    return chroot


@pytest.fixture
def left_behind(small: str) -> str:
    """A reassignment of t-0 that is over, its throttles over an operator's and beside one."""
    set_config(small, "/config/brokers/1", **{RATES[0]: "77", "num.io.threads": "3"})
    set_config(small, "/config/topics/u", **{LISTS[0]: "*"})
    started = execute(targets_file(t_0="2,1"), "--throttle", "1000")
    assert ExitCode.DONE == started.exit_code, started
    with controlled(small):
        settled(small)
    return small


def throttles(action: str = "list", *arguments: str) -> dict[tuple[str, str], Any]:
    ran = kadmin("throttle", action, *arguments, "--output", "json")
    assert ran.exit_code in (ExitCode.DONE, ExitCode.FOUND), ran
    return {(each["path"], each["config"]): each for each in json.loads(ran.stdout)["throttles"]}


def release(*arguments: str) -> KadminRun:
    return kadmin("throttle", "release", *arguments)


def pasted(line: str, *more: str) -> KadminRun:
    program, *words = shlex.split(line)
    assert "kadmin" == program
    return kadmin(*words, *more)


def test_a_cluster_without_throttles_is_well(small: str) -> None:
    listed, judged, released = (kadmin("throttle", each) for each in ("list", "doctor", "release"))

    assert [ExitCode.DONE] * 3 == [each.exit_code for each in (listed, judged, released)]
    assert ("", "no throttle is set\n") == (listed.stdout, listed.stderr)
    assert "nothing to release\n" == released.stderr
    assert [] == list(Path().iterdir())


def test_a_list_names_the_run_and_shortens_long_values(left_behind: str) -> None:
    replicas = ",".join(f"{number}:1" for number in range(50))
    set_config(left_behind, "/config/topics/u", **{LISTS[0]: replicas})

    listed = kadmin("throttle", "list").stdout

    assert " 0:1,1:1,2:1,… (50)  operator" in listed
    assert listed.splitlines()[-1].startswith("reassignments: run ")


def test_what_cannot_be_read_is_named_by_each_command(small: str) -> None:
    with client_of(small) as client:
        client.create("/config/brokers/1", b"{", makepath=True)

    for name in ("list", "doctor", "release"):
        ran = kadmin("throttle", name)

        assert ExitCode.DONE == ran.exit_code, ran
        assert "warning: left out: " in ran.stderr, ran
        assert "/config/brokers/1" in ran.stderr


def test_brokers_whose_configs_are_hidden_hide_no_topic(small: str) -> None:
    set_config(small, "/config/topics/u", **{LISTS[0]: "*"})
    with client_of(small) as client:
        client.ensure_path("/config/brokers")
        client.set_acls("/config/brokers", [make_digest_acl("kafka", "secret", all=True)])

    for name in ("list", "doctor", "release"):
        ran = kadmin("throttle", name)

        assert ExitCode.DONE == ran.exit_code, ran
        assert "no permission for /config/brokers" in ran.stderr
    assert [("/config/topics/u", LISTS[0])] == list(throttles())


def test_runs_that_may_not_be_read_hide_no_throttle_and_keep_what_is_theirs(small: str) -> None:
    set_config(small, "/config/topics/u", **{LISTS[0]: "*"})
    with client_of(small) as client:
        client.ensure_path(RUNS_PATH)
        client.set_acls(RUNS_PATH, [make_digest_acl("kafka", "secret", all=True)])

    listed, released = kadmin("throttle", "list"), release("--yes")

    assert ExitCode.DONE == listed.exit_code, listed
    assert "warning: left out: supervised runs" in listed.stderr
    assert "*" in listed.stdout
    assert ExitCode.FAILED == released.exit_code
    assert f"no permission for {RUNS_PATH}" in released.stderr


def test_while_it_moves_the_throttles_of_a_reassignment_are_needed(small: str) -> None:
    execute(targets_file(t_0="2,1"), "--throttle", "1000")
    before = all_znodes(small)

    judged = kadmin("throttle", "doctor")
    unasked, named = release("--yes"), release("--broker", "1", "--yes")

    assert ExitCode.DONE == judged.exit_code, judged
    (line,) = judged.stdout.splitlines()
    assert line.startswith(
        "healthy: 8 throttles set by a reassignment that is under way: 1 partition: t-0 is being"
        " moved; slows down nothing now; at broker 0, broker 1, broker 2, topic t; run "
    )
    assert ExitCode.DONE == unasked.exit_code, unasked
    assert "throttles of reassignments stay for now: 1 partition: t-0 is being moved" in (
        unasked.stderr
    )
    assert ExitCode.REFUSED == named.exit_code
    assert "a reassignment needs the throttles of brokers '1': 1 partition: t-0" in named.stderr
    assert before == all_znodes(small)


def test_what_is_left_behind_is_found_as_check_finds_it(left_behind: str) -> None:
    found = throttles("doctor")
    findings = json.loads(kadmin("check", "--no-brokers", "--output", "json").stdout)["findings"]
    told = {each["text"]: each["command"] for each in findings if each["kind"] == "throttle"}
    text = kadmin("throttle", "doctor")

    assert {
        ("/config/brokers/0", RATES[0]): ("orphan", None),
        ("/config/brokers/0", RATES[1]): ("orphan", None),
        ("/config/brokers/1", RATES[0]): ("orphan", "77"),
        ("/config/brokers/1", RATES[1]): ("orphan", None),
        ("/config/brokers/2", RATES[0]): ("orphan", None),
        ("/config/brokers/2", RATES[1]): ("orphan", None),
        ("/config/topics/t", LISTS[0]): ("orphan", None),
        ("/config/topics/t", LISTS[1]): ("orphan", None),
        ("/config/topics/u", LISTS[0]): ("operator", None),
    } == {key: (each["set_by"], each["before"]) for key, each in found.items()}
    assert {
        "1 topic and brokers 0, 1 and 2 have throttles of a reassignment that is over",
        "1 topic has throttled replicas, and nothing of it is moved",
    } == told.keys()
    assert {"kadmin throttle doctor"} == set(told.values())
    assert ExitCode.FOUND == text.exit_code
    (remedy,) = (line for line in text.stdout.splitlines() if "to remove" in line)
    assert "to remove all 8 that are left of reassignments: kadmin throttle release" == remedy
    assert text.stdout.splitlines()[-1] == (
        "healthy: 1 throttle set by no reassignment that is known here; slows down nothing now; at"
        " topic u"
    )
    assert "kadmin: 8 throttles are orphans\nhint: kadmin throttle release --dry-run" in text.stderr


def test_orphans_go_and_can_be_set_again(left_behind: str) -> None:
    before = all_znodes(left_behind)
    dry = release("--dry-run")
    assert before == all_znodes(left_behind)

    released = release("--rollback-file", "back.sh")
    after = {each: config_in(left_behind, f"/config/{each}") for each in ("brokers/1", "topics/u")}
    with client_of(left_behind) as client:
        has_lease = client.exists(JOURNAL_PATH)
    again = release("--yes", "--rollback-file", "never.sh")
    shebang, *commands = Path("back.sh").read_text().splitlines()
    taken_back = [pasted(command) for command in commands if command.startswith("kadmin ")]

    assert f"  - {RATES[1]}=1000\n  ~ {RATES[0]}: 1000 -> 77\n" in dry.stdout
    assert ExitCode.DONE == released.exit_code, released
    assert "Released throttles of brokers '1'.\n" in released.stdout
    assert "rollback file: back.sh\n" in released.stderr
    assert "to set them again: sh back.sh\n" in released.stderr
    assert {RATES[0]: "77", "num.io.threads": "3"} == after["brokers/1"]
    assert {LISTS[0]: "*"} == after["topics/u"]
    assert not has_lease
    assert (ExitCode.DONE, "nothing to release\n") == (again.exit_code, again.stderr)
    assert not Path("never.sh").exists()
    assert ("#!/bin/sh", "set -e") == (shebang, commands[0])
    assert [ExitCode.DONE] * 4 == [each.exit_code for each in taken_back], taken_back
    assert {RATES[0]: "1000", RATES[1]: "1000", "num.io.threads": "3"} == config_in(
        left_behind, "/config/brokers/1"
    )
    assert {LISTS[0]: "0:0,0:1", LISTS[1]: "0:2"} == config_in(left_behind, "/config/topics/t")


def test_an_operator_s_own_goes_only_where_it_is_named_and_confirmed(left_behind: str) -> None:
    unconfirmed = release("--topic", "u")
    kept = config_in(left_behind, "/config/topics/u")
    confirmed = release("--topic", "u", "--yes")

    assert ExitCode.REFUSED == unconfirmed.exit_code, unconfirmed
    assert f"  - {LISTS[0]}=* (set by no reassignment)\n" in unconfirmed.stderr
    assert {LISTS[0]: "*"} == kept
    assert ExitCode.DONE == confirmed.exit_code, confirmed
    assert {} == config_in(left_behind, "/config/topics/u")
    assert "1000" == config_in(left_behind, "/config/brokers/0")[RATES[0]]


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("--topic", "nope"), ExitCode.FAILED, "there is no topic 'nope'"),
        (("--broker", "9"), ExitCode.FAILED, "9"),
        (("--broker", "one"), ExitCode.USAGE, "'one' is no id of a broker"),
        (
            ("--rollback-file", "plan.json", "--yes"),
            ExitCode.REFUSED,
            "cannot write the rollback file plan.json: it is there already",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(
    left_behind: str, arguments: tuple[str, ...], code: ExitCode, text: str
) -> None:
    before = all_znodes(left_behind)

    refused = release(*arguments)

    assert code == refused.exit_code, refused
    assert text in refused.stderr
    assert before == all_znodes(left_behind)


@pytest.mark.parametrize("name", ["-x", "--zookeeper", "--yes", "._-"])
def test_an_operator_s_throttle_that_slows_a_replica_down_is_found(
    chroot: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """The command that removes it names the topic as it is called."""
    monkeypatch.chdir(tmp_path)
    listed = topic(name, "0,1", {0: state(0, "0")}, configs={LISTS[1]: "0:1"})
    write_snapshot(chroot, cluster(brokers("0 1"), listed))
    set_config(chroot, "/config/brokers/1", **{RATES[1]: "9"})

    judged = kadmin("throttle", "doctor", "--zookeeper", chroot)
    rows = throttles("doctor", "--zookeeper", chroot)
    command = rows["/config/brokers/1", RATES[1]]["command"]
    of_topic = next(each["command"] for key, each in rows.items() if key[1] == LISTS[1])
    removed = [pasted(line, "--yes").exit_code for line in (command, of_topic)]

    assert ExitCode.FOUND == judged.exit_code
    assert f"  slows down 1 replica now: {name}-0-1\n" in judged.stdout
    assert "2 throttles that no reassignment has set slow replicas down" in judged.stderr
    assert [0, 0] == removed
    assert {} == throttles("list", "--zookeeper", chroot)
