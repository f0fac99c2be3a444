"""State that all decisions of a coordinator share: configs, time, deadlines, effects, appends.

Knows no rule of groups.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import count
from typing import Final, NamedTuple, TypeAlias

from cluster.group.answers import Answer
from cluster.group.config import GroupConfig
from cluster.group.effects import NO_PRODUCER, Append, Effect, Producer, Respond
from cluster.group.group import Group
from cluster.group.member import Member
from cluster.group.offsets import Values
from cluster.group.requests import CommitOffsets, CommitTransactionalOffsets, Protocols
from cluster.group.timers import Timers
from cluster.model.group_records import GroupRecord, GroupRecords
from cluster.model.ids import LeaderEpoch
from cluster.model.java_hash import java_abs, java_hash

HASHES_KEPT: Final = 4096
"""Of how many groups the partition is cached: to compute it takes longer than a heartbeat."""

SESSION: Final = 0
"""A member, or an id that was given out, has sent nothing for too long."""
JOIN: Final = 1
"""A rebalance continues without members that have not joined."""
SYNC: Final = 2
"""Members that have not asked for their assignment are removed."""


@lru_cache(HASHES_KEPT)
def partition_of(group_id: str, partition_count: int) -> int:
    """Return the partition of `__consumer_offsets` that has a group's records."""
    return java_abs(java_hash(group_id)) % partition_count


class Timer(NamedTuple):
    """What a deadline is for; *member_id* only for SESSION."""

    kind: int
    group: Group
    member_id: str = ""


class StoredAssignment(NamedTuple):
    """The assignments of a generation, which are being appended."""

    group: Group
    generation: int
    assignments: Mapping[str, bytes]


class ReplacedMember(NamedTuple):
    """A static member as it was before another client took its place."""

    member_id: str
    protocols: Protocols
    rebalance_timeout_ms: int
    session_timeout_ms: int


class StoredStaticMember(NamedTuple):
    """The new id of a static *member* of a stable group, which is being appended."""

    group: Group
    generation: int
    member: Member
    member_id: str
    replaced: ReplacedMember
    leader_id: str
    """Before the replacement."""
    can_skip_assignment: bool


class StoredOffsets(NamedTuple):
    """Offsets that *request* commits, which are being appended: all but those refused."""

    group: Group
    request_id: int
    request: CommitOffsets | CommitTransactionalOffsets
    stored: Values


Waiting: TypeAlias = StoredAssignment | StoredStaticMember | StoredOffsets
"""What waits for the result of an append."""


class OffsetsPartition:
    """A partition of `__consumer_offsets` that this broker leads, with its groups."""

    __slots__ = ("groups", "is_loading", "leader_epoch", "waiting")

    def __init__(self, leader_epoch: LeaderEpoch) -> None:
        self.leader_epoch = leader_epoch
        self.is_loading = True
        self.groups: dict[str, Group] = {}
        self.waiting: dict[int, Waiting] = {}
        """By the id of the append."""


class Context:
    """The state of one coordinator; *new_id* returns strings that it never returned before."""

    __slots__ = (
        "_append_ids",
        "_partition_count",
        "config",
        "effects",
        "new_id",
        "now_ms",
        "partitions",
        "timers",
        "wall_ms",
    )

    def __init__(
        self, config: GroupConfig, partition_count: int, new_id: Callable[[], str]
    ) -> None:
        self._partition_count = partition_count
        self.config = config
        self.new_id = new_id
        self.now_ms = 0
        self.wall_ms = 0
        self.partitions: dict[int, OffsetsPartition] = {}
        self.timers: Timers[Timer] = Timers()
        self.effects: list[Effect] = []
        self._append_ids = count()

    def partition(self, group_id: str) -> OffsetsPartition | None:
        """Return the partition that has the group's records; None if another broker leads it."""
        return self.partitions.get(partition_of(group_id, self._partition_count))

    def group(self, group_id: str) -> Group | None:
        partition = self.partition(group_id)
        return None if partition is None else partition.groups.get(group_id)

    def create(self, group_id: str) -> Group:
        """Return a new group, in a partition that this broker leads."""
        number = partition_of(group_id, self._partition_count)
        group = Group(group_id, number, self.wall_ms)
        self.partitions[number].groups[group_id] = group
        return group

    def respond(self, request_id: int, answer: Answer) -> None:
        self.effects.append(Respond(request_id, answer))

    def next_append_id(self) -> int:
        return next(self._append_ids)

    def append(
        self,
        append_id: int,
        records: GroupRecords,
        waiting: Waiting,
        producer: Producer = NO_PRODUCER,
    ) -> None:
        """Append *records*; *waiting* continues with the result."""
        number = waiting.group.partition
        partition = self.partitions[number]
        partition.waiting[append_id] = waiting
        epoch = partition.leader_epoch
        self.effects.append(Append(number, epoch, records, append_id, producer))

    def append_unacknowledged(self, group: Group, *records: GroupRecord) -> None:
        """Append *records*, and wait for nothing."""
        epoch = self.partitions[group.partition].leader_epoch
        self.effects.append(Append(group.partition, epoch, records))

    def set_timer(self, kind: int, group: Group, delay_ms: int) -> None:
        self.timers.set(Timer(kind, group), self.now_ms + delay_ms)

    def cancel_timer(self, kind: int, group: Group) -> None:
        self.timers.cancel(Timer(kind, group))

    def set_session(self, group: Group, member_id: str, timeout_ms: int) -> None:
        self.timers.set(Timer(SESSION, group, member_id), self.now_ms + timeout_ms)

    def end_session(self, group: Group, member_id: str) -> None:
        self.timers.cancel(Timer(SESSION, group, member_id))
