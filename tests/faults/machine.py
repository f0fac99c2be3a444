"""The machine that a broker believes to be on: its clock, its disk, and its power.

`machine.c` is loaded into the broker, and obeys a file that this module writes.
"""

import shutil
import struct
import uuid
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from subprocess import run
from typing import Final

from tests.faults import undo

SOURCE: Final = Path(__file__).with_name("machine.c")
CONTROL: Final = struct.Struct("=qqq")
NS_PER_S: Final = 1_000_000_000


def compiler() -> str | None:
    return shutil.which("cc")


@cache
def library(directory: Path) -> Path:
    """`machine.c`, compiled into *directory*."""
    cc = compiler()
    assert cc is not None
    made = directory / "machine.so"
    run([cc, "-O1", "-Wall", "-shared", "-fPIC", "-o", made, SOURCE, "-ldl"], check=True)
    return made


class Machine:
    """One that has been switched on, with nothing on its disk; *files* is how its paths begin."""

    def __init__(self, directory: Path, files: Path, shim: Path) -> None:
        self._control = directory / "control"
        self._boot_id = directory / "boot-id"
        self.journal = directory / "journal"
        self._shim = shim
        self._files = files
        self.clock_step_s = 0.0
        self._sync_s = 0.0
        self._sync_errno = 0
        directory.mkdir(parents=True, exist_ok=True)
        self.switch_on()
        self._write()

    def switch_on(self) -> None:
        """Let it run anew, with all durable that is there."""
        undo.clear(self.journal)
        self._boot_id.write_text(f"{uuid.uuid4()}\n")

    @property
    def environment(self) -> Mapping[str, str]:
        """What a process on this machine is started with."""
        return {
            "LD_PRELOAD": str(self._shim),
            "FAULTS_CONTROL": str(self._control),
            "FAULTS_FILES": str(self._files),
            "FAULTS_JOURNAL": str(self.journal),
            "FAULTS_BOOT_ID": str(self._boot_id),
        }

    def step_clock(self, by_s: float) -> None:
        self.clock_step_s += by_s
        self._write()

    def set_sync(self, *, lasts_s: float = 0, error: int = 0) -> None:
        """Let every fsync take so long, and fail where *error* is not 0."""
        self._sync_s, self._sync_errno = lasts_s, error
        self._write()

    def _write(self) -> None:
        # In place: the broker has mapped it.
        values = int(self.clock_step_s * NS_PER_S), int(self._sync_s * NS_PER_S), self._sync_errno
        with self._control.open("r+b" if self._control.exists() else "w+b") as file:
            file.write(CONTROL.pack(*values))
