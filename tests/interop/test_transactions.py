"""Does our broker serve transactions that Kafka wrote as Kafka serves them?

A Kafka broker gets committed, aborted and open transactions of several producers at once, over many
segments.  What it then tells a consumer of committed records, offset by offset, our broker tells
over the same directory: after a clean end, after `kill -9`, and without its transaction indexes.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

import pytest
from confluent_kafka import Producer

from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from tests.clients.confluent import Confluent
from tests.cluster.storage.logs import headers_of
from tests.interop.brokers import RealCluster
from tests.interop.maven import Maven
from tests.interop.one_broker import one_broker, start
from tests.interop.outages import unregister
from tests.support.brokers import running_broker
from tests.support.serving import RawClient
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = [pytest.mark.interop, pytest.mark.faults]

TOPIC: Final = "paid"
CONFIGS: Final = {"segment.bytes": "6000", "index.interval.bytes": "500", "retention.ms": "-1"}
READ_COMMITTED: Final = 1
FETCH_VERSION: Final = 7
LIST_OFFSETS_VERSION: Final = 2


@pytest.fixture(params=["1.1.1", "2.8.2", "3.9.1"])
def kafka(
    request: pytest.FixtureRequest, chroot: str, java: str, maven: Maven, tmp_path: Path
) -> Iterator[RealCluster]:
    """One broker of Kafka's, not started; its id is 0."""
    with one_broker(request.param, chroot, java=java, maven=maven, directory=tmp_path) as cluster:
        yield cluster


class Transactions:
    """Producers that write to one partition by turns."""

    def __init__(self, bootstrap: str) -> None:
        self.plain = Producer({"bootstrap.servers": bootstrap})
        self.producers = {name: self.producer(bootstrap, name) for name in ("a", "b", "c")}

    def producer(self, bootstrap: str, name: str) -> Producer:
        config: dict[str, Any] = {
            "bootstrap.servers": bootstrap,
            "transactional.id": name,
            "transaction.timeout.ms": 600_000,
        }
        producer = Producer(config)
        producer.init_transactions(OUTER_LIMIT_S)
        return producer

    def send(self, producer: Producer, text: str, count: int) -> None:
        for number in range(count):
            producer.produce(TOPIC, f"{text} {number:080d}".encode(), partition=0)
        assert producer.flush(OUTER_LIMIT_S) == 0

    def run(self) -> None:
        a, b, c = self.producers.values()
        for turn in range(12):
            self.send(self.plain, "plain", 3)
            a.begin_transaction()
            self.send(a, f"a{turn}", 5)
            b.begin_transaction()
            self.send(b, f"b{turn}", 4)
            self.send(self.plain, "plain", 2)
            self.send(a, f"a{turn}", 3)
            (a.abort_transaction if turn % 3 == 0 else a.commit_transaction)(OUTER_LIMIT_S)
            self.send(b, f"b{turn}", 12)
            (b.commit_transaction if turn % 2 == 0 else b.abort_transaction)(OUTER_LIMIT_S)
        c.begin_transaction()
        self.send(c, "c", 5)
        a.begin_transaction()
        self.send(a, "last", 4)
        a.abort_transaction(OUTER_LIMIT_S)
        self.send(self.plain, "plain", 60)


def told(port: int) -> list[tuple[object, ...]]:
    """What a consumer of committed records hears from each offset on, whole segments at a time."""
    with RawClient(port) as client:
        latest = listed(client, READ_COMMITTED), listed(client, 0)
        heard: list[tuple[object, ...]] = [latest]
        for offset in range(latest[1] + 1):
            found = fetched(client, offset, 2**30)
            records = bytes(cast(memoryview, found.records))
            # How many more than these are told depends on an index that Kafka 1.1 made otherwise.
            end_offset = headers_of(records)[-1].next_offset if records else 0
            heard.append(
                (
                    offset,
                    found.high_watermark,
                    found.last_stable_offset,
                    found.log_start_offset,
                    [
                        tuple(one)
                        for one in found.aborted_transactions or ()
                        if one.first_offset < end_offset
                    ],
                    records,
                )
            )
        return heard


def fetched(client: RawClient, offset: int, size_max: int) -> PartitionData:
    found = fetching(client, offset, size_max)
    assert found.error_code == 0
    return found


def fetching(client: RawClient, offset: int, size_max: int) -> PartitionData:
    wanted = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=size_max)
    body = FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        isolation_level=READ_COMMITTED,
        topics=[FetchTopic(TOPIC, partitions=[wanted])],
    )
    answer = client.ask(ApiKey.FETCH, FETCH_VERSION, body, FetchResponse)
    found: PartitionData = answer.responses[0].partitions[0]
    return found


def is_led(port: int) -> bool:
    with RawClient(port) as client:
        return listing(client, 0).error_code == 0 == fetching(client, 0, 1).error_code


def listed(client: RawClient, isolation_level: int) -> int:
    found = listing(client, isolation_level)
    assert found.error_code == 0
    offset: int = found.offset
    return offset


def listing(client: RawClient, isolation_level: int) -> ListOffsetsPartitionResponse:
    body = ListOffsetsRequest(
        replica_id=-1,
        isolation_level=isolation_level,
        topics=[ListOffsetsTopic(TOPIC, [ListOffsetsPartition(0, timestamp=-1)])],
    )
    answer = client.ask(ApiKey.LIST_OFFSETS, LIST_OFFSETS_VERSION, body, ListOffsetsResponse)
    found: ListOffsetsPartitionResponse = answer.topics[0].partitions[0]
    return found


@contextmanager
def ours(kafka: RealCluster, directory: Path) -> Iterator[int]:
    """The port of our broker, with the id of Kafka's and the log *directory*; it is killed."""
    settings = {"log.dirs": str(directory), "log.index.size.max.bytes": "10485760"}
    with running_broker(
        directory.with_name(f"{directory.name}-ours"), kafka.zookeeper_connect, 0, settings
    ) as running:
        wait_until(lambda: is_led(running.port), what="a leader")
        yield running.port
    unregister(kafka.zookeeper_connect, 0)


def test_transactions_of_kafka_are_served_as_kafka_serves_them(kafka: RealCluster) -> None:
    data = kafka.brokers[0].directory / "data"
    start(kafka)
    Confluent(kafka.bootstrap).create_topic(TOPIC, configs=CONFIGS)
    Transactions(kafka.bootstrap).run()
    wanted = told(kafka.brokers[0].place.port)
    kafka.kill(0)
    unregister(kafka.zookeeper_connect, 0)
    killed = shutil.copytree(data, data.with_name("killed"))
    start(kafka)
    wait_until(lambda: is_led(kafka.brokers[0].place.port), what="a leader")
    assert wanted == told(kafka.brokers[0].place.port)
    kafka.stop(0)
    unregister(kafka.zookeeper_connect, 0)
    closed = shutil.copytree(data, data.with_name("closed"))
    bare = shutil.copytree(killed, data.with_name("bare"))
    for path in (bare / f"{TOPIC}-0").glob("*.*index"):
        path.unlink()
    (bare / "recovery-point-offset-checkpoint").unlink()

    for directory in (killed, closed, bare):
        with ours(kafka, directory) as port:
            assert wanted == told(port), directory
