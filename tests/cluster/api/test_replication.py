"""Followers become equal to their leaders, byte by byte, whatever leaders do."""

from collections.abc import Sequence
from typing import Any

import pytest

from cluster.broker.replica_fetcher.manager import fetcher_number
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.model.java_hash import java_hash, signed
from cluster.storage.errors import KafkaStorageError
from cluster.storage.log.partition_log import PartitionLog
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from tests.cluster.api.network import Connection, Network
from tests.cluster.api.orders import failing, stop
from tests.cluster.api.world import EPOCH, ME, TOPIC_ID
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.logs import stored_bytes

ORDERS = TopicPartition("orders", 0)
WAIT_MS = 500
BACKOFF_MS = 1000


class Cluster(Network):
    """Brokers that host replicas of the same partitions, and are told who leads."""

    def __init__(self, *broker_ids: int) -> None:
        super().__init__()
        self.epoch = -1
        for broker_id in broker_ids:
            self.broker(broker_id)

    def lead(self, leader: int, *, partitions: int = 1, isr: Sequence[int] | None = None) -> None:
        """Let *leader* lead orders in a new epoch, and all others follow."""
        self.epoch += 1
        for broker_id in self.worlds:
            self.tell(broker_id, leader, partitions=partitions, isr=isr)

    def tell(
        self,
        broker_id: int,
        leader: int,
        *,
        partitions: int = 1,
        isr: Sequence[int] | None = None,
    ) -> None:
        """Let one broker hear who leads in the epoch of now."""
        world, replicas = self.worlds[broker_id], tuple(self.worlds)
        layout = {"orders": dict.fromkeys(range(partitions), replicas)}
        leaders = {("orders", index): leader for index in range(partitions)}
        world.tell_all(layout, leaders=leaders, brokers=self.worlds)
        for index in range(partitions):
            answer = world.order(
                "orders",
                index,
                leader=leader,
                leader_epoch=self.epoch,
                isr=isr or replicas,
                replicas=replicas,
            )
            assert answer.error_code == 0
            assert answer.topics[0].partition_errors[0].error_code == 0

    def advance(self, by_ms: int) -> None:
        """Let time go by, and the disks do their work."""
        for _ in range(by_ms):
            self.clock.advance(1)
            for world in self.worlds.values():
                world.settle()

    def log(self, broker_id: int, index: int = 0) -> PartitionLog:
        hosted = self.worlds[broker_id].broker.partitions.find_index("orders", index)
        assert hosted is not None
        return hosted.log

    def content(self, broker_id: int, index: int = 0) -> bytes:
        return stored_bytes(self.log(broker_id, index))

    def high_watermark(self, broker_id: int, index: int = 0) -> int:
        partitions = self.worlds[broker_id].broker.partitions
        return partitions.high_watermark(TopicPartition("orders", index))

    def write(self, broker_id: int, count: int = 1, index: int = 0) -> None:
        """Let a producer that wants no replication write a batch of *count* records."""
        data = self.worlds[broker_id].produce(batch(count), index=index, acks=1)
        (part,) = data.body.responses[0].partition_responses
        assert part.error_code == 0

    def connection(self, number: int = -1) -> Connection:
        return self.connections[number]


def order_for(
    count: int, *, leader: int, leader_epoch: int, replicas: Sequence[int]
) -> LeaderAndIsrRequest:
    """One order for *count* partitions of orders."""
    states = [
        LeaderAndIsrPartitionState(
            topic_name="orders",
            partition_index=index,
            controller_epoch=1,
            leader=leader,
            leader_epoch=leader_epoch,
            isr=replicas,
            partition_epoch=leader_epoch,
            replicas=replicas,
        )
        for index in range(count)
    ]
    return LeaderAndIsrRequest(
        controller_id=ME,
        controller_epoch=1,
        broker_epoch=EPOCH,
        topic_states=[LeaderAndIsrTopicState("orders", TOPIC_ID, states)],
    )


def fetches(connection: Connection) -> list[Any]:
    return [body for key, _, body in connection.asked if key is ApiKey.FETCH]


