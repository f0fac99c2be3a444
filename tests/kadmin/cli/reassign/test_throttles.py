"""Throttles of reassignments: set, changed, removed, and the operator's own put back."""

import json
import os
import shlex
from pathlib import Path

import pytest

from cluster.zk import paths
from kadmin.admin.zookeeper.throttle_journal import JOURNAL_PATH
from kadmin.errors import ExitCode
from tests.kadmin.cli.reassign.steps import (
    RATES,
    config_in,
    controlled,
    execute,
    request_in,
    set_config,
    settled,
    targets_file,
    verify,
)
from tests.support.cli import KadminRun, kadmin
from tests.support.znodes import all_znodes
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk
LISTS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


def test_throttles_come_and_go_and_an_operator_s_own_come_back(small: str) -> None:
    set_config(small, "/config/brokers/1", **{RATES[0]: "77", "num.io.threads": "3"})
    set_config(small, "/config/topics/u", **{LISTS[0]: "*"})
    plan = targets_file(t_0="2,1")

    started = execute(plan, "--throttle", "1000")
    own = {RATES[0]: "1000", "num.io.threads": "3", RATES[1]: "1000"}
    during = config_in(small, "/config/brokers/1")
    in_progress = verify(plan)
    with controlled(small):
        settled(small)
    over = verify(plan)

    assert ExitCode.DONE == started.exit_code, started
    assert started.stdout.endswith(
        "Warning: You must run --verify periodically, until the reassignment completes, to ensure"
        " the throttle is removed.\n"
        "The inter-broker throttle limit was set to 1000 B/s\n"
        "Successfully started partition reassignment for t-0\n"
    )
    assert own == during
    assert ExitCode.IN_PROGRESS == in_progress.exit_code
    assert "Reassignment of partition t-0 is still in progress.\n" in in_progress.stdout
    assert (
        "Status of partition reassignment:\nReassignment of partition t-0 is completed.\n"
        "Clearing broker-level throttles on brokers 0,1,2\n"
        "Clearing topic-level throttles on topic t\n" == over.stdout
    )
    assert f"broker 1 has {RATES[0]}=77 again, as before\n" in over.stderr
    assert "broker 1 is throttled" not in over.stderr
    assert {RATES[0]: "77", "num.io.threads": "3"} == config_in(small, "/config/brokers/1")
    assert {} == config_in(small, "/config/brokers/0") == config_in(small, "/config/topics/t")
    assert (
        "topic 'u' is throttled, and not by a reassignment that is known here; to remove that:"
        f" kadmin configs --alter --topic u --delete-config {LISTS[0]}\n"
        "warning: if a reassignment set that which was begun the other way (--zookeeper or"
        " --bootstrap-server), or by another user, its --verify, run so, removes it instead and"
        " puts back what an operator had set before\n" in over.stderr
    )
    with client_of(small) as client:
        assert not client.exists(JOURNAL_PATH)
        changes = [
            json.loads(client.get(f"{paths.CONFIG_CHANGES}/{name}")[0])["entity_path"]
            for name in sorted(client.get_children(paths.CONFIG_CHANGES))
        ]
    assert 2 * ["topics/t", "brokers/0", "brokers/1", "brokers/2"] == changes


def test_the_next_step_is_shown_as_a_line_to_paste(small: str, monkeypatch) -> None:
    """Each is taken as it is shown, and goes to the cluster that was named."""
    monkeypatch.delenv("KADMIN_ZOOKEEPER")
    where = ("--zookeeper", small)
    aimed = f"kadmin {' '.join(where)} reassign"
    plan = targets_file(t_0="2,1", t_1="1,2")
    Path("my plan.json").write_text(Path(plan).read_text())
    file = ("--reassignment-json-file", "my plan.json")

    def next_of(*arguments: str, label: str = "next: ") -> tuple[KadminRun, list[str]]:
        ran = kadmin("reassign", *where, *arguments)
        return ran, [
            line.removeprefix(label) for line in ran.stderr.splitlines() if line.startswith(label)
        ]

    def pasted(line: str, *more: str) -> KadminRun:
        program, *words = shlex.split(line)
        assert "kadmin" == program
        return kadmin(*words, *more)

    _, (execution,) = next_of("--execute", *file, "--throttle", "900", "--dry-run")
    begun = pasted(execution, "--rollback-file", "back.json")
    _, (verification,) = next_of("--execute", *file, "--additional", "--throttle", "1000")
    underway = pasted(verification)
    with controlled(small):
        waited = pasted(underway.stderr.splitlines()[-1].rpartition("to wait for it: ")[2])
    done_already, nothing = next_of("--execute", *file)
    back = next(
        line.removeprefix("to undo it when it is done: ")
        for line in begun.stderr.splitlines()
        if line.startswith("to undo it")
    )
    with controlled(small):
        taken_back = pasted(back, "--wait")
    missed = pasted(verification)

    assert f"{aimed} --execute --reassignment-json-file 'my plan.json' --throttle 900" == execution
    assert ExitCode.DONE == begun.exit_code, begun
    assert f"{aimed} --verify --reassignment-json-file 'my plan.json'" == verification
    assert (ExitCode.IN_PROGRESS, ExitCode.DONE) == (underway.exit_code, waited.exit_code), waited
    assert f"to cancel: {aimed} --cancel --reassignment-json-file back.json\n" in begun.stderr
    assert (ExitCode.DONE, []) == (done_already.exit_code, nothing)
    assert f"{aimed} --execute --reassignment-json-file back.json" == back
    assert ExitCode.DONE == taken_back.exit_code, taken_back
    assert ExitCode.FOUND == missed.exit_code
    assert f"hint: ask for them: {aimed} --execute --reassignment-json-file 'my plan.json'\n" in (
        missed.stderr
    )


