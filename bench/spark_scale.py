"""How much does a second worker bring to `merge-logs` and `verify-replicas` on a Spark cluster?

    python -m bench.spark_scale [--bytes 2147483648] [--only merge-logs verify-replicas]

A standalone master and workers of one core each, all on this machine; whole processes, with one
worker and with two, over so many bytes and over very few, which tells what starting costs.  What a
machine with two cores says of two workers is less than two machines would: master, driver and
workers share them, so the load before the run is printed.  Goals: a start of 8 s at most, and 1.7
times the speed beyond it.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from bench.measure import KADMIN, run
from bench.statechange_logs import write_logs
from bench.verify_replicas import write_replica
from tests.support.spark import standalone_master

SMALL_BYTES = 1 << 20
MEMORY = ("--conf", "spark.executor.memory=500m")

Case = Callable[[Path, int], list[str]]
"""Makes inputs of so many bytes in a directory; the words of the command that reads them."""


def merge_logs(directory: Path, size: int) -> list[str]:
    logs = write_logs(directory, size)
    return ["merge-logs", *map(str, logs), "--format", "text", "--out", f"{directory}/merged/"]


def verify_replicas(directory: Path, size: int) -> list[str]:
    words = ["verify-replicas"]
    for broker in ("1", "2"):
        write_replica(directory / broker / "orders-0", size // 2)
        words += ["--log-dir", f"{broker}={directory / broker}"]
    return words


CASES: Mapping[str, Case] = {"merge-logs": merge_logs, "verify-replicas": verify_replicas}


def seconds(case: Case, size: int, workers: int) -> float:
    """The wall time of a whole run with that many workers."""
    with tempfile.TemporaryDirectory() as name:
        words = case(Path(name) / "input", size)
        with standalone_master(Path(name), workers=workers) as master:
            return run([*KADMIN, *words, "--master", master, *MEMORY]).wall_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=2 << 30)
    parser.add_argument("--only", nargs="*", choices=CASES, default=list(CASES))
    arguments = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name in arguments.only:
        case = CASES[name]
        start = min(seconds(case, SMALL_BYTES, workers) for workers in (1, 2))
        one, two = (seconds(case, arguments.bytes, workers) for workers in (1, 2))
        beyond = (one - start) / max(two - start, 0.1)
        print(
            f"{name}: start {start:.1f} s, {arguments.bytes >> 20} MiB with one worker {one:.1f} s,"
            f" with two {two:.1f} s: {beyond:.2f} × beyond the start"
        )


if __name__ == "__main__":
    main()
