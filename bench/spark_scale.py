"""How much does a second worker bring to `merge-logs` and `verify-replicas` on a Spark cluster?

    python -m bench.spark_scale [--only merge-logs verify-replicas] [--rounds 3]

A standalone master and workers of one core each, all on this machine; whole processes, with one
worker and with two, in turns, over many bytes and over very few, which tells what starting costs;
medians.  What a machine with two cores says of two workers is less than two machines would: master,
driver and workers share them, so the load before the run is printed.  Goals: a start of 8 s at
most, and 1.7 times the speed beyond it.
"""

import argparse
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from bench.measure import KADMIN, run
from bench.statechange_logs import write_logs
from bench.verify_replicas import write_replica
from tests.support.spark import standalone_master

SMALL_BYTES = 1 << 20
PARTITIONS = 16
"""A partition is one task's."""

MEMORY = ("--conf", "spark.executor.memory=500m")

Case = Callable[[Path, int], list[str]]
"""Makes inputs of so many bytes in a directory; the words of the command that reads them."""


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


CASES: Mapping[str, tuple[Case, int]] = {
    "merge-logs": (merge_logs, 2 << 30),
    # Batches are looked at ten times as fast as lines are merged.
    "verify-replicas": (verify_replicas, 8 << 30),
}
"""What is run, and over how many bytes."""


class Walls:
    """What a command takes on a standalone master with one worker and with two, in s."""

    def __init__(self, words: list[str], merged: Path) -> None:
        self.words = words
        self.merged = merged
        self.walls: dict[int, list[float]] = {1: [], 2: []}

    def run(self, workers: int) -> None:
        shutil.rmtree(self.merged, ignore_errors=True)
        with (
            tempfile.TemporaryDirectory() as name,
            standalone_master(Path(name), workers=workers) as master,
        ):
            wall = run([*KADMIN, *self.words, "--master", master, *MEMORY]).wall_s
        self.walls[workers].append(wall)

    def median(self, workers: int) -> float:
        return statistics.median(self.walls[workers])


def compare(name: str, rounds: int) -> None:
    case, size = CASES[name]
    with tempfile.TemporaryDirectory() as directory:
        small, large = (
            Walls(case(Path(directory) / kind, bytes_), Path(directory) / kind / "merged")
            for kind, bytes_ in (("small", SMALL_BYTES), ("large", size))
        )
        for _ in range(rounds):
            for workers in (1, 2):
                for each in (small, large):
                    each.run(workers)
    one, two = (large.median(workers) - small.median(workers) for workers in (1, 2))
    print(
        f"{name}: start {small.median(1):.1f} s with one worker, {small.median(2):.1f} s with two;"
        f" {size >> 20} MiB beyond it {one:.1f} s and {two:.1f} s: {one / max(two, 0.1):.2f} ×",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=CASES, default=list(CASES))
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    for name in arguments.only:
        compare(name, arguments.rounds)


if __name__ == "__main__":
    main()
