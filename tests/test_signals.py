"""Tests pass where signals are ignored: a script's background jobs, and what nohup starts."""

import subprocess
import sys
from typing import Final

import pytest

from tests.support.checkout import CHECKOUT
from tests.support.waiting import OUTER_LIMIT_S

STARTED: Final = """\
import os, signal, sys
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@pytest.mark.slow
def test_who_starts_the_tests_may_ignore_signals() -> None:
    """Those that tests send to processes of their own, and to themselves."""
    words = ["-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-c", STARTED, *words, "tests/kadmin/jvm/test_interrupts.py"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=OUTER_LIMIT_S,
        check=False,
    )

    assert 0 == done.returncode, done.stdout
