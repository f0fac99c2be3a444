"""The time of `kadmin reassign --execute` for a large plan by itself.

    python -m bench.reassign [--topics 1000] [--partitions 10] [--rounds 3]

Fills an embedded ZooKeeper, then runs whole processes that read everything, judge the plan, and
write the request, which no controller processes.  Goal (10,000 partitions): 2 s.
"""

import argparse
import json
import tempfile
from functools import partial
from pathlib import Path

from kazoo.client import KazooClient

from bench.fill import cluster_znodes, fill
from bench.measure import KADMIN, Run, alternate, run
from cluster.zk import paths
from kadmin.local.zookeeper import start_server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, default=1000)
    parser.add_argument("--partitions", type=int, default=10)
    parser.add_argument("--brokers", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        server = start_server(Path(directory))
        try:
            show(measure(f"{server.connect}/bench", Path(directory), arguments))
        finally:
            server.kill()


def measure(address: str, directory: Path, arguments: argparse.Namespace) -> dict[str, Run]:
    znodes = cluster_znodes(arguments.brokers, arguments.topics, arguments.partitions, 3)
    print(f"{arguments.topics * arguments.partitions} partitions, {fill(address, znodes)} znodes")
    plan = directory / "plan.json"
    plan.write_text(plan_for(address))
    command = [*KADMIN, "reassign", "--zookeeper", address, "--execute", "--quiet"]
    # A broker that would report how much there is to copy refuses the connection.
    command += ["--bootstrap-server", "127.0.0.1:1"]
    command += ["--reassignment-json-file", str(plan)]
    dry_run = partial(run, [*command, "--dry-run"])
    return alternate(
        arguments.rounds,
        {"--execute --dry-run": dry_run, "--execute": lambda: write(address, directory, command)},
    )


def plan_for(address: str) -> str:
    """A plan that moves the first replica of every partition to a broker without one of it."""
    client = connected(address)
    brokers = sorted(map(int, client.get_children(paths.BROKER_IDS)))
    entries = []
    for topic in client.get_children(paths.TOPICS):
        data, _ = client.get(paths.topic(topic))
        for number, replicas in json.loads(data)["partitions"].items():
            new = next(broker for broker in brokers if broker not in replicas)
            target = [new, *replicas[1:]]
            entries.append({"topic": topic, "partition": int(number), "replicas": target})
    client.stop()
    return json.dumps({"version": 1, "partitions": entries})


def write(address: str, directory: Path, command: list[str]) -> Run:
    """One run of *command*, whose request and rollback file are removed afterwards."""
    rollback = directory / "rollback.json"
    ran = run([*command, "--rollback-file", str(rollback)])
    rollback.unlink()
    client = connected(address)
    client.delete(paths.REASSIGN_PARTITIONS)
    client.stop()
    return ran


def connected(address: str) -> KazooClient:
    client = KazooClient(hosts=address)
    client.start()
    return client


def show(runs: dict[str, Run]) -> None:
    for name, ran in runs.items():
        print(f"{name:24} {ran.wall_s:.2f} s {ran.cpu_s:.2f} cpu {ran.rss_mib:.0f} MiB")


if __name__ == "__main__":
    main()
