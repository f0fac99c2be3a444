"""Races of one partition: each decision is the real one, and what it leads to comes in any order.

The cores of three or four brokers, the controller's verdict on ISRs, and the checks of fetches,
over logs that are lists.  What is sent may be late: its sender or its addressee may have another
role by then, or another life.  A story takes a millisecond, so that thousands of them look for the
moments that the simulator meets too rarely.

A machine that stops takes the end of its log along.  The controller notices each time: no fence
helps against a bounce that nobody notices.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, NamedTuple, cast

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.replica_fetcher.followed_partition import FollowedPartition
from cluster.broker.replica_manager.appending import ALL_ACKS, Appended
from cluster.broker.replica_manager.delayed_produce import ProducePartitionStatus
from cluster.broker.replica_manager.fetch_reading import divergence_of
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.controller import isr_changes
from cluster.controller.active_controller import ActiveController, ControllerConfig
from cluster.controller.partition_states import PartitionStatus
from cluster.controller.requests import AlteredPartition, IsrMember, IsrProposal
from cluster.coordination.client import Client
from cluster.model.broker import BrokerRegistration
from cluster.model.controller import ControllerEpochNode
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.topic import RECOVERED, PartitionAssignment, PartitionState, TopicAssignment
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.replication.fetch_phases import FetchPhase
from cluster.replication.follower_state import FetchTime
from cluster.replication.isr import PendingIsrChange
from cluster.replication.replica import IsrRules, Replica
from cluster.replication.truncation import UNDEFINED, EpochEnd, truncation_by
from cluster.storage.errors import UnexpectedAppendOffset
from cluster.storage.health import DirectoryHealth
from cluster.storage.log.growing_log import AppendOutcome
from cluster.storage.log.leader_epochs import LeaderEpochs
from cluster.wire.messages.fetch import EpochEndOffset, FetchPartition, PartitionData
from tests.cluster.replication.leading import state

PARTITION: Final = TopicPartition("a", 0)
LAG_MS: Final = 50
FETCH_MAX: Final = 3
"""How many records an answer has at most."""


class Record(NamedTuple):
    epoch: int
    value: int


class Log:
    """As much of `cluster.storage.log.partition_log.PartitionLog` as is asked here."""

    def __init__(self, had: Callable[[Record], None] = lambda record: None) -> None:
        """*had* is told of each record that the log gets."""
        self._had = had
        self.records: list[Record] = []
        self.epochs = LeaderEpochs(cast(Any, None), "")
        self.log_start_offset = 0
        self.health = DirectoryHealth("/data")
        self.is_offline = False

    @property
    def log_end_offset(self) -> int:
        return len(self.records)

    def append(self, record: Record) -> None:
        offset = len(self.records)
        self.epochs.hold(record.epoch, offset, offset)
        self.records.append(record)
        self._had(record)

    def append_as_follower(self, records: Sequence[tuple[int, Record]], now_ms: int) -> int:
        if records[0][0] != len(self.records):
            raise UnexpectedAppendOffset(len(self.records), records[0][0])
        for _, record in records:
            self.append(record)
        return len(self.records)

    def truncate_to(self, offset: int) -> None:
        del self.records[offset:]
        self.epochs.truncate_from_end(offset)


class Node:
    """One life of a broker."""

    def __init__(self, broker_id: BrokerId, log: Log, high_watermark: int, min_isr: int) -> None:
        self.broker_id = broker_id
        self.broker_epoch = BrokerEpoch(0)
        self.alive: frozenset[BrokerId] = frozenset()
        """The brokers that it knows to be there."""
        self.log = log
        rules = IsrRules(LAG_MS, lambda one: one in self.alive)
        self.replica = Replica(broker_id, high_watermark, min_isr, rules)
        self.hosted = HostedPartition(PARTITION, self.replica, cast(Any, log), NO_TOPIC_ID)
        self.partitions = Partitions(MetadataCache())
        self.partitions.add(self.hosted)
        self.followed: FollowedPartition | None = None
        self.is_waiting = False
        """Whether an answer to a fetch of this role is awaited."""
        self.orders: list[tuple[PartitionState, frozenset[BrokerId]]] = []
        """What it has not heard yet."""
        self.waits: list[tuple[ProducePartitionStatus, Record]] = []
        """The records whose producers, with acks=all, wait for its answer."""


class Lost(AssertionError):
    """Something that was committed is not there."""


class Race:
    def __init__(self, seed: int) -> None:
        self.lots = Random(seed)
        self.now_ms = 0
        # Each race has more of some things: what one fence is for needs few of the others.
        self.weights = (18, 26, 38, 14, 6, self.lots.choice((1, 2, 5)), self.lots.choice((0, 1, 2)))
        self.order = self.lots.choice((0.2, 0.5, 0.8))
        """How often the oldest of what is on its way comes first."""
        self.brokers = tuple(map(BrokerId, range(self.lots.choice((3, 3, 4)))))
        self.min_isr = self.lots.choice((1, 1, 2))
        self.stored = state(*self.brokers, leader=self.brokers[0], epoch=0, version=0)
        self.assignment = PartitionAssignment(self.brokers)
        self.holders: dict[Record, set[BrokerId]] = {}
        """Who has ever had a record."""
        self.acknowledged_count = 0
        self.nodes = {one: self._born(one, self._log_of(one), 0) for one in self.brokers}
        self.registered = dict.fromkeys(self.brokers, BrokerEpoch(0))
        self.life_count = 0
        self.value = 0
        self.committed: list[Record] = []
        self.way: list[Callable[[], None]] = []
        """What is on its way."""
        config = ControllerConfig(broker_id=self.brokers[0])
        client = Client(broker_id=self.brokers[0], wall_ms=lambda: 0, report=lambda error: None)
        node = ControllerEpochNode(ControllerEpoch(1), ZkVersion(1))
        self.active = ActiveController.begin(config, client, node, iter(()), str, [])
        self.active.context.set_topic("a", TopicAssignment(partitions={0: self.assignment}))
        self.active.context.set_partition_status(PARTITION, PartitionStatus.NEW)
        self.active.context.set_partition_status(PARTITION, PartitionStatus.ONLINE)
        self._meet_brokers()
        self._store(self.stored)
        self._tell_all()

    def _log_of(self, broker_id: BrokerId) -> Log:
        return Log(lambda record: self.holders.setdefault(record, set()).add(broker_id))

    def _born(self, broker_id: BrokerId, log: Log, high_watermark: int) -> Node:
        return Node(broker_id, log, high_watermark, self.min_isr)

    # The story.

    def step(self) -> None:
        self.now_ms += self.lots.choice((0, 0, 1, 5, LAG_MS // 2))
        act = self.lots.choices(
            (self.append, self.fetch, self.deliver, self.hear, self.look, self.elect, self.bounce),
            self.weights,
        )[0]
        act()
        self.check()

    def append(self) -> None:
        node = self._any()
        if node.replica.is_leader and not node.replica.is_under_min_isr:
            self.value += 1
            record = Record(node.replica.leader_epoch, self.value)
            node.log.append(record)
            end_offset = node.log.log_end_offset
            node.replica.advance_high_watermark(end_offset, 1, self.now_ms)
            outcome = AppendOutcome(end_offset - 1, end_offset - 1, -1, 0, False, False)
            wait = ProducePartitionStatus(Appended(node.hosted, outcome), ALL_ACKS)
            node.waits.append((wait, record))

    def _any(self) -> Node:
        return self.nodes[self.lots.choice(self.brokers)]

    def deliver(self) -> None:
        if self.way:
            index = 0 if self.lots.random() < self.order else self.lots.randrange(len(self.way))
            self.way.pop(index)()

    def hear(self) -> None:
        """A broker hears of the controller's next order."""
        node = self._any()
        if not node.orders:
            return
        order, node.alive = node.orders.pop(0)
        if order.leader_epoch <= node.replica.leader_epoch:
            return
        node.is_waiting = False
        if order.leader == node.broker_id:
            node.followed = None
            node.log.epochs.assign(order.leader_epoch, node.log.log_end_offset)
            end_offset = node.log.log_end_offset
            node.replica.lead(order, self.assignment, end_offset, self.now_ms)
        else:
            node.replica.follow(order, self.assignment)
            node.followed = FollowedPartition(node.hosted)
            if node.log.log_end_offset:
                node.followed.state.fetch()
            else:
                node.followed.state.cut(is_last=True)
                node.followed.has_cut()

    # Fetches.

    def fetch(self) -> None:
        node = self._any()
        followed = node.followed
        if followed is None or node.is_waiting or followed.state.phase is not FetchPhase.FETCHING:
            return
        node.is_waiting = True
        part = followed.part(1 << 20)
        leader_id, broker_epoch = node.replica.state.leader, node.broker_epoch
        self.way.append(lambda: self._serve(leader_id, node, part, broker_epoch))

    def _serve(
        self, leader_id: BrokerId, follower: Node, part: FetchPartition, broker_epoch: BrokerEpoch
    ) -> None:
        leader = self.nodes[leader_id]
        data = self._read(leader, part)
        if data.error_code == ErrorCode.NONE and data.diverging_epoch.epoch == UNDEFINED:
            change = leader.replica.fetched(
                follower.broker_id, part.fetch_offset, 0, FetchTime(self.now_ms), broker_epoch
            )
            data = data._replace(high_watermark=leader.replica.high_watermark)
            if change is not None:
                self._propose(leader, change)
        self.way.append(lambda: self._take(follower, part, data))

    def _read(self, leader: Node, part: FetchPartition) -> PartitionData:
        hosted = leader.partitions.led("a", 0, part.current_leader_epoch)
        if isinstance(hosted, ErrorCode):
            return PartitionData(0, hosted, -1)
        diverging = EpochEndOffset()
        if part.last_fetched_epoch != UNDEFINED:
            divergence = divergence_of(hosted, part)
            if isinstance(divergence, ErrorCode):
                return PartitionData(0, divergence, -1)
            if divergence is not None:
                diverging = EpochEndOffset(*divergence)
        found = list(enumerate(leader.log.records))[part.fetch_offset :][:FETCH_MAX]
        records = cast(Any, found if diverging.epoch == UNDEFINED else None)
        return PartitionData(
            0,
            ErrorCode.NONE,
            leader.replica.high_watermark,
            diverging_epoch=diverging,
            records=records,
        )

    def _take(self, node: Node, asked: FetchPartition, data: PartitionData) -> None:
        """As `ReplicaFetcher` does, but that it does not wait for an earlier role's answer."""
        followed = node.followed
        if node is not self.nodes[node.broker_id] or followed is None:
            return
        if followed.state.phase is not FetchPhase.FETCHING or not followed.is_answer_to(asked):
            return
        node.is_waiting = False
        if data.error_code != ErrorCode.NONE:
            return
        if data.diverging_epoch.epoch != UNDEFINED:
            told = EpochEnd(*data.diverging_epoch)
            followed.leader_high_watermark = data.high_watermark
            truncation = truncation_by(told, followed.own_log())
            followed.state.cut(is_last=truncation.is_last)
            node.log.truncate_to(truncation.offset)
            followed.has_cut()
            if not truncation.is_last:
                followed.state.fetch()
            return
        try:
            followed.take(data, self.now_ms)
        except UnexpectedAppendOffset:
            followed.state.fail()

    # ISR changes.

    def look(self) -> None:
        node = self._any()
        node.replica.recount(self.now_ms)
        lagging = node.replica.lagging(self.now_ms)
        if lagging:
            self._propose(node, node.replica.without(lagging))

    def _propose(self, leader: Node, change: PendingIsrChange) -> None:
        self.way.append(lambda: self._decide(leader, change))

    def _decide(self, leader: Node, change: PendingIsrChange) -> None:
        """The controller decides; the answer may be lost, and the leader asks again then."""
        if self.registered.get(leader.broker_id) != leader.broker_epoch:
            return
        proposal = IsrProposal(
            change.before.leader_epoch,
            change.before.zk_version,
            tuple(map(IsrMember, change.isr, change.broker_epochs)),
            RECOVERED,
        )
        verdict = isr_changes._decide(self.active, leader.broker_id, PARTITION, proposal)
        if isinstance(verdict, PartitionState):
            verdict = AlteredPartition(ErrorCode.NONE, self._store(verdict))
        if self.lots.random() < 0.3:
            self._propose(leader, change)
        else:
            self.way.append(lambda: self._hear_verdict(leader, change, verdict))

    def _hear_verdict(
        self, leader: Node, change: PendingIsrChange, verdict: AlteredPartition
    ) -> None:
        if leader is not self.nodes[leader.broker_id]:
            return
        if verdict.state is not None:
            leader.replica.accepted(change, verdict.state, self.now_ms)
        elif leader.replica.refused(change, verdict.error):
            self._propose(leader, change)

    def _store(self, after: PartitionState) -> PartitionState:
        self.stored = after._replace(zk_version=ZkVersion(self.stored.zk_version + 1))
        self.active.context.states[PARTITION] = self.stored
        return self.stored

    def _meet_brokers(self) -> None:
        self.active.context.set_brokers(
            BrokerRegistration(broker_id=one, endpoints=(), version=5, broker_epoch=epoch)
            for one, epoch in self.registered.items()
        )

    # Elections and lives.

    def elect(self) -> None:
        self._elect(self.lots.choice(self.stored.isr))

    def _elect(self, leader: BrokerId) -> None:
        epoch = LeaderEpoch(self.stored.leader_epoch + 1)
        self._store(self.stored._replace(leader=leader, leader_epoch=epoch))
        self._tell_all()

    def _tell_all(self) -> None:
        for broker_id in self.registered:
            self.nodes[broker_id].orders.append((self.stored, frozenset(self.registered)))

    def bounce(self) -> None:
        """A machine stops and comes back, without the end of its log; not the ISR's last one."""
        broker_id = self.lots.choice(self.brokers)
        rest = tuple(one for one in self.stored.isr if one != broker_id)
        if not rest:
            return
        log = self.nodes[broker_id].log
        kept = self.lots.randint(0, log.log_end_offset)
        high_watermark = self.nodes[broker_id].replica.high_watermark
        self.restart(broker_id, kept, self.lots.randint(0, min(kept, high_watermark)))

    def restart(self, broker_id: BrokerId, kept: int, high_watermark: int) -> None:
        """Give a broker another life, with the *kept* first records of its log."""
        before = self.nodes[broker_id]
        rest = tuple(one for one in self.stored.isr if one != broker_id)
        del self.registered[broker_id]
        if rest != self.stored.isr:
            is_leader = self.stored.leader == broker_id
            self.stored = self.stored._replace(isr=rest)
            self._elect(self.lots.choice(rest) if is_leader else self.stored.leader)
        log = self._log_of(broker_id)
        for record in before.log.records[:kept]:
            log.append(record)
        node = self._born(broker_id, log, high_watermark)
        self.life_count += 1
        node.broker_epoch = self.registered[broker_id] = BrokerEpoch(self.life_count)
        self.nodes[broker_id] = node
        self._meet_brokers()
        node.orders.append((self.stored, frozenset(self.registered)))

    # What must hold after each step.

    def check(self) -> None:
        for node in self.nodes.values():
            if node.waits:
                self._answer(node)
            high_watermark = node.replica.high_watermark
            if high_watermark > node.log.log_end_offset:
                raise Lost(f"broker {node.broker_id} says that more is committed than it has")
            if node.replica.is_leader:
                self.committed += node.log.records[len(self.committed) : high_watermark]
            if node.log.records[:high_watermark] != self.committed[:high_watermark]:
                raise Lost(f"broker {node.broker_id} takes for committed what is not")
        for member in self.stored.isr:
            if self.nodes[member].log.records[: len(self.committed)] != self.committed:
                raise Lost(f"broker {member} is in the ISR, and lacks what is committed")

    def _answer(self, node: Node) -> None:
        """Let producers hear what has come of their records.

        Enough brokers have had what is acknowledged.
        """
        waits, node.waits = node.waits, []
        for wait, record in waits:
            error = wait.error()
            if error is None:
                node.waits.append((wait, record))
            elif error is ErrorCode.NONE:
                self.acknowledged_count += 1
                if len(self.holders[record]) < self.min_isr:
                    raise Lost(f"{record} was acknowledged when {self.holders[record]} had it")


def played(seed: int, steps: int = 250) -> Race:
    """A whole story; raises `Lost`, or what the code itself notices, if it ends badly."""
    race = Race(seed)
    for _ in range(steps):
        race.step()
    return race
