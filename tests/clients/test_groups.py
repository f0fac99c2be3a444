"""Consumers that share a topic as a group, by each client library, through the ends of members."""

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient

from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from tests.clients.confluent import Confluent
from tests.clients.conftest import GROUP_SETTINGS
from tests.clients.driver import Sent
from tests.support.brokers import Broker, running_broker, start_broker
from tests.support.checkout import CHECKOUT
from tests.support.known_brokers import wait_until_alive
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.clients

LIBRARIES = ("librdkafka", "librdkafka-cooperative", "kafka-python", "aiokafka")


class Member:
    """A member's process, and what it has said so far."""

    def __init__(self, library: str, bootstrap: str, group: str, topic: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.clients.group_member", library, bootstrap, group, topic],
            cwd=CHECKOUT,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.said: list[dict[str, Any]] = []
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.said.append(json.loads(line))

    @property
    def read(self) -> list[str]:
        return [one["read"] for one in self.said if "read" in one]

    @property
    def committed(self) -> list[str]:
        return [name for one in self.said for name in one.get("committed", ())]

    def leave(self) -> None:
        self.process.terminate()
        assert 0 == self.process.wait(OUTER_LIMIT_S)
        self._reading.join()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(OUTER_LIMIT_S)
        self._reading.join()


class Group:
    """A group of members of one library that reads *topic*."""

    def __init__(self, library: str, bootstrap: str, topic: str, replicas: list[list[int]]) -> None:
        self._library = library
        self._bootstrap = bootstrap
        self._topic = topic
        self._client = Confluent(bootstrap)
        self._client.create_topic(topic, replicas=replicas)
        self.name = f"of-{topic}"
        self._sent_count = 0
        self.members: list[Member] = []

    def join(self) -> Member:
        member = Member(self._library, self._bootstrap, self.name, self._topic)
        self.members.append(member)
        return member

    def send(self, partition: int, count: int = 3) -> list[str]:
        names = [str(self._sent_count + number) for number in range(count)]
        self._sent_count += count
        self._client.produce(
            self._topic, [Sent(one.encode(), partition=partition) for one in names]
        )
        return names

    @property
    def read(self) -> Counter[str]:
        return Counter(one for member in self.members for one in member.read)

    def wait_until_committed(self, names: list[str]) -> None:
        def committed() -> set[str]:
            return {one for member in self.members for one in member.committed}

        wait_until(lambda: set(names) <= committed(), what=f"{names} committed by the group")

    def share(self) -> None:
        """Send to both partitions until each of the members has read something new."""
        two = [member for member in self.members if member.process.poll() is None]
        before = [len(one.read) for one in two]

        def share() -> bool:
            self.wait_until_committed([*self.send(0, 1), *self.send(1, 1)])
            return all(len(one.read) > so_far for one, so_far in zip(two, before, strict=True))

        wait_until(share, what="members that share the partitions")

    def close(self) -> None:
        for member in self.members:
            if member.process.poll() is None:
                member.kill()
        self._client.close()


@contextmanager
def group_of(
    library: str, bootstrap: str, topic: str, replicas: list[list[int]]
) -> Iterator[Group]:
    group = Group(library, bootstrap, topic, replicas)
    try:
        yield group
    finally:
        group.close()


def test_the_first_commits_of_a_cluster_are_those_of_an_admin_client(tmp_path: Path, chroot: str):
    """librdkafka's looks for a coordinator three times within 300 ms, and then never again."""
    with running_broker(
        tmp_path, chroot, settings={"offsets.topic.replication.factor": "1"}
    ) as one:
        client = Confluent(one.bootstrap)
        client.create_topic("orders", replicas=[[1]])
        admin = AdminClient({"bootstrap.servers": one.bootstrap})
        offsets = [TopicPartition("orders", 0, 0)]
        asked = [
            admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(name, offsets)])[name]
            for name in ("a", "b", "c")
        ]

        for each in asked:
            (committed,) = each.result(OUTER_LIMIT_S).topic_partitions
            assert committed.error is None
        client.close()


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_group_goes_on_when_members_leave_die_and_come_back(
    broker: Broker, topic: str, library: str
) -> None:
    with group_of(library, broker.bootstrap, topic, [[1], [1]]) as group:
        first, second = group.join(), group.join()
        group.share()

        second.leave()
        group.wait_until_committed([*group.send(0), *group.send(1)])
        third = group.join()
        group.share()
        first.kill()
        group.wait_until_committed([*group.send(0), *group.send(1)])
        third.leave()
        names = [*group.send(0), *group.send(1)]
        group.join()
        group.wait_until_committed(names)

    # One that was killed may have read a record and not committed it.
    assert 1 >= sum(count - 1 for count in group.read.values())


@pytest.mark.faults
@pytest.mark.parametrize("library", ["librdkafka-cooperative", "kafka-python"])
def test_a_group_goes_on_with_its_commits_when_its_coordinator_dies(
    three_brokers: dict[int, Broker], topic: str, library: str
) -> None:
    bootstrap = ",".join(broker.bootstrap for broker in three_brokers.values())
    with group_of(library, bootstrap, topic, [[1, 2, 3], [2, 3, 1]]) as group:
        group.join()
        group.join()
        group.share()
        before = [*group.send(0), *group.send(1)]
        group.wait_until_committed(before)

        coordinator_id = coordinator_of(group.name, three_brokers)
        three_brokers.pop(coordinator_id).kill()
        after = [*group.send(0), *group.send(1)]
        group.wait_until_committed(after)

    assert coordinator_id != coordinator_of(group.name, three_brokers)
    assert dict.fromkeys(before, 1) == {name: group.read[name] for name in before}


def coordinator_of(group: str, brokers: Mapping[int, Broker]) -> int:
    with next(iter(brokers.values())).client() as client:
        body = FindCoordinatorRequest(group)
        answer = client.ask(ApiKey.FIND_COORDINATOR, 3, body, FindCoordinatorResponse)
    assert answer.error_code == 0
    return int(answer.node_id)


@pytest.fixture
def three_brokers(tmp_path: Path, chroot: str) -> Iterator[dict[int, Broker]]:
    """Brokers 1 to 3; a test may kill some of them."""
    settings = {
        **GROUP_SETTINGS,
        "offsets.topic.replication.factor": "3",
        "zookeeper.session.timeout.ms": "4000",
    }
    brokers: dict[int, Broker] = {}
    try:
        for broker_id in (1, 2, 3):
            directory = tmp_path / f"broker-{broker_id}"
            brokers[broker_id] = start_broker(directory, chroot, broker_id, settings)
        # A topic may name no broker of which the controller does not know yet.
        wait_until_alive(",".join(each.bootstrap for each in brokers.values()), "1", "2", "3")
        yield brokers
    finally:
        for broker in brokers.values():
            broker.kill()
