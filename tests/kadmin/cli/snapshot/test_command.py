"""`kadmin snapshot` over a real ZooKeeper: clusters saved, shown and compared, and wrong files."""

import gzip
import json
import os

import pytest
from kazoo.security import make_digest_acl

from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.ids import BrokerId, TopicPartition
from cluster.zk import paths
from cluster.zk.configs import config_path, encode_config
from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.support.cli import done, kadmin
from tests.support.znodes import all_znodes, write_snapshot
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

ALICE = ConfigEntity(Entity(EntityKind.USERS, "alice"))
OWN = ConfigEntity(Entity(EntityKind.BROKERS, "1"))
ALL_BROKERS = ConfigEntity(Entity(EntityKind.BROKERS, None))
HER_CLIENT = ConfigEntity(Entity(EntityKind.USERS, "alice"), Entity(EntityKind.CLIENTS, "c"))
SECRETS = {
    ALICE: {"SCRAM-SHA-256": "salt=s3cr3t", "consumer_byte_rate": "5"},
    OWN: {"ssl.keystore.password": "s3cr3t", "plugin.token": "s3cr3t", "log.cleaner.threads": "2"},
    HER_CLIENT: {"SCRAM-SHA-512": "salt=s3cr3t"},
    ConfigEntity(Entity(EntityKind.IPS, "::1")): {"sasl.jaas.config": "s3cr3t"},
    ALL_BROKERS: {"min.insync.replicas": "1"},
}


@pytest.fixture
def three(chroot, monkeypatch):
    """Three registered brokers that do not answer, and a topic."""
    states = {0: state(1, "1,2"), 1: state(2, "2,3")}
    made = topic("t", "1,2 2,3", states, configs={"x": "1", "ssl.key.password": "s3cr3t"})
    write_snapshot(chroot, cluster(brokers("1:a 2:b 3"), made))
    with client_of(chroot) as client:
        client.ensure_path(paths.CLUSTER)
        client.create(paths.CLUSTER_ID, b'{"version":"1","id":"VcrVJPOVR7SVkgM35bYjEg"}')
        for entity, values in SECRETS.items():
            config = encode_config(ConfigOverrides(values=values))
            client.create(config_path(entity), config, makepath=True)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    return chroot


def save(path, *more):
    done("snapshot", "save", str(path), "--no-brokers", "--quiet", *more)
    return str(path)


def test_a_cluster_is_saved_shown_and_compared_with_itself(three, tmp_path):
    before = all_znodes(three)
    file = save(tmp_path / "a.json")

    assert before == all_znodes(three)
    assert "no differences" in done("snapshot", "diff", file, "--no-brokers")
    shown = done("snapshot", "show", file).splitlines()
    assert shown[0].startswith("cluster VcrVJPOVR7SVkgM35bYjEg at ")
    assert "3 brokers, controller 1 (epoch 1), 1 topic, 2 partitions, 4 replicas" in shown[1]
    assert (
        "broker 1, rack a: 1 leader, 1 replica, size unknown; PLAINTEXT://127.0.0.1:9093" in shown
    )
    found = json.loads(done("snapshot", "show", file, "--output", "json"))
    assert (2, [1, 2, 3]) == (found["partitions"], [each["broker"] for each in found["brokers"]])


def test_no_secret_is_in_the_file_but_the_names_of_those_left_out(three, tmp_path):
    outcome = kadmin("snapshot", "save", str(tmp_path / "a.json"), "--no-brokers")
    text = (tmp_path / "a.json").read_text()

    assert "s3cr3t" not in text + outcome.stdout + outcome.stderr
    assert '"consumer_byte_rate": "5"' in text
    assert '"log.cleaner.threads": "2"' in text
    for secret in (
        "user-principal 'alice': SCRAM-SHA-256",
        "brokers '1': ssl.keystore.password",
        "brokers '1': plugin.token",
        "user-principal 'alice', client-id 'c': SCRAM-SHA-512",
        "ips '::1': sasl.jaas.config",
        "topic 't': ssl.key.password",
    ):
        assert secret in json.loads(text)["secrets_left_out"]
        assert secret in outcome.stderr


