"""How does a test run kadmin: in this process, with its two streams caught."""

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

from kadmin.cli.main import run


@dataclass(frozen=True, slots=True)
class KadminRun:
    """What one run of kadmin left."""

    exit_code: int
    stdout: str
    stderr: str


def kadmin(*arguments: str) -> KadminRun:
    """Run kadmin with *arguments* as `main` does, but for the exit."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        exit_code = run(list(arguments))
    return KadminRun(int(exit_code), stdout.getvalue(), stderr.getvalue())


def done(*arguments: str) -> str:
    """What kadmin prints for *arguments*; fails with all that it said unless it succeeded."""
    outcome = kadmin(*arguments)
    assert outcome.exit_code == 0, f"kadmin {' '.join(arguments)}: {outcome}"
    return outcome.stdout
