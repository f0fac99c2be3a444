"""Reassignments without a file, waited for, and what is refused before one begins."""

import json
import re
import signal
from pathlib import Path

import pytest

from cluster.zk import paths
from kadmin.admin.zookeeper.throttle_journal import JOURNAL_PATH
from kadmin.errors import ExitCode
from tests.kadmin.cli.reassign.steps import (
    RATES,
    REQUEST_PATH,
    config_in,
    controlled,
    execute,
    request_in,
    set_config,
    targets_file,
    verify,
)
from tests.support.asking import AskingKadmin
from tests.support.cli import done, kadmin
from tests.support.znodes import all_znodes
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk


def test_one_topic_is_moved_without_a_file(small: str) -> None:
    named = ("--topic", "t", "--partitions", "1", "--replicas", "2,1,0")
    with controlled(small) as controller:
        done("reassign", "--execute", *named, "--wait")
        done("reassign", "--execute", "--topic", "t", "--replicas", "2,0", "--wait")

    assert [
        b'{"version":1,"partitions":[{"topic":"t","partition":1,"replicas":[2,1,0]}]}',
        b'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[2,0]},'
        b'{"topic":"t","partition":1,"replicas":[2,0]},'
        b'{"topic":"t","partition":2,"replicas":[2,0]}]}',
    ] == controller.requests
    assert ExitCode.FOUND == kadmin("reassign", "--verify", *named).exit_code


def test_a_broker_is_emptied_and_found_empty(small: str) -> None:
    before = kadmin("reassign", "--verify", "--from-broker", "0")
    with controlled(small) as controller:
        moved = kadmin(
            "reassign", "--execute", "--from-broker", "0", "--to-brokers", "1,2", "--wait"
        )
    after = kadmin("reassign", "--verify", "--from-broker", "0")
    again = kadmin("reassign", "--execute", "--from-broker", "0", "--to-brokers", "1,2")

    assert ExitCode.FOUND == before.exit_code
    assert "other replicas than asked for: 3 partitions: t-0, t-1, t-2" in before.stderr
    assert ExitCode.DONE == moved.exit_code, moved
    assert [
        b'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[2,1]},'
        b'{"topic":"t","partition":1,"replicas":[1,2]},'
        b'{"topic":"t","partition":2,"replicas":[1,2]}]}'
    ] == controller.requests
    assert (ExitCode.DONE, "Status of partition reassignment:\n") == (
        after.exit_code, after.stdout,
    )  # fmt: skip
    assert "broker 0 has no replica\n" in after.stderr
    assert (ExitCode.DONE, "") == (again.exit_code, again.stdout)
    assert "nothing to do: all partitions have their replicas" in again.stderr


def test_who_waits_gets_one_document_of_the_end(small: str) -> None:
    plan = targets_file(t_0="2,1")
    with controlled(small):
        outcome = execute(plan, "--wait", "--throttle", "9", "--output", "json")

    body = json.loads(outcome.stdout)
    assert ExitCode.DONE == outcome.exit_code
    assert "kadmin.reassign.verify/1" == body["schema"]
    assert ["done"] == [each["state"] for each in body["partitions"]]
    assert 4 == len(body["throttles"]["cleared"])


