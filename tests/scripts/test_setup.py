"""Does `scripts/setup` find, install or ask for what a fresh machine lacks?

The programs that it calls are stand-ins that note how they were called: what is tested is the
script's own decisions, and no test may install anything.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.branches import NOT_FAST
from tests.support.checkout import CHECKOUT
from tests.support.waiting import OUTER_LIMIT_S

PROGRAMS = ("bash", "cat", "cut", "dirname", "env", "id", "sha256sum", "flock", "mkdir", "cp")

PYTHON = """\
#!/bin/bash
case "$*" in
    *ensurepip*) [ -e "$NOTES/python3.11-venv" ] ;;
    *python%d.%d-venv*) echo python3.11-venv ;;
    *version_info*) exit "${TOO_OLD:-0}" ;;
    *sys.version*) echo 3.11 ;;
    *--version*) echo Python 3.11 ;;
    "-m venv"*) mkdir -p "${@: -1}/bin"; cp "$0" "${@: -1}/bin/python" ;;
    "-m pip check"*) [ -z "$LOCK_LACKS" ] || { echo "a requires b"; exit 1; } ;;
    "-m pip install"*) echo "$*" >>"$NOTES/pip" ;;
    "-m pip"*) ;;
    -) [ -e "$NOTES/openjdk-17-jre-headless" ] || echo "no Java 17 or newer was found" ;;
    *) echo "unexpected: $*" >&2; exit 99 ;;
esac
"""

APT_GET = """\
#!/bin/bash
[ -z "$APT_FAILS" ] || exit 100
[ "$1" = install ] && >"$NOTES/${@: -1}"
exit 0
"""

SUDO = """\
#!/bin/bash
[ "$1" = -n ] && shift
exec "$@"
"""


class Machine:
    """A machine with nothing but stand-ins on its PATH."""

    def __init__(self, directory: Path) -> None:
        self.bin = directory / "bin"
        self.notes = directory / "notes"
        self.venv = directory / "venv"
        self.bin.mkdir()
        self.notes.mkdir()
        for program in PROGRAMS:
            found = shutil.which(program)
            assert found is not None, program
            (self.bin / program).symlink_to(found)
        for name, text in (("python3", PYTHON), ("apt-get", APT_GET), ("sudo", SUDO)):
            self.add(name, text)

    def add(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def setup(self, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [CHECKOUT / "scripts" / "setup", self.venv],
            env={"PATH": str(self.bin), "NOTES": str(self.notes), **environment},
            capture_output=True,
            text=True,
            timeout=OUTER_LIMIT_S,
            check=False,
        )

    def noted(self) -> set[str]:
        return {note.name for note in self.notes.iterdir()}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs flock and sha256sum")


def test_a_fresh_debian_gets_the_venv_package_the_locked_packages_and_a_java(
    machine: Machine,
) -> None:
    done = machine.setup()

    assert done.returncode == 0, done.stderr
    assert machine.noted() == {"python3.11-venv", "pip", "openjdk-17-jre-headless"}
    installs = (machine.notes / "pip").read_text().splitlines()
    assert [line.split("--no-input ")[1] for line in installs] == [
        "--no-deps --require-hashes -r requirements-build.lock",
        "--no-deps --require-hashes --no-build-isolation -r requirements.lock",
        "--no-deps --no-build-isolation --editable .",
    ]


def test_a_lock_that_lacks_something_is_told_and_is_no_environment(machine: Machine) -> None:
    lacking = machine.setup(LOCK_LACKS="yes")
    whole = machine.setup()

    assert lacking.returncode == 1
    assert "a requires b\nsetup: the locks lack what is named above\n" in lacking.stderr
    assert whole.returncode == 0, whole.stderr
    assert 6 == len((machine.notes / "pip").read_text().splitlines())


def test_a_second_run_does_nothing_and_says_nothing(machine: Machine) -> None:
    machine.setup()
    for note in machine.notes.iterdir():
        if note.name == "pip":
            note.unlink()

    again = machine.setup()

    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert "pip" not in machine.noted()


def test_what_apt_get_may_not_install_is_asked_for_by_name(machine: Machine) -> None:
    refused = machine.setup(APT_FAILS="1")

    assert refused.returncode == 1
    assert "cannot make virtual environments" in refused.stderr
    assert refused.stderr.endswith("hint: apt-get install python3.11-venv\n")
    assert machine.noted() == set()


def test_a_java_that_cannot_be_installed_is_asked_for_by_name(machine: Machine) -> None:
    (machine.notes / "python3.11-venv").touch()

    refused = machine.setup(APT_FAILS="1")

    assert refused.returncode == 1
    assert "no Java 17 or newer was found" in refused.stderr
    assert "apt-get install openjdk-17-jre-headless" in refused.stderr


def test_a_python_that_is_too_old_is_named(machine: Machine) -> None:
    refused = machine.setup(TOO_OLD="1")

    assert refused.returncode == 1
    assert "no Python >= 3.11: tried python3" in refused.stderr
    assert "hint: apt-get install python3.11" in refused.stderr


def test_every_dependency_is_locked_with_hashes() -> None:
    """pip would refuse a lock without them, but only where the network answers."""
    for lock in ("requirements.lock", "requirements-build.lock"):
        text = (CHECKOUT / lock).read_text()
        pins = [line for line in text.splitlines() if line[:1].isalnum()]

        assert pins
        assert [pin for pin in pins if "==" not in pin or not pin.endswith("\\")] == []


def made(*words: str) -> str:
    """What make prints."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    return subprocess.run(
        ["make", *words], cwd=CHECKOUT, env=env, capture_output=True, text=True, check=True
    ).stdout


def test_only_test_fast_leaves_out_what_is_slow_and_coverage_counts_what_it_runs() -> None:
    assert f'-m "not ({" or ".join(NOT_FAST)})"' in made("--dry-run", "test-fast")
    assert "slow" not in made("--dry-run", "test")


def test_all_tests_are_all_and_draw_as_many_as_there_are() -> None:
    listed = made("--dry-run", "test-all")

    assert "long" in made("--dry-run", "test")
    assert "long" not in listed
    assert "SEEDS" not in listed
    assert '-m "not interop"' in listed
    assert "-m interop" in listed


def test_branches_are_counted_where_that_is_asked_for() -> None:
    for target in ("test", "test-fast"):
        assert "--cov" not in made("--dry-run", target)
        assert "coverage_by_package" in made("--dry-run", target, "COVERAGE=1")


@pytest.mark.parametrize("target", ["test", "test-fast"])
def test_few_are_drawn_of_all_that_is_drawn(target: str) -> None:
    drawn = made("--dry-run", target)

    for name in ("SEEDS", "CRASH_SEEDS", "EXAMPLES"):
        assert f" {name}=${{{name}:-" in f" {drawn}".replace("\n", " ")


def test_the_targets_of_the_makefile_are_listed_by_help() -> None:
    listed = made("help")

    for target in (
        "setup",
        "demo",
        "test",
        "test-fast",
        "test-all",
        "flakes",
        "interop",
        "interop-smoke",
        "lint",
        "docs",
        "bench",
    ):
        assert f"  make {target} " in listed
