"""`kadmin elect` over a real ZooKeeper, with a controller that the tests pretend to be."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import yaml
from kazoo.client import KazooClient

from cluster.model.ids import BrokerId
from cluster.zk import paths
from cluster.zk.admin import decode_preferred_election
from cluster.zk.topics import decode_assignment, decode_state, encode_state
from cluster.zk.znode import Znode
from cluster.zkclient.kazoo_requests import znode_of
from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.support.cli import KadminRun, done, kadmin
from tests.support.lossy_proxy import Loss, LossyProxy
from tests.support.pretended_controller import PretendedController, pretended_controller
from tests.support.proxy import serving
from tests.support.waiting import wait_until
from tests.support.znodes import all_znodes, write_snapshot
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

MOVED = cluster(
    brokers("0 1 2"),
    topic("home", "0,1 1,2"),
    topic(
        "moved",
        "0,1 1,2 2,0 7,1 0,2",
        {
            0: state(1, "1,0"),
            1: state(1, "1,2"),
            2: state(0, "0"),
            3: state(1, "1"),
            4: state(2, "0,2"),
        },
    ),
    topic("gone", "0,1", {0: state(1, "0,1")}, marked=True),
)
REQUEST_PATH = paths.PREFERRED_ELECTION


@pytest.fixture
def moved(chroot: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A cluster some of whose leaders are away from home, named by the environment."""
    write_snapshot(chroot, MOVED)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    return chroot


def lead_from_home(client: KazooClient, name: str, number: int) -> None:
    path = paths.topic(name)
    assignment = decode_assignment(znode_of(path, client.get(path)))
    state_path = paths.state(name, number)
    old = decode_state(znode_of(state_path, client.get(state_path)))
    leader = BrokerId(assignment.partitions[number].replicas[0])
    client.set(state_path, encode_state(old._replace(leader=leader)))


@contextmanager
def controlled(
    connect: str, elects: Callable[[str], bool] = lambda _: True
) -> Iterator[PretendedController]:
    """With a controller that has the preferred leader of each partition that it *elects*."""

    def carry_out(client: KazooClient, request: Znode) -> None:
        for part in decode_preferred_election(request).partitions:
            if elects(str(part)):
                lead_from_home(client, part.topic, part.partition)

    with pretended_controller(connect, REQUEST_PATH, carry_out) as controller:
        yield controller


def elect(*arguments: str) -> KadminRun:
    return kadmin("elect", *arguments)


def leader(connect: str, name: str, number: int) -> int:
    path = paths.state(name, number)
    with client_of(connect) as client:
        return decode_state(znode_of(path, client.get(path))).leader


def test_partitions_get_their_preferred_leaders_back(moved: str) -> None:
    with controlled(moved) as controller:
        outcome = elect("--all-topic-partitions")

    assert [
        b'{"version":1,"partitions":[{"topic":"moved","partition":0},{"topic":"moved","partition":4}]}'
    ] == controller.requests
    assert (
        "Successfully completed leader election (PREFERRED) for partitions moved-0, moved-4\n"
        "Error completing leader election (PREFERRED) for partition: moved-2: broker 2, its"
        " preferred leader, is not in the ISR\n"
        "Error completing leader election (PREFERRED) for partition: moved-3: broker 7, its"
        " preferred leader, is not alive\n" == outcome.stdout
    )
    assert ExitCode.FOUND == outcome.exit_code
    assert (
        "plan: preferred election: 2 to get another leader, 3 with the right one already,"
        " 2 that cannot get it\n"
        "  moved-0: leader 1 -> 0\n  moved-4: leader 2 -> 0\n" in outcome.stderr
    )
    assert "kadmin: 2 replica(s) could not be elected\nhint: 'kadmin topics" in outcome.stderr
    assert [0, 0] == [leader(moved, "moved", number) for number in (0, 4)]


def test_one_partition_is_named_and_moved_once(moved: str) -> None:
    with controlled(moved) as controller:
        first = done(
            "elect", "--topic", "moved", "--partition", "0", "--election-type", "PREFERRED"
        )
        again = done("leader-election", "--topic", "moved", "--partition", "0")

    assert "Successfully completed leader election (PREFERRED) for partitions moved-0\n" == first
    assert "Valid replica already elected for partitions moved-0\n" == again
    assert 1 == len(controller.requests)


def test_a_file_names_the_partitions(moved: str, tmp_path, monkeypatch) -> None:
    text = '{"partitions":[{"topic":"moved","partition":4},{"topic":"nosuch","partition":0}]}'
    path = tmp_path / "election.json"
    path.write_text(text)
    with controlled(moved):
        outcome = elect("--path-to-json-file", str(path))
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        again = elect("--path-to-json-file", "-", "--output", "json")

    assert ExitCode.FOUND == outcome.exit_code == again.exit_code
    assert (
        "Successfully completed leader election (PREFERRED) for partitions moved-4\n"
        "Error completing leader election (PREFERRED) for partition: nosuch-0: there is no such"
        " partition\n" == outcome.stdout
    )
    assert ["valid", "failed"] == [
        found["outcome"] for found in json.loads(again.stdout)["partitions"]
    ]


