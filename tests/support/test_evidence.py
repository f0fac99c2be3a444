"""Does a failing test leave what its servers and commands said, and a passing one nothing?"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.checkout import CHECKOUT
from tests.support.evidence import directory_name, is_log

# One worker runs the tests that fail, for all tests of this module.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("evidence")]

PLUGINS = ("tests.support.evidence", "pytest_randomly", "xdist", "_hypothesis_pytestplugin")
"""Others would only cost time."""

HEAD = """
import pytest

from tests.support.evidence import watch


class StandIn:
    def __init__(self, directory):
        directory.mkdir(parents=True)
        watch(directory)
        self.log = directory / "logs" / "server.log"
        self.log.parent.mkdir()
        self.says("is up")

    def says(self, line):
        with self.log.open("a") as log:
            log.write(f"{self.log.parent.parent.name} {line}\\n")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return StandIn(tmp_path_factory.mktemp("shared") / "shared-server")


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    return StandIn(tmp_path_factory.mktemp("other") / "other-server")


@pytest.fixture
def broken(tmp_path):
    StandIn(tmp_path / "broken-server")
    raise RuntimeError("it did not come up")

"""


class SubRun(NamedTuple):
    """What a run of pytest printed, and the directories of its failed tests by their names."""

    out: str
    failures: dict[str, Path]


def sub_run(tmp_path: Path, tests: str, *words: str) -> SubRun:
    """Run *tests* as a suite of its own, whose plugin this one's is."""
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "test_it.py").write_text(HEAD + tests)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
            *(word for name in PLUGINS for word in ("-p", name)),
            *("--rootdir", str(suite), "-c", os.devnull, "--basetemp", str(tmp_path / "temp")),
            *("-rN", "--randomly-dont-reorganize", *words, str(suite)),
        ],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "PYTHONPATH": str(CHECKOUT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "KADMIN_TEST_FAILURES": str(tmp_path / "failures"),
            "SEED_BASE": "4200",
            "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path / "hypothesis"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    found = (tmp_path / "failures").glob("*/*")
    return SubRun(
        done.stdout + done.stderr, {path.name.partition("test_it_py_")[2]: path for path in found}
    )


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> SubRun:
    """A run in which tests fail, each in its way."""
    return sub_run(
        tmp_path_factory.mktemp("run"),
        """
import time
from hypothesis import given, settings, strategies as st
from tests.support.cli import kadmin, kadmin_process, running_kadmin
from tests.support.evidence import FILE_CLOCK_LAG_NS

lent = []


def test_before(shared, other, tmp_path_factory):
    other.says("was used before")
    lent.append(StandIn(tmp_path_factory.mktemp("lent") / "lent-server"))
    pass_the_lag_of_files()


def pass_the_lag_of_files():
    end_ns = time.time_ns() + 2 * FILE_CLOCK_LAG_NS
    while time.time_ns() < end_ns:
        pass


def test_fails(shared, tmp_path):
    StandIn(tmp_path / "own-server").says("refuses")
    (tmp_path / "console.log").write_text("the console\\n")
    (tmp_path / "00000000000000000000.log").write_text("a segment")
    kadmin("completion", "nu")
    kadmin_process("--version")
    with running_kadmin("--help") as process:
        assert process.stdout.readline()
        process.wait()
    assert not "it"


def test_uses_what_another_has_started():
    lent[0].says("is used again")
    assert False


def test_finds_no_server(shared, broken):
    pass


@settings(derandomize=False)  # As the profile of these tests has it, also where CI is set.
@given(st.integers())
def test_draws(number):
    assert False
""",
        "--randomly-seed=17",
    )


def test_a_failing_test_leaves_seeds_order_logs_and_what_kadmin_printed(failed: SubRun) -> None:
    directory = failed.failures["test_fails"]
    why = (directory / "why.txt").read_text()
    commands = (directory / "commands.txt").read_text()
    logs = {log.relative_to(directory).as_posix(): log for log in directory.rglob("*.log")}

    assert "SEED_BASE=4200 pytest --randomly-seed=17 'test_it.py::test_fails'" in why
    assert "assert not 'it'" in why
    assert "Before it, in this process, the last one last:\ntest_it.py::test_before\n" in why
    assert "$ kadmin completion nu\nexit code: 2\n--- stderr\n" in commands
    assert "$ kadmin --version\nexit code: 0\n--- stdout\nkadmin " in commands
    assert re.search(r"\$ kadmin --help\nexit code: 0\n--- stdout\n[^$]+--version", commands)
    assert logs.keys() == {
        "logs/shared0/shared-server/logs/server.log",
        "logs/test_fails0/own-server/logs/server.log",
        "logs/test_fails0/console.log",
    }
    own = logs["logs/test_fails0/own-server/logs/server.log"].read_text()
    assert "own-server is up\nown-server refuses\n" == own


def test_the_report_of_a_failure_has_the_same_in_short(failed: SubRun) -> None:
    for text in ("--randomly-seed=17", "own-server refuses", "shared-server is up", "exit code: 2"):
        assert text in failed.out
    assert "other-server" not in failed.out
    directory = failed.failures["test_fails"].parent
    assert failed.out.splitlines()[-1] == f"Why tests failed is in {directory}"


def test_servers_that_did_not_come_up_are_shown_as_well(failed: SubRun) -> None:
    directory = failed.failures["test_finds_no_server"]

    assert "setup failed" in (directory / "why.txt").read_text()
    assert "broken-server is up" in failed.out
    assert (directory / "logs/shared0/shared-server/logs/server.log").is_file()


def test_a_server_that_another_test_started_is_shown_where_it_wrote(failed: SubRun) -> None:
    log = "logs/lent0/lent-server/logs/server.log"
    directory = failed.failures["test_uses_what_another_has_started"]

    assert (directory / log).read_text().endswith("is used again\n")
    assert not (failed.failures["test_fails"] / log).exists()


def test_the_seed_of_hypothesis_is_named(failed: SubRun) -> None:
    assert re.search(r"'test_it.py::test_draws' --hypothesis-seed=\d+\n", failed.out)


def test_workers_write_into_one_directory_and_play_the_same_seeds(tmp_path: Path) -> None:
    run = sub_run(
        tmp_path,
        """
from tests.support.seeds import seeds

@pytest.mark.parametrize("seed", seeds(4))
def test_fails(seed, tmp_path):
    StandIn(tmp_path / "server")
    assert False
""",
        *("-n", "2"),
    )

    assert {f"test_fails_{seed}" for seed in range(4200, 4204)} == run.failures.keys()
    assert 1 == len({path.parent for path in run.failures.values()})
    assert "server is up" in run.out


def test_nothing_is_left_by_tests_that_pass_or_are_expected_to_fail(tmp_path: Path) -> None:
    run = sub_run(
        tmp_path,
        """
def test_passes(shared):
    pass

@pytest.mark.xfail
def test_fails_as_expected(shared):
    assert False
""",
    )

    assert "Seeds begin at SEED_BASE=4200" in run.out
    assert "1 passed, 1 xfailed" in run.out
    assert not (tmp_path / "failures").exists()
    assert "Why tests failed" not in run.out


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("server.log", True),
        ("stderr", True),
        ("log", True),
        ("spark.log", True),
        ("00000000000000000017.log", False),
        ("00000000000000000017.index", False),
        ("catalog", False),
    ],
)
def test_logs_are_what_people_read(name: str, expected: bool) -> None:
    assert is_log(name) is expected


def test_a_directory_is_named_after_its_test() -> None:
    assert "cluster_test_it_py_test_one_a_b" == directory_name(
        "tests/cluster/test_it.py::test_one[a/b]"
    )
    assert len(directory_name("tests/" + 300 * "x")) < 200
