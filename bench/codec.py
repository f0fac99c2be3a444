"""The time for encoding and decoding messages, beside kio and kafka-python.

    python -m bench.codec [seconds]

Microseconds, the least of several rounds, for messages that brokers, clients and controllers
exchange all the time.  kafka-python is measured without its headers; kio decodes from bytes, since
it takes no writable buffers.  Neither has the messages of controllers.
"""

import functools
import io
import sys
import timeit
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cluster.wire.decoders import decode
from cluster.wire.encoders import encode_message
from cluster.wire.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from cluster.wire.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from cluster.wire.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from cluster.wire.schema import Schema, schema_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka.protocol.consumer
    import kafka.protocol.metadata
    import kafka.protocol.producer

import kio.index
import kio.serial


class Case(NamedTuple):
    title: str
    version: int
    build: Callable[[], tuple[Any, ...]]


def produce_request(partition_count: int, batch_size: int) -> ProduceRequest:
    batch = bytes(batch_size)
    partitions = tuple(PartitionProduceData(index, batch) for index in range(partition_count))
    return ProduceRequest(None, 1, 30_000, (TopicProduceData("orders", partitions),))


def produce_response() -> ProduceResponse:
    partitions = tuple(PartitionProduceResponse(index, 0, 12_345) for index in range(6))
    return ProduceResponse((TopicProduceResponse("orders", partitions),))


def fetch_request() -> FetchRequest:
    partitions = tuple(FetchPartition(index, 3, 12_345, -1, 0, 2**20) for index in range(50))
    return FetchRequest(
        max_wait_ms=500, min_bytes=1, topics=(FetchTopic("orders", b"", partitions),)
    )


def fetch_response(partition_count: int, batch_size: int) -> FetchResponse:
    batch = bytes(batch_size)
    partitions = tuple(
        PartitionData(index, 0, 12_345, 12_345, 0, aborted_transactions=None, records=batch)
        for index in range(partition_count)
    )
    return FetchResponse(responses=(FetchableTopicResponse("orders", b"", partitions),))


def metadata_response() -> MetadataResponse:
    brokers = tuple(MetadataResponseBroker(id, f"broker-{id}", 9092, "a") for id in range(3))
    topics = tuple(
        MetadataResponseTopic(
            0,
            f"topic-{topic}",
            bytes(16),
            False,
            tuple(
                MetadataResponsePartition(0, index, 1, 5, (1, 2, 3), (1, 2, 3), ())
                for index in range(12)
            ),
        )
        for topic in range(100)
    )
    return MetadataResponse(0, brokers, "cluster", 1, topics)


def leader_and_isr_request() -> LeaderAndIsrRequest:
    topics = tuple(
        LeaderAndIsrTopicState(
            f"topic-{topic}",
            bytes(16),
            tuple(
                LeaderAndIsrPartitionState("", index, 4, 1, 5, (1, 2, 3), 6, (1, 2, 3))
                for index in range(10)
            ),
        )
        for topic in range(100)
    )
    return LeaderAndIsrRequest(1, False, 4, 77, topic_states=topics)


CASES = [
    Case("ProduceRequest, 1 of 100 B", 7, lambda: produce_request(1, 100)),
    Case("ProduceRequest, 6 of 64 KB", 9, lambda: produce_request(6, 65_536)),
    Case("ProduceRequest, 6 of 1 MB", 9, lambda: produce_request(6, 2**20)),
    Case("ProduceResponse, 6 partitions", 9, produce_response),
    Case("FetchRequest, 50 partitions", 12, fetch_request),
    Case("FetchResponse, 50 of 64 KB", 12, lambda: fetch_response(50, 65_536)),
    Case("FetchResponse, 6 of 1 MB", 12, lambda: fetch_response(6, 2**20)),
    Case("FetchResponse, 50 empty", 12, lambda: fetch_response(50, 0)),
    Case("MetadataResponse, 100 × 12", 12, metadata_response),
    Case("LeaderAndIsrRequest, 1,000", 4, leader_and_isr_request),
]


def others(schema: Schema, version: int, data: bytes) -> Iterator[tuple[str, Any, Any]]:
    """Decoding and encoding of the same bytes by kio and by kafka-python, where they support
    them.
    """
    is_request = schema.name.endswith("Request")
    load = kio.index.load_request_schema if is_request else kio.index.load_response_schema
    try:
        entity = load(int(schema.api_key or 0), version)
    except kio.index.KioIndexError:
        return
    read = kio.serial.entity_reader(entity)
    message, _ = read(data, 0)
    write = kio.serial.entity_writer(entity)
    yield "kio", lambda: read(data, 0), lambda: write(io.BytesIO(), message)
    theirs = next(
        getattr(module, schema.name)
        for module in (kafka.protocol.consumer, kafka.protocol.metadata, kafka.protocol.producer)
        if hasattr(module, schema.name)
    )
    message = theirs.decode(data, version=version)
    message._header = None
    yield (
        "kafka-python",
        functools.partial(theirs.decode, data, version=version),
        functools.partial(message.encode, version=version),
    )


def microseconds(work: Callable[[], object], seconds: float) -> float:
    timer = timeit.Timer(work)
    count = max(1, timer.autorange()[0] // 10)
    rounds = max(3, int(seconds / max(1e-6, timer.timeit(count))))
    return min(timer.repeat(rounds, count)) / count * 1e6


def figures_of(case: Case, seconds: float) -> list[float | None]:
    """One row: decoding by ours, kio and kafka-python, then encoding; None where one cannot."""
    message = case.build()
    schema = schema_of(type(message))
    data = b"".join(encode_message(schema, case.version, message))  # type: ignore[arg-type]
    view = memoryview(bytearray(data))
    writing = microseconds(lambda: encode_message(schema, case.version, message), seconds)
    found = {
        name: (microseconds(read, seconds), microseconds(write, seconds))
        for name, read, write in others(schema, case.version, data)
    }
    kio_read, kio_write = found.get("kio", (None, None))
    kafka_read, kafka_write = found.get("kafka-python", (None, None))
    return [
        microseconds(lambda: decode(schema, case.version, view, 0), seconds),
        kio_read,
        kafka_read,
        microseconds(case.build, seconds) + writing,
        writing,
        kio_write,
        kafka_write,
    ]


def main(seconds: float) -> None:
    row = "{:32}{:>8}{:>10}{:>8}{:>14}{:>12}{:>10}{:>8}{:>14}"
    reads, writes = ("read", "kio", "kafka-python"), ("with build", "write", "kio", "kafka-python")
    print(row.format("microseconds", "", *reads, *writes))
    for case in CASES:
        figures = figures_of(case, seconds)
        shown = ["–" if figure is None else f"{figure:.1f}" for figure in figures]
        print(row.format(case.title, f"v{case.version}", *shown))


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.3)
