"""Do our brokers answer the oldest requests as Kafka 3.9.1 does, field by field?"""

import gzip
import time
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, Final

import pytest

from cluster.formats.record_batch import whole_batches
from cluster.formats.records import records_of
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from cluster.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from cluster.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from cluster.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from kadmin.local.zookeeper import ZooKeeperServer
from tests.clients.confluent import Confluent
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.storage.batches import batch
from tests.interop.brokers import RealCluster
from tests.support.brokers import running_broker
from tests.support.serving import RawClient
from tests.support.waiting import wait_until
from tests.support.zookeeper import make_chroot

pytestmark = pytest.mark.interop

NUMBERS = count(1)
NOW: Final = time.time_ns() // 1_000_000
READING_VERSION: Final = 4
GZIP, ZSTD, LOG_APPEND_TIME = 1, 4, 8


class Side:
    """Brokers of one kind, asked without a library; leaders stay where they are."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self._leaders: dict[TopicPartition, int] = {}
        self._clients: dict[int, RawClient] = {}

    def create(self, topic: str, partition_count: int, configs: dict[str, str]) -> None:
        Confluent(self.bootstrap).create_topic(topic, partition_count, configs)
        first = int(self.bootstrap.split(",")[0].rpartition(":")[2])
        body = MetadataRequest([MetadataRequestTopic(name=topic)])

        def are_known() -> bool:
            found = self.client(first).ask(ApiKey.METADATA, 1, body, MetadataResponse)
            ports = {broker.node_id: broker.port for broker in found.brokers}
            for one in found.topics[0].partitions:
                if one.leader_id in ports:
                    self._leaders[TopicPartition(topic, one.partition_index)] = ports[one.leader_id]
            return all(
                TopicPartition(topic, index) in self._leaders for index in range(partition_count)
            )

        wait_until(are_known, what=f"leaders of {topic}")
        places = [TopicPartition(topic, index) for index in range(partition_count)]
        # Metadata of one broker may be newer than the role of another.
        wait_until(
            lambda: all(self.read(place, 0, 3)[0] == "NONE" for place in places),
            what=f"leaders of {topic} that know that they lead",
        )

    def client(self, port: int) -> RawClient:
        if port not in self._clients:
            self._clients[port] = RawClient(port)
        return self._clients[port]

    def ask(
        self, place: TopicPartition, key: ApiKey, version: int, body: Any, answer: type[Any]
    ) -> Any:
        return self.client(self._leaders[place]).ask(key, version, body, answer)

    def close(self) -> None:
        for client in self._clients.values():
            client.close()

    def produce(self, place: TopicPartition, content: bytes, version: int) -> tuple[Any, ...]:
        data = [TopicProduceData(place.topic, [PartitionProduceData(place.partition, content)])]
        body = ProduceRequest(None, 1, 10_000, data)
        answer = self.ask(place, ApiKey.PRODUCE, version, body, ProduceResponse)
        part = answer.responses[0].partition_responses[0]
        # The time is each broker's own.
        return ErrorCode(part.error_code).name, part.base_offset, part.log_append_time_ms >= 0

    def read(
        self, place: TopicPartition, offset: int, version: int, size_max: int = 1 << 20
    ) -> Any:
        """What is answered but for what stands behind the last whole message, which Kafka fills up
        to the size that it has announced."""
        part = FetchPartition(
            partition=place.partition, fetch_offset=offset, partition_max_bytes=size_max
        )
        topics = [FetchTopic(topic=place.topic, partitions=[part])]
        body = FetchRequest(max_wait_ms=0, topics=topics)
        answer = self.ask(place, ApiKey.FETCH, version, body, FetchResponse)
        data = answer.responses[0].partitions[0]
        content = bytes(data.records or b"")
        records = [
            (header.magic, header.attributes, *record)
            for position, header in whole_batches(content)
            for record in records_of(content[position : position + header.size], header)
        ]
        return ErrorCode(data.error_code).name, data.high_watermark, records


@pytest.fixture(scope="module")
def sides(
    zookeeper: ZooKeeperServer,
    cluster_3_9: RealCluster,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Side, Side]]:
    """Kafka's, and ours."""
    with running_broker(tmp_path_factory.mktemp("ours"), make_chroot(zookeeper)) as broker:
        both = Side(cluster_3_9.bootstrap), Side(broker.bootstrap)
        yield both
        for side in both:
            side.close()


def made(sides: tuple[Side, Side], partition_count: int = 1, **configs: str) -> TopicPartition:
    """The first partition of a new topic."""
    place = TopicPartition(f"old-requests-{next(NUMBERS)}", 0)
    said = {name.replace("_", "."): value for name, value in configs.items()}
    for side in sides:
        side.create(place.topic, partition_count, said)
    return place


