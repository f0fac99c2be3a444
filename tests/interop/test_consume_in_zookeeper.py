"""Does `kadmin consume --in-zookeeper` share topics with Kafka's own consumers, through kills?"""

import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from kazoo.exceptions import NoNodeError

from cluster.zk import paths
from kadmin.local.zookeeper import ZooKeeperServer
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.brokers import tool_command
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import KAFKA
from tests.support.brokers import running_broker
from tests.support.cli import running_kadmin
from tests.support.expiry import expire_owner
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of, make_chroot

pytestmark = pytest.mark.interop

TOPIC = "orders"
PARTITIONS = 4


class Consumer:
    """A consumer's process, and what it has printed so far."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.read: list[str] = []
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.read.append(line.decode().strip())

    def end(self, *, kills: bool) -> None:
        if kills:
            self.process.kill()
        else:
            self.process.terminate()
        self.process.wait(OUTER_LIMIT_S)
        self._reading.join()


class Story:
    """A topic on a broker of ours, and a group of old consumers that reads it."""

    def __init__(self, connect: str, bootstrap: str) -> None:
        self.connect = connect
        self.sender = Confluent(bootstrap)
        self.sender.create_topic(TOPIC, PARTITIONS)
        self.sent: set[str] = set()
        self.consumers: list[Consumer] = []

    def send(self) -> None:
        """Send to each partition."""
        names = [str(len(self.sent) + number) for number in range(10 * PARTITIONS)]
        self.sender.produce(
            TOPIC, [Sent(name.encode(), partition=int(name) % PARTITIONS) for name in names]
        )
        self.sent.update(names)

    @property
    def read(self) -> Counter[str]:
        return Counter(one for consumer in self.consumers for one in consumer.read)

    def wait_until_all_is_read(self) -> None:
        wait_until(lambda: self.sent <= set(self.read), what="all records at some consumer")

    def owners(self) -> list[str]:
        """Return the consumer id of each partition's owner, of those that have one."""
        with client_of(self.connect) as client:
            found = []
            for number in range(PARTITIONS):
                path = f"{paths.consumer_owners('g')}/{TOPIC}/{number}"
                with suppress(NoNodeError):
                    found.append(client.get(path)[0].decode().rpartition("-")[0])
        return found

    def wait_for_owners(self, count: int) -> set[str]:
        """Wait until *count* consumers own all partitions, and return their ids."""
        found: list[str] = []

        def are_shared() -> bool:
            found[:] = self.owners()
            return len(found) == PARTITIONS and len(set(found)) == count

        wait_until(are_shared, what=f"{count} consumers that own all partitions")
        return set(found)

    def lose(self, consumer_id: str) -> None:
        """Let the session of a consumer that is dead end."""
        with client_of(self.connect) as client:
            expire_owner(client, self.connect, paths.consumer("g", consumer_id))


@pytest.fixture(scope="module", params=["0.8.2.2", "1.1.1"])
def class_path(request: pytest.FixtureRequest, maven: Maven) -> str:
    with needing_maven():
        return maven.class_path(KAFKA[request.param])


@pytest.fixture
def story(zookeeper: ZooKeeperServer, tmp_path: Path) -> Iterator[Story]:
    connect = make_chroot(zookeeper)
    with running_broker(tmp_path / "broker", connect) as broker:
        story = Story(connect, broker.bootstrap)
        yield story
        story.sender.close()


@contextmanager
def ours(story: Story) -> Iterator[Consumer]:
    wanted = ("--topic", TOPIC, "--group", "g", "--from-beginning")
    with running_kadmin("consume", *wanted, "--zookeeper", story.connect) as process:
        consumer = Consumer(process)
        story.consumers.append(consumer)
        yield consumer


@contextmanager
def kafkas(story: Story, java: str, class_path: str, directory: Path) -> Iterator[Consumer]:
    config = directory / "consumer.properties"
    config.write_text(
        "group.id=g\nauto.commit.interval.ms=100\n"
        "rebalance.max.retries=100\nrebalance.backoff.ms=200\n"
    )
    command = tool_command(java, class_path, directory, "kafka.tools.ConsoleConsumer")
    arguments = ("--zookeeper", story.connect, "--topic", TOPIC, "--consumer.config", str(config))
    with subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        consumer = Consumer(process)
        story.consumers.append(consumer)
        try:
            yield consumer
        finally:
            consumer.end(kills=True)


def test_each_record_is_read_by_one_of_them_and_none_is_skipped(
    story: Story, java: str, class_path: str, tmp_path: Path
) -> None:
    story.send()
    with ours(story) as first:
        story.wait_until_all_is_read()
        (mine,) = story.wait_for_owners(1)
        with kafkas(story, java, class_path, tmp_path) as other:
            (its,) = story.wait_for_owners(2) - {mine}
            story.send()
            story.wait_until_all_is_read()
            before = story.read
            other.end(kills=True)
            story.lose(its)
            story.wait_for_owners(1)
            story.send()
            story.wait_until_all_is_read()
        with kafkas(story, java, class_path, tmp_path):
            story.wait_for_owners(2)
            story.send()
            story.wait_until_all_is_read()
            first.end(kills=True)
            story.lose(mine)
            story.wait_for_owners(1)
            story.send()
            story.wait_until_all_is_read()

    assert dict.fromkeys(before, 1) == before
    assert story.sent == set(story.read)
