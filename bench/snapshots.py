"""The time of snapshots, simulations and migration checks of a large cluster.

    python -m bench.snapshots [--topics 1000] [--partitions 100] [--brokers 100] [--rounds 3]

Fills an embedded ZooKeeper, then runs whole processes.  Goals (1,000 × 100 × 3): some seconds for
each file, 10 s for a simulation, 3 s for a check.
"""

import argparse
import tempfile
from functools import partial
from pathlib import Path

from bench.fill import cluster_znodes, fill
from bench.measure import KADMIN, alternate, run
from kadmin.local.zookeeper import start_server

WHAT_IS_FILLED = ("--ignore", "under-replicated", "--ignore", "unreadable")
"""The findings about the znodes that `fill` makes, by which a check would end with 4."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, default=1000)
    parser.add_argument("--partitions", type=int, default=100)
    parser.add_argument("--brokers", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        server = start_server(Path(directory) / "zookeeper")
        try:
            measure(f"{server.connect}/bench", Path(directory) / "saved.json.gz", arguments)
        finally:
            server.kill()


def measure(address: str, file: Path, arguments: argparse.Namespace) -> None:
    znodes = cluster_znodes(arguments.brokers, arguments.topics, arguments.partitions, 3)
    print(f"{fill(address, znodes)} znodes written")
    live = ("--zookeeper", address, "--no-brokers")
    commands = {
        "save": ["snapshot", "save", str(file), "--force", *live],
        "show": ["snapshot", "show", str(file)],
        "diff with now": ["snapshot", "diff", str(file), *live],
        "simulate --kill": ["simulate", "--snapshot", str(file), "--kill", "3,7"],
        "migration check": ["migration", "check", *live, *WHAT_IS_FILLED],
        "migration preview": ["migration", "preview", "--zookeeper", address],
        "simulate a third": ["simulate", "--snapshot", str(file), "--lose-rack", "rack1"],
    }
    runs = {name: partial(run, [*KADMIN, *words]) for name, words in commands.items()}
    for name, best in alternate(arguments.rounds, runs).items():
        print(f"{name:>17}: {best.wall_s:.1f} s, CPU {best.cpu_s:.1f} s, {best.rss_mib:.0f} MiB")
    print(f"{file.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