def test_followers_become_equal_to_their_leader_and_hear_what_is_committed():
    cluster = Cluster(0, 1, 2)
    cluster.lead(1)
    for count in (3, 1, 2):
        cluster.write(1, count)
        cluster.advance(7)

    assert cluster.content(1)
    for follower in (0, 2):
        assert cluster.content(1) == cluster.content(follower)
        assert cluster.log(1).epochs.starts == cluster.log(follower).epochs.starts
    cluster.advance(WAIT_MS + 10)
    assert [6, 6, 6] == [cluster.high_watermark(one) for one in (0, 1, 2)]


def test_a_fetch_waits_at_the_leader_and_names_only_what_has_changed():
    cluster = Cluster(0, 1)
    cluster.lead(1, partitions=3)
    cluster.advance(10)
    cluster.write(1, 2, index=2)
    cluster.advance(3 * WAIT_MS)

    (connection,) = cluster.connections
    first, *others = fetches(connection)
    assert 0 == first.session_epoch
    named = [
        (part.partition, part.fetch_offset)
        for body in others
        for topic in body.topics
        for part in topic.partitions
    ]
    assert (2, 2) == named[-1]
    assert {0, 1, 2} == {part.partition for topic in first.topics for part in topic.partitions} | {
        index for index, _ in named
    }
    assert list(range(1, len(others) + 1)) == [body.session_epoch for body in others]
    assert {first.session_id} | {body.session_id for body in others} == {0, others[0].session_id}
    assert len(others) < 12


def settled(cluster: Cluster, *broker_ids: int, index: int = 0) -> None:
    """All of them hold the same, and know that it is committed."""
    cluster.advance(2 * WAIT_MS + 20)
    first, *others = broker_ids
    end_offset = cluster.log(first, index).log_end_offset
    for other in others:
        assert cluster.content(first, index) == cluster.content(other, index)
    assert {end_offset} == {cluster.high_watermark(one, index) for one in broker_ids}


def parted(cluster: Cluster) -> None:
    """Broker 0 has records of epoch 0 that broker 1 lacks, which has led since and written, too."""
    cluster.lead(0)
    cluster.write(0, 2)
    cluster.advance(20)
    cluster.epoch += 1
    # Broker 0 has not heard of the new leader, and takes records that nobody else gets.
    cluster.tell(1, 1)
    cluster.write(0, 5)
    cluster.write(0, 4)
    cluster.write(1, 3)
    assert (11, 5) == (cluster.log(0).log_end_offset, cluster.log(1).log_end_offset)
    assert 2 == cluster.high_watermark(0)


LEADERS = {
    "that tells with each fetch where the logs part": {},
    "that does so, and calls topics by their names": {ApiKey.FETCH: 12},
    "that is asked for epochs": {ApiKey.FETCH: 11},
    "that answers for the epoch that was asked for": {
        ApiKey.FETCH: 5,
        ApiKey.OFFSET_FOR_LEADER_EPOCH: 0,
    },
    "without epochs": {ApiKey.FETCH: 4, ApiKey.OFFSET_FOR_LEADER_EPOCH: None},
}


@pytest.mark.parametrize("newest", LEADERS.values(), ids=LEADERS)
def test_a_former_leader_gives_up_what_its_successor_does_not_have(newest):
    cluster = Cluster(0, 1)
    cluster.newest = newest
    parted(cluster)

    cluster.tell(0, 1)

    settled(cluster, 1, 0)
    assert 5 == cluster.log(0).log_end_offset
    assert cluster.log(1).epochs.starts == cluster.log(0).epochs.starts
    assert [] == cluster.worlds[0].journal.warnings


