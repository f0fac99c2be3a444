"""Does a run of tests that is killed at any moment leave nothing behind?"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.belongings import ENDS_WITH, NAME, belonging_to
from tests.support.checkout import CHECKOUT
from tests.support.waiting import wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux has what the guard needs"),
]

RUN = """
import os, signal, subprocess
from tests.support.belongings import NAME, start_guard

start_guard()
# As kadmin starts a server: its parent is gone, its session its own.
subprocess.run(["sh", "-c", "sleep 10000 &"], start_new_session=True, check=True)
print(os.environ[NAME], flush=True)
{rest}
"""


@pytest.fixture
def waiting() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that waits for a run, such as make."""
    with subprocess.Popen(["sleep", "10000"]) as process:
        yield process
        process.kill()


def run_with(rest: str, waiting: "subprocess.Popen[bytes]") -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", RUN.format(rest=rest)],
        cwd=CHECKOUT,
        env={**os.environ, ENDS_WITH: str(waiting.pid)},
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_until_nothing_is_left(run: str) -> None:
    wait_until(lambda: not list(belonging_to(NAME, run)), what="the end of all that a run started")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("killed", ["the run", "who waits for it"])
def test_a_run_that_is_killed_leaves_nothing(
    waiting: "subprocess.Popen[bytes]", killed: str, sign: signal.Signals
) -> None:
    with run_with("signal.pause()", waiting) as process:
        assert process.stdout is not None
        run = process.stdout.readline().strip()
        assert 1 == len(list(belonging_to(NAME, run)))
        (process if killed == "the run" else waiting).send_signal(sign)
        process.wait()

        wait_until_nothing_is_left(run)


def test_what_a_run_has_left_ends_behind_it(waiting: "subprocess.Popen[bytes]") -> None:
    with run_with("", waiting) as process:
        assert process.stdout is not None
        run = process.stdout.readline().strip()

        assert 0 == process.wait()
        wait_until_nothing_is_left(run)
    assert waiting.poll() is None


def test_nobody_who_waits_may_be_gone_already() -> None:
    """The run was not worth starting."""
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    with run_with("signal.pause()", gone) as process:
        assert -signal.SIGKILL == process.wait()
