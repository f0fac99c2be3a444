"""The cost of `kadmin export`: a poll and a scrape of a large cluster, beside danielqsj's exporter.

    python -m bench.export [--topics 1000] [--partitions 10] [--groups 1000] [--commits 10]
                           [--rounds 4] [--beside /path/to/kafka_exporter] [--describe]

One broker of ours with that many topics, a record in each partition; each group has committed to
so many partitions, the record in which it has not read.  kadmin reads the cluster every few
seconds, and a scrape gets what was read last; kafka_exporter reads it for each scrape, so that its
scrape is to be compared with a poll and a scrape.  Of each the least of all rounds, the peak of
memory over all.  With --describe, `kadmin groups --describe --all-groups`, too: 15,000 groups in at
most 10 s and 300 MiB.
"""

import argparse
import gzip
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.broker import new_topic
from bench.broker_loads import python_build
from bench.broker_servers import Broker, chroot, end, memory_mib, our_command, running
from bench.broker_wire import (
    PRODUCE_VERSION,
    Wire,
    check_produced,
    request,
    wait_until_known,
)
from bench.groups import COMMIT_VERSION, await_coordinator, await_loaded
from bench.measure import KADMIN
from bench.process_tree import run_tree, status
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_response
from cluster.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from cluster.wire.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from cluster.wire.messages.topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from kadmin.local.ports import free_ports
from kadmin.local.zookeeper import start_server
from tests.cluster.storage.batches import batch

LOOPBACK: Final = "127.0.0.1"
INTERVAL_S: Final = 5
PATIENCE_S: Final = 300.0
LOOK_S: Final = 0.5
ACTS_MS: Final = 600_000
TOPICS_AT_ONCE: Final = 100


def main() -> None:
    arguments = parse()
    print(python_build(), flush=True)
    with tempfile.TemporaryDirectory() as place:
        server = start_server(Path(place) / "zookeeper")
        try:
            connect = chroot(server.connect, "export")
            directory = Path(place) / "broker"
            with running("ours", our_command, connect, directory) as broker:
                fill(broker, arguments)
                show(broker, arguments)
        finally:
            server.kill()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, default=1000)
    parser.add_argument("--partitions", type=int, default=10, help="of each topic")
    parser.add_argument("--groups", type=int, default=1000)
    parser.add_argument("--commits", type=int, default=10, help="partitions of each group")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--beside", metavar="FILE", help="the program kafka_exporter")
    parser.add_argument("--describe", action="store_true")
    return parser.parse_args()


# The cluster.


def fill(broker: Broker, arguments: argparse.Namespace) -> None:
    topics = [f"topic-{number}" for number in range(arguments.topics)]
    with broker.wire() as wire:
        for first in range(0, len(topics), TOPICS_AT_ONCE):
            create(wire, topics[first : first + TOPICS_AT_ONCE], arguments.partitions)
        for topic in topics:
            wait_until_known(wire, topic, arguments.partitions)
            wire.socket.sendall(one_record_each(topic, arguments.partitions))
            check_produced(wire.receive())
        ready = new_topic(broker, 1)
        for number in range(arguments.groups):
            group = f"group-{number}"
            if number == 0:
                await_coordinator(wire, group)
            await_loaded(wire, group, ready)
            wire.socket.sendall(commit(group, number, topics, arguments))
            answer = decode_response(OffsetCommitResponse, COMMIT_VERSION, wire.receive()).body
            codes = {part.error_code for topic in answer.topics for part in topic.partitions}
            if codes != {0}:
                raise SystemExit(f"commits of {group} were refused with the errors {codes}")


def create(wire: Wire, names: Sequence[str], partitions: int) -> None:
    body = CreateTopicsRequest([CreatableTopic(name, partitions, 1) for name in names], ACTS_MS)
    answer = wire.ask(ApiKey.CREATE_TOPICS, 5, body, CreateTopicsResponse)
    if any(topic.error_code for topic in answer.topics):
        raise SystemExit(f"topics cannot be made: {answer.topics[0]}")


