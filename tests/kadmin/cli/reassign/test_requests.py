"""The request of a reassignment in ZooKeeper: one at a time, refused, lost, interrupted."""

import csv
import io
import json
from pathlib import Path

import pytest
import yaml

from cluster.zk import paths
from cluster.zk.topics import encode_assignment
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.zookeeper.throttle_journal import JOURNAL_PATH
from kadmin.admin.zookeeper.zookeeper_reassignments import ZooKeeperReassignments
from kadmin.errors import ExitCode
from kadmin.execute import reassign as reassign_module
from kadmin.plan.reassignment import waves
from kadmin.plan.reassignment.moves import MovePlan
from tests.kadmin.builders import topic
from tests.kadmin.cli.reassign.steps import (
    RATES,
    REQUEST_PATH,
    config_in,
    controlled,
    execute,
    request_in,
    set_config,
    settled,
    targets_file,
    verify,
)
from tests.support.cli import done
from tests.support.interrupted_writes import interrupt_at_write
from tests.support.lossy_proxy import Loss, LossyProxy
from tests.support.proxy import serving
from tests.support.waiting import wait_until
from tests.support.znodes import all_znodes
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk


def test_there_is_room_for_one_request(small: str) -> None:
    execute(targets_file(t_0="2,1"))
    before = all_znodes(small)

    refused = execute(targets_file(t_1="1,2"))
    outcome = execute(targets_file(t_1="1,2"), "--additional", "--throttle", "5")

    assert ExitCode.REFUSED == refused.exit_code
    assert "or add --additional and --bootstrap-server HOST:PORT, from Kafka 2.4" in refused.stderr
    assert ExitCode.IN_PROGRESS == outcome.exit_code
    assert f"{REQUEST_PATH} still asks for 1 partition, and has room" in outcome.stderr
    assert "or with --bootstrap-server HOST:PORT, from Kafka 2.4 on\n" in outcome.stderr
    assert before == all_znodes(small)


def test_each_refusal_names_all_that_is_wrong_and_writes_nothing(small: str) -> None:
    before = all_znodes(small)

    outcome = execute(targets_file(t_0="7,1", t_1="8,9", t_9="0", v_0="1"))
    twice = execute(targets_file(t_0="1,1", t_1="2,2"))

    assert (ExitCode.FAILED, "") == (outcome.exit_code, outcome.stdout)
    assert "non-existent partitions: t-9, v-0" in outcome.stderr
    assert "non-existent brokerIDs: 7 (of t-0), 8 (of t-1), 9 (of t-1)" in outcome.stderr
    assert ExitCode.USAGE == twice.exit_code
    assert "t-0 contains multiple entries for 1. t-1 contains multiple entries for 2" in (
        twice.stderr
    )
    assert before == all_znodes(small)


def test_other_replicas_than_asked_for_are_a_mismatch(small: str) -> None:
    outcome = verify(targets_file(t_0="0,1", t_1="0,1", v_0="1"))

    assert ExitCode.FOUND == outcome.exit_code
    assert (
        "There is no active reassignment of partition t-1, but replica set is 1,0 rather than"
        " 0,1.\n"
        "There is no partition v-0.\n" in outcome.stdout
    )
    assert (
        "other replicas than asked for: 1 partition: t-1; not there: 1 partition: v-0\n"
        "hint: 'kadmin topics --describe' shows what partitions there are; take those out that are"
        " not, then ask for the rest:"
        " kadmin reassign --execute --reassignment-json-file plan.json\n" in outcome.stderr
    )


@pytest.mark.parametrize(
    ("targets", "reason"),
    [
        (
            {"t_1": "0,1"},
            "other replicas than asked for: 1 partition: t-1\n"
            "hint: ask for them: kadmin reassign --execute --reassignment-json-file plan.json\n",
        ),
        (
            {"t_0": "0,1", "t_9": "0,1", "v_0": "1"},
            "not there: 2 partitions: t-9, v-0\n"
            "hint: 'kadmin topics --describe' shows what partitions there are; take those out that"
            " are not\n",
        ),
    ],
)
def test_what_helps_is_told_of_what_is_not_as_asked_for(
    small: str, targets: dict[str, str], reason: str
) -> None:
    outcome = verify(targets_file(**targets))

    assert (ExitCode.FOUND, f"kadmin: {reason}") == (outcome.exit_code, outcome.stderr)


def test_all_that_moves_is_listed(small: str) -> None:
    assert "No partition reassignments found.\n" == done("reassign", "--list")
    with client_of(small) as client:
        moving = topic("t", "2,1,0 1,0 0,2", adding="2", removing="0").assignment
        client.set(paths.topic("t"), encode_assignment(moving))
        client.create(
            REQUEST_PATH, b'{"version":1,"partitions":[{"topic":"u","partition":0,"replicas":[0]}]}'
        )

    text = done("reassign", "--list")
    body = json.loads(done("reassign", "--list", "--output", "json"))
    (first, second) = csv.DictReader(io.StringIO(done("reassign", "--list", "--output", "csv")))

    assert (
        "Current partition reassignments:\n"
        "t-0: replicas: 2,1,0. adding: 2. removing: 0.\n"
        "u-0: replicas: 1. adding: 0. removing: 1.\n" == text
    )
    assert "kadmin.reassign.list/1" == body["schema"]
    assert ["2,1", "0"] == [first["target"], second["target"]]
    assert body == yaml.safe_load(done("reassign", "--list", "--output", "yaml"))


def test_scripts_have_one_document(small: str) -> None:
    plan = targets_file(t_0="2,1", t_1="1,0")

    body = json.loads(execute(plan, "--output", "json", "--throttle", "7").stdout)

    assert ("kadmin.reassign.execute/1", False, 7) == (
        body["schema"], body["dry_run"], body["throttle"],
    )  # fmt: skip
    assert Path(body["rollback_file"]).exists()
    assert ["started", "done"] == [each["outcome"] for each in body["partitions"]]


