"""Groups of Kafka's own old consumers: does kadmin see them live, and move their offsets?"""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kadmin.errors import ExitCode
from kadmin.local.zookeeper import ZooKeeperServer
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.brokers import tool_command
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import KAFKA
from tests.support.brokers import Broker, running_broker
from tests.support.cli import done, kadmin
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import make_chroot

pytestmark = pytest.mark.interop

NUMBERS = count(1)
RECORDS = 20


class Places:
    """A broker of ours, its ZooKeeper, and the tools of one release of Kafka."""

    def __init__(self, broker: Broker, connect: str, java: str, jars: str, tools: Path) -> None:
        self.bootstrap = broker.bootstrap
        self.zookeeper = ("--zookeeper", connect)
        self.java, self.jars, self.tools = java, jars, tools

    def describe(self, group: str) -> dict[str, Any]:
        words = ("--in-zookeeper", "--describe", "--group", group, "--output", "json")
        (found,) = json.loads(done("groups", *words, *self.zookeeper))["groups"]
        assert isinstance(found, dict)
        return found

    @contextmanager
    def consuming(self, group: str, topic: str) -> Iterator[None]:
        """A console consumer of *group* that has partitions of *topic*, and leaves at the end."""
        config = self.tools / f"{group}.properties"
        config.write_text(f"group.id={group}\nauto.commit.interval.ms=100\n")
        consumer = subprocess.Popen(
            [
                *tool_command(self.java, self.jars, self.tools, "kafka.tools.ConsoleConsumer"),
                *(*self.zookeeper, "--topic", topic, "--from-beginning"),
                *("--consumer.config", str(config)),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

        def has_read_all() -> bool:
            words = ("--in-zookeeper", "--list", "--topic", topic)
            if group not in done("groups", *words, *self.zookeeper).splitlines():
                return False
            rows = self.describe(group)["partitions"]
            return sum(row["current_offset"] or 0 for row in rows) == RECORDS

        try:
            wait_until(has_read_all, what=f"{group} has read {topic}")
            yield
        finally:
            # In order: only then are its znodes gone at once.
            consumer.send_signal(signal.SIGINT)
            consumer.wait(OUTER_LIMIT_S)


@pytest.fixture(scope="module", params=["0.8.2.2", "1.1.1"])
def places(
    request: pytest.FixtureRequest,
    zookeeper: ZooKeeperServer,
    java: str,
    maven: Maven,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Places]:
    with needing_maven():
        jars = maven.class_path(KAFKA[request.param])
    connect = make_chroot(zookeeper)
    settings = {
        "offsets.topic.num.partitions": "1",
        "offsets.topic.replication.factor": "1",
        "group.initial.rebalance.delay.ms": "0",
    }
    directory = tmp_path_factory.mktemp("ours")
    with running_broker(directory, connect, settings=settings) as broker:
        yield Places(broker, connect, java, jars, tmp_path_factory.mktemp("tools"))


def test_a_live_group_is_seen_kept_and_migrated_once_it_has_ended(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # Where rollback files are written.
    number = next(NUMBERS)
    group, topic = f"old-group-{number}", f"read-by-old-{number}"
    client = Confluent(places.bootstrap)
    client.create_topic(topic, 2)
    client.produce(topic, [Sent(b"v", partition=number % 2) for number in range(RECORDS)])
    of_group = ("--group", group, *places.zookeeper)
    reset = ("--reset-offsets", "--in-zookeeper", "--all-topics", "--to-offset", "4", "--execute")

    with places.consuming(group, topic):
        live = places.describe(group)
        refused = kadmin("groups", *reset, *of_group)
    ended = places.describe(group)
    done("groups", *reset, *of_group)
    done("groups", "migrate-offsets", "--from-zookeeper", "--yes", *of_group)
    migrated = json.loads(done("groups", "--describe", "--output", "json", *of_group))
    done("groups", "--in-zookeeper", "--delete", "--yes", *of_group)

    (consumer,) = {row["consumer_id"] for row in live["partitions"]}
    assert consumer.startswith(f"{group}_")
    assert ("Stable", 1) == (live["state"], live["member_count"])
    assert ("Empty", 0) == (ended["state"], ended["member_count"])
    assert {row["host"] for row in live["partitions"]} != {None}
    assert [(10, 10, 0)] * 2 == [
        (row["current_offset"], row["log_end_offset"], row["lag"]) for row in live["partitions"]
    ]
    assert ExitCode.REFUSED == refused.exit_code
    assert f"with {consumer}" in refused.stderr
    (found,) = migrated["groups"]
    assert [4, 4] == [row["current_offset"] for row in found["partitions"]]
    assert group not in done("groups", "--in-zookeeper", "--list", *places.zookeeper)
