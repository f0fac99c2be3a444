"""`kadmin topics --list` and `--describe` as an operator runs them, over a real ZooKeeper."""

import csv
import json
import signal
import subprocess
import sys

import pytest
from kazoo.security import make_digest_acl

from cluster.zk import paths
from kadmin.errors import ExitCode
from tests.kadmin.builders import cluster, state, topic, topic_id_of
from tests.kadmin.cli.topics.runs import RACKED, refused, topics
from tests.support.asking import AskingKadmin
from tests.support.cli import kadmin
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.znodes import write_snapshot
from tests.support.zookeeper import client_of, make_chroot, running_server

pytestmark = pytest.mark.zk

SICK_DESCRIPTION = f"""\
Topic: __consumer_offsets\tTopicId: {topic_id_of("__consumer_offsets")}\tPartitionCount: 1\
\tReplicationFactor: 3\tConfigs: cleanup.policy=compact
\tTopic: __consumer_offsets\tPartition: 0\tLeader: 0\tReplicas: 0,1,2\tIsr: 0,1,2
Topic: gone\tTopicId: {topic_id_of("gone")}\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \
\tMarkedForDeletion: true
\tTopic: gone\tPartition: 0\tLeader: 0\tReplicas: 0\tIsr: 0\tMarkedForDeletion: true
Topic: orders\tTopicId: {topic_id_of("orders")}\tPartitionCount: 3\tReplicationFactor: 2\
\tConfigs: min.insync.replicas=2,retention.ms=60000
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 0,1\tIsr: 0,1
\tTopic: orders\tPartition: 1\tLeader: 1\tReplicas: 1,2\tIsr: 1
\tTopic: orders\tPartition: 2\tLeader: none\tReplicas: 2,7\tIsr: 7
"""


def test_list_marks_what_waits_for_its_deletion(sick):
    assert "__consumer_offsets\ngone - marked for deletion\norders\n" == topics("--list")
    assert "gone - marked for deletion\norders\n" == topics("--list", "--exclude-internal")


def test_a_list_of_nothing_succeeds_and_says_so(sick):
    outcome = kadmin("topics", "--list", "--topic", "ord.*")

    assert (0, "") == (outcome.exit_code, outcome.stdout)
    assert "add --regex" in outcome.stderr


def test_describe_prints_the_lines_of_kafka_2_8(sick):
    assert SICK_DESCRIPTION == topics("--describe")


@pytest.mark.parametrize(
    ("option", "partitions"),
    [
        ("--under-replicated-partitions", {"orders-1", "orders-2"}),
        ("--unavailable-partitions", {"orders-2"}),
        ("--under-min-isr-partitions", {"orders-1", "orders-2"}),
        ("--at-min-isr-partitions", {"orders-0", "gone-0"}),
        ("--non-preferred-leader-partitions", {"orders-0"}),
    ],
)
def test_filters_keep_the_partitions_that_they_name(sick, option, partitions):
    found = json.loads(topics("--describe", option, "--output", "json"))["topics"]

    assert partitions == {
        f"{item['name']}-{part['partition']}" for item in found for part in item["partitions"]
    }
    assert "PartitionCount" not in topics("--describe", option)


def test_only_overrides_are_shown_when_asked(sick):
    lines = topics("--describe", "--topics-with-overrides").splitlines()

    assert ["__consumer_offsets", "orders"] == [line.split("\t")[0][7:] for line in lines]


def test_a_default_min_isr_is_taken_from_the_option(sick):
    names = [
        item["name"]
        for item in json.loads(
            topics(
                "--describe",
                "--under-min-isr-partitions",
                "--default-min-isr",
                "2",
                "--output",
                "json",
            )
        )["topics"]
    ]

    assert ["gone", "orders"] == names


def test_every_form_says_the_same(sick):
    rows = list(csv.DictReader(topics("--describe", "--output", "csv").splitlines()))

    assert ["0", "1", "2"] == [row["partition"] for row in rows if row["topic"] == "orders"]
    assert ["2 7"] == [row["replicas"] for row in rows if row["leader"] == "" != row["topic"]]
    assert "schema: kadmin.topics.describe/1" in topics("--describe", "--output", "yaml")


def test_a_topic_is_found_by_its_id(sick):
    assert "Topic: gone" in topics("--describe", "--topic-id", topic_id_of("gone"))
    outcome = kadmin("topics", "--describe", "--topic-id", "x")
    assert (1, "kadmin: there is no topic with the id 'x'") == (
        outcome.exit_code,
        outcome.stderr.splitlines()[0],
    )


