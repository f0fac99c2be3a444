"""`kadmin topics --create`, `--alter` and `--delete`, as an operator runs them."""

import json
import signal
import threading

import pytest

from cluster.model.controller import Controller
from cluster.model.ids import BrokerId, TopicPartition
from cluster.zk import paths
from kadmin.errors import ExitCode
from tests.kadmin.builders import cluster, topic, topic_id_of
from tests.kadmin.cli.topics.runs import RACKED, described, layout, refused, topics
from tests.support.asking import AskingKadmin
from tests.support.cli import kadmin
from tests.support.lossy_proxy import Loss, LossyProxy
from tests.support.proxy import serving
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.znodes import all_znodes, write_snapshot
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk


def test_a_layout_can_be_made_again(healthy):
    size = ("--partitions", "4", "--replication-factor", "2", "--no-wait")

    topics("--create", "--topic", "a", *size)
    planned = kadmin("topics", "--create", "--topic", "b", *size, "--dry-run").stdout
    start = planned.splitlines()[0].split(", ", 1)[1].split()
    topics("--create", "--topic", "b", *size, *start)

    expected = [line.split("replicas ")[1] for line in planned.splitlines()[1:]]
    assert expected == [",".join(map(str, part)) for part in layout("b").values()]


def test_create_writes_config_and_topic_in_the_formats_of_kafka(healthy):
    said = topics(
        *("--create", "--topic", "orders", "--replica-assignment", "0:1,1:2", "--no-wait"),
        *("--config", "retention.ms=60000", "--config", "cleanup.policy = compact"),
    )

    assert "Created topic orders.\n" == said
    with client_of(healthy) as client:
        topic_data, _ = client.get("/brokers/topics/orders")
        config_data, _ = client.get("/config/topics/orders")
    assert (
        b'{"partitions":{"0":[0,1],"1":[1,2]},"adding_replicas":{},"removing_replicas":{},'
        b'"version":3}' == topic_data
    )
    assert {
        "version": 1,
        "config": {"retention.ms": "60000", "cleanup.policy": "compact"},
    } == json.loads(config_data)


def test_the_plan_is_shown_before_it_is_written(healthy):
    outcome = kadmin(
        *("topics", "--create", "--topic", "t", "--replica-assignment", "0:1", "--no-wait"),
        *("--config", "retention.ms=1"),
    )

    assert [
        f"cluster: {healthy}",
        *("plan: create topic t", "  config retention.ms=1", "  partition 0: replicas 0,1"),
    ] == [
        line.split(":", 2)[0] + ":" + line.split(":", 2)[1] if line.startswith("plan") else line
        for line in outcome.stderr.splitlines()
    ]
    quiet = kadmin(
        *("topics", "--create", "--topic", "q", "--replica-assignment", "0:1", "--no-wait"),
        "--quiet",
    )
    assert "" == quiet.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--create", "--topic", "t", "--partitions", "2", "--replication-factor", "2"),
        ("--alter", "--topic", "users", "--partitions", "4", "--config", "retention.ms=5"),
        ("--delete", "--topic", "users"),
    ],
)
def test_a_dry_run_writes_nothing(healthy, arguments):
    before = all_znodes(healthy)

    text = topics(*arguments, "--dry-run")
    body = json.loads(topics(*arguments, "--dry-run", "--output", "json"))

    assert before == all_znodes(healthy)
    assert text.startswith("plan: ")
    assert body["dry_run"] is True
    assert {"planned"} <= {change["outcome"] for change in body["changes"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--create", "--topic", "t", "--partitions", "30", "--replication-factor", "2"),
        ("--alter", "--topic", "users", "--partitions", "32"),
    ],
)
def test_a_dry_run_shows_every_new_partition(healthy, arguments):
    shown = [line for line in topics(*arguments, "--dry-run").splitlines() if "replicas " in line]

    assert 30 == len([line for line in shown if line.startswith("  partition ")])


