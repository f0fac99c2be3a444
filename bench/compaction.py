"""The speed of the log cleaner, and the latency of produce requests beside it, next to Kafka 3.9.1.

    python -m bench.compaction [--megabytes 400] [--rounds 2] [--no-kafka]

Records of 1 KB, each of whose keys comes ten times, are written to a topic that becomes a compacted
one then: one thread cleans it in a pass.  The same again while a client writes a record to another
topic every few milliseconds, as it did before.  Both brokers run at once and are loaded in turns;
of each figure the best of all rounds.  Goals: half of Kafka's MB/s, and twice the p99 of without.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from bench.broker import new_topic
from bench.broker_loads import MB, python_build, settle
from bench.broker_servers import Broker, chroot, contestants, running
from bench.broker_wire import (
    ACTS_MS,
    PRODUCE_VERSION,
    check_produced,
    delete_topic,
    produce_request,
    request,
)
from bench.measure import kafka_class_path
from cluster.formats.checkpoints import CLEANED_OFFSETS
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResponse,
)
from cluster.wire.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kadmin.local.zookeeper import start_server
from tests.cluster.storage.batches import of_pairs

RECORD_SIZE: Final = 1000
IN_BATCH: Final = 900
TIMES: Final = 10
"""How often each key comes."""
SEGMENT_BYTES: Final = 32 * MB
TOPIC_KIND: Final = 2
WARM_UP_REQUESTS: Final = 2_000
REQUESTS: Final = 1_000
PAUSE_S: Final = 0.002
"""Between requests.  Without it there would be most of them where they are quickest, which is
before the cleaner begins."""

SETTINGS: Final = {"log.cleaner.backoff.ms": 100, "log.cleaner.threads": 1}


def main() -> None:
    arguments = parse()
    print(python_build(), flush=True)
    class_path = None if arguments.no_kafka else kafka_class_path("3.9.1")
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        server = start_server(Path(place) / "zookeeper")
        stack.callback(server.kill)
        brokers = {
            name: stack.enter_context(
                running(
                    *(name, command, chroot(server.connect, name), Path(place) / name),
                    settings=SETTINGS,
                )
            )
            for name, command in contestants(class_path).items()
        }
        for name, broker in brokers.items():
            latencies(broker, lambda count: count == WARM_UP_REQUESTS, 0)
            settle(list(brokers.values()))
            show(broker, Path(place) / name / "data" / CLEANED_OFFSETS, arguments)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=400, help="of records that are cleaned")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--no-kafka", action="store_true")
    return parser.parse_args()


def show(broker: Broker, checkpoint: Path, arguments: argparse.Namespace) -> None:
    rounds = range(arguments.rounds)
    alone = [latencies(broker, lambda count: count == REQUESTS) for _ in rounds]
    speeds, costs, beside = [], [], []
    for _ in rounds:
        topic = begin(broker, arguments.megabytes)
        cpu_s, started = broker.cpu_s(), time.perf_counter()
        while (offset := cleaned_offset(checkpoint, topic)) is None:
            time.sleep(PAUSE_S)
        megabytes = offset * RECORD_SIZE / MB
        speeds.append(megabytes / (time.perf_counter() - started))
        costs.append((broker.cpu_s() - cpu_s) / megabytes * 1000)
        end(broker, topic)
    for _ in rounds:
        topic = begin(broker, arguments.megabytes)
        beside.append(latencies(broker, partial(is_cleaned, checkpoint, topic)))
        end(broker, topic)
    print(
        f"{broker.name:6} cleans {max(speeds):.0f} MB/s, {min(costs):.1f} CPU s a GB; one record"
        f" takes {best(alone)} ms without it, and {best(beside)} ms beside it",
        flush=True,
    )


def best(rounds: list[list[float]]) -> str:
    """Its median and p99: the least of *rounds*, whose times are sorted."""
    median, p99 = (
        min(took[int(share * (len(took) - 1))] for took in rounds) for share in (0.5, 0.99)
    )
    return f"{median:.2f} (p99 {p99:.2f})"


def latencies(
    broker: Broker, is_enough: Callable[[int], bool], pause_s: float = PAUSE_S
) -> list[float]:
    """The times in ms, sorted, of requests with a record each, until their number *is_enough*."""
    topic = new_topic(broker)
    frame = produce_request(topic, 0, 1, 100)
    took: list[float] = []
    with broker.wire() as wire:
        while not is_enough(len(took)):
            time.sleep(pause_s)
            began = time.perf_counter()
            wire.socket.sendall(frame)
            check_produced(wire.receive())
            took.append((time.perf_counter() - began) * 1000)
    end(broker, topic)
    return sorted(took)


def begin(broker: Broker, megabytes: int) -> str:
    """Fill a new topic, let the cleaner have it, and return its name."""
    topic = new_topic(broker)
    segments = {"segment.bytes": str(SEGMENT_BYTES), "retention.ms": "-1"}
    alter(broker, topic, segments)
    fill(broker, topic, megabytes * MB // RECORD_SIZE)
    settle([broker])
    alter(broker, topic, {**segments, "cleanup.policy": "compact"})
    return topic


def end(broker: Broker, topic: str) -> None:
    with broker.wire() as wire:
        delete_topic(wire, topic)


def alter(broker: Broker, topic: str, configs: dict[str, str]) -> None:
    wanted = [AlterableConfig(*pair) for pair in configs.items()]
    body = AlterConfigsRequest([AlterConfigsResource(TOPIC_KIND, topic, wanted)])
    with broker.wire() as wire:
        (answer,) = wire.ask(ApiKey.ALTER_CONFIGS, 1, body, AlterConfigsResponse).responses
    if answer.error_code:
        raise SystemExit(f"topic {topic} cannot be altered: {answer}")


def fill(broker: Broker, topic: str, records: int) -> None:
    """Write the same batches again and again, each of keys of its own."""
    batches = records // IN_BATCH
    frames = [batch_request(topic, number) for number in range(batches // TIMES)]
    with broker.wire() as wire:
        for number in range(len(frames) * TIMES):
            wire.socket.sendall(frames[number % len(frames)])
            check_produced(wire.receive())


def batch_request(topic: str, number: int) -> bytes:
    first = number * IN_BATCH
    pairs = [(b"key-%08d" % key, b"v" * RECORD_SIZE) for key in range(first, first + IN_BATCH)]
    content = bytes(of_pairs(pairs, time.time_ns() // 1_000_000))
    body = ProduceRequest(
        None, 1, ACTS_MS, [TopicProduceData(topic, [PartitionProduceData(0, content)])]
    )
    return request(ApiKey.PRODUCE, PRODUCE_VERSION, body)


def is_cleaned(checkpoint: Path, topic: str, _count: int) -> bool:
    return cleaned_offset(checkpoint, topic) is not None


def cleaned_offset(checkpoint: Path, topic: str) -> int | None:
    """The offset up to which partition 0 of *topic* is clean; None before it is."""
    lines = checkpoint.read_text().splitlines() if checkpoint.exists() else []
    found = (line.split() for line in lines)
    return next((int(row[2]) for row in found if row[:2] == [topic, "0"]), None)


if __name__ == "__main__":
    main()
