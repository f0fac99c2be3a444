"""`kadmin zookeeper`, and what other commands say of ZooKeepers that are down."""

import json
import socket
from collections.abc import Iterator

import pytest
from kazoo.security import make_digest_acl

from cluster.zk import paths
from cluster.zk.controller import encode_migration
from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.plan.migration.evidence import migration
from tests.support.cli import done, kadmin, offered
from tests.support.waiting import patiently
from tests.support.znodes import write_snapshot, znodes_of
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address that is taken, and at which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}"


@pytest.fixture
def lame(chroot, nobody, monkeypatch):
    """A cluster of which one of two ZooKeepers is down; returns that one."""
    write_snapshot(chroot, cluster(brokers("0"), topic("t", "0")))
    server, _, below = chroot.partition("/")
    monkeypatch.setenv("KADMIN_ZOOKEEPER", f"{server},{nobody}/{below}")
    return nobody


def test_a_server_tells_of_itself(zookeeper, monkeypatch):
    monkeypatch.setenv("KADMIN_ZOOKEEPER", zookeeper.connect)

    body = json.loads(done("zookeeper", "--output", "json"))

    (server,) = body["servers"]
    assert (True, []) == (body["healthy"], body["problems"])
    assert (zookeeper.connect, "serving", "standalone") == (
        server["server"],
        server["state"],
        server["mode"],
    )
    assert server["znodes"] > 0
    assert server["sessions"] >= 0


def test_a_server_that_is_down_is_a_finding(lame):
    outcome = kadmin("zookeeper", "--output", "csv")

    assert ExitCode.FOUND == outcome.exit_code
    assert f"{lame},down,connection refused" in outcome.stdout
    assert f"warning: {lame} is down: connection refused\n" in outcome.stderr


def test_an_admin_server_that_is_silent_takes_nothing_from_its_zookeeper(zookeeper, monkeypatch):
    monkeypatch.setenv("KADMIN_ZOOKEEPER", zookeeper.connect)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = str(silent.getsockname()[1])
        outcome = patiently(
            lambda timeout_s: kadmin(
                "zookeeper", "--admin-port", port, "--timeout", str(timeout_s)
            ),
            lambda outcome: ExitCode.DONE == outcome.exit_code,
        )

    assert ExitCode.DONE == outcome.exit_code, outcome
    assert "State: serving" in outcome.stdout
    assert f"no admin server at 127.0.0.1:{port}: no answer\n" == outcome.stderr


def test_no_server_at_all_is_unreachable(nobody):
    outcome = kadmin("zookeeper", "--zookeeper", nobody)

    assert ExitCode.UNREACHABLE == outcome.exit_code
    assert "State: down" in outcome.stdout
    assert f"cannot reach ZooKeeper at {nobody}: no server answers" in outcome.stderr


def test_other_commands_name_the_server_that_is_down_behind_their_result(lame):
    warning = f"warning: ZooKeeper {lame} is down: connection refused ('kadmin zookeeper' shows all"

    listed = kadmin("topics", "--list")
    controller = kadmin("controller")

    assert ("t\n", 1) == (listed.stdout, listed.stderr.count(warning))
    assert 1 == controller.stderr.count(warning)


def test_a_check_finds_it_and_warns_of_it_no_more(lame):
    told = kadmin("check", "--no-brokers", "--output", "json")
    ignored = kadmin("check", "--no-brokers", "--ignore", "zookeeper")

    (found,) = [
        each
        for each in json.loads(told.stdout)["findings"]
        if each["kind"] == "zookeeper" and lame in each["text"]
    ]
    assert f"ZooKeeper: {lame} is down: connection refused" == found["text"]
    assert "kadmin zookeeper" == found["command"]
    assert ExitCode.FOUND == told.exit_code
    assert lame not in told.stderr + ignored.stdout + ignored.stderr


def test_a_failure_does_not_hide_it(lame):
    outcome = kadmin("topics", "--describe", "--topic", "nothing")

    assert ExitCode.FAILED == outcome.exit_code
    assert f"ZooKeeper {lame} is down" in outcome.stderr


@pytest.mark.usefixtures("lame")
def test_completion_says_nothing_of_it():
    assert ["t"] == offered("topics")


def test_clients_are_named_by_what_they_own(chroot: str) -> None:
    write_snapshot(chroot, cluster({}, topic("t", "0")))
    with client_of(chroot) as broker, client_of(chroot) as program:
        registration = znodes_of(cluster(brokers("0")))["/brokers/ids/0"]
        broker.create("/brokers/ids/0", registration, ephemeral=True)
        program.create("/burrow/notifier", b"", ephemeral=True, makepath=True)
        program.create("/consumers/billing/offsets/t/0", b"7", makepath=True)
        outcome = kadmin("zookeeper", "clients", "--zookeeper", chroot, "--output", "json")
        lines = kadmin("zookeeper", "clients", "--zookeeper", chroot).stdout

    found = json.loads(outcome.stdout)
    # Other sessions of this server are other tests' own.
    named = {
        path: (each["kind"], each["name"], each["broker"])
        for each in found["clients"]
        for path in each["owns"]
    }
    _, slash, below = chroot.partition("/")
    assert ("controller", "broker 0, the controller", 0) == named[f"{slash}{below}/brokers/ids/0"]
    assert ("program", "Burrow", None) == named[f"{slash}{below}/burrow/notifier"]
    assert ["billing"] == [each["group"] for each in found["old_consumers"]]
    assert "\nGroup: billing\tMembers: 0\tWrote: " in lines
    assert (ExitCode.FOUND, []) == (outcome.exit_code, found["not_looked_at"])


def test_controllers_that_wait_are_clients_and_hidden_consumers_are_no_absent_ones(
    chroot: str,
) -> None:
    write_snapshot(chroot, cluster(brokers("0"), topic("t", "0")))
    with client_of(chroot) as controller:
        controller.create(paths.MIGRATION, encode_migration(migration(-1)))
        controller.ensure_path(paths.CONSUMERS)
        controller.set_acls(paths.CONSUMERS, [make_digest_acl("kafka", "secret", all=True)])
        session, _ = controller.client_id
        outcome = kadmin("zookeeper", "clients", "--zookeeper", chroot, "--output", "json")

    found = json.loads(outcome.stdout)
    names = [each["name"] for each in found["clients"] if each["session"] == f"0x{session:x}"]
    (name,) = names
    assert name.startswith("a KRaft controller, or a client that owns and watches nothing")
    assert ["old consumers at /consumers: may not be read by this user"] == found["not_looked_at"]


def test_clients_of_a_server_that_is_down_are_not_known(lame: str) -> None:
    outcome = kadmin("zookeeper", "clients")

    assert f"warning: ZooKeeper {lame} is down: connection refused\n" in outcome.stderr


def test_an_option_of_the_ensemble_is_none_of_its_clients(chroot: str) -> None:
    outcome = kadmin("zookeeper", "--watch", "clients", "--zookeeper", chroot)

    assert ExitCode.USAGE == outcome.exit_code
