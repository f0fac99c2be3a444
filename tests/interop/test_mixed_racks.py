"""Do our leader and Kafka's send a consumer to the same replicas (KIP-392), and is it served there?

Kafka's broker stands in rack a, and two of ours in rack b.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from cluster.broker.configs.supported_configs import RACK_SELECTOR
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ReplicaState,
)
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.maven import Maven
from tests.interop.mixed import Kafkas, Member, Mixed, Ours
from tests.interop.one_broker import one_broker
from tests.support.serving import RawClient
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop

TOPIC: Final = "orders"
KAFKAS, FIRST, SECOND = range(3)
REPLICAS: Final = [[KAFKAS, FIRST, SECOND], [FIRST, SECOND, KAFKAS]]
NOBODY: Final = -1
BY_NAME: Final = 12
OLDER: Final = 10
RECORD_COUNT: Final = 50


class Sending(NamedTuple):
    """What a leader says to a consumer in a rack."""

    error_code: int
    to: int
    has_records: bool
    high_watermark: int


def say(leader: Member, partition: int, rack: str, offset: int, version: int) -> Sending:
    part = FetchPartition(partition, fetch_offset=offset, partition_max_bytes=1 << 20)
    body = FetchRequest(
        replica_state=ReplicaState(), topics=[FetchTopic(TOPIC, partitions=[part])], rack_id=rack
    )
    with RawClient(int(leader.bootstrap.rsplit(":", 1)[1])) as client:
        answer = client.ask(ApiKey.FETCH, version, body, FetchResponse)
    ((data,),) = (topic.partitions for topic in answer.responses)
    return Sending(
        data.error_code, data.preferred_read_replica, bool(data.records), data.high_watermark
    )


@pytest.fixture
def mixed(chroot: str, java: str, maven: Maven, tmp_path: Path) -> Iterator[Mixed]:
    by_rack = {"replica.selector.class": RACK_SELECTOR}
    with one_broker(
        "3.9.1",
        chroot,
        java=java,
        maven=maven,
        directory=tmp_path,
        settings=by_rack | {"broker.rack": "a"},
    ) as cluster:
        ours, other = (
            Ours(tmp_path / f"ours-{one}", chroot, one, by_rack | {"broker.rack": "b"})
            for one in (FIRST, SECOND)
        )
        mixed = Mixed(ours, Kafkas(cluster), other)
        try:
            for member in mixed.members:
                member.start()
            mixed.until_all_are_known()
            yield mixed
        finally:
            for member in mixed.members:
                member.kill()


def test_leaders_send_consumers_where_the_others_would(mixed: Mixed) -> None:
    library = Confluent(mixed.bootstrap)
    library.create_topic(TOPIC, replicas=REPLICAS)
    mixed.until_leaders_are(TOPIC, {0: KAFKAS, 1: FIRST})
    mixed.until_isrs_are(TOPIC, dict(enumerate(REPLICAS)))
    sent = {
        part: [Sent(b"x" * 1000, partition=part)] * RECORD_COUNT for part in range(len(REPLICAS))
    }
    for records in sent.values():
        library.produce(TOPIC, records, acks="all")
    kafka: Member = mixed.kafkas
    ours: Member = mixed.ours
    served = Sending(0, NOBODY, True, RECORD_COUNT)

    def sent_to(*brokers: int) -> list[Sending]:
        return [Sending(0, one, False, RECORD_COUNT) for one in brokers]

    # Who has its rack, or is in none that the partition is in, is served by its leader.
    for leader, partition, rack, version in (
        *((kafka, 0, rack, BY_NAME) for rack in ("a", "c", "")),
        *((ours, 1, rack, BY_NAME) for rack in ("b", "c", "")),
        (kafka, 0, "b", OLDER),
        (ours, 1, "a", OLDER),
    ):
        assert served == say(leader, partition, rack, 0, version)
    # Everybody else is sent away, from the end of the log as well: to the only one there is, or to
    # either of two who have the same.
    for offset in (0, RECORD_COUNT):
        assert say(kafka, 0, "b", offset, BY_NAME) in sent_to(FIRST, SECOND)
        assert [say(ours, 1, "a", offset, BY_NAME)] == sent_to(KAFKAS)
    # Followers of both kinds serve it, as soon as they know what is committed.
    for follower, partition, rack in ((ours, 0, "b"), (kafka, 1, "a")):
        wait_until(
            lambda: served == say(follower, partition, rack, 0, BY_NAME),  # noqa: B023
            what=f"records of {TOPIC}-{partition} at broker {follower.broker_id}",
        )
    for partition, records in sent.items():
        for rack in ("a", "b"):
            got = library.consume(TOPIC, partition, 0, RECORD_COUNT, client_rack=rack)
            assert records == [one.record for one in got]
