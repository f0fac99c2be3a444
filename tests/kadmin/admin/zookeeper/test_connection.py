"""Does a session come about when it can, and is the reason told when it cannot?"""

import io
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from cluster.zk.steps import read_node
from kadmin.admin.zookeeper.client import Failures
from kadmin.admin.zookeeper.connection import CLOSE_TIMEOUT_S, ZooKeeperUnreachable, connect
from kadmin.local.zookeeper import ZooKeeperServer
from kadmin.settings.resolve import ZooKeeperSettings
from tests.support.silent_servers import answering_server
from tests.support.zookeeper import running_server

pytestmark = pytest.mark.sockets


def settings(address: str, timeout_s: float = 0.3) -> ZooKeeperSettings:
    return ZooKeeperSettings(connect=address, timeout_s=timeout_s)


def refusal(address: str, timeout_s: float = 0.3) -> ZooKeeperUnreachable:
    with pytest.raises(ZooKeeperUnreachable) as raised, connect(settings(address, timeout_s)):
        raise AssertionError("a session with nobody")
    return raised.value


@pytest.fixture
def closed() -> Iterator[str]:
    """An address where nobody listens, and nobody else may in the meantime."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def other_server(answer: bytes) -> AbstractContextManager[str]:
    """A server that is no ZooKeeper: it says *answer* to everybody, and hangs up."""
    return answering_server(lambda _: answer)


def test_closed_port_is_refused(closed: str) -> None:
    """At once, however long it would be waited for somebody who is only slow."""
    error = refusal(closed, timeout_s=3600)

    assert f"cannot reach ZooKeeper at {closed}: connection refused" == error.message
    assert closed == error.connect


@pytest.mark.parametrize(
    ("answer", "known_as"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "speaks HTTP, as ZooKeeper's admin server does"),
        (b"\0\0\0\x0a\0\0\0\x07\0\0\0\0\0\0", "is a Kafka broker: --bootstrap-server"),
    ],
)
def test_another_server_is_named_where_it_is_recognised(answer: bytes, known_as: str) -> None:
    with other_server(answer) as address:
        error = refusal(f"{address}/kafka")

    assert f"cannot reach ZooKeeper at {address}/kafka: that is no ZooKeeper" == error.message
    assert f"{address} {known_as}" in str(error.hint)


def test_another_server_that_hangs_up_is_reported() -> None:
    with other_server(b"") as address:
        error = refusal(address)

    assert "the server closed the connection" in error.message
    assert "it may be no ZooKeeper" in str(error.hint)


def test_name_that_nobody_knows_is_told() -> None:
    # As kazoo logs it; a real look-up would leave this machine.
    failures = Failures(threading.Event())
    logger = logging.Logger("kazoo")
    logger.addHandler(failures)
    unknown = socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    logger.warning("Cannot resolve %s: %s", "zk1", unknown)

    assert {"zk1": unknown} == failures.by_address
    assert "the name cannot be resolved (Name or service not known)" == str(failures)
    assert not failures.is_final

    logger.warning("Cannot resolve %s: %s", "zk1", unknown)

    assert failures.is_final


def test_different_reasons_are_told_address_by_address(closed: str) -> None:
    with other_server(b"") as address:
        error = refusal(f"{closed},{address}", timeout_s=1)

    assert f"{closed}: connection refused" in error.message
    assert f"{address}: the server closed the connection" in error.message
    # So it looks when two of three ZooKeepers are down.
    assert "while most servers of its ensemble are down" in str(error.hint)


def test_long_silence_is_noted_once_and_a_short_timeout_is_not() -> None:
    notes: list[str] = []

    with other_server(b"") as address:
        for timeout_s in (0.2, 1.7):
            with (
                pytest.raises(ZooKeeperUnreachable),
                connect(settings(address, timeout_s), note=notes.append),
            ):
                raise AssertionError("a session with nobody")

    assert [f"waiting for ZooKeeper at {address} (the server closed the connection)"] == notes


@pytest.mark.zk
def test_dead_members_of_the_ensemble_do_not_matter(
    zookeeper: ZooKeeperServer, closed: str
) -> None:
    notes: list[str] = []

    for address in (f"{closed},{zookeeper.connect}", f"{zookeeper.connect},{closed}"):
        with connect(settings(address, 15), note=notes.append) as connection:
            assert connection.read(read_node("/zookeeper")) is not None


@pytest.mark.zk
def test_log_of_the_client_is_written_only_where_it_is_wanted(
    chroot: str, capfd: pytest.CaptureFixture[str]
) -> None:
    log = io.StringIO()
    with connect(settings(chroot, 15), log=log) as connection:
        connection.read(read_node("/nothing"))
    with connect(settings(chroot, 15)) as connection:
        connection.read(read_node("/nothing"))

    assert "Connecting to 127.0.0.1" in log.getvalue()
    assert ("", "") == capfd.readouterr()


@pytest.mark.zk
@pytest.mark.faults
def test_server_that_hangs_keeps_nobody_who_wants_to_leave(tmp_path: Path) -> None:
    with running_server(tmp_path / "zookeeper") as server:
        assert server.process is not None
        pid = server.process.pid
        with connect(settings(server.connect, 15)) as connection:
            assert connection.read(read_node("/zookeeper")) is not None
            os.kill(pid, signal.SIGSTOP)
            leaving = time.monotonic()
        # kazoo alone would wait for ten seconds.
        assert time.monotonic() - leaving < CLOSE_TIMEOUT_S + 5
        os.kill(pid, signal.SIGCONT)