@pytest.mark.parametrize("newest", [{}, {ApiKey.FETCH: 11}])
def test_logs_that_part_in_several_epochs_become_equal(newest):
    """The follower has an epoch that the leader has not, and lacks one that it has (KIP-279)."""
    cluster = Cluster(0, 1, 2)
    cluster.newest = newest
    cluster.lead(0)
    cluster.write(0, 2)
    cluster.advance(20)
    for leader in (1, 2, 1):
        # Each time an unclean election: nobody hears of what the one before has written.
        cluster.epoch += 1
        cluster.tell(leader, leader, isr=[leader])
        cluster.write(leader, 3)
    assert (8, 5) == (cluster.log(1).log_end_offset, cluster.log(2).log_end_offset)

    cluster.epoch += 1
    for broker_id in (2, 1, 0):
        cluster.tell(broker_id, 2)

    settled(cluster, 2, 1, 0)
    assert 5 == cluster.log(1).log_end_offset
    assert [
        "orders-0 is truncated to 5, below its high watermark of 8, as leader 2 says",
        "orders-0 is truncated to 2, below its high watermark of 5, as leader 2 says",
    ] == cluster.worlds[1].journal.warnings


@pytest.mark.parametrize("start", [7, 8, 9, 10, 11])
def test_a_follower_whose_records_the_leader_has_dropped_begins_anew(start: int):
    """Also where the records were dropped up to within a batch (KAFKA-6975), here one of three."""
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.write(1, 2)
    cluster.advance(20)
    cluster.end(0)
    # Alone in the ISR, it commits what it has: no more than that is ever dropped.
    cluster.epoch += 1
    cluster.tell(1, 1, isr=[1])
    lagging = cluster.log(1)
    for _ in range(3):
        cluster.write(1, 3)
    lagging.delete_records_before(start, 11)
    back = cluster.broker(0)
    cluster.epoch += 1
    cluster.tell(1, 1)
    cluster.tell(0, 1)
    cluster.write(1)

    cluster.advance(2 * WAIT_MS)
    log, first_offset = cluster.log(0), {7: 5, 8: 8, 9: 8, 10: 8, 11: 11}[start]
    assert (start, first_offset) == (log.log_start_offset, log.segments[0].base_offset)
    assert (12, 12) == (log.log_end_offset, cluster.high_watermark(0))
    assert stored_bytes(lagging).endswith(stored_bytes(log))
    assert [
        f"orders-0 ends at 0 here, and goes from {start} to 12 at its leader 1: it is fetched from"
        f" {start} on"
    ] == (back.journal.warnings)
    cluster.write(1)
    cluster.advance(2 * WAIT_MS)
    assert (13, 13) == (log.log_end_offset, cluster.high_watermark(0))


def test_a_follower_that_is_cut_within_the_batch_at_its_start_takes_it_anew():
    cluster = Cluster(0, 1)
    cluster.lead(1)
    for count in (3, 4, 2):
        cluster.write(1, count)
    cluster.advance(2 * WAIT_MS)
    cluster.log(1).delete_records_before(5, 9)
    cluster.write(1)
    cluster.advance(2 * WAIT_MS)
    follower = cluster.worlds[0].broker.partitions.find_index("orders", 0)
    assert follower is not None
    # A cut below what was committed, as after an unclean election, takes that back as well.
    follower.log.truncate_to(6, START_MS)
    follower.replica.high_watermark = follower.log.log_end_offset

    cluster.lead(1)
    cluster.advance(4 * WAIT_MS)

    assert (5, 10) == (cluster.log(0).log_start_offset, cluster.log(0).log_end_offset)
    assert cluster.content(1).endswith(cluster.content(0))


def test_a_leaders_log_start_spreads():
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.write(1, 4)
    cluster.advance(2 * WAIT_MS)

    cluster.log(1).delete_records_before(3, 4)
    cluster.write(1)
    cluster.advance(2 * WAIT_MS)

    assert 3 == cluster.log(0).log_start_offset
    starts = [
        part.log_start_offset
        for body in fetches(cluster.connection())
        for topic in body.topics
        for part in topic.partitions
    ]
    assert 3 == starts[-1]


def test_an_answer_to_what_was_asked_in_an_earlier_epoch_changes_nothing():
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.advance(20)
    cluster.write(1, 2)
    # The records are on their way when the follower hears of another leader.
    cluster.epoch += 1
    cluster.tell(0, 0)

    cluster.advance(20)

    assert 0 == cluster.log(0).log_end_offset
    assert not cluster.connection().is_open


