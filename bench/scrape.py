"""The cost of a scrape: CPU time and slices with many partitions, and its effect on producers.

    python -m bench.scrape [--partitions 10000] [--rounds 5] [--requests 20000]
                           [--partitions-of-broker 100] [--no-broker]

First the exposition for Prometheus of a registry with ten gauges for each partition, as brokers
have them, without a broker: its memory, CPU time in all, and the longest slice, for which requests
wait.  Then a broker with the reporter is loaded with single records, in turns without a scrape and
with one a second; of each the best of all rounds.  Last a client sends one record after the other,
in turns without a scrape and with one behind the other: how long it waited at most, by the clock
and by what the broker's loop computed meanwhile, which other processes change little.

Goals for 10,000 partitions: 5 MB, 150 ms of CPU, no request waits 10 ms longer; at most 2 % fewer
records a second.
"""

import argparse
import random
import socket
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.request import urlopen

from bench.broker import new_topic
from bench.broker_servers import LOOPBACK, Broker, chroot, our_command, running
from bench.broker_wire import produce_request, round_trips
from cluster.metrics.beans import Bean, Kind
from cluster.metrics.exposition import Exposition, Format
from cluster.metrics.registry import MetricsRegistry
from cluster.model.metrics_endpoints import FILE_NAME, decode_metrics_endpoints
from kadmin.local.zookeeper import start_server

GAUGES: Final = {
    ("kafka.log", "Log"): ("Size", "NumLogSegments", "LogStartOffset", "LogEndOffset"),
    ("kafka.cluster", "Partition"): (
        *("UnderReplicated", "UnderMinIsr", "AtMinIsr", "InSyncReplicasCount"),
        *("ReplicasCount", "LastStableOffsetLag"),
    ),
}
INTERVAL_S: Final = 1.0
CONNECTIONS: Final = 16
RECORD_SIZE: Final = 100


def main() -> None:
    arguments = parse()
    show_memory(arguments.partitions)
    show_exposition(arguments.partitions, arguments.rounds)
    if not arguments.no_broker:
        with tempfile.TemporaryDirectory() as place:
            show_load(Path(place), arguments.partitions_of_broker, arguments)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=10_000, help="of the registry")
    parser.add_argument("--partitions-of-broker", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=20_000, help="of one round")
    parser.add_argument("--no-broker", action="store_true")
    return parser.parse_args()


def registry_of(partitions: int) -> MetricsRegistry:
    registry = MetricsRegistry(monotonic_ns=time.monotonic_ns, random=random.random)
    tags = [(f"topic-{number // 10}", str(number % 10)) for number in range(partitions)]
    for (domain, type_), names in GAUGES.items():
        for name in names:
            bean = Bean(
                domain=domain,
                type=type_,
                name=name,
                kind=Kind.GAUGE,
                tags=("topic", "partition"),
                meaning="A gauge of a partition.",
            )
            registry.gauges(bean, lambda: ((each, 123_456) for each in tags))
    return registry


def show_memory(partitions: int) -> None:
    tracemalloc.start()
    registry = registry_of(partitions)
    exposition = Exposition()
    for part in registry.slices():
        exposition.add(part)
    scraped, _ = tracemalloc.get_traced_memory()
    del exposition
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(
        f"{partitions:,} partitions: {kept / 1e6:.1f} MB of memory, and"
        f" {(scraped - kept) / 1e6:.1f} MB while an answer is made",
        flush=True,
    )


def show_exposition(partitions: int, rounds: int) -> None:
    registry = registry_of(partitions)
    for _ in range(rounds):
        before_s, longest_s, exposition = time.process_time(), 0.0, Exposition()
        slices = registry.slices()
        while True:
            slice_s = time.thread_time()
            part = next(slices, None)
            if part is None:
                break
            exposition.add(part)
            longest_s = max(longest_s, time.thread_time() - slice_s)
        size = sum(map(len, exposition.pieces(Format.TEXT)))
        cpu_s = time.process_time() - before_s
        print(
            f"{partitions:,} partitions: {1000 * cpu_s:.0f} ms of CPU, longest slice"
            f" {1000 * longest_s:.1f} ms, {size / 1e6:.1f} MB",
            flush=True,
        )


