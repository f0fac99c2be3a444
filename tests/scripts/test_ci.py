"""Does `.ci/run` install the programs that tests need, and run all that it has to?

`apt-get`, `make` and `id` are stand-ins that note how they were called: no test may install
anything, nor run all the tests.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support import chromium
from tests.support.checkout import CHECKOUT
from tests.support.shells import CANDIDATES, EDITOR_START
from tests.support.waiting import OUTER_LIMIT_S

NAMED_BY_CONSTANTS: Final = {*CANDIDATES, *EDITOR_START, chromium.PROGRAM}
SKIPPED_WITHOUT: Final = re.compile(r'which\("([a-z]+)"\) is None:\n\s+pytest\.skip\("\1 is not')
"""How a test says that it needs a program, where it does not do so by one of these."""

ALL: Final = ["make lint", "make test COVERAGE=1", "make interop-smoke"]
NOTED: Final = '#!/bin/bash\necho "${0##*/} $*" >>"$NOTES"\n'
ID: Final = '#!/bin/bash\necho "${USER_ID:-0}"\n'

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="for machines with apt-get")


class Machine:
    """A machine with nothing but stand-ins on its PATH, and bash."""

    def __init__(self, directory: Path) -> None:
        self.bin = directory / "bin"
        self.notes = directory / "notes"
        self.failures = directory / "failures"
        self.bin.mkdir()
        self.notes.touch()
        for program in ("bash", "env", "dirname", "tail"):
            found = shutil.which(program)
            assert found is not None, program
            (self.bin / program).symlink_to(found)
        for name, text in (("apt-get", NOTED), ("make", NOTED), ("id", ID)):
            self.add(name, text)

    def add(self, name: str, text: str = NOTED) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run(self, **environment: str) -> int:
        return self.done(**environment).returncode

    def done(self, **environment: str) -> "subprocess.CompletedProcess[str]":
        """What a run prints, too."""
        return subprocess.run(
            [CHECKOUT / ".ci" / "run"],
            env={
                "PATH": str(self.bin),
                "NOTES": str(self.notes),
                "KADMIN_TEST_FAILURES": str(self.failures),
                **environment,
            },
            capture_output=True,
            text=True,
            timeout=OUTER_LIMIT_S,
            check=False,
        )

    @property
    def calls(self) -> list[str]:
        return self.notes.read_text().splitlines()

    @property
    def installed(self) -> set[str]:
        """The packages that were asked for, with nobody there to answer a question."""
        packages: set[str] = set()
        for call in self.calls:
            words = call.split()
            if words[:2] == ["apt-get", "install"]:
                assert "-y" in words
                packages.update(word for word in words[2:] if not word.startswith("-"))
        return packages


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def needed() -> set[str]:
    """The programs without which tests are skipped."""
    files = (CHECKOUT / "tests").rglob("*.py")
    named = {name for file in files for name in SKIPPED_WITHOUT.findall(file.read_text())}
    return named | NAMED_BY_CONSTANTS - {"bash"}


def test_the_programs_that_tests_need_are_installed_first(machine: Machine) -> None:
    status = machine.run()

    assert {"zsh", "fish", "mandoc", "groff", "chromium"} <= needed() <= machine.installed
    assert status == 0
    assert machine.calls[0].startswith("apt-get update")
    assert machine.calls[1].startswith("apt-get install")
    assert machine.calls[2:] == ALL


def test_what_is_there_is_not_installed_again(machine: Machine) -> None:
    machine.run()
    all_of_them = machine.installed
    machine.notes.write_text("")
    machine.add("zsh")

    machine.run()
    without_zsh = machine.installed
    for name in all_of_them:
        machine.add(name)
    machine.notes.write_text("")
    machine.run()

    assert without_zsh == all_of_them - {"zsh"}
    assert machine.calls == ALL


def test_who_may_not_install_runs_the_tests_all_the_same(machine: Machine) -> None:
    status = machine.run(USER_ID="1000")

    assert (status, machine.calls) == (0, ALL)


@pytest.mark.parametrize("target", ["lint", "test", "interop-smoke"])
def test_what_fails_is_told_and_ends_it(machine: Machine, target: str) -> None:
    machine.add("make", f'{NOTED}[ "$1" != {target} ]\n')

    status = machine.run()

    assert (status, machine.calls[-1].split()[:2]) == (1, ["make", target])


def test_why_tests_failed_is_printed_at_the_end(machine: Machine) -> None:
    log = machine.failures / "the run" / "test_it" / "logs" / "server.log"
    log.parent.mkdir(parents=True)
    log.write_text("".join(f"line {number}\n" for number in range(250)))

    well = machine.done()
    machine.add("make", f'{NOTED}[ "$1" != lint ]\n')
    badly = machine.done()

    assert (0, "") == (well.returncode, well.stdout)
    shown = badly.stdout.splitlines()
    assert (1, f"==> {log} <==") == (badly.returncode, shown[0])
    assert [f"line {number}" for number in range(50, 250)] == shown[1:]
