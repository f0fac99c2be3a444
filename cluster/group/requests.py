"""Requests by which clients and operators change groups; reads are in `views`.

Each request makes its own refusal: an answer with only the reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from cluster.group.answers import (
    NO_GENERATION,
    UNKNOWN_MEMBER,
    CommitAnswer,
    DeleteGroupAnswer,
    DeleteOffsetsAnswer,
    HeartbeatAnswer,
    JoinAnswer,
    LeaveAnswer,
    SameError,
    SyncAnswer,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import OffsetCommitValue
from cluster.model.ids import TopicPartition

Protocols: TypeAlias = tuple[tuple[str, bytes], ...]
"""Names with the member's metadata for each, the preferred first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinGroup:
    """A member that wants to be in the next generation.

    *requires_known_id* is for versions from 4 on: a new dynamic member gets an id and comes again.
    *can_skip_assignment* is for versions from 9 on.  Version 0 has no rebalance timeout: its
    handler gives the session's.
    """

    group_id: str
    member_id: str
    group_instance_id: str | None = None
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocol_type: str
    protocols: Protocols
    requires_known_id: bool = True
    can_skip_assignment: bool = False

    def refused(self, error: ErrorCode) -> JoinAnswer:
        return JoinAnswer(error=error, member_id=self.member_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncGroup:
    """A member that wants its assignment; *assignments* are the leader's."""

    group_id: str
    member_id: str
    group_instance_id: str | None = None
    generation: int
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: Mapping[str, bytes]

    def refused(self, error: ErrorCode) -> SyncAnswer:
        return SyncAnswer(error=error)


class Heartbeat(NamedTuple):
    """A heartbeat of a member."""

    group_id: str
    member_id: str
    group_instance_id: str | None
    generation: int

    def refused(self, error: ErrorCode) -> HeartbeatAnswer:
        return HeartbeatAnswer(error)


class LeavingMember(NamedTuple):
    """A member by its id; an operator removes a static one by its instance id alone."""

    member_id: str
    group_instance_id: str | None = None


class LeaveGroup(NamedTuple):
    """Members that leave, one or many."""

    group_id: str
    members: tuple[LeavingMember, ...]

    def refused(self, error: ErrorCode) -> LeaveAnswer:
        return LeaveAnswer(error)


class CommitOffsets(NamedTuple):
    """Offsets of a member, or without a generation those of a client that no group manages."""

    group_id: str
    offsets: Mapping[TopicPartition, OffsetCommitValue]
    member_id: str = UNKNOWN_MEMBER
    group_instance_id: str | None = None
    generation: int = NO_GENERATION

    def refused(self, error: ErrorCode) -> CommitAnswer:
        return CommitAnswer(SameError(self.offsets, error))


class CommitTransactionalOffsets(NamedTuple):
    """Offsets that count once their producer's transaction is committed."""

    group_id: str
    offsets: Mapping[TopicPartition, OffsetCommitValue]
    producer_id: int
    producer_epoch: int
    member_id: str = UNKNOWN_MEMBER
    group_instance_id: str | None = None
    generation: int = NO_GENERATION

    def refused(self, error: ErrorCode) -> CommitAnswer:
        return CommitAnswer(SameError(self.offsets, error))


class DeleteGroup(NamedTuple):
    """A group to delete with its offsets."""

    group_id: str

    def refused(self, error: ErrorCode) -> DeleteGroupAnswer:
        return DeleteGroupAnswer(error)


class DeleteOffsets(NamedTuple):
    """Offsets to delete."""

    group_id: str
    partitions: tuple[TopicPartition, ...]

    def refused(self, error: ErrorCode) -> DeleteOffsetsAnswer:
        return DeleteOffsetsAnswer(error, {})


Request: TypeAlias = (
    JoinGroup
    | SyncGroup
    | Heartbeat
    | LeaveGroup
    | CommitOffsets
    | CommitTransactionalOffsets
    | DeleteGroup
    | DeleteOffsets
)
