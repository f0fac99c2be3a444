"""What does a fetch find in a partition: up to where, for whom, and why not?"""

from typing import Any, NamedTuple, cast

import pytest

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.replica_manager.fetch_reading import FetchReader, Limits
from cluster.broker.replica_manager.fetch_sessions import NO_SESSION, ReadResult, Session
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.model.error_codes import ErrorCode
from cluster.model.file_slice import FileSlice
from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch, TopicPartition, ZkVersion
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.replication.replica import IsrRules, Replica
from cluster.replication.throttle import ReplicationThrottle
from cluster.storage.errors import DamagedSegment, OffsetOutOfRange
from cluster.storage.health import DirectoryHealth
from cluster.storage.log.leader_epochs import EpochEnd, LeaderEpochs
from tests.sim.ports import SimClock, SimJournal
from tests.sim.schedule import Schedule

ME, OTHER, STRANGER = BrokerId(1), BrokerId(2), BrokerId(3)
PARTITION = TopicPartition("orders", 0)
HIGH_WATERMARK, STABLE, END = 6, 4, 10
CONSUMER = -1


class Part(NamedTuple):
    """What a fetch asks of one partition."""

    partition: int = 0
    current_leader_epoch: int = -1
    fetch_offset: int = 0
    last_fetched_epoch: int = -1
    log_start_offset: int = -1
    partition_max_bytes: int = 100


class Log:
    """As much of a log as is read here, with a byte for each offset; epoch 4 begins at 8."""

    def __init__(self) -> None:
        self.health = DirectoryHealth("/data")
        self.is_offline = False
        self.log_start_offset = 0
        self.log_end_offset = END
        self.epochs = LeaderEpochs(cast(Any, None), "")
        self.epochs.assign(3, 0)
        self.epochs.assign(4, 8)
        self.mistake: Exception | None = None

    def last_stable_offset(self, high_watermark: int) -> int:
        return min(high_watermark, STABLE)

    def read(self, offset: int, size_max: int, end: int, *, whole_first: bool) -> FileSlice:
        if self.mistake is not None:
            raise self.mistake
        return FileSlice(cast(Any, self), offset, min(end - offset, size_max))

    def is_news(self, error: DamagedSegment) -> bool:
        return True

    def aborted_transactions(self, offset: int, found: FileSlice) -> tuple[Any, ...]:
        return ()


class Leader:
    """A reader with one partition, and a follower in its ISR that has less."""

    def __init__(self) -> None:
        cache = MetadataCache()
        self.partitions = Partitions(cache)
        self.log = Log()
        self.throttle = ReplicationThrottle()
        self.journal = SimJournal()
        replica = Replica(ME, HIGH_WATERMARK, 1, IsrRules(30_000, lambda _: True))
        isr, epoch = (ME, OTHER), LeaderEpoch(4)
        state = PartitionState(ME, isr, epoch, ControllerEpoch(1), zk_version=ZkVersion(0))
        replica.lead(state, PartitionAssignment(isr), END, 0)
        self.partitions.add(HostedPartition(PARTITION, replica, cast(Any, self.log), NO_TOPIC_ID))
        clock = SimClock(Schedule())
        self.reader = FetchReader(cache, self.partitions, self.throttle, clock, self.journal)

    def read(
        self, *parts: Part, replica_id: int = CONSUMER, isolation: int = 0, size_max: int = 100
    ) -> tuple[ReadResult, ...]:
        session = Session(NO_SESSION, False, replica_id, -1, isolation, 0)
        session.fetch_once((("orders", part) for part in parts), self.partitions)
        limits = Limits(size_max, 1, 0, replica_id, -1, isolation, False, "", "PLAINTEXT")
        return self.reader.read_all(session.wants(), limits).data


@pytest.fixture
def leader() -> Leader:
    return Leader()


@pytest.mark.parametrize(
    ("replica_id", "isolation", "end"),
    [(CONSUMER, 0, HIGH_WATERMARK), (CONSUMER, 1, STABLE), (OTHER, 0, END)],
    ids=["consumer", "consumer of committed records", "follower"],
)
def test_each_reads_as_far_as_it_may(
    leader: Leader, replica_id: int, isolation: int, end: int
) -> None:
    (result,) = leader.read(Part(fetch_offset=1), replica_id=replica_id, isolation=isolation)

    assert FileSlice(cast(Any, leader.log), 1, end - 1) == result.records
    assert (HIGH_WATERMARK, STABLE) == (result.high_watermark, result.last_stable_offset)


def test_nothing_is_read_beyond_the_limit_of_a_fetch(leader: Leader) -> None:
    first, second = leader.read(Part(), Part(), size_max=HIGH_WATERMARK)

    assert first.records is not None
    assert (ErrorCode.NONE, None) == (second.error, second.records)


def test_a_log_that_diverges_is_not_read(leader: Leader) -> None:
    part = Part(fetch_offset=9, last_fetched_epoch=3)

    (result,) = leader.read(part, replica_id=OTHER)

    assert (EpochEnd(3, 8), None) == (result.diverging, result.records)


@pytest.mark.parametrize(
    ("part", "replica_id", "error"),
    [
        (Part(partition=1), CONSUMER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (Part(current_leader_epoch=3), CONSUMER, ErrorCode.FENCED_LEADER_EPOCH),
        (Part(current_leader_epoch=5), CONSUMER, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (Part(current_leader_epoch=4), STRANGER, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (Part(), STRANGER, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (Part(last_fetched_epoch=5), OTHER, ErrorCode.OFFSET_OUT_OF_RANGE),
    ],
)
def test_what_may_not_be_read_has_an_error(
    leader: Leader, part: Part, replica_id: int, error: ErrorCode
) -> None:
    assert (ReadResult(error),) == leader.read(part, replica_id=replica_id)


@pytest.mark.parametrize(
    ("mistake", "error"),
    [
        (OffsetOutOfRange(11, 0, END), ErrorCode.OFFSET_OUT_OF_RANGE),
        (DamagedSegment("/data/0.log", 7, "cut"), ErrorCode.CORRUPT_MESSAGE),
    ],
)
def test_what_the_log_cannot_read_has_an_error(
    leader: Leader, mistake: Exception, error: ErrorCode
) -> None:
    leader.log.mistake = mistake

    assert (ReadResult(error),) == leader.read(Part())
