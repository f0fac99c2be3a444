"""How do brokers of Kafka's and of ours make one cluster over one ZooKeeper?

Waits look at ZooKeeper, where the controller writes what it decided, and ask each broker itself.
"""

import json
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import md5
from pathlib import Path
from typing import Any, Final, Protocol, cast

from kazoo.exceptions import NoNodeError

from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from tests.clients.confluent import Confluent
from tests.interop.brokers import RealCluster
from tests.interop.outages import unregister
from tests.interop.znodes import json_at
from tests.support.brokers import Broker, start_broker
from tests.support.serving import RawClient
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of

HAS_MOVED_LEADERS: Final = (
    "Controlled shutdown request returned successfully",
    "Controlled shutdown succeeded",
)
"""What a broker of Kafka's says whose controller has moved its leaderships: 3.9, and 2.8."""


class Member(Protocol):
    """A broker of the cluster, whoever made it."""

    broker_id: int

    @property
    def bootstrap(self) -> str: ...

    @property
    def data(self) -> Path: ...

    def start(self) -> None: ...

    def stop(self) -> None:
        """End it in order."""

    def kill(self) -> None: ...


class Ours:
    def __init__(
        self,
        directory: Path,
        connect: str,
        broker_id: int = 1,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.directory = directory
        self.connect = connect
        self.broker_id = broker_id
        self.settings = settings
        self.broker: Broker | None = None

    @property
    def running(self) -> Broker:
        assert self.broker is not None
        return self.broker

    @property
    def bootstrap(self) -> str:
        return self.running.bootstrap

    @property
    def data(self) -> Path:
        return self.directory / "data"

    def start(self) -> None:
        self.broker = start_broker(self.directory, self.connect, self.broker_id, self.settings)

    def stop(self) -> None:
        assert self.running.terminate() == 0
        assert "Leaderships are moved away" in self.running.log()

    def kill(self) -> None:
        if self.broker is not None:
            self.broker.kill()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """It does nothing inside, and nobody is told."""
        process = self.running.process
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)


class Kafkas:
    """The broker *broker_id* of a cluster that is Kafka's as far as it goes."""

    def __init__(self, cluster: RealCluster, broker_id: int = 0) -> None:
        self.cluster = cluster
        self.broker_id = broker_id

    @property
    def bootstrap(self) -> str:
        return self.cluster.bootstrap_of(self.broker_id)

    @property
    def data(self) -> Path:
        return self.cluster.brokers[self.broker_id].directory / "data"

    def start(self) -> None:
        self.cluster.start(self.broker_id)

    def stop(self) -> None:
        self.cluster.stop(self.broker_id)
        said = self.cluster.brokers[self.broker_id].server.log.read_text()
        assert any(line in said for line in HAS_MOVED_LEADERS)

    def kill(self) -> None:
        self.cluster.kill(self.broker_id)


