"""Whatever becomes of a leader's proposals, every member of the ISR has what is committed.

One leader, followers that copy, and a ZooKeeper that takes a proposal long before, or without, its
leader's hearing of it.
"""

from random import Random

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, LeaderEpoch, ZkVersion
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.replication.follower_state import FetchTime
from cluster.replication.isr import PendingIsrChange
from cluster.replication.replica import IsrRules, Replica
from tests.cluster.replication.leading import LAG_MS, ME, state
from tests.support.examples import example_count
from tests.support.seeds import seeds

REPLICAS = tuple(map(BrokerId, (1, 2, 3, 4)))


class Partition:
    """The truth, and what its leader believes."""

    def __init__(self, seed: int) -> None:
        self.lots = Random(seed)
        self.now_ms = 0
        self.alive = set(REPLICAS)
        self.stored = state(*REPLICAS)
        self.ends = dict.fromkeys(REPLICAS, 0)
        self.proposed: PendingIsrChange | None = None
        self.leader = Replica(
            ME, 0, self.lots.choice([1, 2, 3]), IsrRules(LAG_MS, self.alive.__contains__)
        )
        self.leader.lead(self.stored, PartitionAssignment(REPLICAS), 0, 0)

    def step(self) -> None:
        self.now_ms += self.lots.choice([0, 1, 10, LAG_MS // 2])
        self.lots.choices(
            [self.append, self.copy, self.fetch, self.look, self.decide, self.hear, self.elect],
            [20, 30, 40, 8, 12, 12, 2],
        )[0]()
        self.check()

    def append(self) -> None:
        self.ends[ME] += self.lots.randint(1, 3)
        self.leader.advance_high_watermark(self.ends[ME], 10, self.now_ms)

    def copy(self) -> None:
        """A follower has written what it was sent; the leader hears of it by the next fetch."""
        one = self.lots.choice(REPLICAS[1:])
        self.ends[one] = min(self.ends[ME], self.ends[one] + self.lots.randint(1, 5))

    def fetch(self) -> None:
        one = self.lots.choice(REPLICAS[1:])
        change = self.leader.fetched(one, self.ends[one], 0, FetchTime(self.now_ms))
        if change is not None:
            self.proposed = change

    def look(self) -> None:
        lagging = self.leader.lagging(self.now_ms)
        if lagging:
            self.proposed = self.leader.without(lagging)

    def decide(self) -> None:
        """ZooKeeper takes what was proposed, if nobody was faster."""
        change = self.proposed
        if change is not None and change.before.zk_version == self.stored.zk_version:
            self.store(self.stored._replace(isr=change.isr))

    def hear(self) -> None:
        """An answer comes, or is lost and followed by the same proposal."""
        change = self.proposed
        if change is None or self.lots.random() < 0.3:
            return
        if self.stored.isr == change.isr:
            self.leader.accepted(change, self.stored, self.now_ms)
        elif change.before.zk_version < self.stored.zk_version:
            self.leader.refused(change, ErrorCode.INVALID_UPDATE_VERSION)
        elif not self.leader.refused(change, ErrorCode.INELIGIBLE_REPLICA):
            self.proposed = None

    def elect(self) -> None:
        """The controller takes a member out of the ISR, or only tells the leader again."""
        gone = self.lots.choice(REPLICAS[1:])
        isr = tuple(one for one in self.stored.isr if one != gone)
        epoch = LeaderEpoch(self.stored.leader_epoch + 1)
        self.store(self.stored._replace(isr=isr, leader_epoch=epoch))
        self.proposed = None
        assignment = PartitionAssignment(REPLICAS)
        self.leader.lead(self.stored, assignment, self.ends[ME], self.now_ms)

    def store(self, after: PartitionState) -> None:
        self.stored = after._replace(zk_version=ZkVersion(self.stored.zk_version + 1))

    def check(self) -> None:
        committed = self.leader.high_watermark
        assert committed <= self.ends[ME]
        for member in self.stored.isr:
            assert self.ends[member] >= committed, f"{member} lacks what is committed"
        assert set(self.stored.isr) <= set(self.leader.maximal_isr) or (
            self.proposed is not None and self.leader.proposal is self.proposed
        )


@pytest.mark.parametrize("seed", seeds(example_count(100)))
def test_every_member_of_the_isr_has_what_is_committed(seed: int) -> None:
    partition = Partition(seed)
    for _ in range(400):
        partition.step()


def test_all_of_it_happens() -> None:
    """Members come and go, and records are committed: a count over fixed seeds."""
    sizes: set[int] = set()
    committed = 0
    for seed in range(20):
        partition = Partition(seed)
        for _ in range(400):
            partition.step()
            sizes.add(len(partition.stored.isr))
        committed += partition.leader.high_watermark

    assert {1, 2, 3, 4} <= sizes
    assert committed > 500
