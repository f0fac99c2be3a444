"""A server process: how is it started so that it outlives us, found again, and stopped?

A process is known by its id and its start time together: ids are used again, and nothing is ever
signalled whose start time differs from the noted one.  Knows nothing of what the process does.
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError

POLL_S: Final = 0.005
PID_FILE_TIMEOUT_S: Final = 10.0
KILL_TIMEOUT_S: Final = 10.0

STATE_FIELD: Final = 3
THREADS_FIELD: Final = 20
START_FIELD: Final = 22
"""Of /proc/PID/stat, counted from 1 as proc(5) does; the start is in clock ticks since boot."""

LAUNCHER: Final = f"""
pid_file=$1
shift
read -r {"_ " * (START_FIELD - 1)} start _ 2>/dev/null < "/proc/$$/stat" ||
    start=$(LC_ALL=C ps -o lstart= -p $$)
echo "$$ $start" > "$pid_file" || exit 1
exec "$@" < /dev/null
"""
"""Notes its own id and start time, then becomes the server: exec keeps both.

Were it our part to write the file, a kill of the command at the wrong moment would leave a server
without a pid file.  Standard input is a lock, held until the note is on disk (see `start`).
"""

DETACH: Final = 'exec 3<&0; /bin/sh -c "$0" launcher "$@" <&3 3<&- &'
"""Leaves the launcher to init, so that no process of ours has to wait for the server's end."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process by its id and the system's text for when it started."""

    pid: int
    started: str

    @property
    def is_alive(self) -> bool:
        """Whether this very process runs; one that ended and was not waited for does not."""
        return start_of(self.pid) == self.started

    @property
    def is_paused(self) -> bool:
        """Whether this very process is there and stands still, as after SIGSTOP."""
        return state_of(self.pid) == "T" and self.is_alive

    @property
    def age_s(self) -> float | None:
        """For how long it has been there, whatever clocks were set to; None where only the clock
        of its start is known (without /proc).
        """
        if not self.started.isdigit():
            return None
        start_s = int(self.started) / os.sysconf("SC_CLK_TCK")
        clock: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
        return time.clock_gettime(clock) - start_s

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this very process; nothing happens when it is gone."""
        if self.is_alive:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return

    def stop(self, grace_s: float) -> None:
        """Ask the process to end, a paused one to go on and do so; after *grace_s* seconds make it.

        Raises:
            KadminError: it is still there after SIGKILL.
        """
        self.signal(signal.SIGTERM)
        self.signal(signal.SIGCONT)
        if self.ends_within(grace_s):
            return
        self.kill()

    def kill(self) -> None:
        """End the process at once and see it gone.

        Raises:
            KadminError: it is still there.
        """
        self.signal(signal.SIGKILL)
        if not self.ends_within(KILL_TIMEOUT_S):
            raise KadminError(
                f"process {self.pid} does not end, not even by SIGKILL",
                hint=f"see its state: ps -o pid,stat,wchan:30,args -p {self.pid}",
            )

    def ends_within(self, limit_s: float) -> bool:
        deadline = time.monotonic() + limit_s
        while self.is_alive:
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_S)
        return True


def start_of(pid: int) -> str | None:
    """Return the system's text for when process *pid* started; None when it does not run (any
    more)."""
    fields = stat_fields(pid)
    if fields is None:
        return None if Path("/proc/self/stat").exists() else start_by_ps(pid)
    # The first thread of a process may be gone while others still hold its ports.
    is_over = fields[STATE_FIELD - 3] in "ZX" and int(fields[THREADS_FIELD - 3]) <= 1
    return None if is_over else fields[START_FIELD - 3]


def state_of(pid: int) -> str | None:
    """Return the system's letter for what process *pid* does; None when there is none."""
    fields = stat_fields(pid)
    if fields is not None:
        return fields[STATE_FIELD - 3]
    return None if Path("/proc/self/stat").exists() else ps(pid, "stat=")[:1] or None


def stat_fields(pid: int) -> list[str] | None:
    """Return /proc/PID/stat from the state on; None when there is no such file."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field is the program's name in parentheses and may hold anything.
    return stat.rpartition(")")[2].split()


def start_by_ps(pid: int) -> str | None:
    listed = ps(pid, "stat=,lstart=").split(maxsplit=1)
    if len(listed) != 2 or listed[0].startswith("Z"):
        return None
    return listed[1].strip()


def ps(pid: int, columns: str) -> str:
    return subprocess.run(
        ["ps", "-o", columns, "-p", str(pid)],
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    ).stdout


def read_pid_file(path: Path) -> Process | None:
    """Return the process noted in *path*; None when there is no such file or it holds no whole
    note."""
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return None
    pid, _, started = text.partition(" ")
    if not (pid.isascii() and pid.isdigit() and started.endswith("\n")):
        return None
    return Process(int(pid), started.strip())


def start(
    command: Sequence[str | Path],
    *,
    pid_file: Path,
    log_file: Path,
    directory: Path,
    holding: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Process:
    """Start *command* in a session of its own in *directory*; its output is added to *log_file*.

    It has our environment and what *environment* adds.  The descriptor *holding* (of a lock) stays
    open until the pid file is written, even when we are killed before.

    Raises:
        KadminError: no pid file appeared, for example because the disk is full.
    """
    pid_file.unlink(missing_ok=True)
    with log_file.open("ab") as log:
        subprocess.run(
            ["/bin/sh", "-c", DETACH, LAUNCHER, pid_file, *command],
            stdin=subprocess.DEVNULL if holding is None else holding,
            stdout=log,
            stderr=log,
            cwd=directory,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
            check=True,
        )
    deadline = time.monotonic() + PID_FILE_TIMEOUT_S
    while (process := read_pid_file(pid_file)) is None:
        if time.monotonic() >= deadline:
            raise KadminError(
                f"no process noted itself in {pid_file}", hint=f"see the end of {log_file}"
            )
        time.sleep(POLL_S / 5)
    return process
