"""How is one real ZooKeeper server configured, started, asked for its state, and stopped?

Standalone or a member of an ensemble on this machine.  Knows no cluster's name and keeps no state
but the server's own directory.
"""

import re
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError
from kadmin.jvm import process
from kadmin.jvm.java import Java, find_java
from kadmin.jvm.process import Process
from kadmin.local.archive import server_archive
from kadmin.local.jars import class_path
from kadmin.local.ports import free_ports, why_blocked
from kadmin.local.probe import LOOPBACK, Answer, ask, host_and_port, local_address
from kadmin.local.server_config import JVM_FLAGS, MAIN_CLASS, Member, config_text

START_TIMEOUT_S: Final = 30.0
STOP_GRACE_S: Final = 5.0
POLL_S: Final = 0.01

LOG_LINES_SHOWN: Final = 8
STACK_FRAME: Final = re.compile(r"\s+(at |\.\.\. )")


class ServerState(StrEnum):
    """What an operator sees of a server."""

    SERVING = "serving"
    STARTING = "starting"
    NOT_SERVING = "not serving"
    PAUSED = "paused"
    DEAD = "dead"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class ZooKeeperServer:
    """One server with a directory of its own; the process may run or not.

    *members* are all members of its ensemble, itself among them; none for a standalone server.
    *address* is where clients connect; the ensemble's own ports are on the loopback always.
    *extra_config* adds to zoo.cfg or replaces what would stand there, *extra_jvm* is added to the
    JVM's flags, *with_netty* puts what TLS needs on the class path.
    """

    id: int
    directory: Path
    port: int
    address: str = LOOPBACK
    members: tuple[Member, ...] = ()
    extra_config: Mapping[str, str] = field(default_factory=dict)
    extra_jvm: Sequence[str] = ()
    with_netty: bool = False

    @property
    def pid_file(self) -> Path:
        return self.directory / "pid"

    @property
    def log_file(self) -> Path:
        return self.directory / "server.log"

    @property
    def connect(self) -> str:
        """`HOST:PORT` for a client on this machine."""
        return host_and_port(local_address(self.address), self.port)

    @property
    def process(self) -> Process | None:
        """The process that was started last, alive or not; None when there is none to know of."""
        return process.read_pid_file(self.pid_file)

    @property
    def is_alive(self) -> bool:
        running = self.process
        return running is not None and running.is_alive

    def launch(self, java: Java, *, holding: int | None = None) -> Process:
        """Start the process and return at once; it is not serving yet.

        *holding* is the descriptor of a lock that is kept until the pid is noted.

        Raises:
            PortBlocked: somebody listens on one of its ports.
        """
        self.require_free_ports()
        self.write_files()
        if self.log_file.exists():
            self.log_file.replace(self.directory / "server.log.1")
        jars = class_path(with_netty=self.with_netty)
        flags = [*JVM_FLAGS, *server_archive(java, jars).flags(), *self.extra_jvm]
        return process.start(
            [java.path, *flags, "-cp", ":".join(map(str, jars)), MAIN_CLASS, "./zoo.cfg"],
            pid_file=self.pid_file,
            log_file=self.log_file,
            directory=self.directory,
            holding=holding,
        )

    def require_free_ports(self) -> None:
        listening = [(self.address, self.port)]
        for member in self.members:
            if member.id == self.id:
                listening += [(LOOPBACK, member.quorum_port), (LOOPBACK, member.election_port)]
        for address, port in listening:
            require_free_port(f"zookeeper {self.id}", address, port)

    def write_files(self) -> None:
        data = self.directory / "data"
        data.mkdir(parents=True, exist_ok=True)
        (data / "myid").write_text(f"{self.id}\n", encoding="ascii")
        text = config_text(self.address, self.port, self.members, self.extra_config)
        (self.directory / "zoo.cfg").write_text(text, encoding="utf-8")

    def ask(self) -> Answer | None:
        """Ask the server for its state; None when nobody answers on its port in time."""
        return ask(local_address(self.address), self.port)

    def state(self) -> tuple[ServerState, Answer | None]:
        """What an operator sees, and what the server said, if it said anything.

        A server that is alive and does not answer is called starting during the time that a start
        may take, and not serving after that.
        """
        running = self.process
        if running is None:
            return ServerState.STOPPED, None
        if not running.is_alive:
            return ServerState.DEAD, None
        answer = self.ask()
        if answer is not None and answer.is_serving:
            return ServerState.SERVING, answer
        try:
            age_s = time.time() - self.pid_file.stat().st_mtime
        except FileNotFoundError:  # Somebody has stopped it while we asked.
            return ServerState.STOPPED, None
        is_young = 0 <= age_s < START_TIMEOUT_S
        return (ServerState.STARTING if is_young else ServerState.NOT_SERVING), answer

    def ask_to_end(self) -> None:
        """Let the process begin to end, if it runs; `stop` sees it gone."""
        running = self.process
        if running is not None:
            running.signal(signal.SIGTERM)

    def stop(self, grace_s: float = STOP_GRACE_S) -> None:
        """End the process if it runs, and forget it."""
        running = self.process
        if running is not None:
            running.stop(grace_s)
        self.pid_file.unlink(missing_ok=True)

    def kill(self) -> None:
        """End the process at once, as `kill -9` does; its pid file stays, as after a crash."""
        running = self.process
        if running is not None:
            running.kill()

    def end_of_log(self) -> list[str]:
        """The last lines that the server wrote, oldest first; none when it wrote nothing.

        The frames of stack traces are left out: they would push out the lines that say why.
        """
        try:
            text = self.log_file.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return []
        lines = [line for line in text.splitlines() if not STACK_FRAME.match(line)]
        return lines[-LOG_LINES_SHOWN:]


