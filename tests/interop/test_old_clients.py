"""Do the console producers and consumers of Kafka 0.8 to 0.10 work on our brokers?

Old consumers find their brokers in ZooKeeper, and keep their offsets there.
"""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from kadmin.local.zookeeper import ZooKeeperServer
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.brokers import run_tool
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import KAFKA
from tests.support.brokers import Broker, running_broker
from tests.support.cli import done
from tests.support.zookeeper import client_of, make_chroot

pytestmark = pytest.mark.interop

NUMBERS = count(1)
RELEASES = ("0.8.2.2", "0.9.0.1", "0.10.2.2")
CODECS = ("none", "gzip", "snappy", "lz4")
PRODUCERS: Final = {
    "0.8.2.2": {"old": (), "new": ("--new-producer",)},
    "0.9.0.1": {"old": ("--old-producer",), "new": ()},
    "0.10.2.2": {"old": ("--old-producer",), "new": ()},
}
NEW_CONSUMER: Final = {"0.9.0.1": ("--new-consumer",), "0.10.2.2": ()}
KEYS: Final = ("--property", "parse.key=true", "--property", "key.separator=:")
PRINTED_KEYS: Final = ("--property", "print.key=true", "--property", "key.separator=:")


class Places:
    """A broker of ours, and where it and its ZooKeeper are found."""

    def __init__(self, broker: Broker, connect: str) -> None:
        self.bootstrap = broker.bootstrap
        self.connect = connect


@pytest.fixture(scope="module")
def places(
    zookeeper: ZooKeeperServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Places]:
    connect = make_chroot(zookeeper)
    settings = {
        "offsets.topic.num.partitions": "1",
        "offsets.topic.replication.factor": "1",
        "group.initial.rebalance.delay.ms": "0",
    }
    directory = tmp_path_factory.mktemp("ours")
    with running_broker(directory, connect, settings=settings) as broker:
        yield Places(broker, connect)


class Console:
    """The console tools of one release."""

    def __init__(
        self, release: str, places: Places, java: str, class_path: str, directory: Path
    ) -> None:
        self.release = release
        self.places = places
        self._java = java
        self._class_path = class_path
        self._directory = directory

    def produce(self, topic: str, kind: str, codec: str, lines: list[str]) -> None:
        compression = () if codec == "none" else ("--compression-codec", codec)
        done = run_tool(
            *(self._java, self._class_path, self._directory, "kafka.tools.ConsoleProducer"),
            *("--broker-list", self.places.bootstrap, "--topic", topic, *compression),
            *PRODUCERS[self.release][kind],
            *KEYS,
            stdin="".join(f"{line}\n" for line in lines),
        )
        assert done.exit_code == 0, done
        assert "ERROR" not in done.stdout + done.stderr, done

    @property
    def old_servers(self) -> tuple[str, ...]:
        """How its old consumer is told where the brokers are."""
        return ("--zookeeper", self.places.connect)

    @property
    def new_servers(self) -> list[tuple[str, ...]]:
        """How its new consumer is, if it has one."""
        if self.release not in NEW_CONSUMER:
            return []
        return [(*NEW_CONSUMER[self.release], "--bootstrap-server", self.places.bootstrap)]

    def consume(
        self, topic: str, line_count: int, *servers: str, from_beginning: bool = True
    ) -> list[str]:
        beginning = ("--from-beginning",) if from_beginning else ()
        done = run_tool(
            *(self._java, self._class_path, self._directory, "kafka.tools.ConsoleConsumer"),
            *(*servers, "--topic", topic, *beginning),
            *("--max-messages", str(line_count), *PRINTED_KEYS),
        )
        assert done.exit_code == 0, done
        return [line for line in done.stdout.splitlines() if ":" in line]


@pytest.fixture(scope="module", params=RELEASES)
def console(
    request: pytest.FixtureRequest,
    places: Places,
    java: str,
    maven: Maven,
    tmp_path_factory: pytest.TempPathFactory,
) -> Console:
    with needing_maven():
        class_path = maven.class_path(KAFKA[request.param])
    return Console(request.param, places, java, class_path, tmp_path_factory.mktemp("tools"))


