"""A simulated world of old consumers: a ZooKeeper, members, records; faults first, then all must
come right.

Everything is drawn from the seed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from cluster.model.ids import MATCH_ANY, BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.zk import paths
from cluster.zk.consumers import decode_consumer_offset
from cluster.zk.requests import Create, Delete, Multi, MultiDone, SetData
from cluster.zk.topics import encode_assignment
from kadmin.old_consumer.core import Phase
from tests.sim.old_consumers.member import Member
from tests.sim.old_consumers.violation import Kind, Violation
from tests.sim.schedule import Schedule
from tests.sim.zookeeper import TOOL, Commit, SimZooKeeper

FAULTS_MS: Final = 1500
HEALING_MS: Final = 4000
MEMBERS_MAX: Final = 4
PATTERNS: Final = ("static", "white_list")


@dataclass(frozen=True, slots=True)
class Fences:
    """What is taken out, for tests of what it prevents."""

    core: dict[str, Any] = field(default_factory=dict)
    fresh_ids: bool = True


def violation_of(seed: int, fences: Fences | None = None) -> Violation | None:
    """How the story of *seed* ends badly; None when it ends well."""
    try:
        World(seed, fences or Fences()).play()
    except Violation as violation:
        return violation
    except (AssertionError, AttributeError, TypeError) as error:
        return Violation(Kind.CONFUSED, repr(error))
    return None


class World:
    def __init__(self, seed: int, fences: Fences) -> None:
        self.random = Random(f"{seed} old consumers")
        self.fences = fences
        self.schedule = Schedule()
        self.zookeeper = SimZooKeeper(self.on_watch, self.on_commit)
        self.is_troubled = True
        self.loss = self.random.choice((0, 0.02, 0.1))
        self.session_timeout_ms = 100
        self.by_session: dict[int, Member] = {}
        self.ends: dict[TopicPartition, int] = {}
        self.readers: dict[tuple[TopicPartition, int], tuple[Member, int]] = {}
        """Who has read each record last, and in which of its sessions."""
        self.members: list[Member] = []
        self.tool = self.zookeeper.connect()
        self.write(*(Create(path) for path in ("/consumers", "/brokers")))
        self.write(*(Create(path) for path in (paths.BROKER_IDS, paths.TOPICS)))
        self.counts = {"t": self.random.randint(1, 5), "u": self.random.randint(0, 3)}
        for topic, count in self.counts.items():
            self.write(Create(paths.topic(topic), assignment(count)))
            self.add(topic, 0, count)
        self.kinds = [kind for kind in self.faults() if self.random.random() < 0.6]

    def faults(self) -> dict[str, Any]:
        return {
            "join": self.join,
            "kill": lambda: self.some(Member.kill),
            "expire": lambda: self.some(Member.expire),
            "abandon": lambda: self.some(Member.abandon),
            "pause": lambda: self.some(lambda one: one.pause(self.random.randint(10, 250))),
            "leave": lambda: self.some(Member.leave),
            "grow": self.grow,
            "broker": self.bounce_broker,
        }

    def play(self) -> None:
        for _ in range(self.random.randint(1, MEMBERS_MAX)):
            self.schedule.after(self.random.randint(0, 100), self.join)
        self.schedule.after(0, self.append)
        if self.kinds:
            self.schedule.after(200, self.trouble)
        while self.schedule.run_next(FAULTS_MS):
            pass
        self.is_troubled, self.loss = False, 0
        if not any(member.is_alive and not member.is_leaving for member in self.members):
            self.join()
        while self.schedule.run_next(FAULTS_MS + HEALING_MS):
            pass
        self.check_end()

    def trouble(self) -> None:
        if self.is_troubled:
            self.faults()[self.random.choice(self.kinds)]()
            self.schedule.after(self.random.randint(20, 200), self.trouble)

    # What happens.

    def join(self) -> None:
        if sum(member.is_alive for member in self.members) < MEMBERS_MAX:
            number = len(self.members)
            pattern = self.random.choice(PATTERNS)
            draw = Random(f"{self.random.random()} {number}")
            self.members.append(Member(self, number, draw, pattern))

    def some(self, action: Any) -> None:
        alive = [
            one for one in self.members if one.is_alive and self.zookeeper.is_live(one.session)
        ]
        if alive:
            action(self.random.choice(alive))

    def grow(self) -> None:
        topic = self.random.choice(sorted(self.counts))
        before, self.counts[topic] = self.counts[topic], self.counts[topic] + 1
        self.write(SetData(paths.topic(topic), assignment(self.counts[topic]), MATCH_ANY))
        self.add(topic, before, self.counts[topic])

    def bounce_broker(self) -> None:
        path = paths.broker(BrokerId(1))
        node = self.zookeeper.node(path)
        self.write(Create(path, b"{}") if node is None else Delete(path))

    def append(self) -> None:
        """Let records come as long as there is trouble."""
        if self.is_troubled:
            for one in self.ends:
                self.ends[one] += self.random.randint(0, 1)
            self.schedule.after(self.random.randint(1, 60), self.append)

    def add(self, topic: str, first: int, end: int) -> None:
        self.ends |= {TopicPartition(topic, number): 0 for number in range(first, end)}

    def write(self, *operations: Any) -> None:
        done = self.zookeeper.serve(self.tool, Multi(operations), TOOL)
        assert isinstance(done, MultiDone)

    def end_session_later(self, session: int) -> None:
        def end() -> None:
            if self.zookeeper.is_live(session):
                self.zookeeper.expire(session)

        self.schedule.after(self.session_timeout_ms, end)

    def quiet_ticket(self, member: Member) -> int:
        """The ticket of a member that waits for nothing; none that waits has it."""
        return member.core.ticket if member.core.phase is Phase.OWNING else -1

    # What is seen of it.

    def on_watch(self, session: int, _path: str) -> None:
        member = self.by_session.get(session)
        if member is not None and member.session == session:
            member.changed()

    def on_commit(self, commit: Commit) -> None:
        if commit.path.startswith("/consumers/g/offsets/") and commit.path.count("/") == 5:
            node = self.zookeeper.node(commit.path)
            if node is None:
                return
            _, topic, number = commit.path.rsplit("/", 2)
            partition = TopicPartition(topic, int(number))
            offset = decode_consumer_offset(node)
            for before in range(offset):
                if (partition, before) not in self.readers:
                    text = f"{partition}: {offset} is committed, and {before} was never read"
                    raise Violation(Kind.SKIPPED, text)

    def note_read(self, member: Member, partition: TopicPartition, offset: int) -> None:
        """Note that *member* reads a record; one that has not learned that its session is over may
        read what another member has read."""
        if self.is_whole(member):
            if not member.owns(partition):
                raise Violation(Kind.NOT_OWNED, f"member {member.number} reads {partition}")
            other, sessions = self.readers.get((partition, offset), (None, 0))
            if other is not None and other.sessions == sessions and self.is_whole(other):
                text = f"{partition}-{offset} by member {other.number}, then by {member.number}"
                raise Violation(Kind.READ_TWICE, text)
        self.readers[partition, offset] = (member, member.sessions)

    def is_whole(self, member: Member) -> bool:
        """Whether a member is alive, and its session."""
        return member.is_alive and self.zookeeper.is_live(member.session)

    def check_end(self) -> None:
        for partition, end in self.ends.items():
            node = self.zookeeper.node(paths.consumer_offset("g", partition))
            offset = None if node is None else decode_consumer_offset(node)
            if (offset or 0) != end:
                phases = {one.number: one.core.phase.name for one in self.members if one.is_alive}
                text = f"{partition}: {offset} of {end} is committed; {phases}"
                raise Violation(Kind.STUCK, text)


def assignment(count: int) -> bytes:
    partitions = {number: PartitionAssignment(replicas=(BrokerId(1),)) for number in range(count)}
    return encode_assignment(TopicAssignment(partitions=partitions))
