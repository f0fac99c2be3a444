"""A coordinator in a test's hands: one partition of `__consumer_offsets`, and a log that waits."""

from collections.abc import Iterable, Mapping
from itertools import count

from cluster.group.answers import (
    UNKNOWN_MEMBER,
    Answer,
    CommitAnswer,
    JoinAnswer,
    LeaveAnswer,
    LeftMember,
    SyncAnswer,
)
from cluster.group.config import GroupConfig
from cluster.group.core import GroupCoordinator
from cluster.group.effects import Append, Effect, Load, Respond
from cluster.group.events import Appended, AppendFailed, Elected, Event, Loaded, Requested, Resigned
from cluster.group.replay import Replay
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
from cluster.model.group_records import GroupRecord, OffsetCommitValue
from cluster.model.ids import LeaderEpoch, TopicPartition

GROUP = "g"
A0, A1, B0 = TopicPartition("a", 0), TopicPartition("a", 1), TopicPartition("b", 0)
SESSION_MS = 10_000
REBALANCE_MS = 60_000
DELAY_MS = 3000
EPOCH, NEXT_EPOCH = LeaderEpoch(5), LeaderEpoch(6)
DEFAULTS = GroupConfig()
WALL_MS = 1_700_000_000_000
"""What a wall clock shows when the time is 0."""


