"""Do our broker and Kafka's keep replicas of the same partitions, whichever of them leads?

A producer with acks=all goes on through all of it, and nothing that was acknowledged may be lost.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import pytest

from kadmin.local.ports import free_ports
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.faults.links import Links
from tests.interop.broker_settings import LOOPBACK
from tests.interop.brokers import RealCluster
from tests.interop.fetch_versions import ListeningLink
from tests.interop.kafka_tools import KafkaTools
from tests.interop.maven import Maven, needing_maven
from tests.interop.mixed import Kafkas, Member, Mixed, Ours, wait_for_equal_logs
from tests.interop.releases import KAFKA, version_tuple
from tests.support.acked_producer import AckedProducer, acked_producer
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.interop, pytest.mark.faults]

TOPIC: Final = "orders"
ALL: Final = {0: [0, 1, 2], 1: [0, 1, 2]}
TOOLS_WITH_API: Final = (2, 4)
"""Since then tools move replicas and elect leaders by brokers, who may be of older releases."""
LAG_MAX_MS: Final = "3000"
LIBRARY: Final = {
    "linger.ms": 5,
    "topic.metadata.refresh.interval.ms": 1000,
    "reconnect.backoff.max.ms": 500,
}


class Scene:
    """A mixed cluster, and the tools of its release."""

    def __init__(self, mixed: Mixed, third: Ours, tools: KafkaTools, directory: Path) -> None:
        self.mixed = mixed
        self.third = third
        self.tools = tools
        self.directory = directory

    def reassign(self, replicas: Mapping[int, Sequence[int]], *options: str) -> None:
        """Move partitions of the topic by Kafka's own tool, and wait until it says it is done."""
        file = self.directory / "move.json"
        moves = [
            {"topic": TOPIC, "partition": number, "replicas": list(ids)}
            for number, ids in replicas.items()
        ]
        file.write_text(json.dumps({"version": 1, "partitions": moves}))
        named = ("--reassignment-json-file", str(file))
        self.tools.done("reassign-partitions", "--execute", *named, *options)

        def is_done() -> bool:
            said = self.tools.done(
                "reassign-partitions", "--verify", "--preserve-throttles", *named
            )
            assert not [line for line in said if "failed" in line]
            finished = [line for line in said if line.endswith(("is complete.", "is completed."))]
            return len(finished) == len(moves)

        wait_until(is_done, what=f"the move to {replicas}")

    def check_by_dump(self, member: Member) -> None:
        """Let Kafka's dump tool look at all that a broker, which has ended in order, has."""
        files = [
            str(path)
            for path in sorted(member.data.glob(f"{TOPIC}-[0-9]/*"))
            if path.suffix in (".log", ".index", ".timeindex", ".snapshot")
        ]
        said = self.tools.done("dump-log", "--deep-iteration", "--files", ",".join(files))
        batches = [line for line in said if line.startswith("baseOffset: ")]
        assert batches
        assert not [line for line in batches if "isvalid: true" not in line]
        assert not [line for line in said if "not found" in line or "Mismatch" in line]

    def lead_one_each(self, producer: AckedProducer) -> None:
        """Let Kafka's broker lead one partition, and ours the other."""
        elect = ("--election-type", "preferred", "--all-topic-partitions")
        self.tools.done("leader-election", *elect)
        self.mixed.until_leaders_are(TOPIC, {0: 0, 1: 1})
        producer.make_progress()

    def freeze_third(self, producer: AckedProducer) -> None:
        """Let a follower lag behind both leaders, and catch up with them."""
        with self.third.frozen():
            self.mixed.until_isrs_are(TOPIC, {0: [0, 1], 1: [0, 1]})
            producer.make_progress()
        self.mixed.until_isrs_are(TOPIC, ALL)

    def check(self, producer: AckedProducer) -> None:
        """All that was acknowledged is there, and every replica has the same bytes."""
        for partition in range(producer.partitions):
            wait_for_equal_logs(self.mixed.members, f"{TOPIC}-{partition}")
        assert [] == producer.problems(self.mixed.bootstrap)

    def play(self, guest: Member, host: Member) -> None:
        """Let *guest* come to the cluster that *host* controls: it follows, leads, fails, comes
        back and has everything alone, while records are sent, of which none may be lost.
        """
        mixed = self.mixed
        Confluent(host.bootstrap).create_topic(TOPIC, replicas=[[host.broker_id]] * 2)
        with acked_producer(mixed.bootstrap, TOPIC, 2, LIBRARY) as producer:
            producer.make_progress()

            # The guest takes replicas, then the leadership of one: the host's follow it there.
            self.reassign({0: [0, 1, 2], 1: [1, 0, 2]})
            mixed.until_isrs_are(TOPIC, ALL)
            self.lead_one_each(producer)

            # It tells the host's controller who lags, and who does no more.
            self.freeze_third(producer)

            # It ends without a word, and comes back.
            guest.kill()
            mixed.expire(guest)
            self.lead_without(guest, host, producer)
            self.lead_one_each(producer)

            # It ends in order, and comes back.
            guest.stop()
            self.lead_without(guest, host, producer)

            # It has everything alone; then the host gets it all from there.
            self.reassign({0: [guest.broker_id], 1: [guest.broker_id]})
            mixed.until_leaders_are(TOPIC, {0: guest.broker_id, 1: guest.broker_id})
            producer.make_progress()
            both = [guest.broker_id, host.broker_id]
            self.reassign({0: [*both, 2], 1: [*reversed(both), 2]})
            mixed.until_isrs_are(TOPIC, ALL)
            producer.finish()

        self.check(producer)
        assert mixed.controller_id() == host.broker_id

    def lead_without(self, guest: Member, host: Member, producer: AckedProducer) -> None:
        """Let *host* lead all while *guest* is gone, and have it back in the ISRs."""
        self.mixed.until_leaders_are(TOPIC, {0: host.broker_id, 1: host.broker_id}, host)
        producer.make_progress()
        guest.start()
        self.mixed.until_isrs_are(TOPIC, ALL)


