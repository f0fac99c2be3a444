"""Does Kafka 3.9.1 migrate, fail and roll back as `kadmin migration` says it will?

Real brokers and a real KRaft controller: what kadmin predicts of znodes is compared with what the
controller does, and with the words of its log.
"""

import json
from collections.abc import Callable, Iterator, Mapping
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
from kadmin.local.zookeeper import ZooKeeperServer
from tests.interop.maven import Maven, needing_maven
from tests.interop.migrating import DUAL_WRITE, Migration
from tests.interop.migration_client import migration_client
from tests.interop.one_broker import start
from tests.interop.releases import KAFKA
from tests.kadmin.cli.migration.test_dumps import write_dump
from tests.kadmin.plan.migration.evidence import migration
from tests.support.cli import done, kadmin
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of, make_chroot

pytestmark = pytest.mark.interop

ABORTED: Final = "Aborting the metadata migration from ZooKeeper to KRaft"
NUMBER: Final = b'{"version":1,"config":{"producer_byte_rate":"1000"}}'
WORD: Final = b'{"version":1,"config":{"producer_byte_rate":"fast"}}'


@contextmanager
def migrating(
    chroot: str,
    java: str,
    maven: Maven,
    directory: Path,
    *,
    brokers: int = 1,
    controller_settings: Mapping[str, str] | None = None,
) -> Iterator[Migration]:
    """A broker with two topics and a quota, and a controller that is formatted and does not run."""
    with needing_maven():
        class_path = maven.class_path(KAFKA["3.9.1"])
    made = Migration(
        chroot,
        java=java,
        class_path=class_path,
        directory=directory,
        brokers=brokers,
        controller_settings=controller_settings,
    )
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
        # They name any of them.
        by_brokers = kadmin("controller", "--bootstrap-server", made.cluster.bootstrap)
        assert (ExitCode.FOUND, True) == (
            by_brokers.exit_code,
            "brokers in migration mode" in by_brokers.stderr,
        )
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
    # So that a snapshot is before the log.
    settings = {"metadata.log.max.snapshot.interval.ms": "2000"}
    with (
        migrating(chroot, java, maven, tmp_path, controller_settings=settings) as made,
        client_of(chroot) as client,
    ):
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
        metadata = made.controller.directory / "data" / "__cluster_metadata-0"
        wait_until(lambda: any(metadata.glob("*[0-9].checkpoint")), what="a snapshot of the log")
        fetched = read(chroot, "diff", "--bootstrap-controller", made.controller.address)
        assert (first["compared"], True) == (fetched["compared"], fetched["equal"])

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
        (add_replica, "dead-replica", "Still waiting for ZK brokers [7] found in metadata", False),
        (
            put("/config/users/bob", b'{"version":1,"config":{"weather":"7"}}'),
            "quota",
            "Encountered ZooKeeper error during event SyncKRaftMetadataEvent",
            False,
        ),
    ],
    ids=["a quota", "a dead replica", "an unknown quota"],
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


STATE: Final = {"controller_epoch": 1, "leader": 0, "version": 1, "leader_epoch": 0, "isr": [0]}
TOPIC: Final = {
    "partitions": {"0": [0]},
    "topic_id": "rswAAi4oQPuW20rgz-2bgQ",
    "adding_replicas": {},
    "removing_replicas": {},
    "version": 3,
}
RULE: Final = {"principal": "User:a", "permissionType": "Allow", "operation": "Read", "host": "*"}
TOKEN: Final = {
    "version": 3,
    "owner": "User:a",
    "tokenRequester": "User:a",
    "tokenId": "x",
    "renewers": [],
    "issueTimestamp": 1,
    "maxTimestamp": 3,
    "expiryTimestamp": 2,
}
BLOCK: Final = {"version": 1, "broker": 0, "block_start": "0", "block_end": "999"}
NOT_BEGUN: Final = {
    "version": 0,
    "kraft_controller_id": -1,
    "kraft_controller_epoch": -1,
    "kraft_metadata_offset": -1,
    "kraft_metadata_epoch": -1,
}
TOPIC_PATH: Final = paths.topic("t1")
STATE_PATH: Final = paths.state("t1", 0)
TOKEN_PATH: Final = paths.delegation_token("x")
RULES_PATH: Final = "/kafka-acl/Topic/t1"


def config(**values: object) -> dict[str, object]:
    return {"version": 1, "config": values}


def credential(text: str) -> dict[str, object]:
    return config(**{"SCRAM-SHA-256": text})


def rules(**changed: object) -> dict[str, object]:
    return {"version": 1, "acls": [{**RULE, **changed}]}


