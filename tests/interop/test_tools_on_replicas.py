"""Do Kafka's own tools say of our replicas what they say of Kafka's?

The same commands are given to three of our brokers and to three real ones, and all that the tools
print is compared, but for what differs by its nature: addresses, directories, ids and times.
"""

import json
import re
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from kadmin.local.zookeeper import ZooKeeperServer
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.brokers import RealCluster
from tests.interop.kafka_tools import KafkaTools
from tests.interop.maven import Maven, needing_maven
from tests.interop.mixed import metadata_of
from tests.interop.releases import KAFKA
from tests.support.brokers import running_broker
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import make_chroot

pytestmark = pytest.mark.interop

TOPIC: Final = "moved"
RECORDS: Final = 1000
VALUE: Final = b"x" * 10_000
RACKS: Final = ("a", "b", "c")
SLOW: Final = "1000"
"""With which a pause of ten seconds follows each fetch of 1 MB: a partition takes minutes."""
FAST: Final = "100000000"
# Static configs count as overrides of every topic: both have those that small brokers need.
SETTINGS: Final = {
    "offsets.topic.replication.factor": "1",
    "auto.create.topics.enable": "false",
    "auto.leader.rebalance.enable": "false",
    "log.index.size.max.bytes": "65536",
}

NOISE: Final = (
    (r"127\.0\.0\.1:\d+", "HOST"),
    (r"TopicId: \S+", "TopicId: ID"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+", "TIME"),
)


class Cluster:
    """Three brokers, and what the tools were told about them and said."""

    def __init__(self, tools: KafkaTools, directory: Path) -> None:
        self.tools = tools
        self.directory = directory
        self.transcript: list[str] = []

    def run(self, name: str, *arguments: str) -> None:
        outcome = self.tools.run(name, *arguments)
        said = f"{outcome.stdout}{outcome.stderr}exit {outcome.exit_code}"
        self.note(f"$ {name} {' '.join(arguments)}\n{said}")

    def note(self, text: str) -> None:
        text = text.replace(str(self.directory), "")
        for pattern, word in NOISE:
            text = re.sub(pattern, word, text)
        self.transcript += text.splitlines()

    def describe(self) -> None:
        self.run("topics", "--describe", "--topic", TOPIC)

    def reassign(self, action: str, file: str, *options: str) -> None:
        self.run("reassign-partitions", action, "--reassignment-json-file", file, *options)

    def moves(self, **replicas: Sequence[int]) -> str:
        """The file that moves partitions, `p0=[2, 1]`, of the topic."""
        moves = [
            {"topic": TOPIC, "partition": int(name[1:]), "replicas": list(ids)}
            for name, ids in replicas.items()
        ]
        name = "-".join(replicas)
        return self.file(f"{name}.json", {"version": 1, "partitions": moves})

    def file(self, name: str, content: object) -> str:
        path = self.directory / name
        path.write_text(json.dumps(content))
        return str(path)

    def until_all_know(self, replicas: Sequence[Sequence[int]], isrs: Sequence[set[int]]) -> None:
        """Wait until every broker tells clients that the topic's partitions have these."""
        wanted = [(list(ids), isr) for ids, isr in zip(replicas, isrs, strict=True)]

        def is_known_at(bootstrap: str) -> bool:
            (topic,) = metadata_of(bootstrap, TOPIC).topics
            parts = sorted(topic.partitions, key=lambda part: part.partition_index)
            return wanted == [(list(p.replica_nodes), set(p.isr_nodes)) for p in parts] and all(
                part.leader_id >= 0 for part in parts
            )

        for bootstrap in self.tools.bootstrap.split(","):
            wait_until(
                lambda bootstrap=bootstrap: is_known_at(bootstrap),  # type: ignore[misc]
                what=f"{wanted} at {bootstrap}",
            )

    def describe_directories(self) -> None:
        """kafka-log-dirs, whose partitions come in any order.

        Without what was to be added to partition 1 and was cancelled: Kafka 2.8 forgets it there,
        and never deletes it.
        """
        *_, line = self.tools.done("log-dirs", "--describe", "--topic-list", TOPIC)
        document: dict[str, Any] = json.loads(line)
        for broker in document["brokers"]:
            (directory,) = broker["logDirs"]
            assert directory.pop("logDir").startswith(str(self.directory))
            directory["partitions"] = sorted(
                (part for part in directory["partitions"] if part["partition"] != f"{TOPIC}-1"),
                key=lambda part: part["partition"],
            )
        self.note(json.dumps(document, indent=1))

    def verify_replicas(self) -> None:
        """kafka-replica-verification, until it has found all of it twice; it never ends itself."""
        with self.tools.started(
            "replica-verification",
            *("--time", "-2", "--report-interval-ms", "200", "--topic-white-list", TOPIC),
        ) as process:
            assert process.stdout is not None
            ender = threading.Timer(OUTER_LIMIT_S, process.kill)
            ender.start()
            reports: list[str] = []
            for line in process.stdout:
                if "max lag is 0" in line:
                    reports.append(line)
                elif "max lag" not in line:
                    self.note(line)
                if len(reports) == 2:
                    break
            ender.cancel()
        assert len(reports) == 2
        self.note(reports[-1])


def tell(cluster: Cluster) -> list[str]:
    """Give all commands, and return what was said."""
    run, reassign = cluster.run, cluster.reassign
    execute = "--execute"
    run("topics", "--create", "--topic", TOPIC, "--replica-assignment", "0:1,1:0,0:1")
    before = [[0, 1], [1, 0], [0, 1]]
    cluster.until_all_know(before, [{0, 1}] * 3)
    now_ms = int(time.time() * 1000)
    for partition in range(3):
        # In batches of one size, so that the logs have one size.
        records = [Sent(VALUE, partition=partition, timestamp_ms=now_ms) for _ in range(RECORDS)]
        options = {"batch_num_messages": RECORDS // 20, "linger_ms": 60_000}
        Confluent(cluster.tools.bootstrap).produce(TOPIC, records, acks="all", **options)
    cluster.describe()

    # What cannot be done.
    run("reassign-partitions", "--list")
    for wrong in (cluster.moves(p9=[1]), cluster.moves(p0=[9])):
        reassign(execute, wrong)
    topics = cluster.file("topics.json", {"version": 1, "topics": [{"topic": "nowhere"}]})
    generate = ("--generate", "--topics-to-move-json-file", topics, "--broker-list", "2")
    run("reassign-partitions", *generate)

    # What is under way, and what is added to it and taken back.
    big = cluster.moves(p0=[2, 1], p2=[2, 0])
    reassign(execute, big, "--throttle", SLOW)
    cluster.until_all_know([[2, 1, 0], [1, 0], [2, 0, 1]], [{0, 1}] * 3)
    reassign("--verify", big)
    cluster.describe()
    run("topics", "--describe", "--under-replicated-partitions")
    run("configs", "--describe", "--entity-type", "brokers", "--entity-name", "0")
    other = cluster.moves(p1=[1, 2])
    reassign(execute, other)
    reassign(execute, other, "--additional", "--throttle", "2000")
    run("reassign-partitions", "--list")
    reassign("--cancel", other, "--preserve-throttles")
    cluster.until_all_know([[2, 1, 0], [1, 0], [2, 0, 1]], [{0, 1}] * 3)

    # The end of it.
    reassign(execute, big, "--additional", "--throttle", FAST)
    cluster.until_all_know([[2, 1], [1, 0], [2, 0]], [{1, 2}, {0, 1}, {0, 2}])
    reassign("--verify", big)
    run("configs", "--describe", "--entity-type", "brokers", "--entity-name", "0")
    run("leader-election", "--election-type", "preferred", "--all-topic-partitions")
    cluster.until_all_know([[2, 1], [1, 0], [2, 0]], [{1, 2}, {0, 1}, {0, 2}])
    cluster.describe()
    cluster.describe_directories()
    cluster.verify_replicas()
    run("topics", "--delete", "--topic", TOPIC)
    return cluster.transcript


@contextmanager
def our_brokers(directory: Path, connect: str) -> Iterator[str]:
    with ExitStack() as stack:
        brokers = [
            stack.enter_context(
                running_broker(
                    directory / f"broker-{number}",
                    connect,
                    number,
                    SETTINGS | {"broker.rack": rack},
                )
            )
            for number, rack in enumerate(RACKS)
        ]
        yield ",".join(broker.bootstrap for broker in brokers)


@pytest.mark.parametrize("release", ["2.8.2", "3.9.1"])
def test_tools_say_of_our_replicas_what_they_say_of_kafkas(
    release: str, zookeeper: ZooKeeperServer, java: str, maven: Maven, tmp_path: Path
) -> None:
    with needing_maven():
        class_path = maven.class_path(KAFKA[release])
    directories = tmp_path / "ours", tmp_path / "kafkas"
    for directory in directories:
        directory.mkdir()
    kafkas = RealCluster(
        release,
        make_chroot(zookeeper),
        java=java,
        class_path=class_path,
        directory=directories[1],
        racks=RACKS,
        settings=SETTINGS,
    )

    def told(bootstrap: str, directory: Path) -> list[str]:
        tools = KafkaTools(
            release, java=java, class_path=class_path, directory=directory, bootstrap=bootstrap
        )
        return tell(Cluster(tools, directory))

    try:
        kafkas.start()
        with (
            our_brokers(directories[0], make_chroot(zookeeper)) as ours,
            ThreadPoolExecutor() as both,
        ):
            of_ours, of_kafkas = both.map(told, (ours, kafkas.bootstrap), directories)
    finally:
        kafkas.kill_all()

    assert of_kafkas == of_ours
    assert any("still in progress" in line for line in of_ours)
    assert not list(directories[0].glob(f"broker-2/data/{TOPIC}-1"))
