"""What ZooKeepers and brokers of this machine have in common as processes.

A directory, a file with the process' id, what the process wrote, the states that an operator sees.
Their settings and the check whether they serve are left to the subclasses.
"""

import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from kadmin.errors import InProgressError, KadminError
from kadmin.jvm import process
from kadmin.jvm.process import Process
from kadmin.local.addresses import LOOPBACK
from kadmin.local.edited_file import EditedFile
from kadmin.local.ports import why_blocked

START_TIMEOUT_S: Final = 30.0
POLL_S: Final = 0.01
PORT_TIMEOUT_S: Final = 1.0
SIGNAL_TIMEOUT_S: Final = 5.0
LINES_SHOWN: Final = 8


class ServerState(StrEnum):
    """What an operator sees of a server."""

    SERVING = "serving"
    STARTING = "starting"
    NOT_SERVING = "not serving"
    PAUSED = "paused"
    DEAD = "dead"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server with a directory of its own; the process may run or not.

    *address* is where clients connect.
    """

    directory: Path
    address: str = LOOPBACK

    @property
    def title(self) -> str:
        """What an operator calls it: `broker 1`."""
        raise NotImplementedError

    @property
    def settings_file(self) -> EditedFile:
        """Its settings, which kadmin writes at each start."""
        raise NotImplementedError

    @property
    def pid_file(self) -> Path:
        return self.directory / "pid"

    @property
    def ending_file(self) -> Path:
        """A copy of the pid file of a process that was asked to end."""
        return self.directory / "ending"

    @property
    def process(self) -> Process | None:
        """The process that was started last, alive or not; None when there is none to know of."""
        return process.read_pid_file(self.pid_file)

    @property
    def is_alive(self) -> bool:
        running = self.process
        return running is not None and running.is_alive

    @property
    def is_paused(self) -> bool:
        running = self.process
        return running is not None and running.is_paused

    @property
    def is_ending(self) -> bool:
        """Whether the process was asked to end and has not done so yet."""
        running = self.process
        return (
            running is not None
            and running.is_alive
            and running == process.read_pid_file(self.ending_file)
        )

    def note_ending(self, running: Process) -> None:
        """Leave a mark that *running* is asked to end, for who comes when this command is killed.

        A full disk must not keep anybody from stopping: then there is none.
        """
        with suppress(OSError):
            self.ending_file.write_text(f"{running.pid} {running.started}\n", encoding="utf-8")

    def forget(self) -> None:
        """Let no process be known: it has ended."""
        self.pid_file.unlink(missing_ok=True)
        self.ending_file.unlink(missing_ok=True)

    def start(
        self,
        command: Sequence[str | Path],
        *,
        output_file: Path,
        holding: int | None,
        environment: Mapping[str, str] | None = None,
    ) -> Process:
        """Start *command* in the directory; what the process before it wrote is kept beside.

        *holding* is the descriptor of a lock that is kept until the pid is noted.
        """
        if output_file.exists():
            output_file.replace(output_file.with_name(f"{output_file.name}.1"))
        return process.start(
            command,
            pid_file=self.pid_file,
            log_file=output_file,
            directory=self.directory,
            holding=holding,
            environment=environment,
        )

    def state_without_process(self) -> ServerState | None:
        """Return what an operator sees where no process runs, or a paused one, which answers
        nothing.

        None where one runs and can be asked.
        """
        running = self.process
        if running is None:
            return ServerState.STOPPED
        if not running.is_alive:
            return ServerState.DEAD
        return ServerState.PAUSED if running.is_paused else None

    def state_without_service(self) -> ServerState:
        """Return what an operator sees of a process that was alive when it was asked, and does not
        serve.

        It is called starting during the time that a start may take, and not serving after that.
        """
        running = self.process
        if running is None:  # It was stopped in the meantime.
            return ServerState.STOPPED
        age_s = running.age_s
        if age_s is None:
            age_s = time.time() - self.pid_file.stat().st_mtime
        return ServerState.STARTING if 0 <= age_s < START_TIMEOUT_S else ServerState.NOT_SERVING

    def pause(self) -> None:
        """Let the process stand still, and see that it does.

        Raises:
            NotRunning: it has ended.
            InProgressError: the system takes its time.
        """
        self.signal_and_see(signal.SIGSTOP, lambda: self.is_paused)

    def resume(self) -> None:
        """Let a paused process go on, and see that it does; raises as `pause` does."""
        self.signal_and_see(signal.SIGCONT, lambda: not self.is_paused)

    def signal_and_see(self, number: signal.Signals, is_done: Callable[[], bool]) -> None:
        for _ in until(time.monotonic() + SIGNAL_TIMEOUT_S):
            running = self.process
            if running is None or not running.is_alive:
                raise NotRunning(self.title)
            running.signal(number)
            if is_done():
                return
        raise InProgressError(f"{self.title} does not follow {number.name} yet")

    def kill(self) -> None:
        """End the process at once, as `kill -9` does; its pid file stays, as after a crash."""
        running = self.process
        if running is not None:
            running.kill()


class NotRunning(KadminError):
    """What was asked of a server can only be done by a running one."""

    def __init__(self, server: str) -> None:
        super().__init__(f"{server} is not running")
        self.server = server


class PortBlocked(KadminError):
    """A server cannot listen on a port that it needs, mostly because another process does."""

    def __init__(self, server: str, address: str, port: int, reason: str) -> None:
        super().__init__(
            f"{server} cannot listen on port {port} of {address}: {reason}",
            hint=f"see who does: ss -ltnp 'sport = :{port}'",
        )
        self.port = port


def require_free_port(server: str, address: str, port: int) -> None:
    """Wait a moment for *port* of *address*: other commands try ports for free ones, and a process
    that was killed is gone a little before its sockets.

    Raises:
        PortBlocked: the *server* of that name cannot listen there all the same.
    """
    deadline = time.monotonic() + PORT_TIMEOUT_S
    while (reason := why_blocked(address, port)) is not None:
        if time.monotonic() >= deadline:
            raise PortBlocked(server, address, port, reason)
        time.sleep(POLL_S)


def last_lines(file: Path, *, without: re.Pattern[str] | None = None) -> list[str]:
    """Return the last lines of *file*, oldest first; none when it is not there.

    Lines that begin *without* are left out.
    """
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    lines = text.splitlines()
    if without is not None:
        lines = [line for line in lines if not without.match(line)]
    return lines[-LINES_SHOWN:]


def until(deadline: float) -> Iterator[None]:
    """Let the caller try at once, and again after short pauses, until *deadline*.

    *deadline* is a time of `time.monotonic`, in s.
    """
    yield
    while time.monotonic() < deadline:
        time.sleep(POLL_S)
        yield
