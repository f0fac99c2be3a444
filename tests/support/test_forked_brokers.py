"""A forked broker is to a test what `subprocess.Popen` is."""

import os
import subprocess
from pathlib import Path

import pytest

from cluster.runtime.errors import ExitStatus
from tests.support.brokers import write_properties
from tests.support.forked_brokers import fork_broker
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = pytest.mark.faults


def test_the_end_of_a_forked_broker_is_told_as_that_of_a_process(tmp_path: Path) -> None:
    wrong = write_properties(tmp_path / "wrong", "127.0.0.1:1", settings={"num.io.threads": "x"})
    # It waits for a ZooKeeper that is not there.
    waiting = write_properties(tmp_path / "waiting", "127.0.0.1:1")

    with (tmp_path / "stderr").open("w") as stderr:
        ended = fork_broker(wrong, os.environ, stderr)
        killed = fork_broker(waiting, os.environ, stderr)
    statuses = [ended.wait(OUTER_LIMIT_S), killed.poll()]
    with pytest.raises(subprocess.TimeoutExpired):
        killed.wait(0)
    killed.kill()
    statuses += [killed.wait(OUTER_LIMIT_S), killed.poll(), ended.poll()]
    killed.kill()

    assert [ExitStatus.USAGE, None, -9, -9, ExitStatus.USAGE] == statuses
    assert "num.io.threads" in (tmp_path / "stderr").read_text()
    with pytest.raises(ProcessLookupError):
        os.kill(killed.pid, 0)
