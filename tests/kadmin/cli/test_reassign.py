"""`kadmin reassign` over a real ZooKeeper, with a controller that the tests pretend to be."""

import csv
import io
import json
import os
import re
import shlex
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from cluster.model.config_entity import ConfigOverrides
from cluster.zk import paths
from cluster.zk.admin import decode_reassignment
from cluster.zk.configs import decode_config, encode_config
from cluster.zk.topics import decode_assignment, encode_assignment
from cluster.zk.znode import Znode
from cluster.zkclient.kazoo_requests import znode_of
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.zookeeper.throttle_journal import JOURNAL_PATH
from kadmin.admin.zookeeper.zookeeper_reassignments import ZooKeeperReassignments
from kadmin.errors import ExitCode
from kadmin.execute import reassign as reassign_module
from kadmin.plan.reassignment import waves
from kadmin.plan.reassignment.moves import MovePlan
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.support.asking import AskingKadmin
from tests.support.cli import KadminRun, done, kadmin
from tests.support.killer import kill_at_a_write
from tests.support.lossy_proxy import Loss, LossyProxy
from tests.support.pretended_controller import PretendedController, pretended_controller
from tests.support.proxy import serving
from tests.support.waiting import wait_until
from tests.support.znodes import all_znodes, write_snapshot
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

REQUEST_PATH = paths.REASSIGN_PARTITIONS
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
LISTS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")

CLUSTER = cluster(
    brokers("0 1 2"),
    topic("t", "0,1 1,0 0,2", {0: state(0, "0,1"), 1: state(1, "1,0"), 2: state(0, "0,2")}),
    topic("u", "1"),
)
CURRENT = (
    '{"version":1,"partitions":['
    '{"topic":"t","partition":0,"replicas":[0,1],"log_dirs":["any","any"]},'
    '{"topic":"t","partition":1,"replicas":[1,0],"log_dirs":["any","any"]},'
    '{"topic":"t","partition":2,"replicas":[0,2],"log_dirs":["any","any"]}]}'
)