def test_who_no_longer_waits_hears_what_goes_on_and_how_to_end_it(
    small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KADMIN_ZOOKEEPER")
    plan = targets_file(t_0="2,1")
    words = ("--reassignment-json-file", plan, "--zookeeper", small)
    # Nobody takes the request up.
    with AskingKadmin("reassign", "--execute", *words, "--throttle", "9", "--wait", "-y") as run:
        run.read_until_said("to undo it")
        run.process.send_signal(signal.SIGINT)
        code = run.exit_code()
    with AskingKadmin("reassign", "--verify", *words, "--wait") as waiting:
        waiting.read_until_said(" moving")
        waiting.process.send_signal(signal.SIGINT)
        code_of_waiting = waiting.exit_code()

    told = (
        "warning: the moves go on; their throttles stay until"
        f" --verify finds it done: kadmin --zookeeper {small} reassign --verify"
        " --reassignment-json-file plan.json\nkadmin: interrupted\n"
    )
    assert (ExitCode.INTERRUPTED, ExitCode.INTERRUPTED) == (code, code_of_waiting)
    assert run.said.endswith(told), run.said
    assert waiting.said.endswith(told), waiting.said
    assert dict.fromkeys(RATES, "9") == config_in(small, "/config/brokers/0")
    with controlled(small):
        assert ExitCode.DONE == verify(plan, "--zookeeper", small, "--wait").exit_code
    assert {} == config_in(small, "/config/brokers/0")


def test_who_waits_for_nothing_to_begin_keeps_the_throttles(small: str) -> None:
    plan = targets_file(t_0="2,1")
    with controlled(small):
        execute(plan, "--wait", "--throttle", "9", "--preserve-throttles")

    assert dict.fromkeys(RATES, "9") == config_in(small, "/config/brokers/0")


def test_an_empty_request_left_behind_is_in_nobody_s_way(small: str) -> None:
    with client_of(small) as client:
        client.create(REQUEST_PATH, b'{"version":1,"partitions":[]}')

    assert ExitCode.DONE == execute(targets_file(t_0="2,1")).exit_code
    assert (
        b'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[2,1]}]}'
        == request_in(small)
    )


@pytest.mark.parametrize("action", ["--execute", "--verify", "--list"])
def test_a_damaged_request_is_refused_and_named(small: str, action: str) -> None:
    with client_of(small) as client:
        client.create(REQUEST_PATH, b"{")
    before = all_znodes(small)
    file = () if action == "--list" else ("--reassignment-json-file", targets_file(t_0="2,1"))

    outcome = kadmin("reassign", action, *file)

    assert (ExitCode.REFUSED, "") == (outcome.exit_code, outcome.stdout)
    assert f"look at {REQUEST_PATH} with zookeeper-shell" in outcome.stderr
    assert before == all_znodes(small)


def test_a_list_names_the_topics_that_may_be_moving_and_cannot_be_read(small: str) -> None:
    with client_of(small) as client:
        client.create("/brokers/topics/hidden", b"{")

    outcome = kadmin("reassign", "--list")

    assert ExitCode.DONE == outcome.exit_code
    assert "warning: left out: /brokers/topics/hidden" in outcome.stderr


def test_a_damaged_journal_keeps_throttles_from_being_touched(small: str) -> None:
    set_config(small, "/config/brokers/1", **{RATES[0]: "77"})
    with client_of(small) as client:
        client.create(JOURNAL_PATH, b"{", makepath=True)
    plan = targets_file(t_0="2,1")

    throttled = execute(plan, "--throttle", "5")
    verified = verify(targets_file(t_0="0,1"))

    assert ExitCode.REFUSED == throttled.exit_code == verified.exit_code
    assert f"{JOURNAL_PATH}: it is not JSON" in throttled.stderr
    assert {RATES[0]: "77"} == config_in(small, "/config/brokers/1")
    assert request_in(small) is None


def test_directories_are_not_chosen_here(small: str) -> None:
    Path("plan.json").write_text(
        '{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[2,1],'
        '"log_dirs":["/d","any"]}]}'
    )
    before = all_znodes(small)

    outcome = execute("plan.json")
    verified = verify("plan.json")

    assert ExitCode.REFUSED == outcome.exit_code
    assert "log directories cannot be chosen through ZooKeeper: t-0" in outcome.stderr
    assert ExitCode.FOUND == verified.exit_code
    assert "ZooKeeper does not know log directories" in verified.stderr
    assert before == all_znodes(small)


def test_nothing_is_moved_where_kraft_owns_the_cluster(small: str) -> None:
    with client_of(small) as client:
        client.set(
            paths.CONTROLLER,
            b'{"version":2,"brokerid":3000,"timestamp":"1","kraftControllerEpoch":5}',
        )

    outcome = execute(targets_file(t_0="2,1"))

    assert (ExitCode.REFUSED, "") == (outcome.exit_code, outcome.stdout)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--execute --topic t", "--topic needs --replicas"),
        ("--execute --topic t --replicas 1,x", "--replicas contains what is no number: 'x'"),
        ("--execute --topic t --replicas 1 --partitions 0,0", "duplicate entries: 0"),
        ("--execute --topic t --replicas 1 --from-broker 2", "what is to be moved: give exactly"),
        ("--execute --topic t --replicas 1 --to-brokers 2", "goes with --from-broker alone"),
        ("--execute --from-broker 2", "--from-broker needs --to-brokers"),
        ("--execute --from-broker 2 --to-brokers 1,2", "is one of --to-brokers"),
        ("--verify --from-broker 2 --to-brokers 1", "--to-brokers does not go with --verify"),
        ("--execute --from-broker 2 --to-brokers 1 --replicas 1", "goes with --topic alone"),
        ("", "give exactly one of --generate, --execute, --verify, --cancel, --list"),
        ("--execute --verify", "give exactly one of"),
        ("--generate --broker-list 1", "needs both --topics-to-move-json-file and --broker-list"),
        ("--execute", "give exactly one of --reassignment-json-file, --topic, --from-broker"),
        ("--verify", "give exactly one of --reassignment-json-file, --topic, --from-broker"),
        ("--list --throttle 5", "--throttle does not go with --list"),
        ("--verify --additional", "--additional does not go with --verify"),
        ("--execute --throttle 0 --reassignment-json-file x", "0 is not in the range"),
        (
            f"--execute --throttle {2**63} --reassignment-json-file x",
            f"{2**63} is not in the range 1<=x<={2**63 - 1}",
        ),
        (
            f"--execute --replica-alter-log-dirs-throttle {2**63} --reassignment-json-file x",
            f"{2**63} is not in the range 1<=x<={2**63 - 1}",
        ),
        ("--generate --topics-to-move-json-file x --broker-list 1,1", "duplicate entries: 1"),
        ("--execute --reassignment-json-file /no/such", "cannot read /no/such"),
        ("--cancel --reassignment-json-file /no/such", "cannot read /no/such"),
    ],
)
def test_wrong_use_is_refused_before_anybody_is_asked(arguments: str, words: str) -> None:
    outcome = kadmin("reassign", *arguments.split(), "--zookeeper", "127.0.0.1:1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert words in re.sub(r"\s+", " ", outcome.stderr)
