"""Nobody takes a run for whole from which this machine has kept tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT
from tests.support.waiting import OUTER_LIMIT_S

HOOK = """\
import sys
sys.path.insert(0, {checkout!r})
from tests.support.not_run import say_what_was_not_run

def pytest_unconfigure(config):
    say_what_was_not_run(config)
"""

TESTS = """\
import pytest
from tests.interop.maven import Maven, MavenSilent, needing_maven
from tests.interop.releases import KAFKA

@pytest.mark.parametrize("number", range(3))
def test_kafka(number, tmp_path):
    with needing_maven():
        Maven(tmp_path, "no-such-mvn").class_path(KAFKA["2.8.2"])

def test_shell():
    pytest.skip("fish is not installed")

def test_other():
    pytest.skip("for a reason that no machine can do anything about")

def test_good():
    pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_could_not_run_stands_below_everything_else_and_fails_nothing(
    tmp_path: Path, workers: str
) -> None:
    (tmp_path / "conftest.py").write_text(HOOK.format(checkout=str(CHECKOUT)))
    (tmp_path / "test_some.py").write_text(TESTS)

    done = run_tests(tmp_path, workers)

    assert 0 == done.returncode
    head, *wants = done.stdout.splitlines()[-3:]
    assert " NOT RUN: 4 tests " in head
    assert [
        "3 of them, with real Kafka and ZooKeeper releases:"
        " Maven: there is no 'no-such-mvn' on the PATH",
        "1 of them: fish is not installed",
    ] == wants


@pytest.mark.slow
def test_nothing_is_said_where_everything_has_run(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(HOOK.format(checkout=str(CHECKOUT)))
    (tmp_path / "test_some.py").write_text("def test_good():\n    pass\n")

    done = run_tests(tmp_path, "0")

    assert 0 == done.returncode
    assert "NOT RUN" not in done.stdout


def run_tests(directory: Path, workers: str) -> "subprocess.CompletedProcess[str]":
    words = ("-p", "xdist", "-n", workers, "--rootdir", str(directory), "-ra")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=directory,
        # Other plugins only cost time here.
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=OUTER_LIMIT_S,
        check=False,
    )
