"""Do our broker and Kafka's keep replicas of the same partitions, whichever of them leads?

A producer with acks=all goes on through all of it, and nothing that was acknowledged may be lost.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.clients.confluent import Confluent
from tests.interop.brokers import RealCluster
from tests.interop.kafka_tools import KafkaTools
from tests.interop.maven import Maven, needing_maven
from tests.interop.mixed import (
    WAIT_S,
    Kafkas,
    Member,
    Mixed,
    Ours,
    wait_for_equal_logs,
)
from tests.interop.releases import KAFKA
from tests.interop.steady import SteadyProducer, steady_producer
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.interop, pytest.mark.faults, pytest.mark.timeout(300)]

TOPIC: Final = "orders"


class Scene:
    """A mixed cluster, and the tools of its release."""

    def __init__(self, mixed: Mixed, tools: KafkaTools, directory: Path) -> None:
        self.mixed = mixed
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
            said = self.tools.done("reassign-partitions", "--verify", *named)
            assert not [line for line in said if "failed" in line]
            finished = [line for line in said if line.endswith(("is complete.", "is completed."))]
            return len(finished) == len(moves)

        wait_until(is_done, timeout_s=WAIT_S, what=f"the move to {replicas}")

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

    def elect_preferred(self) -> None:
        elect = ("--election-type", "preferred", "--all-topic-partitions")
        self.tools.done("leader-election", *elect)


@contextmanager
def mixed_cluster(
    release: str,
    connect: str,
    *,
    java: str,
    maven: Maven,
    directory: Path,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Scene]:
    with needing_maven():
        class_path = maven.class_path(KAFKA[release])
    cluster = RealCluster(
        release,
        connect,
        java=java,
        class_path=class_path,
        directory=directory,
        brokers=1,
        settings=settings,
    )
    mixed = Mixed(Ours(directory / "ours", connect), Kafkas(cluster))
    tools = KafkaTools(
        release, java=java, class_path=class_path, directory=directory, bootstrap=cluster.bootstrap
    )
    try:
        yield Scene(mixed, tools, directory)
    finally:
        for member in mixed.members:
            member.kill()


BOTH: Final = {0: [0, 1], 1: [0, 1]}


@pytest.mark.parametrize("release", ["2.8.2", "3.9.1"])
def test_ours_follows_leads_and_comes_back_under_kafkas_controller(
    release: str, chroot: str, java: str, maven: Maven, tmp_path: Path
) -> None:
    with mixed_cluster(release, chroot, java=java, maven=maven, directory=tmp_path) as scene:
        mixed = scene.mixed
        ours, kafkas = mixed.ours, mixed.kafkas
        kafkas.start()
        mixed.until_controlled_by(kafkas)
        ours.start()
        mixed.until_all_are_known()
        Confluent(kafkas.bootstrap).create_topic(TOPIC, replicas=[[0], [0]])
        with steady_producer(mixed.bootstrap, TOPIC, 2) as producer:
            producer.make_progress()

            # Ours takes replicas, then the leadership of one: the other's leader follows it there.
            scene.reassign({0: [0, 1], 1: [1, 0]})
            mixed.until_isrs_are(TOPIC, BOTH)
            lead_both(scene, producer)

            # It ends without a word, and comes back.
            ours.kill()
            mixed.expire(ours)
            mixed.until_leaders_are(TOPIC, {0: 0, 1: 0}, kafkas)
            producer.make_progress()
            ours.start()
            mixed.until_isrs_are(TOPIC, BOTH)
            lead_both(scene, producer)

            # It ends in order, and comes back.
            ours.stop()
            mixed.until_leaders_are(TOPIC, {0: 0, 1: 0}, kafkas)
            producer.make_progress()
            ours.start()
            mixed.until_isrs_are(TOPIC, BOTH)

            # It has everything alone; then Kafka's broker gets it all from there.
            scene.reassign({0: [1], 1: [1]})
            mixed.until_leaders_are(TOPIC, {0: 1, 1: 1})
            producer.make_progress()
            scene.reassign({0: [1, 0], 1: [0, 1]})
            mixed.until_isrs_are(TOPIC, BOTH)
            producer.finish()

        check_replicas(scene, producer)
        # What the controller has agreed to came from our leader.
        for partition in (0, 1):
            assert f"[Partition {TOPIC}-{partition} broker=1] ISR updated to" in ours.running.log()
        assert mixed.controller_id() == kafkas.broker_id
        ours.stop()
        scene.check_by_dump(ours)


def lead_both(scene: Scene, producer: SteadyProducer) -> None:
    """Let each broker lead one partition."""
    scene.elect_preferred()
    scene.mixed.until_leaders_are(TOPIC, {0: 0, 1: 1})
    producer.make_progress()


def check_replicas(scene: Scene, producer: SteadyProducer) -> None:
    """All that was acknowledged is there, and every replica has the same bytes."""
    for partition in producer.acknowledged:
        wait_for_equal_logs(scene.mixed.members, f"{TOPIC}-{partition}")
    producer.check(scene.mixed.bootstrap)
