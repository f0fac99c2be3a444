"""Does the flat path of produce differ from the plain way in anything at all?

Two brokers live through the same requests and troubles; one of them has the flat path.  Compared
is what their clients are sent and every attribute of their partitions, logs, disks and figures.
"""

import errno
import struct
from collections import deque
from collections.abc import Callable
from enum import Enum
from functools import cache, partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.api.dispatch import ELEMENTS_MAX, SERVED
from cluster.api.flat_paths import FlatPath, flat_paths
from cluster.api.flat_prefixes import PREFIXES_MAX, Turnover
from cluster.api.flat_produce import LAYOUTS, FlatProduce
from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.ports import ApiSettings
from cluster.formats.record_batch import HEADER_SIZE
from cluster.metrics.catalogue.network import REQUESTS
from cluster.model.ids import OFFSETS_TOPIC, TopicPartition
from cluster.runtime.network.connection import Connection
from cluster.runtime.network.memory_pool import MemoryPool
from cluster.runtime.network.request_metrics import RequestMetrics
from cluster.runtime.network.service import Service
from cluster.runtime.network.turns import Turns
from cluster.storage.errors import InvalidRecord
from cluster.storage.log_config import LogConfig
from cluster.storage.records.record_check import check_records, is_plain_lone_record, lone_beginning
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import encode_request
from cluster.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.cluster.api.fetching import fetch, part
from tests.cluster.api.world import ME, Answer, World
from tests.cluster.runtime.network.test_connection import FakeTransport
from tests.cluster.storage.batches import START_MS, batch, batch_around, sealed
from tests.cluster.storage.records.test_record_walk import full_record
from tests.support.metrics import new_registry

ORDERS: Final = TopicPartition("orders", 0)
DAY_MS: Final = 24 * 3600 * 1000


class Side:
    """A broker and a client's connection to it; *counts* is how often the flat path answered."""

    def __init__(self, *, is_flat: bool) -> None:
        self.world = World(ApiSettings(configs=BrokerConfigs({"log.index.size.max.bytes": "4096"})))
        self.counts = 0
        self.registry = new_registry()
        self.metrics = RequestMetrics(self.registry)
        self.paths = flat_paths(self.world.broker, self.metrics.count_errors) if is_flat else {}
        self.now_ns = 0
        self.reasons: list[str | None] = []
        self.failures: list[str] = []
        self.soon: list[Callable[[], None]] = []
        self.fetches: list[Answer] = []
        self.service = Service(
            handler=self.world.dispatch.handle,
            served=SERVED,
            refuse_version=lambda error: None,
            elements_max=ELEMENTS_MAX,
            memory=MemoryPool(10_000_000, 200_000),
            turns=Turns(self.soon.append, self.later),
            metrics=self.metrics,
            call_soon=self.soon.append,
            now_ns=self.later,
            flat_paths={kind: partial(self.counted, path) for kind, path in self.paths.items()},
        )
        self.transport = FakeTransport()
        self.connect()
        self.world.lead("orders", partitions=2)
        self.world.lead("a.topic.with-a-long-name" * 9)

    def later(self) -> int:
        self.now_ns += 7
        return self.now_ns

    def counted(self, path: FlatPath, frame: memoryview) -> bytes | None:
        before = bytes(frame)
        answer = path(frame)
        if answer is None:
            assert before == frame
        else:
            self.counts += 1
        return answer

    def connect(self) -> None:
        self.transport = FakeTransport()
        self.connection = Connection(
            self.service, self.transport, lambda _, reason: self.reasons.append(reason)
        )

    def send(self, data: bytes) -> bytes:
        """What comes back for *data*; whoever was sent away comes again."""
        if self.transport.is_closed:
            self.connect()
        self.transport.incoming += data
        try:
            while self.transport.incoming and self.transport.readable is not None:
                self.transport.readable()
                while self.soon:
                    self.soon.pop(0)()
        except AssertionError:
            raise
        except Exception as error:  # noqa: BLE001  What a loop would log is compared, too.
            self.failures.append(repr(error))
        sent = bytes(self.transport.sent)
        self.transport.sent.clear()
        return sent

    @property
    def log(self) -> Any:
        hosted = self.world.broker.partitions.find(ORDERS)
        return None if hosted is None else hosted.log

    def figures(self, key: ApiKey) -> Any:
        self.metrics.settle()
        kind = self.metrics.kind(key)
        of_all = kind.reservoir
        versions = range(max(LAYOUTS) + 1)
        by_version = [
            self.registry.meters(REQUESTS).of(kind.name, str(version)).count for version in versions
        ]
        return of_all.count, of_all.sums, of_all.minima, of_all.maxima, by_version

    def state(self) -> Any:
        world = self.world
        return described(
            {
                "partitions": list(world.broker.partitions),
                "disk": world.files,
                "figures": [self.figures(key) for key in (ApiKey.PRODUCE, ApiKey.FETCH)],
                "errors": sorted(self.metrics.kind(ApiKey.PRODUCE).errors().items()),
                "journal": world.journal.text,
                "flushes": len(world.disks.flushes),
                "ended": self.reasons,
                "failed": self.failures,
                "state": self.connection.state,
                "times": (self.now_ns, self.connection.active_ns, self.connection.has_request),
                "memory": self.service.memory.allocated_bytes,
                "fetched": [(answer.body, answer.closed) for answer in self.fetches],
            },
            {},
        )


