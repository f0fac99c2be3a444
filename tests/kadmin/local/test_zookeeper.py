import os
import socket
from pathlib import Path

import pytest

from kadmin.jvm.process import start_of
from kadmin.local.server import PortBlocked, ServerState
from kadmin.local.zookeeper import ServerFailed, ZooKeeperServer, start_server
from kadmin.local.zookeeper_probe import ask
from tests.support.zookeeper import client_of, running_server

pytestmark = pytest.mark.zk


def test_the_shared_server_serves_clients_below_a_chroot(
    zookeeper: ZooKeeperServer, chroot: str
) -> None:
    with client_of(chroot) as client:
        client.create("/a", b"1")
        children = client.get_children("/")
    state, answer = zookeeper.state()

    assert ["a"] == children
    assert ServerState.SERVING == state
    assert answer is not None
    assert "standalone" == answer.mode


def test_a_server_listens_on_the_loopback_alone_and_runs_no_admin_server(
    zookeeper: ZooKeeperServer,
) -> None:
    pid = zookeeper.process
    assert pid is not None
    sockets = {
        link.split("[")[1].rstrip("]")
        for path in Path(f"/proc/{pid.pid}/fd").iterdir()
        if (link := read_link(path)).startswith("socket:")
    }

    listening = [
        fields[1]
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        if (fields := line.split())[3] == "0A" and fields[9] in sockets
    ]

    assert [f"{zookeeper.port:04X}"] == [address.split(":")[1] for address in listening]
    assert all("0100007F" in address for address in listening)


def read_link(path: Path) -> str:
    try:
        return str(path.readlink())
    except FileNotFoundError:  # Closed since it was listed.
        return ""


def test_a_blocked_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        with pytest.raises(PortBlocked) as raised:
            start_server(tmp_path, port=port)

    assert f"port {port} of 127.0.0.1: address already in use" in raised.value.message
    assert f":{port}" in str(raised.value.hint)


def test_a_server_that_cannot_start_says_so_with_the_end_of_its_log(tmp_path: Path) -> None:
    with pytest.raises(ServerFailed) as raised:
        start_server(tmp_path, extra_config={"tickTime": "soon"})

    assert "zookeeper 1 ended before it served" in raised.value.message
    assert "soon" in str(raised.value)
    assert str(tmp_path / "server.log") in str(raised.value.hint)


def test_a_jvm_that_does_not_start_says_so_with_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(ServerFailed, match="Unrecognized VM option 'NoSuchFlag'"):
        start_server(tmp_path, extra_jvm=["-XX:+NoSuchFlag"])


def test_a_server_that_does_not_serve_in_time_is_stopped(tmp_path: Path) -> None:
    # A member whose peers are not there never serves.
    lonely = {"server.1": "127.0.0.1:1:2;127.0.0.1:0", "server.2": "127.0.0.1:3:4;127.0.0.1:5"}

    with pytest.raises(ServerFailed, match=r"does not serve after 0\.1 s"):
        start_server(tmp_path, extra_config=lonely, timeout_s=0.1)

    assert not (tmp_path / "pid").exists()


@pytest.mark.faults
def test_a_killed_server_is_dead_and_a_stopped_one_is_stopped(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        server.kill()
        state_after_kill, _ = server.state()
        server.stop()
        state_after_stop, _ = server.state()

    assert (ServerState.DEAD, ServerState.STOPPED) == (state_after_kill, state_after_stop)


class StoppedMeanwhile(ZooKeeperServer):
    """A server that another command stops just while this one asks it."""

    def ask(self) -> None:
        self.pid_file.unlink()


def test_a_server_that_is_stopped_while_it_is_asked_is_stopped(tmp_path: Path) -> None:
    server = StoppedMeanwhile(id=1, directory=tmp_path, port=1)
    server.pid_file.write_text(f"{os.getpid()} {start_of(os.getpid())}\n")

    assert (ServerState.STOPPED, None) == server.state()


def test_a_server_started_again_keeps_its_data_and_the_log_of_the_time_before(
    tmp_path: Path,
) -> None:
    with running_server(tmp_path) as server:
        with client_of(server.connect) as client:
            client.create("/kept", b"1")
        server.stop()
    (tmp_path / "server.log").write_text("the time before\n")

    with running_server(tmp_path, port=server.port) as again, client_of(again.connect) as client:
        assert client.get("/kept")[0] == b"1"
    assert (tmp_path / "server.log.1").read_text() == "the time before\n"


def test_the_answer_of_a_port_that_is_silent_is_none_soon() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answer = ask("127.0.0.1", listener.getsockname()[1])

    assert answer is None
