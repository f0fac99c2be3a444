"""Logs on a Spark cluster, whose driver starts before anything is read."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.cli.merge_logs.test_analysis import INCIDENT
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = [
    pytest.mark.spark,
    pytest.mark.long,
    pytest.mark.xdist_group("standalone-spark"),
]


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """Where what is temporary has to be gone in the end."""
    directory = tmp_path / "temporary"
    directory.mkdir()
    return directory


def started(temporary: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "kadmin", "merge-logs", *words],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A process that a busy test runner starts may ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


@pytest.mark.parametrize("words", [("--causal",), ("--analyze", "--output", "json")])
def test_a_cluster_says_what_this_process_says(
    temporary: Path, standalone_spark: str, words: tuple[str, ...]
) -> None:
    master = ("--master", standalone_spark, "--conf", "spark.executor.memory=500m")
    with (
        started(temporary, INCIDENT, *words, "--master", "none") as here,
        started(temporary, INCIDENT, *words, *master) as there,
    ):
        expected, _ = here.communicate()
        said, problems = there.communicate()

    assert expected
    assert (ExitCode.DONE, expected) == (there.returncode, said), problems
    assert list(temporary.iterdir()) == []


def test_what_is_wrong_with_the_inputs_ends_the_driver(
    temporary: Path, standalone_spark: str
) -> None:
    with started(temporary, "nosuch.log", "--master", standalone_spark) as process:
        said, problems = process.communicate(timeout=OUTER_LIMIT_S)

    assert (ExitCode.FAILED, "") == (process.returncode, said)
    assert "nosuch.log" in problems
    assert "Spark" not in problems
    assert list(temporary.iterdir()) == []


def test_ctrl_c_before_anything_is_read_leaves_nothing(
    temporary: Path, standalone_spark: str
) -> None:
    with started(temporary, INCIDENT, "--master", standalone_spark) as process:
        wait_until(lambda: any(temporary.glob("kadmin-spark-*")), what="the driver's place")
        process.send_signal(signal.SIGINT)
        _, problems = process.communicate(timeout=OUTER_LIMIT_S)

    assert (ExitCode.INTERRUPTED, "kadmin: interrupted\n") == (process.returncode, problems)
    assert list(temporary.iterdir()) == []
