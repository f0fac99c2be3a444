"""Is a batch appended or refused, by what the partition is here, and who may be answered?"""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.replica_manager.appending import (
    ALL_ACKS,
    LEADER_ACKS,
    NO_ACKS,
    Appended,
    Appender,
    Refusal,
)
from cluster.broker.replica_manager.delayed_produce import ProducePartitionStatus, await_appends
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.broker.replica_manager.refused_batches import RefusedBatches
from cluster.broker.waiting_counts import WaitingCounts
from cluster.formats.record_batch import OFFSET_MAX, CorruptBatchError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch, TopicPartition, ZkVersion
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.replication.follower_state import FetchTime
from cluster.replication.replica import IsrRules, Replica
from cluster.storage.errors import HeavyBatch, OutOfOrderSequence
from cluster.storage.health import DirectoryHealth
from cluster.storage.log.growing_log import AppendOutcome
from tests.sim.ports import SimClock
from tests.sim.schedule import Schedule

ME, OTHER = BrokerId(1), BrokerId(2)
PARTITION = TopicPartition("orders", 0)
BATCH = memoryview(bytearray(100))
OUT_OF_ORDER = OutOfOrderSequence(7, 5, 3)


class Log:
    """As much of a log as is asked here; an append raises *mistake*, if any."""

    is_offline = False

    def __init__(self) -> None:
        self.health = DirectoryHealth("/data")
        self.committable_end = OFFSET_MAX
        self.log_end_offset = 0
        self.needs_flush = False
        self.mistake: Exception | None = None

    def append(self, batch: memoryview, *args: object, **options: object) -> AppendOutcome:
        if self.mistake is not None:
            raise self.mistake
        self.log_end_offset += 3
        end_offset = self.log_end_offset
        if self.needs_flush:
            self.committable_end = end_offset - 3
        return AppendOutcome(end_offset - 3, end_offset - 1, -1, 0, False, self.needs_flush)


class PauseDetector:
    def __init__(self) -> None:
        self.doubts = False

    def doubts_leadership(self) -> bool:
        return self.doubts


class Leader:
    """An appender with one partition."""

    def __init__(self, *isr: BrokerId, leader: BrokerId = ME, min_isr: int = 1) -> None:
        self.schedule = Schedule()
        self.clock = clock = SimClock(self.schedule)
        cache = MetadataCache()
        partitions = Partitions(cache)
        self.log = Log()
        self.pause_detector = PauseDetector()
        self.replica = Replica(ME, 0, min_isr, IsrRules(30_000, lambda _: True))
        self.hosted = HostedPartition(PARTITION, self.replica, cast(Any, self.log), NO_TOPIC_ID)
        partitions.add(self.hosted)
        assignment = PartitionAssignment((ME, OTHER) if min_isr > 1 else isr)
        state = PartitionState(
            leader, isr, LeaderEpoch(0), ControllerEpoch(1), zk_version=ZkVersion(0)
        )
        if leader == ME:
            self.replica.lead(state, assignment, 0, 0)
        else:
            self.replica.follow(state, assignment)
        self.appender = Appender(
            partitions, RefusedBatches(clock), cast(Any, self.pause_detector), clock
        )

    def append(self, acks: int = ALL_ACKS, batch: memoryview | None = BATCH) -> Any:
        return self.appender.append(*PARTITION, batch, acks)


@pytest.mark.parametrize("acks", [NO_ACKS, LEADER_ACKS, ALL_ACKS])
def test_a_leader_that_is_alone_appends_and_commits(acks: int) -> None:
    leader = Leader(ME)

    outcome = AppendOutcome(0, 2, -1, 0, False, False)
    assert Appended(leader.hosted, outcome) == (appended := leader.append(acks))
    assert not appended.must_wait(acks)
    assert 3 == leader.replica.high_watermark


@pytest.mark.parametrize(("acks", "must_wait"), [(LEADER_ACKS, False), (ALL_ACKS, True)])
def test_all_acks_wait_for_the_isr(acks: int, must_wait: bool) -> None:
    leader = Leader(ME, OTHER)

    assert must_wait == leader.append(acks).must_wait(acks)


def test_what_is_not_flushed_is_not_committed_and_waits() -> None:
    leader = Leader(ME)
    leader.log.needs_flush = True

    assert leader.append(LEADER_ACKS).must_wait(LEADER_ACKS)
    assert 0 == leader.replica.high_watermark


@pytest.mark.parametrize(
    ("leader", "options", "error"),
    [
        (Leader(ME), {"acks": 2}, ErrorCode.INVALID_REQUIRED_ACKS),
        (Leader(ME), {"batch": None}, ErrorCode.INVALID_RECORD),
        (Leader(ME, min_isr=2), {}, ErrorCode.NOT_ENOUGH_REPLICAS),
        (Leader(ME, OTHER, leader=OTHER), {}, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ],
    ids=["acks", "no batch", "ISR too small", "follower"],
)
def test_what_is_refused_is_not_in_the_log(
    leader: Leader, options: dict[str, Any], error: ErrorCode
) -> None:
    refusal = leader.append(**options)

    assert isinstance(refusal, Refusal)
    assert error is refusal.error
    assert 0 == leader.log.log_end_offset


@pytest.mark.parametrize(
    ("mistake", "doubts", "error"),
    [
        (CorruptBatchError(0, "bad"), False, ErrorCode.CORRUPT_MESSAGE),
        (OUT_OF_ORDER, False, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (OUT_OF_ORDER, True, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ],
)
def test_a_refusal_says_what_the_log_has_against_a_batch(
    mistake: Exception, doubts: bool, error: ErrorCode
) -> None:
    leader = Leader(ME)
    leader.log.mistake, leader.pause_detector.doubts = mistake, doubts

    assert error is leader.append().error


def test_a_heavy_batch_is_for_a_thread() -> None:
    leader = Leader(ME)
    leader.log.mistake = HeavyBatch()

    with pytest.raises(HeavyBatch):
        leader.append()


class Coordinator:
    """A service above the replica manager that appends, as one of groups or transactions does."""

    def __init__(self, leader: Leader) -> None:
        self._leader = leader
        self._ports: Any = SimpleNamespace(clock=leader.clock, waiting_counts=WaitingCounts())
        self.outcomes: list[ErrorCode] = []

    def append(self) -> None:
        appended = self._leader.appender.append(*PARTITION, BATCH, ALL_ACKS)
        if isinstance(appended, Refusal):
            self.outcomes.append(appended.error)
            return
        wait = ProducePartitionStatus(appended, ALL_ACKS)
        await_appends(self._ports, (wait,), 5000, lambda: self.outcomes.append(wait.outcome))


def test_a_coordinator_appends_and_waits_for_the_isr() -> None:
    leader = Leader(ME, OTHER)
    coordinator = Coordinator(leader)

    coordinator.append()
    assert [] == coordinator.outcomes
    leader.replica.fetched(OTHER, 3, 0, FetchTime(0))
    assert [ErrorCode.NONE] == coordinator.outcomes
    coordinator.append()
    while leader.schedule.run_next(5000):
        pass

    assert [ErrorCode.NONE, ErrorCode.REQUEST_TIMED_OUT] == coordinator.outcomes


def test_a_coordinator_hears_that_another_broker_leads() -> None:
    leader = Leader(ME, OTHER)
    coordinator = Coordinator(leader)

    coordinator.append()
    leader.replica.follow(
        PartitionState(OTHER, (OTHER,), LeaderEpoch(5), ControllerEpoch(1)),
        PartitionAssignment((ME, OTHER)),
    )
    coordinator.append()

    assert [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2 == coordinator.outcomes