Shape = Literal["plain", "function", "mapping", "set", "view", "sequence", "object"]


def described(value: Any, seen: dict[int, int]) -> Any:
    """*value* with all that hangs on it, as values that can be compared."""
    kind: Any = type(value)
    shape = shape_of(kind)
    if shape == "plain":
        return value
    if shape == "function":
        return value.__qualname__
    if id(value) in seen:
        return ("seen", seen[id(value)])
    seen[id(value)] = len(seen)
    if shape == "mapping":
        return [(described(key, seen), described(one, seen)) for key, one in value.items()]
    if shape == "set":
        return sorted(map(repr, value))
    if shape == "view":
        return bytes(value)
    if shape == "sequence":
        return [one if is_plain(one) else described(one, seen) for one in value]
    held: list[Any] = []
    for name in (*slots_of(kind), *getattr(value, "__dict__", ())):
        one = getattr(value, name, UNSET)
        if one is not UNSET:
            held += name, one if is_plain(one) else described(one, seen)
    return (kind.__name__, held)


def is_plain(value: Any) -> bool:
    kind: Any = type(value)
    return shape_of(kind) == "plain"


UNSET: Final = object()
"""What a slot holds before anything is assigned."""


# A state has a thousand values of a few dozen types, and every step compares two states.
@cache
def shape_of(kind: type) -> Shape:
    shapes: dict[Shape, tuple[type, ...]] = {
        "plain": (type(None), int, str, bytes, bytearray, float, Enum),
        "function": (FunctionType, MethodType, BuiltinFunctionType),
        "mapping": (dict,),
        "set": (set, frozenset),
        "view": (memoryview,),
        "sequence": (list, tuple, deque),
    }
    return next((shape for shape, kinds in shapes.items() if issubclass(kind, kinds)), "object")


@cache
def slots_of(kind: type) -> list[str]:
    names: list[str] = []
    for one in kind.__mro__:
        slots = vars(one).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return [name for name in names if name not in ("_chance", "__weakref__")]


class Pair:
    """The same life twice; both are the same after every step."""

    def __init__(self) -> None:
        self.plain = Side(is_flat=False)
        self.flat = Side(is_flat=True)

    def __call__(self, step: Callable[[Side], Any]) -> Any:
        expected, found = step(self.plain), step(self.flat)
        assert expected == found
        assert self.plain.state() == self.flat.state()
        return found