@pytest.fixture(scope="module")
def topic_and_lines(console: Console) -> tuple[str, list[str]]:
    """A topic of one partition with what each producer of the release has sent by each codec."""
    topic = f"old-{next(NUMBERS)}"
    Confluent(console.places.bootstrap).create_topic(topic, 1)
    lines: list[str] = []
    for kind in ("old", "new"):
        for codec in CODECS:
            if (kind, codec, console.release) == ("old", "lz4", "0.8.2.2"):
                # It knows the codec's number, and not how to write it.
                continue
            # Keys that a look at the wrong byte takes for a codec; and more than one block.
            some = [f"{key}{kind}{codec}:value {number}" for number in range(9) for key in "dltä"]
            some.append(f"large:{kind}{codec}" + "0123456789" * 10_000)
            console.produce(topic, kind, codec, some)
            lines += some
    return topic, lines


def text_of(record: Sent) -> str:
    key = "null" if record.key is None else record.key.decode()
    return f"{key}:{'null' if record.value is None else record.value.decode()}"


def test_what_old_producers_send_is_read_by_new_consumers(
    console: Console, topic_and_lines: tuple[str, list[str]]
) -> None:
    topic, lines = topic_and_lines

    got = Confluent(console.places.bootstrap).consume(topic, 0, 0, len(lines))

    assert lines == [text_of(one.record) for one in got]
    assert [*range(len(lines))] == [one.offset for one in got]


def test_it_is_read_by_consumers_of_their_release(
    console: Console, topic_and_lines: tuple[str, list[str]]
) -> None:
    topic, lines = topic_and_lines

    assert lines == console.consume(topic, len(lines), *console.old_servers)
    for servers in console.new_servers:
        assert lines == console.consume(topic, len(lines), *servers)


def test_what_new_producers_send_is_read_by_old_consumers(console: Console) -> None:
    topic = f"new-{next(NUMBERS)}"
    client = Confluent(console.places.bootstrap)
    client.create_topic(topic, 1)
    records = [
        *(Sent(b"value %d" % number, b"key") for number in range(5)),
        Sent(b"x" * 100_000, b"large"),
        Sent(None, b"gone"),
        Sent(b"no key"),
        Sent(b"with headers", b"key", headers=(("name", b"content"),)),
    ]
    for codec in CODECS:
        client.produce(topic, records, compression_type=codec)
    lines = [text_of(record) for record in records] * len(CODECS)

    assert lines == console.consume(topic, len(lines), *console.old_servers)
    for servers in console.new_servers:
        assert lines == console.consume(topic, len(lines), *servers)


def test_old_groups_keep_their_offsets_in_zookeeper(
    console: Console, topic_and_lines: tuple[str, list[str]], tmp_path: Path
) -> None:
    topic, lines = topic_and_lines
    group = f"group-{next(NUMBERS)}"
    config = tmp_path / "consumer.properties"
    config.write_text(f"group.id={group}\n")
    of_group = ("--consumer.config", str(config))

    first = console.consume(topic, 7, *console.old_servers, *of_group)
    with client_of(console.places.connect) as client:
        kept, _ = client.get(f"/consumers/{group}/offsets/{topic}/0")
    second = console.consume(topic, 5, *console.old_servers, *of_group, from_beginning=False)

    assert (lines[:7], b"7", lines[7:12]) == (first, kept, second)

    of_old_group = ("--in-zookeeper", "--group", group, "--zookeeper", console.places.connect)
    described = done("groups", "--describe", *of_old_group)
    reset = ("--reset-offsets", "--all-topics", "--to-offset", "3", "--execute")
    done("groups", *reset, "--rollback-file", str(tmp_path / "back.csv"), *of_old_group)
    third = console.consume(topic, 2, *console.old_servers, *of_group, from_beginning=False)

    left = str(len(lines) - 12)
    assert [group, topic, "0", "12", str(len(lines)), left] == described.split()[9:15]
    assert lines[3:5] == third
