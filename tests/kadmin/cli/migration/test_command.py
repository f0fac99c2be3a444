"""`kadmin migration` on clusters that lie in ZooKeeper only."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from kazoo.client import KazooClient
from kazoo.security import make_digest_acl

from cluster.model.controller import Controller
from cluster.model.ids import BrokerId, ControllerEpoch
from cluster.model.snapshot import ClusterSnapshot
from cluster.zk import paths
from cluster.zk.controller import encode_controller, encode_migration
from kadmin.admin.zookeeper.migration import writing
from kadmin.cli.migration.command import KINDS
from kadmin.errors import ExitCode
from kadmin.plan.migration.findings import MigrationKind
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.plan.migration.evidence import migration
from tests.support.cli import done, kadmin
from tests.support.znodes import all_znodes, write_snapshot
from tests.support.zookeeper import client_of

pytestmark = [pytest.mark.zk, pytest.mark.clients]

NO_JSON = b"{nope"


def test_every_kind_can_be_ignored() -> None:
    assert list(KINDS) == [kind.value for kind in MigrationKind]


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """No controller runs: it need not be waited for."""
    monkeypatch.setattr(writing, "ALIVE_S", 0.0)


@pytest.fixture
def calm(chroot: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[KazooClient]:
    """Two brokers, and a topic with nothing to say about it."""
    write_snapshot(chroot, cluster(brokers("0:a 1:b"), topic("t", "0,1 1,0")))
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    with client_of(chroot) as client:
        # As brokers write it.
        client.delete(paths.PRODUCER_ID_BLOCK)
        client.create(paths.PRODUCER_ID_BLOCK, None)
        yield client


def checked(*options: str) -> tuple[int, dict[str, Any]]:
    outcome = kadmin("migration", "check", "--no-brokers", "--output", "json", *options)
    return outcome.exit_code, json.loads(outcome.stdout)


def put(client: KazooClient, path: str, data: bytes) -> None:
    client.ensure_path(path)
    client.set(path, data)


def test_a_calm_cluster_is_ready(calm: KazooClient) -> None:
    outcome = kadmin("migration", "check", "--no-brokers")

    assert (
        ExitCode.DONE,
        "2 brokers, controller 0, 1 topic, 2 partitions: ready to migrate\n"
        "not checked: releases, authorizers and settings of brokers (--no-brokers)\n",
    ) == (outcome.exit_code, outcome.stdout)


def test_brokers_that_do_not_answer_are_a_gap(calm: KazooClient) -> None:
    outcome = kadmin("migration", "check")

    assert "not checked: releases, authorizers and settings of brokers: " in outcome.stdout


@pytest.mark.parametrize(
    ("path", "data", "kind"),
    [
        (paths.MIGRATION, NO_JSON, "unreadable"),
        (paths.MIGRATION, encode_migration(migration(20)), "stale-migration"),
        (paths.PRODUCER_ID_BLOCK, NO_JSON, "unreadable"),
        (paths.PRODUCER_ID_BLOCK, b"", "unreadable"),
        (paths.state("t", 0), NO_JSON, "unreadable"),
        ("/config/users/ann", NO_JSON, "unreadable"),
        ("/config/users/ann", b'{"config":{"producer_byte_rate":7}}', "unreadable"),
        ("/config/users/%zz", b'{"config":{"producer_byte_rate":"7"}}', "unreadable"),
        ("/config/users/ann", b'{"config":{"producer_byte_rate":"fast"}}', "quota"),
        ("/config/users/ann/clients/c", b'{"config":{"producer_byte_rate":"fast"}}', "quota"),
        ("/config/brokers/abc", b'{"config":{"log.cleaner.threads":"2"}}', "config-name"),
        ("/kafka-acl/Topic/t", NO_JSON, "unreadable"),
        ("/kafka-acl/Planet/t", b"", "unreadable"),
        (f"{paths.DELEGATION_TOKENS}/a", NO_JSON, "unreadable"),
        (f"{paths.DELETE_TOPICS}/gone", b"", "deletion"),
        (f"{paths.LOG_DIR_EVENTS}/log_dir_event_0", b"", "log-dir-event"),
        ("/consumers/g/offsets/t/0", b"7", "old-consumer"),
    ],
)
def test_a_damaged_znode_is_found_and_spoils_nothing_else(
    calm: KazooClient, path: str, data: bytes, kind: str
) -> None:
    put(calm, path, data)
    code, found = checked()

    kinds = {each["kind"] for each in found["findings"]}
    assert (ExitCode.FOUND, True, 1) == (code, kind in kinds, found["topics"])


@pytest.mark.parametrize("path", ["/config/users/ann", "/config/topics/t", "/config/users/%zz"])
def test_json_that_only_java_refuses_ends_the_copy(calm: KazooClient, path: str) -> None:
    put(calm, path, b'{"version":1,"config":{"producer_byte_rate":7}}')
    _, found = checked()

    assert [("critical", True)] == [
        (each["severity"], "exit" in each["outcome"]) for each in found["findings"]
    ]


def test_numbers_of_topics_that_are_none_stop_the_controllers(calm: KazooClient) -> None:
    put(calm, paths.topic("words"), b'{"version":1,"partitions":{"0":["a"]}}')
    put(calm, paths.topic("names"), b'{"version":1,"partitions":{"x":[0]}}')
    _, found = checked()

    outcomes = [each["outcome"] for each in found["findings"] if each["kind"] == "unreadable"]
    assert 2 == len(outcomes)
    assert all("WaitForZkBrokersEvent" in each for each in outcomes)


@pytest.mark.parametrize(
    ("path", "severity"),
    [
        (paths.DELEGATION_TOKENS, "critical"),
        (paths.PRODUCER_ID_BLOCK, "critical"),
        (paths.CLUSTER_ID, "critical"),
        (paths.DELETE_TOPICS, "critical"),
        (paths.MIGRATION, "critical"),
        ("/kafka-acl/Topic/t", "critical"),
        (f"{paths.DELEGATION_TOKENS}/a", "critical"),
        (paths.LOG_DIR_EVENTS, "warning"),
        (paths.CONSUMERS, "warning"),
        ("/consumers/g/ids", "warning"),
    ],
)
def test_whatever_may_not_be_read_is_found(calm: KazooClient, path: str, severity: str) -> None:
    calm.ensure_path(path)
    calm.set_acls(path, [make_digest_acl("kafka", "secret", all=True)])
    _, found = checked()

    assert {path: severity} == {
        znode: each["severity"]
        for each in found["findings"]
        if each["kind"] == "unreadable"
        for znode in each["znodes"]
    }


def test_a_phase_behind_znodes_that_may_not_be_read_is_found(calm: KazooClient) -> None:
    put(calm, paths.MIGRATION, encode_migration(migration(20)))
    calm.set_acls(paths.MIGRATION, [make_digest_acl("kafka", "secret", all=True)])
    shown = kadmin("migration", "status")
    back = kadmin("migration", "rollback-check", "--fix", "--yes")

    assert (ExitCode.FOUND, ExitCode.REFUSED) == (shown.exit_code, back.exit_code)
    assert "so that the phase may be another: /migration: may not be read" in shown.stdout
    assert "/migration cannot be read" in back.stderr


def test_a_damaged_migration_is_removed_by_the_command_of_its_finding(calm: KazooClient) -> None:
    put(calm, paths.MIGRATION, NO_JSON)
    (finding,) = checked()[1]["findings"]

    done(*finding["command"].split()[1:], "--yes")

    assert (ExitCode.DONE, []) == (checked()[0], checked()[1]["findings"])


def test_what_may_not_be_read_is_critical(calm: KazooClient, chroot: str) -> None:
    calm.set_acls("/config/users", [make_digest_acl("kafka", "secret", all=True)])
    code, found = checked()

    assert (ExitCode.FOUND, "critical") == (code, found["worst"])
    shell = f"zookeeper-shell.sh {chroot} getAcl /config/users"
    assert [("unreadable", shell), ("znode-acl", shell)] == [
        (each["kind"], each["command"]) for each in found["findings"]
    ]


def test_a_finding_is_mended_by_its_command(calm: KazooClient) -> None:
    put(calm, "/config/users/ann", b'{"version":1,"config":{"producer_byte_rate":"fast"}}')
    _, found = checked()
    (finding,) = found["findings"]
    mended = finding["command"].split()[1:]

    done(*mended, "--yes")

    assert (ExitCode.DONE, []) == (checked()[0], checked()[1]["findings"])


def test_findings_are_left_out_by_kind(calm: KazooClient) -> None:
    put(calm, "/burrow", b"")
    put(calm, f"{paths.LOG_DIR_EVENTS}/log_dir_event_0", b"")

    assert ExitCode.FOUND == checked()[0]
    assert ExitCode.DONE == checked("--ignore", "log-dir-event")[0]


def test_it_waits_until_the_cluster_is_ready_or_the_time_is_over(calm: KazooClient) -> None:
    put(calm, f"{paths.LOG_DIR_EVENTS}/log_dir_event_0", b"")
    outcome = kadmin("migration", "check", "--no-brokers", "--wait-ready", "1")

    assert ExitCode.FOUND == outcome.exit_code
    assert "waiting: 1 warning\n" in outcome.stderr


def test_text_and_csv_have_what_would_happen(calm: KazooClient) -> None:
    put(calm, paths.MIGRATION, NO_JSON)
    text = kadmin("migration", "check", "--no-brokers").stdout
    table = kadmin("migration", "check", "--no-brokers", "--output", "csv").stdout

    assert "\n  then: 'Encountered zk migration fault" in text
    assert "\n  source: KAFKA-19480" in text
    assert "RecoverMigrationStateFromZKEvent" in table


def test_no_cluster_is_an_error(chroot: str) -> None:
    outcome = kadmin("migration", "check", "--zookeeper", chroot)

    assert (ExitCode.FAILED, "") == (outcome.exit_code, outcome.stdout)
    assert "hint: " in outcome.stderr


def test_a_preview_counts_as_the_controllers_do(calm: KazooClient) -> None:
    put(calm, "/config/users/ann", b'{"version":1,"config":{"producer_byte_rate":"1"}}')
    put(calm, "/config/topics/gone", b'{"version":1,"config":{"retention.ms":"1"}}')

    assert (
        "4 records, in at most 1 batch\n"
        "The record types were {TOPIC_RECORD=1, PARTITION_RECORD=2, CLIENT_QUOTA_RECORD=1}.\n"
        "about 1 s to copy them, at the 36 s that 100,000 partitions took Kafka 3.9.1 when it was"
        " measured, on two busy cores\n"
    ) == done("migration", "preview")


def taken_over(chroot: str, *, kraft_epoch: int = 1, state_epoch: int = 1) -> None:
    """Write a cluster that a KRaft controller owns, in dual-write."""
    snapshot: ClusterSnapshot = cluster(brokers("0:a 1:b"), topic("t", "0,1 1,0"))
    states = {
        number: state._replace(controller_epoch=ControllerEpoch(state_epoch))
        for number, state in snapshot.topics["t"].states.items()
    }
    controller = Controller(
        broker_id=BrokerId(3000), version=2, kraft_controller_epoch=kraft_epoch, timestamp_ms=1
    )
    topics = {"t": replace(snapshot.topics["t"], states=states)}
    write_snapshot(chroot, replace(snapshot, topics=topics, controller=controller))
    with client_of(chroot) as client:
        client.create(paths.MIGRATION, encode_migration(migration(40, kraft_epoch=kraft_epoch)))


def test_groups_in_zookeeper_lead_to_the_brokers_once_kraft_owns_the_cluster(chroot: str) -> None:
    taken_over(chroot)
    with client_of(chroot) as client:
        client.create("/consumers/old/offsets/t/0", b"5", makepath=True)

    outcome = kadmin("groups", "--delete", "--group", "old", "--yes", "--zookeeper", chroot)

    assert ExitCode.REFUSED == outcome.exit_code, outcome
    assert "--bootstrap-server" not in outcome.stderr
    assert "groups migrate-offsets --from-zookeeper --group NAME" in outcome.stderr


def test_a_migration_under_way_shows_its_phase(chroot: str) -> None:
    taken_over(chroot)
    text = done("migration", "status", "--zookeeper", chroot)
    found = json.loads(done("migration", "status", "--zookeeper", chroot, "--output", "json"))

    assert "dual-write: KRaft owns the cluster, and writes ZooKeeper, too\nthis controller" in text
    assert "\nNEVER delete /controller while a KRaft controller runs" in text
    assert ("dual-write", 3000, [0, 1]) == (found["phase"], found["owner"], found["registered"])


def test_the_fix_gives_the_cluster_back_and_can_be_run_again(chroot: str) -> None:
    taken_over(chroot, kraft_epoch=9, state_epoch=9)
    where = ("--zookeeper", chroot)
    before = all_znodes(chroot)
    shown = kadmin("migration", "rollback-check", *where)
    dry = kadmin("migration", "rollback-check", "--fix", "--dry-run", *where)
    unasked = kadmin("migration", "rollback-check", "--fix", *where)

    assert ExitCode.FOUND == shown.exit_code
    assert "2 partitions have an epoch up to 9" in shown.stdout
    assert "would set /controller_epoch: 1 -> 9\n" in dry.stdout
    # Without a terminal it is not confirmed.
    assert ExitCode.REFUSED == unasked.exit_code
    assert before == all_znodes(chroot)

    done("migration", "rollback-check", "--fix", "--yes", *where)
    again = kadmin("migration", "rollback-check", "--fix", "--yes", *where)

    after = all_znodes(chroot)
    assert b"9" == after[paths.CONTROLLER_EPOCH][0]
    assert {paths.CONTROLLER, paths.MIGRATION}.isdisjoint(after)
    changed = {path for path in before if before[path] != after.get(path)}
    assert {paths.CONTROLLER_EPOCH, paths.CONTROLLER, paths.MIGRATION} == changed
    # The epoch that it has raised is the newest: nothing is due any more.
    assert (ExitCode.DONE, "") == (again.exit_code, again.stdout)
    assert "nothing to write" in again.stderr


def test_the_fix_is_refused_while_a_controller_writes(
    chroot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken_over(chroot)
    read = writing.read_versions

    def written_between(*_: object) -> Any:
        with client_of(chroot) as client:
            client.set(paths.MIGRATION, encode_migration(migration(41)))
        return read()

    monkeypatch.setattr(writing, "read_versions", written_between)
    outcome = kadmin("migration", "rollback-check", "--fix", "--yes", "--zookeeper", chroot)

    assert ExitCode.REFUSED == outcome.exit_code
    assert "is running: /migration was written while it was watched" in outcome.stderr
    with client_of(chroot) as client:
        assert client.exists(paths.CONTROLLER) is not None


def test_the_fix_is_refused_while_brokers_run_on_kraft(chroot: str) -> None:
    taken_over(chroot)
    with client_of(chroot) as client:
        client.delete(paths.broker(BrokerId(1)))
    outcome = kadmin("migration", "rollback-check", "--fix", "--yes", "--zookeeper", chroot)

    assert ExitCode.REFUSED == outcome.exit_code
    assert "broker 1 is not registered in ZooKeeper" in outcome.stderr


def test_other_commands_write_nothing_while_kraft_owns_the_cluster(chroot: str) -> None:
    taken_over(chroot)
    alter = ("configs", "--alter", "--topic", "t", "--add-config", "retention.ms=1", "--yes")
    outcome = kadmin(*alter, "--zookeeper", chroot)

    assert ExitCode.REFUSED == outcome.exit_code
    assert "a KRaft controller owns this cluster" in outcome.stderr


def test_options_of_the_fix_need_it(chroot: str) -> None:
    outcome = kadmin("migration", "rollback-check", "--dry-run", "--zookeeper", chroot)

    assert ExitCode.USAGE == outcome.exit_code


def test_nothing_is_rolled_back_that_has_not_begun(calm: KazooClient) -> None:
    put(calm, paths.CONTROLLER, encode_controller(Controller(broker_id=BrokerId(0))))
    outcome = kadmin("migration", "rollback-check")

    assert ExitCode.FOUND == outcome.exit_code
    assert re.search("not now: no migration has begun", outcome.stdout)