# Requests.


def frame(
    records: bytes | bytearray,
    *,
    version: int = 9,
    topic: str = "orders",
    index: int = 0,
    acks: int = 1,
    client_id: str | None = "client",
    correlation_id: int = 1,
    timeout_ms: int = 1000,
) -> bytes:
    data = [TopicProduceData(topic, [PartitionProduceData(index, bytes(records))])]
    return frame_of(
        ProduceRequest(None, acks, timeout_ms, data), version, client_id, correlation_id
    )


def frame_of(
    body: ProduceRequest, version: int, client_id: str | None = "client", correlation_id: int = 1
) -> bytes:
    buffers = encode_request(ApiKey.PRODUCE, version, correlation_id, client_id, body)
    return b"".join(buffers)  # type: ignore[arg-type]


def lone(key: bytes | None, value: bytes | None, headers: int = 0, time: int = 0) -> bytearray:
    return batch_around(full_record(0, time, key, value, headers), 1)


@st.composite
def lone_batches(draw: st.DrawFn) -> bytearray:
    """Of one record, which may lie where it tells of its fields."""
    sizes = st.one_of(st.integers(0, 140), st.integers(8050, 8200))
    key, value = (draw(st.none() | sizes.map(bytes)) for _ in range(2))
    content = lone(key, value, draw(st.sampled_from([0, 0, 0, 1])), draw(st.integers(-1, 1)))
    places = st.integers(61, min(len(content) - 1, 75)) | st.just(len(content) - 1)
    for at in draw(st.lists(places, max_size=3)):
        content[at] = draw(st.sampled_from([0, 1, 2, 3, 0x7F, 0x80, 0x81, 0xFF, content[at] ^ 2]))
    behind = draw(st.sampled_from([b"", b"", b"\0", b"\0\0"]))
    cut = draw(st.integers(0, 2))
    return batch_around(bytes(content[61 : len(content) - cut]) + behind, 1)


@st.composite
def batches(draw: st.DrawFn) -> bytes:
    """Mostly good ones."""
    if draw(st.integers(0, 7)) == 0:
        return bytes(draw(lone_batches()))
    sizes = draw(st.lists(st.sampled_from([0, 1, 20, 100, 300]), min_size=1, max_size=4))
    if draw(st.integers(0, 15)) == 0:
        sizes = [draw(st.sampled_from([16_000, 70_000, 2_100_000]))]
    base_ms = draw(
        st.sampled_from([START_MS] * 6 + [-1, 0, START_MS - DAY_MS, START_MS + 30 * DAY_MS])
    )
    producer_id = draw(st.sampled_from([-1, -1, -1, 5, 6]))
    content = batch(
        [b"v" * size for size in sizes],
        times=[base_ms + draw(st.integers(0, 3)) for _ in sizes],
        codec=draw(st.sampled_from(["none"] * 9 + ["gzip", "zstd", "lz4"])),
        attributes=draw(st.sampled_from([0] * 12 + [8, 16, 32, 48, 64, 128, 5, 7])),
        base_offset=draw(st.sampled_from([0] * 15 + [1, -1])),
        leader_epoch=draw(st.sampled_from([-1, 0, 9])),
        producer_id=producer_id,
        producer_epoch=draw(st.sampled_from([-1] if producer_id < 0 else [0, 0, 0, 1, -1])),
        sequence=draw(st.integers(-1, 6)) if producer_id >= 0 else -1,
    )
    if draw(st.integers(0, 7)) == 0:
        # A lie with a right checksum: anywhere in the header or in the records.
        at = draw(st.integers(8, min(len(content) - 1, 120)))
        content[at] = draw(st.sampled_from([0, 1, 2, 0x7F, 0x80, 0xFF]))
        if draw(st.booleans()):
            sealed(content)
    if draw(st.integers(0, 31)) == 0:
        content += batch(1)
    return bytes(content)


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    request = frame(
        draw(batches()),
        version=draw(st.sampled_from([9, 9, 9, *range(12)])),
        topic=draw(st.sampled_from(["orders"] * 8 + ["nowhere", "a.topic.with-a-long-name" * 9])),
        index=draw(st.sampled_from([0, 0, 0, 1, 2])),
        acks=draw(st.sampled_from([1, 1, -1, -1, 0, 2])),
        client_id=draw(st.sampled_from(["client", "client", "", None, "ö" * 30, "x" * 300])),
        correlation_id=draw(st.integers(-(2**31), 2**31 - 1)),
    )
    broken = draw(st.integers(0, 15))
    if broken == 0:
        at = draw(st.integers(4, min(len(request) - 1, 150)))
        mutated = bytearray(request)
        mutated[at] = draw(st.integers(0, 255))
        return bytes(mutated)
    if broken == 1:
        size = draw(st.integers(0, min(len(request) - 4, 200)))
        return struct.pack(">i", size) + request[4 : 4 + size]
    if broken == 2:
        more = draw(st.binary(min_size=1, max_size=3))
        return struct.pack(">i", len(request) - 4 + len(more)) + request[4:] + more
    return request