@contextmanager
def mixed_cluster(
    release: str,
    connect: str,
    *,
    java: str,
    maven: Maven,
    directory: Path,
    protocol: str | None = None,
) -> Iterator[Scene]:
    """Brokers that do not run yet: 0 is Kafka's, 1 and 2 are ours.

    *protocol* is Kafka's inter.broker.protocol.version, else that of the release.
    """
    settings = {"replica.lag.time.max.ms": LAG_MAX_MS}
    ours, third = (Ours(directory / f"ours-{n}", connect, n, settings) for n in (1, 2))
    if protocol is not None:
        settings = {**settings, "inter.broker.protocol.version": protocol}
    with_api = release if version_tuple(release) >= TOOLS_WITH_API else "2.8.2"
    with needing_maven():
        class_path, tools_path = (maven.class_path(KAFKA[one]) for one in (release, with_api))
    cluster = RealCluster(
        release,
        connect,
        java=java,
        class_path=class_path,
        directory=directory,
        brokers=1,
        settings=settings,
    )
    mixed = Mixed(ours, Kafkas(cluster), third)
    tools = KafkaTools(
        with_api,
        java=java,
        class_path=tools_path,
        directory=directory,
        bootstrap=cluster.bootstrap,
    )
    try:
        yield Scene(mixed, third, tools, directory)
    finally:
        for member in mixed.members:
            member.kill()