def test_what_differs_is_shown_worst_first_with_exit_code_4(three, tmp_path):
    file = save(tmp_path / "a.json.gz")
    with client_of(three) as client:
        client.delete(paths.broker(BrokerId(3)))
        path = paths.state("t", 0)
        client.set(path, client.get(path)[0].replace(b'"leader":1', b'"leader":-1'))

    outcome = kadmin("snapshot", "diff", file, "--no-brokers")
    assert ExitCode.FOUND == outcome.exit_code
    assert [
        "1 critical difference, 1 warning",
        "CRITICAL: partitions lost their leader (1)",
        "  t-0: leader 1, ISR 1,2 -> leader none, ISR 1,2",
        "WARNING: brokers are gone (1)",
        "  broker 3: live -> none",
    ] == outcome.stdout.splitlines()[2:7]
    assert "no differences" in done("snapshot", "diff", file, "--only", "configs,acls")
    found = json.loads(kadmin("snapshot", "diff", file, "--no-brokers", "--output", "json").stdout)
    assert ["offline", "broker-removed"] == [each["kind"] for each in found["differences"]]
    later = save(tmp_path / "b.json")
    assert ExitCode.FOUND == kadmin("snapshot", "diff", file, later).exit_code
    assert ExitCode.DONE == kadmin("snapshot", "diff", later, later).exit_code


def test_a_config_of_all_brokers_differs_once(three, tmp_path):
    file = save(tmp_path / "a.json")
    with client_of(three) as client:
        config = encode_config(ConfigOverrides(values={"min.insync.replicas": "2"}))
        client.set(config_path(ALL_BROKERS), config)

    outcome = kadmin("snapshot", "diff", file, "--no-brokers", "--only", "configs")
    assert [
        "WARNING: configs changed (1)",
        "  default brokers: min.insync.replicas: 1 -> 2",
    ] == outcome.stdout.splitlines()[3:5]


def test_a_damaged_topic_is_named_and_not_gone(three, tmp_path):
    file = save(tmp_path / "a.json")
    with client_of(three) as client:
        client.set(paths.topic("t"), b"{")

    outcome = kadmin("snapshot", "diff", file, "--no-brokers", "--only", "topics")
    assert ExitCode.DONE == outcome.exit_code
    assert "not read in now: " in outcome.stdout
    assert paths.topic("t") in outcome.stdout


def test_a_file_that_exists_is_overwritten_only_by_force(three, tmp_path):
    file = save(tmp_path / "a.json")
    before = (tmp_path / "a.json").read_bytes()

    outcome = kadmin("snapshot", "save", file, "--no-brokers")
    assert ExitCode.REFUSED == outcome.exit_code
    assert f"{file} exists already" in outcome.stderr
    assert before == (tmp_path / "a.json").read_bytes()
    save(file, "--force")


def test_standard_output_gets_the_same(three, tmp_path):
    file = save(tmp_path / "a.json")
    printed = json.loads(done("snapshot", "save", "-", "--no-brokers", "--quiet"))

    assert (
        json.loads((tmp_path / "a.json").read_text()) | {"taken_at_ms": printed["taken_at_ms"]}
        == printed
    )
    assert os.path.exists(file)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file or directory"),
        (b"", "it is empty"),
        (b"\xff\xfe", "it is no text in UTF-8"),
        (b"\x1f\x8bgarbage", "it is cut off or damaged"),
        (gzip.compress(b"{}" * 9000, mtime=0)[:30], "it is cut off or damaged"),
        (gzip.compress(b"{}", mtime=0), "it is no snapshot"),
    ],
)
def test_a_file_that_is_none_is_refused_before_a_cluster_is_read(content, reason, tmp_path):
    file = tmp_path / "a.json"
    if content is not None:
        file.write_bytes(content)

    for arguments in (["show", str(file)], ["diff", str(file)], ["diff", str(file), str(file)]):
        outcome = kadmin("snapshot", *arguments)

        assert ExitCode.USAGE == outcome.exit_code
        assert f"cannot use {file}: " in outcome.stderr
        assert reason in outcome.stderr


