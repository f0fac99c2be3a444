"""How is one real ZooKeeper server configured, started, asked for its state, and stopped?

Standalone or a member of an ensemble on this machine.  Knows no cluster's name and keeps no state
but the server's own directory.
"""

import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError
from kadmin.local import process
from kadmin.local.archive import archive_flags
from kadmin.local.jars import class_path
from kadmin.local.java import Java, find_java
from kadmin.local.ports import free_ports, is_free
from kadmin.local.process import Process

LOOPBACK: Final = "127.0.0.1"
MAIN_CLASS: Final = "org.apache.zookeeper.server.quorum.QuorumPeerMain"

START_TIMEOUT_S: Final = 30.0
STOP_GRACE_S: Final = 5.0
PROBE_TIMEOUT_S: Final = 0.15
"""One connection that arrives too early can hang for seconds; a new one is answered at once."""
POLL_S: Final = 0.01

LOG_LINES_SHOWN: Final = 8

JVM_FLAGS: Final = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xmx512m",
    "-Xss512k",
    "-XX:-UsePerfData",
    # A server without memory answers some requests and not others; a dead one is noticed.
    "-XX:+ExitOnOutOfMemoryError",
    # Doubts about a class-data archive are no news: the JVM then does without it.
    "-Xlog:disable",
    "-Xlog:all=error:stderr",
    "-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory",
    "-Dorg.apache.logging.log4j.simplelog.level=INFO",
    "-Dorg.apache.logging.log4j.simplelog.showdatetime=true",
    # It notes every four-letter word, and we ask one until the server serves.
    "-Dorg.apache.logging.log4j.simplelog.org.apache.zookeeper.server.NIOServerCnxn.level=WARN",
    "-Dzookeeper.jmx.log4j.disable=true",
)

COMMON_CONFIG: Final = {
    "dataDir": "./data",
    "tickTime": "1000",
    "initLimit": "10",
    "syncLimit": "5",
    # Sessions as short and as long as anybody's test or broker asks for.
    "minSessionTimeout": "1000",
    "maxSessionTimeout": "60000",
    "maxClientCnxns": "0",
    "admin.enableServer": "false",
    "4lw.commands.whitelist": "srvr,ruok,mntr",
    "autopurge.snapRetainCount": "3",
    "autopurge.purgeInterval": "1",
}


class ServerState(StrEnum):
    """What an operator sees of a server."""

    SERVING = "serving"
    STARTING = "starting"
    NOT_SERVING = "not serving"
    DEAD = "dead"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One server of an ensemble and the three ports it listens on."""

    id: int
    port: int
    quorum_port: int
    election_port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a server says of itself: whether it serves and, if so, as what (`leader`, …)."""

    is_serving: bool
    mode: str | None = None


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
        flags = [*JVM_FLAGS, *archive_flags(java, jars), *self.extra_jvm]
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
            if not is_free(address, port):
                raise PortBlocked(self, address, port)

    def write_files(self) -> None:
        data = self.directory / "data"
        data.mkdir(parents=True, exist_ok=True)
        (data / "myid").write_text(f"{self.id}\n", encoding="ascii")
        lines = [f"{key}={value}\n" for key, value in self.config().items()]
        (self.directory / "zoo.cfg").write_text("".join(lines), encoding="utf-8")

    def config(self) -> dict[str, str]:
        """What stands in zoo.cfg; paths are relative, since the server runs in its directory."""
        config = dict(COMMON_CONFIG)
        if not self.members:
            config |= {"clientPortAddress": self.address, "clientPort": str(self.port)}
        for member in self.members:
            client = host_and_port(self.address, member.port)
            peers = f"{LOOPBACK}:{member.quorum_port}:{member.election_port}"
            config[f"server.{member.id}"] = f"{peers};{client}"
        return config | self.extra_config

    def ask(self) -> Answer | None:
        """Ask the server for its state; None when nobody answers on its port in time."""
        text = four_letter_word("srvr", local_address(self.address), self.port)
        if text is None:
            return None
        for line in text.splitlines():
            if line.startswith("Mode: "):
                return Answer(is_serving=True, mode=line.removeprefix("Mode: ").strip())
        return Answer(is_serving=False)

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
        age_s = time.time() - self.pid_file.stat().st_mtime
        is_young = 0 <= age_s < START_TIMEOUT_S
        return (ServerState.STARTING if is_young else ServerState.NOT_SERVING), answer

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
        """The last lines that the server wrote, oldest first; none when it wrote nothing."""
        try:
            text = self.log_file.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return []
        return text.splitlines()[-LOG_LINES_SHOWN:]


class PortBlocked(KadminError):
    """Somebody else listens on a port that a server needs."""

    def __init__(self, server: ZooKeeperServer, address: str, port: int) -> None:
        super().__init__(
            f"zookeeper {server.id} cannot start: port {port} of {address} is taken",
            hint=f"see by whom: ss -ltnp 'sport = :{port}'",
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


def four_letter_word(word: str, address: str, port: int) -> str | None:
    """What a server answers to *word*; None when nobody does within `PROBE_TIMEOUT_S`."""
    answer = b""
    try:
        with socket.create_connection((address, port), timeout=PROBE_TIMEOUT_S) as connection:
            connection.sendall(word.encode("ascii"))
            while part := connection.recv(4096):
                answer += part
    except OSError:
        return None
    return answer.decode("utf-8", errors="replace")


def local_address(address: str) -> str:
    """Where a client of this machine reaches a server that listens on *address*."""
    return {"0.0.0.0": LOOPBACK, "::": "::1"}.get(address, address)


def host_and_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