def test_one_partition_that_is_refused_holds_up_no_other():
    cluster = Cluster(0, 1)
    cluster.lead(1, partitions=3)
    cluster.advance(20)
    leader = cluster.worlds[1]
    refused = leader.broker.partitions.find_index("orders", 1)
    assert refused is not None
    leader.broker.partitions._topics["orders"].pop(1)
    for index in (0, 2):
        cluster.write(1, 2, index)

    cluster.advance(5 * BACKOFF_MS)

    assert [2, 0, 2] == [cluster.log(0, index).log_end_offset for index in range(3)]
    assert [
        "ReplicaFetcher-0-1: orders-1 cannot be fetched from broker 1: NOT_LEADER_OR_FOLLOWER;"
        " asked again every 1000 ms"
    ] == cluster.worlds[0].journal.warnings
    leader.broker.partitions._topics["orders"][1] = refused
    cluster.write(1, 3, 1)
    cluster.advance(2 * BACKOFF_MS)
    assert 3 == cluster.log(0, 1).log_end_offset
    assert ["ReplicaFetcher-0-1: orders-1 can be fetched again"] == cluster.worlds[0].journal.infos[
        -1:
    ]


def test_a_damaged_batch_is_asked_for_again_and_told_once():
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.advance(20)

    def damage(key: ApiKey, body: Any) -> Any:
        return body._replace(
            responses=[
                topic._replace(partitions=[damaged(data) for data in topic.partitions])
                for topic in body.responses
            ]
        )

    def damaged(data: Any) -> Any:
        records = bytearray(data.records or b"")
        if records:
            records[70] ^= 1
        return data._replace(records=records)

    cluster.change = damage
    cluster.write(1, 2)
    cluster.advance(4 * BACKOFF_MS)
    assert 0 == cluster.log(0).log_end_offset
    (warning,) = cluster.worlds[0].journal.warnings
    assert "CORRUPT_MESSAGE" in warning

    cluster.change = lambda key, body: body
    settled(cluster, 1, 0)


IMPOSSIBLE = {
    "the end of an epoch that the log knows": EpochEndOffset(0, -5),
    "the end of no epoch": EpochEndOffset(-1, -(2**63)),
    "an epoch before all": EpochEndOffset(-(2**31), 1),
}


