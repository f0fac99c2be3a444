"""Does a broker of Kafka's take groups over from ours, and ours from it, with all offsets?"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition

from tests.clients.confluent import Confluent
from tests.interop.maven import Maven
from tests.interop.mixed import Kafkas, Member, Mixed, Ours, wait_for_leaders
from tests.interop.one_broker import one_broker
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = [pytest.mark.interop, pytest.mark.faults]

SETTINGS = {
    "offsets.topic.num.partitions": "4",
    "offsets.topic.replication.factor": "2",
    "auto.leader.rebalance.enable": "false",
}
GROUPS = tuple(f"{name}-{number}" for name in ("group", "readers") for number in range(4))
"""Two for each of the four partitions: one with a positive hash, one with a negative."""
OFFSETS = "__consumer_offsets"


@pytest.fixture
def mixed(chroot: str, java: str, maven: Maven, tmp_path: Path) -> Iterator[Mixed]:
    """Our broker as the controller, and one of Kafka's."""
    with one_broker(
        "3.9.1", chroot, java=java, maven=maven, directory=tmp_path, settings=SETTINGS
    ) as cluster:
        mixed = Mixed(Ours(tmp_path / "ours", chroot, settings=SETTINGS), Kafkas(cluster))
        try:
            mixed.ours.start()
            mixed.kafkas.start()
            yield mixed
        finally:
            for member in mixed.members:
                member.kill()


def commit(member: Member, offset: int) -> None:
    """Commit *offset* in every group, by whoever coordinates it."""
    for group in GROUPS:
        consumer = consumer_of(member, group)
        consumer.commit(offsets=[TopicPartition("orders", 0, offset)], asynchronous=False)
        consumer.close()


def until_all_have(member: Member, offset: int) -> None:
    """Wait until *offset* is what each group has; a new coordinator loads it first."""
    for group in GROUPS:
        wait_until(
            partial(has, member, group, offset), what=f"offset {offset} of {group} by {member}"
        )


def has(member: Member, group: str, offset: int) -> bool:
    consumer = consumer_of(member, group)
    try:
        (one,) = consumer.committed([TopicPartition("orders", 0)], timeout=OUTER_LIMIT_S)
    except KafkaException:
        return False
    finally:
        consumer.close()
    return bool(one.offset == offset)


def consumer_of(member: Member, group: str) -> Consumer:
    return Consumer({"bootstrap.servers": member.bootstrap, "group.id": group})


def take_over(mixed: Mixed, leaving: Member, staying: Member, offset: int) -> None:
    """Let *leaving* go and come back; meanwhile the other has what was committed, and commits."""
    leaving.stop()
    wait_for_leaders(staying, OFFSETS, dict.fromkeys(range(4), staying.broker_id))
    until_all_have(staying, offset)
    commit(staying, offset + 1)
    leaving.start()
    isr = (leaving.broker_id, staying.broker_id)
    mixed.until_isrs_are(OFFSETS, dict.fromkeys(range(4), isr))


def test_each_takes_groups_over_from_the_other(mixed: Mixed) -> None:
    ours, kafkas = mixed.ours, mixed.kafkas
    mixed.until_all_are_known()
    Confluent(ours.bootstrap).create_topic("orders", replicas=[[1, 0]])
    mixed.until_leaders_are("orders", {0: ours.broker_id})
    commit(ours, 1)

    take_over(mixed, kafkas, ours, 1)
    take_over(mixed, ours, kafkas, 2)
    take_over(mixed, kafkas, ours, 3)
    until_all_have(kafkas, 4)
