"""Are the results of a run those that pytest reported?"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.results import Results, main, read_results

# One worker runs pytest, for all tests of this module.
pytestmark = pytest.mark.xdist_group("results")

TESTS = """
import unittest
import pytest

def test_passes(): pass

@pytest.mark.parametrize("name", ["a/b", "c d"])
def test_fails(name): assert False

class TestOfClass:
    def test_fails(self): assert False
    def test_passes(self): pass

def test_is_skipped(): pytest.skip("for a reason")

@pytest.mark.xfail
def test_fails_as_expected(): assert False

@pytest.fixture
def broken_end():
    yield
    raise RuntimeError

@pytest.fixture
def broken_begin():
    raise RuntimeError

def test_cannot_end(broken_end): pass
def test_fails_twice(broken_end): assert False
def test_cannot_begin(broken_begin): pass
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A JUnit file that pytest wrote."""
    directory = tmp_path_factory.mktemp("results")
    (directory / "test_it.py").write_text(TESTS)
    (directory / "test_not_read.py").write_text("import nothing_of_this_name")
    words = ["-c", "/dev/null", "--rootdir=.", "--junitxml=it.xml", "-o", "junit_family=xunit1"]
    words += ["-q", "--continue-on-collection-errors", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=directory,
        # Plugins only cost time here.
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    return directory / "it.xml"


@pytest.mark.slow
def test_each_test_counts_once_with_the_name_that_runs_it(written: Path) -> None:
    results = read_results(written)

    assert results is not None
    assert str(results) == "2 passed, 7 failed, 2 skipped"
    assert results.failed == (
        "test_it.py::TestOfClass::test_fails",
        "test_it.py::test_cannot_begin",
        "test_it.py::test_cannot_end",
        "test_it.py::test_fails[a/b]",
        "test_it.py::test_fails[c d]",
        "test_it.py::test_fails_twice",
        "test_not_read.py",
    )


def test_the_last_line_is_the_total_alone(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    green = tmp_path / "green.xml"
    case = '<testcase classname="t" name="a"/>'
    green.write_text(f'<testsuites><testsuite time="1.6">{case}</testsuite></testsuites>')

    statuses = main([green]), main([green, written])

    lines = capsys.readouterr().out.splitlines()
    assert (0, 1) == statuses
    counts = "1 passed, 0 failed, 0 skipped"
    assert [f"green: {counts} in 2 s", counts] == lines[:2]
    assert "failed: test_it.py::test_cannot_begin" in lines
    assert "3 passed, 7 failed, 2 skipped" == lines[-1]


@pytest.mark.parametrize("content", [None, "", "<testsuites><testsu"])
def test_a_run_that_was_killed_has_no_results(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "it.xml"
    if content is not None:
        path.write_text(content)

    assert read_results(path) is None
    assert main([path]) == 1


@pytest.mark.slow
def test_seconds_are_those_of_all_suites(written: Path) -> None:
    results = read_results(written)

    assert isinstance(results, Results)
    assert results.took_s > 0
