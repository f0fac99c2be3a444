"""One broker of this machine: configured, started, asked for its state, and stopped.

A process of `cluster.runtime.broker` in a directory of its own.  Knows no cluster's name, and
nothing of what the broker does.
"""

import re
import signal
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from mmap import PROT_READ, mmap
from pathlib import Path
from typing import Final

import kadmin
from kadmin.errors import KadminError
from kadmin.jvm.process import Process
from kadmin.local.addresses import host_and_port, local_address
from kadmin.local.broker_probe import answers
from kadmin.local.edited_file import EditedFile
from kadmin.local.server import Server, ServerState, last_lines, require_free_port, until
from kadmin.local.server_properties import (
    KEYS_NOT_BY_HAND,
    LOGS_DIRECTORY,
    BrokerMember,
    properties_text,
)

MAIN_MODULE: Final = "cluster.runtime.broker"
PROPERTIES: Final = "server.properties"
SETTING_WARNING: Final = re.compile(
    rf"^\[[^]]*\] WARN {re.escape(PROPERTIES)}:\d+: (.*) \({re.escape(MAIN_MODULE)}\)$",
    re.MULTILINE,
)
STARTED: Final = re.compile(rb"^\[[^]]*\] INFO Broker \d+ of cluster \S+ started in ", re.MULTILINE)
"""The line in the log of a broker that has registered."""
STOP_GRACE_S: Final = 15.0
"""Longer than a broker without ZooKeeper takes to give up its session, and then to end."""


class BrokerLog(StrEnum):
    """The logs of a broker, by the names of their files."""

    SERVER = "server.log"
    CONTROLLER = "controller.log"
    STATE_CHANGE = "state-change.log"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerServer(Server):
    """One broker; *settings* are keys of its server.properties that the cluster does not decide."""

    member: BrokerMember
    zookeeper_connect: str
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> int:
        return self.member.id

    @property
    def title(self) -> str:
        return f"broker {self.id}"

    @property
    def port(self) -> int:
        return self.member.port

    @property
    def output_file(self) -> Path:
        """What the process wrote since its start: the lines of server.log, and its last words."""
        return self.directory / "output.log"

    @property
    def bootstrap(self) -> str:
        """`HOST:PORT` for a client on this machine."""
        return host_and_port(local_address(self.address), self.port)

    @property
    def has_other_settings(self) -> bool:
        """Whether it was started with other settings than those that it has now."""
        return not self.settings_file.was_written_as(self.properties_text())

    @property
    def settings_file(self) -> EditedFile:
        return EditedFile(self.directory / PROPERTIES, KEYS_NOT_BY_HAND)

    @property
    def setting_warnings(self) -> tuple[str, ...]:
        """What a process that has just started said of its settings: of unknown keys, say."""
        try:
            return tuple(SETTING_WARNING.findall(self.output_file.read_text(errors="replace")))
        except FileNotFoundError:
            return ()

    @property
    def has_registered(self) -> bool:
        """Whether the process that was started last has registered; it has when it prints that it
        has started.  Before that, the registration of its id is another's."""
        try:
            with (
                self.output_file.open("rb") as file,
                mmap(file.fileno(), 0, prot=PROT_READ) as text,
            ):
                return STARTED.search(text) is not None
        except (FileNotFoundError, ValueError):  # Nothing is mapped of an empty file.
            return False

    @property
    def logs_directory(self) -> Path:
        return self.directory / LOGS_DIRECTORY

    def log_file(self, log: BrokerLog) -> Path:
        return self.logs_directory / log

    def properties_text(self) -> str:
        return properties_text(self.member, self.address, self.zookeeper_connect, self.settings)

    def launch(self, *, holding: int | None = None) -> Process:
        """Start the process and return at once; it is not serving yet.

        *holding* is the descriptor of a lock that is kept until the pid is noted.

        Raises:
            PortBlocked: another process listens on its port.
            RefusedError: a setting that the cluster decides was changed by hand.
        """
        require_free_port(self.title, self.address, self.port)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.settings_file.write(self.properties_text())
        return self.start(
            # -P: what lies in the broker's directory is no module.
            [sys.executable, "-P", "-m", MAIN_MODULE, PROPERTIES],
            output_file=self.output_file,
            holding=holding,
            environment=module_path(),
        )

    def state(self, registered: Collection[int]) -> ServerState:
        """Return what an operator sees; *registered* are the brokers that ZooKeeper knows."""
        state = self.state_without_process()
        if state is not None:
            return state
        return ServerState.SERVING if self.serves(registered) else self.state_without_service()

    def serves(self, registered: Collection[int]) -> bool:
        return self.id in registered and answers(local_address(self.address), self.port)

    def ask_to_end(self) -> None:
        """Let the process begin to end in good order, if it runs; a paused one goes on to do so.

        It is asked once: a broker that is asked again ends at once.
        """
        running = self.process
        if running is None or not running.is_alive:
            return
        if not self.is_ending:
            running.signal(signal.SIGTERM)
            # Only now: were we killed before the signal, no other command would send one.
            self.note_ending(running)
        running.signal(signal.SIGCONT)

    def ends_within(self, limit_s: float) -> bool:
        """Wait for the end of a process that was asked for it; then it is forgotten."""
        running = self.process
        if running is not None and not running.ends_within(limit_s):
            return False
        self.forget()
        return True

    def finish_ending(self) -> None:
        """Wait for a process to end that a command stopped before it was killed itself.

        The process may serve until then, and cannot be started again before.
        """
        if self.is_ending:
            self.ask_to_end()
            self.end(STOP_GRACE_S)

    def end(self, grace_s: float) -> bool:
        """See a process end that was asked for it, by force after *grace_s*; whether that was."""
        if self.ends_within(grace_s):
            return False
        self.kill()
        self.forget()
        return True

    def end_of_output(self) -> list[str]:
        """Return the last lines that the process wrote, oldest first; none when it wrote
        nothing."""
        return last_lines(self.output_file)


class BrokerFailed(KadminError):
    """A broker ended, or did not come up in time; its last words are part of the message."""

    def __init__(self, broker: BrokerServer, what: str) -> None:
        shown = broker.end_of_output() or ["(it said nothing)"]
        super().__init__(
            f"{broker.title} {what}; its last words:",
            details=[f"  {line}" for line in shown],
            hint=f"see all of them: less {broker.output_file}",
        )
        self.broker = broker


def wait_until_brokers_serve(
    brokers: Sequence[BrokerServer],
    registered: Callable[[], Collection[int]],
    timeout_s: float,
) -> None:
    """Wait until every one of *brokers* serves; *registered* asks which ones ZooKeeper knows.

    Raises:
        BrokerFailed: one ended, or does not serve in time.
    """
    waiting = list(brokers)
    if not waiting:
        return
    for _ in until(time.monotonic() + timeout_s):
        known = registered()
        waiting = [
            broker for broker in waiting if not (broker.serves(known) and broker.has_registered)
        ]
        if not waiting:
            return
        for broker in waiting:
            if not broker.is_alive:
                raise BrokerFailed(broker, "ended before it served")
    raise BrokerFailed(waiting[0], f"does not serve after {timeout_s:g} s")


def module_path() -> dict[str, str]:
    """Return what a process needs in its environment to find our modules, and none of another
    checkout."""
    home = Path(kadmin.__path__[0]).parent
    # Where packages are installed, Python looks anyway; there they must not come before its own.
    return {} if home.name.endswith("-packages") else {"PYTHONPATH": str(home)}
