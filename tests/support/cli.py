"""How does a test run kadmin: in this process with its two streams caught, or beside it."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import IO

import pytest

from kadmin.cli import completion
from kadmin.cli.main import run
from tests.support.checkout import CHECKOUT
from tests.support.evidence import command_text, record
from tests.support.waiting import OUTER_LIMIT_S


@dataclass(frozen=True, slots=True)
class KadminRun:
    """What one run of kadmin left."""

    exit_code: int
    stdout: str
    stderr: str


def kadmin(*arguments: str) -> KadminRun:
    """Run kadmin with *arguments* as `main` does, but for the exit."""
    # With bytes below the text, as the streams of a process have them.
    written = io.BytesIO()
    stdout, stderr = io.TextIOWrapper(written, "utf-8", newline=""), io.StringIO()
    exit_code = None
    try:
        with redirect_stdout(stdout), redirect_stderr(stderr):
            exit_code = int(run(list(arguments)))
    finally:
        # Also of one that raised, or that the limit of the test has ended.
        stdout.flush()
        printed, said = written.getvalue().decode(errors="replace"), stderr.getvalue()
        note(arguments, exit_code, printed, said)
    return KadminRun(exit_code, written.getvalue().decode(), said)


def note(arguments: Sequence[str], exit_code: int | None, stdout: str, stderr: str) -> None:
    """Keep what a run left in case the test fails."""
    command = ("kadmin", *arguments)
    record(lambda: command_text(command, exit_code, stdout=stdout, stderr=stderr))


def done(*arguments: str) -> str:
    """What kadmin prints for *arguments*; fails with all that it said unless it succeeded."""
    outcome = kadmin(*arguments)
    assert outcome.exit_code == 0, f"kadmin {' '.join(arguments)}: {outcome}"
    return outcome.stdout


def kadmin_process(*arguments: str, module: str = "kadmin") -> KadminRun:
    """Run kadmin with *arguments* in a process of its own.

    For what ends its process, or needs one that nothing else goes on in.
    """
    outcome = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    note(arguments, outcome.returncode, outcome.stdout, outcome.stderr)
    return KadminRun(outcome.returncode, outcome.stdout, outcome.stderr)


class RecordedPipe(io.RawIOBase):
    """A pipe that keeps what a test has read from it."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        assert isinstance(pipe, io.BufferedReader)
        self._pipe = pipe.detach()
        self.bytes = bytearray()

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._pipe.fileno()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._pipe.readinto(buffer)
        self.bytes += buffer[:count]
        return count

    def close(self) -> None:
        self._pipe.close()
        super().close()


@contextmanager
def running_kadmin(
    *arguments: str, stdin: int = subprocess.DEVNULL
) -> Iterator["subprocess.Popen[bytes]"]:
    """A kadmin that runs beside the test, and is gone at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kadmin", *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=CHECKOUT,
        env=os.environ,
    )
    stdout, stderr = RecordedPipe(process.stdout), RecordedPipe(process.stderr)
    process.stdout, process.stderr = io.BufferedReader(stdout), io.BufferedReader(stderr)
    try:
        yield process
    finally:
        process.kill()
        rest = process.communicate()
        printed = (pipe.bytes + more for pipe, more in zip((stdout, stderr), rest, strict=True))
        note(arguments, process.returncode, *(text.decode(errors="replace") for text in printed))


def offered(*arguments: str) -> list[str]:
    """What Tab offers: the lines of `kadmin completion --values` with *arguments*.

    As long as it takes: after a second without an answer its process ends without a word, and a
    busy machine may need longer for it each time.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(completion, "PATIENCE_S", float(OUTER_LIMIT_S))
        patched.setattr(completion, "ending_after", nullcontext)
        run = kadmin("completion", "--values", *arguments)
    assert (0, "") == (run.exit_code, run.stderr), run
    return run.stdout.splitlines()
