"""Do our broker and Kafka's serve each other's log directories, after clean ends and `kill -9`?

One partition passes from hand to hand over one ZooKeeper, each broker adding records; whoever has
it must give all records back with their offsets and times, and recover only what was not closed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clients.confluent import Confluent
from tests.clients.driver import STARTED_MS, Got, Sent
from tests.interop.brokers import RealCluster
from tests.interop.maven import Maven
from tests.interop.one_broker import one_broker, start
from tests.interop.outages import unregister
from tests.support.brokers import Broker as OurBroker
from tests.support.brokers import running_broker

pytestmark = [pytest.mark.interop, pytest.mark.faults]

TOPIC = "orders"
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")

# So that there are old segments, and the newest has entries in its indexes.
CONFIGS = {"segment.bytes": "10000", "index.interval.bytes": "1000", "retention.ms": "-1"}


class History:
    """All records that were ever acknowledged."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []

    def extend(self, bootstrap: str) -> None:
        """Add records of every codec, by an idempotent producer."""
        driver = Confluent(bootstrap)
        for codec in CODECS:
            first = len(self.sent)
            records = [
                Sent(
                    b"value %040d" % number,
                    b"key %d" % number,
                    timestamp_ms=STARTED_MS + number,
                    headers=(("n", b"%d" % number),),
                )
                for number in range(first, first + 60)
            ]
            # Few records in a batch: several segments, each with several batches.
            options = {"compression_type": codec, "batch_num_messages": 10}
            offsets = driver.produce(TOPIC, records, enable_idempotence=True, **options)
            assert list(range(first, first + 60)) == offsets
            self.sent += records

    def check(self, bootstrap: str) -> None:
        """All of it comes back, and is found by time."""
        driver = Confluent(bootstrap)
        expected = [Got(offset, record) for offset, record in enumerate(self.sent)]

        assert expected == driver.consume(TOPIC, 0, 0, len(expected))
        assert (0, len(expected)) == driver.ends(TOPIC, 0)
        middle = len(expected) // 2
        assert middle == driver.offset_at(TOPIC, 0, STARTED_MS + middle)


@pytest.fixture(params=["2.8.2", "3.9.1"])
def kafka(
    request: pytest.FixtureRequest, chroot: str, java: str, maven: Maven, tmp_path: Path
) -> Iterator[RealCluster]:
    """One broker of Kafka's, not started; its id is 0."""
    with one_broker(request.param, chroot, java=java, maven=maven, directory=tmp_path) as cluster:
        yield cluster


@contextmanager
def ours(kafka: RealCluster) -> Iterator[OurBroker]:
    """Our broker with the id and the log directory of Kafka's; killed if it runs at the end."""
    directory = kafka.directory / "ours"
    settings = {"log.dirs": str(data(kafka)), "log.index.size.max.bytes": "10485760"}
    with running_broker(directory, kafka.zookeeper_connect, 0, settings) as running:
        yield running
    unregister(kafka.zookeeper_connect, 0)


@contextmanager
def kafkas(kafka: RealCluster) -> Iterator[str]:
    """Kafka's broker, by its address; killed if it runs at the end."""
    start(kafka)
    try:
        yield kafka.bootstrap
    finally:
        kafka.kill(0)
    unregister(kafka.zookeeper_connect, 0)


def data(kafka: RealCluster) -> Path:
    return kafka.brokers[0].directory / "data"


def test_a_partition_passes_from_kafka_to_ours_and_back(kafka: RealCluster) -> None:
    history = History()

    with kafkas(kafka) as bootstrap:
        Confluent(bootstrap).create_topic(TOPIC, configs=CONFIGS)
        history.extend(bootstrap)
    with ours(kafka) as broker:
        ours_after_kill = broker.log()
        history.check(broker.bootstrap)
        history.extend(broker.bootstrap)
        assert broker.terminate() == 0
    with kafkas(kafka) as bootstrap:
        kafka_after_end = kafka.brokers[0].server.log.read_text()
        history.check(bootstrap)
        history.extend(bootstrap)
        kafka.stop(0)
    with ours(kafka) as broker:
        ours_after_end = broker.log().removeprefix(ours_after_kill)
        history.check(broker.bootstrap)
        history.extend(broker.bootstrap)
        broker.kill()
    with kafkas(kafka) as bootstrap:
        kafka_after_kill = kafka.brokers[0].server.log.read_text()
        history.check(bootstrap)

    recovered_nothing = "recovery has read 0 bytes and made the indexes of 0 segments"
    assert (False, True) == tuple(
        recovered_nothing in said for said in (ours_after_kill, ours_after_end)
    )
    assert "has lost what was not whole" not in ours_after_kill
    assert "clean shutdown file was found" in kafka_after_end
    assert "Recovering" not in kafka_after_end
    assert "Recovering unflushed segment" in kafka_after_kill
    assert "Corrupt" not in kafka_after_end + kafka_after_kill
    assert len(list((data(kafka) / f"{TOPIC}-0").glob("*.log"))) > 3