def test_a_second_create_fails_unless_the_topic_may_exist(healthy):
    create = ("--create", "--topic", "users", "--partitions", "1", "--replication-factor", "1")

    outcome = refused(healthy, *create)

    assert ExitCode.FAILED == outcome.exit_code
    assert "topic 'users' already exists" in outcome.stderr
    assert "" == topics(*create, "--if-not-exists")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ("--create --topic a b --partitions 1", ExitCode.USAGE, "unexpected extra argument"),
        ("--create --topic t", ExitCode.USAGE, "--partitions and --replication-factor"),
        ("--create --topic t*  --partitions 1 --replication-factor 1", ExitCode.USAGE, "illegal"),
        ("--create --topic t --partitions 0 --replication-factor 1", ExitCode.USAGE, "0"),
        ("--create --topic t --partitions x --replication-factor 1", ExitCode.USAGE, "'x'"),
        ("--create --topic t --partitions 1 --replication-factor 4", ExitCode.FAILED, "factor 4"),
        ("--create --topic t --replica-assignment 0:9", ExitCode.REFUSED, "not alive: 9"),
        ("--create --topic t --replica-assignment 0:0", ExitCode.USAGE, "duplicate"),
        ("--create --topic t --replica-assignment 0 --partitions 1", ExitCode.USAGE, "--partit"),
        ("--create --topic t --replica-assignment 0 --config a=1", ExitCode.FAILED, "a"),
        ("--create --topic t --replica-assignment 0 --config x", ExitCode.USAGE, "KEY=VALUE"),
        ("--create --topic t --replica-assignment 0 --config x=1=2", ExitCode.USAGE, "KEY=VALUE"),
        (
            "--create --topic t --replica-assignment 0 --config retention.ms=abc",
            ExitCode.FAILED,
            "retention.ms",
        ),
        ("--create --topic us.ers --replica-assignment 0 --start-shift 1", ExitCode.USAGE, "start"),
        ("--alter --topic users", ExitCode.USAGE, "--alter needs"),
        ("--alter --topic users --partitions 2", ExitCode.FAILED, "only be increased"),
        ("--alter --topic users --partitions 4 --replica-assignment 0:1", ExitCode.USAGE, "names"),
        ("--alter --topic users --replica-assignment 1:0,1:2,2:0", ExitCode.USAGE, "partition 0"),
        ("--alter --topic users --replication-factor 3", ExitCode.USAGE, "--replication-factor"),
        ("--alter --topic users --config no.such=1", ExitCode.FAILED, "no.such"),
        ("--alter --topic nosuch --partitions 9", ExitCode.FAILED, "nosuch"),
        ("--delete --topic users", ExitCode.REFUSED, "not confirmed"),
        ("--delete --topic users --partitions 1", ExitCode.USAGE, "--partitions"),
        ("--delete", ExitCode.USAGE, "--delete needs --topic"),
        ("--list --describe", ExitCode.USAGE, "exactly one"),
        ("", ExitCode.USAGE, "exactly one"),
        ("--describe --if-exists", ExitCode.USAGE, "--if-exists needs --topic"),
        (
            "--describe --unavailable-partitions --topics-with-overrides",
            ExitCode.USAGE,
            "only one of",
        ),
        ("--describe --topic users --topic-id x", ExitCode.USAGE, "both name"),
        ("--list --topic (  --regex", ExitCode.USAGE, "no regular expression"),
        ("--list --force", ExitCode.USAGE, "--force"),
    ],
)
def test_wrong_use_is_refused_and_writes_nothing(healthy, arguments, code, words):
    outcome = refused(healthy, *arguments.split())

    assert code == outcome.exit_code
    assert words in outcome.stderr
    assert code != ExitCode.USAGE or "\nhint: " in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_unknown_brokers_need_to_be_allowed(healthy):
    topics(
        *("--create", "--topic", "t", "--replica-assignment", "0:9", "--no-wait"),
        "--allow-unknown-brokers",
    )

    assert {0: [0, 9]} == layout("t")


def test_an_alter_keeps_id_and_unknown_fields_and_notifies_of_configs(healthy):
    with client_of(healthy) as client:
        data, _ = client.get("/brokers/topics/users")
        client.set("/brokers/topics/users", data[:-1] + b',"future":{"a":1}}')

    said = topics(
        *("--alter", "--topic", "users", "--partitions", "3", "--no-wait"),
        *("--config", "retention.ms=5", "--delete-config", "segment.bytes", "--yes"),
    )

    assert "Updated config for topic users.\nAdding partitions succeeded!\n" == said
    found = described("users")
    assert {"retention.ms": "5"} == found["configs"]
    assert topic_id_of("users") == found["topic_id"]
    assert {0: [0, 1], 1: [1, 2], 2: [2, 0]} == layout("users")
    with client_of(healthy) as client:
        data, _ = client.get("/brokers/topics/users")
        (change,) = client.get_children("/config/changes")
        news, _ = client.get(f"/config/changes/{change}")
    assert {"a": 1} == json.loads(data)["future"]
    assert {"version": 2, "entity_path": "topics/users"} == json.loads(news)