@pytest.mark.parametrize("release", ["2.8.2", "3.9.1"])
def test_ours_follows_leads_and_comes_back_under_kafkas_controller(
    release: str, chroot: str, java: str, maven: Maven, tmp_path: Path
) -> None:
    with mixed_cluster(release, chroot, java=java, maven=maven, directory=tmp_path) as scene:
        mixed, third = scene.mixed, scene.third
        ours, kafkas = mixed.ours, mixed.kafkas
        kafkas.start()
        mixed.until_controlled_by(kafkas)
        ours.start()
        third.start()
        mixed.until_all_are_known()
        scene.play(guest=ours, host=kafkas)
        ours.stop()
        scene.check_by_dump(ours)


@pytest.mark.parametrize(
    ("release", "protocol"),
    [("1.1.1", "1.1"), ("2.8.2", "2.6"), ("2.8.2", "2.8"), ("3.9.1", "3.9")],
)
def test_kafkas_broker_follows_leads_and_comes_back_under_our_controller(
    release: str, protocol: str, chroot: str, java: str, maven: Maven, tmp_path: Path
) -> None:
    with mixed_cluster(
        release, chroot, java=java, maven=maven, directory=tmp_path, protocol=protocol
    ) as scene:
        mixed, third = scene.mixed, scene.third
        ours, kafkas = mixed.ours, mixed.kafkas
        ours.start()
        mixed.until_controlled_by(ours)
        kafkas.start()
        third.start()
        mixed.until_all_are_known()
        scene.play(guest=kafkas, host=ours)
        third.stop()
        scene.check_by_dump(third)
        third.start()
        mixed.until_isrs_are(TOPIC, ALL)
        mixed.delete(TOPIC, ours)


@pytest.mark.parametrize(
    ("release", "protocol", "by_ours", "by_kafkas"),
    [
        ("1.1.1", "1.1", 7, 7),
        ("2.8.2", "2.6", 12, 11),
        ("2.8.2", "2.8", 12, 12),
        ("3.9.1", "3.9", 17, 17),
    ],
)
def test_followers_fetch_in_the_newest_version_that_their_leader_has(
    release: str,
    protocol: str,
    by_ours: int,
    by_kafkas: int,
    chroot: str,
    java: str,
    maven: Maven,
    tmp_path: Path,
) -> None:
    """Kafka's go by their inter.broker.protocol.version, ours by what the leader says it serves."""
    with needing_maven():
        class_path = maven.class_path(KAFKA[release])
    with closing(Links()) as links:
        to_ours, to_kafkas = (links.open(ListeningLink(0)) for _ in range(2))
        (to_ours.target,) = free_ports(1, LOOPBACK)
        listening = {
            "listeners": f"PLAINTEXT://{LOOPBACK}:{to_ours.target}",
            "advertised.listeners": f"PLAINTEXT://{LOOPBACK}:{to_ours.port}",
        }
        cluster = RealCluster(
            release,
            chroot,
            java=java,
            class_path=class_path,
            directory=tmp_path,
            brokers=1,
            settings={
                "advertised.listeners": f"PLAINTEXT://{LOOPBACK}:{to_kafkas.port}",
                "inter.broker.protocol.version": protocol,
            },
        )
        to_kafkas.target = cluster.brokers[0].place.port
        mixed = Mixed(Ours(tmp_path / "ours", chroot, 1, listening), Kafkas(cluster))
        try:
            mixed.kafkas.start()
            mixed.until_controlled_by(mixed.kafkas)
            mixed.ours.start()
            mixed.until_all_are_known()
            client = Confluent(mixed.bootstrap)
            client.create_topic(TOPIC, replicas=[[0, 1], [1, 0]])
            mixed.until_leaders_are(TOPIC, {0: 0, 1: 1})
            client.produce(TOPIC, [Sent(b"%d" % n, partition=n % 2) for n in range(20)])
            for partition in (0, 1):
                wait_for_equal_logs(mixed.members, f"{TOPIC}-{partition}")

            assert to_kafkas.fetch_versions == {by_ours}
            assert to_ours.fetch_versions == {by_kafkas}
        finally:
            for member in mixed.members:
                member.kill()