def test_a_file_whose_name_is_no_text_is_named_as_bash_takes_it(small: str) -> None:
    path = os.fsdecode(b"bad\xff.json")
    Path(targets_file(t_0="2,1")).rename(path)

    outcome = execute(path, "--dry-run")

    assert ExitCode.DONE == outcome.exit_code, outcome
    assert "--execute --reassignment-json-file $'bad\\377.json'\n" in outcome.stderr


def test_the_command_that_removes_a_throttle_goes_to_the_cluster_that_was_named(
    small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_config(small, "/config/topics/u", **{LISTS[0]: "*"})
    monkeypatch.delenv("KADMIN_ZOOKEEPER")

    told = verify(targets_file(t_0="0,1"), "--zookeeper", small).stderr

    assert (
        f"to remove that: kadmin --zookeeper {small} configs --alter --topic u"
        f" --delete-config {LISTS[0]}\n" in told
    )


def test_what_is_throttled_is_named_as_kafka_s_tool_names_it(small: str) -> None:
    execute(targets_file(t_0="2,1"), "--throttle", "1000")

    assert {LISTS[0]: "0:0,0:1", LISTS[1]: "0:2"} == config_in(small, "/config/topics/t")


def test_throttles_may_be_kept(small: str) -> None:
    plan = targets_file(t_0="2,1")
    execute(plan, "--throttle", "1000")
    with controlled(small):
        settled(small)

    kept = verify(plan, "--preserve-throttles")
    rates = config_in(small, "/config/brokers/0")
    json_form = json.loads(verify(plan, "--output", "json").stdout)

    assert ExitCode.DONE == kept.exit_code
    assert dict.fromkeys(RATES, "1000") == rates
    assert 4 == len(json_form["throttles"]["cleared"])
    assert {} == config_in(small, "/config/brokers/0")


def test_the_throttle_of_a_running_one_is_changed_by_asking_again(small: str) -> None:
    plan = targets_file(t_0="2,1")
    execute(plan, "--throttle", "1000")
    request = request_in(small)

    refused = execute(plan, "--throttle", "9000")
    faster = execute(plan, "--throttle", "9000", "--additional")

    assert ExitCode.REFUSED == refused.exit_code
    assert "there is an existing partition assignment: 1 partition is" in refused.stderr
    assert ExitCode.DONE == faster.exit_code, faster
    assert "nothing to do: all partitions have their replicas, or are being moved" in (
        faster.stderr
    )
    assert "Successfully" not in faster.stdout
    assert request == request_in(small)
    assert dict.fromkeys(RATES, "9000") == config_in(small, "/config/brokers/2")
    assert 1 == len(list(Path().glob("reassign-rollback-*.json")))
    with controlled(small):
        settled(small)
    verify(plan)
    assert {} == config_in(small, "/config/brokers/2")


def test_a_throttle_is_neither_set_nor_claimed_where_nothing_moves(small: str) -> None:
    plan = targets_file(t_0="0,1", t_1="1,0")
    before = all_znodes(small)

    text = execute(plan, "--throttle", "1000", "--replica-alter-log-dirs-throttle", "9")
    body = json.loads(execute(plan, "--throttle", "1000", "--output", "json").stdout)

    assert ExitCode.DONE == text.exit_code, text
    assert text.stdout.endswith("option during rollback\n")
    assert (
        "warning: --throttle sets nothing: nothing is moving that could be slowed down\n"
        "warning: --replica-alter-log-dirs-throttle sets nothing: no replica is to change its log"
        " directory\n" in text.stderr
    )
    assert (None, None) == (body["throttle"], body["log_dirs_throttle"])
    assert before == all_znodes(small)