@pytest.mark.parametrize("told", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_a_leader_that_names_an_impossible_end_leaves_the_log_and_others_as_they_are(told):
    cluster = Cluster(0, 1)
    cluster.lead(1, partitions=2)
    if told.epoch >= -1:
        cluster.write(1, 3)
    cluster.advance(2 * WAIT_MS)
    before = cluster.content(0)

    def diverge(key: ApiKey, body: Any) -> Any:
        if key != ApiKey.FETCH:
            return body
        return body._replace(
            responses=[
                topic._replace(
                    partitions=[
                        data._replace(diverging_epoch=told, records=b"")
                        if data.partition_index == 0
                        else data
                        for data in topic.partitions
                    ]
                )
                for topic in body.responses
            ]
        )

    cluster.change = diverge
    cluster.write(1, 2)
    cluster.advance(2 * WAIT_MS)
    cluster.write(1, 4, 1)
    cluster.advance(2 * BACKOFF_MS)

    assert before == cluster.content(0)
    assert 0 == cluster.log(0).segments[0].base_offset
    assert 4 == cluster.log(0, 1).log_end_offset
    cluster.change = lambda key, body: body
    cluster.advance(2 * BACKOFF_MS)
    settled(cluster, 1, 0)


@pytest.mark.parametrize("ends", [-5, -(2**63)])
def test_a_leader_whose_log_ends_nowhere_is_asked_again(ends):
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.write(1, 3)
    cluster.advance(2 * WAIT_MS)
    before = cluster.content(0)

    def lie(key: ApiKey, body: Any) -> Any:
        if key == ApiKey.FETCH:
            return body._replace(
                responses=[
                    topic._replace(
                        partitions=[
                            data._replace(error_code=ErrorCode.OFFSET_OUT_OF_RANGE, records=None)
                            for data in topic.partitions
                        ]
                    )
                    for topic in body.responses
                ]
            )
        return body._replace(
            topics=[
                topic._replace(partitions=[data._replace(offset=ends) for data in topic.partitions])
                for topic in body.topics
            ]
        )

    cluster.change = lie
    cluster.write(1)
    cluster.advance(4 * BACKOFF_MS)

    assert before == cluster.content(0)
    assert [
        "ReplicaFetcher-0-1: orders-0 cannot be fetched from broker 1: the leader's log goes from"
        f" {ends} to {ends}; asked again every 1000 ms"
    ] == cluster.worlds[0].journal.warnings
    cluster.change = lambda key, body: body
    cluster.advance(2 * BACKOFF_MS)
    settled(cluster, 1, 0)


def test_a_leader_that_goes_and_comes_back_is_told_of_once_each():
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.write(1, 2)
    cluster.advance(20)
    gone = cluster.worlds[1]
    cluster.end(1)
    cluster.advance(4 * BACKOFF_MS)
    assert [
        "ReplicaFetcher-0-1: broker 1 at host1:9092, which leads 1 partitions that are followed"
        " here, does not answer: it has ended the connection; it is asked again every 1000 ms"
    ] == cluster.worlds[0].journal.warnings

    cluster.worlds[1] = gone
    cluster.write(1, 2)
    settled(cluster, 1, 0)

    assert ["ReplicaFetcher-0-1: broker 1 answers again"] == cluster.worlds[0].journal.infos
    assert 1 == len(cluster.worlds[0].journal.warnings)


@pytest.mark.parametrize("version", [0, 4])
def test_a_leader_whose_fetches_do_not_say_where_logs_part_is_asked_again_when_it_comes_back(
    version: int,
) -> None:
    """It may have lost the end of its log."""
    cluster = Cluster(0, 1)
    cluster.newest = {ApiKey.FETCH: 5, ApiKey.OFFSET_FOR_LEADER_EPOCH: version}
    cluster.lead(1)
    cluster.write(1, 2)
    settled(cluster, 1, 0)
    gone = cluster.worlds[1]
    cluster.end(1)
    cluster.advance(20)

    cluster.worlds[1] = gone
    cluster.advance(2 * BACKOFF_MS)

    assert ApiKey.OFFSET_FOR_LEADER_EPOCH is cluster.connection().asked[0][0]


def test_a_leader_that_is_told_of_again_is_asked_at_once_where_it_is_now():
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.advance(20)
    gone = cluster.worlds[1]
    cluster.end(1)
    cluster.advance(20)
    cluster.worlds[0].tell_all({}, brokers=[0])
    cluster.worlds[1] = gone
    opened_count = len(cluster.connections)

    cluster.worlds[0].tell_all({}, brokers=[0, 1])
    cluster.advance(5)

    assert opened_count + 1 == len(cluster.connections)


def test_a_session_that_the_leader_has_forgotten_is_begun_anew():
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.advance(2 * WAIT_MS)
    cluster.worlds[1].broker.fetch_sessions.end(fetches(cluster.connection())[-1].session_id)
    cluster.write(1, 2)

    settled(cluster, 1, 0)

    assert 2 == [body.session_epoch for body in fetches(cluster.connection())].count(0)


def diverging(body: FetchRequest) -> FetchResponse:
    """A leader that says of each partition that it parts where the follower's log ends."""
    return FetchResponse(
        session_id=1,
        responses=[
            FetchableTopicResponse(
                topic.topic,
                partitions=[
                    PartitionData(
                        part.partition,
                        high_watermark=2,
                        diverging_epoch=EpochEndOffset(0, part.fetch_offset),
                    )
                    for part in topic.partitions
                ],
            )
            for topic in body.topics
        ],
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        lambda body: FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND),
        lambda body: FetchResponse(error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH),
        lambda body: FetchResponse(session_id=1),
        lambda body: FetchResponse(session_id=0),
        diverging,
    ],
)
def test_a_leader_that_answers_at_once_and_in_vain_is_left_alone_for_a_while(said):
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.write(1, 2)
    settled(cluster, 1, 0)
    cluster.advance(2 * WAIT_MS)
    cluster.instead = lambda api_key, body: said(body) if api_key is ApiKey.FETCH else None
    cluster.write(1, 2)
    cluster.advance(WAIT_MS)
    before = len(fetches(cluster.connection()))

    cluster.advance(10 * BACKOFF_MS)

    # Ten for each back-off, which takes 20 ms more than the back-off.
    assert 90 <= len(fetches(cluster.connection())) - before <= 100
    in_vain = (
        "ReplicaFetcher-0-1: broker 1 has answered 10 times at once, and nothing came of it; it is"
        " asked again every 1000 ms"
    )
    assert [in_vain] == cluster.worlds[0].journal.warnings
    cluster.instead = lambda api_key, body: None
    cluster.write(1, 2)
    cluster.advance(2 * BACKOFF_MS)
    assert cluster.content(1) == cluster.content(0)
    again = "ReplicaFetcher-0-1: broker 1 has answers again"
    assert 1 == cluster.worlds[0].journal.infos.count(again)