@st.composite
def several(draw: st.DrawFn) -> bytes:
    """A request of more than one partition, or of none."""
    topics = [
        TopicProduceData(
            topic,
            [
                PartitionProduceData(index, draw(batches()))
                for index in draw(st.lists(st.integers(0, 1), max_size=2))
            ],
        )
        for topic in draw(st.lists(st.sampled_from(["orders", "nowhere"]), max_size=2))
    ]
    body = ProduceRequest(draw(st.sampled_from([None, "t"])), 1, 1000, topics)
    return frame_of(body, draw(st.integers(5, 11)))


def sends(data: bytes, times: int = 1) -> Callable[[Side], Any]:
    return sends_each([data] * times)


def sends_each(requests: list[bytes]) -> Callable[[Side], Any]:
    """One step of several requests: what differs behind one of them stays so behind the others."""
    return lambda side: [side.send(each) for each in requests]


def with_flipped(content: bytes | bytearray, at: int, flip: int) -> bytearray:
    flipped = bytearray(content)
    flipped[at] ^= flip
    return flipped


# What else happens to a broker.

CONFIGS: Final = (
    LogConfig(),
    LogConfig(segment_size_max=1500),
    LogConfig(segment_ms=2, index_interval_size=100),
    LogConfig(index_interval_size=0, index_size_max=24),
    LogConfig(message_size_max=200),
    LogConfig(uses_log_append_time=True),
    LogConfig(timestamp_before_max_ms=1000, timestamp_after_max_ms=1000),
    LogConfig(timestamp_after_max_ms=2),
    LogConfig(flush_messages=3),
    LogConfig(preallocates=True, segment_size_max=3000),
)


def reconfigure(config: LogConfig) -> Callable[[Side], Any]:
    def step(side: Side) -> None:
        if side.log is not None:
            side.log.reconfigure(config)

    return step


def on_log(name: str, *arguments: Any) -> Callable[[Side], Any]:
    def step(side: Side) -> Any:
        try:
            return side.log is not None and described(getattr(side.log, name)(*arguments), {})
        except Exception as error:  # noqa: BLE001  It is the same for both.
            return repr(error)

    return step


def lead(epoch: int, isr: tuple[int, ...], leader: int = ME) -> Callable[[Side], Any]:
    def step(side: Side) -> Any:
        return side.world.order(
            "orders", leader=leader, leader_epoch=epoch, isr=isr, replicas=(1, 2), is_new=False
        )

    return step


def truncate(side: Side) -> None:
    """Truncate the log as a follower does; that of a leader never ends earlier."""
    hosted = side.world.broker.partitions.find(ORDERS)
    if hosted is None or hosted.replica.is_leader or hosted.log.is_offline:
        return
    hosted.log.truncate_to(3, START_MS)
    hosted.replica.keep_within(hosted.log.log_start_offset, hosted.log.log_end_offset)


