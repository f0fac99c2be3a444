"""A process that runs a command as long as a lease is renewed: `lease_guard.py FD COMMAND…`.

It outlives the kadmin that renews the lease: if that is killed, stopped or stands still, the
command is ended all the same, before another one may lead.  It knows no ZooKeeper, and imports
little: it is there before the command.

Lines come from the socket FD: `lease 1000 2000` is when to end the command and when to kill it, by
the clock of `now_ms`; `signal 15` sends a signal to it, `end` ends it.  The end of these ends it,
too.  The command is a process group of its own, of which nothing is left at the end; nor is, on
Linux, what has left the group, as `timeout` and `setsid` do.  Its pid is written to the socket: if
the guard is killed, kadmin kills the group.  The exit status is the command's; 128 and the number
of the signal that killed it, as in shells.
"""

import errno
import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

CANNOT_RUN = 126
NOT_FOUND = 127
PYTHONS = (signal.SIGINT, signal.SIGPIPE)
"""What Python handles otherwise than the command is to."""
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def now_ms() -> int:
    """The clock of leases: it is never set, and goes on while the machine is suspended."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime_ns(clock) // 1_000_000


class Guard:
    """The group of the process *pid*, which the socket *control* decides about."""

    def __init__(self, control: int, wake_up: int, pid: int) -> None:
        self.control = control
        self.wake_up = wake_up
        self.pid = pid
        self.end_ms: int | None = None
        self.kill_ms: int | None = None
        self.is_ending = False
        self.status: int | None = None
        """Once it is reaped."""
        self.text = b""
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)
        self.poll.register(wake_up, select.POLLIN)

    def run(self) -> int:
        """Guard the command until it has ended, and return its exit status."""
        while not self.has_ended():
            self.keep_deadlines()
            deadlines = [each for each in (self.end_ms, self.kill_ms) if each is not None]
            left_ms = max(0, min(deadlines) - now_ms()) if deadlines else None
            for descriptor, _ in self.poll.poll(left_ms):
                if descriptor == self.wake_up:
                    os.read(descriptor, 4096)
                else:
                    self.read_control()
        # Nothing of the command outlives the leadership.  As long as it is not reaped, its group
        # is its own.
        self.kill()
        if self.status is None:
            _, self.status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(self.status)
        return code if code >= 0 else 128 - code

    def has_ended(self) -> bool:
        """Return whether the command has, which stays unreaped; reap orphans of it.

        On macOS, where only reaping shows an end, its group is killed right behind that.
        """
        if sys.platform != "linux" or not hasattr(os, "waitid"):
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
            return pid == self.pid
        while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if found.si_pid == self.pid:
                return True
            os.waitpid(found.si_pid, 0)
        return False

    def keep_deadlines(self) -> None:
        if self.kill_ms is not None and now_ms() >= self.kill_ms:
            self.kill()
            self.end_ms = self.kill_ms = None
        elif self.end_ms is not None and now_ms() >= self.end_ms:
            self.end()

    def read_control(self) -> None:
        data = b""
        with suppress(ConnectionResetError):  # Killed, kadmin leaves the pid unread.
            data = os.read(self.control, 4096)
        if not data:
            self.poll.unregister(self.control)
            self.end()
            return
        *lines, self.text = (self.text + data).split(b"\n")
        for line in lines:
            word, *numbers = line.decode().split()
            if word == "lease" and not self.is_ending:
                self.end_ms, self.kill_ms = map(int, numbers)
            elif word == "signal":
                number = int(numbers[0])
                if number == signal.SIGKILL:
                    self.kill()
                else:
                    self.send(number)
            elif word == "end":
                self.end()

    def end(self) -> None:
        """Ask the command to end; it has until the lease is over."""
        self.end_ms = None
        if not self.is_ending:
            self.is_ending = True
            outside = [pid for pid in descendants() if group_of(pid) != self.pid]
            for number in (signal.SIGTERM, signal.SIGCONT):
                self.send(number)
                for pid in outside:
                    send(pid, number)

    def kill(self) -> None:
        """Kill the command and all that it has started, also what it starts meanwhile."""
        self.send(signal.SIGKILL)
        killed: set[int] = set()
        while left := descendants() - killed - {self.pid}:
            for pid in left:
                send(pid, signal.SIGKILL)
            killed |= left

    def send(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


def send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def descendants() -> set[int]:
    """Return what this process has started, and what these have; empty where there is no /proc."""
    parents = {}
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:  # It may be gone.
                # Behind the name, in which anything may stand: the state and the parent.
                parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    found: set[int] = set()
    newer = {os.getpid()}
    while newer:
        newer = {pid for pid, parent in parents.items() if parent in newer} - found
        found |= newer
    return found


def adopt_orphans() -> None:
    """Let Linux make this process the parent of what its children leave behind."""
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def become(command: Sequence[str], guard_pid: int) -> None:
    """Replace this process, a new one, by *command*; does not return."""
    os.setpgid(0, 0)
    die_with(guard_pid)
    try:
        if not command[0]:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        os.execvp(command[0], list(command))
    except OSError as error:
        with suppress(OSError):  # Standard error may be closed.
            os.write(2, os.fsencode(f"kadmin: cannot run '{command[0]}': {error.strerror}\n"))
        os._exit(NOT_FOUND if isinstance(error, FileNotFoundError) else CANNOT_RUN)


def die_with(guard_pid: int) -> None:
    """Let Linux kill this process if the guard is killed; kadmin may be gone as well."""
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != guard_pid:
        os._exit(128 + signal.SIGKILL)


def main(arguments: Sequence[str]) -> int:
    control, command = int(arguments[0]), arguments[1:]
    os.set_inheritable(control, False)
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    # Its end must not be missed between a look at it and the wait.
    signal.set_wakeup_fd(write_end)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in PYTHONS:
        signal.signal(number, signal.SIG_DFL)
    # A lease that is over ends the command even before it runs, which ignores nothing by itself.
    guard_pid = os.getpid()
    adopt_orphans()
    pid = os.fork()
    if pid == 0:
        become(command, guard_pid)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.setpgid(pid, pid)  # Whichever of both is first: signals go to the group from now on.
    with suppress(OSError):
        os.write(control, f"{pid}\n".encode())
    return Guard(control, read_end, pid).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