def flipped(content: bytes) -> bytes:
    return content[:-1] + bytes((content[-1] ^ 1,))


def now(value: bytes | None, **said: Any) -> bytes:
    return message(value, **{"timestamp": NOW, **said})


def around(*inner: bytes, attributes: int = GZIP) -> bytes:
    return now(gzip.compress(b"".join(inner)), attributes=attributes)


def newer(*values: bytes, codec: str = "none") -> bytes:
    times = [NOW + number for number in range(len(values))]
    return bytes(batch(values, times=times, codec=codec))


SENT: Final[dict[str, bytes]] = {
    "plain": now(b"a") + now(None, key=b"d") + now(b"", key=b""),
    "plain of magic 0": now(b"a", magic=0) + now(b"b", magic=0, key=b"d"),
    "gzip": around(now(b"a"), now(b"b")),
    "gzip of magic 0": wrapper([b"a", b"b"], magic=0),
    "snappy of magic 0": wrapper([b"a", b"b"], magic=0, codec="xerial"),
    "bare snappy of magic 0": wrapper([b"a", b"b"], magic=0, codec="snappy"),
    "lz4 of magic 0": wrapper([b"a", b"b"], magic=0, codec="lz4", has_old_checksum=True),
    "lz4 with the right checksum": wrapper([b"a", b"b"], magic=0, codec="lz4"),
    "cut off at the end": now(b"a") + now(b"b")[:-1],
    "garbage": b"\xff" * 40,
    "zeros": bytes(40),
    "damaged": flipped(now(b"a")),
    "damaged behind": now(b"a") + flipped(now(b"b")),
    "damaged within": around(flipped(now(b"a"))),
    "two formats": now(b"a") + now(b"b", magic=0),
    "a batch behind": now(b"a") + newer(b"b"),
    "a batch": newer(b"a", b"b"),
    "two batches": newer(b"a") + newer(b"b"),
    "two wrappers": around(now(b"a")) * 2,
    "a wrapper behind": now(b"a") + around(now(b"b")),
    "nothing wrapped": around(),
    "wrapped twice": around(around(now(b"a"))),
    "a wrapper without a value": now(None, attributes=GZIP),
    "zstd": now(b"a", attributes=ZSTD),
    "no time": now(b"a", timestamp=-1),
    "too new": now(b"a", timestamp=NOW + 10**8),
    "the brokers' right to a time": now(b"a", attributes=LOG_APPEND_TIME),
    "that right without a time": now(b"a", timestamp=-1, attributes=LOG_APPEND_TIME),
    "that right around": around(now(b"a"), attributes=GZIP | LOG_APPEND_TIME),
    "too large": now(bytes(1_100_000)),
}


@pytest.fixture(scope="module")
def places(sides: tuple[Side, Side]) -> Mapping[str, TopicPartition]:
    """A partition for each of what is sent."""
    first = made(sides, len(SENT), message_timestamp_after_max_ms="3600000")
    return {what: first._replace(partition=index) for index, what in enumerate(SENT)}


@pytest.mark.parametrize("what", SENT)
def test_what_producers_of_old_versions_send_becomes_the_same(
    sides: tuple[Side, Side], places: Mapping[str, TopicPartition], what: str
) -> None:
    place = places[what]

    for version in (0, 1, 2):
        kafka, ours = (side.produce(place, SENT[what], version) for side in sides)
        assert kafka == ours

    kafka, ours = (side.read(place, 0, READING_VERSION) for side in sides)
    assert kafka == ours


def test_the_brokers_time_takes_the_place_of_theirs(sides: tuple[Side, Side]) -> None:
    place = made(sides, message_timestamp_type="LogAppendTime")

    for what in ("plain", "plain of magic 0", "gzip", "that right around"):
        kafka, ours = (side.produce(place, SENT[what], 2) for side in sides)
        assert kafka == ours, what


DIFFERENT: Final[dict[str, tuple[bytes, str, str]]] = {
    # Kafka acknowledges what it drops.
    "nothing": (b"", "NONE", "CORRUPT_MESSAGE"),
    "cut off": (now(b"a")[:-1], "NONE", "CORRUPT_MESSAGE"),
    "cut off within": (around(now(b"a"), now(b"b")[:-1]), "NONE", "INVALID_RECORD"),
    # It has no word for what it does not expect.
    "no gzip": (now(b"a", attributes=GZIP), "UNKNOWN_SERVER_ERROR", "INVALID_RECORD"),
    "an unknown codec": (now(b"a", attributes=5), "UNKNOWN_SERVER_ERROR", "INVALID_RECORD"),
    "before 1970": (now(b"a", timestamp=-2), "UNKNOWN_SERVER_ERROR", "INVALID_TIMESTAMP"),
    # No client sends it, and it does no harm.
    "two formats within": (around(now(b"a", magic=0)), "INVALID_RECORD", "NONE"),
    "a batch of zstd": (newer(b"a", codec="zstd"), "NONE", "UNSUPPORTED_COMPRESSION_TYPE"),
}


