"""What does the broker carry, and at which cost, beside Kafka 3.9.1?

    python -m bench.broker [--megabytes 500] [--requests 20000] [--partitions 1 100 2000]
                           [--idle 1 1000] [--rounds 2] [--only WORD…] [--no-kafka]

Both brokers run at once, each over a ZooKeeper node of its own, and are loaded in turns, each when
none of them has anything left to do; of each case the round with the least wall time.  Goals: as
fast as Kafka in every row, 2 million records a second produced, a third of its CPU for a GB, a
tenth of its memory, ready in 0.5 s.
"""

import argparse
import platform
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Final

from kazoo.client import KazooClient

from bench.broker_clients import Librdkafka, has_kcat, kcat_consume, perf_tool
from bench.broker_servers import (
    Broker,
    Command,
    idle_connections,
    kafka_command,
    our_command,
    running,
)
from bench.broker_wire import (
    RoundTrips,
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

MB: Final = 1_000_000
RECORD_SIZES: Final = (100, 1000)
BATCH_SIZES: Final = {"1 MB": 1_000_000, "16 KB": 16_000}
BUSY_SHARE: Final = 0.05
"""Of a core: a broker that uses more has still something to do."""
LOOK_S: Final = 0.5
SETTLE_S_MAX: Final = 60.0
OVERHEAD: Final = 8
"""Of a record without a key, in bytes: its size, time, offset, and where key and headers are."""
CONNECTIONS: Final = (1, 16)
WARM_UP_REQUESTS: Final = 5_000
BOUND: Final = 0.85
"""Of the wall time: whoever has a CPU for longer than this is what the others wait for."""

TOPICS: Final = (f"bench-{number}" for number in count())


@dataclass(frozen=True, slots=True)
class Load:
    """One run of one case: *records*, and how often a record or request got through in a second.

    *megabytes* are those of the records; 0 where the case is about requests.
    """

    wall_s: float
    broker_cpu_s: float
    broker_kept_s: float
    client_cpu_s: float
    records: int
    megabytes: float = 0
    trips: RoundTrips | None = None

    @property
    def per_s(self) -> float:
        return self.records / self.wall_s

    @property
    def cost(self) -> float:
        """CPU s of the broker for a GB, or µs for a request."""
        if self.megabytes > 0:
            return self.broker_cpu_s / self.megabytes * 1000
        return self.broker_cpu_s / self.records * 1e6

    @property
    def bound(self) -> str:
        """Who had no time left; CPUs: the broker had work, and others had its CPU.

        A client and a broker that speak in turns often share one, each with half of it: a third
        process there shows as a p99 of a scheduler's slice, which is some milliseconds.
        """
        if self.broker_cpu_s > BOUND * self.wall_s:
            return "broker"
        if self.client_cpu_s > BOUND * self.wall_s:
            return "client"
        if self.broker_cpu_s + self.broker_kept_s > BOUND * self.wall_s:
            return "CPUs"
        return "waits"


@dataclass(frozen=True, slots=True)
class Done:
    """What a client did; *wall_s* where it knows better than a clock around it."""

    records: int
    wall_s: float | None = None
    trips: RoundTrips | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """What is done to a broker; *prepare* makes the topic that *work* then uses."""

    title: str
    prepare: Callable[[Broker], str]
    work: Callable[[Broker, str], Done]
    record_size: int = 0


def main() -> None:
    arguments = parse()
    print(python_build())
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        directory = Path(place)
        server = start_server(directory / "zookeeper")
        stack.callback(server.kill)
        commands: dict[str, Command] = {"ours": our_command}
        class_path = None if arguments.no_kafka else kafka_class_path("3.9.1")
        if class_path is not None:
            commands["Kafka"] = kafka_command(class_path)
        show_starts(commands, server.connect, directory, arguments.rounds)
        brokers = [
            stack.enter_context(
                running(name, command, chroot(server.connect, name), directory / name)
            )
            for name, command in commands.items()
        ]
        show_memory("started", brokers)
        for broker in brokers:
            warm_up(broker)
        titles(brokers)
        for case in cases(arguments, class_path):
            if not arguments.only or any(word in case.title for word in arguments.only):
                show(case.title, brokers, loads(case, arguments.rounds, brokers))
        show_memory("now", brokers)
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


def chroot(connect: str, name: str) -> str:
    client = KazooClient(connect)
    client.start()
    client.ensure_path(f"/{name}")
    client.stop()
    client.close()
    return f"{connect}/{name}"


# The cases.


def cases(arguments: argparse.Namespace, class_path: str | None) -> Iterator[Case]:
    """Everything that is measured on one partition."""
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


# Measuring.


def warm_up(broker: Broker) -> None:
    """Let a JVM compile what the cases run; ours has nothing to compile but its messages."""
    topic = new_topic(broker)
    wire_produce(150, 100, WARM_UP_REQUESTS, broker, topic)
    trips(1, WARM_UP_REQUESTS, 1, broker, topic)
    wire_fetch(broker, topic)
    with broker.wire() as wire:
        delete_topic(wire, topic)


def loads(case: Case, rounds: int, brokers: Sequence[Broker]) -> list[Load]:
    found = []
    for broker in brokers:
        settle(brokers)
        found.append(load(case, rounds, broker))
    return found


def settle(brokers: Sequence[Broker]) -> None:
    """Wait until no broker is busy any more with what was asked of it before.

    The files of 2,000 partitions go for seconds after the topic is deleted: whoever is measured
    meanwhile, in whichever process, is kept from a CPU.
    """
    deadline = time.perf_counter() + SETTLE_S_MAX
    while time.perf_counter() < deadline:
        used = [broker.cpu_s() for broker in brokers]
        time.sleep(LOOK_S)
        shares = [
            (broker.cpu_s() - before) / LOOK_S for broker, before in zip(brokers, used, strict=True)
        ]
        if max(shares) <= BUSY_SHARE:
            return
    print("a broker does not come to rest: what follows is measured beside that")


def load(case: Case, rounds: int, broker: Broker) -> Load:
    """The fastest of *rounds* runs of *case*."""
    return min((one_load(case, broker) for _ in range(rounds)), key=lambda load: load.wall_s)


def one_load(case: Case, broker: Broker) -> Load:
    topic = case.prepare(broker)
    broker_s, kept_s = broker.cpu_s(), broker.kept_s()
    client_s, started = client_cpu_s(), time.perf_counter()
    done = case.work(broker, topic)
    wall_s = time.perf_counter() - started
    broker_s, kept_s = broker.cpu_s() - broker_s, broker.kept_s() - kept_s
    client_s = client_cpu_s() - client_s
    with broker.wire() as wire:
        delete_topic(wire, topic)
    return Load(
        wall_s if done.wall_s is None else done.wall_s,
        broker_s,
        kept_s,
        client_s,
        done.records,
        done.records * case.record_size / MB,
        done.trips,
    )


def client_cpu_s() -> float:
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


# What is shown.


def python_build() -> str:
    """Which Python runs: one that was built with PGO and LTO needs a tenth less CPU."""
    said = sysconfig.get_config_var("CONFIG_ARGS") or ""
    pgo = "with" if "--enable-optimizations" in said else "without"
    lto = "with" if "--with-lto" in said else "without"
    return f"Python {platform.python_version()}, built {pgo} PGO and {lto} LTO ({said})"


def show_starts(commands: dict[str, Command], connect: str, directory: Path, rounds: int) -> None:
    for name, command in commands.items():
        place = directory / "starts"
        took = []
        for number in range(rounds):
            node = chroot(connect, f"start-{name}-{number}")
            with running(name, command, node, place) as broker:
                took.append(broker.ready_s)
        print(f"{name:6} ready after {min(took):.2f} s")


def show_memory(
    when: str, brokers: Sequence[Broker], measure: Callable[[Broker], float] = Broker.rss_mib
) -> None:
    said = ", ".join(f"{broker.name} {measure(broker):.0f} MiB" for broker in brokers)
    print(f"resident memory, {when}: {said}")


def titles(brokers: Sequence[Broker]) -> None:
    columns = "".join(f"{broker.name:>40}" for broker in brokers)
    print(f"{'':42}{columns}  ratios: rate, CPU; bound by ours")


def show(title: str, brokers: Sequence[Broker], loads: Sequence[Load]) -> None:
    ours = loads[0]
    line = f"{title:42}" + "".join(f"{cell(one):>40}" for one in loads)
    if len(loads) > 1:
        theirs = loads[1]
        line += f"  {ours.per_s / theirs.per_s:.2f} ×, {ours.cost / theirs.cost:.2f} ×"
    print(f"{line}; {ours.bound}", flush=True)


def cell(load: Load) -> str:
    if load.trips is not None:
        trips = load.trips
        return (
            f"{load.per_s:,.0f}/s {trips.p50_us:.0f}/{trips.p99_us:.0f} µs {load.cost:.0f} µs CPU"
        )
    rate = load.megabytes / load.wall_s
    return f"{load.per_s / 1e6:.2f} M/s {rate:.0f} MB/s {load.cost:.2f} s/GB"


def show_counts(brokers: Sequence[Broker], arguments: argparse.Namespace) -> None:
    """What partitions and idle connections cost."""
    connections = max(CONNECTIONS)
    for partitions in arguments.partitions:
        case = Case(
            f"one record, {partitions} partitions in turn",
            partial(timed_topic, partitions),
            partial(trips, connections, arguments.requests, partitions),
        )
        show(case.title, brokers, loads(case, 1, brokers))
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
        show(case.title, brokers, found)


def timed_topic(partitions: int, broker: Broker) -> str:
    started = time.perf_counter()
    topic = new_topic(broker, partitions)
    took = time.perf_counter() - started
    said = f"made in {took:.2f} s, then {broker.rss_mib():.0f} MiB"
    print(f"{broker.name}: a topic of {partitions} partitions {said}")
    return topic


if __name__ == "__main__":
    main()