PLANTED: Final[tuple[tuple[str, object, str], ...]] = (
    (TOPIC_PATH, TOPIC, "copied"),
    (TOPIC_PATH, "", "waits"),
    (TOPIC_PATH, "{nope", "waits"),
    (TOPIC_PATH, [], "waits"),
    (TOPIC_PATH, {**TOPIC, "partitions": {"-1": [0]}}, "copied"),
    (TOPIC_PATH, {**TOPIC, "partitions": {"x": [0]}}, "waits"),
    (TOPIC_PATH, {**TOPIC, "partitions": {"0": ["a"]}}, "waits"),
    (TOPIC_PATH, {**TOPIC, "partitions": {"0": None}}, "waits"),
    (TOPIC_PATH, {**TOPIC, "adding_replicas": {"0": [7]}}, "copied"),
    (TOPIC_PATH, {**TOPIC, "adding_replicas": []}, "waits"),
    (TOPIC_PATH, {**TOPIC, "adding_replicas": None}, "waits"),
    (TOPIC_PATH, {**TOPIC, "topic_id": "x"}, "waits"),
    (TOPIC_PATH, {**TOPIC, "topic_id": 5}, "waits"),
    (TOPIC_PATH, {**TOPIC, "topic_id": None}, "waits"),
    (STATE_PATH, STATE, "copied"),
    (STATE_PATH, "{nope", "copied"),
    (STATE_PATH, "", "dies"),
    (STATE_PATH, {**STATE, "isr": None}, "dies"),
    (STATE_PATH, {**STATE, "leader": "0"}, "dies"),
    (STATE_PATH, {**STATE, "leader_epoch": 2**31}, "dies"),
    (STATE_PATH, {**STATE, "leader": -2}, "copied"),
    (STATE_PATH, {**STATE, "controller_epoch": -1}, "copied"),
    (STATE_PATH, {**STATE, "leader_recovery_state": 5}, "dies"),
    (STATE_PATH, {**STATE, "leader_recovery_state": "1"}, "dies"),
    ("/config/topics/t1", config(a=1), "dies"),
    ("/config/topics/t1", "{nope", "copied"),
    ("/config/users/bob", config(producer_byte_rate=None), "dies"),
    ("/config/users/bob", config(producer_byte_rate="1,5"), "dies"),
    ("/config/users/bob", config(request_percentage="0x1p3"), "copied"),
    ("/config/users/bob", credential(CREDENTIAL.decode()), "copied"),
    ("/config/users/bob", credential(CREDENTIAL.decode() + ","), "copied"),
    ("/config/users/bob", credential(CREDENTIAL.decode().replace("==", "=")), "dies"),
    ("/config/users/bob", {"version": 1}, "copied"),
    ("/config/users/%zz", config(), "dies"),
    ("/config/users/a b", config(request_percentage="5"), "copied"),
    ("/config/brokers/abc", config(), "dies"),
    ("/config/brokers/+1", config(), "copied"),
    ("/config/users/x/y", config(request_percentage="fast"), "copied"),
    (RULES_PATH, rules(), "copied"),
    (RULES_PATH, "{nope", "copied"),
    (RULES_PATH, {"version": 1}, "dies"),
    (RULES_PATH, {"version": 2, "acls": []}, "dies"),
    (RULES_PATH, rules(principal="ann"), "dies"),
    (RULES_PATH, rules(principal="User:"), "copied"),
    (RULES_PATH, rules(operation=3), "dies"),
    (RULES_PATH, rules(operation="Fly"), "copied"),
    ("/kafka-acl/Any/x", rules(), "dies"),
    ("/kafka-acl/Weather/x", rules(), "copied"),
    (TOKEN_PATH, TOKEN, "copied"),
    (TOKEN_PATH, "", "copied"),
    (TOKEN_PATH, {**TOKEN, "renewers": ["bob"]}, "dies"),
    (TOKEN_PATH, {**TOKEN, "owner": None}, "dies"),
    (TOKEN_PATH, {**TOKEN, "owner": "%zz:a"}, "dies"),
    (TOKEN_PATH, {**TOKEN, "issueTimestamp": "1"}, "dies"),
    (paths.PRODUCER_ID_BLOCK, "", "dies"),
    (paths.PRODUCER_ID_BLOCK, BLOCK, "copied"),
    (paths.PRODUCER_ID_BLOCK, {**BLOCK, "block_start": "-5", "block_end": "-9"}, "copied"),
    (paths.PRODUCER_ID_BLOCK, {**BLOCK, "block_start": 0}, "dies"),
    (paths.PRODUCER_ID_BLOCK, {**BLOCK, "broker": "0"}, "dies"),
    (paths.MIGRATION, "", "waits"),
    (paths.MIGRATION, {"version": 0}, "waits"),
    (paths.MIGRATION, NOT_BEGUN, "copied"),
    (paths.MIGRATION, {**NOT_BEGUN, "kraft_metadata_offset": "-1"}, "waits"),
    (paths.MIGRATION, {**NOT_BEGUN, "version": 1}, "waits"),
    (paths.MIGRATION, {key: -1 for key in NOT_BEGUN if key != "version"}, "waits"),
    ("/brokers/ids/x", {}, "waits"),
    ("/admin/delete_topics/t1", "", "copied"),
)
"""A path, what is planted there, and what becomes of it."""


def predicted(chroot: str) -> str:
    outcomes = [outcome for _, outcome in critical(chroot)]
    if any("controllers wait for ever" in each for each in outcomes):
        return "waits"
    return "dies" if any(ABORTED in each for each in outcomes) else "copied"


@pytest.mark.long
def test_znodes_have_the_fate_that_was_predicted(
    zookeeper: ZooKeeperServer, java: str, maven: Maven
) -> None:
    with needing_maven():
        class_path = maven.class_path(KAFKA["3.9.1"])
    found = []
    with migration_client(java, class_path) as kafka:
        for path, planted, _ in PLANTED:
            chroot = make_chroot(zookeeper)
            write_dump(chroot, "3.9.1")
            data = planted if isinstance(planted, str) else json.dumps(planted)
            with client_of(chroot) as client:
                put(path, data.encode())(client)
            # Kafka's own reading comes last, since it writes /migration.
            found.append((path, planted, predicted(chroot), kafka.read(chroot).fate))

    assert [(*each, each[-1]) for each in PLANTED] == found
