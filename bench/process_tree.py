"""The time and memory of a command together with all processes that it starts.

Polls /proc: what a process does after the last poll is not counted.  Linux only.
"""

import os
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bench.measure import drain, finish, start

PROC = Path("/proc")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
LOOK_S = 0.04
LOOKS_PER_PSS = 5
"""The kernel adds up shared memory page by page, which costs too much for every poll."""

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class TreeRun:
    """One run of a command: wall and CPU in s, its output's first byte in s and size in bytes.

    Peaks in MiB: of all processes together, where each shared page counts once (PSS), and of the
    largest one that is no JVM (RSS).
    """

    wall_s: float
    cpu_s: float
    first_byte_s: float
    output_bytes: int
    pss_mib: float
    largest_mib: float


@dataclass(slots=True)
class Watch:
    """The usage of the processes below *root* so far."""

    root: int
    cpu_s: dict[int, float] = field(default_factory=dict)
    pss_bytes: int = 0
    largest_bytes: int = 0

    def follow(self, stop: threading.Event) -> None:
        looks = 0
        while not stop.wait(LOOK_S):
            self.look(with_pss=looks % LOOKS_PER_PSS == 0)
            looks += 1

    def look(self, *, with_pss: bool) -> None:
        parents: dict[int, int] = {}
        for entry in PROC.iterdir():
            # A process may end while it is polled.
            with suppress(OSError):
                if entry.name.isdigit():
                    pid = int(entry.name)
                    parents[pid], used = status(pid)
                    if pid in self.cpu_s:
                        self.cpu_s[pid] = used
        # Once seen, a process counts also when its parent is gone.
        ours = {pid for pid in parents if pid == self.root or pid in self.cpu_s}
        while grown := {pid for pid, parent in parents.items() if parent in ours} - ours:
            ours |= grown
        for pid in ours:
            self.cpu_s.setdefault(pid, 0.0)
            with suppress(OSError):
                self.measure(pid)
        if with_pss:
            self.pss_bytes = max(self.pss_bytes, sum(map(pss_bytes, ours)))

    def measure(self, pid: int) -> None:
        program = (PROC / str(pid) / "cmdline").read_bytes().partition(b"\0")[0]
        if not program.endswith(b"java"):
            pages = int((PROC / str(pid) / "statm").read_text().split()[1])
            self.largest_bytes = max(self.largest_bytes, pages * PAGE_BYTES)


def status(pid: int) -> tuple[int, float]:
    """The parent of a process, and the CPU time in s that it has used."""
    # The name, in parentheses, may hold blanks.
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def pss_bytes(pid: int) -> int:
    with suppress(OSError):
        for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


def run_tree(command: Sequence[str]) -> TreeRun:
    """Run *command* once; its output is read, as a reader would, and dropped.

    Raises:
        SystemExit: it failed; the message has its stderr.
    """
    with tempfile.TemporaryFile() as said:
        started = time.perf_counter()
        process = start(command, said)
        watch = Watch(process.pid)
        stop = threading.Event()
        follower = threading.Thread(target=watch.follow, args=(stop,))
        follower.start()
        try:
            first_byte_s, size = drain(process, started)
            usage = finish(process, command, said)
            wall_s = time.perf_counter() - started
        finally:
            stop.set()
            follower.join()
    # The kernel's figure for the command itself is more accurate.
    own_s = usage.ru_utime + usage.ru_stime
    return TreeRun(
        wall_s=wall_s,
        cpu_s=max(own_s, sum(watch.cpu_s.values())),
        first_byte_s=first_byte_s,
        output_bytes=size,
        pss_mib=watch.pss_bytes / MIB,
        largest_mib=watch.largest_bytes / MIB,
    )
