import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import SHUT_WR, create_server, socket

import pytest

from kadmin.local import broker_probe
from kadmin.local.broker_probe import TooOld, answers, registered_brokers, registrations
from kadmin.local.ports import free_ports
from kadmin.local.server import ServerState
from kadmin.local.server_properties import BrokerMember
from kadmin.local.state import LocalCluster
from kadmin.local.status import status_of
from kadmin.local.zookeeper import ZooKeeperServer
from kadmin.local.zookeeper_config import Member
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of, running_server

DUMP = """\
Sessions with Ephemerals (3):
0x10000e3a1670000:
\t/brokers/ids/1
\t/controller
0x30000e3a1670001:
\t/kafka/brokers/ids/4
\t/brokers/ids/10
0x10000e3a1670002:
\t/brokers/ids/x
"""

REGISTER = """
import signal, sys
from kazoo.client import KazooClient
client = KazooClient(sys.argv[1])
client.start()
client.ensure_path("/brokers/ids")
client.create("/brokers/ids/8", ephemeral=True)
print("registered", flush=True)
signal.pause()
"""


def test_registrations_are_read_with_the_session_that_owns_them() -> None:
    assert {1: "0x10000e3a1670000", 10: "0x30000e3a1670001"} == registrations(DUMP)
    assert {} == registrations("")


@pytest.mark.zk
@pytest.mark.faults
def test_a_broker_counts_as_registered_while_somebody_holds_its_session(
    zookeeper: ZooKeeperServer,
) -> None:
    places = [("127.0.0.1", zookeeper.port)]
    with (
        client_of(zookeeper.connect) as client,
        subprocess.Popen(
            [sys.executable, "-c", REGISTER, zookeeper.connect], stdout=subprocess.PIPE, text=True
        ) as other,
    ):
        try:
            client.ensure_path("/brokers/ids")
            client.create("/brokers/ids/7", ephemeral=True)
            assert other.stdout is not None
            assert "registered\n" == other.stdout.readline()

            assert {7, 8} == registered_brokers(places)
        finally:
            other.kill()
        # Its session has seconds to live yet, and its node is there.
        wait_until(lambda: {7} == registered_brokers(places), what="the lost one")
        assert client.exists("/brokers/ids/8")
        client.delete("/brokers", recursive=True)


@pytest.mark.zk
def test_a_zookeeper_of_earlier_releases_is_named_as_what_it_is(tmp_path: Path) -> None:
    allowed = {"4lw.commands.whitelist": "srvr,ruok,mntr"}
    with running_server(tmp_path, extra_config=allowed) as server:
        with pytest.raises(TooOld):
            registered_brokers([("127.0.0.1", server.port)])
        # It is still told how the servers are.
        cluster = LocalCluster(
            name="old",
            directory=tmp_path,
            address="127.0.0.1",
            members=(Member(id=1, port=server.port, quorum_port=1, election_port=2),),
            broker_members=(BrokerMember(id=1, port=3),),
        )
        assert [ServerState.STOPPED] == [broker.state for broker in status_of(cluster).brokers]


def test_without_zookeepers_nobody_is_registered() -> None:
    (port,) = free_ports(1, "127.0.0.1")

    assert frozenset() == registered_brokers([("127.0.0.1", port)])


@contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """A server that says *answer* to whatever it is asked, once, and no more."""

    def serve(listener: socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(100)
            connection.sendall(answer)
            connection.shutdown(SHUT_WR)

    with create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=[listener])
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


GOOD = bytes.fromhex("00000010 6b61646d 0000 00000001 001200000003".replace(" ", ""))


@pytest.mark.parametrize(
    ("answer", "is_good"),
    [
        (GOOD, True),
        (b"", False),
        (GOOD[:9], False),
        (GOOD[:4] + bytes(4) + GOOD[8:], False),
        (GOOD[:8] + b"\x00\x23" + GOOD[10:], False),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", False),
    ],
    ids=["good", "nothing", "cut off", "another request's", "an error", "a web server"],
)
def test_only_the_answer_of_a_broker_counts(answer: bytes, is_good: bool) -> None:
    with answering(answer) as port:
        assert is_good == answers("127.0.0.1", port)


def test_a_port_that_is_silent_or_free_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_probe, "ANSWER_TIMEOUT_S", 0.05)
    with create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        assert not answers("127.0.0.1", port)
    assert not answers("127.0.0.1", port)
