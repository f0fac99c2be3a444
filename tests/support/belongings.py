"""All processes that a run of the tests has started, and their end when the run is gone.

Servers of tests are sessions of their own and outlive who started them; what they all have is a
word in the environment.  As a program, which starts quickly and imports nothing of others, this
module is the guard of a run: it waits until one of PIDS is gone, the first of which is the run,
ends the run, and kills what has the WORD.

usage: python -I -S belongings.py WORD PIDS…
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

NAME: Final = "TEST_RUN"
"""The variable whose value all processes of one run have."""
ENDS_WITH: Final = "TEST_RUN_ENDS_WITH"
"""The variable with the pids of those who wait for the run: without them nobody wants it."""


def belonging_to(name: str, value: str) -> Iterator[int]:
    """The processes that were started with the variable *name* at *value*; zombies have none."""
    word = f"{name}={value}".encode()
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as environment:
            if word in environment.read().split(b"\0"):
                yield int(pid)


def kill_all(value: str) -> None:
    """Kill what belongs to the run *value*; what it starts meanwhile belongs to it as well."""
    while found := list(belonging_to(NAME, value)):
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def start_guard() -> None:
    """Mark what this process starts from now on, and let a guard see to its end."""
    if not hasattr(os, "pidfd_open"):
        return
    pids = [str(os.getpid()), *os.environ.pop(ENDS_WITH, "").split()]
    os.environ.pop(NAME, None)
    value = f"{pids[0]}-{os.urandom(8).hex()}"
    # It outlives this process, which therefore does not wait for it.
    guard = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, value, *pids],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    guard.returncode = 0
    os.environ[NAME] = value


def main(value: str, *pids: str) -> None:
    with suppress(ProcessLookupError):
        run = os.pidfd_open(int(pids[0]))
        try:
            select.select([run, *(os.pidfd_open(int(pid)) for pid in pids[1:])], [], [])
        finally:
            signal.pidfd_send_signal(run, signal.SIGKILL)
    kill_all(value)


if __name__ == "__main__":
    main(*sys.argv[1:])
