"""Processes of brokers, forked from one that has imported what they need: most of a start's CPU.

As a program, `python -m tests.support.forked_brokers DESCRIPTOR`, it imports that once and forks a
broker for each request at its socket, until the other end is closed.  What a start by `python -m
cluster.runtime.broker` does besides is for `run_to_end` and `spawn` of `tests.support.brokers`.
"""

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Final

from tests.support.checkout import CHECKOUT

REQUEST_MAX: Final = 2**20
STARTING: Final = threading.Lock()


class ForkedBroker:
    """A broker's process, used like one of `subprocess`."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        told = channel.recv(REQUEST_MAX)
        assert told, "the process that forks brokers has ended"
        self.pid = int(told)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._channel], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("broker", timeout or 0)
            # Without a word only if who forked it was killed, with all that it has forked.
            self.returncode = int(self._channel.recv(REQUEST_MAX) or -signal.SIGKILL)
            self._channel.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def fork_broker(properties: Path, environment: Mapping[str, str], stderr: IO[str]) -> ForkedBroker:
    """Start a broker with *properties* in the checkout."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    request = json.dumps([[str(properties)], dict(environment)]).encode()
    with theirs:
        # Threads that start brokers at once would each start one, and all but one would end.
        with STARTING:
            control = requests()
        socket.send_fds(control, [request], [theirs.fileno(), stderr.fileno()])
    return ForkedBroker(ours)


@cache
def requests() -> socket.socket:
    """Start the process that forks brokers; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", "tests.support.forked_brokers", str(theirs.fileno())]
        process = subprocess.Popen(
            command, cwd=CHECKOUT, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
        )
    # Nobody waits for it.
    process.returncode = 0
    return ours


def arguments_of_a_broker(control: socket.socket) -> Sequence[str]:
    """Fork for each request at *control*; return in each fork, with the arguments of its broker."""
    running: dict[int, tuple[int, socket.socket]] = {}
    """The pid of each broker, and where its end is said, by its pidfd."""
    while True:
        for ready in select.select([control.fileno(), *running], [], [])[0]:
            if ready in running:
                pid, channel = running.pop(ready)
                os.close(ready)
                with channel, suppress(OSError):
                    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                    channel.send(str(status).encode())
                continue
            request, descriptors, _, _ = socket.recv_fds(control, REQUEST_MAX, 2)
            if not request:
                sys.exit()
            channel, stderr = socket.socket(fileno=descriptors[0]), descriptors[1]
            pid = os.fork()
            if not pid:
                for descriptor, (_, other) in running.items():
                    os.close(descriptor)
                    other.close()
                control.close()
                channel.close()
                os.dup2(stderr, sys.stderr.fileno())
                os.close(stderr)
                arguments, environment = json.loads(request)
                os.environ.clear()
                os.environ.update(environment)
                return arguments  # type: ignore[no-any-return]
            os.close(stderr)
            with suppress(OSError):
                channel.send(str(pid).encode())
            running[os.pidfd_open(pid)] = (pid, channel)


if __name__ == "__main__":
    gc.disable()
    from cluster.runtime import (  # noqa: F401  What brokers import once they have their settings.
        broker,
        process,
    )

    gc.freeze()
    sys.exit(broker.main(arguments_of_a_broker(socket.socket(fileno=int(sys.argv[1])))))