class Coordinating:
    """A coordinator that leads partition 0, of one; what it appends waits for `land` or `fail`."""

    def __init__(
        self,
        config: GroupConfig = DEFAULTS,
        records: Iterable[GroupRecord] = (),
        *,
        is_loaded: bool = True,
    ) -> None:
        suffixes = count(1)
        self.core = GroupCoordinator(config, 1, lambda: f"id{next(suffixes)}")
        self.now_ms = 0
        self.answers: dict[int, Answer] = {}
        self.appends: list[Append] = []
        self.appended: list[Append] = []
        """All there were, with those that nothing waits for."""
        self.loads: list[Load] = []
        self._request_ids = count()
        self._log_offset = 0
        self.step(Elected(0, EPOCH))
        if is_loaded:
            self.load(records)

    def step(self, event: Event) -> None:
        self._carry_out(self.core.step(event, self.now_ms, WALL_MS + self.now_ms))

    def _carry_out(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Respond(request_id, answer):
                    assert request_id not in self.answers, "one answer a request"
                    self.answers[request_id] = answer
                case Append():
                    self.appended.append(effect)
                    if effect.append_id is not None:
                        self.appends.append(effect)
                case Load():
                    self.loads.append(effect)

    def load(self, records: Iterable[GroupRecord] = (), epoch: LeaderEpoch = EPOCH) -> None:
        replay = Replay()
        for record in records:
            replay.take(self._log_offset, (record,))
            self._log_offset += 1
        self.step(Loaded(0, epoch, replay))

    def resign(self, epoch: LeaderEpoch | None = NEXT_EPOCH) -> None:
        self.step(Resigned(0, epoch))

    def send(self, request: Request) -> int:
        request_id = next(self._request_ids)
        self.step(Requested(request_id, request))
        return request_id

    def ask(self, request: Request) -> Answer | None:
        """The answer, or None while it waits."""
        return self.answers.get(self.send(request))

    def error(self, request: Request) -> ErrorCode | None:
        """The error of the answer, None while it waits."""
        answer = self.ask(request)
        if isinstance(answer, CommitAnswer):
            (error,) = set(answer.errors.values())
            return error
        return None if answer is None else answer.error

    def waits(self, *request_ids: int) -> bool:
        return not self.answers.keys() & set(request_ids)

    def left(self, request: LeaveGroup) -> tuple[LeftMember, ...]:
        answer = self.ask(request)
        assert isinstance(answer, LeaveAnswer)
        return answer.members

    def joined(self, request_id: int) -> JoinAnswer:
        answer = self.answers[request_id]
        assert isinstance(answer, JoinAnswer)
        return answer

    def synced(self, request_id: int) -> SyncAnswer:
        answer = self.answers[request_id]
        assert isinstance(answer, SyncAnswer)
        return answer

    def land(self) -> None:
        """Let everything that was appended be replicated."""
        for append in self._take_appends():
            assert append.append_id is not None
            self._log_offset += len(append.records)
            self.step(Appended(0, append.append_id, self._log_offset))

    def fail(self, error: ErrorCode = ErrorCode.NOT_ENOUGH_REPLICAS) -> None:
        for append in self._take_appends():
            assert append.append_id is not None
            self.step(AppendFailed(0, append.append_id, error))

    def _take_appends(self) -> list[Append]:
        taken, self.appends = self.appends, []
        return taken

    def let_pass(self, ms: int) -> None:
        """Let so many ms pass, with all deadlines in them."""
        until_ms = self.now_ms + ms
        while (deadline_ms := self.core.next_deadline()) is not None and deadline_ms <= until_ms:
            self.now_ms = max(self.now_ms, deadline_ms)
            self._carry_out(self.core.on_deadline(self.now_ms, WALL_MS + self.now_ms))
        self.now_ms = until_ms

    # Whole groups.

    @property
    def state(self) -> str:
        return self.core.describe(GROUP).state

    def is_member(self, member_id: str) -> bool:
        return member_id in {one.member_id for one in self.core.describe(GROUP).members}

    def prepare(self, *joins: JoinGroup) -> list[int]:
        """Let members join an empty group; the ids of their requests, which wait."""
        return [self.send(one) for one in joins]

    def complete(self, *joins: JoinGroup) -> list[JoinAnswer]:
        """A generation that waits for the assignment of its leader, the first of *joins*."""
        waiting = self.prepare(*joins)
        self.let_pass(2 * DELAY_MS)  # Those after the first extend the delay.
        return [self.joined(one) for one in waiting]

    def stabilize(self, *joins: JoinGroup) -> list[JoinAnswer]:
        """A generation in which each member has its own id as its assignment."""
        joined = self.complete(*joins)
        self.sync_all(joined)
        return joined

    def sync_all(self, joined: list[JoinAnswer]) -> list[SyncAnswer]:
        assignments = {one.member_id: one.member_id.encode() for one in joined}
        waiting = [self.send(sync(one, assignments)) for one in joined]
        self.land()
        return [self.synced(one) for one in waiting]


def join(
    member_id: str = UNKNOWN_MEMBER,
    *protocols: str,
    instance_id: str | None = None,
    metadata: bytes = b"",
    requires_known_id: bool = False,
    can_skip_assignment: bool = False,
    session_ms: int = SESSION_MS,
    rebalance_ms: int = REBALANCE_MS,
    protocol_type: str = "consumer",
    group_id: str = GROUP,
) -> JoinGroup:
    names = protocols or ("range",)
    return JoinGroup(
        group_id=group_id,
        member_id=member_id,
        group_instance_id=instance_id,
        client_id="c",
        client_host="/127.0.0.1",
        session_timeout_ms=session_ms,
        rebalance_timeout_ms=rebalance_ms,
        protocol_type=protocol_type,
        protocols=tuple((name, metadata) for name in names),
        requires_known_id=requires_known_id,
        can_skip_assignment=can_skip_assignment,
    )


def sync(
    joined: JoinAnswer,
    assignments: Mapping[str, bytes] | None = None,
    *,
    generation: int | None = None,
    instance_id: str | None = None,
    protocol_type: str | None = None,
    protocol_name: str | None = None,
) -> SyncGroup:
    is_leader = joined.leader_id == joined.member_id
    return SyncGroup(
        group_id=GROUP,
        member_id=joined.member_id,
        group_instance_id=instance_id,
        generation=joined.generation if generation is None else generation,
        protocol_type=protocol_type,
        protocol_name=protocol_name,
        assignments=assignments if is_leader and assignments is not None else {},
    )


def heartbeat(
    joined: JoinAnswer, generation: int | None = None, instance_id: str | None = None
) -> Heartbeat:
    wanted = joined.generation if generation is None else generation
    return Heartbeat(GROUP, joined.member_id, instance_id, wanted)


def commit(
    offset: int = 7,
    member_id: str = UNKNOWN_MEMBER,
    generation: int = -1,
    instance_id: str | None = None,
    partition: TopicPartition = A0,
    metadata: str = "",
    group_id: str = GROUP,
) -> CommitOffsets:
    value = OffsetCommitValue(offset, 0, metadata, WALL_MS)
    return CommitOffsets(group_id, {partition: value}, member_id, instance_id, generation)


def leave(member_id: str, instance_id: str | None = None) -> LeaveGroup:
    return LeaveGroup(GROUP, (LeavingMember(member_id, instance_id),))
