"""How does a Java server run beside the tests, and die with them?

Knows no Kafka and no ZooKeeper: a command line, a log and the line of it that means ready.
"""

import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.support.evidence import watch
from tests.support.waiting import OUTER_LIMIT_S, wait_until


def killed_with_parent(command: Sequence[str]) -> list[str]:
    """*command*, killed by the kernel when this process dies in any way, where setpriv is."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", *command] if setpriv else list(command)


class JavaServer:
    """A server process with its *log*; it may be killed, stopped and started again."""

    def __init__(self, command: Sequence[str], *, directory: Path, log: Path) -> None:
        self.command = killed_with_parent(command)
        self.directory = directory
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start it without waiting; what it says by itself goes to `console.log`."""
        assert not self.is_running
        self.log.unlink(missing_ok=True)
        watch(self.directory)
        watch(self.log.parent)
        with (self.directory / "console.log").open("ab") as console:
            # Its own session: Ctrl-C must reach pytest alone, whose fixtures end the servers.
            self.process = subprocess.Popen(
                self.command,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
            )

    def wait_for(self, line: str) -> None:
        """Wait until *line* stands in the log; fails with the log's end when it never will."""

        def is_ready() -> bool:
            assert self.is_running, f"{self.directory.name} died:\n{self.end_of_logs()}"
            return self.log.exists() and line in self.log.read_text(errors="replace")

        wait_until(is_ready, what=f"'{line}' in {self.log}")

    def end_of_logs(self) -> str:
        logs = (self.log, self.directory / "console.log")
        return "\n".join(log.read_text(errors="replace")[-3000:] for log in logs if log.exists())

    def kill(self) -> None:
        """End it without a farewell."""
        self.end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to end, and kill it when it takes too long."""
        self.end(signal.SIGTERM)

    def end(self, sign: signal.Signals) -> None:
        if self.process is None:
            return
        self.process.send_signal(sign)
        try:
            self.process.wait(OUTER_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
