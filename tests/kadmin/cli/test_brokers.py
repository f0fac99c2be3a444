"""`kadmin brokers` and `kadmin controller` over a real ZooKeeper."""

import csv
import json
import re

import pytest

from cluster.model.controller import Controller
from cluster.model.ids import BrokerId
from cluster.zk import paths
from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.support.cli import done, kadmin
from tests.support.znodes import write_snapshot
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk


@pytest.fixture
def three(chroot, monkeypatch):
    """Two live brokers and a dead one that still has a replica."""
    made = topic("t", "0,1 1,0 0,7", {0: state(0, "0,1"), 1: state(0, "0,1"), 2: state(0, "0")})
    write_snapshot(chroot, cluster(brokers("0:a 1"), made))
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    return chroot


def test_the_live_brokers_are_listed(three):
    assert "0\n1\n" == done("brokers", "--list")
    assert [{"id": 0}, {"id": 1}] == json.loads(done("brokers", "--list", "--output", "json"))[
        "brokers"
    ]


def test_where_servers_were_waited_for_the_age_of_what_is_shown_is_noted(three, monkeypatch):
    assert "" == kadmin("brokers", "--list").stderr

    monkeypatch.setattr("kadmin.cli.session.OLD_S", 0)

    noted = kadmin("brokers", "--list")
    assert "0\n1\n" == noted.stdout
    assert re.search(r"servers were waited for: what is shown may be \d+ s old\n", noted.stderr)
    assert "" == kadmin("brokers", "--list", "--quiet").stderr


def test_a_broker_is_described_with_its_load(three):
    line = done("brokers", "--describe").splitlines()[0]
    epoch = line.split("Epoch: ")[1].split("\t")[0]

    assert (
        f"Broker: 0\tState: live\tController: true\tEndpoints: PLAINTEXT://127.0.0.1:9092"
        f"\tRack: a\tEpoch: {epoch}\tSince: 2023-11-14T22:13:20.000+00:00"
        "\tReplicas: 3 (+50%)\tLeaders: 3 (+100%)\tPreferredLeaders: 2"
    ) == line


def test_the_epoch_is_the_czxid_of_the_registration(three):
    with client_of(three) as client:
        _, stat = client.get("/brokers/ids/1")

    rows = list(csv.DictReader(done("brokers", "--describe", "--output", "csv").splitlines()))

    assert str(stat.czxid) == rows[1]["epoch"]


def test_a_dead_broker_with_replicas_is_not_forgotten(three):
    found = json.loads(done("brokers", "--describe", "--broker", "7", "--output", "json"))

    assert ["dead"] == [broker["state"] for broker in found["brokers"]]
    assert [1] == [broker["replicas"] for broker in found["brokers"]]


def test_an_unknown_broker_is_an_error(three):
    outcome = kadmin("brokers", "--describe", "--broker", "9")

    assert ExitCode.FAILED == outcome.exit_code
    assert "there is no broker 9\nhint: 'kadmin brokers --describe' lists all there are\n" in (
        outcome.stderr
    )


def test_one_action_is_needed(three):
    assert ExitCode.USAGE == kadmin("brokers").exit_code
    assert ExitCode.USAGE == kadmin("brokers", "--list", "--describe").exit_code


def test_the_controller_is_shown_with_epoch_and_time(three):
    assert (
        "Controller: 0\tEndpoints: PLAINTEXT://127.0.0.1:9092\tEpoch: 1\tSince: unknown\n"
        == done("controller")
    )
    found = json.loads(done("controller", "--output", "json"))
    assert ("zookeeper", 1, 0) == (found["owner"], found["epoch"], found["controller"])


def test_no_controller_is_a_finding(three):
    with client_of(three) as client:
        client.delete(paths.CONTROLLER)

    outcome = kadmin("controller")

    assert (ExitCode.FOUND, "Controller: none\tEpoch: 1\n") == (
        outcome.exit_code,
        outcome.stdout,
    )


def test_what_cannot_be_read_is_not_called_dead_or_missing(three):
    with client_of(three) as client:
        client.set(paths.broker(BrokerId(1)), b"{")
        client.set(paths.CONTROLLER, b"{")

    described = json.loads(kadmin("brokers", "--describe", "--output", "json").stdout)
    listed = json.loads(kadmin("brokers", "--list", "--output", "json").stdout)
    controller = kadmin("controller")
    controller_body = json.loads(kadmin("controller", "--output", "json").stdout)

    assert ["live", "unreadable", "dead"] == [broker["state"] for broker in described["brokers"]]
    assert ["/brokers/ids/1"] == [fault["path"] for fault in listed["faults"]]
    for body in (described, controller_body):
        assert ["/brokers/ids/1", "/controller"] == [fault["path"] for fault in body["faults"]]
    assert (ExitCode.FOUND, "Controller: unreadable\tEpoch: 1\n") == (
        controller.exit_code,
        controller.stdout,
    )
    assert (None, "unreadable") == (controller_body["controller"], controller_body["owner"])


def test_a_kraft_owner_is_named(chroot, monkeypatch):
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    snapshot = cluster(brokers("0"))
    kraft = Controller(broker_id=BrokerId(3000), version=2, kraft_controller_epoch=7)
    object.__setattr__(snapshot, "controller", kraft)
    write_snapshot(chroot, snapshot)

    assert done("controller").endswith("\tOwner: kraft\n")


@pytest.mark.parametrize("action", ["--list", "--describe"])
def test_a_cluster_without_live_brokers_is_no_silent_success(chroot, monkeypatch, action):
    write_snapshot(chroot, cluster({}))
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)

    outcome = kadmin("brokers", action)

    assert (ExitCode.FOUND, "") == (outcome.exit_code, outcome.stdout)
    assert "warning: no broker is alive: none is registered\n" in outcome.stderr


def test_a_broker_that_was_mistyped_is_told_with_the_one_that_was_meant(three):
    outcome = kadmin("brokers", "--describe", "--broker", "77")

    assert ExitCode.FAILED == outcome.exit_code
    assert "kadmin: there is no broker 77\nhint: did you mean '7'? " in outcome.stderr


MIGRATION = (
    b'{"version":0,"kraft_metadata_offset":%d,"kraft_controller_id":3000,'
    b'"kraft_metadata_epoch":4,"kraft_controller_epoch":4}'
)
WRITE = ("configs", "--alter", "--client", "c", "--add-config", "producer_byte_rate=7")


@pytest.mark.parametrize(
    ("data", "has_controller", "is_refused", "told"),
    [
        (MIGRATION % 812, False, True, "has copied the cluster up to offset 812"),
        (MIGRATION % 0, False, True, "has copied the cluster up to offset 0"),
        (MIGRATION % 812, True, False, "has copied the cluster up to offset 812"),
        (MIGRATION % -1, False, False, ""),
        (b"?", False, True, "/migration (zkVersion 0): is not JSON"),
        (b"?", True, False, "/migration (zkVersion 0): is not JSON"),
    ],
)
def test_a_migration_that_lost_its_controller_is_shown_and_writes_are_refused(
    three, data, has_controller, is_refused, told
):
    with client_of(three) as client:
        client.create(paths.MIGRATION, data)
        if not has_controller:
            client.delete(paths.CONTROLLER)

    shown = kadmin("controller")
    checked = kadmin("check", "--no-brokers")
    written = kadmin(*WRITE)

    assert told in shown.stderr
    assert told in checked.stdout
    assert (ExitCode.REFUSED if is_refused else ExitCode.DONE) == written.exit_code, written
    assert not is_refused or told in written.stderr