def one_record_each(topic: str, partitions: int) -> bytes:
    content = batch([b"v" * 100], times=[time.time_ns() // 1_000_000])
    data = [PartitionProduceData(number, content) for number in range(partitions)]
    body = ProduceRequest(None, 1, ACTS_MS, [TopicProduceData(topic, data)])
    return request(ApiKey.PRODUCE, PRODUCE_VERSION, body)


def commit(group: str, number: int, topics: Sequence[str], arguments: argparse.Namespace) -> bytes:
    """A commit of offset 0 to as many partitions as a group has, of topics one after the other."""
    count, partitions = arguments.commits, arguments.partitions
    wanted: dict[str, list[OffsetCommitRequestPartition]] = {}
    for place in range(number * count, (number + 1) * count):
        topic = topics[place // partitions % len(topics)]
        part = OffsetCommitRequestPartition(place % partitions, 0, -1, -1, "")
        wanted.setdefault(topic, []).append(part)
    body = OffsetCommitRequest(
        group, topics=[OffsetCommitRequestTopic(*each) for each in wanted.items()]
    )
    return request(ApiKey.OFFSET_COMMIT, COMMIT_VERSION, body)


# The exporters.


def show(broker: Broker, arguments: argparse.Namespace) -> None:
    cluster = f"{arguments.topics * arguments.partitions:,} partitions, {arguments.groups:,} groups"
    print(f"{cluster}, each with {arguments.commits} of them", flush=True)
    show_kadmin(broker, arguments.rounds)
    if arguments.beside:
        show_beside(broker, arguments.beside, arguments.rounds)
    if arguments.describe:
        wanted = ("groups", "--describe", "--all-groups", "--output", "json")
        took = run_tree([*KADMIN, *wanted, "--bootstrap-server", broker.bootstrap])
        print(
            f"kadmin groups --describe: {took.wall_s:.1f} s, CPU {took.cpu_s:.1f} s,"
            f" {took.largest_mib:.0f} MiB",
            flush=True,
        )


def show_kadmin(broker: Broker, rounds: int) -> None:
    command = [*KADMIN, "export", "--bootstrap-server", broker.bootstrap]
    options = ["--interval", str(INTERVAL_S), "--check-interval", "0", "--quiet"]
    with exporting([*command, *options, "--listen"]) as (process, url):
        wait_for_polls(url, 1)
        polls: list[float] = []
        loads: list[float] = []
        for number in range(1, rounds + 1):
            before, of_broker = cpu_s(process), broker.cpu_s()
            wait_for_polls(url, number + 1)
            polls.append(cpu_s(process) - before)
            loads.append(broker.cpu_s() - of_broker)
        took = metric(scraped(url), "kafka_exporter_poll_duration_seconds")
        scrapes = [scrape_of(process, url) for _ in range(rounds)]
        print(
            f"kadmin: poll {took:.2f} s, CPU {min(polls):.2f} s (broker {min(loads):.2f} s);"
            f" {text_of(scrapes)}; peak {memory_mib(process.pid, 'VmHWM'):.0f} MiB",
            flush=True,
        )


def show_beside(broker: Broker, program: str, rounds: int) -> None:
    command = [program, f"--kafka.server={broker.bootstrap}", "--web.listen-address"]
    with exporting(command) as (process, url):
        try:
            scraped(url)
        except TimeoutError:
            print(f"kafka_exporter: no answer within {PATIENCE_S:.0f} s", flush=True)
            return
        loads: list[float] = []
        scrapes = []
        for _ in range(rounds):
            of_broker = broker.cpu_s()
            scrapes.append(scrape_of(process, url))
            loads.append(broker.cpu_s() - of_broker)
        print(
            f"kafka_exporter: {text_of(scrapes)} (broker {min(loads):.2f} s);"
            f" peak {memory_mib(process.pid, 'VmHWM'):.0f} MiB",
            flush=True,
        )


@contextmanager
def exporting(command: Sequence[str]) -> "Iterator[tuple[subprocess.Popen[bytes], str]]":
    """Start an exporter by *command*, to which its address is added; it is stopped at the end."""
    (port,) = free_ports(1, LOOPBACK)
    with tempfile.TemporaryFile() as said:
        address = f"{LOOPBACK}:{port}"
        process = subprocess.Popen([*command, address], stdout=said, stderr=said)
        try:
            url = f"http://{address}/metrics"
            wait_until_listening(process, f"http://{address}/")
            yield process, url
        finally:
            end(process)


def wait_until_listening(process: "subprocess.Popen[bytes]", url: str) -> None:
    deadline = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < deadline and process.poll() is None:
        try:
            scraped(url)
        except OSError:
            time.sleep(LOOK_S)
        else:
            return
    raise SystemExit("an exporter does not listen")


def wait_for_polls(url: str, count: int) -> None:
    deadline = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < deadline:
        if metric(scraped(url), "kafka_exporter_polls_total") >= count:
            return
        time.sleep(LOOK_S)
    raise SystemExit(f"not {count} polls after {PATIENCE_S:.0f} s")


def scraped(url: str) -> bytes:
    wanted = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(wanted, timeout=PATIENCE_S) as answer:
        content: bytes = answer.read()
        is_zipped = answer.headers.get("Content-Encoding") == "gzip"
    return gzip.decompress(content) if is_zipped else content


def metric(text: bytes, name: str) -> float:
    """The first sample of the metric *name*; 0 where there is none."""
    for line in text.splitlines():
        if line.startswith(name.encode()):
            return float(line.rpartition(b" ")[2])
    return 0.0


def cpu_s(process: "subprocess.Popen[bytes]") -> float:
    return status(process.pid)[1]


@dataclass(frozen=True, slots=True)
class Scrape:
    """A scrape: wall and CPU in s, how many samples it had."""

    wall_s: float
    cpu_s: float
    samples: int


def scrape_of(process: "subprocess.Popen[bytes]", url: str) -> Scrape:
    before = cpu_s(process)
    started = time.perf_counter()
    text = scraped(url)
    wall_s = time.perf_counter() - started
    samples = sum(not line.startswith(b"#") for line in text.splitlines())
    return Scrape(wall_s, cpu_s(process) - before, samples)


def text_of(scrapes: Sequence[Scrape]) -> str:
    wall_s = min(each.wall_s for each in scrapes)
    used_s = min(each.cpu_s for each in scrapes)
    return f"scrape {wall_s:.3f} s, CPU {used_s:.2f} s, {scrapes[0].samples:,} samples"


if __name__ == "__main__":
    main()