def test_answers_that_bring_records_are_never_waited_with():
    """However quickly they follow on each other, and whatever else changes nothing between them."""
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.advance(20)

    for _ in range(50):
        cluster.write(1)
        cluster.advance(4)

    assert cluster.content(1) == cluster.content(0)
    assert 50 <= len(fetches(cluster.connection()))


def test_a_fenced_follower_waits_for_another_order():
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.advance(20)
    cluster.epoch += 1
    cluster.tell(1, 1)
    cluster.write(1, 2)
    cluster.advance(3 * BACKOFF_MS)
    assert 0 == cluster.log(0).log_end_offset
    assert [
        "ReplicaFetcher-0-1: the controller's order is awaited for orders-0: broker 1 has a newer"
        " leader epoch"
    ] == cluster.worlds[0].journal.infos[-1:]
    assert [] == cluster.worlds[0].journal.errors

    cluster.tell(0, 1)

    settled(cluster, 1, 0)


def test_a_leader_with_a_newer_epoch_costs_one_line_an_answer_until_the_controller_orders_anew():
    """A controlled shutdown moves many leaders, and the leader hears of it before the follower."""
    cluster = Cluster(0, 1)
    cluster.lead(1, partitions=8)
    cluster.advance(10)
    journal = cluster.worlds[0].journal
    told = len(journal.infos)

    cluster.epoch += 1
    cluster.tell(1, 1, partitions=8)
    cluster.advance(3 * BACKOFF_MS)

    # The first order ends the fetch that waits at the leader; the next one meets all the others.
    start, end = (
        "ReplicaFetcher-0-1: the controller's order is awaited for ",
        ": broker 1 has a newer",
    )
    assert [
        f"{start}orders-0{end} leader epoch",
        f"{start}orders-1, orders-2, orders-3, orders-4, orders-5 and 2 others{end} leader epoch",
    ] == journal.infos[told:]
    assert [] == journal.errors
    assert [] == journal.warnings

    cluster.tell(0, 1, partitions=8)
    for index in range(8):
        cluster.write(1, 2, index=index)
    cluster.advance(WAIT_MS)

    assert all(cluster.content(1, index) == cluster.content(0, index) for index in range(8))


def test_a_partition_that_ends_is_not_fetched_any_more():
    cluster = Cluster(0, 1)
    cluster.lead(1, partitions=2)
    cluster.advance(20)
    stop(cluster.worlds[0])
    cluster.write(1, 2, 0)
    cluster.write(1, 2, 1)
    cluster.advance(3 * WAIT_MS)

    assert cluster.worlds[0].broker.partitions.find(ORDERS) is None
    assert cluster.content(1, 1) == cluster.content(0, 1)
    assert [0] in [
        list(topic.partitions)
        for body in fetches(cluster.connection())
        for topic in body.forgotten_topics_data
    ]


def test_a_failed_disk_ends_the_fetching_of_its_partitions_alone():
    cluster = Cluster()
    cluster.broker(0, directories=("/data", "/other"))
    cluster.broker(1)
    cluster.lead(1, partitions=2)
    cluster.advance(20)
    lost = next(index for index in (0, 1) if cluster.log(0, index).directory.startswith("/other"))
    follower = cluster.worlds[0]
    follower.files.fault = failing("write", "/other")
    for index in (0, 1):
        cluster.write(1, 2, index)
    cluster.advance(3 * BACKOFF_MS)

    assert cluster.log(0, lost).is_offline
    assert cluster.content(1, 1 - lost) == cluster.content(0, 1 - lost)
    assert ([], []) == (follower.journal.warnings, follower.journal.errors)
    assert len(follower.broker.replica_stops.notice_failed_directories()) == 1


