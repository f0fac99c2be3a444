"""Cancellations of reassignments, with and without a controller that reads them."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kazoo.client import KazooClient

from cluster.zk import paths
from cluster.zkclient.kazoo_requests import znode_of
from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.cli.reassign.steps import (
    RATES,
    REQUEST_PATH,
    config_in,
    controlled,
    execute,
    move,
    request_in,
    set_config,
    targets_file,
    verify,
)
from tests.support.asking import AskingKadmin
from tests.support.cli import KadminRun, kadmin
from tests.support.waiting import wait_until
from tests.support.znodes import all_znodes, write_snapshot
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk


def on_its_way(connect: str) -> None:
    """t-0 goes from 0,1 to 1,2, and t-1 from 1,0 to 2,0, as Kafka before 2.4 has it."""
    set_assignment(connect, "t", [1, 2, 0], [2, 0, 1], [0, 2])
    with client_of(connect) as client:
        client.create(REQUEST_PATH, request_of(t_0="1,2", t_1="2,0"))


def request_of(**targets: str) -> bytes:
    return Path(targets_file(**targets)).read_bytes()


def set_assignment(connect: str, name: str, *replicas: list[int]) -> None:
    partitions = {str(number): brokers for number, brokers in enumerate(replicas)}
    with client_of(connect) as client:
        client.set(paths.topic(name), json.dumps({"version": 1, "partitions": partitions}).encode())


@contextmanager
def next_controller(
    connect: str, carry_out: Callable[[KazooClient], None] | None = None
) -> Iterator[None]:
    """A controller that is elected after the resignation; it removes the request after carrying it
    out, by *carry_out* where it does something else."""
    with client_of(connect) as client:
        content = client.get(paths.CONTROLLER)[0]

        def take_over() -> None:
            wait_until(lambda: client.exists(paths.CONTROLLER) is None, what="the resignation")
            if carry_out is None:
                move(client, znode_of(REQUEST_PATH, client.get(REQUEST_PATH)))
            else:
                carry_out(client)
            client.delete(REQUEST_PATH)
            client.create(paths.CONTROLLER, content)

        thread = threading.Thread(target=take_over)
        thread.start()
        try:
            yield
        finally:
            thread.join()


def cancel(path: str, *arguments: str) -> KadminRun:
    return kadmin("reassign", "--cancel", "--reassignment-json-file", path, *arguments)


def test_a_cancellation_through_zookeeper_has_the_next_controller_read_it(small: str) -> None:
    on_its_way(small)
    set_config(small, "/config/brokers/0", **{RATES[0]: "777"})
    before = all_znodes(small)

    planned = cancel(targets_file(t_0="0,1", t_1="1,0", t_2="1"), "--dry-run")
    as_json = json.loads(cancel("plan.json", "--dry-run", "--output", "json").stdout)
    unasked = cancel("plan.json")
    after = all_znodes(small)
    with next_controller(small):
        given_up = cancel("plan.json", "--yes")
    again = cancel("plan.json", "--yes")

    assert (
        "plan: 2 moves are cancelled; their partitions keep the previous replicas, in this order\n"
        "  t-0: 1,2,0 -> 0,1\n"
        "  t-1: 2,0,1 -> 1,0\n"
        "  broker 0 resigns as the controller, and the next one reads that all this goes back;"
        " from Kafka 2.4 on, brokers need no election for it (--bootstrap-server)\n"
        == planned.stdout
    )
    assert 0 == as_json["controller_resigns"]
    assert ExitCode.REFUSED == unasked.exit_code, unasked
    assert "add --yes to go ahead" in unasked.stderr
    assert before == after
    assert ExitCode.DONE == given_up.exit_code, given_up
    assert "Successfully cancelled partition reassignments for: t-0,t-1\n" == given_up.stdout
    assert "None of the specified partition reassignments are active.\n" == again.stdout
    assert {RATES[0]: "777"} == config_in(small, "/config/brokers/0")


def test_whoever_cancels_on_a_terminal_is_asked_about_the_controller(small: str) -> None:
    on_its_way(small)
    before = all_znodes(small)
    file = targets_file(t_0="0,1")
    with AskingKadmin("reassign", "--cancel", "--reassignment-json-file", file) as asking:
        asking.read_until("[y/N]: ")
        question = asking.said
        asking.press(b"n\n")
        code = asking.exit_code()

    assert "Cancel this move, and have another controller elected?" in question
    assert ExitCode.REFUSED == code
    assert before == all_znodes(small)


@pytest.mark.usefixtures("quick_waits")
def test_a_cancellation_that_no_controller_hears_of_is_going_on(small: str) -> None:
    on_its_way(small)

    waited = cancel(targets_file(t_0="0,1"), "--yes")

    assert ExitCode.IN_PROGRESS == waited.exit_code, waited
    assert "Successfully" not in waited.stdout
    assert "still going on for 1 partition: t-0" in waited.stderr
    request = request_in(small)
    assert request is not None
    # What was not to be given up is asked for still.
    assert [[0, 1], [2, 0]] == [each["replicas"] for each in json.loads(request)["partitions"]]


def test_a_controller_that_did_something_else_is_told_of(small: str) -> None:
    on_its_way(small)
    with next_controller(small, lambda _: None):
        outcome = cancel(targets_file(t_0="0,1"), "--yes")

    assert ExitCode.FAILED == outcome.exit_code, outcome
    assert "Successfully" not in outcome.stdout
    assert "not cancelled: the controller had finished before, or refused it" in outcome.stderr
    assert "1 partition: t-0" in outcome.stderr


def test_who_gives_the_same_up_at_the_same_time_in_another_order_is_no_failure(small: str) -> None:
    on_its_way(small)
    with next_controller(small, lambda _: set_assignment(small, "t", [1, 0], [2, 0, 1], [0, 2])):
        outcome = cancel(targets_file(t_0="0,1"), "--yes")

    assert ExitCode.DONE == outcome.exit_code, outcome
    assert "Successfully cancelled partition reassignment for: t-0\n" in outcome.stdout


def test_before_2_4_nothing_is_cancelled_by_a_file_that_does_not_know_what_was(small: str) -> None:
    on_its_way(small)
    before = all_znodes(small)

    outcome = cancel(targets_file(t_0="1,2", t_1="2,0"), "--yes")

    assert (ExitCode.FAILED, "") == (outcome.exit_code, outcome.stdout)
    assert "not in ZooKeeper, where Kafka keeps them from 2.4 on: t-0, t-1" in outcome.stderr
    assert "--cancel --reassignment-json-file ROLLBACK-FILE" in outcome.stderr
    assert before == all_znodes(small)


def test_a_terminal_is_not_filled_with_what_the_rollback_file_has(
    chroot: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A pipe gets the lines of Kafka's tool."""
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    monkeypatch.chdir(tmp_path)
    write_snapshot(chroot, cluster(brokers("0 1 2"), topic("many", " ".join(["0,1"] * 30))))
    words = ("reassign", "--execute", "--from-broker", "0", "--to-brokers", "2", "--yes")
    with controlled(chroot), AskingKadmin(*words, "--wait") as asking:
        code = asking.exit_code()
    (rollback,) = Path().glob("reassign-rollback-*.json")

    assert ExitCode.DONE == code, asking.said
    assert "Current partition replica assignment" not in asking.said
    assert f"rollback file: {rollback}\n" in asking.said
    assert "for many-0, many-1, many-2, many-3, many-4, … (30 in all)\n" in asking.said
    assert 30 == len(json.loads(rollback.read_text())["partitions"])


