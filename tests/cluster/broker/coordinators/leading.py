"""The group service on a broker that leads partitions of `__consumer_offsets`, with their logs."""

from types import SimpleNamespace
from typing import Any, cast

from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.metadata_cache import KnownPartition, LiveBroker, MetadataCache, PartitionUpdate
from cluster.broker.ports import GroupSettings
from cluster.broker.replica_manager.appending import Appender
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.broker.replica_manager.refused_batches import RefusedBatches
from cluster.broker.waiting_counts import WaitingCounts
from cluster.formats.record_batch import parse_header
from cluster.formats.records import records_of
from cluster.group.answers import Answer
from cluster.group.requests import CommitOffsets, Request
from cluster.model.group_records import OffsetCommitValue
from cluster.model.ids import (
    LEADER_DURING_DELETION,
    OFFSETS_TOPIC,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.replication.follower_state import FetchTime
from cluster.replication.replica import IsrRules, Replica
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.log_config import LogConfig
from tests.sim.disk import SimDisk
from tests.sim.ports import SimClock, SimJournal
from tests.sim.schedule import Schedule

ME, OTHER = BrokerId(1), BrokerId(2)
ORDERS = TopicPartition("orders", 0)


class Disks:
    """Does its work at once, and says so in another turn."""

    def __init__(self, clock: SimClock) -> None:
        self._clock = clock

    def do(self, work: Any, done: Any) -> None:
        work()
        self._clock.call_later(0, done)


class Leading:
    """Broker 1, whose followers are in the ISR, or which is alone."""

    def __init__(self, *isr: BrokerId, count: int = 1, settings: GroupSettings | None = None):
        self.isr = isr or (ME,)
        self.schedule = Schedule()
        self.clock = SimClock(self.schedule)
        self.journal = SimJournal()
        self.cache = MetadataCache()
        self.partitions = Partitions(self.cache)
        self.logs = LogManager.open(SimDisk(), ("/data",), ME, "the-cluster")
        ids = iter(range(1, 1000))
        random_stream = SimpleNamespace(unique_id=lambda: next(ids).to_bytes(16, "big"))
        self.ports: Any = SimpleNamespace(
            clock=self.clock,
            disks=Disks(self.clock),
            journal=self.journal,
            random_stream=random_stream,
            settings=SimpleNamespace(groups=settings or GroupSettings(partition_count=count)),
            waiting_counts=WaitingCounts(),
        )
        pause_detector = SimpleNamespace(doubts_leadership=lambda: False)
        self.appender = Appender(
            self.partitions, RefusedBatches(self.clock), cast(Any, pause_detector), self.clock
        )
        self.service = self.new_service()
        self.answers: list[Answer] = []

    def new_service(self) -> GroupService:
        return GroupService(self.ports, self.cache, self.partitions, self.appender)

    def restart(self) -> None:
        """Have another service, which knows nothing yet."""
        self.service = self.new_service()

    # What a controller says.

    def tell(self, topic: str, *indexes: int, leader: int = ME) -> None:
        known = KnownPartition(leader, 0, self.isr, self.isr, ())
        updates = [
            PartitionUpdate(TopicPartition(topic, index), NO_TOPIC_ID, known) for index in indexes
        ]
        self.cache.update(ME, [LiveBroker(ME, {}, None)], updates)

    def delete(self, topic: str, index: int = 0) -> None:
        self.tell(topic, index, leader=LEADER_DURING_DELETION)

    def state(self, leader: BrokerId, epoch: int) -> PartitionState:
        return PartitionState(
            leader, self.isr, LeaderEpoch(epoch), ControllerEpoch(1), zk_version=ZkVersion(0)
        )

    def lead(self, number: int = 0, epoch: int = 0) -> None:
        partition = TopicPartition(OFFSETS_TOPIC, number)
        hosted = self.partitions.find(partition)
        if hosted is None:
            log = self.logs.get_or_create(partition, LogConfig(), None, 0, is_new=True)
            replica = Replica(ME, 0, 1, IsrRules(30_000, lambda _: True))
            hosted = HostedPartition(partition, replica, log, NO_TOPIC_ID)
            self.partitions.add(hosted)
        state = self.state(ME, epoch)
        end = hosted.log.log_end_offset
        hosted.replica.lead(state, PartitionAssignment(self.isr), end, self.clock.now_ms())
        self.service.became_leader(partition, LeaderEpoch(epoch))

    def follow(self, number: int = 0, epoch: int = 1) -> None:
        hosted = self.hosted(number)
        hosted.replica.follow(self.state(OTHER, epoch), PartitionAssignment((ME, OTHER)))
        self.service.became_follower(hosted.partition, LeaderEpoch(epoch))

    def hosted(self, number: int = 0) -> HostedPartition:
        hosted = self.partitions.find(TopicPartition(OFFSETS_TOPIC, number))
        assert hosted is not None
        return hosted

    def replicate(self, number: int = 0) -> None:
        """Have the follower fetch up to the end of the log."""
        hosted = self.hosted(number)
        hosted.replica.fetched(OTHER, hosted.log.log_end_offset, 0, FetchTime(self.clock.now_ms()))
        self.settle()

    # What passes, and what is asked.

    def settle(self) -> None:
        """Let everything happen that waits for nothing."""
        self.advance(0)

    def advance(self, by_ms: int) -> None:
        until_ms = self.schedule.now_ms + by_ms
        self.schedule.after(by_ms, lambda: None)
        while self.schedule.run_next(until_ms):
            pass

    def ask(self, request: Request) -> None:
        self.service.ask(request, self.answers.append)

    def commit(self, offset: int, group: str = "g", partition: TopicPartition = ORDERS) -> None:
        value = OffsetCommitValue(offset, commit_timestamp=self.clock.wall_ms())
        self.ask(CommitOffsets(group, {partition: value}))

    def committed(self, group: str = "g") -> Any:
        """The group's offsets by partition, or the error."""
        answer = self.service.fetch_offsets(group, None, requires_stable=False)
        return answer.error or {one: offset.offset for one, offset in answer.offsets.items()}

    def records(self, number: int = 0) -> list[tuple[bytes | None, bytes | None]]:
        """Keys and values of all records in the log of a partition."""
        log = self.hosted(number).log
        found = log.read(0, 2**30, log.log_end_offset, whole_first=True)
        content = cast(Any, found.file).read(found.position, found.size)
        records = []
        while content:
            header = parse_header(content)
            records += [(one.key, one.value) for one in records_of(content[: header.size], header)]
            content = content[header.size :]
        return records
