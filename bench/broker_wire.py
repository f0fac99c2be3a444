"""A client with hardly any cost: it sends the same bytes again and decodes no records.

So the broker is measured.  Batches are valid to their last record, since Kafka reads each.
"""

import selectors
import socket
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Final

from cluster.formats.record_batch import whole_batches
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_response, encode_request
from cluster.wire.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from cluster.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from cluster.wire.messages.topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from tests.cluster.storage.batches import batch

TIMEOUT_S: Final = 660.0
ACTS_MS: Final = 600_000
"""How long a broker may take for a request: Kafka needs more than two minutes to create 10,000
partitions with three replicas."""
LOOK_SHARE: Final = 0.2
"""The share of the time for polling a broker's progress, which slows the broker down."""

PRODUCE_VERSION: Final = 9
FETCH_VERSION: Final = 12
SIZE: Final = struct.Struct(">i")
LATEST: Final = -1


class Wire:
    """One connection to a broker."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray(2 << 20)

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def receive(self) -> memoryview:
        """The next answer, valid until the one after."""
        self.receive_into(4)
        (size,) = SIZE.unpack_from(self.buffer)
        if size > len(self.buffer):
            self.buffer = bytearray(size)
        self.receive_into(size)
        return memoryview(self.buffer)[:size]

    def receive_into(self, size: int) -> None:
        with memoryview(self.buffer) as view:
            got = 0
            while got < size:
                count = self.socket.recv_into(view[got:size])
                if count == 0:
                    raise ConnectionError("the broker has ended the connection")
                got += count

    def ask(self, api_key: ApiKey, version: int, body: tuple[Any, ...], answer: type[Any]) -> Any:
        self.socket.sendall(request(api_key, version, body))
        return decode_response(answer, version, self.receive()).body


def request(api_key: ApiKey, version: int, body: tuple[Any, ...]) -> bytes:
    buffers = encode_request(api_key, version, 1, "bench", body)
    return b"".join(buffers)  # type: ignore[arg-type]  # No range of a file is sent from here.


# Topics.


def create_topic(wire: Wire, name: str, partitions: int, replicas: int = 1) -> None:
    """Create a topic, and return when all its partitions have a leader."""
    body = CreateTopicsRequest([CreatableTopic(name, partitions, replicas)], ACTS_MS)
    answer = wire.ask(ApiKey.CREATE_TOPICS, 5, body, CreateTopicsResponse)
    if answer.topics[0].error_code != 0:
        raise SystemExit(f"topic {name} cannot be made: {answer.topics[0]}")
    wait_until_known(wire, name, partitions)


def wait_until_known(wire: Wire, name: str, partitions: int) -> None:
    """Wait until this broker has leaders of all partitions: each receives them separately."""
    question = MetadataRequest([MetadataRequestTopic(name=name)], False)
    while True:
        started = time.perf_counter()
        (topic,) = wire.ask(ApiKey.METADATA, 9, question, MetadataResponse).topics
        looked_s = time.perf_counter() - started
        if len(topic.partitions) == partitions and not any(p.error_code for p in topic.partitions):
            return
        time.sleep(max(0.01, looked_s / LOOK_SHARE))


def delete_topic(wire: Wire, name: str) -> None:
    body = DeleteTopicsRequest(topic_names=[name], timeout_ms=ACTS_MS)
    answer = wire.ask(ApiKey.DELETE_TOPICS, 5, body, DeleteTopicsResponse)
    if answer.responses[0].error_code != 0:
        raise SystemExit(f"topic {name} cannot be deleted: {answer.responses[0]}")


def end_offset(wire: Wire, topic: str, partition: int = 0) -> int:
    wanted = ListOffsetsTopic(topic, [ListOffsetsPartition(partition, timestamp=LATEST)])
    body = ListOffsetsRequest(replica_id=-1, topics=[wanted])
    answer = wire.ask(ApiKey.LIST_OFFSETS, 5, body, ListOffsetsResponse)
    return int(answer.topics[0].partitions[0].offset)


# Bulk.


def produce_request(
    topic: str, partition: int, records: int, record_size: int, acks: int = 1
) -> bytes:
    """A request with one batch of *records* records of *record_size* bytes each."""
    now_ms = time.time_ns() // 1_000_000
    content = batch([b"v" * record_size] * records, times=[now_ms] * records)
    data = [PartitionProduceData(partition, content)]
    body = ProduceRequest(None, acks, ACTS_MS, [TopicProduceData(topic, data)])
    return request(ApiKey.PRODUCE, PRODUCE_VERSION, body)


def produce(wire: Wire, frame: bytes, times: int, window: int = 5) -> None:
    """Send *frame* that many times, with up to *window* requests in flight."""
    for number in range(times):
        if number >= window:
            check_produced(wire.receive())
        wire.socket.sendall(frame)
    for _ in range(min(window, times)):
        check_produced(wire.receive())


def check_produced(frame: memoryview) -> None:
    answer = decode_response(ProduceResponse, PRODUCE_VERSION, frame).body
    code = answer.responses[0].partition_responses[0].error_code
    if code != 0:
        raise SystemExit(f"a batch was refused with error {code}")


def fetch(wire: Wire, topic: str, end: int, size_max: int = 1 << 20) -> int:
    """Read partition 0 from its beginning up to offset *end*, and return the number of bytes."""
    offset = size = 0
    while offset < end:
        part = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=size_max)
        body = FetchRequest(max_wait_ms=500, min_bytes=1, topics=[FetchTopic(topic, b"", [part])])
        answer = wire.ask(ApiKey.FETCH, FETCH_VERSION, body, FetchResponse)
        found = answer.responses[0].partitions[0]
        if found.error_code != 0:
            raise SystemExit(f"a fetch was refused with error {found.error_code}")
        size += len(found.records)
        for _, header in whole_batches(found.records):
            offset = header.next_offset
    return size


# One record at a time.


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """Times from request to answer: the median, and the 99th percentile."""

    count: int
    wall_s: float
    p50_us: float
    p99_us: float


def round_trips(
    port: int,
    frames: Sequence[bytes],
    connections: int,
    count: int,
    check: Callable[[memoryview], None] = check_produced,
) -> RoundTrips:
    """Send *frames* in turn over *connections*, on each the next one when the last is answered.

    The first answer is looked at by *check*.
    """
    turn = cycle(frames)
    took: list[float] = []
    selector = selectors.EpollSelector()
    wires = [Wire(port) for _ in range(connections)]
    sent_s: dict[Wire, float] = {}
    started = time.perf_counter()
    for wire in wires:
        selector.register(wire.socket, selectors.EVENT_READ, wire)
        sent_s[wire] = time.perf_counter()
        wire.socket.sendall(next(turn))
    while len(took) < count:
        for key, _ in selector.select():
            wire = key.data
            answer = wire.receive()
            now_s = time.perf_counter()
            took.append(now_s - sent_s[wire])
            if len(took) == 1:
                check(answer)
            sent_s[wire] = now_s
            wire.socket.sendall(next(turn))
    wall_s = time.perf_counter() - started
    selector.close()
    for wire in wires:
        wire.socket.close()
    took.sort()
    return RoundTrips(
        len(took), wall_s, took[len(took) // 2] * 1e6, took[len(took) * 99 // 100] * 1e6
    )