class PortBlocked(KadminError):
    """A server cannot listen on a port that it needs, mostly because somebody else does."""

    def __init__(self, server: str, address: str, port: int, reason: str) -> None:
        super().__init__(
            f"{server} cannot listen on port {port} of {address}: {reason}",
            hint=f"see who does: ss -ltnp 'sport = :{port}'",
        )
        self.port = port


class ServerFailed(KadminError):
    """A server ended, or did not come up in time; the end of its log is part of the message."""

    def __init__(self, server: ZooKeeperServer, what: str) -> None:
        shown = server.end_of_log() or ["(the log is empty)"]
        super().__init__(
            f"zookeeper {server.id} {what}; the end of its log:\n"
            + "\n".join(f"  {line}" for line in shown),
            hint=f"see the whole log: less {server.log_file}",
        )
        self.server = server


def start_server(
    directory: Path,
    *,
    port: int | None = None,
    address: str = LOOPBACK,
    extra_config: Mapping[str, str] | None = None,
    extra_jvm: Sequence[str] = (),
    with_netty: bool = False,
    timeout_s: float = START_TIMEOUT_S,
) -> ZooKeeperServer:
    """Start a standalone server in *directory* and wait until it serves.

    Raises:
        ServerFailed: it ended, or does not serve within *timeout_s*; it is stopped then.
    """
    server = ZooKeeperServer(
        id=1,
        directory=directory,
        port=free_ports(1, address)[0] if port is None else port,
        address=address,
        extra_config=extra_config or {},
        extra_jvm=extra_jvm,
        with_netty=with_netty,
    )
    server.launch(find_java())
    try:
        wait_until_serving([server], timeout_s)
    except ServerFailed:
        server.stop()
        raise
    return server


def require_free_port(server: str, address: str, port: int) -> None:
    """Raises PortBlocked when the *server* of that name cannot listen on *port* of *address*."""
    reason = why_blocked(address, port)
    if reason is not None:
        raise PortBlocked(server, address, port, reason)


def wait_until_serving(servers: Sequence[ZooKeeperServer], timeout_s: float) -> None:
    """Wait until every one of *servers* serves.

    Raises:
        ServerFailed: one ended, or does not serve in time.
    """
    deadline = time.monotonic() + timeout_s
    for server in servers:
        for _ in until(deadline):
            answer = server.ask()
            if answer is not None and answer.is_serving:
                break
            if not server.is_alive:
                raise ServerFailed(server, "ended before it served")
        else:
            raise ServerFailed(server, f"does not serve after {timeout_s:g} s")


def until(deadline: float) -> Iterator[None]:
    """Let the caller try at once, and again after short pauses, until *deadline*."""
    yield
    while time.monotonic() < deadline:
        time.sleep(POLL_S)
        yield
