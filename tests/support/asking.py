"""What does kadmin ask on a terminal, and what does it make of the answer?"""

import os
import pty
import select
import signal
import subprocess
import sys
from typing import Final

from tests.support.evidence import command_text, record
from tests.support.waiting import OUTER_LIMIT_S, never

AGAIN_S: Final = 5
"""After so long without a word Ctrl-C is pressed again."""


class AskingKadmin:
    """A kadmin on a terminal; all that stands there is in `said`."""

    def __init__(self, *arguments: str) -> None:
        self.terminal, theirs = pty.openpty()
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kadmin", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        command = ("kadmin", *arguments)
        record(lambda: command_text(command, self.process.returncode, terminal=self.said))

    def __enter__(self) -> "AskingKadmin":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    def read(self) -> bool:
        """Read what has come; false at the end, which a terminal tells by an error."""
        ready, _, _ = select.select([self.terminal], [], [], OUTER_LIMIT_S)
        assert ready, never(f"more than {self.said!r}")
        try:
            self.said += os.read(self.terminal, 4096).decode().replace("\r\n", "\n")
        except OSError:
            return False
        return True

    def read_until(self, text: str) -> None:
        while not self.said.endswith(text):
            assert self.read(), f"{text!r} did not come: {self.said}"

    def read_until_said(self, text: str) -> None:
        """Read until *text* stands there, whatever comes behind it."""
        while text not in self.said:
            assert self.read(), f"{text!r} did not come: {self.said}"

    def answer(self, line: str) -> None:
        self.press(line.encode() + b"\n")

    def press(self, keys: bytes) -> None:
        os.write(self.terminal, keys)

    def interrupted(self) -> int:
        """The exit code after Ctrl-C, pressed again where it came just before the process read."""
        self.process.send_signal(signal.SIGINT)
        while not select.select([self.terminal], [], [], AGAIN_S)[0]:
            self.process.send_signal(signal.SIGINT)
        return self.exit_code()

    def exit_code(self) -> int:
        while self.read():
            pass
        return self.process.wait()