def leave(side: Side) -> None:
    side.world.broker.partitions.remove(ORDERS)


def wait_for_records(min_bytes: int) -> Callable[[Side], Any]:
    def step(side: Side) -> None:
        log = side.log
        at = part(0 if log is None else log.log_end_offset)
        answer = fetch(side.world, at, min_bytes=min_bytes, max_wait_ms=500)
        side.fetches.append(answer)

    return step


def min_isr(count: int) -> Callable[[Side], Any]:
    def step(side: Side) -> None:
        for hosted in side.world.broker.partitions:
            hosted.replica.set_min_isr(count)

    return step


def take(count: int) -> Callable[[Side], Any]:
    """The client takes *count* more bytes of what it is sent, and nothing then."""

    def step(side: Side) -> None:
        side.transport.window = count
        if side.transport.writable is not None:
            side.transport.writable()

    return step


def disk_trouble(error: int | None, kind: str) -> Callable[[Side], Any]:
    def step(side: Side) -> None:
        def fault(found: str, path: str) -> OSError | None:
            return OSError(error, "trouble", path) if error and found == kind else None

        side.world.files.fault = fault

    return step


def advance(by_ms: int) -> Callable[[Side], Any]:
    return lambda side: side.world.clock.advance(by_ms)


def flushed(side: Side) -> None:
    if side.log is None or not side.log.is_offline:
        side.world.finish_flushes()


TROUBLES: Final = st.one_of(
    st.sampled_from(CONFIGS).map(reconfigure),
    st.sampled_from(
        [
            on_log("roll", START_MS),
            on_log("flush", START_MS),
            on_log("expire_producers", START_MS + 2 * DAY_MS),
            on_log("delete_records_before", 2, 3),
            on_log("delete_old_segments", START_MS + 30 * DAY_MS, START_MS + 30 * DAY_MS, 4),
            truncate,
            lead(1, (1,)),
            lead(2, (1, 2)),
            lead(3, (2, 1), leader=2),
            lead(4, (1,)),
            lead(5, (1, 2)),
            leave,
            min_isr(1),
            min_isr(2),
            disk_trouble(None, ""),
            disk_trouble(errno.EIO, "write"),
            advance(1),
            advance(600),
            take(0),
            take(20),
            take(10**9),
            take(10**9),
            flushed,
            wait_for_records(1),
            wait_for_records(400),
        ]
    ),
)
STEPS: Final = st.lists(
    st.one_of(
        st.lists(requests(), min_size=1, max_size=3).map(lambda frames: sends(b"".join(frames))),
        requests().map(sends),
        requests().map(lambda one: sends(one, 3)),
        several().map(sends),
        TROUBLES,
    ),
    max_size=25,
)


@pytest.mark.slow
@given(STEPS)
def test_whatever_happens_both_ways_are_the_same(steps: list[Callable[[Side], Any]]) -> None:
    pair = Pair()
    for step in steps:
        pair(step)


@pytest.mark.slow
@given(st.lists(st.one_of(batches(), batches(), TROUBLES), max_size=40), st.integers(5, 11))
def test_a_log_grows_in_both_ways_alike(
    steps: list[bytes | Callable[[Side], Any]], version: int
) -> None:
    """One client, one partition, both kinds of acks: what the flat path is for."""
    pair = Pair()
    for number, step in enumerate(steps):
        if callable(step):
            pair(step)
            continue
        request = frame(step, version=version, acks=1 if number % 3 else -1, correlation_id=number)
        pair(sends(request))


@pytest.mark.slow
def test_every_byte_of_a_request_may_be_wrong() -> None:
    pair = Pair()
    for version in (8, 9):
        good = frame(batch(1), version=version)
        pair(sends(good, 2))
        for at in range(4, len(good)):
            pair(sends_each([bytes(with_flipped(good, at, flip)) for flip in (0x01, 0x80, 0xFF)]))


