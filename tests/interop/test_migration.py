"""Does Kafka 3.9.1 migrate, fail and roll back as `kadmin migration` says it will?

Real brokers and a real KRaft controller: what kadmin predicts of znodes is compared with what the
controller does, and with the words of its log.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from kazoo.client import KazooClient

from cluster.zk import paths
from cluster.zk.controller import encode_migration
from kadmin.errors import ExitCode
from tests.interop.maven import Maven, needing_maven
from tests.interop.migrating import DUAL_WRITE, Migration
from tests.interop.one_broker import start
from tests.interop.releases import KAFKA
from tests.kadmin.plan.migration.evidence import migration
from tests.support.cli import done, kadmin
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.interop

ABORTED: Final = "Aborting the metadata migration from ZooKeeper to KRaft"
NUMBER: Final = b'{"version":1,"config":{"producer_byte_rate":"1000"}}'
WORD: Final = b'{"version":1,"config":{"producer_byte_rate":"fast"}}'


@contextmanager
def migrating(
    chroot: str, java: str, maven: Maven, directory: Path, *, brokers: int = 1
) -> Iterator[Migration]:
    """A broker with two topics and a quota, and a controller that is formatted and does not run."""
    with needing_maven():
        class_path = maven.class_path(KAFKA["3.9.1"])
    made = Migration(chroot, java=java, class_path=class_path, directory=directory, brokers=brokers)
    try:
        start(made.cluster)
        admin = AdminClient({"bootstrap.servers": made.cluster.bootstrap})
        topics = [NewTopic("one", 1, 1), NewTopic("two", 2, 1)]
        for waiting in admin.create_topics(topics).values():
            waiting.result(OUTER_LIMIT_S)
        with client_of(chroot) as client:
            client.create("/config/users/ann", NUMBER, makepath=True)
        made.controller.format()
        yield made
    finally:
        made.kill()


def read(chroot: str, *arguments: str) -> Any:
    outcome = kadmin("migration", *arguments, "--zookeeper", chroot, "--output", "json")
    assert outcome.exit_code in (ExitCode.DONE, ExitCode.FOUND), outcome
    return json.loads(outcome.stdout)


def critical(chroot: str) -> list[tuple[str, str]]:
    """The kinds and outcomes of critical findings, by ZooKeeper alone."""
    report = read(chroot, "check", "--no-brokers")
    return [
        (each["kind"], each["outcome"])
        for each in report["findings"]
        if each["severity"] == "critical"
    ]


@pytest.mark.long
def test_a_cluster_migrates_as_predicted_and_is_given_back(
    chroot: str, java: str, maven: Maven, tmp_path: Path
) -> None:
    with migrating(chroot, java, maven, tmp_path) as made:
        assert [] == critical(chroot)
        assert "not-begun" == read(chroot, "status")["phase"]
        counted = {each["type"]: each["records"] for each in read(chroot, "preview")["records"]}

        made.controller.server.start()
        made.controller.server.wait_for(DUAL_WRITE)

        assert counted == made.controller.migrated()
        assert "dual-write" == read(chroot, "status")["phase"]
        alter = ("configs", "--alter", "--topic", "one", "--add-config", "retention.ms=1", "--yes")
        assert ExitCode.REFUSED == kadmin(*alter, "--zookeeper", chroot).exit_code

        # The controller runs, and writes /migration as long as it does.
        fix = ("migration", "rollback-check", "--fix", "--yes", "--zookeeper", chroot)
        refused = kadmin(*fix)
        assert ExitCode.REFUSED == refused.exit_code
        assert "is running" in refused.stderr

        made.controller.server.kill()
        done(*fix)

        with client_of(chroot) as client:
            wait_until(lambda: owner(client) == 0, what="broker 0 as the controller")
        assert "not-begun" == read(chroot, "status")["phase"]
        done("configs", "--alter", "--topic", "one", "--add-config", "retention.ms=70000", "--yes",
             "--zookeeper", chroot)  # fmt: skip
        assert ExitCode.DONE == kadmin(*fix).exit_code


CREDENTIAL: Final = b"salt=c2FsdA==,stored_key=a2V5,server_key=c2VydmVy,iterations=4096"


@pytest.mark.long
def test_both_stores_are_equal_in_dual_write_until_one_is_changed_by_hand(
    chroot: str, java: str, maven: Maven, tmp_path: Path
) -> None:
    with migrating(chroot, java, maven, tmp_path) as made, client_of(chroot) as client:
        configs = b'{"version":1,"config":{"SCRAM-SHA-256":"%s"}}' % CREDENTIAL
        client.create("/config/users/bob", configs, makepath=True)
        rule = {"principal": "User:ann", "permissionType": "Allow", "operation": "Read"}
        rules = json.dumps({"version": 1, "acls": [{**rule, "host": "*"}]})
        client.create("/kafka-acl/Topic/one", rules.encode(), makepath=True)
        alter = ("configs", "--alter", "--topic", "one", "--add-config", "retention.ms=70000")
        done(*alter, "--yes", "--zookeeper", chroot)
        log = str(made.controller.directory / "data")

        made.controller.server.start()
        made.controller.server.wait_for(DUAL_WRITE)

        first = read(chroot, "diff", "--metadata-dir", log)
        assert ([], True) == (first["differences"], first["equal"])
        assert first["compared"] > 20

        # Both are written now: a topic, a leader, and the next block of producer ids.
        admin = AdminClient({"bootstrap.servers": made.cluster.bootstrap})
        admin.create_topics([NewTopic("three", 3, 1)])["three"].result(OUTER_LIMIT_S)
        producer = Producer(
            {"bootstrap.servers": made.cluster.bootstrap, "enable.idempotence": True}
        )
        producer.produce("three", b"value")
        assert 0 == producer.flush(OUTER_LIMIT_S)
        wait_until(lambda: read(chroot, "diff", "--metadata-dir", log)["equal"], what="equality")
        assert read(chroot, "diff", "--metadata-dir", log)["compared"] > first["compared"]

        client.set("/config/topics/one", b'{"version":1,"config":{"retention.ms":"1"}}')
        state = paths.state("two", 0)
        client.set(state, json.dumps({**state_at(client, state), "leader_epoch": 9}).encode())

        differing = read(chroot, "diff", "--metadata-dir", log)["differences"]
        assert [
            ("partition two-0", "leader_epoch", "9", "0"),
            ("topic one", "config retention.ms", "1", "70000"),
        ] == [tuple(each.values()) for each in differing]


@pytest.mark.long
def test_epochs_of_kraft_strand_partitions_until_the_fix(
    chroot: str, java: str, maven: Maven, tmp_path: Path
) -> None:
    """KAFKA-20488, with the epoch of a quorum that has seen elections."""
    with migrating(chroot, java, maven, tmp_path, brokers=2) as made, client_of(chroot) as client:
        controller = owner(client)
        assert controller is not None
        # Led by the other one, which is stopped then.
        leader = 1 - controller
        admin = AdminClient({"bootstrap.servers": made.cluster.bootstrap})
        pair = NewTopic("pair", 1, replica_assignment=[[leader, controller]])
        admin.create_topics([pair])["pair"].result(OUTER_LIMIT_S)
        path = paths.state("pair", 0)
        wait_until(lambda: state_at(client, path).get("isr") == [leader, controller], what="an ISR")
        client.set(path, json.dumps({**state_at(client, path), "controller_epoch": 40}).encode())
        found = read(chroot, "rollback-check")
        assert (["pair-0"], 40) == (found["stranded"], found["newest_epoch"])

        made.cluster.stop(leader)
        live = made.cluster.brokers[controller]
        wait_until(
            lambda: "went through a soft failure" in live.state_change_log.read_text(),
            what="a controller that cannot elect a leader",
        )
        assert leader == state_at(client, path)["leader"]

        done("migration", "rollback-check", "--fix", "--yes", "--zookeeper", chroot)

        wait_until(lambda: state_at(client, path)["leader"] == controller, what="a leader")


def state_at(client: KazooClient, path: str) -> dict[str, Any]:
    """The state of a partition, empty where there is none yet."""
    found: dict[str, Any] = {}
    if client.exists(path) is not None:
        found = json.loads(client.get(path)[0])
    return found


def owner(client: KazooClient) -> int | None:
    if client.exists(paths.CONTROLLER) is None:
        return None
    found: int = json.loads(client.get(paths.CONTROLLER)[0])["brokerid"]
    return found


def put(path: str, data: bytes) -> Callable[[KazooClient], None]:
    def plant(client: KazooClient) -> None:
        client.ensure_path(path)
        client.set(path, data)

    return plant


def add_replica(client: KazooClient) -> None:
    """Let a broker that is not there have a replica."""
    path = paths.topic("one")
    topic = json.loads(client.get(path)[0])
    client.set(path, json.dumps({**topic, "partitions": {"0": [0, 7]}}).encode())


@pytest.mark.long
@pytest.mark.parametrize(
    ("plant", "kind", "words", "ends"),
    [
        (put("/config/users/ann", WORD), "quota", ABORTED, True),
        (put("/config/brokers/abc", NUMBER), "config-name", ABORTED, True),
        (add_replica, "dead-replica", "Still waiting for ZK brokers [7] found in metadata", False),
        (put(paths.MIGRATION, b""), "unreadable", "RecoverMigrationStateFromZKEvent", False),
        (
            put("/config/users/bob", b'{"version":1,"config":{"weather":"7"}}'),
            "quota",
            "Encountered ZooKeeper error during event SyncKRaftMetadataEvent",
            False,
        ),
    ],
    ids=["a quota", "the configs of a broker", "a dead replica", "/migration", "an unknown quota"],
)
def test_a_fault_has_the_fate_that_was_predicted(
    chroot: str,
    java: str,
    maven: Maven,
    tmp_path: Path,
    *,
    plant: Callable[[KazooClient], None],
    kind: str,
    words: str,
    ends: bool,
) -> None:
    with migrating(chroot, java, maven, tmp_path) as made:
        with client_of(chroot) as client:
            plant(client)
        ((found, outcome),) = critical(chroot)
        assert (kind, True) == (found, words in outcome)

        made.controller.server.start()
        wait_until(lambda: words in made.controller.log, what=f"'{words}' in the log")
        if ends:
            wait_until(
                lambda: not made.controller.server.is_running, what="the end of the controller"
            )
            with client_of(chroot) as client:
                assert 3000 == owner(client)
                # The cluster is given back, and its broker is the controller again.
                done("migration", "rollback-check", "--fix", "--yes", "--zookeeper", chroot)
                wait_until(lambda: owner(client) == 0, what="broker 0 as the controller")


@pytest.mark.long
def test_what_an_earlier_attempt_left_deletes_all_topics(
    chroot: str, java: str, maven: Maven, tmp_path: Path
) -> None:
    with migrating(chroot, java, maven, tmp_path) as made, client_of(chroot) as client:
        put(paths.MIGRATION, encode_migration(migration(15)))(client)
        ((kind, _),) = critical(chroot)
        assert "stale-migration" == kind

        made.controller.server.start()
        wait_until(lambda: client.get_children(paths.TOPICS) == [], what="the end of all topics")
