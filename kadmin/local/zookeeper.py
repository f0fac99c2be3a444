"""One real ZooKeeper server: configured, started, asked for its state, and stopped.

Standalone or a member of an ensemble on this machine.  Knows no cluster's name and keeps no state
but the server's own directory.
"""

import re
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError
from kadmin.jvm.java import Java, find_java
from kadmin.jvm.process import Process
from kadmin.local.addresses import LOOPBACK, host_and_port, local_address
from kadmin.local.archive import server_archive
from kadmin.local.edited_file import EditedFile
from kadmin.local.jars import class_path
from kadmin.local.ports import free_ports
from kadmin.local.server import (
    START_TIMEOUT_S,
    Server,
    ServerState,
    last_lines,
    require_free_port,
    until,
)
from kadmin.local.zookeeper_config import (
    JVM_FLAGS,
    KEYS_NOT_BY_HAND,
    MAIN_CLASS,
    Member,
    config_text,
)
from kadmin.local.zookeeper_probe import Answer, ask

STOP_GRACE_S: Final = 5.0
STACK_FRAME: Final = re.compile(r"\s+(at |\.\.\. )")


@dataclass(frozen=True, slots=True, kw_only=True)
class ZooKeeperServer(Server):
    """One ZooKeeper, standalone or a member of an ensemble.

    *members* are all members of its ensemble, itself among them; none for a standalone server.
    *address* is where clients connect; the ensemble's own ports are on the loopback always.
    *extra_config* adds to zoo.cfg or replaces what would stand there, *extra_jvm* is added to the
    JVM's flags, *with_netty* puts what TLS needs on the class path.
    """

    id: int
    port: int
    members: tuple[Member, ...] = ()
    extra_config: Mapping[str, str] = field(default_factory=dict)
    extra_jvm: Sequence[str] = ()
    with_netty: bool = False

    @property
    def title(self) -> str:
        return f"zookeeper {self.id}"

    @property
    def log_file(self) -> Path:
        return self.directory / "server.log"

    @property
    def settings_file(self) -> EditedFile:
        return EditedFile(self.directory / "zoo.cfg", KEYS_NOT_BY_HAND)

    @property
    def connect(self) -> str:
        """`HOST:PORT` for a client on this machine."""
        return host_and_port(local_address(self.address), self.port)

    def launch(self, java: Java, *, holding: int | None = None) -> Process:
        """Start the process and return at once; it is not serving yet.

        *holding* is the descriptor of a lock that is kept until the pid is noted.

        Raises:
            PortBlocked: another process listens on one of its ports.
            RefusedError: a setting that the cluster decides was changed by hand.
        """
        self.require_free_ports()
        self.write_files()
        jars = class_path(with_netty=self.with_netty)
        flags = [*JVM_FLAGS, *server_archive(java, jars).flags(), *self.extra_jvm]
        return self.start(
            [java.path, *flags, "-cp", ":".join(map(str, jars)), MAIN_CLASS, "./zoo.cfg"],
            output_file=self.log_file,
            holding=holding,
        )

    def require_free_ports(self) -> None:
        listening = [(self.address, self.port)]
        for member in self.members:
            if member.id == self.id:
                listening += [(LOOPBACK, member.quorum_port), (LOOPBACK, member.election_port)]
        for address, port in listening:
            require_free_port(self.title, address, port)

    def write_files(self) -> None:
        data = self.directory / "data"
        data.mkdir(parents=True, exist_ok=True)
        (data / "myid").write_text(f"{self.id}\n", encoding="ascii")
        text = config_text(self.address, self.port, self.members, self.extra_config)
        # Its bytes are UTF-8, and are kept as they are.
        self.settings_file.write(text.encode().decode("latin-1"))

    def ask(self) -> Answer | None:
        """Ask the server for its state; None without an answer on its port in time, or paused."""
        return None if self.is_paused else ask(local_address(self.address), self.port)

    @property
    def serves(self) -> bool:
        answer = self.ask()
        return answer is not None and answer.is_serving

    def state(self) -> tuple[ServerState, Answer | None]:
        """Return what an operator sees, and what the server said, if it said anything."""
        state = self.state_without_process()
        if state is not None:
            return state, None
        answer = self.ask()
        if answer is not None and answer.is_serving:
            return ServerState.SERVING, answer
        return self.state_without_service(), answer

    def ask_to_end(self) -> None:
        """Let the process begin to end, if it runs; `stop` sees it gone."""
        running = self.process
        if running is not None and running.is_alive:
            # The mark first: a command that finds it asks again, which does no harm.
            self.note_ending(running)
            running.signal(signal.SIGTERM)

    def finish_ending(self) -> None:
        """See a process to its end that a command asked for it, which then was killed itself.

        It may answer until then, as if it went on serving.
        """
        if self.is_ending:
            self.stop()

    def stop(self, grace_s: float = STOP_GRACE_S) -> None:
        """End the process if it runs, and forget it."""
        running = self.process
        if running is not None:
            running.stop(grace_s)
        self.forget()

    def end_of_log(self) -> list[str]:
        """Return the last lines that the server wrote, oldest first; none when it wrote nothing.

        The frames of stack traces are left out: they would push out the lines that say why.
        """
        return last_lines(self.log_file, without=STACK_FRAME)


class ServerFailed(KadminError):
    """A server ended, or did not come up in time; the end of its log is part of the message."""

    def __init__(self, server: ZooKeeperServer, what: str) -> None:
        shown = server.end_of_log() or ["(the log is empty)"]
        super().__init__(
            f"{server.title} {what}; the end of its log:",
            details=[f"  {line}" for line in shown],
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
            if server.serves:
                break
            if not server.is_alive:
                raise ServerFailed(server, "ended before it served")
        else:
            raise ServerFailed(server, f"does not serve after {timeout_s:g} s")