@pytest.mark.parametrize("controls", [True, False])
def test_a_request_for_what_is_gone_is_one_story_and_has_a_way_out(
    small: str, controls: bool
) -> None:
    with client_of(small) as client:
        client.create(REQUEST_PATH, request_of(gone_0="1,2", t_9="1"))
        if not controls:
            client.delete(paths.CONTROLLER)

    listed = kadmin("reassign", "--list")
    as_json = json.loads(kadmin("reassign", "--list", "--output", "json").stdout)
    checked = kadmin("check")
    verified = verify(targets_file(gone_0="1,2"))
    refused = [execute(targets_file(t_0="1,2"), *more) for more in ((), ("--additional",))]
    unknown = kadmin("reassign", "--cancel", "--topic", "elsewhere", "--yes")
    cancelled = kadmin("reassign", "--cancel", "--topic", "gone", "--yes")
    rest = cancel(targets_file(t_9="0"), "--yes")
    again = kadmin("reassign", "--list")

    asked = "a reassignment was asked for of 2 partitions that are not there"
    way_out = "kadmin reassign --cancel --topic gone"
    assert "No partition reassignments found.\n" in listed.stdout
    assert "gone-0: target: 1,2.\n" in listed.stdout
    assert [("gone", 0), ("t", 9)] == [(o["topic"], o["partition"]) for o in as_json["not_there"]]
    for run in (listed, *refused):
        assert asked in run.stderr, run
        assert way_out in run.stderr, run
    assert asked in checked.stdout
    assert way_out in checked.stdout
    assert [ExitCode.REFUSED] * 2 == [run.exit_code for run in refused]
    assert "There is no partition gone-0." in verified.stdout
    assert "throttles stay" not in verified.stderr
    assert ExitCode.FAILED == unknown.exit_code, unknown
    for run, name in ((cancelled, "gone-0"), (rest, "t-9")):
        assert ExitCode.DONE == run.exit_code, run
        assert f"Successfully cancelled partition reassignment for: {name}\n" == run.stdout
    assert "not there" not in again.stdout + again.stderr
    assert request_in(small) is None


def test_without_a_controller_what_has_not_begun_is_taken_back_at_once(small: str) -> None:
    with client_of(small) as client:
        client.create(REQUEST_PATH, request_of(t_0="1,2"))
        client.delete(paths.CONTROLLER)

    listed = kadmin("reassign", "--list")
    refused = execute(targets_file(t_1="0,2"))
    cancelled = kadmin("reassign", "--cancel", "--topic", "t")

    assert "there is no controller: nothing goes on" in listed.stderr
    assert "t-0: replicas: 0,1. adding: 2. removing: 0." in listed.stdout
    assert "1 partition is being reassigned: t-0, and there is no controller" in refused.stderr
    assert "Successfully cancelled partition reassignment for: t-0\n" == cancelled.stdout
    assert request_in(small) is None