def test_of_a_topic_that_is_named_by_its_id_only_that_one_is_read(sick):
    with client_of(sick) as client:
        data, _ = client.get("/brokers/topics/gone")
        client.set(
            "/brokers/topics/gone",
            data.replace(topic_id_of("gone").encode(), b"-_aaaaaaaaSVkgM35bYjEg"),
        )
        client.set("/config/topics/orders", b"{")
        client.set("/brokers/topics/orders/partitions/0/state", b"{")

    found = kadmin("topics", "--describe", "--topic-id", "-_aaaaaaaaSVkgM35bYjEg")

    assert (0, "") == (found.exit_code, found.stderr)
    head, partition = found.stdout.splitlines()
    assert head.startswith("Topic: gone\tTopicId: -_aaaaaaaaSVkgM35bYjEg\t")
    assert partition.startswith("\tTopic: gone\tPartition: 0\tLeader: 0\t")


def test_an_id_that_nobody_has_is_an_error_unless_it_need_not_exist(sick):
    with client_of(sick) as client:
        client.set("/brokers/topics/gone", b"{")

    missing = kadmin("topics", "--describe", "--topic-id", "x")
    allowed = kadmin("topics", "--describe", "--topic-id", "x", "--if-exists")

    assert (ExitCode.FAILED, "") == (missing.exit_code, missing.stdout)
    assert (0, "") == (allowed.exit_code, allowed.stdout)
    for said in (missing.stderr, allowed.stderr):
        assert "warning: left out, whatever its id is: /brokers/topics/gone (zkVersion 1)" in said
    assert "there is no topic with the id 'x'" in missing.stderr


def test_an_unknown_topic_is_an_error_unless_it_need_not_exist(sick):
    assert "did you mean orders" in refused(sick, "--describe", "--topic", "order").stderr
    assert "" == topics("--describe", "--topic", "order", "--if-exists")
    assert "" == topics("--alter", "--topic", "order", "--partitions", "9", "--if-exists")
    assert "" == topics("--delete", "--topic", "order", "--if-exists", "--yes")


def test_damaged_znodes_are_named_and_the_rest_is_shown(sick):
    with client_of(sick) as client:
        client.set("/brokers/topics/gone", b"{")
        client.set("/config/topics/orders", b"[]")
        client.set("/brokers/topics/orders/partitions/0/state", b'{"leader":"x"}')
        client.create("/brokers/ids/x", b"{}")

    outcome = kadmin("topics", "--describe")

    assert outcome.exit_code == 0
    assert "Partition: 0\tLeader: none\tReplicas: 0,1" in outcome.stdout
    assert "Topic: gone" not in outcome.stdout
    for path in ("/brokers/topics/gone (zkVersion 1)", "/config/topics/orders", "/brokers/ids/x"):
        assert path in outcome.stderr


@pytest.mark.parametrize("name", ["a b", "x" * 300, "caf\u00e9"])
def test_a_znode_that_no_topic_can_be_called_by_is_told_of_beside_the_rest(sick, name):
    with client_of(sick) as client:
        data, _ = client.get("/brokers/topics/gone")
        client.create(f"/brokers/topics/{name}", data)

    listed = kadmin("topics", "--list")
    described = kadmin("topics", "--describe")
    structured = json.loads(topics("--describe", "--output", "json"))

    assert "__consumer_offsets\ngone - marked for deletion\norders\n" == listed.stdout
    assert SICK_DESCRIPTION == described.stdout
    for outcome in (listed, described):
        assert 0 == outcome.exit_code
        assert f"left out: /brokers/topics/{name}: topic name" in outcome.stderr
    assert [f"/brokers/topics/{name}"] == [one["path"] for one in structured["faults"]]


def test_a_wrong_chroot_is_no_empty_cluster(chroot):
    outcome = kadmin("topics", "--list", "--zookeeper", chroot)

    assert outcome.exit_code == ExitCode.FAILED
    assert "there is no cluster at" in outcome.stderr


