"""Supervised runs through ZooKeeper, with a controller that moves at once, or none."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from cluster.zk import paths
from kadmin.admin.zookeeper.run_store import SUPERVISORS_PATH
from kadmin.admin.zookeeper.transaction import RUNS_PATH
from kadmin.cli.reassign.runs import following
from kadmin.errors import ExitCode
from tests.kadmin.cli.reassign.runs.plans import plan_file
from tests.kadmin.cli.reassign.steps import controlled, request_in, set_config
from tests.support.checkout import CHECKOUT
from tests.support.cli import done, kadmin, running_kadmin
from tests.support.expiry import expire_owner
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

MOVES = {"t-0": "0,1 -> 1,2", "t-1": "1,0 -> 2,0"}
WAYS = (["run"], ["--execute", "--reassignment-json-file"])
"""What carries a plan file out."""


def status(*arguments: str) -> dict[str, Any]:
    outcome = kadmin("reassign", "status", "--output", "json", *arguments)
    found: dict[str, Any] = json.loads(outcome.stdout)
    return {"exit_code": outcome.exit_code, **found}


def expire_supervisor(connect: str) -> None:
    """End the session of the supervisor at work."""
    with client_of(connect) as client:
        first = min(client.get_children(SUPERVISORS_PATH), key=lambda name: name[-10:])
        expire_owner(client, connect, f"{SUPERVISORS_PATH}/{first}")


def replicas_in(connect: str) -> list[list[int]]:
    with client_of(connect) as client:
        data, _ = client.get(paths.topic("t"))
    partitions = json.loads(data)["partitions"]
    return [partitions[number] for number in sorted(partitions)]


def events_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_run_ends_as_planned_and_each_event_is_a_line_of_json(small: str) -> None:
    with controlled(small):
        printed = done("reassign", "run", plan_file(MOVES), "--yes", "--throttle", "5MB")

    events = events_of(printed)
    assert ["throttle", "begun"] == [event["event"] for event in events[:2]]
    assert ("ended", "done") == (events[-1]["event"], events[-1]["state"])
    assert [[1, 2], [2, 0], [0, 2]] == replicas_in(small)
    found = status()
    assert (0, "done", 2, 2) == (
        found["exit_code"],
        found["state"],
        found["partitions_done"],
        found["partitions_total"],
    )
    with client_of(small) as client:
        assert not client.exists("/kadmin/reassignment")
        assert [] == client.get_children(SUPERVISORS_PATH)


def test_a_run_says_which_leaders_are_not_the_preferred_ones(small: str) -> None:
    with controlled(small):
        ended = kadmin("reassign", "run", plan_file({"t-0": "0,1 -> 1,0"}), "--yes")

    told = (
        "1 partition is not led by the preferred replica: 'kadmin elect --topic t --partition 0'"
        " changes that\n"
    )
    assert ended.exit_code == 0
    assert told in ended.stderr
    assert ["t-0"] == events_of(ended.stdout)[-1]["leader_not_preferred"]
    assert told in done("reassign", "status")
    assert ["t-0"] == status()["leader_not_preferred"]


def broken_pipe() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize(
    ("stdout", "code"),
    [
        (lambda: os.open("/dev/full", os.O_WRONLY), ExitCode.FAILED),
        (broken_pipe, ExitCode.DONE),
    ],
    ids=["full disk", "reader gone"],
)
def test_a_run_whose_events_cannot_be_written_goes_on(
    small: str, stdout: Callable[[], int], code: ExitCode
) -> None:
    path, file = plan_file(MOVES), stdout()
    with controlled(small):
        outcome = subprocess.run(
            [sys.executable, "-m", "kadmin", "reassign", "run", path, "--yes"],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.PIPE,
            cwd=CHECKOUT,
            check=False,
        )
    os.close(file)

    assert code == outcome.returncode, outcome.stderr
    assert "done" == status()["state"]
    assert [[1, 2], [2, 0], [0, 2]] == replicas_in(small)


def test_a_second_run_of_the_same_plan_has_nothing_to_do(small: str) -> None:
    path = plan_file(MOVES)
    with controlled(small):
        done("reassign", "run", path, "--yes")
        again = kadmin("reassign", "run", path, "--yes")

    assert (0, "") == (again.exit_code, again.stdout)
    assert "nothing to do: all partitions have their planned replicas\n" in again.stderr
    assert 1 == len(done("reassign", "list").splitlines())


def test_what_was_done_is_rolled_back_to_the_order_of_before(small: str) -> None:
    with controlled(small):
        done("reassign", "run", plan_file(MOVES), "--yes")
        done("reassign", "rollback", "--yes")

    assert [[0, 1], [1, 0], [0, 2]] == replicas_in(small)
    assert "rolled-back" == status()["state"]
    assert "nothing to do" in kadmin("reassign", "rollback", "--yes").stderr
    assert "was rolled back: plan again" in kadmin("reassign", "resume", "--yes").stderr


def test_a_run_that_is_done_says_what_was_changed_since(small: str) -> None:
    partition, move = next(iter(MOVES.items()))
    back = " -> ".join(move.split(" -> ")[::-1])
    with controlled(small):
        done("reassign", "run", plan_file(MOVES), "--yes")
        run = status()["run"]
        before = done("reassign", "status", run)
        done("reassign", "run", plan_file({partition: back}), "--yes")
        after = done("reassign", "status", run)

    assert "since it ended" not in before
    assert "1 partition was changed since it ended" in after


def test_a_dry_run_writes_nothing(small: str) -> None:
    outcome = kadmin("reassign", "run", plan_file(MOVES), "--dry-run")

    assert 0 == outcome.exit_code
    assert "  t-0: 0,1 -> 1,2\n" in outcome.stdout
    assert request_in(small) is None
    with client_of(small) as client:
        assert not client.exists(RUNS_PATH)


@pytest.mark.parametrize(
    ("plan", "code", "message"),
    [
        ({"t-7": "1,0 -> 1,2"}, ExitCode.FOUND, "t-7 is not there any more"),
        ({"t-0": "0,1 -> 0,9"}, ExitCode.REFUSED, "target-down: broker 9 is not alive: t-0"),
    ],
    ids=["gone", "target down"],
)
def test_what_is_not_as_planned_is_named_and_nothing_is_written(
    small: str, plan: dict[str, str], code: ExitCode, message: str
) -> None:
    outcome = kadmin("reassign", "run", plan_file(plan), "--yes")

    assert code == outcome.exit_code
    assert message in outcome.stderr
    assert request_in(small) is None
    with client_of(small) as client:
        assert not client.exists(RUNS_PATH)


@pytest.mark.parametrize("words", WAYS)
def test_a_plan_from_other_replicas_is_refused(small: str, words: list[str]) -> None:
    outcome = kadmin("reassign", *words, plan_file({"t-0": "1,2 -> 1,3"}), "--yes")

    assert ExitCode.FOUND == outcome.exit_code
    assert "t-0 has 0,1, planned from 1,2" in outcome.stderr
    assert request_in(small) is None


@pytest.mark.parametrize("words", WAYS)
def test_a_plan_of_another_cluster_is_refused(small: str, words: list[str]) -> None:
    outcome = kadmin("reassign", *words, plan_file(MOVES, cluster_id="elsewhere"), "--yes")

    assert ExitCode.REFUSED == outcome.exit_code
    assert "the plan is for the cluster elsewhere" in outcome.stderr


def test_a_gate_is_left_open_by_its_name(small: str) -> None:
    path = plan_file(MOVES, version=7)
    refused = kadmin("reassign", "run", path, "--yes")

    assert ExitCode.REFUSED == refused.exit_code
    assert "stale-plan: the topics of these were changed" in refused.stderr
    assert "leave the gate open with --override stale-plan\n" in refused.stderr
    with controlled(small):
        done("reassign", "run", path, "--yes", "--override", "stale-plan")
    assert "done" == status()["state"]


def test_without_a_terminal_nothing_is_written_unless_it_is_confirmed(small: str) -> None:
    outcome = kadmin("reassign", "run", plan_file(MOVES))

    assert ExitCode.REFUSED == outcome.exit_code
    assert "add --yes to go ahead" in outcome.stderr
    with client_of(small) as client:
        assert not client.exists(RUNS_PATH)


@pytest.mark.parametrize("command", ["resume", "cancel", "rollback", "status"])
def test_without_a_run_there_is_an_error_that_names_the_place(small: str, command: str) -> None:
    yes = [] if command == "status" else ["--yes"]

    outcome = kadmin("reassign", command, *yes)
    named = kadmin("reassign", command, "20261128-000000-abcd", *yes)

    assert ExitCode.FAILED == outcome.exit_code == named.exit_code
    assert "there is no run of this cluster in /kadmin/moves in ZooKeeper" in outcome.stderr
    assert "there is no run 20261128-000000-abcd of this cluster" in named.stderr


def test_an_operator_s_own_throttle_is_there_again(small: str) -> None:
    path = f"{paths.CONFIG}/brokers/1"
    set_config(small, path, **{"leader.replication.throttled.rate": "77"})
    with controlled(small):
        done("reassign", "run", plan_file(MOVES), "--yes", "--throttle", "5MB")

    with client_of(small) as client:
        data, _ = client.get(path)
    assert {"leader.replication.throttled.rate": "77"} == json.loads(data)["config"]


def test_a_damaged_journal_is_named_and_blocks_nothing_else(small: str) -> None:
    with client_of(small) as client:
        client.create(f"{RUNS_PATH}/20260101-000000-dead", b"{", makepath=True)

    assert ExitCode.REFUSED == kadmin("reassign", "status").exit_code
    listed = kadmin("reassign", "list")

    assert 0 == listed.exit_code
    assert "cannot read the journal of the run 20260101-000000-dead" in listed.stderr


def test_a_run_without_a_controller_is_interrupted_cancelled_and_resumed(small: str) -> None:
    path = plan_file(MOVES)
    with client_of(small) as client:
        client.delete(paths.CONTROLLER)
    with running_kadmin("reassign", "run", path, "--yes") as process:
        wait_until(lambda: request_in(small) is not None, what="the request")
        found = status()
        process.send_signal(signal.SIGKILL)
        process.wait()
    expire_supervisor(small)

    assert ("running", ExitCode.IN_PROGRESS) == (found["state"], found["exit_code"])
    assert ["there is no controller"] == [each["reason"] for each in status()["stalls"]]
    assert "interrupted" == status()["state"]
    done("reassign", "cancel", "--yes")
    assert request_in(small) is None
    assert ("failed", "cancelled") == (status()["state"], status()["reason"])
    with controlled(small):
        done("reassign", "resume", "--yes")
    assert "done" == status()["state"]
    assert [[1, 2], [2, 0], [0, 2]] == replicas_in(small)


def test_what_was_planned_for_a_goal_is_run(small: str) -> None:
    done("reassign", "plan", "--goal", "drain", "--brokers", "0", "--out", "drain.json")
    with controlled(small):
        done("reassign", "run", "drain.json", "--yes")

    assert all(0 not in replicas for replicas in replicas_in(small))
    found = status()
    assert ("done", "drain", "forward") == tuple(
        found[key] for key in ("state", "goal", "direction")
    )


def queue_in(connect: str) -> list[str]:
    with client_of(connect) as client:
        return list(client.get_children(SUPERVISORS_PATH))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_one_that_stands_by_takes_over_when_the_first_dies_or_loses_its_session(
    small: str, number: signal.Signals
) -> None:
    """There is no controller, so that the run waits for it."""
    words = ["reassign", "run", plan_file(MOVES), "--yes", "--standby"]
    with client_of(small) as client:
        client.delete(paths.CONTROLLER)
    with running_kadmin(*words) as first:
        wait_until(lambda: request_in(small) is not None, what="the request")
        with running_kadmin(*words) as second:
            wait_until(lambda: len(queue_in(small)) == 2, what="the one that stands by")
            first_at_work = status()["supervisor"]
            first.send_signal(number)
            expire_supervisor(small)
            wait_until(lambda: str(second.pid) in status()["supervisor"], what="the second")
            first.send_signal(signal.SIGCONT)
            if number is signal.SIGSTOP:
                wait_until(lambda: len(queue_in(small)) == 2, what="the first, which stands by")
            epoch_holder = status()["supervisor"]
            with controlled(small):
                events = events_of(second.communicate()[0].decode())
                again, _ = first.communicate()

    assert str(first.pid) in first_at_work
    assert str(second.pid) in epoch_holder
    assert ("done", 0) == (events[-1]["state"], second.returncode)
    if number is signal.SIGSTOP:
        assert ("done", 0) == (events_of(again.decode())[-1]["state"], first.returncode)
    assert [[1, 2], [2, 0], [0, 2]] == replicas_in(small)
    assert 1 == len(done("reassign", "list").splitlines())
    assert [] == queue_in(small)


def test_another_pace_right_after_a_kill_goes_on_when_the_lease_is_over(small: str) -> None:
    with client_of(small) as client:
        client.delete(paths.CONTROLLER)
    with running_kadmin("reassign", "run", plan_file(MOVES), "--yes") as first:
        wait_until(lambda: request_in(small) is not None, what="the request")
        first.kill()
    with running_kadmin("reassign", "resume", "--yes", "--max-moves", "2") as second:
        wait_until(lambda: len(queue_in(small)) == 2, what="the one that waits for the lease")
        expire_supervisor(small)
        with controlled(small):
            events = events_of(second.communicate()[0].decode())

    assert ("done", 0) == (events[-1]["state"], second.returncode)


def test_one_that_loses_its_lease_to_nobody_goes_on(small: str) -> None:
    """Its znode goes first, as at a connection that is away for most of the session timeout, and
    then its session, whose znode is there a while longer."""
    with client_of(small) as client:
        client.delete(paths.CONTROLLER)
        with running_kadmin("reassign", "run", plan_file(MOVES), "--yes") as process:
            wait_until(lambda: request_in(small) is not None, what="the request")
            queue = queue_in(small)
            client.delete(f"{SUPERVISORS_PATH}/{queue[0]}")
            wait_until(lambda: queue_in(small) not in ([], queue), what="its next znode")
            queue = queue_in(small)
            expire_supervisor(small)
            wait_until(lambda: queue_in(small) not in ([], queue), what="its next session")
            with controlled(small):
                printed, _ = process.communicate()

    assert ("done", 0) == (events_of(printed.decode())[-1]["state"], process.returncode)


def test_a_supervisor_that_is_at_work_keeps_the_run_at_the_new_pace(
    small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "LEASE_TIMEOUT_S", 0.0)
    with client_of(small) as client:
        client.delete(paths.CONTROLLER)
    with running_kadmin("reassign", "run", plan_file(MOVES), "--yes") as first:
        wait_until(lambda: request_in(small) is not None, what="the request")
        paced = kadmin("reassign", "resume", "--yes", "--max-moves", "2")
        same = kadmin("reassign", "resume", "--yes")
        with controlled(small):
            events = events_of(first.communicate()[0].decode())

    assert 0 == paced.exit_code
    assert f"(process {first.pid}) goes on with it, at the new pace\n" in paced.stderr
    assert ExitCode.IN_PROGRESS == same.exit_code
    assert "done" == events[-1]["state"]


def test_of_two_plans_one_stands_by_for_no_other(small: str) -> None:
    with client_of(small) as client:
        client.delete(paths.CONTROLLER)
    with running_kadmin("reassign", "run", plan_file(MOVES), "--yes"):
        wait_until(lambda: request_in(small) is not None, what="the request")

        other = kadmin("reassign", "run", plan_file({"t-2": "0,2 -> 0,1"}), "--yes", "--standby")

    assert ExitCode.REFUSED == other.exit_code
    assert "has not ended; nothing was written" in other.stderr