@pytest.fixture
def small(chroot: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Three brokers and two topics, named by the environment, in a directory of one's own."""
    write_snapshot(chroot, CLUSTER)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    monkeypatch.chdir(tmp_path)
    return chroot


def targets_file(**targets: str) -> str:
    """A file in this directory: `t_0="1,2"` moves t-0 there."""
    entries = [
        {
            "topic": name.split("_")[0],
            "partition": int(name.split("_")[1]),
            "replicas": list(map(int, replicas.split(","))),
        }
        for name, replicas in targets.items()
    ]
    Path("plan.json").write_text(json.dumps({"version": 1, "partitions": entries}))
    return "plan.json"


def execute(path: str, *arguments: str) -> KadminRun:
    return kadmin("reassign", "--execute", "--reassignment-json-file", path, *arguments)


def verify(path: str, *arguments: str) -> KadminRun:
    return kadmin("reassign", "--verify", "--reassignment-json-file", path, *arguments)


def request_in(connect: str) -> bytes | None:
    with client_of(connect) as client:
        try:
            data, _ = client.get(REQUEST_PATH)
        except NoNodeError:
            return None
        return bytes(data)


def config_in(connect: str, path: str) -> dict[str, str]:
    with client_of(connect) as client:
        if not client.exists(path):
            return {}
        return dict(decode_config(znode_of(path, client.get(path))).values)


def set_config(connect: str, path: str, **values: str) -> None:
    data = encode_config(ConfigOverrides(values=values))
    with client_of(connect) as client:
        if client.exists(path):
            client.set(path, data)
        else:
            client.create(path, data)


def move(client: KazooClient, request: Znode) -> None:
    """Have all that is asked for moved at once."""
    for part, replicas in decode_reassignment(request).items():
        path = paths.topic(part.topic)
        found = decode_assignment(znode_of(path, client.get(path)))
        moved = found.partitions[part.partition]._replace(replicas=replicas)
        after = replace(found, partitions={**found.partitions, part.partition: moved})
        client.set(path, encode_assignment(after))


@contextmanager
def controlled(connect: str) -> Iterator[PretendedController]:
    with pretended_controller(connect, REQUEST_PATH, move) as controller:
        yield controller


def settled(connect: str) -> None:
    wait_until(lambda: request_in(connect) is None, what="the reassignment")


def test_a_proposal_is_made_and_carried_out_and_found_done(small: str) -> None:
    Path("topics.json").write_text('{"topics":[{"topic":"t"}],"version":1}')
    lines = done(
        "reassign", "--generate", "--topics-to-move-json-file", "topics.json",
        "--broker-list", "1,2",
    ).split("\n")  # fmt: skip
    assert "Current partition replica assignment" == lines[0]
    assert CURRENT == lines[1]
    assert ["", "Proposed partition reassignment configuration"] == lines[2:4]
    Path("plan.json").write_text(lines[4])

    with controlled(small):
        started = execute("plan.json")
        settled(small)
    found = verify("plan.json")

    assert ExitCode.DONE == started.exit_code, started
    assert started.stdout.startswith(
        f"Current partition replica assignment\n\n{CURRENT}\n\n"
        "Save this to use as the --reassignment-json-file option during rollback\n"
    )
    assert started.stdout.endswith("Successfully started partition reassignments for t-0,t-1,t-2\n")
    assert ExitCode.DONE == found.exit_code, found
    assert (
        "Status of partition reassignment:\n"
        + "".join(f"Reassignment of partition t-{n} is completed.\n" for n in range(3))
        == found.stdout
    )


def test_the_rollback_file_takes_all_of_it_back(small: str) -> None:
    plan = targets_file(t_0="2,1", t_1="1,2")
    with controlled(small) as controller:
        started = execute(plan, "--rollback-file", "back.json")
        settled(small)
        done("reassign", "--execute", "--reassignment-json-file", "back.json")
        settled(small)

    assert "rollback file: back.json\n" in started.stderr
    assert (
        b'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[2,1]},'
        b'{"topic":"t","partition":1,"replicas":[1,2]}]}' == controller.requests[0]
    )
    assert ExitCode.DONE == verify("back.json").exit_code
    assert 1 == len(list(Path().glob("reassign-rollback-*.json")))


def test_a_rollback_file_is_never_overwritten_and_without_one_nothing_moves(small: str) -> None:
    plan = targets_file(t_0="2,1")
    Path("back.json").write_text("precious")
    before = all_znodes(small)

    there = execute(plan, "--rollback-file", "back.json", "--throttle", "5")
    nowhere = execute(plan, "--rollback-file", "no/such/back.json")

    assert (ExitCode.REFUSED, "") == (there.exit_code, there.stdout)
    assert "cannot write the rollback file back.json: it is there already" in there.stderr
    assert (ExitCode.REFUSED, "") == (nowhere.exit_code, nowhere.stdout)
    assert "precious" == Path("back.json").read_text()
    assert before == all_znodes(small)


def test_a_dry_run_shows_the_plan_and_writes_nothing(small: str) -> None:
    before = all_znodes(small)
    plan = targets_file(t_0="2,1", t_1="1,0")

    text = done(
        "reassign-partitions", "--execute", "--reassignment-json-file", plan, "--dry-run",
        "--throttle", "1000",
    )  # fmt: skip

    assert (
        "plan: 1 partition gets other replicas, 1 of them with another leader\n"
        "  1 more have theirs already, or are being moved\n"
        "  broker 0: 0 replicas added, 1 removed\n"
        "  broker 2: 1 replica added, 0 removed\n"
        "  t-0: 0,1 -> 2,1, leadership moves off broker 0\n" == text
    )
    assert before == all_znodes(small)
    assert ["plan.json"] == [path.name for path in Path().iterdir()]


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
        line.removeprefix("to take it back when it is done: ")
        for line in begun.stderr.splitlines()
        if line.startswith("to take it back")
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
        kill_at_a_write(patch, survived, is_made=is_made)
        killed = execute(plan, "--throttle", "1000")
    was_asked = request_in(small) is not None

    again = execute(plan, "--throttle", "1000")
    with controlled(small):
        settled(small)
    with monkeypatch.context() as patch:
        kill_at_a_write(patch, survived, is_made=is_made)
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
        run.read_until_said("to take it back")
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


TARGET = ("--topic", "t", "--partitions", "0", "--replicas", "2,1")


@pytest.mark.parametrize("keys", [b"n\n", b"\n", b"\x04"], ids=["no", "enter", "end of input"])
def test_who_is_asked_and_does_not_say_yes_moves_nothing(small: str, keys: bytes) -> None:
    before = all_znodes(small)
    with AskingKadmin("reassign", "--execute", *TARGET, "--throttle", "1000") as asking:
        asking.read_until("[y/N]: ")
        question = asking.said
        asking.press(keys)
        code = asking.exit_code()

    assert "  t-0: 0,1 -> 2,1, leadership moves off broker 0\n" in question
    assert f"\n{small}: Move this partition?" in question
    assert ExitCode.REFUSED == code
    assert asking.said.endswith("\nkadmin: not confirmed; nothing was written\n")
    assert before == all_znodes(small)
    assert [] == list(Path().iterdir())


def test_who_is_asked_and_ends_it_instead_moves_nothing(small: str) -> None:
    before = all_znodes(small)
    with AskingKadmin("reassign", "--execute", *TARGET) as asking:
        asking.read_until("[y/N]: ")
        code = asking.interrupted()

    assert ExitCode.INTERRUPTED == code
    assert before == all_znodes(small)
    assert [] == list(Path().iterdir())


def test_who_is_asked_and_says_yes_has_it_moved(small: str) -> None:
    with (
        controlled(small) as controller,
        AskingKadmin("reassign", "--execute", *TARGET, "--wait") as asking,
    ):
        asking.read_until("[y/N]: ")
        asking.answer("y")
        code = asking.exit_code()

    assert ExitCode.DONE == code, asking.said
    assert "Reassignment of partition t-0 is completed." in asking.said
    assert 1 == len(controller.requests)


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
    """Whoever is elected when the office is free; it takes the request away when it has carried it
    out, by *carry_out* where it does something else."""
    with client_of(connect) as client:
        office = client.get(paths.CONTROLLER)[0]

        def take_office() -> None:
            wait_until(lambda: client.exists(paths.CONTROLLER) is None, what="the office")
            if carry_out is None:
                move(client, znode_of(REQUEST_PATH, client.get(REQUEST_PATH)))
            else:
                carry_out(client)
            client.delete(REQUEST_PATH)
            client.create(paths.CONTROLLER, office)

        thread = threading.Thread(target=take_office)
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
        "  broker 0 gives up being the controller, and whoever is elected reads that all this goes"
        " back; brokers do it without, from Kafka 2.4 on (--bootstrap-server)\n" == planned.stdout
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
    assert "not given up: the controller was done before it heard of it" in outcome.stderr
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
    assert "before Kafka 2.4 no znode has those of before: t-0, t-1" in outcome.stderr
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
