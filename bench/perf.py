"""`kadmin perf` beside Kafka's own performance tools, on the same broker.

    python -m bench.perf [--records 1000000] [--size 100] [--rounds 3] [--release 3.9.1]
                         [--processes 1] [--kafka]

Both are given the same properties, and run in turns: A B, B A, ….  What counts is the median of the
rounds' ratios, kadmin to Kafka.  Goal: at least 1 for what is written and for what is read, on one
process each.  The JVM's start is in neither; a group's time to be joined is not in what is read.
With --kafka the broker is Kafka's, otherwise ours.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from os import getloadavg
from pathlib import Path
from typing import Final

from bench.broker_servers import Broker, chroot, contestants, running
from bench.broker_wire import create_topic
from bench.measure import KADMIN, kafka_class_path, kafka_tool
from kadmin.local.zookeeper import start_server
from kadmin.records.perf.compare import ratio, turns

PRODUCER: Final = "org.apache.kafka.tools.ProducerPerformance"
CONSUMER: Final = {
    "2.8.2": "kafka.tools.ConsumerPerformance",
    "3.9.1": "org.apache.kafka.tools.ConsumerPerformance",
}
TIMEOUT_S: Final = 280
SENT: Final = re.compile(r"^\d+ records sent, ([\d.]+) records/sec .*th\.$", re.MULTILINE)
SAME: Final = {
    "Java's defaults": ("acks=all", "batch.size=16384", "linger.ms=0"),
    "large batches": ("acks=all", "batch.size=1000000", "linger.ms=5"),
}
"""Properties of both, which the two clients understand alike."""

Tool = Callable[[], float]


def main() -> None:
    arguments = parse()
    class_path = kafka_class_path(arguments.release)
    if class_path is None:
        sys.exit(f"Kafka {arguments.release} is not there to be compared with")
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        directory = Path(place)
        server = start_server(directory / "zookeeper")
        stack.callback(server.kill)
        name = "Kafka" if arguments.kafka else "ours"
        command = contestants(class_path)[name]
        node = chroot(server.connect, name)
        broker = stack.enter_context(running(name, command, node, directory / name))
        print(f"broker: {name}; load before {getloadavg()[0]:.1f}")
        for number, (title, properties) in enumerate(SAME.items()):
            topic = f"perf-{number}"
            with broker.wire() as wire:
                create_topic(wire, topic, 3)
            show(
                f"written, {title}",
                arguments.rounds,
                partial(theirs, arguments, class_path, broker, topic, properties),
                partial(ours, arguments, broker, topic, properties),
            )
        show(
            "read",
            arguments.rounds,
            partial(their_reads, arguments, class_path, broker, "perf-0"),
            partial(our_reads, arguments, broker, "perf-0"),
        )
        print(f"load behind {getloadavg()[0]:.1f}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--release", default="3.9.1", choices=sorted(CONSUMER))
    parser.add_argument("--processes", type=int, default=1, help="of kadmin's producer")
    parser.add_argument("--kafka", action="store_true", help="Kafka's broker in place of ours")
    return parser.parse_args()


def show(title: str, rounds: int, kafka: Tool, kadmin: Tool) -> None:
    """Run both in turns, and print their rates and the ratios kadmin / Kafka."""
    rates: dict[str, list[float]] = {"A": [], "B": []}
    for _, side in turns(rounds):
        rates[side].append((kafka if side == "A" else kadmin)())
    found = ratio(rates["A"], rates["B"])
    assert found is not None
    cells = "; ".join(
        f"{name} {', '.join(f'{rate:,.0f}' for rate in rates[side])}"
        for name, side in (("Kafka", "A"), ("kadmin", "B"))
    )
    print(
        f"{title}: {found.median:.2f} × ({found.low:.2f} to {found.high:.2f});"
        f" records/sec: {cells}",
        flush=True,
    )


def ours(
    arguments: argparse.Namespace, broker: Broker, topic: str, properties: tuple[str, ...]
) -> float:
    said = output(
        [
            *(*KADMIN, "perf", "produce", "--bootstrap-server", broker.bootstrap, "--yes"),
            *("--topic", topic, "--num-records", str(arguments.records)),
            *("--record-size", str(arguments.size), "--processes", str(arguments.processes)),
            *("--producer-props", *properties),
        ]
    )
    return rate_sent(said)


def theirs(
    arguments: argparse.Namespace,
    class_path: str,
    broker: Broker,
    topic: str,
    properties: tuple[str, ...],
) -> float:
    said = output(
        kafka_tool(
            class_path,
            PRODUCER,
            *("--topic", topic, "--num-records", str(arguments.records)),
            *("--record-size", str(arguments.size), "--throughput", "-1"),
            *("--producer-props", f"bootstrap.servers={broker.bootstrap}", *properties),
            "enable.idempotence=false",
        )
    )
    return rate_sent(said)


def rate_sent(said: str) -> float:
    found = SENT.findall(said)
    if not found:
        raise SystemExit(f"no last line of a producer:\n{said}")
    return float(found[-1])


def our_reads(arguments: argparse.Namespace, broker: Broker, topic: str) -> float:
    return rate_read(
        output(
            [
                *(*KADMIN, "perf", "consume", "--bootstrap-server", broker.bootstrap),
                *("--topic", topic, "--messages", str(arguments.records)),
            ]
        )
    )


def their_reads(
    arguments: argparse.Namespace, class_path: str, broker: Broker, topic: str
) -> float:
    return rate_read(
        output(
            kafka_tool(
                class_path,
                CONSUMER[arguments.release],
                *("--bootstrap-server", broker.bootstrap, "--topic", topic),
                *("--messages", str(arguments.records), "--timeout", "60000"),
            )
        )
    )


def rate_read(said: str) -> float:
    """Return fetch.nMsg.sec, the last column: without the time in which the group was joined."""
    rows = [line for line in said.splitlines() if line[:2].isdigit()]
    return float(rows[-1].split(", ")[-1])


def output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