def show_load(directory: Path, partitions: int, arguments: argparse.Namespace) -> None:
    """Produce in turns without scrapes and with one a second."""
    settings = {"kafka.metrics.reporters": "prometheus"}
    server = start_server(directory / "zookeeper")
    try:
        connect = chroot(server.connect, "scrape")
        place = directory / "broker"
        with running("ours", our_command, connect, place, settings=settings) as broker:
            found = decode_metrics_endpoints((place / "logs" / FILE_NAME).read_bytes())
            assert found is not None
            topic, url = new_topic(broker, partitions), found.urls["prometheus"]
            without, beside = [], []
            for _ in range(arguments.rounds):
                without.append(load(broker, topic, arguments.requests))
                with scraping(url, INTERVAL_S):
                    beside.append(load(broker, topic, arguments.requests))
            for _ in range(arguments.rounds):
                show_waits("without scrapes", broker, topic, arguments.requests)
                with scraping(url, interval_s=0):
                    show_waits("beside scrapes", broker, topic, arguments.requests)
    finally:
        server.kill()
    rate, cpu_us = max(each[0] for each in without), min(each[1] for each in without)
    scraped_rate, scraped_us = max(each[0] for each in beside), min(each[1] for each in beside)
    print(f"without scrapes: {rate:,.0f} records/s, {cpu_us:.1f} µs of CPU each")
    print(f"one each second: {scraped_rate:,.0f} records/s, {scraped_us:.1f} µs of CPU each")
    fewer, more = 1 - scraped_rate / rate, scraped_us / cpu_us - 1
    print(f"{100 * fewer:.1f} % fewer records, {100 * more:.1f} % more CPU for each")


def load(broker: Broker, topic: str, requests: int) -> tuple[float, float]:
    """Return records a second, and the broker's CPU time for each in µs."""
    frames = [produce_request(topic, 0, 1, RECORD_SIZE)]
    before_s = broker.cpu_s()
    took = round_trips(broker.port, frames, CONNECTIONS, requests)
    return took.count / took.wall_s, 1e6 * (broker.cpu_s() - before_s) / took.count


def show_waits(title: str, broker: Broker, topic: str, requests: int) -> None:
    """Send single records, each behind the answer to the one before."""
    frame = produce_request(topic, 0, 1, RECORD_SIZE)
    pid = broker.process.pid
    loop = Path(f"/proc/{pid}/task/{pid}/schedstat")
    waits_ms, computed_ms = [], []
    with socket.create_connection((LOOPBACK, broker.port)) as client:
        for _ in range(requests):
            before_ns, began_s = computed_ns(loop), time.perf_counter()
            client.sendall(frame)
            client.recv(4096)
            waits_ms.append(1e3 * (time.perf_counter() - began_s))
            computed_ms.append((computed_ns(loop) - before_ns) / 1e6)
    print(
        f"{title}: the longest of {requests:,} requests waited {max(waits_ms):.1f} ms, and while"
        f" one waited the loop computed {max(computed_ms):.1f} ms at most",
        flush=True,
    )


def computed_ns(schedstat: Path) -> int:
    return int(schedstat.read_text().split()[0])


@contextmanager
def scraping(url: str, interval_s: float) -> Iterator[None]:
    """Scrape *url* while a block runs, *interval_s* behind each answer."""
    has_ended = threading.Event()

    def scrape() -> None:
        while not has_ended.wait(interval_s):
            with urlopen(url) as answer:
                answer.read()

    thread = threading.Thread(target=scrape, daemon=True)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()


if __name__ == "__main__":
    main()