def test_what_is_answered_otherwise_on_purpose(sides: tuple[Side, Side]) -> None:
    place = made(sides)

    answers = {
        what: tuple(side.produce(place, content, 2)[0] for side in sides)
        for what, (content, *_) in DIFFERENT.items()
    }

    assert answers == {what: tuple(errors) for what, (_, *errors) in DIFFERENT.items()}


@pytest.mark.parametrize("codec", ["none", "gzip", "xerial", "lz4"])
def test_consumers_of_old_versions_get_the_same_messages(
    sides: tuple[Side, Side], codec: str
) -> None:
    place = made(sides)
    contents = [newer(b"a" * 50, b"b" * 50, codec=codec), newer(b"x" * 70_000, codec=codec)]
    contents += [newer(*[b"v"] * 20, codec=codec) for _ in range(3)]
    for content in contents:
        assert [("NONE", True)] * 2 == [
            (error, offset >= 0)
            for error, offset, _ in (s.produce(place, content, 7) for s in sides)
        ]

    for version in (0, 1, 2, 3):
        for offset in (0, 1, 2, 4, 62, 63, 64):
            kafka, ours = (side.read(place, offset, version) for side in sides)
            assert kafka == ours, (version, offset)
        # A batch that is too large for the fetch before version 3 is none for Kafka, for ever.
        assert [[]] == [sides[0].read(place, 0, version, 50)[2]] or version == 3
        assert sides[0].read(place, 0, 3, 50)[2] == sides[1].read(place, 0, 3, 50)[2]
        assert sides[1].read(place, 0, version, 50)[2]


def test_zstd_and_what_a_topic_forbids_are_refused_in_the_same_words(
    sides: tuple[Side, Side],
) -> None:
    zstd, forbidden = made(sides), made(sides, message_downconversion_enable="false")
    for side in sides:
        for content in (newer(b"a"), newer(b"z", codec="zstd"), newer(b"b")):
            side.produce(zstd, content, 7)
            side.produce(forbidden, content, 7)

    for place in (zstd, forbidden):
        for version in (0, 2, 3, 4):
            for offset in (0, 1, 2, 3):
                kafka, ours = (side.read(place, offset, version) for side in sides)
                assert kafka == ours, (place, version, offset)


def test_the_oldest_offsets_are_the_same(sides: tuple[Side, Side]) -> None:
    place = made(sides, segment_bytes="1000")
    for side in sides:
        for _ in range(5):
            side.produce(place, newer(bytes(400)), 7)

    def listed(side: Side, timestamp: int, number: int) -> Any:
        part = ListOffsetsPartition(0, -1, timestamp, number)
        body = ListOffsetsRequest(-1, 0, [ListOffsetsTopic(place.topic, [part])])
        answer = side.ask(place, ApiKey.LIST_OFFSETS, 0, body, ListOffsetsResponse)
        one = answer.topics[0].partitions[0]
        return one.error_code, list(one.old_style_offsets)

    for timestamp in (-1, -2, NOW - 10**7, 2 * NOW):
        for number in (0, 1, 3, 100):
            kafka, ours = (listed(side, timestamp, number) for side in sides)
            assert kafka == ours, (timestamp, number)


def test_offsets_in_zookeeper_are_kept_and_told_in_the_same_words(
    sides: tuple[Side, Side],
) -> None:
    place = made(sides)
    group = f"old-group-{next(NUMBERS)}"

    def committed(side: Side) -> Any:
        parts = [
            OffsetCommitRequestPartition(0, 42, -1, -1, "note"),
            OffsetCommitRequestPartition(7, 42, -1, -1, ""),
        ]
        topics = [
            OffsetCommitRequestTopic(place.topic, parts),
            OffsetCommitRequestTopic("none", parts),
        ]
        body = OffsetCommitRequest(group, topics=topics)
        answer = side.ask(place, ApiKey.OFFSET_COMMIT, 0, body, OffsetCommitResponse)
        return in_order(answer.topics)

    def fetched(side: Side) -> Any:
        topics = [OffsetFetchRequestTopic(name, [0, 7]) for name in (place.topic, "none")]
        body = OffsetFetchRequest(group, topics)
        answer = side.ask(place, ApiKey.OFFSET_FETCH, 0, body, OffsetFetchResponse)
        return in_order(answer.topics)

    for act in (fetched, committed, fetched, committed, fetched):
        kafka, ours = map(act, sides)
        assert kafka == ours, act


def in_order(topics: Any) -> Any:
    """Kafka answers in an order of its own."""
    return sorted((one.name, sorted(one.partitions)) for one in topics)
