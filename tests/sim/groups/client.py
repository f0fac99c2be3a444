"""Clients of groups: consumers that follow Kafka's protocol, and one that only keeps offsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TYPE_CHECKING, Final

from cluster.group.answers import (
    UNKNOWN_MEMBER,
    Answer,
    CommitAnswer,
    FetchAnswer,
    HeartbeatAnswer,
    JoinAnswer,
    JoinedMember,
    SyncAnswer,
)
from cluster.group.requests import (
    CommitOffsets,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    LeavingMember,
    Request,
    SyncGroup,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import NO_TIMESTAMP, OffsetCommitValue, PlainOffsets
from cluster.model.ids import TopicPartition
from tests.sim.groups.oracle import Commit, partitions_in

if TYPE_CHECKING:
    from tests.sim.groups.world import World

PARTITIONS: Final = 6
SESSION_MS: Final = 200
REBALANCE_MS: Final = 300
HEARTBEAT_MS: Final = 50
COMMIT_MS: Final = 60
REQUEST_MS: Final = 120
JOIN_MS: Final = REBALANCE_MS + 150
SYNC_MS: Final = (30, 200)
BACKOFF_MS: Final = 20

LOOK_ELSEWHERE: Final = {ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE}


class Caller:
    """A process that asks the coordinator of its group."""

    def __init__(self, world: World, group_id: str, random: Random) -> None:
        self.world = world
        self.group_id = group_id
        self.random = random
        self.coordinator_id = 0
        self.is_up = True
        self.is_paused = False
        self.life = 0
        self._held: list[Callable[[], None]] = []

    def after(self, delay_ms: int, action: Callable[[], None]) -> None:
        """Do *action* later, in this life; a process that is paused does it when it goes on."""
        life = self.life

        def act() -> None:
            if self.life != life or not self.is_up:
                return
            if self.is_paused:
                self._held.append(act)
            else:
                action()

        self.world.schedule.after(delay_ms, act)

    def pause(self, for_ms: int) -> None:
        self.is_paused = True
        self.world.schedule.after(for_ms, self._resume)

    def _resume(self) -> None:
        self.is_paused = False
        held, self._held = self._held, []
        for act in held:
            act()

    def crash(self) -> None:
        self.is_up = False
        self.life += 1
        self._held.clear()

    def find_coordinator(self) -> None:
        self.coordinator_id = self.world.find_coordinator()

    def ask(
        self, request: Request, timeout_ms: int, on_answer: Callable[[Answer | None], None]
    ) -> None:
        """Send *request*; gives the first answer to it, or None after *timeout_ms*."""
        is_open = True
        life = self.life

        def take(answer: Answer | None) -> None:
            nonlocal is_open
            if is_open and self.life == life:
                is_open = False
                on_answer(answer)

        def reply(answer: Answer) -> None:
            if not self.world.loses():
                self.after(self.random.randint(1, 6), lambda: take(answer))

        for _ in range(1 + self.world.doubles()):
            if not self.world.loses():
                delay_ms = self.random.randint(1, self.world.long_ms)
                self.world.request(self.coordinator_id, request, delay_ms, reply)
        self.after(timeout_ms, lambda: take(None))

    def read(self, partitions: tuple[TopicPartition, ...]) -> None:
        """Fetch offsets, which the oracle checks where they are read."""

        def read() -> None:
            broker = self.world.brokers[self.coordinator_id]
            answer: FetchAnswer = broker.core.fetch_offsets(self.group_id, partitions)
            if answer.error is ErrorCode.NONE:
                found = {one: offset.offset for one, offset in answer.offsets.items()}
                self.world.oracle.on_read(broker.known_epoch, self.group_id, found)

        self.world.brokers[self.coordinator_id].deliver(read)

    def new_commit(self, member: Commit) -> int:
        value = self.world.next_number()
        self.world.oracle.commits[value] = member
        return value


class Keeper(Caller):
    """A client that no group manages: it commits without a generation."""

    def run(self) -> None:
        partition = TopicPartition("t", self.random.randrange(2))
        value = self.new_commit(Commit(self.group_id, UNKNOWN_MEMBER, None, -1))
        request = CommitOffsets(self.group_id, offsets_of(partition, value))

        def on_answer(answer: Answer | None) -> None:
            if answer is None or LOOK_ELSEWHERE & errors_of(answer):
                self.find_coordinator()
            self.read((partition,))
            self.after(self.random.randint(5, COMMIT_MS), self.run)

        self.ask(request, REQUEST_MS, on_answer)


class Consumer(Caller):
    """A consumer; *instance_id* makes it a static member, *is_eager* says how it gives up."""

    def __init__(
        self,
        world: World,
        group_id: str,
        random: Random,
        name: str,
        *,
        instance_id: str | None,
        is_eager: bool,
        version: int,
    ) -> None:
        super().__init__(world, group_id, random)
        self.name = name
        self.instance_id = instance_id
        self.is_eager = is_eager
        self.version = version
        self.member_id = UNKNOWN_MEMBER
        self.generation = -1
        self.is_stable = False
        self.owned: frozenset[int] = frozenset()
        self.owned_in = -1
        """The generation that gave it what it owns."""
        self._topics = 0

    def __str__(self) -> str:
        return f"{self.group_id}/{self.name} {self.member_id or '-'} in {self.generation}"

    # Lives.

    def run(self) -> None:
        self.member_id = UNKNOWN_MEMBER
        self._lose_all()
        self.join()

    def crash(self) -> None:
        super().crash()
        self._lose_all()

    def come_back(self) -> None:
        if not self.is_up:
            self.is_up, self.is_paused = True, False
            self.run()

    def leave(self) -> None:
        """Go in order, as dynamic members do."""
        if self.is_up and self.member_id and self.instance_id is None:
            leaving = (LeavingMember(self.member_id),)
            self.ask(LeaveGroup(self.group_id, leaving), REQUEST_MS, lambda answer: None)
        self.crash()

    def change(self) -> None:
        """Subscribe to something else, of which the others have to hear."""
        self._topics += 1
        if self.is_stable:
            self.join()

    def _lose_all(self) -> None:
        self.owned = frozenset()
        self.generation = -1
        self.is_stable = False

    # Rebalances.

    def join(self) -> None:
        self.is_stable = False
        if self.is_eager:
            self.owned = frozenset()
        request = JoinGroup(
            group_id=self.group_id,
            member_id=self.member_id,
            group_instance_id=self.instance_id,
            client_id=self.name,
            client_host="/h",
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=REBALANCE_MS,
            protocol_type="consumer",
            protocols=(("p", encoded(self.owned) + b";%d;%d" % (self.owned_in, self._topics)),),
            requires_known_id=self.version >= 4,
            can_skip_assignment=self.version >= 9,
        )
        self.ask(request, JOIN_MS, self._on_joined)

    def _again(self, *, elsewhere: bool = False) -> None:
        if elsewhere:
            self.find_coordinator()
        self.after(BACKOFF_MS, self.join)

    def _on_joined(self, answer: Answer | None) -> None:
        if answer is None:
            self._again(elsewhere=True)
            return
        assert isinstance(answer, JoinAnswer)
        match answer.error:
            case ErrorCode.NONE:
                self.member_id, self.generation = answer.member_id, answer.generation
                self._sync(answer)
            case ErrorCode.MEMBER_ID_REQUIRED:
                self.member_id = answer.member_id
                self.join()
            case error:
                self._on_error(error)

    def _sync(self, joined: JoinAnswer) -> None:
        is_leader = joined.leader_id == joined.member_id and not joined.skip_assignment
        request = SyncGroup(
            group_id=self.group_id,
            member_id=self.member_id,
            group_instance_id=self.instance_id,
            generation=self.generation,
            protocol_type=joined.protocol_type,
            protocol_name=joined.protocol_name,
            assignments=self._assign(joined.members) if is_leader else {},
        )
        timeout_ms = self.random.randint(*SYNC_MS) if self.world.is_troubled else JOIN_MS
        self.ask(request, timeout_ms, self._on_synced)

    def _assign(self, members: tuple[JoinedMember, ...]) -> dict[str, bytes]:
        """Share the partitions; a cooperative member keeps its own, until it has given them up."""
        ids = sorted(one.member_id for one in members)
        if self.world.is_troubled:
            self.random.shuffle(ids)  # To assign anew is to assign otherwise.
        wanted = {number: ids[number % len(ids)] for number in range(PARTITIONS)}
        if not self.is_eager:
            # Who missed a generation claims what others have got since: the later claim counts.
            claims = sorted(members, key=lambda one: int(one.metadata.split(b";")[1]))
            owners = {
                number: one.member_id
                for one in claims
                for number in partitions_in(one.metadata.split(b";")[0])
            }
            wanted = {
                number: member_id
                for number, member_id in wanted.items()
                if owners.get(number, member_id) == member_id
            }
        return {
            member_id: encoded(frozenset(n for n, owner in wanted.items() if owner == member_id))
            for member_id in ids
        }

    def _on_synced(self, answer: Answer | None) -> None:
        if answer is None:
            self._again(elsewhere=True)
            return
        assert isinstance(answer, SyncAnswer)
        if answer.error is not ErrorCode.NONE:
            self._on_error(answer.error)
            return
        assigned = partitions_in(answer.assignment)
        revoked = self.owned - assigned
        self.owned, self.owned_in = assigned, self.generation
        self.world.oracle.check_owners(self)
        self.is_stable = True
        self.read(tuple(TopicPartition("t", number) for number in sorted(assigned)))
        if revoked:
            self.join()
            return
        generation = self.generation
        self.after(HEARTBEAT_MS, lambda: self._heartbeat(generation))
        self.after(COMMIT_MS, lambda: self._commit(generation))

    def _on_error(self, error: ErrorCode) -> None:
        match error:
            case ErrorCode.UNKNOWN_MEMBER_ID | ErrorCode.FENCED_INSTANCE_ID:
                self.member_id = UNKNOWN_MEMBER
                self._lose_all()
                self._again()
            case ErrorCode.ILLEGAL_GENERATION:
                self._lose_all()
                self._again()
            case ErrorCode.GROUP_MAX_SIZE_REACHED:
                self.member_id = UNKNOWN_MEMBER
                self._lose_all()
                self.after(10 * BACKOFF_MS, self.join)
            case _:
                self._again(elsewhere=error in LOOK_ELSEWHERE)

    # While it is a member.

    def _heartbeat(self, generation: int) -> None:
        if not self.is_stable or generation != self.generation:
            return
        request = Heartbeat(self.group_id, self.member_id, self.instance_id, generation)

        def on_answer(answer: Answer | None) -> None:
            if not self.is_stable or generation != self.generation:
                return
            if answer is None:
                self.find_coordinator()
            else:
                assert isinstance(answer, HeartbeatAnswer)
                if answer.error in LOOK_ELSEWHERE:
                    self.find_coordinator()
                elif answer.error is not ErrorCode.NONE:
                    self.is_stable = False
                    self._on_error(answer.error)
                    return
            self.after(HEARTBEAT_MS, lambda: self._heartbeat(generation))

        self.ask(request, REQUEST_MS, on_answer)

    def _commit(self, generation: int) -> None:
        """Commit an offset of a partition that it owns; an error is left to the heartbeats."""
        if not self.is_stable or generation != self.generation:
            return
        if self.owned:
            partition = TopicPartition("t", self.random.choice(sorted(self.owned)))
            member = Commit(self.group_id, self.member_id, self.instance_id, generation)
            offsets = offsets_of(partition, self.new_commit(member))
            request = CommitOffsets(
                self.group_id, offsets, self.member_id, self.instance_id, generation
            )
            self.ask(request, REQUEST_MS, lambda answer: self.read((partition,)))
        self.after(COMMIT_MS, lambda: self._commit(generation))


def offsets_of(partition: TopicPartition, value: int) -> Mapping[TopicPartition, OffsetCommitValue]:
    """The offset of a commit, every other time as that of a commit of nothing else."""
    if value % 2 == 0:
        return {partition: OffsetCommitValue(value)}
    return PlainOffsets(((partition.topic, (partition.partition,)),), (value,), (-1,), NO_TIMESTAMP)


def errors_of(answer: Answer) -> set[ErrorCode]:
    return set(answer.errors.values()) if isinstance(answer, CommitAnswer) else set()


def encoded(partitions: frozenset[int]) -> bytes:
    return b",".join(b"%d" % one for one in sorted(partitions))
