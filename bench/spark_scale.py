"""The speedup by a second worker for `merge-logs` and `verify-replicas` on a Spark cluster.

    python -m bench.spark_scale [--only merge-logs verify-replicas] [--rounds 3] [--share 0.5]

A standalone master and workers of one core each, all on this machine; whole processes, with one
worker and with two, in turns, over many bytes and over very few, which measures the start; beside
it PySpark's own least job or query on one worker, which measures Spark's part of that.  Medians.
Goals: a start of 8 s at most, and 1.7 times the speed beyond it.

On one machine with two cores, two workers gain less than on two machines: master, driver and
workers share the cores, so the load before the run is printed.  `--share 0.5` gives each worker,
its executor and their Pythons half a core (`bench.cpu_share`), which leaves driver and master what
they would have beside separate workers; its starts are those of machines with half a core.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from bench.cpu_share import share_of_a_core
from bench.measure import KADMIN, run
from bench.statechange_logs import write_logs
from bench.verify_replicas import write_replica
from tests.support.spark import standalone_master

SMALL_BYTES = 1 << 20
PARTITIONS = 16
"""One task reads one partition."""

MASTER = "MASTER"
MEMORY = "spark.executor.memory=500m"


class Case(NamedTuple):
    """A command, its number of bytes, and the case of `bench.plain_spark` beside it.

    *make* creates inputs of so many bytes in a directory, and returns the command's words.
    """

    make: Callable[[Path, int], list[str]]
    size: int
    plain: str


def merge_logs(directory: Path, size: int) -> list[str]:
    logs = write_logs(directory, size)
    return ["merge-logs", *map(str, logs), "--format", "text", "--out", f"{directory}/merged/"]


def verify_replicas(directory: Path, size: int) -> list[str]:
    words = ["verify-replicas"]
    for broker in ("1", "2"):
        for partition in range(PARTITIONS):
            log = directory / broker / f"orders-{partition}"
            write_replica(log, size // (2 * PARTITIONS))
        words += ["--log-dir", f"{broker}={directory / broker}"]
    return words


CASES: Mapping[str, Case] = {
    "merge-logs": Case(merge_logs, 2 << 30, "job"),
    # Batches are read ten times as fast as lines are merged.
    "verify-replicas": Case(verify_replicas, 8 << 30, "query"),
}


class Walls:
    """The wall times of a command on a standalone master with one worker and with two, in s.

    The master is the word MASTER of *command*; *merged* is where it writes its result, *share* each
    worker's share of a core.
    """

    def __init__(self, command: list[str], share: float | None, merged: Path | None = None) -> None:
        self.command = command
        self.share = share
        self.merged = merged
        self.walls: dict[int, list[float]] = {1: [], 2: []}

    def run(self, workers: int) -> None:
        if self.merged is not None:
            shutil.rmtree(self.merged, ignore_errors=True)
        with (
            tempfile.TemporaryDirectory() as name,
            share_of_a_core(self.share) as launcher,
            standalone_master(Path(name), workers, launcher) as master,
        ):
            command = [master if word == MASTER else word for word in self.command]
            self.walls[workers].append(run(command).wall_s)

    def median(self, workers: int) -> float:
        return statistics.median(self.walls[workers])


def walls_of(case: Case, directory: Path, size: int, share: float | None) -> Walls:
    words = [*KADMIN, *case.make(directory, size), "--master", MASTER, "--conf", MEMORY]
    return Walls(words, share, directory / "merged")


def compare(name: str, rounds: int, share: float | None) -> None:
    case = CASES[name]
    size, kind = case.size, case.plain
    plain = Walls([sys.executable, "-m", "bench.plain_spark", kind, MASTER, MEMORY], share)
    with tempfile.TemporaryDirectory() as directory:
        small = walls_of(case, Path(directory) / "small", SMALL_BYTES, share)
        large = walls_of(case, Path(directory) / "large", size, share)
        for _ in range(rounds):
            plain.run(1)
            for workers in (1, 2):
                for each in (small, large):
                    each.run(workers)
    print(
        f"{name}: start {small.median(1):.1f} s with one worker, {small.median(2):.1f} s with two;"
        f" PySpark's least {kind} {plain.median(1):.1f} s:"
        f" {small.median(1) / plain.median(1):.2f} × its time",
        flush=True,
    )
    one, two = (large.median(workers) - small.median(workers) for workers in (1, 2))
    print(
        f"{name}: {size >> 20} MiB beyond the start {one:.1f} s and {two:.1f} s:"
        f" {one / max(two, 0.1):.2f} ×",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=CASES, default=list(CASES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, metavar="CORES")
    arguments = parser.parse_args()
    with share_of_a_core(arguments.share):
        pass  # Without control groups this fails before any work.
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    for name in arguments.only:
        compare(name, arguments.rounds, arguments.share)


if __name__ == "__main__":
    main()