@pytest.mark.slow
@pytest.mark.parametrize("producer", [(-1, -1, -1), (5, 0, 0)])
def test_every_byte_of_a_batch_may_lie(producer: tuple[int, int, int]) -> None:
    """With a right checksum."""
    pair = Pair()
    producer_id, epoch, sequence = producer
    good = batch(2, producer_id=producer_id, producer_epoch=epoch, sequence=sequence)
    pair(sends(frame(good)))
    for at in range(len(good)):
        lies = [sealed(with_flipped(good, at, flip)) for flip in (0x01, 0x02, 0x80)]
        pair(sends_each([frame(lie) for lie in lies]))


def claiming(count: int) -> bytearray:
    """A batch of one record that claims to have *count* of them."""
    content = batch([b"v" * 60])
    struct.pack_into(">i", content, 23, count - 1)
    struct.pack_into(">i", content, 57, count)
    return sealed(content)


NEIGHBOURS: Final = (
    *(batch([b"v" * size]) for size in (0, 20, 130, 131, 132, 133, 134, 135, 400, 1400)),
    *(claiming(count) for count in (1, 2, 8, 9, 10, 11, 12, 13, 100, 2**31 - 1)),
    *(batch(2, times=[START_MS + by] * 2) for by in (1, 2, 3, 4, 1000, 1001, DAY_MS * 40)),
    *(batch(1, times=[at]) for at in (-1, 0, START_MS - 1000, START_MS - 1001)),
)
"""Batches on both sides of a bound."""


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("waits_ms", [0, 600])
def test_each_bound_is_heeded(config: LogConfig, waits_ms: int) -> None:
    pair = Pair()
    pair(reconfigure(config))
    for content in NEIGHBOURS:
        requests = [
            frame(records)
            for records in (batch(1), content, batch(1, times=[START_MS + waits_ms]), content)
        ]

        def send(side: Side, requests: list[bytes] = requests) -> list[bytes]:
            # What differs in between would stay so: nothing that a request leaves is taken back.
            answers = []
            for request in requests:
                answers.append(side.send(request))
                advance(waits_ms)(side)
            return answers

        pair(send)


def test_an_offset_that_a_segment_cannot_hold_begins_another(pair: "Pair") -> None:
    def stretch(side: Side) -> None:
        side.log.log_end_offset = side.log.producers.end_offset = 2**31 - 3

    pair(stretch)
    for _ in range(5):
        pair(sends(frame(batch(1))))

    assert len(pair.flat.log.segments) == 2


@pytest.mark.slow
@pytest.mark.parametrize("acks", [1, -1])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("isr", [(1,), (1, 2), (2, 1)])
def test_followers_and_their_number_are_heeded(
    pair: "Pair", acks: int, count: int, isr: tuple[int, ...]
) -> None:
    pair(lead(1, isr))
    pair(min_isr(count))
    for _ in range(3):
        pair(sends(frame(batch(1), acks=acks)))


def test_who_fetches_is_woken_by_as_many_bytes_as_came(pair: "Pair") -> None:
    pair(wait_for_records(250))
    for _ in range(4):
        pair(sends(frame(batch(1))))

    assert not pair.flat.fetches[0].is_waiting


@pytest.mark.slow
@pytest.mark.parametrize("window", [0, 1, 50, 60, 100])
@pytest.mark.parametrize("count", [1, 3])
def test_a_client_that_takes_its_answers_slowly_gets_all_of_them(
    pair: "Pair", window: int, count: int
) -> None:
    pair(take(window))
    taken = [pair(sends(frame(batch(1)) * count))]
    for _ in range(10):
        pair(take(20))
        taken.append(pair(sends(b"")))
    pair(take(10**9))
    taken.append(pair(sends(frame(batch(1)))))

    assert pair.flat.counts == count + 1
    assert len(b"".join(map(b"".join, taken))) == (count + 1) * len(taken[-1][0])


