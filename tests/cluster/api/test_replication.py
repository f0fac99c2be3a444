"""Followers become equal to their leaders, byte by byte, whatever leaders do."""

from collections.abc import Sequence
from typing import Any

from cluster.model.ids import TopicPartition
from cluster.storage.log import PartitionLog
from cluster.wire.api_keys import ApiKey
from tests.cluster.api.network import Connection, Network
from tests.cluster.storage.batches import batch
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
        return self.worlds[broker_id].broker.high_watermark(TopicPartition("orders", index))

    def write(self, broker_id: int, count: int = 1, index: int = 0) -> None:
        """Let a producer that wants no replication write a batch of *count* records."""
        data = self.worlds[broker_id].produce(batch(count), index=index, acks=1)
        (part,) = data.body.responses[0].partition_responses
        assert part.error_code == 0

    def connection(self, number: int = -1) -> Connection:
        return self.connections[number]


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