def test_several_topics_are_changed_only_after_a_question(healthy):
    topics("--create", "--topic", "users2", "--replica-assignment", "0:1", "--no-wait")

    outcome = refused(healthy, "--alter", "--topic", "users*", "--partitions", "5")
    assert ExitCode.REFUSED == outcome.exit_code
    assert "plan: topic users2: 1 -> 5 partitions" in outcome.stderr
    topics("--alter", "--topic", "users*", "--partitions", "5", "--yes", "--no-wait")

    assert [5, 5] == [len(layout(name)) for name in ("users", "users2")]


def test_one_topic_that_cannot_be_changed_holds_up_all(sick):
    outcome = refused(sick, "--alter", "--topic", "gone,orders", "--partitions", "9", "--yes")

    assert ExitCode.REFUSED == outcome.exit_code
    assert "'gone' is marked for deletion" in outcome.stderr


def test_internal_topics_are_safe(sick):
    for arguments in (("--delete", "--yes"), ("--alter", "--partitions", "9")):
        outcome = refused(sick, "--topic", "__consumer_offsets", *arguments)
        assert ExitCode.REFUSED == outcome.exit_code


def test_a_deletion_can_be_run_twice(healthy):
    delete = ("--delete", "--topic", "us*", "--force")

    assert "Topic users is marked for deletion.\n" == topics(*delete)
    assert "Topic users is already marked for deletion.\n" == topics(*delete)
    with client_of(healthy) as client:
        assert client.exists("/admin/delete_topics/users")


@pytest.mark.faults
@pytest.mark.parametrize("is_made_again", [False, True])
def test_a_deletion_that_is_over_when_its_lost_reply_is_missed_is_done(healthy, is_made_again):
    """The proxy holds the reply back until the test has done what a controller does."""
    server, _, chroot = healthy.partition("/")
    with client_of(healthy) as client, serving(LossyProxy(server)) as proxy:

        def delete_as_a_controller() -> None:
            client.get(paths.delete_topic("users"))  # Without the mark it would do nothing.
            data, _ = client.get(paths.topic("users"))
            client.delete(paths.topic("users"), recursive=True)
            client.delete(paths.topic_config("users"))
            client.delete(paths.delete_topic("users"))
            if is_made_again:  # As a producer does that goes on; with the version of the first.
                client.create(paths.topic("users"), data)

        proxy.lose(Loss.REPLY, meanwhile=delete_as_a_controller)
        outcome = kadmin(
            *("topics", "--delete", "--topic", "users", "--yes"),
            *("--zookeeper", f"{proxy.address}/{chroot}"),
        )

        assert [Loss.REPLY] == proxy.lost
        assert (ExitCode.DONE, "Topic users is marked for deletion.\n") == (
            outcome.exit_code,
            outcome.stdout,
        )
        assert client.exists(paths.delete_topic("users")) is None
        assert is_made_again == (client.exists(paths.topic("users")) is not None)


def test_a_moving_topic_gets_no_partitions(chroot, monkeypatch):
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    moving = {TopicPartition("legacy", 0): (BrokerId(1),)}
    write_snapshot(
        chroot,
        cluster(RACKED, topic("new", "0,1", adding="1"), topic("legacy", "0"), moving=moving),
    )

    for name in ("new", "legacy"):
        outcome = refused(chroot, "--alter", "--topic", name, "--partitions", "9")
        assert ExitCode.REFUSED == outcome.exit_code
        assert f"{name}-0" in outcome.stderr
    assert 1 == described("new")["replication_factor"]


def test_a_cluster_of_kraft_is_read_and_not_written(chroot, monkeypatch):
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    snapshot = cluster(RACKED, topic("users", "0"))
    object.__setattr__(
        snapshot,
        "controller",
        Controller(broker_id=BrokerId(3000), version=2, kraft_controller_epoch=7),
    )
    write_snapshot(chroot, snapshot)

    for arguments in (
        ("--create", "--topic", "t", "--replica-assignment", "0"),
        ("--alter", "--topic", "users", "--partitions", "9"),
        ("--delete", "--topic", "users"),
    ):
        for dry_run in ((), ("--dry-run",)):
            outcome = refused(chroot, *arguments, *dry_run)
            assert ExitCode.REFUSED == outcome.exit_code
            assert "KRaft" in outcome.stderr
    assert "users\n" == topics("--list")


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        (paths.topic("users"), ("--alter", "--topic", "users", "--partitions", "9")),
        (paths.REASSIGN_PARTITIONS, ("--alter", "--topic", "users", "--partitions", "9")),
        (paths.topic("users"), ("--delete", "--topic", "u*", "--yes")),
        (paths.topic("users"), ("--create", "--topic", "users", "--replica-assignment", "0")),
        (
            paths.topic_config("users"),
            ("--alter", "--topic", "users", "--config", "retention.ms=1"),
        ),
    ],
)
def test_what_is_damaged_is_named_and_not_changed(healthy, path, arguments):
    with client_of(healthy) as client:
        client.ensure_path(path)
        client.set(path, b"{")

    outcome = refused(healthy, *arguments)

    assert ExitCode.REFUSED == outcome.exit_code
    assert f"since this cannot be understood: {path} (zkVersion 1)" in outcome.stderr


