"""Throughput, latency and resource usage of the broker, beside Kafka 3.9.1.

    python -m bench.broker [--megabytes 500] [--requests 20000] [--partitions 1 100 2000]
                           [--idle 1 1000] [--rounds 2] [--only WORD…] [--no-kafka]

Both brokers run at once, each over a ZooKeeper node of its own, and are loaded in turns, each when
both are idle; of each case the round with the least wall time counts.  Goals: as fast as Kafka in
every row, 2 million records a second produced, a third of its CPU for a GB, a tenth of its memory,
ready in 0.5 s.
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

from bench.broker_clients import Librdkafka, has_kcat, kcat_consume, perf_tool
from bench.broker_loads import (
    MB,
    Case,
    Done,
    load,
    loads,
    python_build,
    settle,
    show,
    show_memory,
    titles,
)
from bench.broker_servers import (
    Broker,
    Command,
    chroot,
    contestants,
    idle_connections,
    running,
)
from bench.broker_wire import (
    create_topic,
    delete_topic,
    end_offset,
    fetch,
    produce,
    produce_request,
    round_trips,
)
from bench.measure import kafka_class_path
from kadmin.local.zookeeper import start_server

RECORD_SIZES: Final = (100, 1000)
BATCH_SIZES: Final = {"1 MB": 1_000_000, "16 KB": 16_000}
OVERHEAD: Final = 8
"""Of a record without a key, in bytes: its size, time, offset, and lengths of key and headers."""
CONNECTIONS: Final = (1, 16)
WARM_UP_REQUESTS: Final = 5_000
TOPICS: Final = (f"bench-{number}" for number in count())


def main() -> None:
    arguments = parse()
    print(python_build())
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        directory = Path(place)
        server = start_server(directory / "zookeeper")
        stack.callback(server.kill)
        class_path = None if arguments.no_kafka else kafka_class_path("3.9.1")
        commands = contestants(class_path)
        show_starts(commands, server.connect, directory, arguments.rounds)
        brokers = [
            stack.enter_context(
                running(name, command, chroot(server.connect, name), directory / name)
            )
            for name, command in commands.items()
        ]
        show_memory("started", brokers, Broker.rss_mib)
        for broker in brokers:
            warm_up(broker)
        titles(brokers)
        for case in cases(arguments, class_path):
            if not arguments.only or any(word in case.title for word in arguments.only):
                show(case.title, loads(case, arguments.rounds, brokers))
        show_memory("now", brokers, Broker.rss_mib)
        if not arguments.only:
            show_counts(brokers, arguments)
        show_memory("at most", brokers, Broker.peak_mib)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=500, help="of records, for a bulk case")
    parser.add_argument("--requests", type=int, default=20_000, help="for a case of round trips")
    parser.add_argument("--partitions", type=int, nargs="*", default=[1, 100, 2000])
    parser.add_argument("--idle", type=int, nargs="*", default=[1, 1000])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[], help="words in the titles of cases")
    parser.add_argument("--no-kafka", action="store_true")
    return parser.parse_args()


# The cases.


def cases(arguments: argparse.Namespace, class_path: str | None) -> Iterator[Case[Broker]]:
    """All cases on one partition."""
    librdkafka = Librdkafka()
    for size in RECORD_SIZES:
        wanted = arguments.megabytes * MB // size
        for title, batch_size in BATCH_SIZES.items():
            in_batch = batch_size // (size + OVERHEAD)
            yield Case(
                f"produce {size} B, batches of {title}, wire",
                new_topic,
                partial(wire_produce, in_batch, size, wanted // in_batch),
                size,
            )
        yield Case(
            f"produce {size} B, librdkafka",
            new_topic,
            partial(librdkafka_produce, librdkafka, wanted, size),
            size,
        )
        if class_path is not None:
            yield Case(
                f"produce {size} B, Kafka's perf tool",
                new_topic,
                partial(tool_produce, class_path, wanted, size),
                size,
            )
        in_batch = BATCH_SIZES["1 MB"] // (size + OVERHEAD)
        fill = partial(filled_topic, in_batch, size, wanted // in_batch)
        yield Case(f"consume {size} B, wire", fill, wire_fetch, size)
        if has_kcat():
            yield Case(f"consume {size} B, kcat", fill, kcat, size)
    for connections in CONNECTIONS:
        yield Case(
            f"one record, {connections} connections",
            new_topic,
            partial(trips, connections, arguments.requests, 1),
        )


def new_topic(broker: Broker, partitions: int = 1) -> str:
    name = next(TOPICS)
    with broker.wire() as wire:
        create_topic(wire, name, partitions)
    return name


def filled_topic(in_batch: int, size: int, batches: int, broker: Broker) -> str:
    topic = new_topic(broker)
    wire_produce(in_batch, size, batches, broker, topic)
    return topic


def wire_produce(in_batch: int, size: int, batches: int, broker: Broker, topic: str) -> Done:
    with broker.wire() as wire:
        produce(wire, produce_request(topic, 0, in_batch, size), batches)
    return Done(in_batch * batches)


def librdkafka_produce(
    library: Librdkafka, records: int, size: int, broker: Broker, topic: str
) -> Done:
    with broker.wire() as wire:
        return Done(library.produce_checked(wire, broker.bootstrap, topic, records, size))


def tool_produce(class_path: str, records: int, size: int, broker: Broker, topic: str) -> Done:
    # Without the start of its JVM.
    return Done(records, perf_tool(class_path, broker.bootstrap, topic, records, size))


def wire_fetch(broker: Broker, topic: str) -> Done:
    with broker.wire() as wire:
        end = end_offset(wire, topic)
        fetch(wire, topic, end)
    return Done(end)


def kcat(broker: Broker, topic: str) -> Done:
    with broker.wire() as wire:
        end = end_offset(wire, topic)
    kcat_consume(broker.bootstrap, topic, end)
    return Done(end)


def trips(connections: int, requests: int, partitions: int, broker: Broker, topic: str) -> Done:
    frames = [produce_request(topic, index, 1, 100) for index in range(partitions)]
    took = round_trips(broker.port, frames, connections, requests)
    return Done(took.count, took.wall_s, took)


def warm_up(broker: Broker) -> None:
    """Let a JVM compile what the cases run; ours only generates the codecs of messages."""
    topic = new_topic(broker)
    wire_produce(150, 100, WARM_UP_REQUESTS, broker, topic)
    trips(1, WARM_UP_REQUESTS, 1, broker, topic)
    wire_fetch(broker, topic)
    with broker.wire() as wire:
        delete_topic(wire, topic)


# The output.


def show_starts(commands: dict[str, Command], connect: str, directory: Path, rounds: int) -> None:
    for name, command in commands.items():
        place = directory / "starts"
        took = []
        for number in range(rounds):
            node = chroot(connect, f"start-{name}-{number}")
            with running(name, command, node, place) as broker:
                took.append(broker.ready_s)
        print(f"{name:6} ready after {min(took):.2f} s")


def show_counts(brokers: Sequence[Broker], arguments: argparse.Namespace) -> None:
    """Show the cost of partitions and idle connections."""
    connections = max(CONNECTIONS)
    for partitions in arguments.partitions:
        case = Case(
            f"one record, {partitions} partitions in turn",
            partial(timed_topic, partitions),
            partial(trips, connections, arguments.requests, partitions),
        )
        show(case.title, loads(case, 1, brokers))
    for idle in arguments.idle:
        case = Case(
            f"one record, beside {idle} idle connections",
            new_topic,
            partial(trips, connections, arguments.requests, 1),
        )
        found = []
        for broker in brokers:
            with idle_connections(broker.port, idle):
                settle(brokers)
                found.append(load(case, arguments.rounds, broker))
                print(f"{broker.name} with {idle} idle connections: {broker.rss_mib():.0f} MiB")
        show(case.title, found)


def timed_topic(partitions: int, broker: Broker) -> str:
    started = time.perf_counter()
    topic = new_topic(broker, partitions)
    took = time.perf_counter() - started
    said = f"made in {took:.2f} s, then {broker.rss_mib():.0f} MiB"
    print(f"{broker.name}: a topic of {partitions} partitions {said}")
    return topic


if __name__ == "__main__":
    main()
