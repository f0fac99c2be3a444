"""The time of a kadmin command from start to end on a small cluster.

    python -m bench.cli_start [--rounds 15] [--no-kafka]

Whole processes, in turns: the bare interpreter, `kadmin --help`, `kadmin topics --list`, and Kafka
2.8.2's own `TopicCommand --list`.  Goals: list within 150 ms and at least 8 times faster than it.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.fill import cluster_znodes, fill
from bench.measure import KADMIN, Run, alternate, kafka_class_path, kafka_tool, run
from kadmin.local.zookeeper import start_server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-kafka", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        server = start_server(Path(directory))
        try:
            address = f"{server.connect}/bench"
            fill(address, cluster_znodes(3, 3, 3, 2))
            show(alternate(arguments.rounds, commands(address, arguments.no_kafka)))
        finally:
            server.kill()


def commands(address: str, no_kafka: bool) -> dict[str, Callable[[], Run]]:
    lines = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "kadmin --help": [*KADMIN, "--help"],
        "kadmin topics --help": [*KADMIN, "topics", "--help"],
        "kadmin topics --list": [*KADMIN, "topics", "--list", "--zookeeper", address],
        "kadmin topics --describe": [*KADMIN, "topics", "--describe", "--zookeeper", address],
    }
    class_path = None if no_kafka else kafka_class_path("2.8.2")
    if class_path is not None:
        lines["Kafka 2.8.2 TopicCommand --list"] = kafka_tool(
            class_path,
            "kafka.admin.TopicCommand",
            *("--zookeeper", address, "--list"),
        )
    return {name: partial(run, line) for name, line in lines.items()}


def show(results: dict[str, Run]) -> None:
    ours = results["kadmin topics --list"].wall_s
    print(f"{'':34} {'best':>8} {'CPU':>8}  against topics --list")
    for name, result in results.items():
        print(
            f"{name:34} {result.wall_s * 1000:5.0f} ms {result.cpu_s * 1000:5.0f} ms"
            f"  {result.wall_s / ours:.2f} ×"
        )


if __name__ == "__main__":
    main()