def test_where_nothing_can_be_written_nothing_is_read(tmp_path):
    for target, reason in (
        (tmp_path, "it is no plain file"),
        (tmp_path / "no" / "a.json", "its directory does not exist"),
    ):
        outcome = kadmin("snapshot", "save", str(target), "--zookeeper", "127.0.0.1:1")
        assert ExitCode.USAGE == outcome.exit_code
        assert reason in outcome.stderr


@pytest.mark.parametrize("only", ["topic", "", ",", "topics,x"])
def test_sections_that_are_none_are_refused(only):
    outcome = kadmin("snapshot", "diff", "a.json", "--only", only)

    assert ExitCode.USAGE == outcome.exit_code
    assert "is none of: cluster, brokers, topics" in outcome.stderr


def test_partitions_that_are_without_a_leader_are_shown(three, tmp_path):
    with client_of(three) as client:
        path = paths.state("t", 0)
        client.set(path, client.get(path)[0].replace(b'"leader":1', b'"leader":-1'))
    file = save(tmp_path / "a.json")

    assert f"unavailable: {TopicPartition('t', 0)}" in done("snapshot", "show", file)


def test_rules_and_quotas_that_change_are_differences(three, tmp_path):
    rule = ("--allow-principal", "User:bob", "--operation", "Read", "--topic", "t", "--yes")
    with client_of(three) as client:
        for kind in ("Topic", "Group", "Cluster", "TransactionalId", "DelegationToken"):
            client.ensure_path(f"/kafka-acl/{kind}")
        client.ensure_path("/kafka-acl-changes")
    file = save(tmp_path / "a.json")
    done("acls", "--add", *rule)
    quota = ("--add-config", "consumer_byte_rate=7", "--yes")
    done("configs", "--alter", "--user", "alice", *quota)
    done("configs", "--alter", "--user", "alice", "--client", "c", *quota)

    text = kadmin("snapshot", "diff", file, "--only", "acls,quotas", "--output", "csv").stdout
    assert [
        "severity,section,kind,subject,before,after",
        "warning,quotas,quota,user-principal 'alice': consumer_byte_rate,5,7",
        "warning,quotas,quota,\"user-principal 'alice', client-id 'c': consumer_byte_rate\",,7",
        'warning,acls,acl,"ResourcePattern(resourceType=TOPIC, name=t, patternType=LITERAL)",,'
        '"(principal=User:bob, host=*, operation=READ, permissionType=ALLOW)"',
    ] == text.splitlines()
    assert "no differences" in done("snapshot", "diff", file, "--only", "topics,brokers")


def test_brokers_that_do_not_answer_are_named(three, tmp_path):
    outcome = kadmin("snapshot", "save", str(tmp_path / "a.json"))

    assert ExitCode.DONE == outcome.exit_code
    assert "warning: left out: log directories: " in outcome.stderr
    faults = json.loads((tmp_path / "a.json").read_text())["faults"]
    assert ["log_dirs"] == [fault["thing"] for fault in faults]


def test_a_znode_that_may_not_be_read_is_named_and_its_configs_are_not_gone(three, tmp_path):
    file = save(tmp_path / "a.json")
    with client_of(three) as client:
        client.set_acls("/config/users", [make_digest_acl("x", "y", all=True)])

    outcome = kadmin("snapshot", "diff", file, "--no-brokers", "--only", "quotas")
    assert ExitCode.DONE == outcome.exit_code
    assert "no differences" in outcome.stdout
    assert "not read in now: quotas of users" in outcome.stdout