@pytest.mark.slow
def test_many_logs_are_cut_by_one_write_of_the_checkpoint():
    count = 40
    cluster = Cluster(0, 1)
    cluster.lead(0, partitions=count)
    cluster.advance(20)
    cluster.epoch += 1
    cluster.tell(1, 1, partitions=count)
    for index in range(count):
        cluster.write(0, 3, index)
        cluster.write(1, 2, index)
        cluster.log(0, index).flush(0)
    follower = cluster.worlds[0]
    follower.logs.write_checkpoints()
    follower.files.operations.clear()

    replicas = (0, 1)
    follower.tell_all(
        {"orders": dict.fromkeys(range(count), replicas)},
        leaders={("orders", index): 1 for index in range(count)},
        brokers=replicas,
    )
    body = order_for(count, leader=1, leader_epoch=cluster.epoch, replicas=replicas)
    follower.ask_now(ApiKey.LEADER_AND_ISR, body)
    cluster.advance(200)

    for index in range(count):
        assert cluster.content(1, index) == cluster.content(0, index)
    renamed = [one for one in follower.files.operations if "recovery-point" in one]
    assert 1 == sum(one.startswith("rename") for one in renamed)


def test_an_order_that_comes_before_a_log_is_cut_leaves_it_whole():
    cluster = Cluster(0, 1)
    parted(cluster)
    cluster.tell(0, 1)
    # The checkpoint is on its way to the disk: only the clock goes on.
    cluster.clock.advance(20)
    follower = cluster.worlds[0]
    assert follower.disks.waiting

    follower.broker.replica_fetchers.stop([ORDERS])
    cluster.advance(50)

    assert 11 == cluster.log(0).log_end_offset
    cluster.epoch += 1
    cluster.tell(0, 0)
    cluster.tell(1, 0)
    settled(cluster, 0, 1)


def test_partitions_are_spread_over_fetchers_as_kafka_spreads_them():
    """As AbstractFetcherManager.getFetcherId does; of these texts Java's hashes are well known."""
    assert 105 * 31 + 100 == java_hash("id")
    assert 99162322 == java_hash("hello")
    # Two characters for Java: 0xD83D and 0xDE00.
    assert 31 * 0xD83D + 0xDE00 == java_hash("\U0001f600")
    assert 0 == java_hash("")
    assert -(2**31) == java_hash("polygenelubricants") == signed(2**31)
    numbers = [fetcher_number(TopicPartition("id", index), 3) for index in range(4)]
    assert [(31 * 3355 + index) % 3 for index in range(4)] == numbers
    assert {0, 1} == {fetcher_number(TopicPartition("__consumer_offsets", i), 2) for i in range(9)}


def test_more_fetchers_take_their_part_while_the_broker_runs():
    cluster = Cluster(0, 1)
    cluster.lead(1, partitions=6)
    cluster.advance(20)

    cluster.worlds[0].broker.replica_fetchers.resize(3)
    cluster.worlds[0].broker.replica_fetchers.resize(3)
    cluster.advance(20)
    for index in range(6):
        cluster.write(1, 2, index)
    cluster.advance(20)

    for index in range(6):
        assert cluster.content(1, index) == cluster.content(0, index)
    assert 3 == sum(connection.is_open for connection in cluster.connections)


def test_a_broker_that_stops_fetches_nothing_any_more():
    cluster = Cluster(0, 1)
    cluster.lead(1)
    cluster.advance(20)

    cluster.worlds[0].broker.stop()
    cluster.write(1)
    cluster.advance(3 * BACKOFF_MS)

    assert 0 == cluster.log(0).log_end_offset
    assert not any(connection.is_open for connection in cluster.connections)


