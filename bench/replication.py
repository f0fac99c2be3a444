"""Throughput of three brokers that replicate everything, beside three of Kafka 3.9.1.

    python -m bench.replication [--megabytes 300] [--requests 5000] [--partitions 1 6] [--rounds 2]
                                [--idle 1000] [--idle-seconds 20] [--only WORD…] [--no-kafka]

Topics have three replicas, and producers wait for all of them (acks=all).  Both clusters run at
once, each below a ZooKeeper node of its own, and are loaded in turns; of each case the round with
the least wall time counts.  CPU is that of all three brokers together.  At the end a topic of many
partitions is created and left alone, to measure an idle cluster.  Goals: twice Kafka's records a
second at a third of its CPU, as many read, twice its single records, all brokers together at most
2 % of a CPU when idle.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from bench.broker_clients import ALL_PARTITIONS, Librdkafka, has_kcat, kcat_consume
from bench.broker_clusters import REPLICAS, Cluster, running_cluster
from bench.broker_loads import (
    MB,
    Case,
    Done,
    loads,
    python_build,
    settle,
    show,
    show_memory,
    titles,
)
from bench.broker_servers import chroot, contestants
from bench.broker_wire import (
    create_topic,
    delete_topic,
    produce_request,
    round_trips,
    wait_until_known,
)
from bench.measure import kafka_class_path
from cluster.broker.replica_manager.appending import ALL_ACKS
from kadmin.local.zookeeper import start_server

RECORD_SIZE: Final = 100
CONNECTIONS: Final = (1, 16)
WARM_UP_RECORDS: Final = 200_000
WARM_UP_REQUESTS: Final = 2_000

TOPICS: Final = (f"bench-{number}" for number in count())


def main() -> None:
    arguments = parse()
    print(python_build())
    library = Librdkafka()
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        directory = Path(place)
        server = start_server(directory / "zookeeper")
        stack.callback(server.kill)
        class_path = None if arguments.no_kafka else kafka_class_path("3.9.1")
        commands = contestants(class_path)
        clusters = [
            stack.enter_context(
                running_cluster(name, command, chroot(server.connect, name), directory / name)
            )
            for name, command in commands.items()
        ]
        show_memory("largest broker, started", clusters, Cluster.rss_mib)
        for cluster in clusters:
            warm_up(library, cluster)
        titles(clusters)
        for case in cases(library, arguments):
            if not arguments.only or any(word in case.title for word in arguments.only):
                show(case.title, loads(case, arguments.rounds, clusters))
        show_memory("largest broker, now", clusters, Cluster.rss_mib)
        for partitions in arguments.idle:
            show_idle(partitions, arguments.idle_seconds, clusters)
        show_memory("largest broker, at most", clusters, Cluster.peak_mib)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=300, help="of records, for a bulk case")
    parser.add_argument("--requests", type=int, default=5_000, help="for a case of round trips")
    parser.add_argument("--partitions", type=int, nargs="*", default=[1, 6])
    parser.add_argument(
        "--idle", type=int, nargs="*", default=[1000], help="partitions, left alone"
    )
    parser.add_argument("--idle-seconds", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[], help="words in the titles of cases")
    parser.add_argument("--no-kafka", action="store_true")
    return parser.parse_args()


def cases(library: Librdkafka, arguments: argparse.Namespace) -> Iterator[Case[Cluster]]:
    records = arguments.megabytes * MB // RECORD_SIZE
    for partitions in arguments.partitions:
        yield Case(
            f"produce {RECORD_SIZE} B, {partitions} partitions",
            partial(new_topic, partitions),
            partial(produce, library, records),
            RECORD_SIZE,
        )
        if has_kcat():
            yield Case(
                f"consume {RECORD_SIZE} B, {partitions} partitions, kcat",
                partial(filled_topic, library, records, partitions),
                consume,
                RECORD_SIZE,
            )
    for connections in CONNECTIONS:
        yield Case(
            f"one record, {connections} connections",
            partial(new_topic, 1),
            partial(trips, connections, arguments.requests),
        )


def new_topic(partitions: int, cluster: Cluster) -> str:
    name = next(TOPICS)
    with cluster.wire() as wire:
        create_topic(wire, name, partitions, REPLICAS)
    for broker in cluster.brokers:
        with broker.wire() as wire:
            wait_until_known(wire, name, partitions)
    return name


def produce(library: Librdkafka, records: int, cluster: Cluster, topic: str) -> Done:
    library.produce(
        cluster.bootstrap, topic, records, RECORD_SIZE, ALL_ACKS, partition=ALL_PARTITIONS
    )
    arrived = cluster.end_offsets(topic)
    if arrived != records:
        raise SystemExit(f"{arrived} of {records} records are committed")
    return Done(records)


def filled_topic(library: Librdkafka, records: int, partitions: int, cluster: Cluster) -> str:
    topic = new_topic(partitions, cluster)
    produce(library, records, cluster, topic)
    return topic


def consume(cluster: Cluster, topic: str) -> Done:
    records = cluster.end_offsets(topic)
    kcat_consume(cluster.bootstrap, topic, records)
    return Done(records)


def trips(connections: int, requests: int, cluster: Cluster, topic: str) -> Done:
    frame = produce_request(topic, 0, 1, RECORD_SIZE, ALL_ACKS)
    took = round_trips(cluster.leaders(topic)[0].port, [frame], connections, requests)
    return Done(took.count, took.wall_s, took)


def warm_up(library: Librdkafka, cluster: Cluster) -> None:
    """Let JVMs compile what the cases run; ours only generate the codecs of messages."""
    topic = new_topic(REPLICAS, cluster)
    produce(library, WARM_UP_RECORDS, cluster, topic)
    trips(1, WARM_UP_REQUESTS, cluster, topic)
    with cluster.wire() as wire:
        delete_topic(wire, topic)


def show_idle(partitions: int, seconds: float, clusters: Sequence[Cluster]) -> None:
    """Show the usage of an idle cluster with *partitions* partitions."""
    for cluster in clusters:
        new_topic(partitions, cluster)
    settle(clusters)
    before = [cluster.cpu_s() for cluster in clusters]
    time.sleep(seconds)
    said = ", ".join(
        f"{cluster.name} {(cluster.cpu_s() - used) / seconds:.1%} of a CPU and"
        f" {cluster.rss_mib():.0f} MiB in the largest broker"
        for cluster, used in zip(clusters, before, strict=True)
    )
    print(f"idle with {partitions} partitions, three replicas each: {said}", flush=True)


if __name__ == "__main__":
    main()