def test_who_pipelines_is_answered_as_who_waits(pair: "Pair") -> None:
    good, end = frame(batch(1)), frame(batch(1), topic="nowhere")
    for data in (good * 3, good + end, end + good, good + good[:20], good[20:], good[:3], good[3:]):
        pair(sends(data))

    assert pair.flat.counts == 8


# The usual goes the flat way.


@pytest.fixture
def pair() -> Pair:
    pair = Pair()
    pair(sends(frame(batch(1))))
    pair.flat.counts = 0
    return pair


@pytest.mark.slow
@pytest.mark.parametrize("version", sorted(LAYOUTS))
@pytest.mark.parametrize("acks", [1, -1])
@pytest.mark.parametrize("size", [0, 20, 100, 16_000, 1_000_000])
def test_one_batch_goes_the_flat_way(pair: Pair, version: int, acks: int, size: int) -> None:
    request = frame(batch([b"v" * size]), version=version, acks=acks)

    for _ in range(3):
        pair(sends(request))

    assert pair.flat.counts == 3


def test_the_first_batch_of_a_partition_goes_the_flat_way() -> None:
    pair = Pair()
    for index in (0, 1):
        pair(sends(frame(batch(1), index=index)))

    assert pair.flat.counts == 2


def test_the_first_batch_of_a_later_segment_goes_the_flat_way(pair: Pair) -> None:
    pair(on_log("roll", START_MS))
    for _ in range(2):
        pair(sends(frame(batch(1))))

    assert pair.flat.counts == 2
    assert len(pair.flat.log.segments) == 2


def test_clients_of_other_names_and_versions_take_turns_on_the_flat_way(pair: Pair) -> None:
    for number in range(12):
        client_id = ("client", "", "another", "client")[number % 4]
        pair(sends(frame(batch(1), client_id=client_id, version=8 + number % 3, index=number % 2)))

    assert pair.flat.counts == 12


@pytest.mark.slow
@pytest.mark.parametrize("key", [None, b"", b"k", b"k" * 63, b"k" * 64])
def test_a_lone_record_goes_the_flat_way_whatever_its_size(pair: Pair, key: bytes | None) -> None:
    values = [None, *(b"v" * size for size in (0, *range(40, 75), 8000, *range(8050, 8200)))]
    for value in values:
        pair.flat.send(frame(lone(key, value)))

    assert pair.flat.counts == len(values)


@pytest.mark.slow
@pytest.mark.parametrize("key", [None, b"key"])
@pytest.mark.parametrize("size", [1, 20, 50, 57, 58, 60, 64, 100, 5000])
def test_every_byte_around_a_lone_value_is_looked_at(key: bytes | None, size: int) -> None:
    good = lone(key, bytes(size))
    found = set()
    for at in (*range(HEADER_SIZE, min(len(good), HEADER_SIZE + 12)), len(good) - 1):
        for byte in range(256):
            content = bytearray(good)
            content[at] = byte
            if is_plain_lone_record(memoryview(content), len(content)):
                assert is_sound(content)
                found.add((at, byte))

    assert (len(good) - 1, 0) in found
    assert (len(good) - 1, 2) not in found


def is_sound(content: bytearray) -> bool:
    try:
        return check_records(bytes(content[HEADER_SIZE:]), 1, 0)
    except InvalidRecord:
        return False


def test_the_beginning_of_a_lone_record_is_known_by_its_size() -> None:
    for size in (*range(1, 57), *range(58, 200), 5000, 8000):
        content = full_record(0, 0, None, b"\xff" * size, 0)
        mask, beginning = lone_beginning(len(content))

        assert int.from_bytes(content[:8]) & mask == beginning, size