def test_a_topic_with_damaged_configs_can_be_deleted(healthy):
    with client_of(healthy) as client:
        client.set(paths.topic_config("users"), b"{")

    assert "Topic users is marked for deletion.\n" == topics("--delete", "--topic", "users", "-y")


@pytest.mark.usefixtures("quick_waits")
def test_waiting_for_leaders_ends_with_the_timeout(healthy):
    outcome = kadmin("topics", "--create", "--topic", "t", "--replica-assignment", "0:1,1:2")

    assert (ExitCode.IN_PROGRESS, "Created topic t.\n") == (outcome.exit_code, outcome.stdout)
    assert "2 of 2 partitions have no leader: t-0, t-1" in outcome.stderr


def test_without_a_controller_nobody_is_waited_for(healthy):
    with client_of(healthy) as client:
        client.delete(paths.CONTROLLER)

    outcome = kadmin("topics", "--create", "--topic", "t", "--replica-assignment", "0:1")

    assert ExitCode.DONE == outcome.exit_code
    assert "no controller is active" in outcome.stderr


@pytest.mark.usefixtures("quick_waits")
def test_waiting_for_a_deletion_ends_with_the_timeout(healthy):
    outcome = kadmin("topics", "--delete", "--topic", "users", "--yes", "--wait")

    assert ExitCode.IN_PROGRESS == outcome.exit_code
    assert "not yet gone: users" in outcome.stderr


def test_many_operators_at_once_add_up(healthy):
    """Every alter is planned anew when another got in between: no partition is lost or doubled."""
    outcomes: list[int] = []

    def create(number: int) -> None:
        from kadmin.admin.zookeeper.connection import connect
        from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics
        from kadmin.arguments.topics import TopicSelection
        from kadmin.execute.commit import commit
        from kadmin.plan.topics import plan_add_partitions
        from kadmin.settings.resolve import ZooKeeperSettings

        with connect(ZooKeeperSettings(connect=healthy, timeout_s=OUTER_LIMIT_S)) as connection:
            admin = ZooKeeperTopics(connection)

            def plan():
                snapshot = admin.snapshot(TopicSelection(), with_states=False)
                count = len(snapshot.topics["users"].assignment.partitions) + 1
                return plan_add_partitions(
                    snapshot, "users", count, None, placement=None, is_rack_aware=True
                )

            fence = admin.fence()
            commit(admin, fence, plan(), replan=plan)
            outcomes.append(number)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 3 == len(outcomes)
    assert 5 == len(layout("users"))


def test_a_topic_too_large_for_the_servers_is_named(healthy):
    outcome = refused(
        healthy,
        *("--create", "--topic", "huge", "--partitions", "70000", "--replication-factor", "3"),
        *("--quiet", "--no-wait", "--allow-many-partitions"),
    )

    assert ExitCode.FAILED == outcome.exit_code
    assert "ZooKeeper does not take /brokers/topics/huge" in outcome.stderr


@pytest.mark.parametrize(
    ("count", "arguments"),
    [
        ("10,001", ("--create", "--topic", "t", "--replication-factor", "1")),
        ("2,147,483,647", ("--create", "--topic", "t", "--replication-factor", "1", "--dry-run")),
        ("10,001", ("--create", "--topic", "t", "--replica-assignment", ",".join(["0"] * 10_001))),
        ("2,147,483,645", ("--alter", "--topic", "users", "--dry-run")),
    ],
)
def test_more_partitions_than_anybody_means_are_refused_at_once(healthy, count, arguments):
    if "--replica-assignment" not in arguments:
        partitions = "10001" if count == "10,001" else "2147483647"
        arguments += ("--partitions", partitions)

    outcome = refused(healthy, *arguments)

    assert ExitCode.REFUSED == outcome.exit_code
    assert f"{count} new partitions are more than the 10,000 of one change" in outcome.stderr
    assert "--allow-many-partitions" in outcome.stderr.splitlines()[-1]