def test_what_does_not_fit_into_one_znode_goes_in_parts(
    small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = len('{"topic":"t","partition":0,"replicas":[2,1]},')
    monkeypatch.setattr(
        waves.in_waves, "__defaults__", (2 * entry + 1 + waves.TOPIC_OVERHEAD_BYTES,)
    )
    plan = targets_file(t_0="2,1", t_1="2,1", t_2="2,1")

    with controlled(small) as controller:
        outcome = execute(plan)
        settled(small)

    assert ExitCode.DONE == outcome.exit_code, outcome
    assert [2, 1] == [len(json.loads(each)["partitions"]) for each in controller.requests]
    assert outcome.stdout.endswith("reassignments for t-0,t-1,t-2\n")
    assert ExitCode.DONE == verify(plan).exit_code
    assert 1 == len(list(Path().glob("reassign-rollback-*.json")))


def test_a_topic_that_changed_is_not_asked_for(small: str, monkeypatch) -> None:
    def write_then_change(path: str, text: str) -> None:
        with client_of(small) as client:
            changed = topic("t", "0,1 1,2 0,2").assignment
            client.set(paths.topic("t"), encode_assignment(changed))

    monkeypatch.setattr(reassign_module, "write_rollback_file", write_then_change)
    outcome = execute(targets_file(t_0="2,1", t_1="1,0,2"))

    assert ExitCode.REFUSED == outcome.exit_code
    assert "changed since the plan was made, and not asked for: t-1\n" in outcome.stderr
    assert request_in(small) is None


def test_a_topic_that_got_more_partitions_is_moved_nevertheless(small: str, monkeypatch) -> None:
    def write_then_change(path: str, text: str) -> None:
        with client_of(small) as client:
            changed = topic("t", "0,1 1,0 0,2 2,0").assignment
            client.set(paths.topic("t"), encode_assignment(changed))

    monkeypatch.setattr(reassign_module, "write_rollback_file", write_then_change)
    outcome = execute(targets_file(t_0="2,1"))

    assert ExitCode.DONE == outcome.exit_code, outcome
    assert request_in(small) is not None


def test_a_lost_reply_asks_for_nothing_twice(small: str) -> None:
    target, _, root = small.partition("/")
    with serving(LossyProxy(target)) as proxy, controlled(small) as controller:

        def until_done() -> None:
            wait_until(lambda: len(controller.requests) > 0, what="the moves")

        proxy.lose(Loss.REPLY, meanwhile=until_done)
        outcome = execute(targets_file(t_0="2,1"), "--zookeeper", f"{proxy.address}/{root}")

    assert [Loss.REPLY] == proxy.lost
    assert outcome.stdout.endswith("Successfully started partition reassignment for t-0\n")
    assert 1 == len(controller.requests)


@pytest.mark.parametrize("is_made", [False, True])
@pytest.mark.parametrize("survived", range(7))
def test_whoever_is_killed_at_any_write_runs_the_command_again(
    small: str, monkeypatch: pytest.MonkeyPatch, survived: int, is_made: bool
) -> None:
    """Of journal, configs of one topic and three brokers, the journal again, and the request."""
    set_config(small, "/config/brokers/1", **{RATES[0]: "77"})
    plan = targets_file(t_0="2,1")
    with monkeypatch.context() as patch:
        interrupt_at_write(patch, survived, is_made=is_made)
        killed = execute(plan, "--throttle", "1000")
    was_asked = request_in(small) is not None

    again = execute(plan, "--throttle", "1000")
    with controlled(small):
        settled(small)
    with monkeypatch.context() as patch:
        interrupt_at_write(patch, survived, is_made=is_made)
        verify_killed = verify(plan)
    verified = verify(plan)

    assert ExitCode.INTERRUPTED == killed.exit_code
    assert (survived, is_made) == (6, True) if was_asked else True
    assert (ExitCode.REFUSED if was_asked else ExitCode.DONE) == again.exit_code, again
    assert verify_killed.exit_code in (ExitCode.INTERRUPTED, ExitCode.DONE)
    assert ExitCode.DONE == verified.exit_code, verified
    assert {RATES[0]: "77"} == config_in(small, "/config/brokers/1")
    assert {} == config_in(small, "/config/brokers/0") == config_in(small, "/config/topics/t")
    with client_of(small) as client:
        assert not client.exists(JOURNAL_PATH)


def test_who_verifies_before_the_moves_begin_takes_no_throttle_away_for_good(
    small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing moves yet, so he puts all back; then it moves, and must not do so unthrottled."""
    set_config(small, "/config/brokers/1", **{RATES[0]: "77"})
    plan = targets_file(t_0="2,1")
    write = ZooKeeperReassignments.write
    seen = []

    def verify_and_write(admin: ZooKeeperReassignments, fence: Fence, moves: MovePlan) -> Outcome:
        verify(plan)
        seen.append(config_in(small, "/config/brokers/1"))
        return write(admin, fence, moves)

    with monkeypatch.context() as patch:
        patch.setattr(ZooKeeperReassignments, "write", verify_and_write)
        begun = execute(plan, "--throttle", "1000")
    during = config_in(small, "/config/brokers/1")
    with controlled(small):
        settled(small)
    verified = verify(plan)

    assert [ExitCode.DONE] * 2 == [begun.exit_code, verified.exit_code]
    assert [{RATES[0]: "77"}] == seen
    assert dict.fromkeys(RATES, "1000") == during
    assert {RATES[0]: "77"} == config_in(small, "/config/brokers/1")
