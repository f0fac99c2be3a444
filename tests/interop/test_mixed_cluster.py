"""Do our broker and Kafka's make one cluster, whichever of them is the controller?

Partitions have one replica each: what is led by a broker that is away waits for it.
"""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.maven import Maven
from tests.interop.mixed import Kafkas, Member, Mixed, Ours, leaders_of
from tests.interop.one_broker import one_broker
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.interop, pytest.mark.faults]

NUMBERS = count(1)
RECORD_COUNT = 50


@pytest.fixture
def mixed(chroot: str, java: str, maven: Maven, tmp_path: Path) -> Iterator[Mixed]:
    """Our broker as the controller, and one of Kafka's."""
    with one_broker("3.9.1", chroot, java=java, maven=maven, directory=tmp_path) as cluster:
        mixed = Mixed(Ours(tmp_path / "ours", chroot), Kafkas(cluster))
        try:
            mixed.ours.start()
            mixed.kafkas.start()
            yield mixed
        finally:
            for member in mixed.members:
                member.kill()


class History:
    """All records of a topic of two partitions that were acknowledged."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.sent: dict[int, list[Sent]] = {0: [], 1: []}

    def extend(self, bootstrap: str) -> None:
        """Add records to both partitions, by one idempotent producer."""
        first = len(self.sent[0])
        for partition, before in self.sent.items():
            records = [
                Sent(b"%d" % number, partition=partition)
                for number in range(first, first + RECORD_COUNT)
            ]
            offsets = Confluent(bootstrap).produce(
                self.topic, records, enable_idempotence=True, acks="all"
            )
            assert list(range(first, first + RECORD_COUNT)) == offsets
            before += records

    def check(self, bootstrap: str) -> None:
        """All of it comes back."""
        for partition, sent in self.sent.items():
            got = Confluent(bootstrap).consume(self.topic, partition, 0, len(sent))
            assert [(offset, record.value) for offset, record in enumerate(sent)] == [
                (one.offset, one.record.value) for one in got
            ]


def live_under(mixed: Mixed, controller: Member, other: Member) -> History:
    """Make a topic, and let *other* leave and come back, in order and without a word."""
    history = History(f"orders-{next(NUMBERS)}")
    Confluent(controller.bootstrap).create_topic(history.topic, 2)
    leaders = two_leaders(other, history.topic)
    mixed.until_leaders_are(history.topic, leaders)
    history.extend(other.bootstrap)
    history.extend(controller.bootstrap)
    without = {of: -1 if at == other.broker_id else at for of, at in leaders.items()}

    other.stop()
    mixed.until_leaders_are(history.topic, without, controller)
    other.start()
    mixed.until_leaders_are(history.topic, leaders)
    history.check(controller.bootstrap)
    history.extend(other.bootstrap)

    other.kill()
    mixed.expire(other)
    mixed.until_leaders_are(history.topic, without, controller)
    other.start()
    mixed.until_leaders_are(history.topic, leaders)
    history.check(other.bootstrap)
    history.extend(controller.bootstrap)
    assert mixed.controller_id() == controller.broker_id
    return history


def two_leaders(member: Member, topic: str) -> dict[int, int]:
    """Which partition is led by which of the two brokers, once *member* says that both lead one."""
    leaders: dict[int, int] = {}

    def are_known() -> bool:
        leaders.update(leaders_of(member, topic))
        return sorted(leaders.values()) == [0, 1]

    wait_until(are_known, what=f"two leaders of {topic}")
    return leaders


@pytest.mark.smoke
def test_each_leads_and_obeys_beside_the_other_and_takes_over_as_controller(mixed: Mixed) -> None:
    ours, kafkas = mixed.ours, mixed.kafkas
    first = live_under(mixed, ours, kafkas)
    leaders = leaders_of(kafkas, first.topic)

    ours.stop()
    mixed.until_controlled_by(kafkas)
    ours.start()
    mixed.until_leaders_are(first.topic, leaders)
    first.check(kafkas.bootstrap)
    first.extend(ours.bootstrap)
    second = live_under(mixed, kafkas, ours)
    mixed.delete(first.topic, kafkas)

    kafkas.stop()
    mixed.until_controlled_by(ours)
    kafkas.start()
    second.check(ours.bootstrap)
    second.extend(kafkas.bootstrap)
    mixed.delete(second.topic, ours)
