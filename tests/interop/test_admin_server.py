"""What does ZooKeeper's admin server tell kadmin, of what its four-letter words must not say?"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kadmin.local.ports import free_ports
from tests.interop.broker_settings import LOOPBACK
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import ZOOKEEPER_WITH_ADMIN_SERVER
from tests.interop.zookeepers import OldZooKeeper
from tests.support.cli import done, kadmin
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.interop


class Administered:
    """A ZooKeeper, and the port of its admin server."""

    def __init__(self, connect: str, admin_port: int) -> None:
        self.connect = connect
        self.admin_port = admin_port

    def server(self, *options: str) -> Any:
        words = ("zookeeper", "--zookeeper", self.connect, "--output", "json")
        (server,) = json.loads(done(*words, *options))["servers"]
        return server


@pytest.fixture(scope="module")
def administered(
    java: str, maven: Maven, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Administered]:
    with needing_maven():
        class_path = maven.class_path(ZOOKEEPER_WITH_ADMIN_SERVER)
    (admin_port,) = free_ports(1, LOOPBACK)
    zookeeper = OldZooKeeper(
        java=java,
        class_path=class_path,
        directory=tmp_path_factory.mktemp("zookeeper"),
        settings={
            "admin.enableServer": "true",
            "admin.serverAddress": LOOPBACK,
            "admin.serverPort": str(admin_port),
        },
    )
    try:
        zookeeper.start()
        zookeeper.server.wait_for("Started AdminServer on address")
        # Its admin server is there before it serves anybody.
        with client_of(zookeeper.connect):
            pass
        yield Administered(zookeeper.connect, admin_port)
    finally:
        zookeeper.kill()


def test_the_admin_server_tells_what_the_words_must_not(administered: Administered) -> None:
    with client_of(administered.connect) as client:
        for number in range(20):
            client.create(f"/node-{number}", b"x" * 100)
        client.get("/node-0", watch=lambda _: None)

        by_words = administered.server()
        by_both = administered.server("--admin-port", str(administered.admin_port))

    only_admin = ("sessions", "watches", "data_bytes")
    assert [None] * 3 == [by_words[name] for name in only_admin]
    assert by_both["sessions"] >= 1
    assert by_both["watches"] >= 1
    assert by_both["data_bytes"] >= 2000
    assert ("serving", "standalone", "3.8.4") == tuple(
        by_both[name] for name in ("state", "mode", "version")
    )
    # The same server, by whoever tells of it.
    assert by_words["znodes"] == by_both["znodes"] >= 20
    assert by_both["connections"] >= 1
    assert None not in (by_both["latency_min_ms"], by_both["latency_max_ms"], by_both["zxid"])


def test_lines_and_notes_say_so(administered: Administered) -> None:
    words = ("zookeeper", "--zookeeper", administered.connect)

    without = kadmin(*words)
    told = kadmin(*words, "--admin-port", str(administered.admin_port))

    assert (0, 0) == (without.exit_code, told.exit_code)
    assert "\tSessions: " in told.stdout
    assert "\tSessions: " not in without.stdout
    assert f"'mntr' is not allowed on {administered.connect}" in without.stderr


def test_a_zookeeper_s_own_port_is_no_admin_server(administered: Administered) -> None:
    port = administered.connect.rpartition(":")[2]
    words = ("zookeeper", "--zookeeper", administered.connect, "--admin-port", port)

    outcome = kadmin(*words, "--timeout", "2")

    assert outcome.exit_code == 0, outcome
    assert f"no admin server at {LOOPBACK}:{port}: " in outcome.stderr