@given(lone_batches())
def test_a_record_that_is_taken_for_a_plain_one_is_sound(content: bytearray) -> None:
    """The other way round it need not be: what is not plain is looked at again."""
    if is_plain_lone_record(memoryview(content), len(content)):
        assert is_sound(content)


def test_an_idempotent_producer_and_its_retries_go_the_flat_way(pair: Pair) -> None:
    for sequence in (0, 2, 4, 4, 6):
        request = frame(batch(2, producer_id=5, producer_epoch=0, sequence=sequence))
        pair(sends(request))

    assert pair.flat.counts == 5


def test_entries_of_the_indexes_are_made(pair: Pair) -> None:
    for _ in range(20):
        pair(sends(frame(batch([b"v" * 1000]))))

    assert pair.flat.counts == 20
    assert pair.flat.log.active.offset_index.count > 2


def test_acks_all_wait_for_a_flush_that_an_earlier_config_wants(pair: Pair) -> None:
    pair(reconfigure(LogConfig(flush_messages=1)))
    pair(sends(frame(batch(1), acks=0)))
    pair(reconfigure(LogConfig()))

    assert pair(sends(frame(batch(1), acks=-1))) == [b""]


def test_a_disk_that_fails_is_told_of_in_the_same_words(pair: Pair) -> None:
    pair(disk_trouble(errno.ENOSPC, "write"))
    for _ in range(2):
        assert pair(sends(frame(batch(1)))) != [b""]

    assert pair.flat.counts == 1


def test_a_mistake_of_a_watcher_ends_the_connection(pair: Pair) -> None:
    def watch(side: Side) -> None:
        def stumble(size: int) -> None:
            raise ZeroDivisionError

        hosted = side.world.broker.partitions.find(ORDERS)
        assert hosted is not None
        hosted.replica.watch(stumble)

    pair(watch)
    pair(sends(frame(batch(1))))

    assert pair.flat.failures == ["ZeroDivisionError()"]
    assert pair.flat.reasons == ["its request made the broker fail"]


def test_who_is_told_to_go_while_it_is_answered_gets_no_answer(pair: Pair) -> None:
    def watch(side: Side) -> None:
        hosted = side.world.broker.partitions.find(ORDERS)
        assert hosted is not None
        hosted.replica.watch(lambda size: side.connection.close("enough"))

    pair(watch)

    assert pair(sends(frame(batch(1)))) == [b""]
    assert pair.flat.counts == 1


def test_with_an_authorizer_there_is_no_flat_path() -> None:
    assert flat_paths(World(authorizer=Everything()).broker, lambda *_: None) == {}


class Everything:
    def allows(self, principal: str, permission: Any) -> bool:
        return True


@pytest.mark.slow
@pytest.mark.parametrize("topic", ["orders", OFFSETS_TOPIC])
def test_what_clients_may_not_write_goes_the_plain_way(topic: str) -> None:
    world = World()
    world.lead(topic)
    flat = FlatProduce(world.broker.appender, lambda _: None, Turnover(), 9)

    answer = flat.answer(memoryview(bytearray(frame(batch(1), topic=topic)[4:])))

    assert (topic == OFFSETS_TOPIC) == (answer is None)


@pytest.mark.slow
def test_what_is_remembered_is_bounded(pair: Pair) -> None:
    broker = pair.flat.world.broker
    turnover = Turnover()
    versions = [FlatProduce(broker.appender, lambda _: None, turnover, one) for one in (9, 10)]
    sent = memoryview(bytearray(frame(batch(1), index=0)))[4:]
    for number in range(PREFIXES_MAX + 1000):
        # The timeout stands in the prefix.
        struct.pack_into(">i", sent, 8 + 2 + len("client") + 4, number)
        versions[number % 2].answer(sent)

    assert sum(len(prefixes._targets) for prefixes in versions) == PREFIXES_MAX


def test_the_versions_are_served() -> None:
    assert set(LAYOUTS) <= set(SERVED[ApiKey.PRODUCE])
