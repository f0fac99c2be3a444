"""The time of list and describe on a large cluster, beside Kafka 2.8.2's own tool.

    python -m bench.describe [--topics 10000] [--partitions 10] [--rounds 3] [--no-kafka]

Fills an embedded ZooKeeper, then runs whole processes, in turns.  Goals (10,000 × 10 × 3):
describe in 2 s and 300 MiB and at least 18 times faster than Kafka's, list in 0.3 s.
"""

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path

from bench.fill import cluster_znodes, fill
from bench.measure import KADMIN, Run, alternate, kafka_class_path, kafka_tool, run
from kadmin.admin.zookeeper.connection import connect
from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics
from kadmin.arguments.topics import TopicSelection
from kadmin.local.zookeeper import start_server
from kadmin.settings.resolve import ZooKeeperSettings

ACTIONS = {
    "--list": ["--list"],
    "--describe": ["--describe"],
    "--describe --under-replicated-partitions": ["--describe", "--under-replicated-partitions"],
    "--describe --output json": ["--describe", "--output", "json"],
}
KAFKA_ACTIONS = ("--list", "--describe", "--describe --under-replicated-partitions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, default=10_000)
    parser.add_argument("--partitions", type=int, default=10)
    parser.add_argument("--brokers", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-kafka", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        server = start_server(Path(directory))
        try:
            compare(f"{server.connect}/bench", arguments)
        finally:
            server.kill()


def compare(address: str, arguments: argparse.Namespace) -> None:
    started = time.perf_counter()
    znodes = cluster_znodes(arguments.brokers, arguments.topics, arguments.partitions, 3)
    count = fill(address, znodes)
    took = time.perf_counter() - started
    print(
        f"{arguments.topics} topics × {arguments.partitions} partitions × 3 replicas:"
        f" {count} znodes written in {took:.1f} s"
    )
    commands = {
        name: partial(run, [*KADMIN, "topics", "--zookeeper", address, *words])
        for name, words in ACTIONS.items()
    }
    ours = alternate(arguments.rounds, commands)
    class_path = None if arguments.no_kafka else kafka_class_path("2.8.2")
    theirs: dict[str, Run] = {}
    if class_path is not None:
        for name in KAFKA_ACTIONS:
            theirs[name] = run(
                kafka_tool(
                    class_path,
                    "kafka.admin.TopicCommand",
                    *("--zookeeper", address),
                    *ACTIONS[name],
                )
            )
    show(ours, theirs)
    # Last, since a child process counts the memory of the one that forked it as its own.
    show_reading(address)


def show_reading(address: str) -> None:
    """Show the time for reading and decoding, and the number of round trips."""
    settings = ZooKeeperSettings(connect=address, timeout_s=60)
    with connect(settings) as connection:
        started = time.perf_counter()
        snapshot = ZooKeeperTopics(connection).snapshot(TopicSelection())
        took = time.perf_counter() - started
        print(
            f"snapshot of {len(snapshot.topics)} topics in this process: {took:.2f} s,"
            f" {connection.reader.round_trips} round trips, {connection.reader.mode.value} reads"
        )


def show(ours: dict[str, Run], theirs: dict[str, Run]) -> None:
    print(f"{'':42} {'kadmin':>26} {'Kafka 2.8.2':>26} {'ratio':>7}")
    for name, result in ours.items():
        other = theirs.get(name)
        ratio = "" if other is None else f"{other.wall_s / result.wall_s:.1f} ×"
        print(f"{name:42} {cell(result):>26} {cell(other):>26} {ratio:>7}")


def cell(result: Run | None) -> str:
    if result is None:
        return ""
    return f"{result.wall_s:.2f} s {result.cpu_s:.2f} cpu {result.rss_mib:.0f} MiB"


if __name__ == "__main__":
    main()