def test_watching_shows_it_again_until_it_is_interrupted(healthy):
    process = subprocess.Popen(
        [sys.executable, "-m", "kadmin", "topics", "--list", "--watch", "0.1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None

    seen = [process.stdout.readline() for _ in range(3)]
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=OUTER_LIMIT_S)

    assert ["users\n"] * 3 == seen
    assert ExitCode.INTERRUPTED == process.returncode
    assert "Traceback" not in said


@pytest.mark.usefixtures("healthy")
def test_watching_a_terminal_leaves_it_as_it_was():
    with AskingKadmin("brokers", "--list", "--watch", "0.1") as asking:
        while "Ctrl-C ends" not in asking.said:
            assert asking.read(), asking.said
        asking.process.send_signal(signal.SIGINT)
        exit_code = asking.exit_code()

    assert ExitCode.INTERRUPTED == exit_code
    assert asking.said.startswith("\x1b[?1049h")
    assert asking.said.endswith("\x1b[?1049lkadmin: interrupted\n")
    assert "every 0.1 s: kadmin brokers" in asking.said


@pytest.mark.faults
def test_watching_goes_on_through_an_outage(tmp_path):
    with running_server(tmp_path / "one") as server:
        connect = make_chroot(server)
        write_snapshot(connect, cluster(RACKED, topic("users", "0")))
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "kadmin", "topics", "--list", "--watch", "0.1"),
                *("--zookeeper", connect, "--timeout", "1s"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        assert "users\n" == process.stdout.readline()

        server.kill()
        while "trying again" not in process.stderr.readline():
            assert process.poll() is None
        with running_server(tmp_path / "one", port=server.port):
            with client_of(connect) as client:
                client.create("/brokers/topics/orders")
            while (line := process.stdout.readline()) != "orders\n":
                assert "users\n" == line
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=OUTER_LIMIT_S)

    assert ExitCode.INTERRUPTED == process.returncode


def test_a_filter_that_finds_nothing_says_of_how_many_and_scripts_hear_of_it(healthy):
    filtered = ("topics", "--describe", "--unavailable-partitions")

    empty = kadmin(*filtered, "--exit-code")

    assert (0, "") == (empty.exit_code, empty.stdout)
    assert "none of 2 partitions: unavailable\n" == empty.stderr


def test_scripts_hear_of_what_a_filter_finds_only_when_they_ask(sick):
    filtered = ("topics", "--describe", "--unavailable-partitions")

    asked, not_asked = kadmin(*filtered, "--exit-code"), kadmin(*filtered)
    unfiltered = kadmin("topics", "--describe", "--exit-code")

    assert (ExitCode.FOUND, ExitCode.DONE) == (asked.exit_code, not_asked.exit_code)
    assert asked.stdout == not_asked.stdout != ""
    assert ExitCode.USAGE == unfiltered.exit_code
    assert "--exit-code needs one of --under-replicated-partitions" in unfiltered.stderr


def test_a_dead_leader_in_a_pipe_is_warned_of(chroot, monkeypatch):
    led = {number: state(7, "0,7") for number in range(6)}
    write_snapshot(chroot, cluster(RACKED, topic("t", "0,7 0,7 0,7 0,7 0,7 0,7", led)))
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)

    outcome = kadmin("topics", "--describe")

    assert (
        "warning: broker 7 is dead, and still named as the leader of 6 partitions, which have"
        " no leader now: t-0, t-1, t-2, t-3, t-4, …\n"
    ) == outcome.stderr
    assert "\tLeader: 7\t" in outcome.stdout


def test_who_is_needed_stands_in_documents(sick):
    [orders] = json.loads(topics("--describe", "--topic", "orders", "--output", "json"))["topics"]

    assert [[], [], [7]] == [part["needs_brokers"] for part in orders["partitions"]]


def test_a_topic_that_is_named_is_shown_where_it_may_not_be_seen_which_there_are(
    healthy: str,
) -> None:
    with client_of(healthy) as client:
        (name, *_) = client.get_children(paths.TOPICS)
        client.set_acls(paths.TOPICS, [make_digest_acl("kafka", "secret", all=True)])

    described = kadmin("topics", "--describe", "--topic", name)
    listed = kadmin("topics", "--list", "--topic", name)
    missing = kadmin("topics", "--describe", "--topic", "elsewhere")
    refused = [kadmin("topics", *words) for words in (("--list",), ("--list", "--topic", "or*"))]

    told = "left out: /brokers/topics: may not be read by this user"
    assert f"Topic: {name}" in described.stdout
    assert f"{name}\n" == listed.stdout
    assert [ExitCode.DONE] * 2 == [described.exit_code, listed.exit_code]
    assert [1, 1] == [run.stderr.count(told) for run in (described, listed)]
    assert "elsewhere" in missing.stderr
    assert ExitCode.FAILED == missing.exit_code
    for run in refused:
        assert "no permission for /brokers/topics" in run.stderr