def test_a_throttled_follower_is_held_back_until_its_rate_allows_more():
    """One that has what is committed is not: it may be in the ISR."""
    cluster = Cluster(0, 1)
    cluster.epoch += 1
    cluster.tell(1, 1, partitions=3, isr=[1])
    for index in (0, 1):
        for _ in range(10):
            cluster.write(1, 50, index)
    cluster.tell(0, 1, partitions=3, isr=[1])
    throttle = cluster.worlds[0].broker.throttles.follower
    throttle.rate = 1000
    throttle.throttle("orders", (0, 2))
    throttle.record(20_000, cluster.clock.now_ms())
    followed = next(iter(cluster.worlds[0].broker.replica_fetchers._fetchers.values()))
    cluster.advance(3000)

    assert 0 == cluster.log(0, 0).log_end_offset
    assert cluster.content(1, 1) == cluster.content(0, 1)
    cluster.advance(25_000)
    assert cluster.content(1, 0) == cluster.content(0, 0)

    throttle.record(200_000, cluster.clock.now_ms())
    cluster.write(1, 3, 2)
    cluster.advance(WAIT_MS)
    assert cluster.content(1, 2) == cluster.content(0, 2)
    assert not followed._partitions.throttled


def test_with_nothing_else_to_fetch_a_throttled_follower_looks_again_after_a_while():
    cluster = Cluster(0, 1)
    cluster.epoch += 1
    cluster.tell(1, 1, isr=[1])
    cluster.write(1, 50)
    cluster.tell(0, 1, isr=[1])
    throttle = cluster.worlds[0].broker.throttles.follower
    throttle.rate = 1000
    throttle.throttle("orders", (0,))
    throttle.record(5000, cluster.clock.now_ms())

    cluster.advance(3000)
    assert 0 == cluster.log(0).log_end_offset
    assert not fetches(cluster.connection())
    throttle.release("orders")
    cluster.advance(BACKOFF_MS + 10)

    assert cluster.content(1) == cluster.content(0)


def flushing_cluster() -> Cluster:
    """Of 0, which leads, and 1; each record has to be durable."""
    cluster = Cluster(0, 1)
    for world in cluster.worlds.values():
        world.store.configs["orders"] = {"flush.messages": "1"}
    cluster.lead(0)
    cluster.advance(20)
    leader = cluster.worlds[0]
    leader.produce(batch(1), acks=-1)
    leader.finish_flushes()
    cluster.advance(WAIT_MS)
    return cluster


def test_a_follower_says_that_it_has_what_has_to_be_durable_when_it_is():
    """What a fetch asks for is counted as committed; all machines may lose their power then."""
    cluster = flushing_cluster()
    assert cluster.log(1).log_end_offset == 1
    assert (cluster.high_watermark(0), cluster.log(1).recovery_point) == (0, 0)

    cluster.worlds[1].finish_flushes()
    cluster.advance(WAIT_MS)

    assert (cluster.high_watermark(0), cluster.log(1).recovery_point) == (1, 1)


def test_a_follower_of_another_leader_flushes_first_what_it_has():
    cluster = flushing_cluster()
    cluster.epoch += 1
    for broker_id in (0, 1):
        cluster.tell(broker_id, 0)
    cluster.advance(WAIT_MS)
    assert cluster.high_watermark(0) == 0

    cluster.worlds[1].finish_flushes()
    cluster.advance(WAIT_MS)

    assert cluster.high_watermark(0) == 1


def test_a_follower_whose_disk_fails_to_flush_fetches_the_partition_no_more():
    cluster = flushing_cluster()
    follower = cluster.worlds[1]
    count = len(fetches(cluster.connection()))

    follower.finish_flushes(KafkaStorageError("/data", "gone"))
    cluster.advance(WAIT_MS)

    assert len(fetches(cluster.connection())) == count
    assert cluster.high_watermark(0) == 0


def test_a_follower_that_stops_amid_a_flush_asks_nothing_afterwards():
    cluster = flushing_cluster()
    follower = cluster.worlds[1]
    count = len(cluster.connections)
    follower.broker.stop()

    follower.finish_flushes()
    cluster.advance(WAIT_MS)

    assert len(cluster.connections) == count
