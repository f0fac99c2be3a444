"""Commands that print until they are interrupted."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from kadmin.errors import ExitCode
from tests.support.checkout import CHECKOUT
from tests.support.waiting import OUTER_LIMIT_S


@contextmanager
def shown(*arguments: str) -> Iterator[Iterator[str]]:
    """The lines that kadmin prints with *arguments* until it is interrupted, behind the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "kadmin", *arguments],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield iter(process.stdout)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=OUTER_LIMIT_S)
            assert ExitCode.INTERRUPTED == process.returncode
        finally:
            process.kill()
