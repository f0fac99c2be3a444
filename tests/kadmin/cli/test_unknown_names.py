"""Names that mean nothing in the cluster: every command refuses them, and says which it was."""

from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, topic
from tests.support.cli import kadmin
from tests.support.znodes import write_snapshot

pytestmark = pytest.mark.zk

NO_BROKER, NO_TOPIC = "there is no broker 77", "there is no topic 'nope'"
MOVE = '{"version":1,"partitions":[{"topic":"%s","partition":%s,"replicas":[%s]}]}'
FILES = {
    "topics.json": '{"version":1,"topics":[{"topic":"orders"}]}',
    "no-topic.json": MOVE % ("nope", 0, 1),
    "no-partition.json": MOVE % ("orders", 7, 1),
    "no-broker.json": MOVE % ("orders", 0, 77),
}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("topics --list --topic nope", NO_TOPIC),
        ("topics --list --topic orders,nope", NO_TOPIC),
        ("topics --describe --topic nope", NO_TOPIC),
        ("topics --alter --topic nope --partitions 9", NO_TOPIC),
        ("topics --delete --topic nope", NO_TOPIC),
        ("configs --describe --topic nope", NO_TOPIC),
        ("configs --describe --broker 77", NO_BROKER),
        ("configs --describe --all --broker 77", NO_BROKER),
        ("configs --describe --entity-type brokers --entity-name 77", NO_BROKER),
        ("configs --describe --user ghost", "there is no user 'ghost'"),
        ("configs --describe --user ghost --client app", "there is no user 'ghost'"),
        ("configs --describe --client ghost", "there is no client 'ghost': no quota is set for it"),
        ("configs --describe --ip 10.0.0.9", "there is no IP address '10.0.0.9': no quota is"),
        ("configs --describe --user-defaults --client app", "there is no client 'app' of default"),
        ("configs --alter --topic nope --delete-config retention.ms", NO_TOPIC),
        (
            "configs --alter --broker 77 --add-config leader.replication.throttled.rate=1",
            NO_BROKER,
        ),
        ("acls --list --topic nope", NO_TOPIC),
        ("brokers --list --broker 77", NO_BROKER),
        ("brokers --describe --broker 77", NO_BROKER),
        ("elect --topic nope --partition 0", "nope-0 does not exist"),
        ("elect --topic orders --partition 7", "orders-7 does not exist"),
        (
            "reassign --generate --topics-to-move-json-file topics.json --broker-list 1,77",
            NO_BROKER,
        ),
        (
            "reassign --execute --from-broker 77 --to-brokers 1 --dry-run",
            "broker 77 has no replica",
        ),
        ("reassign --execute --from-broker 1 --to-brokers 77", "not alive: 77"),
        ("reassign --execute --topic orders --replicas 77", "non-existent brokerIDs: 77"),
        ("reassign --verify --from-broker 77", NO_BROKER),
        ("reassign --verify --topic nope --replicas 1", NO_TOPIC),
        ("reassign --verify --topic orders --partitions 7 --replicas 1", "not there: 1 partition"),
        ("reassign --verify --topic orders --replicas 77", NO_BROKER),
        ("reassign --verify --reassignment-json-file no-topic.json", "not there: 1 partition"),
        ("reassign --verify --reassignment-json-file no-broker.json", NO_BROKER),
        (
            "reassign --cancel --reassignment-json-file no-topic.json",
            "not there: 1 partition: nope-0",
        ),
        (
            "reassign --cancel --reassignment-json-file no-partition.json",
            "not there: 1 partition: orders-7",
        ),
    ],
)
def test_a_name_that_means_nothing_is_an_error(
    chroot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    write_snapshot(chroot, cluster(brokers("0 1"), topic("orders", "0,1 1,0")))

    outcome = kadmin(*words.split(), "--zookeeper", chroot)

    assert ExitCode.DONE != outcome.exit_code
    assert said in outcome.stderr


def test_a_dead_broker_that_has_replicas_is_none_that_does_not_exist(chroot: str) -> None:
    write_snapshot(chroot, cluster(brokers("0 1"), topic("orders", "0,7 1,0")))
    described = kadmin("configs", "--describe", "--broker", "7", "--zookeeper", chroot)
    left = kadmin("reassign", "--verify", "--from-broker", "7", "--zookeeper", chroot)

    assert ExitCode.DONE == described.exit_code
    assert "broker 7 is not alive, and nothing is set for it" in described.stderr
    assert ExitCode.FOUND == left.exit_code
    assert "other replicas than asked for: 1 partition: orders-0" in left.stderr


def test_what_is_to_come_can_be_named(chroot: str) -> None:
    write_snapshot(chroot, cluster(brokers("0 1"), topic("orders", "0,1")))
    throttle = "leader.replication.throttled.rate=1"
    words = ("--alter", "--broker", "7", "--add-config", throttle, "--allow-unknown-brokers")
    broker = kadmin("configs", *words, "--zookeeper", chroot)
    topic_to_come = kadmin(
        "topics", "--list", "--topic", "nope", "--if-exists", "--zookeeper", chroot
    )
    pattern = kadmin("topics", "--list", "--topic", "nope*", "--zookeeper", chroot)

    assert ExitCode.DONE == broker.exit_code
    assert (ExitCode.DONE, "") == (topic_to_come.exit_code, topic_to_come.stdout)
    assert (ExitCode.DONE, "nothing matches nope*\n") == (pattern.exit_code, pattern.stderr)
