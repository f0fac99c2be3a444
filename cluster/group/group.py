"""A group: its state, its generation and its members.

Keeps what it knows consistent, and decides nothing about requests and deadlines.

Source: Kafka's GroupMetadata.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from cluster.group.answers import NO_LEADER, JoinAnswer, JoinedMember
from cluster.group.member import Member
from cluster.group.offsets import GroupOffsets
from cluster.group.requests import Protocols
from cluster.group.states import VALID_PREVIOUS, GroupState
from cluster.group.subscription import CONSUMER, topics_of
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import NO_TIMESTAMP, GroupMetadataValue
from cluster.model.ids import TopicPartition

# To look a member of an enumeration up by its name takes a tenth of a microsecond or more.
NONE: Final = ErrorCode.NONE


class InitialDelay(NamedTuple):
    """The rest of the wait for more members in the first rebalance of an empty group."""

    delay_ms: int
    remaining_ms: int


class Group:
    """A group, in one partition of `__consumer_offsets`."""

    __slots__ = (
        "_joining_count",
        "_protocol_counts",
        "generation",
        "group_id",
        "has_new_member",
        "initial_delay",
        "is_storing_assignment",
        "leader_id",
        "members",
        "offsets",
        "partition",
        "pending_members",
        "pending_sync",
        "protocol_name",
        "protocol_type",
        "state",
        "state_timestamp",
        "static_ids",
        "subscribed_topics",
    )

    def __init__(self, group_id: str, partition: int, wall_ms: int) -> None:
        self.group_id = group_id
        self.partition = partition
        self.state = GroupState.EMPTY
        self.state_timestamp: int | None = wall_ms
        """When it entered its state, by the wall clock; None if the log does not have it."""
        self.generation = 0
        """0 until the first rebalance is over."""
        self.protocol_type: str | None = None
        """None for a group that never had members."""
        self.protocol_name: str | None = None
        self.leader_id: str | None = None
        self.members: dict[str, Member] = {}
        self.static_ids: dict[str, str] = {}
        """The member id of each group instance id."""
        self.pending_members: set[str] = set()
        """Ids that were given out, and were in no JoinGroup yet."""
        self.pending_sync: set[str] = set()
        """Members of this generation that have not sent a SyncGroup."""
        self.subscribed_topics: frozenset[str] | None = None
        """Of a group of consumers; None if unknown."""
        self.has_new_member = False
        """Whether a member joined during the initial delay, which is then extended."""
        self.initial_delay: InitialDelay | None = None
        self.is_storing_assignment = False
        """Whether the leader's assignment of this generation is being appended to the log."""
        self.offsets = GroupOffsets()
        self._joining_count = 0
        self._protocol_counts: Counter[str] = Counter()
        """How many members support a protocol; one that a member names twice counts once."""

    @classmethod
    def loaded(cls, group_id: str, partition: int, stored: GroupMetadataValue) -> "Group":
        """Return the group as the log has it: Stable, or Empty without members."""
        group = cls(group_id, partition, 0)
        timestamp = stored.current_state_timestamp
        group.state_timestamp = None if timestamp == NO_TIMESTAMP else timestamp
        group.generation = stored.generation
        group.protocol_type = stored.protocol_type or None
        group.protocol_name = stored.protocol
        for one in stored.members:
            group.add(Member.loaded(one, stored.protocol), stored.protocol_type)
        if stored.members:
            group.state = GroupState.STABLE
            group.leader_id = stored.leader
        group.subscribed_topics = group.topics()
        return group

    # State.

    def enter(self, state: GroupState, wall_ms: int) -> None:
        assert self.state in VALID_PREVIOUS[state], f"{self.group_id}: {self.state} to {state}"
        self.state = state
        self.state_timestamp = wall_ms

    @property
    def can_rebalance(self) -> bool:
        return self.state in VALID_PREVIOUS[GroupState.PREPARING_REBALANCE]

    @property
    def is_consumer_group(self) -> bool:
        return self.protocol_type == CONSUMER

    @property
    def rebalance_timeout_ms(self) -> int:
        """Return the longest of all members', 0 without any."""
        return max((one.rebalance_timeout_ms for one in self.members.values()), default=0)

    @property
    def joining_count(self) -> int:
        """Return how many members wait for the next generation."""
        return self._joining_count

    @property
    def has_all_joined(self) -> bool:
        return self._joining_count == len(self.members) and not self.pending_members

    # Members.

    def add(self, member: Member, protocol_type: str) -> None:
        """Add a member that supports a protocol of all others."""
        assert member.member_id not in self.members, member.member_id
        if not self.members:
            self.protocol_type = protocol_type
        assert self.protocol_type == protocol_type, "the join was checked"
        instance_id = member.group_instance_id
        if instance_id is not None:
            assert instance_id not in self.static_ids, instance_id
            self.static_ids[instance_id] = member.member_id
        if self.leader_id is None:
            self.leader_id = member.member_id
        self.members[member.member_id] = member
        self._protocol_counts.update(dict(member.protocols).keys())
        self.pending_members.discard(member.member_id)

    def remove(self, member_id: str) -> None:
        """Forget a member, or an id that was given out; whatever it waits for is answered before.

        The lead goes to the member that has been in the group for the longest time.
        """
        member = self.members.pop(member_id, None)
        if member is not None:
            assert member.joining is None, member_id
            assert member.syncing is None, member_id
            self._uncount(member.protocols)
            if member.group_instance_id is not None:
                del self.static_ids[member.group_instance_id]
        if self.leader_id == member_id:
            self.leader_id = next(iter(self.members), None)
        self.pending_members.discard(member_id)
        self.pending_sync.discard(member_id)

    def rename(self, old_id: str, new_id: str) -> Member:
        """Let a static member have *new_id*; one with the old id is fenced from now on."""
        member = self.members.pop(old_id)
        assert member.group_instance_id is not None, "only static members are replaced"
        member.member_id = new_id
        self.members[new_id] = member
        self.static_ids[member.group_instance_id] = new_id
        if self.leader_id == old_id:
            self.leader_id = new_id
        return member

    def update(
        self, member: Member, protocols: Protocols, rebalance_ms: int, session_ms: int
    ) -> None:
        self._uncount(member.protocols)
        self._protocol_counts.update(dict(protocols).keys())
        member.protocols = protocols
        member.rebalance_timeout_ms = rebalance_ms
        member.session_timeout_ms = session_ms

    def error_of(self, member_id: str, group_instance_id: str | None) -> ErrorCode:
        """Return why no request of this member is served: it is unknown, or another has its
        place.
        """
        if group_instance_id is not None:
            current_id = self.static_ids.get(group_instance_id)
            if current_id is None:
                return ErrorCode.UNKNOWN_MEMBER_ID
            if current_id != member_id:
                return ErrorCode.FENCED_INSTANCE_ID
        return NONE if member_id in self.members else ErrorCode.UNKNOWN_MEMBER_ID

    def error_in_generation(
        self, member_id: str, group_instance_id: str | None, generation: int
    ) -> ErrorCode:
        """Return why the member is refused: it is unknown, or not in the current generation."""
        error = self.error_of(member_id, group_instance_id)
        if error is NONE and generation != self.generation:
            return ErrorCode.ILLEGAL_GENERATION
        return error

    def begin_joining(self, member: Member, request_id: int) -> None:
        assert member.joining is None, "one JoinGroup of a member waits at a time"
        member.joining = request_id
        self._joining_count += 1

    def end_joining(self, member: Member) -> int | None:
        """Return the id of the JoinGroup that waited, which does not any more; None without one."""
        request_id, member.joining = member.joining, None
        if request_id is not None:
            self._joining_count -= 1
        return request_id

    # Protocols.

    def _uncount(self, protocols: Protocols) -> None:
        """Subtract the protocols of one member, and drop the names that no member has any more."""
        counts = self._protocol_counts
        for name in dict(protocols):
            counts[name] -= 1
            if counts[name] == 0:
                del counts[name]

    def supports(self, protocol_type: str, names: Collection[str]) -> bool:
        """Return whether all members support one of these protocols, of the same type."""
        if self.state is GroupState.EMPTY:
            return protocol_type != "" and len(names) > 0
        count = len(self.members)
        return self.protocol_type == protocol_type and any(
            self._protocol_counts[name] == count for name in names
        )

    def choose_protocol(self) -> str:
        """Return the protocol with the most votes among those that all members support."""
        count = len(self.members)
        candidates = {name for name, number in self._protocol_counts.items() if number == count}
        votes = Counter(one.vote(candidates) for one in self.members.values())
        return votes.most_common(1)[0][0]

    def topics(self) -> frozenset[str] | None:
        """Return the topics that members of a group of consumers subscribe to; None if unknown."""
        if not self.is_consumer_group:
            return None
        if not self.members:
            return frozenset()
        if self.protocol_name is None:
            return None
        return union(topics_of(one.metadata(self.protocol_name)) for one in self.members.values())

    def is_subscribed_to(self, topic: str) -> bool:
        """Return whether the group reads *topic*, or may."""
        return self.subscribed_topics is None or topic in self.subscribed_topics

    # Generations.

    def elect_joined_leader(self) -> bool:
        """Let the leader be a member that has joined; False if none has."""
        leader = None if self.leader_id is None else self.members[self.leader_id]
        if leader is None or leader.joining is None:
            joined = (one for one in self.members.values() if one.joining is not None)
            leader = next(joined, None)
            if leader is None:
                return False
            self.leader_id = leader.member_id
        return True

    def begin_generation(self, wall_ms: int) -> None:
        self.generation += 1
        self.protocol_name = self.choose_protocol() if self.members else None
        self.subscribed_topics = self.topics()
        self.pending_sync.clear()
        self.is_storing_assignment = False
        is_empty = not self.members
        self.enter(GroupState.EMPTY if is_empty else GroupState.COMPLETING_REBALANCE, wall_ms)

    def joined_members(self) -> tuple[JoinedMember, ...]:
        """Return all members as their leader sees them."""
        assert self.protocol_name is not None, "a generation with members has a protocol"
        return tuple(one.joined(self.protocol_name) for one in self.members.values())

    def join_answer(self, member: Member) -> JoinAnswer:
        """Return the answer to a JoinGroup of *member*: the current generation."""
        is_leader = member.member_id == self.leader_id
        return JoinAnswer(
            member_id=member.member_id,
            generation=self.generation,
            protocol_type=self.protocol_type,
            protocol_name=self.protocol_name,
            leader_id=self.leader_id or NO_LEADER,
            members=self.joined_members() if is_leader else (),
        )

    def stored(self, assignments: Mapping[str, bytes]) -> GroupMetadataValue:
        """Return what the log keeps of this generation, in which each member has its assignment."""
        protocol, timestamp = self.protocol_name, self.state_timestamp
        members = []
        for one in self.members.values():
            assert protocol is not None, "a generation with members has a protocol"
            members.append(one.stored(protocol, assignments[one.member_id]))
        return GroupMetadataValue(
            self.protocol_type or "",
            self.generation,
            protocol,
            self.leader_id,
            NO_TIMESTAMP if timestamp is None else timestamp,
            tuple(members),
        )

    # Expiration.

    def expired_offsets(self, now_ms: int, retention_ms: int) -> tuple[TopicPartition, ...]:
        """Return the partitions whose offsets have expired: they were not needed for
        *retention_ms*.

        Without members that time runs since the last one left; with some, an offset of a topic
        without subscribers expires by its last commit; while the group rebalances, none does.
        """
        offsets = self.offsets
        if self.protocol_type is not None and self.state is GroupState.EMPTY:
            since_ms = self.state_timestamp
            if since_ms is not None:
                return offsets.expired(now_ms, retention_ms, lambda value: since_ms)
            return offsets.expired(now_ms, retention_ms, lambda value: value.commit_timestamp)
        subscribed = self.subscribed_topics
        if self.is_consumer_group and self.state is GroupState.STABLE and subscribed is not None:
            return offsets.expired(
                now_ms, retention_ms, lambda value: value.commit_timestamp, subscribed
            )
        if self.protocol_type is None:
            return offsets.expired(now_ms, retention_ms, lambda value: value.commit_timestamp)
        return ()


def union(subscriptions: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    """Return all topics of *subscriptions*; None if one of them is unknown."""
    topics: frozenset[str] = frozenset()
    for one in subscriptions:
        if one is None:
            return None
        topics |= one
    return topics