def test_partitions_of_many_topics_are_counted_together(healthy):
    for name in ("v1", "v2", "v3"):
        topics("--create", "--topic", name, "--replica-assignment", "0", "--no-wait")

    outcome = refused(healthy, "--alter", "--topic", "v*", "--partitions", "4001", "--yes")
    allowed = kadmin(
        *("topics", "--alter", "--topic", "v*", "--partitions", "4001", "--dry-run"),
        "--allow-many-partitions",
    )

    assert ExitCode.REFUSED == outcome.exit_code
    assert "12,000 new partitions" in outcome.stderr
    assert ExitCode.DONE == allowed.exit_code


def test_more_partitions_than_kafka_can_count_are_wrong_usage():
    outcome = kadmin("topics", "--create", "--topic", "t", "--partitions", "99999999999")

    assert ExitCode.USAGE == outcome.exit_code
    assert "1<=x<=2147483647" in outcome.stderr


def test_a_long_plan_tells_how_far_it_is_and_ends_by_ctrl_c(healthy):
    arguments = ("--partitions", "1000000000", "--replication-factor", "1", "--dry-run")
    with AskingKadmin(
        *("topics", "--create", "--topic", "huge", *arguments), "--allow-many-partitions"
    ) as run:
        while "have their replicas" not in run.said:
            assert run.read()
        run.process.send_signal(signal.SIGINT)

        assert ExitCode.INTERRUPTED == run.exit_code()

    assert "kadmin: interrupted" in run.said


def test_hints_go_to_the_cluster_that_the_options_name(healthy, monkeypatch):
    monkeypatch.delenv("KADMIN_ZOOKEEPER")

    outcome = kadmin("topics", "--describe", "--topic", "nosuch", "--zookeeper", healthy)

    hint = f"hint: 'kadmin --zookeeper {healthy} topics --list' lists all topics"
    assert hint == outcome.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("topics", "--delete", "--topic", "u*"), "plan: delete topic users with all its records"),
        (
            ("configs", "--alter", "--topic", "*", "--add-config", "retention.ms=1"),
            "plan: configs of topic 'others'\n  + retention.ms=1",
        ),
    ],
)
def test_who_is_asked_sees_the_plan_however_quiet_it_is_to_be(
    chroot, monkeypatch, arguments, shown
):
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    write_snapshot(chroot, cluster(RACKED, topic("users", "0"), topic("others", "0")))

    with AskingKadmin(*arguments, "--quiet") as asking:
        asking.read_until("[y/N]: ")
        said = asking.said

    assert shown in said


def test_a_broker_that_cannot_be_read_is_named_when_replicas_are_placed(healthy):
    with client_of(healthy) as client:
        client.set("/brokers/ids/1", b"{")

    outcome = kadmin(
        *("topics", "--create", "--topic", "t", "--partitions", "4", "--replication-factor", "2"),
        "--no-wait",
    )

    assert ExitCode.DONE == outcome.exit_code
    assert "warning: left out: /brokers/ids/1" in outcome.stderr
    assert {0, 2} == {broker for replicas in layout("t").values() for broker in replicas}


def test_a_config_that_kafka_does_not_know_cannot_be_deleted_unless_it_is_set(healthy):
    delete = ("--alter", "--topic", "users", "--delete-config")

    unknown = refused(healthy, *delete, "retentoin.ms")
    with client_of(healthy) as client:
        client.set("/config/topics/users", b'{"version":1,"config":{"plugin.key":"x"}}')
    known = kadmin("topics", *delete, "plugin.key")

    assert ExitCode.FAILED == unknown.exit_code
    assert "Unknown topic config name: retentoin.ms" in unknown.stderr
    assert "hint: did you mean retention.ms?" in unknown.stderr
    assert "Updated config for topic users.\n" == known.stdout
    assert {} == described("users")["configs"]


def test_a_config_that_is_not_set_is_not_said_to_be_deleted(healthy):
    outcome = kadmin("topics", "--alter", "--topic", "users", "--delete-config", "segment.bytes")

    assert (0, "Config for topic users stays as it is.\n") == (outcome.exit_code, outcome.stdout)
    assert (
        "  warning: segment.bytes is not set for topic 'users': nothing to delete\n"
        in outcome.stderr
    )
