"""A command of this machine that runs as long as a lease is renewed, under a guard."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from kadmin.local import lease_guard

GUARD: Final = Path(lease_guard.__file__)


class LeasedProcess:
    """*command*, from the start on; *end_ms* and *kill_ms* are of the guard's clock.

    It is a process group of its own, which Ctrl-C at the terminal does not reach, and which cannot
    read from that.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], end_ms: int, kill_ms: int
    ) -> None:
        self._control, guards_end = socket.socketpair()
        # A guard that is stopped must not hold up those who renew the lease.
        self._control.setblocking(False)
        try:
            self.renew(end_ms, kill_ms)
            self._guard = subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUARD), str(guards_end.fileno()), *command],
                env=environment,
                pass_fds=(guards_end.fileno(),),
                process_group=0,
                # A process in the background that reads from the terminal is stopped.
                stdin=subprocess.DEVNULL if sys.stdin.isatty() else None,
            )
        except BaseException:
            self._control.close()
            raise
        finally:
            guards_end.close()

    def renew(self, end_ms: int, kill_ms: int) -> None:
        """Let the command run until *end_ms*; it is killed at *kill_ms*."""
        self._say(f"lease {end_ms} {kill_ms}")

    def signal(self, number: int) -> None:
        self._say(f"signal {number}")

    def end(self) -> None:
        """Ask the command to end; it is killed when the last lease is over."""
        self._say("end")

    def wait(self) -> int:
        """Wait until the command and its group are gone, and return its exit status."""
        try:
            code = self._guard.wait()
            if code < 0:
                self._kill_group()
            return code if code >= 0 else 128 - code
        finally:
            self._control.close()

    def _kill_group(self) -> None:
        """Do what the guard, which was killed, cannot do any more."""
        with suppress(OSError, ValueError):  # It may have been killed before it had started any.
            os.killpg(int(self._control.recv(64)), signal.SIGKILL)

    def _say(self, line: str) -> None:
        # The guard may have ended by now, and then `wait` knows why.
        with suppress(OSError):
            self._control.send(f"{line}\n".encode())
