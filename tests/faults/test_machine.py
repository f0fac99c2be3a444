"""Does a machine of a trial lose what a real one may lose, and have the clock that it was given?"""

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.faults.machine import Machine, compiler, library
from tests.faults.undo import Loss, lose_power

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(compiler() is None, reason="cc is not installed"),
]

PRELUDE: Final = """
import os, sys, threading, time
os.chdir(sys.argv[1])
def path(name): return f"{os.getcwd()}/data-0/{name}"
def create(name, content=b""):
    file = os.open(path(name), os.O_RDWR | os.O_CREAT)
    os.pwrite(file, content, 0)
    return file
def sync(name=""):
    file = os.open(path(name), os.O_RDONLY)
    os.fsync(file)
    os.close(file)
"""


class All(Random):
    """Loses as many changes of names as there are."""

    def randint(self, a: int, b: int) -> int:
        return a


class Shim:
    def __init__(self, directory: Path, shim: Path) -> None:
        self.directory = directory
        self.disk = directory / "data-0"
        self.disk.mkdir()
        self.machine = Machine(directory / "machine", directory / "data-", shim)

    def run(self, program: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", PRELUDE + program, str(self.directory)],
            env={**os.environ, **self.machine.environment},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def lose(self, loss: Loss, lots: Random | None = None) -> dict[str, bytes]:
        """What is on the disk after a loss of power."""
        lose_power([self.disk], self.machine.journal, lots or All(1), [loss])
        return {
            str(one.relative_to(self.disk)): b"" if one.is_dir() else one.read_bytes()
            for one in sorted(self.disk.rglob("*"))
        }


@pytest.fixture
def shim(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Shim:
    return Shim(tmp_path, library(tmp_path_factory.getbasetemp()))


SYNCED: Final = 'a = create("a", b"old"); os.fsync(a); sync()\n'


@pytest.mark.parametrize(
    ("program", "left"),
    [
        ("", {"a": b"old"}),
        ('os.pwrite(a, b" and new", 3)', {"a": b"old"}),
        ('os.pwrite(a, b" and new", 3); os.fsync(a)', {"a": b"old and new"}),
        ('os.pwrite(a, b"n", 0)', {"a": b"old"}),
        ('os.pwrite(a, b"new", 1); os.pwrite(a, b"er", 4)', {"a": b"old"}),
        ('os.ftruncate(a, 1); os.pwrite(a, b"new", 1)', {"a": b"old"}),
        ('os.ftruncate(a, 1); os.fsync(a); os.pwrite(a, b"new", 1)', {"a": b"o"}),
        ("os.ftruncate(a, 9)", {"a": b"old"}),
        ('create("b", b"new")', {"a": b"old"}),
        ('os.fsync(create("b", b"new"))', {"a": b"old"}),
        ('create("b", b"new"); sync()', {"a": b"old", "b": b""}),
        ('os.fsync(create("b", b"new")); sync()', {"a": b"old", "b": b"new"}),
        ('os.unlink(path("a"))', {"a": b"old"}),
        ('os.pwrite(a, b"n", 0); os.unlink(path("a"))', {"a": b"old"}),
        ('os.unlink(path("a")); sync()', {}),
        ('os.rename(path("a"), path("b"))', {"a": b"old"}),
        ('os.rename(path("a"), path("b")); sync()', {"b": b"old"}),
        ('os.fsync(create("b", b"new")); os.rename(path("b"), path("a"))', {"a": b"old"}),
        ('os.fsync(create("b", b"new")); os.rename(path("b"), path("a")); sync()', {"a": b"new"}),
        ('os.mkdir(path("d")); os.fsync(create("d/b", b"new")); sync("d")', {"a": b"old"}),
        ('os.mkdir(path("d")); sync(); create("d/b", b"new")', {"a": b"old", "d": b""}),
        (
            'os.mkdir(path("d")); sync(); b = create("d/b", b"new"); os.fsync(b); sync("d")\n'
            'os.unlink(path("d/b")); os.rename(path("d"), path("e")); sync()',
            {"a": b"old", "e": b"", "e/b": b"new"},
        ),
        ('os.mkdir(path("d")); sync(); os.rmdir(path("d"))', {"a": b"old", "d": b""}),
    ],
)
def test_what_was_not_synced_is_cut(shim: Shim, program: str, left: dict[str, bytes]) -> None:
    shim.run(SYNCED + program)

    assert shim.lose(Loss.CUT) == left


@pytest.mark.parametrize(
    ("loss", "is_one_of"),
    [
        (Loss.KEPT, lambda content: content == b"o" * 600 + b"n" * 1400),
        (Loss.ZEROED, lambda content: content == b"o" * 700 + bytes(1300)),
        (
            Loss.TORN,
            lambda content: (
                content in (b"o" * 700, b"o" * 600 + b"n" * 512, b"o" * 600 + b"n" * 1024)
            ),
        ),
    ],
)
def test_what_was_not_synced_is_there_in_part(
    shim: Shim, loss: Loss, is_one_of: Callable[[bytes], bool]
) -> None:
    shim.run('a = create("a", b"o" * 700); os.fsync(a); sync(); os.pwrite(a, b"n" * 1400, 600)')

    assert is_one_of(shim.lose(loss, Random(7))["a"])


def test_what_is_there_after_a_loss_is_durable(shim: Shim) -> None:
    shim.run('os.fsync(create("a", b"one")); sync(); create("b", b"two")')
    assert shim.lose(Loss.KEPT, Random(1))["a"] == b"one"

    assert shim.lose(Loss.CUT)["a"] == b"one"


def test_a_sync_that_fails_makes_nothing_durable(shim: Shim) -> None:
    shim.machine.set_sync(error=errno.EIO)
    said = shim.run(
        """
a = create("a", b"new")
try:
    os.fsync(a)
except OSError as error:
    print(error.errno)
"""
    )

    assert said == f"{errno.EIO}\n"
    assert shim.lose(Loss.CUT) == {}


def test_a_clock_that_was_set_is_read_and_moves_no_deadline(shim: Shim) -> None:
    shim.machine.step_clock(-86_400)

    program = "began = time.monotonic(); threading.Event().wait(0.01); print(time.time())"
    said = shim.run(program)

    assert -86_500 < float(said) - time.time() < -86_300


def test_a_machine_that_runs_anew_has_another_boot_id(shim: Shim) -> None:
    program = 'print(open("/proc/sys/kernel/random/boot_id").read())'
    first = shim.run(program)

    assert shim.run(program) == first
    shim.machine.switch_on()
    assert shim.run(program) != first
