"""How does a test run kadmin: in this process with its two streams caught, or beside it."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass

from kadmin.cli.main import run
from tests.support.checkout import CHECKOUT
from tests.support.waiting import wait_until


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
    with redirect_stdout(stdout), redirect_stderr(stderr):
        exit_code = run(list(arguments))
    stdout.flush()
    return KadminRun(int(exit_code), written.getvalue().decode(), stderr.getvalue())


def done(*arguments: str) -> str:
    """What kadmin prints for *arguments*; fails with all that it said unless it succeeded."""
    outcome = kadmin(*arguments)
    assert outcome.exit_code == 0, f"kadmin {' '.join(arguments)}: {outcome}"
    return outcome.stdout


def kadmin_process(*arguments: str) -> KadminRun:
    """Run kadmin with *arguments* in a process of its own.

    For who asks brokers that die meanwhile: kafka-python leaves a socket open when a connection is
    refused, which any test of this process would be blamed for.
    """
    outcome = subprocess.run(
        [sys.executable, "-m", "kadmin", *arguments],
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return KadminRun(outcome.returncode, outcome.stdout, outcome.stderr)


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
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def offered(*arguments: str) -> list[str]:
    """What Tab offers: the lines of `kadmin completion --values` with *arguments*, of which there
    has to be one.

    In a process of its own, which ends without a word when a second is over; on a busy machine it
    is asked again.
    """
    told: list[str] = []

    def tell() -> bool:
        run = kadmin_process("completion", "--values", *arguments)
        assert (0, "") == (run.exit_code, run.stderr)
        told[:] = run.stdout.splitlines()
        return bool(told)

    wait_until(tell, what=f"what Tab offers of {' '.join(arguments)}")
    return told