class Mixed:
    """The brokers of a cluster."""

    def __init__(self, ours: Ours, kafkas: Kafkas, *others: Member) -> None:
        self.ours = ours
        self.kafkas = kafkas
        self.members: tuple[Member, ...] = (ours, kafkas, *others)
        self.connect = ours.connect

    @property
    def bootstrap(self) -> str:
        return ",".join(member.bootstrap for member in self.members)

    def expire(self, member: Member) -> None:
        """Remove what a killed broker has left, as ZooKeeper does after a while."""
        unregister(self.connect, member.broker_id)

    def controller_id(self) -> int | None:
        """Who is the controller; None while nobody is."""
        with client_of(self.connect) as client, suppress(NoNodeError):
            return int(json.loads(client.get("/controller")[0])["brokerid"])
        return None

    def until_controlled_by(self, member: Member) -> None:
        wait_until(
            lambda: self.controller_id() == member.broker_id,
            what=f"the election of broker {member.broker_id}",
        )

    def until_all_are_known(self) -> None:
        """Wait until every broker tells clients of every other."""
        ids = {member.broker_id for member in self.members}
        for member in self.members:
            wait_until(
                lambda member=member: brokers_known_to(member) == ids,  # type: ignore[misc]
                what=f"brokers {ids} at broker {member.broker_id}",
            )

    def until_leaders_are(self, topic: str, leaders: dict[int, int], *members: Member) -> None:
        """Wait until *members*, or all, tell clients so."""
        for member in members or self.members:
            wait_for_leaders(member, topic, leaders)

    def states(self, topic: str) -> dict[int, dict[str, Any]]:
        """What ZooKeeper has of each partition that has a state."""
        with client_of(self.connect) as client:
            assignment = json_at(client, f"/brokers/topics/{topic}") or {"partitions": {}}
            numbers = sorted(map(int, assignment["partitions"]))
            paths = {n: f"/brokers/topics/{topic}/partitions/{n}/state" for n in numbers}
            found = {number: json_at(client, path) for number, path in paths.items()}
        return {number: state for number, state in found.items() if state is not None}

    def until_isrs_are(self, topic: str, isrs: Mapping[int, Iterable[int]]) -> None:
        """Wait until each partition has these in its ISR, in whatever order."""
        wanted = {number: sorted(isr) for number, isr in isrs.items()}
        found: dict[int, list[int]] = {}

        def are_so() -> bool:
            states = self.states(topic)
            found.update({number: sorted(state["isr"]) for number, state in states.items()})
            return found == wanted

        try:
            wait_until(are_so, what=f"ISRs {wanted} of {topic}")
        except AssertionError as error:
            raise AssertionError(f"{error}; they are {found}") from None

    def delete(self, topic: str, member: Member) -> None:
        """Let *member* delete *topic*, and wait until nothing is left of it anywhere."""
        Confluent(member.bootstrap).delete_topic(topic)
        for one in self.members:
            wait_for_nothing(partial(one.data.glob, f"{topic}-[0-9]"), f"logs of {topic}")
        with client_of(self.connect) as client:
            wait_for_nothing(lambda: client.get_children("/admin/delete_topics"), "requests")
            assert topic not in client.get_children("/brokers/topics")


def wait_for_nothing(find: Callable[[], Iterable[object]], what: str) -> None:
    wait_until(lambda: not list(find()), what=f"no {what}")


def wait_for_leaders(member: Member, topic: str, leaders: dict[int, int]) -> None:
    what = f"leaders {leaders} of {topic} at broker {member.broker_id}"
    wait_until(lambda: leaders_of(member, topic) == leaders, what=what)


def leaders_of(member: Member, topic: str) -> dict[int, int]:
    """The leader of each partition, -1 for none, as *member* itself says; empty if it knows none.

    A library asks whichever broker it has heard of.
    """
    (found,) = metadata_of(member.bootstrap, topic).topics
    return {one.partition_index: one.leader_id for one in found.partitions}


def brokers_known_to(member: Member) -> set[int]:
    return {one.node_id for one in metadata_of(member.bootstrap).brokers}


def metadata_of(bootstrap: str, *topics: str) -> MetadataResponse:
    """What the broker at *bootstrap* tells clients, of *topics* if any are named."""
    asked = [MetadataRequestTopic(name=topic) for topic in topics]
    body = MetadataRequest(asked, allow_auto_topic_creation=False)
    with RawClient(int(bootstrap.rpartition(":")[2])) as client:
        return cast(MetadataResponse, client.ask(ApiKey.METADATA, 5, body, MetadataResponse))


def digest(member: Member, partition: str) -> tuple[int, str]:
    """Size and MD5 of all records of *partition* on the disk of *member*.

    Replicas of the same batches may have begun their segments at different ones.
    """
    size, records = 0, md5()
    for segment in sorted((member.data / partition).glob("*.log")):
        content = segment.read_bytes()
        size += len(content)
        records.update(content)
    return size, records.hexdigest()


def wait_for_equal_logs(members: Sequence[Member], partition: str) -> None:
    """Wait until all have the same bytes of *partition*."""
    found: list[tuple[int, str]] = []

    def are_equal() -> bool:
        found[:] = [digest(member, partition) for member in members]
        return len(set(found)) == 1 and found[0][0] > 0

    try:
        wait_until(are_equal, what=f"equal logs of {partition}")
    except AssertionError as error:
        raise AssertionError(f"{error}; they are {found}") from None