@pytest.mark.parametrize(
    "arguments",
    [("elect", "--all-topic-partitions"), ("preferred-replica-election",)],
)
def test_a_balanced_cluster_is_left_alone_without_a_word(
    chroot: str, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    write_snapshot(chroot, cluster(brokers("0 1"), topic("home", "0,1 1,0")))
    before = all_znodes(chroot)

    outcome = kadmin(*arguments, "--zookeeper", chroot)

    assert (ExitCode.DONE, "") == (outcome.exit_code, outcome.stdout)
    assert before == all_znodes(chroot)


def test_the_old_tool_s_name_takes_all_partitions_where_none_is_named(moved: str) -> None:
    with controlled(moved):
        outcome = kadmin("preferred-replica-election")

    assert "for partitions moved-0, moved-4\n" in outcome.stdout


def test_a_dry_run_shows_the_plan_and_writes_nothing(moved: str) -> None:
    before = all_znodes(moved)

    text = done("elect", "--all-topic-partitions", "--dry-run")
    document = json.loads(
        done("elect", "--topic", "moved", "--partition", "0", "--dry-run", "--output", "json")
    )

    assert before == all_znodes(moved)
    assert "  moved-0: leader 1 -> 0\n" in text
    assert document["dry_run"] is True
    assert ["planned"] == [found["outcome"] for found in document["partitions"]]


def test_scripts_have_it_in_every_form(moved: str) -> None:
    named = ("--topic", "moved", "--partition", "4")
    with controlled(moved):
        body = json.loads(done("elect", *named, "--output", "json"))
        same = yaml.safe_load(done("elect", *named, "--output", "yaml"))
        (row,) = csv.DictReader(io.StringIO(done("elect", *named, "--output", "csv")))

    assert "kadmin.elect/1" == body["schema"] == same["schema"]
    (found,) = body["partitions"]
    assert ("elected", 2, 0) == (found["outcome"], found["leader_before"], found["leader"])
    assert ("moved", "4", "valid", "0") == (
        row["topic"],
        row["partition"],
        row["outcome"],
        row["leader"],
    )


def test_what_the_controller_does_not_elect_is_told(moved: str) -> None:
    with controlled(moved, elects=lambda part: part != "moved-4"):
        outcome = elect("--all-topic-partitions", "--output", "json")

    found = {each["partition"]: each for each in json.loads(outcome.stdout)["partitions"]}
    assert ExitCode.FOUND == outcome.exit_code
    assert ("elected", "failed") == (found[0]["outcome"], found[4]["outcome"])
    assert "the controller has not elected it" == found[4]["reason"]
    assert 2 == found[4]["leader"]


def test_a_topic_that_was_mistyped_is_told_with_the_one_that_was_meant(moved: str) -> None:
    outcome = kadmin("elect", "--topic", "movd", "--partition", "0", "--yes")
    nothing_like_it = kadmin("elect", "--topic", "x", "--partition", "0", "--yes")

    planned = kadmin("elect", "--topic", "movd", "--partition", "0", "--dry-run")

    assert ExitCode.FOUND == outcome.exit_code == nothing_like_it.exit_code == planned.exit_code
    assert "movd-0 does not exist\n" in planned.stderr
    assert "kadmin: 1 replica(s) could not be elected; " in outcome.stderr
    assert "movd-0 does not exist\n" in outcome.stderr
    assert "warning: there is no topic 'movd': did you mean moved?\n" in outcome.stderr
    assert outcome.stderr.endswith("hint: 'kadmin topics --list' lists all topics\n")
    assert "there is no topic 'x': 'kadmin topics --list' lists" in nothing_like_it.stderr


@pytest.mark.usefixtures("quick_waits")
def test_a_controller_that_takes_long_is_not_waited_for_forever(moved: str) -> None:
    outcome = elect("--all-topic-partitions", "--timeout", "250")

    assert ExitCode.IN_PROGRESS == outcome.exit_code
    assert (
        "Leader election (PREFERRED) is still going on for partitions moved-0, moved-4\n"
        in outcome.stdout
    )
    assert (
        "waiting until the controller has done it (to stop waiting undoes nothing)"
        in outcome.stderr
    )
    assert "after 250 s the election is still going on for 2 partitions" in outcome.stderr
    second = elect("--topic", "moved", "--partition", "0")
    assert (ExitCode.IN_PROGRESS, "") == (second.exit_code, second.stdout)
    assert "another election is under way for 2 partitions: moved-0, moved-4" in second.stderr
    assert ExitCode.DONE == elect("--topic", "moved", "--partition", "0", "--dry-run").exit_code


def test_without_a_controller_the_request_stays_for_the_next_one(moved: str) -> None:
    with client_of(moved) as client:
        client.delete(paths.CONTROLLER)

    outcome = elect("--topic", "moved", "--partition", "0")

    assert ExitCode.IN_PROGRESS == outcome.exit_code
    assert "no controller is active: when there is one, it elects" in outcome.stderr
    with client_of(moved) as client:
        assert client.exists(REQUEST_PATH)


@pytest.mark.usefixtures("quick_waits")
def test_an_empty_request_left_behind_is_in_nobody_s_way(moved: str) -> None:
    with client_of(moved) as client:
        client.create(REQUEST_PATH, b'{"version":1,"partitions":[]}')
    before = all_znodes(moved)
    elect("--all-topic-partitions", "--dry-run")
    assert before == all_znodes(moved)

    elect("--topic", "moved", "--partition", "0")

    with client_of(moved) as client:
        data, _ = client.get(REQUEST_PATH)
    assert b'{"version":1,"partitions":[{"topic":"moved","partition":0}]}' == data


def test_a_damaged_request_is_refused_and_named(moved: str) -> None:
    with client_of(moved) as client:
        client.create(REQUEST_PATH, b"{")
    before = all_znodes(moved)

    outcome = elect("--topic", "moved", "--partition", "0")

    assert (ExitCode.REFUSED, "") == (outcome.exit_code, outcome.stdout)
    assert f"{REQUEST_PATH} with zookeeper-shell" in outcome.stderr
    assert before == all_znodes(moved)


def test_a_lost_reply_asks_for_nothing_twice(moved: str) -> None:
    target, _, root = moved.partition("/")
    with serving(LossyProxy(target)) as proxy, controlled(moved) as controller:

        def until_done() -> None:
            wait_until(lambda: len(controller.requests) > 0, what="the election")

        proxy.lose(Loss.REPLY, meanwhile=until_done)
        outcome = elect("--all-topic-partitions", "--zookeeper", f"{proxy.address}/{root}")

    assert [Loss.REPLY] == proxy.lost
    assert "election (PREFERRED) for partitions moved-0, moved-4\n" in outcome.stdout
    assert 1 == len(controller.requests)


def test_nothing_is_asked_for_where_kraft_owns_the_cluster(moved: str) -> None:
    with client_of(moved) as client:
        client.set(
            paths.CONTROLLER,
            b'{"version":2,"brokerid":3000,"timestamp":"1","kraftControllerEpoch":5}',
        )

    outcome = elect("--topic", "moved", "--partition", "0")

    assert (ExitCode.REFUSED, "") == (outcome.exit_code, outcome.stdout)


def test_an_unclean_election_is_asked_of_brokers_alone(moved: str) -> None:
    outcome = elect("--election-type", "unclean", "--all-topic-partitions", "--yes")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert "cannot be asked for through ZooKeeper" in outcome.stderr
    assert "--bootstrap-server HOST:PORT" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "give exactly one of --topic, --all-topic-partitions, --path-to-json-file"),
        ("--election-type preferred", "give exactly one of --topic"),
        ("--topic t --all-topic-partitions", "give exactly one of"),
        ("--topic t --partition 0 --path-to-json-file x", "give exactly one of"),
        ("--topic moved", "--topic needs --partition"),
        ("--partition 0", "--partition is only allowed if --topic is used"),
        ("--partition 0 --all-topic-partitions", "--partition is only allowed if --topic"),
        ("--topic moved --partition -1", "'-1' are no numbers of partitions"),
        ("--topic moved --partition x", "'x' are no numbers of partitions"),
        ("--topic a* --partition 0", "illegal"),
        ("--all-topic-partitions --election-type nosuch", "'nosuch' is not one of"),
        ("--path-to-json-file /no/such/file", "cannot read /no/such/file"),
        ("--all-topic-partitions --admin.config /no/x", "cannot read the property file /no/x"),
        ("--all-topic-partitions moved", "unexpected extra argument"),
    ],
)
def test_wrong_use_is_refused_before_anybody_is_asked(arguments: str, words: str) -> None:
    outcome = elect(*arguments.split(), "--zookeeper", "127.0.0.1:1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert words in outcome.stderr
    assert "\nhint: " in outcome.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"partitions":[', "it is not JSON"),
        ("", "it is empty"),
        ('{"parts":[]}', 'replica election data is missing "partitions" field'),
        (
            '{"partitions":[{"topic":"t","partition":0},{"topic":"t","partition":0}]}',
            "replica election data contains duplicate partitions: t-0",
        ),
    ],
)
def test_a_wrong_file_is_refused_before_anybody_is_asked(tmp_path, text: str, words: str) -> None:
    path = tmp_path / "election.json"
    path.write_text(text)

    outcome = elect("--path-to-json-file", str(path), "--zookeeper", "127.0.0.1:1")

    assert ExitCode.USAGE == outcome.exit_code
    assert f"cannot use {path}: {words}" in outcome.stderr


def test_a_file_that_names_none_changes_nothing(moved: str, tmp_path) -> None:
    path = tmp_path / "none.json"
    path.write_text('{"partitions":[]}')
    before = all_znodes(moved)

    assert "" == done("elect", "--path-to-json-file", str(path))
    assert before == all_znodes(moved)
